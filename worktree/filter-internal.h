/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filter drivers: one-shot commands and long-running processes.
 * gitattributes(5), filter; gitprotocol of "Long Running Filter Process".
 */
#ifndef WORKTREE_FILTER_INTERNAL_H
#define WORKTREE_FILTER_INTERNAL_H

#include "compat/posix.h"
#include "config/config.h"
#include "hash/hash.h"
#include "util/err.h"
#include "util/strbuf.h"

struct filters; /* drivers by name, running processes */

struct filters *filters_new(const struct config_set *config);
void filters_free(struct filters *f); /* closes the processes' input, awaits them */

enum filter_direction { FILTER_CLEAN, FILTER_SMUDGE };
/* Is there anything to run for this driver in this direction? */
bool filter_is_active(struct filters *f, const char *driver, enum filter_direction dir);
/*
 * 1: result in out; 0: not filtered (no command, or the driver failed and is not
 * required: message in warn); < 0: a required driver failed ("path: clean filter 'x' failed").
 */
int filter_apply(struct filters *f, const char *driver, enum filter_direction dir,
		 const char *path, const void *data, size_t len,
		 const struct object_id *oid, struct strbuf *out, struct strbuf *warn,
		 struct err *err);

#endif
