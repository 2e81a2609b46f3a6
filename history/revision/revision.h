/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walking the history: which commits a range means, and in which order.
 * gitrevisions(7), "Commit Limiting", "History Simplification" and "Commit
 * Ordering" of git-rev-list(1).
 *
 *   struct rev_walk *w = rev_walk_new(r, &err);
 *   rev_walk_arguments(w, argc, argv, &hooks, &err)    "main..topic", "-n5", "--", paths
 *   rev_walk_begin(w, &err)
 *   while ((rc = rev_walk_next(w, &c, &err)) > 0)
 *           …  rev_mark(w, c), rev_source(w, c)
 *   rev_walk_free(w)
 *
 * Cost: without --topo-order, --reverse, excluded commits and the like, each commit is
 * delivered as soon as it is found; with them the range is walked completely first. With the
 * generations of a commit-graph, --topo-order and the other orders walk little more than they
 * have delivered.
 */
#ifndef HISTORY_REVISION_REVISION_H
#define HISTORY_REVISION_REVISION_H

#include "compat/posix.h"
#include "index/pathspec.h"
#include "util/date.h"
#include "util/strvec.h"
#include "history/history.h"
#include "history/reach/refglob.h"
#include "history/names/revparse.h"

/* Flags of commits. */
#define REV_SEEN 1u
#define REV_UNINTERESTING 2u
#define REV_TREESAME 4u	     /* nothing changed within the paths */
#define REV_SHOWN 8u
#define REV_ADDED 16u	     /* its parents have been queued */
#define REV_BOUNDARY 32u
#define REV_CHILD_SHOWN 64u
#define REV_LEFT 128u	     /* from the left side of a...b */
#define REV_BOTTOM 256u	     /* named as excluded */
#define REV_QUEUED 512u
#define REV_MARK 1024u	     /* short-lived */
#define REV_ANCESTOR 2048u   /* of what --ancestry-path= names */
#define REV_GIVEN 4096u	     /* a start, not excluded */
#define REV_PULL 16384u	     /* a merge that took a later parent's content */
#define REV_NOT_MAXIMAL 32768u /* another commit of the range leads to it */
#define REV_PATCH_SAME 8192u /* a commit of the other side brings the same change */

enum rev_order { REV_ORDER_DEFAULT, REV_ORDER_DATE, REV_ORDER_AUTHOR_DATE, REV_ORDER_TOPO };

struct rev_grep; /* --grep, --author, --committer, --grep-reflog */

/* A commit where the walk starts, in the order of arguments. */
struct rev_start {
	struct object_id oid;
	char *name;	/* as typed, or the ref's name; owned */
	char *ref;	/* its full name, if it is one of many (--all, --branches); NULL; owned */
	char *path;	/* of "HEAD:path"; NULL: none; owned */
	uint32_t flags; /* REV_UNINTERESTING, REV_LEFT, REV_BOTTOM */
	struct commit *commit; /* NULL: no commit */
	bool implied;	/* one of many (--reflog): no edge of its own */
	bool of_range;	/* the first end of "a..b" */
};

/* A tag, tree or blob that a start is or leads to: history/revision/objects.h. */
struct rev_object {
	struct object_id oid;
	enum object_type type;
	char *path;	/* "" if it has none; a tag's name; owned */
	uint32_t flags; /* REV_UNINTERESTING */
};

/* patch_id() of diff/patch-id.h, which is out of reach here. */
typedef int (*rev_patch_id_fn)(struct odb *odb, const struct pathspec *paths,
			       const struct object_id *from, const struct object_id *to,
			       bool names_only, struct object_id *out, struct err *err);

/*
 * Commits are chosen one by one, by more than paths (log -L). `chooses` is asked once about each of the walk, children
 * before parents: 1, it is shown; 0, not; < 0. For a merge it may keep only the parent that all lines
 * come from: commit_set_parents.
 */
struct rev_selection {
	int (*chooses)(void *data, struct commit *c, struct err *err); /* NULL: there is no such choice */
	void *data;
};

struct rev_walk {
	struct repository *repo;
	struct commit_pool *pool; /* owned */

	/* ---- options; set by rev_walk_arguments or by hand ---- */
	const char *default_rev; /* "HEAD"; NULL: none */
	enum rev_order order;
	bool reverse, first_parent, exclude_first_parent;
	bool left_right, left_only, right_only, boundary, no_walk, unsorted;
	bool reflogs;		  /* -g */
	bool full_history, sparse;
	bool simplify_merges, show_pulls, remove_empty;
	bool simplify_by_decoration; /* needs is_decorated */
	bool maximal_only;	  /* only what no other commit of the range leads to */
	bool ancestry_path;	  /* with or without a commit */
	bool ancestry_of_range;	  /* without: excluded commits count as named */
	bool want_parents;	  /* --graph, --parents: rewritten to shown commits */
	bool print_parents;	  /* --parents */
	bool want_children;	  /* --children: rev_children() */
	bool ignore_missing;
	bool conflicts; /* --merge */
	bool source;		  /* remember from which start a commit was reached */
	bool cherry_pick, cherry_mark; /* leave out, or mark, changes that both sides have */
	bool objects;		  /* starts may be tags, trees and blobs */
	bool single_worktree;	  /* --all and the like leave other worktrees out */
	bool bisect;		  /* bisection_find() is to have the whole range */
	bool unpacked;		  /* only objects that are in no pack */
	bool missing_ok;	  /* commits that are not there are noted, and the walk goes on */
	/* --exclude-promisor-objects: these count as excluded, with the ancestors of such commits; may be NULL */
	const struct oidset *excluded;
	/* Neither these objects nor what only they lead to are delivered; starts are. May be NULL. */
	bool (*stops_at)(void *data, const struct object_id *oid);
	void *stops_at_data;
	int max_count, skip;	  /* -1: none */
	bool oldest;		  /* max_count: the last ones, instead of the first */
	int min_parents, max_parents; /* 0, -1 */
	timestamp_t since, until; /* 0: none */
	timestamp_t since_filter; /* like since, but the walk goes on behind older commits */
	struct pathspec pathspec;
	bool has_pathspec;

	/* ---- internal ---- */
	rev_patch_id_fn patch_id;
	int (*is_decorated)(void *data, const struct object_id *oid, struct err *err);
	void *is_decorated_data;
	struct rev_selection select;
	struct rev_start *starts;
	size_t nr_starts, alloc_starts;
	struct rev_object *given_objects; /* in the order of the starts */
	struct oidset given_tags[2]; /* internal: those among them, [1] if uninteresting */
	size_t nr_objects, alloc_objects;
	struct oid_array missing; /* with missing_ok: starts, then others */
	size_t nr_missing_starts;
	bool negate;	  /* --not */
	bool read_stdin;
	bool input_given; /* --all and the like, even if no ref was there */
	bool limited;
	struct ref_exclusions exclusions;
	struct commit_list ancestry_bottoms; /* --ancestry-path=<commit> */
	struct rev_grep *grep;
	struct rev_state *state;
	struct rev_reflog *reflog; /* -g */
};

MUST_USE int rev_walk_new(struct rev_walk **out, struct repository *r, struct err *err);
void rev_walk_free(struct rev_walk *w);

/* Needed for --cherry-pick and --cherry-mark. */
void rev_walk_set_patch_ids(struct rev_walk *w, rev_patch_id_fn fn);

struct rev_hooks {
	/*
	 * An option that the walk does not know, at argv[0] (argv is NULL-terminated).
	 * Returns how many arguments it used, 0: unknown, < 0: failure.
	 */
	int (*option)(void *data, const char *const *argv, struct err *err);
	void *data;
};
/*
 * argv[1..argc): options, revisions, paths. ERR_INVALID, ERR_NOT_FOUND with
 * Git's messages ("ambiguous argument 'x': both revision and filename …").
 * An unknown option: ERR_INVALID "unrecognized argument: --x".
 */
MUST_USE int rev_walk_arguments(struct rev_walk *w, int argc, const char **argv,
				const struct rev_hooks *hooks, struct err *err);
/*
 * Before rev_walk_begin, if `source` is set: the commit, and its ancestors as far as it reaches them first, have this source
 * instead of the name of a start. The name must live as long as the walk.
 */
void rev_set_source(struct rev_walk *w, const struct commit *c, const char *name);
/* A start of the walk; flags as in struct rev_start. The name is copied. */
void rev_walk_add_commit(struct rev_walk *w, const struct object_id *oid, const char *name,
			 uint32_t flags);

/* Before rev_walk_begin. An order that is not given becomes --topo-order. */
void rev_walk_select(struct rev_walk *w, struct rev_selection s);
/*
 * Before or after it: the one commit at which the walk starts. ERR_INVALID: there are several, or none; ERR_NOT_FOUND:
 * there is no commit yet.
 */
MUST_USE int rev_walk_only_start(struct rev_walk *w, struct commit **out, struct err *err);

/* For commands that do not walk: every start is in the repository. ERR_NOT_FOUND, ERR_CORRUPT: "bad object NAME". */
MUST_USE int rev_walk_check_starts(struct rev_walk *w, struct err *err);

/* Resolve the default, read tips, limit. ERR_NOT_FOUND: there is no commit yet. */
MUST_USE int rev_walk_begin(struct rev_walk *w, struct err *err);
/* 1: *out, 0: end, < 0: failure. */
int rev_walk_next(struct rev_walk *w, struct commit **out, struct err *err);
/* What it returned last has not been shown (log -S): it does not count for --max-count. */
void rev_walk_uncount(struct rev_walk *w);

/*
 * For --graph: will this parent of a delivered commit be delivered as well, --max-count and
 * --skip aside? 1, 0, < 0.
 */
int rev_will_show(struct rev_walk *w, struct commit *c, struct err *err);

/* ---- about the commit that was delivered last ---- */
/* '<' '>' '-' '^' '=' '+' or 0 */
char rev_mark(const struct rev_walk *w, const struct commit *c);
/* Only these are left of a limited walk that has begun. */
void rev_walk_keep_only(struct rev_walk *w, const struct commit_list *l);
/* NULL: none, or not asked for. */
const struct commit_list *rev_children(const struct rev_walk *w, const struct commit *c);
/* --source: the start's name. NULL: not known. */
const char *rev_source(const struct rev_walk *w, const struct commit *c);

/* -g: the entry. False if there is none. */
struct rev_reflog_info {
	const char *ref;	/* as typed: "HEAD", "main" */
	const char *full_ref;
	unsigned number;	/* HEAD@{number} */
	bool by_date;		/* the user named a date: HEAD@{date} */
	const char *ident;	/* "Name <mail>" */
	timestamp_t date;
	int tz;
	const char *msg;
};
bool rev_reflog_info(const struct rev_walk *w, struct rev_reflog_info *out);

/* ---- message patterns ---- */
enum rev_grep_field { REV_GREP_MESSAGE, REV_GREP_AUTHOR, REV_GREP_COMMITTER, REV_GREP_REFLOG };
void rev_grep_add(struct rev_walk *w, enum rev_grep_field field, const char *pattern);
/*
 * Replaces the name and the address of a person by those to match instead; the new texts
 * must live as long as `data`.
 */
typedef void (*rev_ident_map_fn)(const void *data, const char **name, size_t *name_len,
				 const char **mail, size_t *mail_len);
/* Patterns for authors and committers see what fn makes of them: a mailmap, for instance. */
void rev_grep_map_idents(struct rev_walk *w, rev_ident_map_fn fn, const void *data);
/* Appends notes of a commit; patterns for messages see them as well. */
typedef void (*rev_notes_fn)(void *data, const struct object_id *oid, struct strbuf *out);
void rev_grep_use_notes(struct rev_walk *w, rev_notes_fn fn, void *data);
/* Are there any? */
bool rev_grep_is_used(const struct rev_walk *w);
/* Was -i given? */
bool rev_grep_ignores_case(const struct rev_walk *w);
/* Read grep.patternType and grep.extendedRegexp, for commands of people: options come after it. */
MUST_USE int rev_grep_config(struct rev_walk *w, const struct config_set *c, struct err *err);
/* The encoding in which messages are matched: that of the output. */
void rev_grep_set_encoding(struct rev_walk *w, const char *encoding);

/* Did anything within the pathspec change between two trees (NULL: empty)? 1, 0, < 0. */
int rev_trees_differ(struct rev_walk *w, const struct pathspec *ps, const struct object_id *a,
		     const struct object_id *b, struct err *err);

#endif
