/* SPDX-License-Identifier: GPL-2.0-only */
/* One listing of refs: the atoms, keys, format and caches that its files share. */
#ifndef REFLIST_REFLIST_INTERNAL_H
#define REFLIST_REFLIST_INTERNAL_H

#include "compat/posix.h"
#include "history/grafts.h"
#include "history/history.h"
#include "reflist/atom-internal.h"
#include "reflist/object-internal.h"
#include "repo/worktrees.h"
#include "util/map.h"

/* ---- the listing (listing.c) ---- */

struct ref_value {
	char *text; /* owned; NULL: not known yet */
	size_t len;
	uint64_t number;
};

struct sort_key {
	size_t atom;
	bool reverse, version;
};

struct format_piece {
	size_t atom; /* FORMAT_LITERAL: text */
	size_t text, len; /* within literals */
};
#define FORMAT_LITERAL SIZE_MAX

struct format_frame { /* an opening atom that waits for its %(end) */
	struct strbuf out;
	const struct ref_atom *opener; /* NULL: the bottom */
	bool then_seen, else_seen, condition;
	size_t then_len;
};

struct reflist_state {
	struct ref_atom **atoms;
	size_t nr_atoms, alloc_atoms;
	struct sort_key *keys;
	size_t nr_keys, alloc_keys;
	struct format_piece *pieces;
	size_t nr_pieces, alloc_pieces;
	struct strbuf literals;
	bool reset_color; /* at the end of each line */
	struct format_frame *frames;
	size_t nr_frames, alloc_frames;
	struct strbuf value; /* scratch */
	struct object_facts object, target;
	/* read on first use */
	struct commit_pool *pool;
	struct grafts grafts;
	bool grafts_read;
	struct mailmap *mailmap;
	struct worktree *worktrees;
	struct strmap worktree_of; /* branch to struct worktree */
	bool worktrees_read;
	char *head; /* the ref that HEAD is */
	bool head_read;
	struct ref_shortener *shortener;
	struct strvec version_suffixes;
	bool version_suffixes_read;
};

/* Made on first use. */
MUST_USE int reflist_pool(struct reflist *l, struct commit_pool **out, struct err *err);
void reflist_item_free(struct reflist_item *item);
/* The kind of a ref, by its full name. */
unsigned reflist_kind_of(const char *refname);
/*
 * The item for `ref`: a new one if item is NULL, else item itself, of *size bytes, which may
 * move. *size is set.
 */
struct reflist_item *reflist_item_fill(struct reflist_item *item, size_t *size,
				       const struct ref *ref, unsigned kind);
/* A new item at the end. */
struct reflist_item *reflist_append(struct reflist *l, const struct ref *ref, unsigned kind);

/* ---- values of atoms (value.c, contents.c) ---- */

/*
 * Append the text that the atom stands for; *number is set if it is numeric. An atom that
 * does not apply to the item appends nothing.
 */
MUST_USE int ref_atom_value(struct reflist *l, const struct reflist_item *item,
			    const struct ref_atom *a, struct strbuf *out, uint64_t *number,
			    struct err *err);
/* Atoms of commits and tags, after object_facts_content. */
MUST_USE int ref_content_value(struct reflist *l, struct object_facts *f,
			       const struct ref_atom *a, struct strbuf *out, uint64_t *number,
			       struct err *err);

/* ---- sorting (sort.c) ---- */

/* Are refs wanted in the order in which they are read, by name? */
bool reflist_sort_is_natural(const struct reflist *l);
MUST_USE int reflist_sort(struct reflist *l, size_t max, struct err *err);

/* ---- ancestry (history.c) ---- */

/* Does the filter need the history? Then only commits are listed. */
bool reflist_filter_needs_history(const struct reflist_filter *f);
/* Remove what --contains, --merged and so on do not select from l->items[from …). */
MUST_USE int reflist_filter_by_history(struct reflist *l, size_t from,
				       const struct reflist_filter *f, struct err *err);

#endif
