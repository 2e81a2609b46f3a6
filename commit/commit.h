/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making commits: what commit, commit-tree, stashes and notes share, and what merge, cherry-pick,
 * revert and rebase need. Options, editors, hooks and messages for people belong to the commands.
 *
 *   op = repo_operation_begin(r);
 *   struct new_commit c = { .draft = { .tree = tree, .parents = &head, .nr_parents = 1, … } };
 *   rc = commit_create(op, &c, &oid, err);
 *
 *   commit_reflog_message(&log, "cherry-pick", message, len);
 *   struct head_move m = { .to = &oid, .from = &head, .committer = committer, .reflog = log.buf };
 *   if (!rc)
 *           rc = commit_advance_head(op, &m, NULL, err);
 *   rc = repo_operation_end(op, rc, err);
 *
 * Both are part of the operation: nothing is visible before it commits. It then publishes the commit before
 * HEAD (D4), and seals once. Several commits may be created in one operation, each with the one before as its parent;
 * HEAD is advanced once, to the last one.
 *
 * Errors:     after a failure the operation is to be ended with it: repo_operation_end gives all up.
 * Durability: that of the operation. Cost: no flush of their own.
 * Tests:      t/unit/test-commit.c
 */
#ifndef COMMIT_COMMIT_H
#define COMMIT_COMMIT_H

#include "compat/posix.h"
#include "object/commit.h"
#include "operation/operation.h"

struct new_commit {
	/* Strings are not owned. Without an encoding the commit is UTF-8. gpgsig is ignored. */
	struct commit_draft draft;
	const char *sign_key; /* as signature_make; NULL: not signed */
	/*
	 * Called if a text of the commit that should be UTF-8 is not: it is taken for Latin-1, and
	 * converted. Extra headers stay as they are. May be NULL.
	 */
	void (*warn_not_utf8)(void);
};

/*
 * Write the commit as a new object of the operation; opens the objects of the operation, if need be.
 *
 * Errors: ERR_INVALID  bad settings for signatures
 *         ERR_GENERIC  the commit cannot be composed (a NUL in the message), or was not signed
 *         others       as odb_write
 *         *out is untouched on failure.
 * Cost:   with a signature, a child process.
 */
MUST_USE int commit_create(struct repo_operation *op, const struct new_commit *c, struct object_id *out,
			   struct err *err);

/* For draft.encoding: i18n.commitEncoding; NULL if it is UTF-8, or not set. Belongs to the configuration. */
const char *commit_encoding(const struct repository *r);

/*
 * Append the header that keeps a merged tag to `out`, for draft.extra_headers. Nothing is appended if the tag
 * is not signed. `tag` is the content of the tag object.
 */
void commit_add_mergetag(struct strbuf *out, const char *tag, size_t len, const struct hash_algo *algo);

struct head_step {
	struct object_id to;
	char *reflog;
};

struct head_move {
	const struct object_id *to;
	/* The value that HEAD must have. The null id: HEAD leads to a branch without a commit. */
	const struct object_id *from;
	const char *committer; /* ident line of the log entries */
	const char *reflog;    /* message of the log entries: commit_reflog_message */
	/* Commits between `from` and `to` that have entries of their own; NULL: none */
	const struct head_step *steps;
	size_t nr_steps;
};

/*
 * Queue the move of HEAD: of its branch, or of HEAD itself if it is detached. Both have a log entry. It is
 * queued in the open ref transaction of the operation, or in a new one; *refs (may be NULL) is that
 * transaction, for refs that change together with HEAD. All its log entries are by `committer`.
 *
 * Errors: none but those of queueing. If HEAD has another value, the commit of the operation
 *         returns ERR_CONFLICT, and nothing has happened.
 */
MUST_USE int commit_advance_head(struct repo_operation *op, const struct head_move *m,
				 struct ref_transaction **refs, struct err *err);

/* Append "ACTION: first line of the message". */
void commit_reflog_message(struct strbuf *out, const char *action, const char *message);

#endif
