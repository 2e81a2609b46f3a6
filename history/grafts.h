/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parents that replace the parents named in a commit: grafts (info/grafts), and no parents at the
 * boundary of a shallow clone (the file "shallow"). A commit_pool applies them by itself; code that
 * reads single commits calls these functions.
 */
#ifndef HISTORY_GRAFTS_H
#define HISTORY_GRAFTS_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/err.h"

struct graft {
	struct oid_array parents;
	bool shallow;
};

struct grafts {
	struct oidmap by_oid; /* to struct graft */
};

/* Reads both files; *g is zero or cleared before. ERR_CORRUPT if they are malformed. */
MUST_USE int grafts_read(struct grafts *g, struct repository *r, struct err *err);
void grafts_clear(struct grafts *g);
/* From now on it has no parents, as at the boundary of a shallow clone. */
void grafts_add_shallow(struct grafts *g, const struct object_id *oid);
/* NULL: the commit's own parents count. */
const struct graft *graft_of(const struct grafts *g, const struct object_id *oid);

#endif
