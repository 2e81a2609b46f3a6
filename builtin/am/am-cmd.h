/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of git-am(1): am.c tells the story, options.c reads options and configuration, mails.c takes the series apart,
 * message.c reads a mail, state.c reads and writes the files by which a later command goes on, publish.c makes
 * visible all that is in memory, patch.c applies a patch there, commit.c makes a commit, run.c takes one patch after the other,
 * ask.c asks the user, resume.c goes on or gives up. rebase-commit.c reads a commit of a rebase in place of a mail, rebase.c is
 * the engine of `git rebase --apply`, cmd.c begins and ends what a command holds.
 *
 * All patches up to a stop are applied in memory, as one operation: files, index and HEAD change once, and HEAD's log has a
 * line for each commit. rebase-apply/ is there only if there is a stop, a hook or a prompt:
 *
 *   IN_MEMORY   -- stop, hook, prompt --> BEGUN (rebase-apply/ with all mails, and ORIG_HEAD; published)
 *   BEGUN       -- end -----------------> rebase-apply/ goes
 *   IN_MEMORY   -- end -----------------> HEAD and ORIG_HEAD change, and nothing else has been seen
 *
 * Invariants:
 *   A1  ORIG_HEAD has its value before rebase-apply/next has its name: --abort goes back to it
 *   A2  rebase-apply/next goes before the other files do: a directory without it is no am in progress
 *   A3  files of the working tree change under WORKTREE_UPDATE (worktree/merge-result.h)
 */
#ifndef BUILTIN_AM_AM_CMD_H
#define BUILTIN_AM_AM_CMD_H

#include "apply/apply.h"
#include "builtin/builtin.h"
#include "cli/cli.h"
#include "commit/commit.h"
#include "mail/mail.h"
#include "operation/operation.h"
#include "sequence/rebase-state.h"
#include "util/strvec.h"
#include "worktree/merge-result.h"

enum am_mode {
	AM_START, AM_RETRY, AM_CONTINUE, AM_ALLOW_EMPTY, AM_SKIP, AM_ABORT, AM_QUIT, AM_SHOW
};
enum am_format { AM_FORMAT_UNKNOWN, AM_FORMAT_MBOX, AM_FORMAT_MBOXRD, AM_FORMAT_STGIT, AM_FORMAT_STGIT_SERIES, AM_FORMAT_HG };
enum am_keep { AM_KEEP_NOT, AM_KEEP_ALL, AM_KEEP_NON_PATCH };
enum am_scissors { AM_SCISSORS_UNSET, AM_SCISSORS_OFF, AM_SCISSORS_ON };
enum am_empty { AM_EMPTY_STOP, AM_EMPTY_DROP, AM_EMPTY_KEEP };

/* rebase-apply/ keeps these. */
struct am_settings {
	int threeway, quiet, signoff, utf8, message_id;
	int keep;     /* enum am_keep */
	int scissors; /* enum am_scissors */
	int rerere_autoupdate; /* -1: not given */
	bool has_quoted_cr;
	enum quoted_cr quoted_cr;
	struct strvec apply_options;
};

struct am_options {
	int mode;   /* enum am_mode */
	int format; /* enum am_format */
	int empty;  /* enum am_empty */
	int interactive, no_verify, keep_cr /* -1: as am.keepcr */, signs_off;
	int committer_date_is_author_date, ignore_date, no_op;
	const char *shows; /* "--show-current-patch=diff" */
	const char *resolvemsg;
	const char *sign_key; /* "" the default key, NULL none */
};

/* A mail, as it has been read; it waits in rebase-apply/ as msg, patch, info, final-commit and author-script. */
struct am_mail {
	struct strbuf author, email, date; /* "": not known */
	struct strbuf message;		   /* of the commit */
	struct strbuf body, patch, info;
	struct object_id commit; /* of a rebase; null: none */
	bool has_message; /* final-commit is there */
	bool has_text;	  /* body, patch and info are those of a mail that was read by this command */
};

/* What a stop leaves in index and files. */
struct am_change {
	const struct object_id *tree;
	const struct index_state *stages; /* NULL: no conflicts */
};

struct am_cmd {
	struct repository *r;
	struct command_ctx *ctx;
	struct am_options o;
	struct am_settings s;
	char comment_char;

	bool begun;	  /* rebase-apply/ is there */
	bool index_clean; /* that was checked: patches are applied */
	size_t next, last;
	size_t stopped_at; /* `next` as it was read; 0: it was not */
	struct am_series {
		struct strbuf *texts;
		size_t nr, alloc;
	} mails; /* of a series that has not been written */
	struct am_mail mail; /* the current one */
	bool resumed;	     /* it was there before, with its message */

	/* ---- a rebase ---- */
	bool rebasing;			   /* the mails name commits */
	const struct rebase_state *rebase; /* run by git-rebase(1), which ends it; NULL: not */
	bool detaches;			   /* HEAD leaves its branch with the next publication */
	struct strbuf rewritten;	   /* "OLD NEW" lines */

	/* ---- where HEAD, index and files stand, and where the patches in memory lead ---- */
	struct repo_operation *op;
	struct result_update update;
	bool update_begun;
	struct object_id base_head, base_tree; /* as published; head null: unborn */
	struct object_id head, head_tree;      /* in memory: the last commit */
	struct object_id tree;		       /* on top of it: the current patch, or what the index has */
	struct apply_series series;
	struct head_step *steps;
	size_t nr_steps, alloc_steps;
	struct strbuf committer;
	int code;	    /* exit code of a stop */
};

/* The results of a step, beside errors. */
#define AM_STOPPED 1 /* all has been said; c->code */

/* ---- cmd.c ---- */
void am_cmd_init(struct am_cmd *c, struct command_ctx *ctx);
void am_cmd_release(struct am_cmd *c);

/* ---- options.c ---- */
int am_parse_options(struct am_cmd *c, int argc, const char **argv);
void am_read_config(struct am_cmd *c);
/* Options for git-apply(1) of this patch. < 0: one is bad, which has been said. */
MUST_USE int am_apply_options(struct am_cmd *c, struct apply *a);

/* ---- mails.c ---- */
/* Fills c->mails. AM_STOPPED: it has been said why not. */
MUST_USE int am_read_series(struct am_cmd *c, const char *const *paths, size_t nr, struct err *err);

/* ---- message.c ---- */
/* The name of a file as messages have it, ".git/rebase-apply/patch". Caller frees. */
char *am_path(const struct am_cmd *c, const char *name);
void am_mail_init(struct am_mail *m);
void am_mail_reset(struct am_mail *m);
void am_mail_release(struct am_mail *m);
/* Read the mail with the number c->next. 1: it carries no patch, and is passed over. */
MUST_USE int am_read_mail(struct am_cmd *c, struct err *err);
void am_append_signoff(struct am_cmd *c);
/* The length of the first line of the message. */
int am_subject_len(const struct am_cmd *c);
void am_say(const struct am_cmd *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* ---- state.c ---- */
bool am_in_progress(const struct am_cmd *c);
MUST_USE int am_load(struct am_cmd *c, struct err *err);
/* All of the directory but next and last. */
MUST_USE int am_write_beginning(struct am_cmd *c, struct err *err);
/* next and last: from now on it is in progress. */
MUST_USE int am_write_counts(struct am_cmd *c, struct err *err);
/* The current mail and how far the series has come. */
MUST_USE int am_write_progress(struct am_cmd *c, struct err *err);
MUST_USE int am_remove_state(struct am_cmd *c, struct err *err);
/* Empty, or missing: does the current mail lack a patch? */
bool am_patch_is_empty(const struct am_cmd *c);

/* ---- publish.c ---- */
/* Read HEAD and the index; go on with an operation that has published something, or begin one. */
MUST_USE int am_begin(struct am_cmd *c, struct err *err);
/*
 * Index, files, HEAD and rebase-apply/ become those of the last commit, or of `change` on top of it. It is not sealed: for
 * a hook, or a prompt. am_begin comes next.
 */
MUST_USE int am_publish(struct am_cmd *c, const struct am_change *change, struct err *err);
/* The same, and seal. Nothing of the operation is left. */
MUST_USE int am_publish_stop(struct am_cmd *c, const struct am_change *change, struct err *err);
/* The same after an error, which stays: `code` and *err. */
MUST_USE int am_publish_failure(struct am_cmd *c, const struct am_change *change, int code, struct err *err);
/* Seal what has been published, for a stop that changes nothing more. */
MUST_USE int am_seal(struct am_cmd *c, struct err *err);
/* Are local changes in the way of that tree? ERR_CONFLICT, with the message of git-merge(1). */
MUST_USE int am_check_tree(struct am_cmd *c, const struct object_id *tree, struct err *err);
/* How to go on, and the exit code of a stop. */
int am_advise(struct am_cmd *c);
/* rebase-apply/ and ORIG_HEAD, and that it is in progress; published. */
MUST_USE int am_publish_beginning(struct am_cmd *c, struct err *err);
/*
 * All patches are done: everything changes at once, and is sealed; rebase-apply/ goes. Not that of a rebase: where git-rebase(1)
 * runs it, files and index are only staged, in c->op; else it waits for git-rebase(1).
 */
MUST_USE int am_publish_end(struct am_cmd *c, struct err *err);
void am_release_run(struct am_cmd *c);

/* ---- patch.c ---- */
/*
 * Apply the current patch to c->series, and to c->tree. AM_STOPPED: it does not apply, the stop has been published and
 * reported. AM_ALREADY: nothing changed.
 */
#define AM_ALREADY 2
MUST_USE int am_apply_patch(struct am_cmd *c, struct err *err);
/* The index in memory gets the entries of the tree where they differ. */
MUST_USE int am_follow_tree(struct am_cmd *c, const struct object_id *tree, struct err *err);

/* ---- commit.c ---- */
/* Commit c->tree, with the hooks pre-applypatch and post-applypatch. */
MUST_USE int am_commit(struct am_cmd *c, struct err *err);
/* HEAD becomes that commit, in memory; its tree is c->tree. Takes the line of the reflog over. */
void am_add_step(struct am_cmd *c, const struct object_id *commit, char *log);

/* ---- run.c ---- */
/* All patches from c->next on. Exit code, or < 0. */
MUST_USE int am_run(struct am_cmd *c, bool resumes, struct err *err);
/* The same after a commit, which is in memory; or, if none is, the index must be clean. */
MUST_USE int am_run_on(struct am_cmd *c, struct err *err);
/* The current patch is done. */
void am_advance(struct am_cmd *c);

/* ---- ask.c ---- */
/* Interactive: ask the user about the current patch. *no: not this one. Dies without an answer. */
MUST_USE int am_ask(struct am_cmd *c, bool *no, struct err *err);

/* ---- rebase-commit.c ---- */
/* Fill in the current mail from the commit that its text names; path: of the text. */
MUST_USE int am_read_commit(struct am_cmd *c, const struct strbuf *mail, const char *path, struct err *err);
/* The commit of the current mail has become `to`. */
void am_note_rewritten(struct am_cmd *c, const struct object_id *to);
/* HEAD where it is detached now, and REBASE_HEAD. */
MUST_USE int am_queue_rebase_refs(struct am_cmd *c, struct err *err);

/* ---- resume.c ---- */
MUST_USE int am_resume(struct am_cmd *c, struct err *err);

#endif
