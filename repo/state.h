/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations in progress: the files in the directory of a worktree by which a merge, cherry-pick,
 * revert, rebase, am, bisect or merge of notes goes on in a later command. This is the one table
 * of them. Names that are refs as well come from refs/root-refs.h.
 *
 * Order of publication. After a crash, HEAD, the index and these files have to belong together
 * (P7): the next command continues or aborts. fsync/order.h has three moments for them:
 *
 *   PUBLISH_STATE       after the objects that the files name (D4), before refs and index. A file that begins an
 *                       operation is named here. MERGE_HEAD without conflicts in the index is a merge that
 *                       --abort ends without loss. Conflicts in the index without MERGE_HEAD would become an
 *                       ordinary commit that forgets the merge, without a word. In the same way
 *                       rebase-merge/head-name is there before HEAD is detached: it alone knows the branch.
 *   PUBLISH_FILE_LATE   after the refs, before the index. Progress and ends: a list of commands whose first
 *                       one is done, and removals. A pick whose commit is there and whose line is, too, is done
 *                       twice and found empty. The other order would lose a pick. MERGE_HEAD that outlives its
 *                       commit is harmless, since a redundant parent is left out.
 *
 * WORKTREE_UPDATE is our own: two names of trees. It is there, unsealed, while the files of the working tree
 * change from the first tree to the second, and goes after HEAD and the index have followed
 * (PUBLISH_STATE_END): worktree/merge-result.h.
 *
 * repo_state_stage takes the first moment for a file that is not there yet, since that begins
 * something, and for a file that is there by its flag STATE_IS_PROGRESS.
 *
 * Readers take any content: a file that is missing, too large or malformed counts as absent where
 * no error is documented.
 */
#ifndef REPO_STATE_H
#define REPO_STATE_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "hash/hash.h"
#include "refs/root-refs.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/strbuf.h"

#define STATE_NAMES_OBJECTS 1u /* a root: history/reach */
#define STATE_IS_MESSAGE 2u    /* text of a commit message */
#define STATE_IS_DIR 4u
#define STATE_IS_PROGRESS 8u   /* rewritten as the operation goes on: after the refs */
#define STATE_IS_LIST 16u      /* a line for each commit: may be large */
/* The commands that remove it. */
#define STATE_ENDS_BY_COMMIT 32u
#define STATE_ENDS_BY_SWITCH 64u /* checkout, switch, reset */

#define STATE_GOES_LAST 128u /* removed after the index has changed */

#define STATE_ENDS_BY_BOTH (STATE_ENDS_BY_COMMIT | STATE_ENDS_BY_SWITCH)

/*
 * X(id, name, operation, flags). Removals are staged in this order. `operation` tells a reader of the table what the
 * file belongs to; ANY: a merge, a pick, a revert or a rebase; AM: also a rebase --apply.
 */
/* clang-format off */
#define REPO_STATE_FILES(X) \
	X(CHERRY_PICK_HEAD, REFNAME_CHERRY_PICK_HEAD, PICK, STATE_NAMES_OBJECTS | STATE_ENDS_BY_BOTH) \
	X(REVERT_HEAD, REFNAME_REVERT_HEAD, REVERT, STATE_NAMES_OBJECTS | STATE_ENDS_BY_BOTH) \
	X(MERGE_HEAD, REFNAME_MERGE_HEAD, MERGE, STATE_NAMES_OBJECTS | STATE_ENDS_BY_BOTH) \
	X(MERGE_RR, "MERGE_RR", ANY, STATE_ENDS_BY_SWITCH | STATE_IS_LIST) \
	X(MERGE_MSG, "MERGE_MSG", ANY, STATE_IS_MESSAGE | STATE_ENDS_BY_BOTH) \
	X(MERGE_MODE, "MERGE_MODE", MERGE, STATE_ENDS_BY_BOTH) \
	X(SQUASH_MSG, "SQUASH_MSG", MERGE, STATE_IS_MESSAGE | STATE_ENDS_BY_BOTH) \
	X(AUTO_MERGE, REFNAME_AUTO_MERGE, ANY, STATE_NAMES_OBJECTS | STATE_ENDS_BY_BOTH) \
	X(MERGE_AUTOSTASH, REFNAME_MERGE_AUTOSTASH, MERGE, STATE_NAMES_OBJECTS) \
	X(ORIG_HEAD, REFNAME_ORIG_HEAD, ANY, STATE_NAMES_OBJECTS) \
	X(WORKTREE_UPDATE, "WORKTREE_UPDATE", ANY, STATE_NAMES_OBJECTS | STATE_ENDS_BY_BOTH | STATE_GOES_LAST) \
	X(REBASE_HEAD, REFNAME_REBASE_HEAD, REBASE, STATE_NAMES_OBJECTS) \
	X(REBASE_MERGE, "rebase-merge", REBASE, STATE_IS_DIR) \
	X(REBASE_MERGE_AUTOSTASH, "rebase-merge/autostash", REBASE, STATE_NAMES_OBJECTS) \
	X(REBASE_MERGE_HEAD_NAME, "rebase-merge/head-name", REBASE, 0) \
	X(REBASE_MERGE_ORIG_HEAD, "rebase-merge/orig-head", REBASE, STATE_NAMES_OBJECTS) \
	X(REBASE_MERGE_ONTO, "rebase-merge/onto", REBASE, STATE_NAMES_OBJECTS) \
	X(REBASE_MERGE_INTERACTIVE, "rebase-merge/interactive", REBASE, 0) \
	X(REBASE_MERGE_STOPPED_SHA, "rebase-merge/stopped-sha", REBASE, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS) \
	X(REBASE_MERGE_SQUASH_ONTO, "rebase-merge/squash-onto", REBASE, STATE_NAMES_OBJECTS) \
	X(REBASE_MERGE_AMEND, "rebase-merge/amend", REBASE, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS) \
	X(REBASE_MERGE_TODO, "rebase-merge/git-rebase-todo", REBASE, \
	  STATE_NAMES_OBJECTS | STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(REBASE_MERGE_TODO_BACKUP, "rebase-merge/git-rebase-todo.backup", REBASE, STATE_NAMES_OBJECTS | STATE_IS_LIST) \
	X(REBASE_MERGE_DONE, "rebase-merge/done", REBASE, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(REBASE_MERGE_REWRITTEN_LIST, "rebase-merge/rewritten-list", REBASE, \
	  STATE_NAMES_OBJECTS | STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(REBASE_MERGE_REWRITTEN_PENDING, "rebase-merge/rewritten-pending", REBASE, \
	  STATE_NAMES_OBJECTS | STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(REBASE_MERGE_UPDATE_REFS, "rebase-merge/update-refs", REBASE, \
	  STATE_NAMES_OBJECTS | STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(REBASE_MERGE_MESSAGE, "rebase-merge/message", REBASE, STATE_IS_MESSAGE | STATE_IS_PROGRESS) \
	X(REBASE_MERGE_MESSAGE_SQUASH, "rebase-merge/message-squash", REBASE, STATE_IS_MESSAGE | STATE_IS_PROGRESS) \
	X(REBASE_MERGE_MESSAGE_FIXUP, "rebase-merge/message-fixup", REBASE, STATE_IS_MESSAGE | STATE_IS_PROGRESS) \
	X(REBASE_MERGE_CURRENT_FIXUPS, "rebase-merge/current-fixups", REBASE, \
	  STATE_NAMES_OBJECTS | STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(REBASE_MERGE_AUTHOR_SCRIPT, "rebase-merge/author-script", REBASE, STATE_IS_PROGRESS) \
	X(REBASE_MERGE_PATCH, "rebase-merge/patch", REBASE, STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(REBASE_MERGE_MSGNUM, "rebase-merge/msgnum", REBASE, STATE_IS_PROGRESS) \
	X(REBASE_MERGE_END, "rebase-merge/end", REBASE, STATE_IS_PROGRESS) \
	X(REBASE_MERGE_DROPPED, "rebase-merge/dropped", REBASE, STATE_IS_PROGRESS) \
	X(REBASE_MERGE_REFS_TO_DELETE, "rebase-merge/refs-to-delete", REBASE, STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(REBASE_MERGE_QUIET, "rebase-merge/quiet", REBASE, 0) \
	X(REBASE_MERGE_VERBOSE, "rebase-merge/verbose", REBASE, 0) \
	X(REBASE_MERGE_SIGNOFF, "rebase-merge/signoff", REBASE, 0) \
	X(REBASE_MERGE_IGNORE_DATE, "rebase-merge/ignore_date", REBASE, 0) \
	X(REBASE_MERGE_CDATE, "rebase-merge/cdate_is_adate", REBASE, 0) \
	X(REBASE_MERGE_RESCHEDULE, "rebase-merge/reschedule-failed-exec", REBASE, 0) \
	X(REBASE_MERGE_NO_RESCHEDULE, "rebase-merge/no-reschedule-failed-exec", REBASE, 0) \
	X(REBASE_MERGE_DROP_EMPTY, "rebase-merge/drop_redundant_commits", REBASE, 0) \
	X(REBASE_MERGE_KEEP_EMPTY, "rebase-merge/keep_redundant_commits", REBASE, 0) \
	X(REBASE_MERGE_RERERE, "rebase-merge/allow_rerere_autoupdate", REBASE, 0) \
	X(REBASE_MERGE_STRATEGY, "rebase-merge/strategy", REBASE, 0) \
	X(REBASE_MERGE_STRATEGY_OPTS, "rebase-merge/strategy_opts", REBASE, 0) \
	X(REBASE_MERGE_GPG_SIGN, "rebase-merge/gpg_sign_opt", REBASE, 0) \
	X(REBASE_MERGE_TRAILER, "rebase-merge/trailer", REBASE, 0) \
	X(REBASE_APPLY, "rebase-apply", AM, STATE_IS_DIR) \
	X(REBASE_APPLY_AUTOSTASH, "rebase-apply/autostash", AM, STATE_NAMES_OBJECTS) \
	X(REBASE_APPLY_HEAD_NAME, "rebase-apply/head-name", AM, 0) \
	X(REBASE_APPLY_ORIG_HEAD, "rebase-apply/orig-head", AM, STATE_NAMES_OBJECTS) \
	X(REBASE_APPLY_ONTO, "rebase-apply/onto", AM, STATE_NAMES_OBJECTS) \
	X(REBASE_APPLY_APPLYING, "rebase-apply/applying", AM, 0) \
	X(REBASE_APPLY_REBASING, "rebase-apply/rebasing", AM, 0) \
	X(REBASE_APPLY_THREEWAY, "rebase-apply/threeway", AM, 0) \
	X(REBASE_APPLY_QUIET, "rebase-apply/quiet", AM, 0) \
	X(REBASE_APPLY_SIGN, "rebase-apply/sign", AM, 0) \
	X(REBASE_APPLY_UTF8, "rebase-apply/utf8", AM, 0) \
	X(REBASE_APPLY_KEEP, "rebase-apply/keep", AM, 0) \
	X(REBASE_APPLY_MESSAGE_ID, "rebase-apply/messageid", AM, 0) \
	X(REBASE_APPLY_SCISSORS, "rebase-apply/scissors", AM, 0) \
	X(REBASE_APPLY_QUOTED_CR, "rebase-apply/quoted-cr", AM, 0) \
	X(REBASE_APPLY_RERERE, "rebase-apply/rerere-autoupdate", AM, 0) \
	X(REBASE_APPLY_VERBOSE, "rebase-apply/verbose", AM, 0) \
	X(REBASE_APPLY_SIGNOFF, "rebase-apply/signoff", AM, 0) \
	X(REBASE_APPLY_ALLOW_RERERE, "rebase-apply/allow_rerere_autoupdate", AM, 0) \
	X(REBASE_APPLY_GPG_SIGN, "rebase-apply/gpg_sign_opt", AM, 0) \
	X(REBASE_APPLY_OPTIONS, "rebase-apply/apply-opt", AM, 0) \
	X(REBASE_APPLY_NEXT, "rebase-apply/next", AM, STATE_IS_PROGRESS) \
	X(REBASE_APPLY_LAST, "rebase-apply/last", AM, 0) \
	X(REBASE_APPLY_DIRTY_INDEX, "rebase-apply/dirtyindex", AM, STATE_IS_PROGRESS) \
	X(REBASE_APPLY_INFO, "rebase-apply/info", AM, STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(REBASE_APPLY_MSG, "rebase-apply/msg", AM, STATE_IS_MESSAGE | STATE_IS_PROGRESS) \
	X(REBASE_APPLY_FINAL_COMMIT, "rebase-apply/final-commit", AM, STATE_IS_MESSAGE | STATE_IS_PROGRESS) \
	X(REBASE_APPLY_AUTHOR_SCRIPT, "rebase-apply/author-script", AM, STATE_IS_PROGRESS) \
	X(REBASE_APPLY_PATCH, "rebase-apply/patch", AM, STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(REBASE_APPLY_ABORT_SAFETY, "rebase-apply/abort-safety", AM, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS) \
	X(REBASE_APPLY_ORIGINAL_COMMIT, "rebase-apply/original-commit", AM, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS) \
	X(REBASE_APPLY_REWRITTEN, "rebase-apply/rewritten", AM, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(SEQUENCER, "sequencer", PICK, STATE_IS_DIR) \
	X(SEQUENCER_HEAD, "sequencer/head", PICK, STATE_NAMES_OBJECTS) \
	X(SEQUENCER_OPTS, "sequencer/opts", PICK, 0) \
	X(SEQUENCER_TODO, "sequencer/todo", PICK, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(SEQUENCER_ABORT_SAFETY, "sequencer/abort-safety", PICK, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS) \
	X(BISECT_LOG, "BISECT_LOG", BISECT, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS | STATE_IS_LIST) \
	X(BISECT_ANCESTORS_OK, "BISECT_ANCESTORS_OK", BISECT, 0) \
	X(BISECT_NAMES, "BISECT_NAMES", BISECT, 0) \
	X(BISECT_FIRST_PARENT, "BISECT_FIRST_PARENT", BISECT, 0) \
	X(BISECT_RUN, "BISECT_RUN", BISECT, 0) \
	X(BISECT_START, "BISECT_START", BISECT, 0) \
	X(BISECT_TERMS, "BISECT_TERMS", BISECT, 0) \
	X(BISECT_EXPECTED_REV, REFNAME_BISECT_EXPECTED_REV, BISECT, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS) \
	X(BISECT_HEAD, REFNAME_BISECT_HEAD, BISECT, STATE_NAMES_OBJECTS | STATE_IS_PROGRESS) \
	X(NOTES_MERGE_PARTIAL, REFNAME_NOTES_MERGE_PARTIAL, NOTES_MERGE, STATE_NAMES_OBJECTS) \
	X(NOTES_MERGE_REF, REFNAME_NOTES_MERGE_REF, NOTES_MERGE, 0) \
	X(NOTES_MERGE_WORKTREE, "NOTES_MERGE_WORKTREE", NOTES_MERGE, STATE_IS_DIR)
/* clang-format on */

#define REPO_STATE_ID(id, name, operation, flags) STATE_##id,
enum repo_state_file { REPO_STATE_FILES(REPO_STATE_ID) REPO_STATE_NR };
#undef REPO_STATE_ID

const char *repo_state_name(enum repo_state_file f);
unsigned repo_state_flags(enum repo_state_file f);

/*
 * CHERRY_PICK_HEAD and other root refs are files only where root refs are: else they are refs in tables (refs/reftable/),
 * which readers find there. Writers add them to the ref transaction of the operation.
 */
bool repo_state_is_stored_ref(const struct repository *r, enum repo_state_file f);

/* ---- readers ---- */
/* Caller frees. */
char *repo_state_path(const struct repository *r, enum repo_state_file f);
bool repo_state_exists(const struct repository *r, enum repo_state_file f);
/*
 * The whole text, appended. ERR_NOT_FOUND, ERR_IO; ERR_TOO_BIG: more than 256 MiB of a message, 64 MiB of a list,
 * 1 MiB of another file.
 */
MUST_USE int repo_state_read(const struct repository *r, enum repo_state_file f, struct strbuf *out, struct err *err);
/* The first line without white space at its end; NULL if there is none. Caller frees. */
char *repo_state_line(const struct repository *r, enum repo_state_file f);
/* The same in the directory of another worktree. */
bool repo_state_exists_in(const char *gitdir, enum repo_state_file f);
MUST_USE int repo_state_read_in(const char *gitdir, enum repo_state_file f, struct strbuf *out, struct err *err);
char *repo_state_line_in(const char *gitdir, enum repo_state_file f);
/* The object name in the first line. False: there is none. */
bool repo_state_oid(const struct repository *r, enum repo_state_file f, struct object_id *oid);
/*
 * The object name in each line, appended. ERR_CORRUPT, "Corrupt MERGE_HEAD file (LINE)": a line holds something else;
 * ERR_NOT_FOUND; ERR_IO.
 */
MUST_USE int repo_state_oids(const struct repository *r, enum repo_state_file f, struct oid_array *out,
			     struct err *err);
/* Calls fn for each full object name in the text that is a word of its own. Stops at a non-zero result, and returns it. */
int repo_state_foreach_oid(const struct hash_algo *algo, const char *text,
			   int (*fn)(void *data, const struct object_id *oid), void *data);

/* ---- writers: used by operation/, which all others call ---- */
/*
 * Stage the file with that text, and its directory if it is missing.
 *
 * Durability: that of the batch. Order: see above. Cost: no flush of its own.
 * Errors:     ERR_EXISTS, ERR_IO: nothing is staged, and no temporary file stays.
 */
MUST_USE int repo_state_stage(const struct repository *r, struct fsync_batch *b, enum repo_state_file f,
			      const char *text, size_t len, struct err *err);
/*
 * Stage a file of that name in a directory of the table (a mail in REBASE_APPLY, a note in
 * NOTES_MERGE_WORKTREE), which is made if it is missing. It begins something.
 */
MUST_USE int repo_state_stage_in(const struct repository *r, struct fsync_batch *b, enum repo_state_file dir,
				 const char *name, const char *text, size_t len, struct err *err);
/*
 * Stage the removal of the file, or of the directory with all that is in it, after the refs. A missing one is fine.
 */
MUST_USE int repo_state_stage_removal(const struct repository *r, struct fsync_batch *b, enum repo_state_file f,
				      struct err *err);

#endif
