/* SPDX-License-Identifier: GPL-2.0-only */
/* gitmailmap(5): the names and addresses that people want to be known by. */
#ifndef HISTORY_MAILMAP_H
#define HISTORY_MAILMAP_H

#include "compat/posix.h"
#include "repo/repo.h"

struct mailmap;
/*
 * .mailmap at the top of the work tree (in a bare repository HEAD:.mailmap), then
 * mailmap.blob, then mailmap.file; later ones win. Missing ones are fine.
 */
MUST_USE int mailmap_read(struct mailmap **out, struct repository *r, struct err *err);
/* From memory. */
struct mailmap *mailmap_parse(const char *text, size_t len);
void mailmap_free(struct mailmap *m);
bool mailmap_is_empty(const struct mailmap *m);
/* Replaces what is mapped; the new texts belong to the map. True if anything was. */
bool mailmap_apply(const struct mailmap *m, const char **name, size_t *name_len,
		   const char **mail, size_t *mail_len);

#endif
