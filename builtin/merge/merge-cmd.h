/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of git-merge(1): merge.c tells the story, options.c reads options and configuration, heads.c finds the commits
 * to merge, message.c makes the message, result.c changes index and files, conclude.c makes the commit or stops before it,
 * plain.c has the strategies without renames, external.c runs programs,
 * resume.c goes on with a merge or gives it up, stash.c is --autostash. The merge of trees is merge/commits.h, the change of files
 * worktree/merge-result.h.
 *
 * One merge is one operation (operation.h): objects, index, refs and state files are sealed together. Hooks and an editor
 * see a merge in progress, published and not sealed, which `git commit` could conclude.
 */
#ifndef BUILTIN_MERGE_MERGE_CMD_H
#define BUILTIN_MERGE_MERGE_CMD_H

#include "builtin/builtin.h"
#include "cli/cli.h"
#include "history/history.h"
#include "merge/commits.h"
#include "object/message.h"
#include "operation/operation.h"
#include "porcelain/merge-message.h"
#include "util/strvec.h"
#include "worktree/merge-result.h"

enum merge_ff { MERGE_FF_ALLOW, MERGE_FF_NEVER, MERGE_FF_ONLY };
enum merge_stat { MERGE_STAT_NONE, MERGE_STAT_FULL, MERGE_STAT_COMPACT };
enum merge_mode { MERGE_MODE_MERGE, MERGE_MODE_ABORT, MERGE_MODE_QUIT, MERGE_MODE_CONTINUE };

struct merge_cmd_options {
	int mode; /* enum merge_mode */
	int ff;	  /* enum merge_ff */
	int stat; /* enum merge_stat */
	int log;  /* subjects in the message at most; 0: none */
	int squash, commit, edit; /* -1: not given */
	int verbosity, progress, signoff, verify, verify_signatures, allow_unrelated, autostash, overwrite_ignore;
	int rerere_autoupdate; /* -1: not given */
	bool ff_given; /* on the command line, or in the configuration */
	struct strvec messages;
	struct strvec strategies, strategy_options;
	struct strvec branch_words; /* branch.*.mergeOptions, to which others point */
	const char *file, *cleanup_name, *into_name;
	const char *sign_key; /* "" the default key, NULL none */
};

/* A commit to merge, and the object that was named. */
struct merge_head {
	char *name;
	struct object_id named; /* the commit, or a tag */
	struct commit *commit;
};

struct merge_heads {
	struct merge_head *items;
	size_t nr, alloc;
};

struct merge_cmd {
	struct repository *r;
	const char *prefix;
	struct merge_cmd_options o;

	char *branch; /* "refs/heads/x"; "HEAD": detached */
	bool unborn;
	struct object_id head, head_tree;
	struct commit_pool *pool;
	struct commit *head_commit;
	struct merge_heads heads;
	bool head_is_ancestor; /* of the heads: it is no parent of an octopus */
	struct commit_list bases;
	char *action; /* of the reflog: "merge x" */
	const char *strategy;

	bool have_message;
	struct strbuf message;
	enum cleanup_mode cleanup;
	char comment_char;

	struct repo_operation *op; /* after the end of a merge: UNSEALED, if an autostash comes back in it */
	struct result_update update;
	bool stashed; /* --autostash has put local changes aside */
	bool stops;   /* the merge stays in progress, or what it has made is to be committed by the user */

	struct merge_result result; /* conflicts and messages; released if has_result */
	bool has_result;
	bool has_told;	 /* the messages of the result have been printed */
	bool in_index;	 /* a merge of resolve or octopus that needs no strategy */
	bool external; /* a program has merged: index and files are its own, and there is no AUTO_MERGE */
	struct strvec rerere_messages; /* for stderr */
};

/* ---- options.c ---- */
/* Configuration, branch.<name>.mergeOptions, command line. Returns the number of arguments that are left. */
int merge_parse_options(struct merge_cmd *m, int argc, const char **argv);
/* NULL: usage. */
extern const char *const merge_usage[];

/* ---- heads.c ---- */
/* > 0: an exit code; the reason has been printed. */
MUST_USE int merge_find_heads(struct merge_cmd *m, int argc, const char **argv, struct err *err);
/* Drop heads that HEAD, or another head, leads to. */
MUST_USE int merge_reduce_heads(struct merge_cmd *m, struct err *err);
/* The name that was given; of a line of FETCH_HEAD the id, until the next oid_hex(). */
const char *merge_head_label(const struct merge_head *h);
void merge_heads_clear(struct merge_heads *h);
/* > 0: a signature is missing or bad; the reason has been printed. */
MUST_USE int merge_verify_signatures(struct merge_cmd *m, struct err *err);

/* ---- message.c ---- */
/* GIT_MERGE_AUTOEDIT, and a terminal on both sides, decide where no option does. */
bool merge_wants_editor(const struct merge_cmd *m);
/* From -m and -F; or from the heads, if a merge commit can come of it. */
MUST_USE int merge_prepare_message(struct merge_cmd *m, struct err *err);
void merge_add_signoff(struct merge_cmd *m, const char *committer);
MUST_USE int merge_squash_message(struct merge_cmd *m, struct strbuf *out, struct err *err);

/* ---- result.c ---- */
/* Locks the index. ERR_CONFLICT: local changes are in the way; the message is Git's. */
MUST_USE int merge_plan_update(struct merge_cmd *m, const struct object_id *from, const struct object_id *to,
			       const struct index_state *stages, struct err *err);
/* One head, by ort: m->result. */
MUST_USE int merge_one_head(struct merge_cmd *m, struct err *err);
/* Several heads. > 0: they cannot be merged; the reason has been printed. */
MUST_USE int merge_octopus(struct merge_cmd *m, struct err *err);

/* ---- conclude.c ---- */
/* ORIG_HEAD, which remembers where HEAD was. */
MUST_USE int merge_queue_orig_head(struct merge_cmd *m, struct err *err);
/* Move HEAD to `to`; `what` goes to the reflog. */
MUST_USE int merge_queue_head(struct merge_cmd *m, const struct object_id *to, const char *what, struct err *err);
/* Make the commit, or stop before it; print the outcome. Exit code, or < 0. */
MUST_USE int merge_conclude(struct merge_cmd *m, struct err *err);
/* MERGE_HEAD, MERGE_MSG, MERGE_MODE; or SQUASH_MSG. */
MUST_USE int merge_write_state(struct merge_cmd *m, struct err *err);
/* After the operation: diffstat, hook post-merge, maintenance. `to` NULL: HEAD has not moved. */
MUST_USE int merge_after(struct merge_cmd *m, const struct object_id *to, struct err *err);

/* ---- result.c: any of ours ---- */
/* ERR_CONFLICT: something is staged, which would become a part of the merge. The index has been read: m->update. */
MUST_USE int merge_check_index(struct merge_cmd *m, struct err *err);
/* m->strategy, one of ours: m->result. > 0: it cannot merge; the reason has been printed. */
MUST_USE int merge_run_strategy(struct merge_cmd *m, struct err *err);
/* Print that no strategy could merge. Returns the exit code. */
int merge_report_failed(const struct merge_cmd *m, struct err *err);

/* ---- plain.c: resolve and octopus ---- */
/* Can the trees be merged without a look into files? m->update has begun. */
MUST_USE int merge_is_simple(struct merge_cmd *m, const struct oid_array *bases, const struct object_id *ours,
			     const struct object_id *theirs, bool *simple, struct err *err);
/* The same of HEAD and one head. ERR_CONFLICT: local changes are in the way; the message is that of git-read-tree(1). */
MUST_USE int merge_is_simple_here(struct merge_cmd *m, bool *simple, struct err *err);
/* What merge-one-file prints where it meets these conflicts. */
void merge_print_by_file(struct merge_result *r);
/* One head and one base, to be committed, by resolve or octopus: the index alone may do. */
bool merge_may_be_trivial(const struct merge_cmd *m);
/* Does it? Prints so, and sets m->in_index. m->update has begun. */
MUST_USE int merge_check_trivial(struct merge_cmd *m, struct err *err);

/* ---- external.c ---- */
/* > 0: a strategy does not exist; that has been printed, with the ones that do. */
MUST_USE int merge_check_strategies(const struct merge_cmd *m);
/* Is one of them a program? */
bool merge_has_external_strategy(const struct merge_cmd *m);
/*
 * The merge by several strategies, or by programs; m->update may have begun. The operation ends before a program runs; m->op may be NULL afterwards.
 *
 * Cost: one flush for an autostash, one for saved local changes, one for the result; and those of the programs.
 */
MUST_USE int merge_by_strategies(struct merge_cmd *m, struct err *err);

/* ---- stash.c ---- */
/* --autostash, before index and files change. > 0: an exit code; the reason has been printed. */
MUST_USE int merge_stash_changes(struct merge_cmd *m, struct err *err);
/* After the operation: local changes come back, unless the merge stops. `code` is the exit code, which is returned unless this fails. */
int merge_unstash_changes(struct merge_cmd *m, int code);
/*
 * The end of a merge that does not stop. If an autostash waits, names are published only, and merge_unstash_changes seals them
 * with the changes that it brings back: the stash costs one flush, all else another one. A power cut in between leaves what a
 * kill at the same moment leaves, or an earlier moment of it: MERGE_AUTOSTASH was sealed before a file changed, and goes last.
 */
MUST_USE int merge_end_operation(struct merge_cmd *m, int rc, struct err *err);

/* ---- resume.c ---- */
int merge_resume(struct merge_cmd *m, struct command_ctx *ctx);

#endif
