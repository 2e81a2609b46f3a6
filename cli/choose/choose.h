/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user chooses hunks: "Interactive mode" of git-add(1), for add, commit, checkout, reset, restore and stash. Answers are
 * lines of standard input, so that a script can give them. choose.c is the way through it, choose-diff.c has the differences,
 * choose-file.c asks about the hunks of one file, choose-keys.c does what a key means, choose-edit.c has the editor,
 * choose-apply.c applies the result, choose-input.c reads answers, choose-words.c has the texts.
 *
 *   struct choose_request q = { .repo = r, .target = CHOOSE_STAGE, .context = CONTEXT_OPTION_INIT, .auto_advance = 1 };
 *
 *   return choose_hunks(&q);
 *
 * Durability: all hunks of all files are one operation, as those of `git add` are; files of the working tree are not flushed.
 * Cost:       one flush if the index changes; the differences are found once, in this process.
 * Tests:      t/t3701-add-patch.sh, t/interop/add-patch.py
 */
#ifndef CLI_CHOOSE_CHOOSE_H
#define CLI_CHOOSE_CHOOSE_H

#include "compat/posix.h"
#include "cli/context-option.h"
#include "index/pathspec.h"
#include "operation/operation.h"
#include "repo/repo.h"

enum choose_target {
	CHOOSE_STAGE,	 /* files into the index */
	CHOOSE_STASH,	 /* files into an index that begins as HEAD */
	CHOOSE_RESET,	 /* a tree into the index */
	CHOOSE_CHECKOUT, /* the index into files, or a tree into index and files */
	CHOOSE_WORKTREE, /* a tree into files */
	CHOOSE_SPLIT,	 /* a tree into an index in memory, without edits */
};

struct choose_request {
	struct repository *repo;
	enum choose_target target;
	const char *rev; /* a tree, as the user names it; "HEAD" has words of its own. NULL: the index */
	const struct object_id *tree; /* if the caller knows what rev names; else NULL */
	struct pathspec *ps; /* NULL, or without items: all */
	struct context_option context;
	int auto_advance;
	/*
	 * The result goes to this index, in memory, and its objects to op, which the caller commits. NULL: to that of the
	 * repository, in an operation of its own. For STAGE the changes are those since *into; for STASH they are since `rev`.
	 */
	struct index_state *into;
	struct repo_operation *op;
	struct strbuf *patch; /* gets the patch that was applied to the index; NULL: not wanted */
};

/* Ask, and apply. Returns the exit code; errors have been reported. */
int choose_hunks(const struct choose_request *q);
/* The menu of --interactive, for STAGE. */
int choose_from_menu(const struct choose_request *q);
/* --edit: the differences between index and files are what the user makes of them in an editor. */
int choose_by_editor(const struct choose_request *q);

#endif
