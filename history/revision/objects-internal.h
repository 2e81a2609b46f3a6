/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the walk of objects share. */
#ifndef HISTORY_REVISION_OBJECTS_INTERNAL_H
#define HISTORY_REVISION_OBJECTS_INTERNAL_H

#include "compat/posix.h"
#include "history/revision/objects.h"
#include "history/revision/revision-internal.h"
#include "object/tree.h"

/* Flags of objects. */
#define OBJECT_DONE 1u	   /* nothing new can come of it */
#define OBJECT_EXCLUDED 2u /* reachable from an excluded object */
#define OBJECT_GIVEN 4u	   /* a start: filters do not apply */
#define OBJECT_SHOWN 8u
#define OBJECT_QUEUED 16u  /* a commit's tree that is to be visited */
#define OBJECT_MISSING 32u /* reported */
#define OBJECT_EDGE 64u	   /* a boundary commit, or an object of one that has been reported */
#define OBJECT_OMITTED 128u

/* ---- objects-filter.c ---- */

/* What a filter says about an object at the place where it has been found. */
struct filter_verdict {
	bool include;
	bool final; /* it will say the same wherever else it is found */
	bool skip;  /* nothing below is included */
	bool stale; /* seen before, and no deeper: nothing new below */
	bool omit;  /* tell as omitted unless it is included elsewhere */
};
#define FILTER_VERDICT_ALL { true, true, false, false, false }

struct object_filter;
/*
 * Reads the blobs that sparse filters name. collect: omitted objects are asked for. spec must live
 * as long as the filter.
 */
MUST_USE int object_filter_new(struct object_filter **out, struct repository *r,
			       const struct filter_spec *spec, bool collect, struct err *err);
void object_filter_free(struct object_filter *f);
/* Does what it says depend on an object's place? */
bool object_filter_needs_place(const struct object_filter *f);
/* depth: 0 for the tree of a commit. Directories are entered and left (unless skipped). */
void object_filter_judge(struct object_filter *f, const struct object_id *oid,
			 enum object_type type, const struct strbuf *path, uint64_t depth,
			 struct filter_verdict *out);
void object_filter_enter(struct object_filter *f, const struct strbuf *path);
void object_filter_leave(struct object_filter *f);

/* ---- objects-edge.c ---- */

struct object_edges {
	struct oid_flags *flags;
	struct commit_list commits; /* the first few */
	struct strset paths;	    /* of what has been delivered */
};
/* Exclude what the trees at the boundary hold, and excluded starts. */
MUST_USE int object_edges_find(struct rev_walk *w, struct oid_flags *flags,
			       const struct object_walk_options *o, struct object_edges *edges,
			       struct err *err);
void object_edges_delivered(struct object_edges *e, const char *path);
MUST_USE int object_edges_report(struct rev_walk *w, struct object_edges *e,
				 const struct object_walk_options *o, struct err *err);
void object_edges_release(struct object_edges *e);

#endif
