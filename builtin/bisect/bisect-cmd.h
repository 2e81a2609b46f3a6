/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-bisect(1). The state is that of stock Git: refs/bisect/TERM-NEW, refs/bisect/TERM-OLD-OID, refs/bisect/skip-OID, and
 * the files BISECT_* (repo/state.h). Each can go on with a bisection that the other has begun.
 *
 * A step is planned first: marks, lines of the log, and the commit to test next are found, while nothing changes. Then one
 * operation changes all of it, files of the working tree included (bisect_step_run).
 *
 *	bisect_read(&b, err)                  the state so far
 *	bisect_mark(&b, "bad", &oid)          more is known
 *	bisect_plan_next(&b, &outcome, err)   the commit to test
 *	bisect_step_run(&b)                   one operation, one flush
 *
 * If the commit cannot be checked out because of local changes, the marks are recorded all the same, by an operation without
 * the checkout: `git bisect next` tries again.
 */
#ifndef BUILTIN_BISECT_BISECT_CMD_H
#define BUILTIN_BISECT_BISECT_CMD_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "operation/operation.h"
#include "util/strvec.h"

/* Exit codes; the last two are not. */
enum bisect_outcome {
	BISECT_OK = 0,
	BISECT_FAILED = 1,
	BISECT_ONLY_SKIPPED = 2,
	BISECT_BAD_MERGE_BASE = 3,
	BISECT_NO_COMMIT = 4,
	BISECT_FOUND = 300,	 /* exit code 0 */
	BISECT_TEST_MERGE_BASE,	 /* exit code 0 */
};
int bisect_exit_code(int outcome);

struct bisect_mark {
	char *ref;
	struct object_id oid;
};

struct bisect {
	struct command_ctx *ctx;
	struct repository *r;
	/* known */
	bool has_terms, no_checkout, first_parent, ancestors_ok, has_bad;
	char *term_bad, *term_good;
	struct object_id bad;
	struct oid_array good, skipped; /* sorted */
	struct strvec paths;
	/* planned */
	bool is_new;	    /* a bisection begins: all files are written */
	char *start_head;   /* for BISECT_START */
	char *names;	    /* for BISECT_NAMES */
	bool writes_terms, forgets_expected, has_next;
	struct bisect_mark *marks;
	size_t nr_marks, alloc_marks;
	struct strbuf log; /* for the end of BISECT_LOG */
	struct object_id next;
};

/* ---- bisect-state.c ---- */
void bisect_init(struct bisect *b, struct command_ctx *ctx);
void bisect_release(struct bisect *b);
bool bisect_in_progress(const struct bisect *b);
/* BISECT_FAILED: no bisection is in progress, and that is reported. */
int bisect_require_start(const struct bisect *b);
/* Words that are quoted for a shell, or plain ones if these are taken, with blanks between them. False: a word is something else. */
bool bisect_dequote(const char *text, bool takes_plain, struct strvec *out);
MUST_USE int bisect_read(struct bisect *b, struct err *err);
void bisect_set_terms(struct bisect *b, const char *bad, const char *good);
/* "[OID] subject" */
void bisect_add_commit_name(struct bisect *b, const struct object_id *oid, struct strbuf *out);
/* state: a term, or "skip". with_command: the line "git bisect STATE OID", too. */
void bisect_mark(struct bisect *b, const char *state, const struct object_id *oid, bool with_command);
/* Another commit than the expected one has been marked: ancestors are checked again. */
void bisect_forget_expected(struct bisect *b, const struct object_id *marked);
/* All that is planned. Returns the exit code. */
int bisect_step_run(struct bisect *b);
/* The end of a bisection: all state goes. */
MUST_USE int bisect_queue_removal(struct bisect *b, struct repo_operation *op, struct err *err);

/* ---- bisect-next.c ---- */
/* The outcome is printed. < 0: a failure of the system. */
MUST_USE int bisect_plan_next(struct bisect *b, enum bisect_outcome *out, struct err *err);
/* If both ends are known, else says that we wait for them. Then runs the step. Returns an outcome. */
int bisect_auto_next(struct bisect *b);
/* The same: waits, or goes on even without a good commit. */
int bisect_take_step(struct bisect *b, bool waits);
/* The first bad commit, as git-diff-tree(1) shows it. */
void bisect_show_found(struct bisect *b);

/* ---- bisect-mark.c ---- */
/* `git bisect STATE [REV...]`. Returns an outcome. */
int bisect_state_cmd(struct bisect *b, const char *state, int argc, const char **argv);
int bisect_skip_cmd(struct bisect *b, int argc, const char **argv);
/* -1: the terms of this bisection are others, which has been reported. */
int bisect_check_terms(struct bisect *b, const char *state);
bool bisect_is_common_term(const char *name);
/* `git bisect terms [--term-good | --term-bad]` */
int bisect_terms_cmd(struct bisect *b, int argc, const char **argv);

/* ---- bisect-start.c ---- */
int bisect_start_cmd(struct bisect *b, int argc, const char **argv);
int bisect_reset_cmd(struct bisect *b, const char *commit);

/* ---- bisect-replay.c ---- */
int bisect_replay_cmd(struct bisect *b, const char *file);

/* ---- bisect-run.c ---- */
int bisect_run_cmd(struct bisect *b, const char **argv);

#endif
