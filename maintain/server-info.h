/* SPDX-License-Identifier: GPL-2.0-only */
/* What clients of dumb HTTP servers read: lists of refs and packs. gitrepository-layout(5). */
#ifndef MAINTAIN_SERVER_INFO_H
#define MAINTAIN_SERVER_INFO_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "repo/repo.h"
#include "util/strbuf.h"

/*
 * Append info/refs: "OID TAB REF LF" for each ref of a namespace, by name and without `prefix`,
 * which is that of namespace_prefix ("" for all), and "OID TAB REF^{} LF" behind a tag that is an
 * object. Broken refs, and refs whose object is missing, are left out.
 */
MUST_USE int server_info_refs(struct repository *r, const char *prefix, struct strbuf *out,
			      struct err *err);
/* Append objects/info/packs: "P NAME.pack LF" for each pack of our own, newest first, and a LF. */
void server_info_packs(struct repository *r, struct strbuf *out);

/*
 * Write both files, each only if it changes; all: in any case. git-update-server-info(1). 1: info/refs is as it was, as
 * a ref is broken or its object is missing: *err names it.
 *
 * Durability: that of the operation.
 * Errors:     ERR_LOCKED: another process is writing them.
 */
MUST_USE int server_info_update(struct repo_operation *op, struct repository *r, bool all,
				struct err *err);

#endif
