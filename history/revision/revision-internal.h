/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the revision walk share. */
#ifndef HISTORY_REVISION_REVISION_INTERNAL_H
#define HISTORY_REVISION_REVISION_INTERNAL_H

#include "compat/posix.h"
#include "grep/pattern.h"
#include "history/changed-paths.h"
#include "util/prio-queue.h"
#include "history/revision/revision.h"

struct tree_cache; /* revision-trees.c */
struct topo_walk;  /* revision-topo.c */

struct rev_state {
	/* Commits to be visited, the youngest first; in a topo_walk those of the highest generation. */
	struct prio_queue queue;
	size_t interesting; /* of those, not UNINTERESTING */
	/* Once limited: the commits of the range, in order. */
	struct commit_list list;
	size_t next;
	bool use_list;
	bool chosen; /* w->select has been asked about all of them */
	/* While commits are delivered. */
	struct commit_list boundary; /* parents of shown commits */
	struct commit_list last;     /* delivered at the end: boundary, or all reversed */
	size_t next_last;
	bool use_last;
	const char **sources; /* by commit->index */
	size_t nr_sources;
	struct commit_list *children; /* the same */
	size_t nr_children;
	uint8_t **same; /* the same: for each parent of a merge, is nothing different? */
	size_t nr_same;
	struct tree_cache *trees;
	struct topo_walk *topo; /* NULL: not in that way */
	struct changed_paths *changed_paths; /* NULL: no filters */
};

/* ---- revision-queue.c: parents, marks ---- */
int rev_enqueue(struct rev_walk *w, struct commit *c, struct err *err);
struct commit *rev_dequeue(struct rev_walk *w);
void rev_mark_uninteresting(struct rev_walk *w, struct commit *c);
void rev_mark_parents_uninteresting(struct rev_walk *w, struct commit *c);
/* Simplify, then queue the parents; once per commit. */
MUST_USE int rev_process_parents(struct rev_walk *w, struct commit *c, struct err *err);

/* ---- revision-names.c ---- */
/* *path (may be NULL): that of "TREE:path", NULL otherwise; owned by the caller. */
MUST_USE int rev_resolve(struct rev_walk *w, const char *name, struct object_id *oid, char **path,
			 struct err *err);
MUST_USE int rev_peel_commit(struct rev_walk *w, const struct object_id *oid, struct commit **out,
			     struct err *err);
/* "a", "^a", "a..b", "a...b", "a^@", "a^!", "a^-". ERR_NOT_FOUND: it is none of them. */
MUST_USE int rev_add_argument(struct rev_walk *w, const char *arg, struct err *err);
/* revision-conflicts.c: start and limit the walk as --merge says, after all arguments. */
MUST_USE int rev_walk_conflicts(struct rev_walk *w, struct err *err);

/* ---- revision-inputs.c ---- */
MUST_USE int rev_add_refs(struct rev_walk *w, const char *prefix, const char *pattern, bool head,
			  struct err *err);
/* --all, --branches, --reflog and the like: 1, 0: another option, < 0. */
int rev_input_option(struct rev_walk *w, const char *arg, struct err *err);

/* ---- revision-objects.c ---- */
/*
 * Peel a start: 1 and *oid is a commit; 0: it leads to none (trees and blobs are noted if the walk
 * wants objects, and so are the tags on the way).
 */
int rev_peel_start(struct rev_walk *w, struct rev_start *s, struct object_id *oid, struct err *err);
void rev_free_objects(struct rev_walk *w);
/* A commit that cannot be read: if it is missing and the walk allows that, noted, and 0; else rc. */
MUST_USE int rev_allow_missing(struct rev_walk *w, struct commit *c, int rc, struct err *err);

/* ---- revision-cherry.c ---- */
MUST_USE int rev_find_same_patches(struct rev_walk *w, struct err *err);

/* ---- revision-children.c ---- */
void rev_find_children(struct rev_walk *w);
void rev_free_children(struct rev_walk *w);

/* ---- revision-limit.c ---- */
MUST_USE int rev_limit(struct rev_walk *w, struct err *err);
/* Children before parents; the order of `l` decides among equals. */
void rev_sort_topologically(struct rev_walk *w, struct commit_list *l);
/* 0 if it has none. */
timestamp_t rev_author_date(struct rev_walk *w, struct commit *c);

/* ---- revision-topo.c ---- */
bool rev_topo_is_possible(const struct rev_walk *w);
MUST_USE int rev_topo_begin(struct rev_walk *w, struct err *err);
/* The next in order. 0: no more. */
int rev_topo_next(struct rev_walk *w, struct commit **out, struct err *err);
/* Simplify all commits of that generation, or higher ones. */
MUST_USE int rev_topo_explore(struct rev_walk *w, uint64_t generation, struct err *err);
void rev_topo_free(struct topo_walk *t);

/* ---- revision-simplify.c ---- */
MUST_USE int rev_simplify(struct rev_walk *w, struct commit *c, struct err *err);
bool rev_is_relevant(const struct commit *c);
bool rev_prunes(const struct rev_walk *w);
/* The one parent worth following; NULL if there are several. */
struct commit *rev_one_relevant_parent(const struct rev_walk *w, const struct commit *c);
/* For --simplify-merges: a byte for each parent with which a merge is the same. */
uint8_t *rev_same_parents(struct rev_walk *w, const struct commit *c);
void rev_free_same(struct rev_walk *w);

/* ---- revision-select.c ---- */
/* Commits that are not chosen become TREESAME. */
MUST_USE int rev_choose(struct rev_walk *w, struct commit *c, struct err *err);
/*
 * Chooses the commits of a limited walk, which is in order. The list keeps the chosen commits, and
 * their parents are rewritten.
 */
MUST_USE int rev_choose_all(struct rev_walk *w, struct err *err);

/* ---- revision-rewrite.c ---- */
MUST_USE int rev_rewrite_parents(struct rev_walk *w, struct commit *c, struct err *err);

/* ---- revision-merges.c ---- */
/* Applies --simplify-merges to the range, which is in topological order. */
MUST_USE int rev_simplify_merges(struct rev_walk *w, struct err *err);

/* ---- revision.c ---- */
/* The default, if there is no start. */
MUST_USE int rev_add_default(struct rev_walk *w, struct err *err);
/* -g: walk only the reflogs of the refs named from now on. */
void rev_walk_only_reflogs(struct rev_walk *w);

/* ---- revision-trees.c ---- */
void tree_cache_free(struct tree_cache *t);

/* ---- revision-grep.c ---- */
struct pattern;
struct rev_grep {
	struct pattern *patterns;
	size_t nr, alloc;
	enum grep_type type;
	bool ignore_case, all_match, invert;
	rev_ident_map_fn map_ident; /* may be NULL */
	const void *map_data;
	const char *encoding;
	rev_notes_fn add_notes; /* may be NULL */
	void *notes_data;
};
bool rev_has_field(const struct rev_walk *w, enum rev_grep_field field);
struct rev_grep *rev_grep_of(struct rev_walk *w); /* made on first use */
/* 1 matches (or there are no patterns), 0 not, < 0 failure */
int rev_grep_matches(struct rev_walk *w, struct commit *c, struct err *err);
MUST_USE int rev_grep_compile(struct rev_walk *w, struct err *err);
void rev_grep_free(struct rev_grep *g);

/* ---- revision-reflog.c ---- */
MUST_USE int rev_reflog_begin(struct rev_walk *w, struct err *err);
/* The commit of the next entry; 0 at the end. */
int rev_reflog_next(struct rev_walk *w, struct commit **out, struct err *err);
void rev_reflog_free(struct rev_walk *w);

#endif
