/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * References: the public face. Formats and places: gitrepository-layout(5),
 * names: git-check-ref-format(1). Nothing here prints, exits or dies.
 */
#ifndef REFS_REFS_H
#define REFS_REFS_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "hash/hash.h"
#include "object/object.h"
#include "util/date.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/string-list.h"
#include "util/strvec.h"

struct ref_store;
struct ref_backend; /* where refs live: refs/files/ has one */

enum reflog_policy { REFLOG_UNSET, REFLOG_NONE, REFLOG_NORMAL, REFLOG_ALWAYS };

/* How tables are written and merged: reftable.*, git-config(1). 0: the default. */
struct ref_table_options {
	uint32_t block_size;
	unsigned restart_interval, geometric_factor;
	bool no_object_index;
};

struct ref_store_options {
	const struct ref_backend *backend;
	const char *gitdir;    /* worktree-private refs: HEAD, refs/bisect, … */
	const char *commondir; /* shared refs, logs */
	const struct hash_algo *algo;
	const struct object_source *objects; /* for peeling and checks; may be NULL */
	bool objects_elsewhere; /* GIT_OBJECT_DIRECTORY: not all that refs name need be there */
	int shared_perm;
	enum reflog_policy reflogs; /* core.logAllRefUpdates; UNSET: NORMAL unless bare */
	bool bare;
	long lock_timeout_ms;	    /* of one ref: core.filesRefLockTimeout, 100; of a list of tables: reftable.lockTimeout, 100 */
	long table_lock_timeout_ms; /* of a file with many refs: core.packedRefsTimeout, 1000 */
	struct ref_table_options tables;
};
MUST_USE int ref_store_open(struct ref_store **out, const struct ref_store_options *o,
			    struct err *err);
void ref_store_free(struct ref_store *rs);
/*
 * P6: finish the transaction that a kill or a power cut has left half done, if there is one.
 * Call it before reading; transactions do it themselves. If it cannot be done now, nothing
 * happens. The store's `warn` reports the result.
 *
 * Durability: what it does is sealed. Cost: one lstat if there is nothing to do.
 */
void refs_finish_interrupted(struct ref_store *rs, const struct fsync_policy *policy);
/* Where "ignoring broken ref …" and the like go; NULL: nowhere, the default. */
void ref_store_set_warn(struct ref_store *rs, void (*warn)(void *data, const char *msg),
			void *data);

/* A file or directory below a gitdir. */
struct ref_path {
	const char *path;
	bool is_tree; /* refs are in files below it, also behind symbolic links */
	/* It is replaced by a rename. A process that may open only certain files needs its directory. */
	bool is_replaced;
};
/* The places from which refs are read. An entry without a path ends the list. */
const struct ref_path *refs_paths(const struct ref_store *rs);

/* A HEAD without a value yet: of a worktree that is being made, and of each repository that has its refs in tables. */
#define REF_HEAD_STUB "ref: refs/heads/.invalid\n"

/* What a new repository has for its refs, before the first of them. */
struct ref_layout {
	const char *const *dirs; /* below the gitdir; NULL ends the list */
	/*
	 * The text of the file HEAD that makes the directory a repository, where the ref HEAD is elsewhere. NULL: the file is
	 * the ref.
	 */
	const char *head_stub;
	const char *file, *file_text; /* one more file, which tells a Git that does not know the format; NULL: none */
};
const struct ref_layout *refs_layout(const struct ref_backend *backend);
const struct ref_backend *refs_backend(const struct ref_store *rs);
/* As extensions.refStorage has it. */
const char *ref_backend_name(const struct ref_backend *backend);

/*
 * The file with many refs of a repository without a server program, for a client that can only read and replace
 * files.
 */
struct ref_table_format {
	const char *path; /* below the gitdir */
	size_t bytes_max; /* larger ones are refused */
	/* Calls fn for each ref. ERR_CORRUPT: the file is damaged. */
	int (*foreach)(const struct strbuf *text, const struct hash_algo *algo,
		       void (*fn)(void *data, const char *name, const struct object_id *oid), void *data,
		       struct err *err);
	/* Appends the text without the refs for which drop is true. Returns whether one was dropped. */
	bool (*without)(const struct strbuf *text, const struct hash_algo *algo,
			bool (*drop)(void *data, const char *name), void *data, struct strbuf *out);
};
/* NULL: the format has no such file. */
const struct ref_table_format *refs_table_format(const struct ref_backend *backend);

/*
 * The reference-transaction hook, githooks(5), which the layers above know how to run. It
 * is called with a state, "prepared", "committed" or "aborted", and the lines of its
 * input, one per update: "OLD SP NEW SP REF LF", where OLD and NEW are object names
 * (null: not checked, deleted, or only verified) or "ref:TARGET". A negative value
 * for "prepared" ends the transaction.
 */
struct ref_hook {
	bool (*is_there)(void *data);
	int (*run)(void *data, const char *state, const char *lines, struct err *err);
	void *data;
};
/* Copied; data must outlive the store's transactions. */
void ref_store_set_hook(struct ref_store *rs, const struct ref_hook *hook);

/* Ids of the linked worktrees (the directories in worktrees/), sorted. None is fine. */
MUST_USE int worktree_ids(const char *commondir, struct string_list *out, struct err *err);
/* Makes the text a component that a refname may have: what must not be in one becomes '-', or goes. For a new id. */
void ref_name_make_component(struct strbuf *name);

/* ---- names ---- */
#define REFNAME_ALLOW_ONELEVEL 1u
#define REFNAME_REFSPEC_PATTERN 2u /* one '*' */
bool refname_is_valid(const char *name, unsigned flags);
/*
 * The same for many names, one after the other: what they have in common with the last valid name, up to a '/', is checked
 * once. *dir, empty at first, keeps it.
 */
bool refname_is_valid_after(struct strbuf *dir, const char *name, size_t len, unsigned flags);
/* An order in which a name is followed directly by all names below it: '/' is the lowest character. */
int refname_tree_cmp(const char *a, const char *b);
/* Collapse slashes as check-ref-format --normalize; false if invalid after it. */
bool refname_normalize(struct strbuf *out, const char *name, unsigned flags);
/*
 * Valid, or valid after "worktrees/ID/", where ID may be any directory name, since older
 * versions of Git allow spaces and the like in it. Names of other files of a repository
 * ("commondir", "objects/x") are not usable.
 */
bool refname_is_usable(const char *name);
/* Is it safe to read or delete, even if malformed (no ".." climbing)? */
bool refname_is_safe(const char *name);
bool refname_is_per_worktree(const char *name); /* HEAD, refs/bisect/, … */
/* "refs/heads/main" to "main", as short as is unambiguous. Caller frees. */
char *ref_shorten(struct ref_store *rs, const char *name, bool strict);
/* The same for many names: after the first few, the names of all refs are read and kept. */
struct ref_shortener;
struct ref_shortener *ref_shortener_new(struct ref_store *rs, bool strict);
char *ref_shortener_name(struct ref_shortener *s, const char *name);
void ref_shortener_free(struct ref_shortener *s);
/*
 * "main" to "refs/heads/main" by gitrevisions(7), symbolic refs followed ("HEAD" is the
 * current branch). Returns the number of rules that match: 0 none, 1 unambiguous, more:
 * ambiguous, and the first one is returned. *out is owned by the caller.
 */
int ref_dwim(struct ref_store *rs, const char *name, size_t len, char **out,
	     struct object_id *oid);
/* The same among full names that may_see accepts: the others are as if they did not exist. */
int ref_dwim_visible(struct ref_store *rs, const char *name, size_t len,
		     bool (*may_see)(const char *full, void *data), void *data, char **out,
		     struct object_id *oid);

/* The full names that a short one may stand for, the first that is there counts; appended. */
void refname_expansions(const char *name, struct strvec *out);

/* The same for names of reflogs: only refs that have one; *out is the ref with the log. */
int ref_dwim_log(struct ref_store *rs, const char *name, size_t len, char **out,
		 struct object_id *oid);

/* ---- reading ---- */
#define REF_IS_SYMREF 1u
#define REF_IS_PACKED 2u
#define REF_IS_BROKEN 4u   /* unparsable, null id, or dangling symref */
#define REF_BAD_NAME 8u
#define REF_PEEL_KNOWN 16u /* peeled is not null, or there is no annotated tag */

struct ref {
	const char *name;	/* valid during the callback */
	const char *symref_target; /* NULL unless symbolic */
	struct object_id oid;	/* resolved; null if it does not resolve */
	struct object_id peeled; /* null unless known and different (annotated tag) */
	unsigned flags;
};

/*
 * Resolve through symbolic refs (at most 5). *oid; *final (may be NULL, caller
 * frees) is the name it ends at, even if that does not exist yet (unborn branch:
 * ERR_NOT_FOUND with *final set). ERR_CORRUPT: unparsable or a loop.
 */
MUST_USE int ref_resolve(struct ref_store *rs, const char *name, struct object_id *oid,
			 char **final, unsigned *flags, struct err *err);
/* One step: *target set if symbolic, else NULL and *oid. */
MUST_USE int ref_read_raw(struct ref_store *rs, const char *name, struct object_id *oid,
			  char **target, struct err *err);
/* The ref is there, is no symbolic ref, and its id is all zeros: ref_resolve says that it is broken. */
bool ref_holds_zeros(struct ref_store *rs, const char *name);
bool ref_exists(struct ref_store *rs, const char *name);

typedef int (*ref_fn)(void *data, const struct ref *ref);
#define REFS_INCLUDE_BROKEN 1u
#define REFS_NO_PEEL 2u /* do not look up peeled values that are not stored */
/*
 * For commands that copy or delete what refs lead to: each ref that holds an object, or has held one. A ref that cannot
 * be read, has a bad name or a null value comes with a null oid and REF_IS_BROKEN. The caller stops there, or keeps what
 * that ref may have held. Without this flag and REFS_INCLUDE_BROKEN such a ref is passed over in silence.
 */
#define REFS_ALL_ROOTS 4u
/*
 * Every ref under prefix ("refs/heads/", "" for all under refs/), sorted by name,
 * loose over packed. A non-zero return of fn stops and is returned. ERR_CORRUPT: a line of packed-refs cannot be
 * read, or names a path outside of refs/ ("packed refname is dangerous: X").
 */
MUST_USE int refs_foreach(struct ref_store *rs, const char *prefix, unsigned flags,
			  ref_fn fn, void *data, struct err *err);
/*
 * A part of all refs: below `prefix`, after the name `after` (NULL: from the first one on), without those below some
 * directories ("refs/pull/"), which are sorted, and none below another (NULL: none). Cost: the others are not read, but
 * for loose refs before `after`.
 */
struct ref_range {
	const char *prefix, *after;
	const struct strvec *except;
};
MUST_USE int refs_foreach_in(struct ref_store *rs, const struct ref_range *range, unsigned flags, ref_fn fn, void *data,
			     struct err *err);
/* Root refs (HEAD, ORIG_HEAD, ...) of a worktree ("", "main-worktree/", "worktrees/ID/"), sorted, each behind that prefix. */
MUST_USE int refs_root_names(struct ref_store *rs, const char *worktree, struct string_list *out, struct err *err);
/* Is each of them a file beside HEAD's? */
bool refs_root_refs_are_files(const struct ref_store *rs);

/* ---- from one format to another ---- */
/*
 * The store, which is empty and which no other process knows yet, gets all refs of another one, and their reflogs if that
 * is wanted. No hook runs.
 *
 * Durability: that of the batch.
 * Errors:     ERR_CORRUPT names a ref that cannot be read: nothing is left out.
 */
MUST_USE int refs_import(struct ref_store *rs, struct ref_store *from, bool reflogs, struct fsync_batch *b,
			 struct err *err);

/* ---- checking all of them ---- */
struct fsck_options;
struct ref_finding {
	const char *where;  /* "refs/heads/x", "packed-refs line 3", "packed-refs.header" */
	const char *msg_id; /* "badRefContent": git-fsck(1) */
	const char *text;
	bool is_error; /* else a warning */
};
struct ref_verify_options {
	const struct fsck_options *checks; /* severities, strict */
	void (*report)(void *data, const struct ref_finding *f);
	void (*checking)(void *data, const char *what); /* before each; may be NULL */
	void *data;
};
/*
 * Names and contents of every loose ref, of HEAD and its like, of packed-refs, and of the
 * refs of other worktrees. What refs lead to is not looked at. *errors: findings that are
 * errors. < 0: a failure of the system.
 */
MUST_USE int refs_verify(struct ref_store *rs, const struct ref_verify_options *o,
			 size_t *errors, struct err *err);

/* ---- transactions ---- */
/*
 *   t = ref_transaction_begin(rs, 0);
 *   ref_transaction_update(t, name, &new, &old, 0, msg, err)    queue
 *   ref_transaction_prepare(t, batch, err)   lock, check, stage; the hook's "prepared"
 *   ref_transaction_commit(t, err)           make it so; the hook's "committed"
 *   ref_transaction_free(t)
 *
 * Who commits or aborts the batch, because it holds more than refs, calls
 * ref_transaction_finish with the result in the place of ref_transaction_commit.
 */
struct ref_transaction;
#define REF_TRANSACTION_ALLOW_FAILURE 1u /* single refs may fail, see _result */
/*
 * The repository is being made, and no other process changes refs in it: refs that go into packed-refs
 * together need no lock each. The lock of the file is enough.
 */
#define REF_TRANSACTION_ALONE 2u
struct ref_transaction *ref_transaction_begin(struct ref_store *rs, unsigned flags);

#define REF_NO_DEREF 1u	      /* the symref itself */
#define REF_FORCE_REFLOG 2u   /* --create-reflog */
#define REF_SKIP_REFNAME_CHECK 4u
#define REF_SKIP_OBJECT_CHECK 8u
#define REF_MUST_BE_NEW 16u   /* symrefs: nothing of that name may exist */
#define REF_SKIP_REFLOG 32u   /* no line in its log, nor in HEAD's: see _inherit_log */
/*
 * Symrefs: its log tells of this update as one that comes after the others of the transaction. The old value of its line
 * is the one that the old target has after them. If HEAD gets another target and its old target changes as
 * well, HEAD's log has a line for that first.
 */
#define REF_LOG_AFTER_OTHERS 64u
/*
 * new_oid null: delete. old_oid NULL: not checked; null id: must not exist.
 * msg: reflog message (NULL: none; newlines become spaces). committer: whole ident line for
 * reflogs is given once by ref_transaction_set_ident.
 */
MUST_USE int ref_transaction_update(struct ref_transaction *t, const char *name,
				    const struct object_id *new_oid,
				    const struct object_id *old_oid,
				    unsigned flags, const char *msg, struct err *err);
/*
 * For the ref that was queued last: the type of its new value, and the peeled object if it is an
 * annotated tag (else null). So the transaction need not read the object: it may be one that only the caller can see yet.
 */
void ref_transaction_know_value(struct ref_transaction *t, enum object_type type, const struct object_id *peeled);
/* The objects that the queued changes give to refs; appended to out. */
void ref_transaction_new_values(const struct ref_transaction *t, struct oid_array *out);
MUST_USE int ref_transaction_verify(struct ref_transaction *t, const char *name,
				    const struct object_id *old_oid, unsigned flags,
				    struct err *err);
/*
 * Symbolic refs. target NULL: delete. old_target NULL: not checked. Without REF_NO_DEREF it is
 * the ref at the end of a symref's way that becomes symbolic, or is checked.
 */
MUST_USE int ref_transaction_update_symref(struct ref_transaction *t, const char *name,
					   const char *target, const char *old_target,
					   unsigned flags, const char *msg, struct err *err);
/* The same, checked by what the symref resolves to; null id: must not exist. */
MUST_USE int ref_transaction_update_symref_oid(struct ref_transaction *t, const char *name,
					       const char *target,
					       const struct object_id *old_oid,
					       unsigned flags, const char *msg,
					       struct err *err);
/* Only check. old_target NULL: there must be no such ref. */
MUST_USE int ref_transaction_verify_symref(struct ref_transaction *t, const char *name,
					   const char *old_target, struct err *err);
/*
 * The ref that was queued last (with REF_SKIP_REFLOG) is a branch that `from` is renamed or
 * copied to: its log becomes that of `from` (nothing, if it has none) and a line "NEW NEW IDENT
 * MSG", if there is a log to move or core.logAllRefUpdates wants one (no message: no line). What
 * it had is replaced. A transaction that also removes `from` removes the old log.
 *
 * Durability: the new log has its name before the refs change, the old one goes after them,
 *             so that a crash in between never loses it.
 */
void ref_transaction_inherit_log(struct ref_transaction *t, const char *from);
/*
 * The ref that was queued last takes several steps to its new value: its log, and that of a symref which leads to it, gets a
 * line for each of these values, in order, and then the line of the update. For commands that make several commits at once.
 *
 * Cost: one append, whatever the number of steps.
 */
void ref_transaction_add_log_step(struct ref_transaction *t, const struct object_id *oid, const char *msg);
void ref_transaction_set_ident(struct ref_transaction *t, const char *ident_line);
/*
 * Take every lock, check old values and conflicts of names, write new values, stage all of it
 * in `b`, which must outlive the transaction's end, and ask the hook ("prepared").
 *
 * Errors:     A transaction that could not be prepared is closed and unlocked.
 *             What a check finds (ERR_CONFLICT, ERR_LOCKED, …): nothing was staged.
 *             ERR_IO while new values are staged, and ERR_ABORTED, the hook's refusal: the
 *             batch has been aborted, with all that others have staged in it.
 * Locks:      of every ref, and the locks by which the backend keeps the transaction whole (P6). An
 * interrupted transaction is finished first.
 * Durability: that of the batch. Cost: no flush of its own.
 */
MUST_USE int ref_transaction_prepare(struct ref_transaction *t, struct fsync_batch *b,
				     struct err *err);
/* Commit the batch, with everything that is staged in it, and end the transaction. */
MUST_USE int ref_transaction_commit(struct ref_transaction *t, struct err *err);
/*
 * The batch has been committed, published, or aborted by the caller: `rc` is the result of
 * that, < 0 for an abort. Unlocks, and runs the hook ("committed", "aborted"). Nothing happens
 * to a transaction that is not prepared.
 */
void ref_transaction_finish(struct ref_transaction *t, int rc);
/* Give it up, if it has not ended: aborts the batch, unlocks, runs the hook ("aborted"). */
void ref_transaction_abort(struct ref_transaction *t);
/* Frees memory and does nothing else. A prepared one must have ended. NULL is fine. */
void ref_transaction_free(struct ref_transaction *t);

/* How many updates were queued; update i is the i-th of them. */
size_t ref_transaction_nr(const struct ref_transaction *t);
/* Why a single ref failed, as git update-ref --batch-updates names it. */
enum ref_failure {
	REF_FAILURE_OTHER, /* see the message */
	REF_FAILURE_NAME_CONFLICT,
	REF_FAILURE_EXISTS,
	REF_FAILURE_MISSING,
	REF_FAILURE_OLD_VALUE,
	REF_FAILURE_NEW_VALUE,
	REF_FAILURE_NO_SYMREF,
};
/* The reason in the words of git update-ref and git push; `other` for REF_FAILURE_OTHER. */
const char *ref_failure_text(enum ref_failure failure, const char *other);
struct ref_rejection {
	const char *name;
	const struct object_id *old_oid, *new_oid; /* null ids: not given, or none */
	const char *old_target, *new_target;	   /* NULL: the ids count */
	enum ref_failure failure;
	const char *msg;
};
/* Did update i fail? Then *out, which lives as long as the transaction. */
bool ref_transaction_rejection(const struct ref_transaction *t, size_t i,
			       struct ref_rejection *out);

/* ---- packing ---- */
struct refs_pack_options {
	bool all;      /* every ref; else the refs that match include, or tags */
	bool no_prune; /* loose files stay */
	bool if_many;  /* only if there are many loose refs in relation to the packed ones */
	/* wildmatch patterns of whole names, NULL-terminated, or NULL; exclude wins */
	const char *const *include, *const *exclude;
	/* Called for a ref that cannot be packed, or whose file has to stay; may be NULL. */
	void (*complain)(void *data, const char *msg);
	void *data;
};
/*
 * Take loose refs up into packed-refs and remove their files, each under its lock and
 * only if the value is still the packed one. Symbolic, broken and per-worktree refs stay as
 * they are.
 *
 * Durability: the batch's: names have been published when this returns, and
 *             fsync_batch_commit seals them.
 * Errors:     ERR_LOCKED, ERR_IO, ERR_CORRUPT: the batch must be aborted. Whatever was
 *             published by then is right: no ref has changed.
 */
MUST_USE int refs_pack(struct ref_store *rs, const struct refs_pack_options *o,
		       struct fsync_batch *b, struct err *err);
/* Would it do anything with if_many? Reads the loose refs, and takes no lock. */
MUST_USE int refs_pack_is_due(struct ref_store *rs, bool *due, struct err *err);

/* ---- reflogs ---- */
struct reflog_entry {
	struct object_id old_oid, new_oid;
	const char *ident; /* "Name <mail>" */
	timestamp_t date;
	int tz;
	const char *msg; /* without LF */
};
typedef int (*reflog_fn)(void *data, const struct reflog_entry *e);
bool reflog_exists(struct ref_store *rs, const char *name);
/* newest_first: as @{0}, @{1}. ERR_NOT_FOUND without a log. */
MUST_USE int reflog_foreach(struct ref_store *rs, const char *name, bool newest_first,
			    reflog_fn fn, void *data, struct err *err);
/* All refs that have a log. */
MUST_USE int reflogs_foreach(struct ref_store *rs, int (*fn)(void *data, const char *name),
			     void *data, struct err *err);

/* Those of the other worktrees too, as "main-worktree/HEAD" and "worktrees/ID/HEAD". */
MUST_USE int reflogs_foreach_everywhere(struct ref_store *rs,
					int (*fn)(void *data, const char *name), void *data,
					struct err *err);

/*
 * Entry i of nr, counted from the oldest, which is 0: 1 to keep it, 0 to drop it, < 0 a
 * failure. Called again for all of them if the log has changed before it was locked.
 */
typedef int (*reflog_keep_fn)(void *data, size_t i, size_t nr, const struct reflog_entry *e,
			      struct err *err);
#define REFLOG_FIX_OLD 1u    /* an old value becomes the new one of the entry before it that
				stays; `keep` is given it so if refs are files, and as it was
				if they are in tables, as in Git */
#define REFLOG_UPDATE_REF 2u /* if the last entry goes, the ref gets the value of the one
				that is last then; symbolic refs do not */
#define REFLOG_DRY_RUN 4u    /* ask `keep` and do no more */
#define REFLOG_IF_FREE 8u    /* if a lock is found at publication only, as in tables: warn, and
				leave the log */
/*
 * Rewrite a log with the entries that `keep` lets stay. What cannot be read as an
 * entry is dropped. What others append meanwhile stays.
 *
 * Locks:      `keep` runs without one; the ref and its log are locked to write the new
 *             log, which the batch holds until it is published. A log that stays as it
 *             is is not locked.
 * Durability: that of the batch; readers see the old log or the new one (D1).
 * Errors:     ERR_NOT_FOUND without a log; ERR_LOCKED. Nothing was staged then.
 * Cost:       no flush of its own.
 */
MUST_USE int reflog_rewrite(struct ref_store *rs, const char *name, unsigned flags,
			    reflog_keep_fn keep, void *data, struct fsync_batch *b,
			    struct err *err);
/* Remove a log, at publication. Locks and errors as above. */
MUST_USE int reflog_remove(struct ref_store *rs, const char *name, struct fsync_batch *b,
			   struct err *err);
/*
 * Add an entry to a log, which is made if it is missing. The ref does not change. Locks as above. e->ident is the whole
 * line, as for ref_transaction_set_ident.
 */
MUST_USE int reflog_append(struct ref_store *rs, const char *name, const struct reflog_entry *e, struct fsync_batch *b,
			   struct err *err);

#endif
