/* SPDX-License-Identifier: GPL-2.0-only */
/* HEAD: where it is, and what checkout, switch and reset say of it. */
#ifndef PORCELAIN_HEAD_H
#define PORCELAIN_HEAD_H

#include "cli/cli.h"
#include "operation/operation.h"

/*
 * Read HEAD. *branch: the full name of the branch, "HEAD" if HEAD is detached; the caller frees it. *unborn: the branch has
 * no commit, and *oid is the null id. Errors: those of ref_resolve, a broken HEAD among them.
 */
MUST_USE int head_read(struct repository *r, struct object_id *oid, char **branch, bool *unborn, struct err *err);
/* Append "1234567 subject of the commit". */
MUST_USE int head_describe_commit(struct repository *r, const struct object_id *commit,
				  struct strbuf *out, struct err *err);
/* What the user has to know of a HEAD that is no branch, for who has asked advice.detachedHead. Caller frees. */
char *head_detached_advice(const char *name);

#endif
