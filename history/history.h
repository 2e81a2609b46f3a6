/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The history as a graph of commits, and questions about it: merge bases, ancestry, how
 * far two branches are apart. Walks with options are in revision.h, names of objects in
 * revparse.h.
 *
 * A commit_pool holds one node for each commit that was looked up. A node knows its
 * name at first; tree, parents and date are there once it has been parsed. Grafts
 * (info/grafts) and the boundary of a shallow clone (the file "shallow") are applied when
 * a node is parsed: no other code has to know about them. A commit that a commit-graph has is taken
 * from the graph. Its object is not read, so that it may be missing.
 */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "history/commit-graph.h"
#include "object/object.h"
#include "repo/repo.h"
#include "util/date.h"
#include "util/err.h"

struct commit {
	struct object_id oid;
	struct object_id tree;	 /* once parsed */
	struct commit **parents; /* NULL-terminated; owned by the pool */
	uint32_t nr_parents;
	uint32_t index;		 /* 0, 1, 2, …: for arrays beside the pool */
	uint32_t flags;		 /* of the walk that uses the pool: REV_…, REACH_FLAGS */
	bool parsed;
	bool shallow;		 /* at the boundary of a shallow clone: no parents here */
	timestamp_t date;	 /* committer's */
	/* Once parsed, if there is a commit-graph (commit-graph.h), else GENERATION_INFINITY. */
	uint64_t generation;
	uint32_t graph_pos;	 /* GRAPH_POS_NONE: not in the graph */
	char *buffer;		 /* content, if the pool keeps it; NUL-terminated */
	size_t buffer_len;
};

struct commit_pool;

/* Reads the grafts and the shallow file. ERR_CORRUPT if they are malformed. */
MUST_USE int commit_pool_new(struct commit_pool **out, struct repository *r, struct err *err);
void commit_pool_free(struct commit_pool *p);
/* Read each commit itself. Before the first node; for callers that must notice missing objects. */
void commit_pool_ignore_graph(struct commit_pool *p);
/* A walk mostly follows first parents: a thread reads the next ones, on a second processor. See history/commits-ahead.h. */
void commit_pool_read_ahead(struct commit_pool *p);
/* NULL: there is none, or it is not used. */
struct commit_graph *commit_pool_graph(const struct commit_pool *p);
/*
 * Nodes keep the parents that a graft hides, in front of the parents from the graft; at the
 * boundary of a shallow clone they stay hidden. Call it before the first node.
 */
void commit_pool_keep_true_parents(struct commit_pool *p);
/*
 * The commit counts as one at the boundary of a shallow clone from now on. Before the first
 * node is made.
 */
void commit_pool_add_shallow(struct commit_pool *p, const struct object_id *oid);
/* Keep the content of commits from now on, until commit_release_buffer. */
void commit_pool_keep_buffers(struct commit_pool *p, bool keep);
void commit_release_buffer(struct commit *c);
/* The content, read again if it was not kept. Lives until commit_release_buffer. */
MUST_USE int commit_buffer(struct commit_pool *p, struct commit *c, const char **buf,
			   size_t *len, struct err *err);

/* The node of that name; nothing is read. Never NULL. */
struct commit *commit_lookup(struct commit_pool *p, const struct object_id *oid);
size_t commit_pool_nr(const struct commit_pool *p); /* one more than the highest index */
/* Tree, parents, date. ERR_NOT_FOUND, ERR_CORRUPT, ERR_INVALID (no commit). */
MUST_USE int commit_parse_node(struct commit_pool *p, struct commit *c, struct err *err);
/* Replace the list of parents, for history simplification. It is copied. */
void commit_set_parents(struct commit_pool *p, struct commit *c, struct commit *const *parents,
			uint32_t nr);
/* Clear these flags in every node. */
void commit_pool_clear_flags(struct commit_pool *p, uint32_t flags);
/* Is it a shallow clone: does the file "shallow" list any commit? */
bool repo_is_shallow(struct repository *r);
/* The commits that it lists, sorted. ERR_CORRUPT. */
MUST_USE int repo_shallow_boundary(struct repository *r, struct oid_array *out, struct err *err);

/* ---- lists of commits ---- */

struct commit_list {
	struct commit **items;
	size_t nr, alloc;
};
#define COMMIT_LIST_INIT { NULL, 0, 0 }
void commit_list_add(struct commit_list *l, struct commit *c);
void commit_list_clear(struct commit_list *l);
/* For priority queues: the youngest first. */
int commit_date_cmp(const void *a, const void *b, void *data);
/* The highest generation first, and of the same generation the youngest. */
int commit_generation_cmp(const void *a, const void *b, void *data);

/* ---- ancestry: git-merge-base(1) ---- */

/* Flags of commits that the functions below use, and clear again. */
#define REACH_FLAGS 0xff000000u

/*
 * The best common ancestors of `one` and any of `others`, youngest first: none of
 * them is an ancestor of another.
 */
MUST_USE int merge_bases(struct commit_pool *p, struct commit *one,
			 struct commit *const *others, size_t nr,
			 struct commit_list *out, struct err *err);
/* 1: `old` can be reached from `young` (or is it), 0: not, < 0: failure. */
int is_ancestor(struct commit_pool *p, struct commit *old, struct commit *young,
		struct err *err);
/*
 * Drop each commit that can be reached from another one of the list. No commit is in the list
 * twice. The others keep their order.
 */
MUST_USE int commits_drop_redundant(struct commit_pool *p, struct commit_list *l, struct err *err);
/*
 * Commits that only `ours` reaches, and that only `theirs` reaches.
 * Cost: the history down to where the two meet.
 */
MUST_USE int ahead_behind(struct repository *r, const struct object_id *ours,
			  const struct object_id *theirs, size_t *ahead, size_t *behind,
			  struct err *err);
/* The same in a pool of the caller, which keeps what has been read for the next call. */
MUST_USE int ahead_behind_in(struct commit_pool *pool, const struct object_id *ours,
			     const struct object_id *theirs, size_t *ahead, size_t *behind,
			     struct err *err);

#endif
