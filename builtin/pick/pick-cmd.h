/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of git-cherry-pick(1) and git-revert(1): pick.c tells the story, options.c reads options, configuration and the
 * file sequencer/opts, steps.c picks one commit after the other, state.c writes the files by which a later command goes on,
 * resume.c does that or gives the sequence up. One pick in memory is sequence/pick.h.
 *
 * All picks up to a stop are made in memory, as one operation: index, files and HEAD change once, and HEAD's log has a line
 * for each commit. At a stop the picks before it are published first, then the one with conflicts; both are sealed together.
 * A hook or an editor sees each pick in index and files, and `git commit`, as a child, makes the commit.
 */
#ifndef BUILTIN_PICK_PICK_CMD_H
#define BUILTIN_PICK_PICK_CMD_H

#include "builtin/builtin.h"
#include "cli/cli.h"
#include "commit/commit.h"
#include "object/message.h"
#include "operation/operation.h"
#include "sequence/pick.h"
#include "sequence/todo.h"
#include "worktree/content-merge.h"
#include "worktree/merge-result.h"

enum pick_mode { PICK_MODE_START, PICK_MODE_CONTINUE, PICK_MODE_SKIP, PICK_MODE_ABORT, PICK_MODE_QUIT };
enum pick_empty { PICK_EMPTY_UNSET, PICK_EMPTY_STOP, PICK_EMPTY_DROP, PICK_EMPTY_KEEP };

struct pick_options {
	int mode; /* enum pick_mode */
	int no_commit, edit /* -1: not given */, signoff, mainline, record_origin, ff, reference;
	int allow_empty, allow_empty_message, keep_redundant, rerere_autoupdate;
	int empty; /* enum pick_empty */
	const char *strategy, *cleanup_name;
	const char *sign_key; /* "" the default key, NULL none */
	struct strvec strategy_options;
};

/* Where a pick in memory began. */
struct pick_mark {
	struct object_id tree; /* its result */
	size_t at;	       /* in the list of commands */
	size_t out_len, dropped_len; /* of the output before it */
};

struct pick_cmd {
	struct repository *r;
	struct command_ctx *ctx;
	bool revert;
	const char *name; /* "cherry-pick" */
	struct pick_options o;
	enum cleanup_mode cleanup;
	char comment_char;
	bool several; /* sequencer/ is there at a stop */
	bool resumed; /* it was there before: --continue, --skip */

	char *branch; /* "refs/heads/x"; NULL: detached */
	struct object_id start; /* HEAD when the sequence began; null: unborn */
	struct todo_list todo;
	struct commit_pool *pool;
	struct strbuf out, dropped; /* for standard output and standard error, once it is true */

	/* ---- steps.c: where HEAD, index and files stand, and where the picks in memory lead ---- */
	struct repo_operation *op;
	struct result_update update;
	bool update_begun;
	struct object_id head, tree;	       /* as published; head null: unborn */
	struct object_id next_head, next_tree; /* in memory */
	struct head_step *steps;
	struct pick_mark *marks; /* beside steps */
	size_t nr_steps, alloc_steps, alloc_marks, out_len_before, dropped_len_before;
	struct merge_trees settings;
	bool keeps_ours; /* the strategy "ours" */
	struct content_merge attributes;
	struct strbuf committer, last_message; /* -n: of the last pick */
	struct object_id last_commit;	       /* the same */
	struct strvec saved; /* words of sequencer/opts, to which options point */
};

/* ---- options.c ---- */
/* Returns the number of arguments that are left, argv[0] included. */
int pick_parse_options(struct pick_cmd *c, int argc, const char **argv);
NORETURN void pick_usage(struct pick_cmd *c);
/* The text of sequencer/opts; "" if all is default. */
void pick_format_options(const struct pick_cmd *c, struct strbuf *out);
MUST_USE int pick_read_saved_options(struct pick_cmd *c, struct err *err);

/* ---- steps.c ---- */
/* Read HEAD: c->start, c->head, c->tree, c->branch. */
MUST_USE int pick_read_head(struct pick_cmd *c, struct err *err);
/* All commands of the list from c->todo.at on. Exit code, or < 0. */
MUST_USE int pick_run_steps(struct pick_cmd *c, struct err *err);
void pick_release_steps(struct pick_cmd *c);
/* Run a git command as a child; its exit code, < 0: it could not be run. */
int pick_run_child(struct pick_cmd *c, const struct strvec *args, bool names_reflog, struct err *err);

/* ---- state.c ---- */
/* CHERRY_PICK_HEAD or REVERT_HEAD, MERGE_MSG and AUTO_MERGE, for a stop at this commit. names_head false: without the first. */
MUST_USE int pick_write_stop(struct pick_cmd *c, const struct object_id *commit, bool names_head, const struct strbuf *message,
			     const struct object_id *tree, struct err *err);
/* CHERRY_PICK_HEAD or REVERT_HEAD alone. */
MUST_USE int pick_write_head(struct pick_cmd *c, const struct object_id *commit, struct err *err);
/* sequencer/: the commands from c->todo.at on. HEAD is, or becomes, c->next_head. */
MUST_USE int pick_write_sequence(struct pick_cmd *c, struct err *err);
/* The same file alone, for a single pick while a sequence waits. */
MUST_USE int pick_write_abort_safety(struct pick_cmd *c, struct err *err);
bool pick_in_progress(const struct pick_cmd *c); /* CHERRY_PICK_HEAD or REVERT_HEAD */

/* ---- resume.c ---- */
MUST_USE int pick_resume(struct pick_cmd *c, struct err *err);

#endif
