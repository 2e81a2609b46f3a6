/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a rebase in progress, in rebase-merge/ or rebase-apply/: what stays the same until it ends. Stock Git reads and
 * writes the same files, so that each can go on with a rebase that the other began.
 *
 * Durability: a file is staged in the operation (repo/state.h).
 * Tests:      t/t7620-rebase.sh, t/t3430-rebase-apply.sh, t/interop/rebase-turns.py
 */
#ifndef SEQUENCE_REBASE_STATE_H
#define SEQUENCE_REBASE_STATE_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "util/strvec.h"

/* What happens to a commit that brings nothing new any more. */
enum rebase_empty { REBASE_EMPTY_STOP, REBASE_EMPTY_DROP, REBASE_EMPTY_KEEP };

#define REBASE_DETACHED "detached HEAD"

struct rebase_state {
	bool applies;	 /* in rebase-apply/: of --apply, which has fewer files */
	char *head_name; /* "refs/heads/x", or REBASE_DETACHED */
	struct object_id onto, orig_head;
	struct object_id squash_onto; /* the empty commit that roots are picked onto; null: none */
	bool quiet, verbose, signoff, reset_author_date, committer_date_is_author_date, reschedule_failed_exec;
	enum rebase_empty empty;
	int rerere_autoupdate; /* -1: not given */
	char *strategy;	       /* NULL: ort */
	struct strvec strategy_options, trailers;
	char *sign_key; /* "": the default key; NULL: commits are not signed */
};
void rebase_state_init(struct rebase_state *s);
void rebase_state_release(struct rebase_state *s);

/*
 * Read a rebase in progress; s->applies says which.
 * Errors: ERR_NOT_FOUND, ERR_CORRUPT "invalid onto: 'x'", "invalid orig-head: 'x'"; "could not read '…'".
 */
MUST_USE int rebase_state_read(struct rebase_state *s, const struct repository *r, struct err *err);
/* Then what only new commits need: options of the strategy, trailers. ERR_CORRUPT: they make no sense. */
MUST_USE int rebase_state_read_commits(struct rebase_state *s, const struct repository *r, struct err *err);
/* Stage all of it. */
MUST_USE int rebase_state_write(const struct rebase_state *s, struct repo_operation *op, struct err *err);
/* Is the branch one of a rebase, and not a detached HEAD? */
bool rebase_state_has_branch(const struct rebase_state *s);

/* ---- the author of the commit at which the rebase stopped: author-script ---- */
/* GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL and GIT_AUTHOR_DATE of an ident line. */
void author_script_format(struct strbuf *out, const char *ident, size_t len);
/* "NAME=value" for each, unquoted. ERR_NOT_FOUND, ERR_CORRUPT. */
MUST_USE int author_script_read(const struct repository *r, struct strvec *env, struct err *err);

#endif
