/* SPDX-License-Identifier: GPL-2.0-only */
/* From commits to trees and blobs: what the two files of delta islands share. */
#ifndef PACKING_DELTA_ISLANDS_INTERNAL_H
#define PACKING_DELTA_ISLANDS_INTERNAL_H

#include "compat/posix.h"
#include "packing/delta-islands.h"
#include "object/object.h"
#include "odb/odb.h"

/* Flag of an object beside its set: a tree that waits for its turn. */
#define ISLAND_QUEUED (SHARED_SET_MAX + 1)

/* Add islands to an object. True: some are new. */
bool delta_islands_mark(struct delta_islands *d, const unsigned char *raw, shared_set set);

struct island_tree {
	struct object_id oid;
	uint32_t path_hash;
};

struct island_level {
	struct island_tree *v;
	size_t nr, alloc;
};

/* A tree that has handed on its islands, and which it had then. */
struct island_home {
	struct object_buf buf;
	shared_set set;
};

struct island_trees {
	struct delta_islands *d;
	struct odb *odb;
	const struct hash_algo *algo;
	struct island_level now, next;
	struct island_home *homes; /* of the last trees, by path */
	size_t home_bytes;
};
/* One of a commit or ref, which has been marked. The youngest first; twice counts once. */
void island_trees_queue(struct island_trees *t, const struct object_id *oid);
MUST_USE int island_trees_pass_on(struct island_trees *t, struct err *err);
void island_trees_release(struct island_trees *t);

#endif
