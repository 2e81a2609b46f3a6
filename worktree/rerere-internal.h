/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of rerere share this: rerere-cache.c keeps rr-cache and MERGE_RR; rerere.c records and replays; rerere-lists.c. */
#ifndef WORKTREE_RERERE_INTERNAL_H
#define WORKTREE_RERERE_INTERNAL_H

#include "compat/posix.h"
#include "attr/attr.h"
#include "merge/rerere-text.h"
#include "worktree/rerere.h"

#define RERERE_FILE_MAX ((size_t)1 << 30)
#define RERERE_NEW (-1) /* no variant yet */

/* A conflict of the merge in progress. */
struct rerere_item {
	char *path;
	struct object_id id;
	int variant;
	bool done; /* it leaves MERGE_RR */
};

struct rerere_list {
	struct rerere_item *items; /* sorted by path */
	size_t nr, alloc;
};
#define RERERE_LIST_INIT { NULL, 0, 0 }

/* ---- MERGE_RR ---- */
/* ERR_CORRUPT. A missing file is an empty list. */
MUST_USE int rerere_list_read(struct rerere_list *l, const struct repository *r, struct err *err);
/* Does nothing if the file says the same. */
MUST_USE int rerere_list_write(const struct rerere_list *l, struct repo_operation *op, struct err *err);
struct rerere_item *rerere_list_find(const struct rerere_list *l, const char *path);
/* The item of that path, which gets that id and variant. */
struct rerere_item *rerere_list_put(struct rerere_list *l, const char *path, const struct object_id *id, int variant);
void rerere_list_remove(struct rerere_list *l, struct rerere_item *item);
void rerere_list_release(struct rerere_list *l);

/* ---- rr-cache ---- */
enum rerere_image { RERERE_PREIMAGE, RERERE_POSTIMAGE, RERERE_THISIMAGE, RERERE_IMAGES };
/* Caller frees. */
char *rerere_image_path(const struct repository *r, const struct rerere_item *item, enum rerere_image image);
bool rerere_has_image(const struct repository *r, const struct rerere_item *item, enum rerere_image image);
MUST_USE int rerere_image_read(const struct repository *r, const struct rerere_item *item, enum rerere_image image,
			       struct strbuf *out, struct err *err);
MUST_USE int rerere_image_stage(struct repo_operation *op, const struct rerere_item *item, enum rerere_image image,
				const struct strbuf *text, struct err *err);
/* Removes the files of the variant at once, and the directory if it is empty then. */
void rerere_variant_remove(const struct repository *r, const struct rerere_item *item);
/* One more than the highest number of a variant of that id on disk; 0: there is none. */
int rerere_variants_end(const struct repository *r, const struct object_id *id);

/* ---- files ---- */
struct rerere_files {
	struct repository *r;
	struct attrs *attrs; /* "conflict-marker-size" */
};
MUST_USE int rerere_files_open(struct rerere_files *f, struct repository *r, const struct index_state *ix, struct err *err);
void rerere_files_close(struct rerere_files *f);
/* ERR_INVALID, ERR_IO: "could not open 'x'". Links are not followed. */
MUST_USE int rerere_file_read(const struct rerere_files *f, const char *path, struct strbuf *out, struct err *err);
/* As rerere_normalize. */
int rerere_file_normalize(const struct rerere_files *f, const char *path, const struct strbuf *text, struct strbuf *out,
			  struct object_id *id);
/*
 * Finds a variant of the item's id whose recorded resolution can be applied to the normalized text, sets item->variant
 * and appends the outcome to `out`. False: there is none.
 */
bool rerere_find_resolution(const struct repository *r, struct rerere_item *item, const struct strbuf *text,
			    struct strbuf *out);

/* The entries of a path from `i` on, which have stages. Are both sides regular files? */
bool rerere_can_track(const struct index_state *ix, size_t i);
size_t rerere_next_path(const struct index_state *ix, size_t i);

#endif
