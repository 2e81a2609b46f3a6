/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of refs/ share. A ref lives in one of two places: a loose
 * file, which wins, or a line of packed-refs. Whoever reads both reads the loose
 * file first and then a packed-refs that is at least as new: a ref that is
 * being packed meanwhile is then seen in one of the two, always.
 */
#ifndef REFS_INTERNAL_H
#define REFS_INTERNAL_H

#include "compat/posix.h"
#include "fs/lockfile.h"
#include "refs/refs.h"
#include "util/map.h"

#define SYMREF_MAX_DEPTH 5
#define REF_FILE_MAX (64 * 1024) /* bytes; a longer loose ref is broken */

struct packed_refs;

struct ref_store {
	char *gitdir, *commondir;
	const struct hash_algo *algo;
	const struct object_source *objects;
	bool objects_elsewhere;
	int shared_perm;
	enum reflog_policy reflogs;
	long lock_timeout_ms, packed_lock_timeout_ms;
	struct packed_refs *packed; /* last snapshot; see packed_refs_get */
	void (*warn)(void *data, const char *msg); /* may be NULL */
	void *warn_data;
	struct ref_hook hook; /* run is NULL: none */
};
void ref_store_warn(const struct ref_store *rs, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* ---- places (store.c) ---- */
/* The file of a ref, and of its log, with worktree prefixes understood. */
void ref_path(const struct ref_store *rs, const char *name, struct strbuf *out);
void reflog_path(const struct ref_store *rs, const char *name, struct strbuf *out);
/* Only shared refs can be packed. */
bool ref_may_be_packed(const struct ref_store *rs, const char *name);
/*
 * "worktrees/ID/NAME", "main-worktree/NAME": *bare = NAME, *id (NULL for the
 * main worktree) and its length. False: an ordinary name.
 */
bool refname_worktree_prefix(const char *name, const char **id, size_t *id_len,
			     const char **bare);
/* Safe, or so behind "worktrees/ID/": logs/HEAD is a valid name, but no ref. */
bool refname_may_go(const char *name);
/* HEAD, ORIG_HEAD, …: capitals, '-' and '_' only. */
bool refname_is_root(const char *name);
/* refs/bisect/, refs/worktree/, refs/rewritten/ */
bool refname_in_private_dir(const char *name);

/*
 * The worktrees that this is not: their gitdir, and what goes before the names of their own
 * refs ("main-worktree/", "worktrees/ID/"). A non-zero return of fn ends it.
 */
typedef int (*worktree_fn)(void *data, const char *gitdir, const char *prefix, struct err *err);
MUST_USE int ref_other_worktrees(const struct ref_store *rs, worktree_fn fn, void *data,
				 struct err *err);

/* ---- one loose file (loose.c) ---- */
enum loose_kind { LOOSE_MISSING, LOOSE_OID, LOOSE_SYMREF, LOOSE_BROKEN, LOOSE_DIR };
struct loose_value {
	enum loose_kind kind;
	struct object_id oid;
	char *target; /* owned; LOOSE_SYMREF */
};
void loose_value_release(struct loose_value *v);
/* < 0 only for failures of the system; what the file says is in v->kind. */
MUST_USE int loose_read(const struct ref_store *rs, const char *name,
			struct loose_value *v, struct err *err);
MUST_USE int loose_read_path(const struct ref_store *rs, const char *path,
			     struct loose_value *v, struct err *err);
/*
 * Every loose ref below prefix, appended sorted by name (refs/ only). Values are
 * read here, so that a packed snapshot taken later cannot be too old.
 */
struct loose_entry {
	char *name;
	struct loose_value value;
};
struct loose_list {
	struct loose_entry *items;
	size_t nr, alloc;
	bool clear_locks; /* P5: remove the locks of dead owners that are met on the way */
};
MUST_USE int loose_collect(const struct ref_store *rs, const char *prefix,
			   struct loose_list *out, struct err *err);
void loose_list_clear(struct loose_list *l);
/* Is there anything but (nested) empty directories at path? */
bool dir_holds_files(const char *path);

/* ---- packed-refs (packed.c) ---- */
struct packed_entry {
	const char *name; /* not NUL-terminated */
	size_t name_len;
	struct object_id oid;
	struct object_id peeled; /* null: none */
	bool peel_known;	 /* peeled is all that there is to say */
};
struct packed_cursor {
	const struct packed_refs *p;
	size_t pos, end; /* bytes, or places in the order of an unsorted file */
};
/*
 * The present packed-refs, as one reader sees it; looked at again (stat) each
 * time. A missing file is an empty one. Give it back with packed_refs_put.
 */
MUST_USE int packed_refs_get(struct ref_store *rs, struct packed_refs **out, struct err *err);
void packed_refs_put(struct packed_refs *p);
size_t packed_refs_size(const struct packed_refs *p); /* bytes */
/* 1 found, 0 not there, < 0 corrupt. Cost: a binary search. */
int packed_refs_lookup(const struct packed_refs *p, const char *name,
		       struct packed_entry *out, struct err *err);
/* The first entry at or after `from`. */
MUST_USE int packed_cursor_start(struct packed_cursor *c, const struct packed_refs *p,
				 const char *from, struct err *err);
/* 1 entry, 0 end, < 0 corrupt */
int packed_cursor_next(struct packed_cursor *c, struct packed_entry *out, struct err *err);
/* From memory, for tests; buf is copied. */
MUST_USE int packed_refs_parse(struct packed_refs **out, const char *buf, size_t len,
			       const char *path, const struct hash_algo *algo,
			       struct err *err);

/* One change of packed-refs; sorted by name in an array. */
struct packed_change {
	const char *name;
	struct object_id oid; /* null: take it out */
	struct object_id peeled; /* null: none */
	bool peel_unknown;	 /* peeled could not be found out */
};
/*
 * Write the new packed-refs to fd: what the present one has, with the changes
 * merged in. The caller holds packed-refs.lock. Cost: one pass, no flush.
 */
MUST_USE int packed_refs_write(const struct packed_refs *p,
			       const struct packed_change *changes, size_t nr,
			       int fd, const char *what, struct err *err);
/*
 * packed-refs.lock, which keeps others from packing refs and from rewriting the file. An
 * orphan of packed-refs.new, which only a holder of the lock may have, is removed.
 */
MUST_USE int packed_refs_lock(struct ref_store *rs, struct lockfile *lk, struct err *err);
/* P5: one that a killed transaction left goes, even if nobody needs it now. */
void packed_refs_clear_dead_lock(struct ref_store *rs);
/*
 * Write the present packed-refs with the changes merged in to packed-refs.new, and stage
 * it in class `order`. The lock stays as it is.
 */
MUST_USE int packed_refs_stage_new(struct ref_store *rs, const struct lockfile *lk,
				   const struct packed_refs *present,
				   const struct packed_change *changes, size_t nr,
				   struct fsync_batch *b, enum publish_class order,
				   struct err *err);
/* The same into the lock file itself, which is gone when it has been published. */
MUST_USE int packed_refs_stage_lock(struct ref_store *rs, struct lockfile *lk,
				    const struct packed_refs *present,
				    const struct packed_change *changes, size_t nr,
				    struct fsync_batch *b, enum publish_class order,
				    struct err *err);
/* What the annotated tag `oid` leads to; null if it is none. False: cannot be told. */
bool ref_peel(const struct ref_store *rs, const struct object_id *oid,
	      struct object_id *peeled);

/* ---- both (resolve.c) ---- */
/*
 * One step, loose then packed. kind LOOSE_MISSING: in neither; LOOSE_DIR is never
 * given. *packed tells where it was.
 */
MUST_USE int ref_read_step(struct ref_store *rs, const char *name,
			   struct loose_value *v, bool *packed, struct err *err);

/* A name as the files have it: "main-worktree/refs/heads/x" is refs/heads/x. */
const char *ref_canonical_name(const char *name);

/* ---- directories (dirs.c) ---- */
/*
 * Make what is missing above path, and tell the batch of each directory that got
 * a new name. Others may remove empty directories at any time: callers try again.
 */
MUST_USE int ref_make_parents(const struct ref_store *rs, const char *path,
			      struct fsync_batch *b, struct err *err);
/*
 * Make way for a file at path: remove the empty directories that are left there,
 * with the locks of dead owners in them. ERR_EXISTS: something else is in there.
 */
MUST_USE int ref_clear_dir(const char *path, struct err *err);
/*
 * The same for a log, and with the logs in there: those of refs that are no more, left by a crash
 * between the removals of both. The caller has checked that no ref can be below.
 */
MUST_USE int reflog_clear_dir(const char *path, struct err *err);
/* The empty directories above a removed ref or its log; never refs/heads itself. */
void ref_remove_empty_parents(const struct ref_store *rs, const char *name, bool log);

/* ---- transactions ---- */
/* Beside the public flags. */
#define UPDATE_HAVE_NEW (1u << 16)
#define UPDATE_HAVE_OLD (1u << 17)
#define UPDATE_HAVE_TARGET (1u << 18)	  /* new_target; NULL: delete */
#define UPDATE_HAVE_OLD_TARGET (1u << 19)
#define UPDATE_LOG_ONLY (1u << 20)	  /* a symref that leads to what changes */
#define UPDATE_VIA_HEAD (1u << 21)	  /* HEAD is in it already */
#define UPDATE_WRITES (1u << 22)	  /* a new value goes into the lock file */
#define UPDATE_DELETES (1u << 23)

/* Of transactions: finishes an interrupted one. No record of its own, no hook. */
#define TRANSACTION_REDOES (1u << 16)

struct ref_update {
	char *name;
	struct object_id new_oid, old_oid;
	char *new_target, *old_target;
	unsigned flags;
	char *msg;
	char *log_from; /* ref_transaction_take_log; NULL: no */
	struct ref_update *root; /* what was queued; itself, or what it was split from */
	struct ref_update *via;	 /* the symref that led here */
	struct ref_update *leaf; /* LOG_ONLY: the update whose value this one shows */
	struct ref_update *next; /* of the same root */
	unsigned queued_flags;	 /* of a root: as they were queued */

	const char *redo_old; /* as redo_applies wants it to be; NULL: no matter */

	/* Found by prepare. */
	struct lockfile lock;
	struct loose_value current; /* the loose file */
	bool in_loose, in_packed;
	struct object_id value; /* resolved; null: none */
	/* Of a root only. */
	int rc;
	char *error;
	enum ref_failure failure;
};

/*
 * How it ended, for those who outlive the batch's entries or the transaction; and the
 * locks that go when all has been published, or given up.
 */
struct ref_outcome {
	unsigned refcount;
	bool ended, published;
	struct lockfile *locks;
	size_t nr, alloc;
};
void ref_outcome_put(struct ref_outcome *o);
/* Takes the lock over. */
void ref_outcome_add(struct ref_outcome *o, struct lockfile *lk);

enum transaction_state { TRANSACTION_OPEN, TRANSACTION_PREPARED, TRANSACTION_CLOSED };

struct ref_transaction {
	struct ref_store *rs;
	unsigned flags;
	enum transaction_state state;
	char *ident;
	struct ref_update **updates; /* the queued ones first, in order */
	size_t nr, alloc, queued;
	struct strmap by_name; /* to struct ref_update */

	/* While preparing. */
	struct fsync_batch *batch;
	char *head_target; /* where HEAD leads; NULL: nowhere */
	struct ref_update **sorted; /* by name; those that were split off stand
				       in by_name only */
	size_t sorted_nr;
	struct packed_refs *packed; /* as seen after every lock was taken */
	char *free_parent; /* no ref stands in the way of names below this */
	size_t open_fds, max_open_fds;
	/* The last new value that was looked up, and what it is. */
	struct object_id known_oid;
	enum object_type known_type;
	/* P6: all values change by one rename of packed-refs (update-whole.c). */
	bool whole;
	struct lock_origin origin;
	struct lockfile redo_lock; /* held: a record is written if several refs change */
	struct ref_outcome *outcome;
	bool told_hook; /* "prepared": it is to be told the outcome, too */
};

/* What the hook is told (transaction-hook.c); `state` as for struct ref_hook. */
MUST_USE int transaction_run_hook(struct ref_transaction *t, const char *state,
				  struct err *err);
/* The same where its answer changes nothing any more. */
void transaction_tell_hook(struct ref_transaction *t, const char *state);

/* What the user called it: the name that messages give. */
static inline const char *update_display_name(const struct ref_update *u)
{
	while (u->via)
		u = u->via;
	return u->name;
}
/* A copy of `from` (may be NULL) under another name, at the end of t->updates. */
struct ref_update *transaction_add(struct ref_transaction *t, const char *name,
				   const struct ref_update *from);
/* Lock, read, split: one update; adds to t->updates (update-lock.c). */
MUST_USE int update_lock(struct ref_transaction *t, struct ref_update *u, struct err *err);
/* Old value, name conflicts, new value; once all is locked (update-check.c). */
MUST_USE int update_check(struct ref_transaction *t, struct ref_update *u, struct err *err);
/* ERR_CONFLICT if a ref of that name cannot be made beside what is there. */
MUST_USE int check_name_available(struct ref_transaction *t, const char *name, struct err *err);
/* Write and stage all (update-stage.c). */
MUST_USE int transaction_stage(struct ref_transaction *t, struct err *err);
/* Reflogs, as both ways have them (update-log.c). */
bool update_writes_log(const struct ref_update *u);
MUST_USE int update_stage_log(struct ref_transaction *t, struct ref_update *u, struct err *err);
/* Can it go the whole way? As far as can be told before its refs are locked, and after. */
bool transaction_may_be_whole(const struct ref_transaction *t);
bool transaction_is_whole(const struct ref_transaction *t);
MUST_USE int transaction_stage_whole(struct ref_transaction *t, struct err *err);

/* ---- the record of a transaction that goes ref by ref (redo.c) ---- */
/*
 * The lock that whoever writes a record holds. What an earlier record leaves to be done is done
 * then, and sealed; if it cannot be done now, the lock is not taken.
 */
MUST_USE int redo_lock(struct ref_store *rs, struct lockfile *lk, long timeout_ms,
		       const struct fsync_policy *policy, struct err *err);
/* The record, if several refs change, and its removal. t->redo_lock is held. */
MUST_USE int redo_stage(struct ref_transaction *t, struct err *err);
/* There is a record, or a lock, and nobody who takes care of it. */
bool redo_is_due(const struct ref_store *rs);
/* As far as it can be done now. */
void redo_what_is_due(struct ref_store *rs, const struct fsync_policy *policy);
/* Is the ref, read under its lock, what u->redo_old says that it was? */
bool redo_applies(const struct ref_store *rs, const struct ref_update *u);

/* ---- reflogs (reflog.c, reflog-write.c) ---- */
/* The file of a ref or of a log goes when its turn has come; missing is fine. */
MUST_USE int ref_file_stage_removal(const char *path, enum publish_class order,
				    struct fsync_batch *b, struct err *err);
MUST_USE int reflog_stage_removal(struct ref_store *rs, const char *name,
				  enum publish_class order, struct fsync_batch *b,
				  struct err *err);
/*
 * line[len] is the LF and becomes a NUL; false if it is no entry. `ident` holds what
 * e->ident points to.
 */
bool reflog_parse_line(const struct ref_store *rs, char *line, size_t len,
		       struct reflog_entry *e, struct strbuf *ident);
/* Append the lines of a log, whole ones only. ERR_NOT_FOUND: there is none. */
MUST_USE int reflog_read(const struct ref_store *rs, const char *name, struct strbuf *out,
			 struct err *err);
/* By core.logAllRefUpdates; an existing log is always continued. */
bool reflog_is_wanted(const struct ref_store *rs, const char *name);
/* Logs of refs that are no more, in the place of a directory that `name` needs. */
bool reflog_remove_orphan_above(const struct ref_store *rs, const char *name);
/* ref_transaction_take_log, when the lock of `to` is held and its name has been checked. */
MUST_USE int reflog_stage_renamed(struct ref_store *rs, const char *from, const char *to,
				  const struct object_id *oid, const char *ident,
				  const char *msg, struct fsync_batch *b, struct err *err);
MUST_USE int reflog_stage_entry(struct ref_store *rs, const char *name, bool force,
				const struct object_id *old_oid,
				const struct object_id *new_oid, const char *ident,
				const char *msg, struct fsync_batch *b, struct err *err);

#endif
