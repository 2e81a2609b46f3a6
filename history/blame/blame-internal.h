/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of history/blame/. */
#ifndef HISTORY_BLAME_BLAME_INTERNAL_H
#define HISTORY_BLAME_BLAME_INTERNAL_H

#include "compat/posix.h"
#include "diff/text.h"
#include "history/blame/blame.h"

/* ---- blame-files.c ---- */
/* The list of the commit. */
struct blame_file **blame_files_of(struct blame *b, const struct commit *c);
/* The file of that commit, made if it is not there. */
struct blame_file *blame_file_of(struct blame *b, struct commit *c, const char *path);
MUST_USE int blame_load(struct blame *b, struct blame_file *f, struct err *err);
void blame_unload(struct blame_file *f);
/* Give entries, in the order of file_line, to a file; its commit is queued. */
void blame_hand_on(struct blame *b, struct blame_file *to, struct blame_entry *list);
/* Merge two lists that are in the order of file_line. */
struct blame_entry *blame_merge(struct blame_entry *a, struct blame_entry *b);

/* What changed from the tree of the parent to the file's commit, or to the index where there is no commit. Sides are files. */
MUST_USE int blame_diff(struct blame *b, struct blame_file *f, const struct commit *parent, struct diff_queue *q,
			const struct diff_options *o, struct err *err);

/* ---- blame-path.c ---- */
void blame_release_paths(struct blame *b);
/* What a tree has at a path. The trail belongs to the blame; new_trail (or NULL) is to be given to it. */
struct blame_place {
	struct object_id oid;
	unsigned mode;
	const struct blame_trail *trail;
	struct blame_trail *new_trail;
};
struct blame_place blame_place_of(const struct blame_file *f);
void blame_keep_trail(struct blame *b, struct blame_place *place);
/* The path in that tree; `near` is what a similar tree has there. Any thread may call it. ERR_NOT_FOUND. */
MUST_USE int blame_look_up(struct odb *odb, const char *path, const struct object_id *tree, const struct blame_place *near,
			   struct blame_place *out, struct err *err);
/* Are there filters, which tell that commits have not changed the path? */
bool blame_has_filters(struct blame *b, const char *path);
/* By filters, which compare with the first parent. `other`: a parent of c, or a child. */
bool blame_is_certainly_same(struct blame *b, const char *path, const struct commit *c, const struct commit *other);

/* ---- blame-ahead.c ---- */
/* The file of that path in a parent, or a child; *out stays as it is if there is none of that type. */
MUST_USE int blame_find_path(struct blame *b, struct blame_file *f, struct commit *other, struct blame_file **out,
			     struct err *err);
/* Ends the thread, which uses files of the blame. */
void blame_ahead_free(struct blame *b);

/* ---- blame-likeness.c ---- */
struct likeness;
/* Both texts are loaded, and stay. */
struct likeness *likeness_new(const struct blame_file *old, const struct blame_file *new);
void likeness_free(struct likeness *k);
/* Which line of the old text is each new line of that change like? -1: none. out: new_nr numbers. */
void likeness_match(struct likeness *k, const struct text_change *c, ssize_t *out);

/* ---- blame-copies.c ---- */
/* -M and -C: look for the rest of the file's lines in its parents. old[i]: the file in parent i, or NULL. */
MUST_USE int blame_find_copies(struct blame *b, struct blame_file *f, struct commit *const *parents,
			       struct blame_file *const *old, size_t nr, struct err *err);

#endif
