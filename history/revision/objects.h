/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The objects that a walk of commits leads to: --objects, --objects-edge, --filter and --missing of
 * git-rev-list(1).
 *
 *   w->objects = true            (before rev_walk_begin: starts may be tags, trees and blobs)
 *   rev_walk_arguments, rev_walk_begin
 *   object_walk(w, &options, &err)   in place of rev_walk_next
 *
 * Cost: each tree is read once, and 24 bytes of memory are kept for each tree and blob. Filters by
 * depth or path may read a tree again where it lies at another place.
 */
#ifndef HISTORY_REVISION_OBJECTS_H
#define HISTORY_REVISION_OBJECTS_H

#include "compat/posix.h"
#include "history/revision/revision.h"
#include "object/object.h"
#include "wire/filter-spec.h"

struct walked_object {
	const struct object_id *oid;
	enum object_type type; /* OBJ_NONE: unknown, only of a missing object */
	const char *path;      /* full path, "" for a root tree; a tag's name; NULL of a commit; valid during the call */
	bool edge;	       /* only a possible base of deltas: it is not to be sent */
};

/* Functions return 0 to go on; < 0 ends the walk and is returned. All may be NULL. */
struct object_walk_options {
	const struct filter_spec *filter; /* NULL: everything */
	bool filter_given;	 /* starts, too, and not only what they lead to */
	bool in_commit_order;	 /* the trees and blobs of each commit right behind it */
	bool check_present;	 /* that blobs are there as well, and trees whose content is not needed */
	/*
	 * Report edges: trees and blobs of boundary commits that lie where something delivered lies.
	 * They come last.
	 */
	bool edges;
	bool aggressive_edges;	 /* all excluded commits that were named are such commits */
	/* NULL: `object` gets the commits, too, without a path. */
	int (*commit)(void *data, struct commit *c, struct err *err);
	int (*object)(void *data, const struct walked_object *o, struct err *err);
	/* When the boundary is known, before the first commit. > 0 ends the walk, too. */
	int (*begun)(void *data, struct err *err);
	/* Each boundary commit, before the first commit: with `edges` or without. */
	int (*edge_commit)(void *data, struct commit *c, struct err *err);
	/*
	 * An object that is not there, once. NULL: ERR_NOT_FOUND, "bad tree object X", "missing blob
	 * object 'X'". Missing commits come at the end, and only if w->missing_ok is set.
	 */
	int (*missing)(void *data, const struct walked_object *o, struct err *err);
	/* At the end: what the filter left out. The walk then goes wherever there may be more. */
	int (*omitted)(void *data, const struct object_id *oid, struct err *err);
	void *data;
};

/*
 * After rev_walk_begin. Commits come in the walk's order, then tags, trees and blobs, each once.
 * Nothing that can be reached from the trees of excluded commits at the boundary is delivered.
 *
 * ERR_CORRUPT, ERR_TOO_BIG (directories deeper than core.maxTreeDepth): the message names the
 * object.
 */
MUST_USE int object_walk(struct rev_walk *w, const struct object_walk_options *o, struct err *err);

#endif
