/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stages that a path had before its conflict was resolved (the REUC
 * extension): kept so that the conflict can be made again.
 */
#ifndef INDEX_RESOLVE_UNDO_H
#define INDEX_RESOLVE_UNDO_H

#include "compat/posix.h"
#include "index/index.h"
#include "util/map.h"
#include "util/strbuf.h"

struct resolve_undo_info {
	unsigned mode[3]; /* of stages 1 to 3; 0: there was none */
	struct object_id oid[3];
};
/* Sorted by path; util is a struct resolve_undo_info. */
struct resolve_undo {
	struct string_list paths;
};

MUST_USE int resolve_undo_read(struct resolve_undo **out, const void *ext, size_t len,
			       const struct hash_algo *algo, struct err *err);
void resolve_undo_write(struct strbuf *out, const struct resolve_undo *ru);
void resolve_undo_free(struct resolve_undo **ru);
/* Remember an entry of stage 1 to 3 that is about to go; stage 0 is ignored. */
void resolve_undo_record(struct index_state *ix, const struct index_entry *e);
/* NULL if nothing is known of it. */
const struct resolve_undo_info *resolve_undo_find(const struct index_state *ix,
						  const char *path);
/*
 * Put the stages back in the place of the resolved entry. ERR_NOT_FOUND if nothing is
 * known of the path.
 */
MUST_USE int resolve_undo_unmerge(struct index_state *ix, const char *path, struct err *err);

#endif
