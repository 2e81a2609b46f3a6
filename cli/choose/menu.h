/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the menu: menu.c has its commands, menu-list.c lets the user choose from a list, menu-files.c finds files and
 * their numbers of lines, menu-change.c changes the index.
 */
#ifndef CLI_CHOOSE_MENU_H
#define CLI_CHOOSE_MENU_H

#include "compat/posix.h"
#include "cli/choose/choose-internal.h"

/* Lines added and deleted on one side. */
struct changed_lines {
	bool seen, binary;
	char added[24], deleted[24];
};

struct changed_file {
	char *path;
	bool unmerged, untracked;
	struct changed_lines index, files;
	/* set while entries go back to HEAD */
	bool in_head_differs;
	unsigned head_mode; /* 0: HEAD has no such file */
	struct object_id head_oid;
};

struct changed_files {
	struct changed_file *items;
	size_t nr, alloc;
};

struct menu {
	const struct choose_request *q;
	struct repository *repo;
	struct choose_colors colors;
	struct object_id head_tree;
	struct strbuf answer;
	bool told_conflicts;
	/* while files are looked for */
	struct index_state own_ix, *ix;
	struct converter *conv;
};

/* ---- menu-list.c ---- */

/* Files with their changes, or words in columns. */
struct menu_list {
	const struct changed_files *files;
	const char *const *words; /* one of them is chosen */
	size_t nr_words;
	const char *prompt;
	bool immediate; /* one line is enough, understood or not */
};
#define MENU_NONE (-1)
#define MENU_ENDED (-2) /* the input has ended */

void menu_print_list(const struct menu *m, const struct menu_list *l, const bool *marked);
/* Words: the index of one, or MENU_*. Files: how many are marked, or MENU_*. */
ssize_t menu_choose(struct menu *m, const struct menu_list *l, bool *marked);

/* ---- menu-files.c ---- */

enum changed_where { CHANGED_ANYWHERE, CHANGED_IN_FILES, CHANGED_IN_INDEX };

MUST_USE int menu_begin(struct menu *m, struct err *err);
void menu_release(struct menu *m);
/* Sorted by path. False: it failed, and the message has been printed. */
bool menu_find_changes(struct menu *m, enum changed_where where, struct changed_files *out);
bool menu_find_untracked(struct menu *m, struct changed_files *out);
void changed_files_clear(struct changed_files *files);
/* Drop files that are not marked. */
void changed_files_keep(struct changed_files *files, const bool *marked);
/* Patterns that match these paths, and nothing else. */
void changed_files_as_pathspec(const struct menu *m, const struct changed_files *files, struct pathspec *ps);
/* The staged changes of these files, as git diff --cached has them. */
void menu_show_diff(struct menu *m, const struct changed_files *files);

/* ---- menu-change.c ---- */

/* Each is one operation, unless the request has an index of its own. */
MUST_USE int menu_stage_files(struct menu *m, const struct changed_files *files, struct err *err);
MUST_USE int menu_unstage_files(struct menu *m, const struct changed_files *files, struct err *err);

#endif
