/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of a rebase, before anyone edits them: git-rebase(1), "INTERACTIVE MODE", "REBASING MERGES".
 *
 *   rebase_list_make(&list, &o, &skipped, err)     picks; with --rebase-merges labels, resets and merges
 *   rebase_list_update_refs(&list, r, …, err)      --update-refs
 *   rebase_list_autosquash(&list, o.pool, err)     --autosquash
 *   rebase_list_exec(&list, r, &commands)          --exec
 *
 * Tests: t/t7620-rebase.sh, t/t7621-rebase-interactive.sh
 */
#ifndef SEQUENCE_REBASE_LIST_H
#define SEQUENCE_REBASE_LIST_H

#include "compat/posix.h"
#include "history/history.h"
#include "sequence/todo.h"

struct rebase_list_options {
	struct repository *r;
	const struct object_id *upstream; /* NULL: all commits, down to the roots */
	const struct object_id *onto, *head;
	const struct object_id *fork_point; /* commits that it leads to are left out; NULL: none */
	const char *format;		    /* rebase.instructionFormat */
	bool reapply_cherry_picks, drop_empty;
	bool empty_is_same; /* upstream has an empty commit if it has any */
	bool rebase_merges, rebase_cousins, roots_onto; /* roots_onto: of --root with --onto */
};

/*
 * Append the commands to `list`. `skipped`: the commits that upstream has already.
 * Errors: those of the walk; ERR_INVALID: the format.
 */
MUST_USE int rebase_list_make(struct todo_list *list, const struct rebase_list_options *o, struct oid_array *skipped,
			      struct err *err);
/* Behind each commit to which branches lead: update-ref. head_name is left out, `in_use` says which others are. */
MUST_USE int rebase_list_update_refs(struct todo_list *list, struct repository *r, const char *head_name,
				     struct err *err);
/* Move fixup!, squash! and amend! commits behind their targets. */
MUST_USE int rebase_list_autosquash(struct todo_list *list, struct repository *r, struct err *err);
/* Behind each commit, with its fixups: exec. */
void rebase_list_exec(struct todo_list *list, struct repository *r, const struct strvec *commands);

/* ---- the list in the editor ---- */
struct rebase_help {
	char comment_char;
	const char *shown_range, *shown_onto; /* NULL: a rebase in progress, --edit-todo */
	size_t nr_commands;
	bool lines_must_stay; /* rebase.missingCommitsCheck=error */
};
/* Append the explanation of the commands, as comments. */
void rebase_list_help(struct strbuf *out, const struct rebase_help *h);
/*
 * The commits that are in `before`, and no longer in `after`: oids, and in util of `lines` nothing. Newer ones first.
 */
void rebase_list_missing(const struct todo_list *before, const struct todo_list *after, struct repository *r,
			 struct strvec *lines);

/* ---- for the files of this room ---- */
/* "# subject", by the format. */
struct pretty;
MUST_USE int rebase_list_subject(struct pretty *p, struct commit_pool *pool, struct commit *c, struct strbuf *out,
				 struct err *err);
/* The same tree as the first parent has? 1, 0, < 0. */
int rebase_commit_is_empty(const struct repository *r, struct commit_pool *pool, struct commit *c, struct err *err);
/* The list with the items in another order, and new ones. Takes the items over. */
void rebase_list_set(struct todo_list *list, struct todo_list *from);
/* Append a copy of the item. */
void rebase_list_copy(struct todo_list *to, struct repository *r, const struct todo_list *from,
		      const struct todo_item *item);
void rebase_list_add_comment(struct todo_list *list, struct repository *r, const char *text);

#endif
