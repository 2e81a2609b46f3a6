/* SPDX-License-Identifier: GPL-2.0-only */
/* One walk for untracked files while it runs; what the files of dir share. */
#ifndef WORKTREE_DIR_INTERNAL_H
#define WORKTREE_DIR_INTERNAL_H

#include "util/strbuf.h"
#include "worktree/worktree.h"

#define DENTS_BYTES ((size_t)32 * 1024)

struct walker {
	struct repository *r;
	const struct index_state *ix;
	struct ignore *ig;
	const struct pathspec *ps;
	enum untracked_mode mode;
	unsigned flags;
	bool want_ignored, matching;
	dirwalk_fn fn;
	void *data;
	struct strbuf path; /* of the directory: "" or "a/b/"; names are appended */
	char *dents; /* buffer for reading one directory at a time */
};

/* ---- one directory's names (dir-names.c) ---- */

struct name_item {
	size_t at, len; /* in `text`; directories with '/' */
	bool is_dir;
};
struct names {
	struct strbuf text;
	struct name_item *items;
	size_t nr, alloc;
	bool has_dot_git;
};
#define NAMES_INIT { STRBUF_INIT, NULL, 0, 0, false }

void dir_names_release(struct names *n);
void dir_names_sort(struct names *n);
/* The names in the directory w->path, not sorted; keep (may be NULL) selects names. */
int walker_read_names(struct walker *w, struct names *n,
		      bool (*keep)(void *data, const char *name, bool is_dir), void *data);
/* Append the name to w->path; the caller cuts it off again. */
void walker_push(struct walker *w, const struct names *n, const struct name_item *it);

/* ---- rules for w->path (dir-names.c) ---- */

/* A directory is matched as "dir/": globs must match the slash as well. */
bool walker_path_matches(const struct walker *w);
enum pathspec_match walker_match_below(const struct walker *w);
/* Can a directory without tracked files be skipped because of the pathspec? */
bool walker_is_excluded(const struct walker *w);
bool walker_is_ignored(const struct walker *w, bool is_dir);
/* The directory w->path, of which ".git" has been seen: a repository of its own? */
bool walker_is_nested_repository(struct walker *w);
/* ls-files -i without --no-empty-directory lists all that is ignored, empty or not. */
bool walker_wants_all_ignored(const struct walker *w);
int walker_emit(struct walker *w, bool is_dir, enum dirwalk_kind kind);

/* ---- untracked files (dir-untracked.c) ---- */

int walker_show_file(struct walker *w, bool in_ignored);
int walker_show_untracked_dir(struct walker *w, bool in_ignored);

#endif
