/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of git-rebase(1): rebase.c tells the story, options.c reads options and configuration, upstream.c finds the
 * commits between which history moves, list.c makes the list of commands and lets the user edit it, run*.c carries it out,
 * apply.c has git-am(1) do so, resume.c goes on with a rebase or gives it up, stash.c is --autostash. Lists and state files are in
 * sequence/.
 *
 * A rebase, or the part of it up to a stop, is one operation: commits are made in memory, HEAD's log has a line for
 * each, and index and files change once (rebase-run.h).
 */
#ifndef BUILTIN_REBASE_REBASE_CMD_H
#define BUILTIN_REBASE_REBASE_CMD_H

#include "builtin/builtin.h"
#include "history/history.h"
#include "operation/operation.h"
#include "sequence/pick.h"
#include "sequence/rebase-list.h"
#include "sequence/rebase-state.h"
#include "util/strvec.h"

enum rebase_mode {
	REBASE_START,
	REBASE_CONTINUE,
	REBASE_SKIP,
	REBASE_ABORT,
	REBASE_QUIT,
	REBASE_EDIT_TODO,
	REBASE_SHOW_PATCH
};

enum rebase_missing { REBASE_MISSING_IGNORE, REBASE_MISSING_WARN, REBASE_MISSING_ERROR };

struct rebase_cmd_options {
	int mode; /* enum rebase_mode */
	const char *onto;
	int keep_base, verify, quiet, verbose, stat, signoff, committer_date, reset_author, force, apply, merge;
	int interactive, rerere_autoupdate, autosquash, update_refs, autostash, rebase_merges, rebase_cousins;
	int fork_point, root, reschedule, reapply, keep_empty; /* -1: not given */
	int empty_message, preserve; /* the first has no effect, the second is refused */
	const char *empty;
	const char *strategy;
	int ignore_whitespace;
	bool fixes_whitespace; /* commits change even where they stay on the same base */
	struct strvec strategy_options, exec, trailers, apply_options;
	const char *sign_key; /* "" the default key, NULL none */
};

struct rebase_cmd {
	struct repository *r;
	struct command_ctx *ctx;
	struct rebase_cmd_options o;
	struct rebase_state state;
	struct commit_pool *pool;

	/* ---- upstream.c ---- */
	char *upstream_name, *onto_name;
	const char *branch_name; /* as in "Current branch x is up to date." */
	bool switches;		 /* the branch was named */
	struct object_id upstream, head; /* head: where HEAD is; state.orig_head: the tip of the rebased commits */
	char *head_ref;			 /* HEAD's branch; NULL: detached */
	bool has_upstream, has_fork_point;
	struct object_id fork_point;

	struct todo_list list;
	struct strbuf backup;	/* the list as it was made */
	struct strbuf raw_list; /* as the user left it, if it is broken */
	bool list_is_broken, has_missing;
	char *action; /* of the reflog: "rebase" */
	char comment_char;
	enum cleanup_mode cleanup; /* of messages that no editor has shown */
	enum rebase_missing missing;
	bool abbreviates;

	struct repo_operation *waiting; /* stash.c: its names are published, and wait for a seal */
};

/* ---- options.c ---- */
/* Configuration and command line. Returns the number of arguments that are left. */
int rebase_parse_options(struct rebase_cmd *c, int argc, const char **argv);
NORETURN void rebase_usage(void);

/* ---- upstream.c ---- */
/* > 0: an exit code; the reason has been printed. */
MUST_USE int rebase_find_commits(struct rebase_cmd *c, int argc, const char **argv, struct err *err);
/* 1: nothing is to be done. */
int rebase_is_up_to_date(struct rebase_cmd *c, struct err *err);

/* ---- list.c ---- */
/* The picks alone. */
MUST_USE int rebase_make_picks(struct rebase_cmd *c, struct err *err);
/* The list, edited if asked for. > 0: an exit code. */
MUST_USE int rebase_make_list(struct rebase_cmd *c, struct err *err);
/* rebase-merge/git-rebase-todo. > 0: it has errors, which have been printed. */
MUST_USE int rebase_read_list(struct rebase_cmd *c, struct err *err);
MUST_USE int rebase_parse_list(struct rebase_cmd *c, const struct strbuf *text, struct todo_list *out, struct strvec *errors);
void rebase_format_list(struct rebase_cmd *c, const struct todo_list *list, enum todo_names names, struct strbuf *out);
/* The user edits the text. ERR_ABORTED: the editor failed. */
MUST_USE int rebase_edit_text(struct rebase_cmd *c, struct strbuf *text, struct err *err);
int rebase_report_errors(const struct strvec *errors); /* returns 1 */
void rebase_print_how_to_fix(void);
/* rebase.missingCommitsCheck. True: the list must be mended. */
bool rebase_check_missing(struct rebase_cmd *c, const struct todo_list *before, const struct todo_list *after);

/* ---- diffstat.c ---- */
/* from null: the empty tree. */
MUST_USE int rebase_print_diffstat(struct rebase_cmd *c, const struct object_id *from, const struct object_id *to,
				   bool summary, struct err *err);

/* ---- run-child.c ---- */
/* Run the hook post-checkout; nothing depends on it any more. */
void rebase_post_checkout(struct rebase_cmd *c, const struct object_id *from, const struct object_id *to);

/* ---- stash.c ---- */
/*
 * The operation of the next step. One that waits is gone on with, so that its names are sealed together with those of the
 * step. A power cut before that seal leaves what a kill at the same moment leaves, or an earlier moment of it: what --abort
 * needs was published before a file changed or HEAD moved, and an autostash was sealed.
 */
struct repo_operation *rebase_take_operation(struct rebase_cmd *c);
/*
 * The end of a step: publish if rc is 0. The next step goes on with the operation, also after ERR_CONFLICT, which changes nothing.
 * Returns rc, or that of the publish.
 */
MUST_USE int rebase_leave_operation(struct rebase_cmd *c, struct repo_operation *op, int rc, struct err *err);
/* The end of a step that seals, too; after ERR_CONFLICT the next one does. */
MUST_USE int rebase_end_operation(struct rebase_cmd *c, struct repo_operation *op, int rc, struct err *err);
/* The end of the command: seal what waits. Returns rc, or that of the seal if rc is no error. */
MUST_USE int rebase_seal_waiting(struct rebase_cmd *c, int rc, struct err *err);

enum rebase_stash_end { REBASE_STASH_APPLY, REBASE_STASH_STORE };
/* --autostash: local changes go aside before anything else happens. Cost: one flush if there are any; the reset of the files waits. */
MUST_USE int rebase_stash_changes(struct rebase_cmd *c, struct err *err);
/*
 * The last part of an operation: what it holds is published, local changes come back, or go to the list, and the directory
 * of the state goes away. The outcome is printed.
 */
MUST_USE int rebase_end_state(struct rebase_cmd *c, struct repo_operation *op, enum rebase_stash_end how, struct err *err);
/* The rebase has not begun, or there was nothing to do. */
MUST_USE int rebase_unstash_changes(struct rebase_cmd *c, struct err *err);

/* ---- run.c ---- */
/* From the beginning. Exit code, or < 0. */
MUST_USE int rebase_start(struct rebase_cmd *c, struct err *err);

/* ---- apply.c ---- */
/* From the beginning. base: the one merge base of onto and the branch; null: there is none. Exit code, or < 0. */
MUST_USE int rebase_apply_start(struct rebase_cmd *c, const struct object_id *base, struct err *err);
/* --continue, --skip: the index is ready for it. */
MUST_USE int rebase_apply_go_on(struct rebase_cmd *c, struct err *err);

/* ---- resume.c ---- */
MUST_USE int rebase_resume(struct rebase_cmd *c, struct err *err);

#endif
