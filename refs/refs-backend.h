/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a place where refs live implements (refs/files/), and what it gets for that.
 *
 * The general part (refs/) knows names, queues updates, follows symbolic refs, compares old
 * values, keeps results, and runs the hook. A backend reads, locks, looks for
 * conflicts of names, and stages what a transaction changes in the batch. It allocates
 * nothing of the general part: its own structs begin with the general ones and say how
 * large they are.
 */
#ifndef REFS_REFS_BACKEND_H
#define REFS_REFS_BACKEND_H

#include "compat/posix.h"
#include "refs/refs.h"
#include "util/map.h"

#define SYMREF_MAX_DEPTH 5

/* ---- one store ---- */

struct ref_store {
	const struct ref_backend *backend;
	const struct hash_algo *algo;
	const struct object_source *objects; /* may be NULL */
	enum reflog_policy reflogs;
	void (*warn)(void *data, const char *msg); /* may be NULL */
	void *warn_data;
	struct ref_hook hook; /* run is NULL: none */
};
void ref_store_warn(const struct ref_store *rs, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* What a ref holds, one step. */
enum ref_kind { REF_KIND_MISSING, REF_KIND_OID, REF_KIND_SYMREF, REF_KIND_BROKEN };
struct ref_value {
	enum ref_kind kind;
	struct object_id oid; /* REF_KIND_OID */
	char *target;	      /* REF_KIND_SYMREF; owned */
	unsigned flags;	      /* public ones that the backend knows: REF_IS_PACKED, or 0 */
};
void ref_value_release(struct ref_value *v);

/* A ref as an iteration meets it, not resolved. All of it is the backend's. */
struct ref_raw {
	const char *name;
	enum ref_kind kind;
	const struct object_id *oid, *peeled; /* peeled: may be NULL */
	const char *target;
	bool peel_known;       /* peeled holds all that there is to know */
	unsigned flags;	       /* as in ref_value */
	unsigned name_flags;   /* of refname_is_valid: the names that its place may hold */
};
typedef int (*ref_raw_fn)(void *data, const struct ref_raw *raw);

/* ---- refs_verify: what the backends share ---- */

struct ref_verify {
	const struct ref_verify_options *o;
	size_t errors;
};
void ref_verify_report(struct ref_verify *v, const char *where, const char *msg_id, const char *fmt, ...) PRINTF_LIKE(4, 5);
void ref_verify_checking(const struct ref_verify *v, const char *what);
/* The target of a symbolic ref; bare: its name in its worktree. */
void ref_verify_target(struct ref_verify *v, const char *where, const char *bare, const char *target);

/* ---- refs_import ---- */

struct ref_import {
	struct ref_store *from;
	struct string_list roots, logs; /* sorted */
};
/* Each ref, by name: the roots come first. ERR_CORRUPT names one that is broken. fn returns < 0 with a message in err. */
typedef int (*ref_import_fn)(void *data, const struct ref_raw *raw, struct err *err);
MUST_USE int ref_import_foreach(const struct ref_import *im, ref_import_fn fn, void *data, struct err *err);
/* The annotated tag's object, null if it is none. */
void ref_import_peel(const struct ref_import *im, const struct ref_raw *raw, struct object_id *peeled);

/* ---- names ---- */

/*
 * "worktrees/ID/NAME", "main-worktree/NAME": *bare = NAME, *id (NULL for the
 * main worktree) and its length. False: an ordinary name.
 */
bool refname_worktree_prefix(const char *name, const char **id, size_t *id_len,
			     const char **bare);
/* Safe, or so behind "worktrees/ID/": logs/HEAD is a valid name, but no ref. */
bool refname_is_deletable(const char *name);
/* FETCH_HEAD, MERGE_HEAD: files of more than one id, which commands write, and no ref transaction does. */
bool refname_is_pseudoref(const char *name);
/* HEAD, ORIG_HEAD, …: capitals, '-' and '_' only. */
bool refname_is_root(const char *name);
/* refs/bisect/, refs/worktree/, refs/rewritten/ */
bool refname_in_private_dir(const char *name);
bool refnames_are_neighbours(const char *a, const char *b); /* in one directory */
/*
 * Another worktree's name for a shared ref is that ref: "main-worktree/refs/heads/x" is
 * refs/heads/x.
 */
const char *ref_canonical_name(const char *name);
/* What the annotated tag `oid` leads to; null if it is none. False: cannot be found out. */
bool ref_peel(const struct ref_store *rs, const struct object_id *oid,
	      struct object_id *peeled);
/* By core.logAllRefUpdates; an existing log is always continued. */
bool reflog_is_wanted(const struct ref_store *rs, const char *name);

/* ---- transactions ---- */

/* Beside the public flags of an update. */
#define UPDATE_HAVE_NEW (1u << 16)
#define UPDATE_HAVE_OLD (1u << 17)
#define UPDATE_HAVE_TARGET (1u << 18)	  /* new_target; NULL: delete */
#define UPDATE_HAVE_OLD_TARGET (1u << 19)
#define UPDATE_LOG_ONLY (1u << 20)	  /* a symref that leads to what changes */
#define UPDATE_VIA_HEAD (1u << 21)	  /* HEAD is in it already */
#define UPDATE_WRITES (1u << 22)	  /* it gets a new value */
#define UPDATE_DELETES (1u << 23)

/* Beside the public flag of a transaction: a backend finishes an interrupted one. No hook. */
#define REF_TRANSACTION_RECOVERS (1u << 16)

struct ref_log_step {
	struct object_id oid;
	char *msg;
};

struct ref_update {
	char *name;
	struct object_id new_oid, old_oid;
	char *new_target, *old_target;
	unsigned flags;
	char *msg;
	enum object_type known_type; /* of new_oid, of a root; OBJ_NONE: unknown */
	struct object_id known_peeled;
	char *log_from; /* ref_transaction_inherit_log; NULL: no */
	struct ref_log_step *log_steps; /* of a root: ref_transaction_add_log_step */
	size_t nr_log_steps, alloc_log_steps;
	struct ref_update *log_first; /* REF_LOG_AFTER_OTHERS: its line in this log comes first; NULL: none */
	struct ref_update *root; /* the queued update: itself, or the update that it was split from */
	struct ref_update *via;	 /* the symref that led here */
	struct ref_update *leaf; /* LOG_ONLY: the update whose value this one shows */
	struct ref_update *next; /* of the same root */
	unsigned queued_flags;	 /* of a root: as they were queued */

	/* What the backend found under its lock. */
	bool exists;
	const char *target;	/* of a symbolic ref; the backend's; else NULL */
	struct object_id value; /* resolved; null: none */

	/* Set in roots only. */
	int rc;
	char *error;
	enum ref_failure failure;
};

enum transaction_state { TRANSACTION_OPEN, TRANSACTION_PREPARED, TRANSACTION_CLOSED };

struct ref_transaction {
	struct ref_store *rs;
	unsigned flags;
	enum transaction_state state;
	char *ident;
	struct fsync_batch *batch; /* since prepare */
	struct ref_update **updates; /* the queued ones first, in order */
	size_t nr, alloc, queued;

	/* Filled by ref_transaction_index. */
	struct strmap by_name; /* to struct ref_update; split ones, too */
	struct ref_update **sorted; /* the queued ones by name */
	size_t sorted_nr;
	char *head_target; /* where HEAD leads; NULL: nowhere */

	/* The last new value that was looked up, and what it is. */
	struct object_id known_oid;
	enum object_type known_type;
};

/*
 * `lock` makes the calls below, in this order. Each may end the transaction; where single updates
 * may fail, ref_transaction_each goes on with the others.
 *
 *	ref_transaction_index
 *	ref_transaction_each	lock the ref, set `target`; ref_update_split
 *	ref_transaction_each	set `exists`, `value`, but for UPDATE_LOG_ONLY;
 *				ref_update_check_old, ref_update_decide; conflicts of names
 */

/* Begin again: what has been found, split off, and what has failed, is forgotten. */
void ref_transaction_reset(struct ref_transaction *t);
/* Names by hash and in order, where HEAD leads. */
MUST_USE int ref_transaction_index(struct ref_transaction *t, struct err *err);
/*
 * `fn` for each update that has not failed: the queued ones in order of names, so that two
 * processes meet at the same place, then updates that were split off, also meanwhile.
 */
typedef int (*ref_update_fn)(struct ref_transaction *t, struct ref_update *u, struct err *err);
MUST_USE int ref_transaction_each(struct ref_transaction *t, ref_update_fn fn,
				  struct err *err);
/* A queued update whose name begins with dir ("refs/heads/a/"), and that has not failed; NULL: there is none. */
const struct ref_update *ref_update_find_below(const struct ref_transaction *t, const char *dir);
/*
 * A symref that is to be followed adds an update of its target; what HEAD leads to adds one
 * of HEAD's log.
 */
MUST_USE int ref_update_split(struct ref_transaction *t, struct ref_update *u, struct err *err);
/* Does it have the value, or the target, that the caller expects? ERR_CONFLICT. */
MUST_USE int ref_update_check_old(const struct ref_update *u, struct err *err);
/* May it have the new value? Sets UPDATE_WRITES or UPDATE_DELETES, or neither. */
MUST_USE int ref_update_decide(struct ref_transaction *t, struct ref_update *u,
			       struct err *err);
/* What the user called it: the name that messages give. */
const char *ref_update_display_name(const struct ref_update *u);
/* Is there a line for its reflog? Then the values that it names. */
bool ref_update_logs(struct ref_transaction *t, struct ref_update *u, struct object_id *old_oid,
		     struct object_id *new_oid);

/* ---- the table ---- */

/* Result of `lock`: an interrupted transaction has to be finished first. */
#define REF_LOCK_AFTER_RECOVERY 1

struct ref_backend {
	const char *name;
	/*
	 * Sizes of structs that begin with ref_store, ref_transaction, ref_update; allocated as
	 * zeros.
	 */
	size_t store_size, transaction_size, update_size;

	/* After a failed `open`, `close` is called. */
	int (*open)(struct ref_store *rs, const struct ref_store_options *o, struct err *err);
	void (*close)(struct ref_store *rs);
	/*
	 * refs_finish_interrupted; NULL: nothing can be left half done. < 0: there is something
	 * that cannot be finished now.
	 */
	int (*recover)(struct ref_store *rs, const struct fsync_policy *policy,
		       struct err *err);

	/* < 0 only for failures of the system; any safe name. */
	int (*read)(struct ref_store *rs, const char *name, struct ref_value *out,
		    struct err *err);
	/* All below refs/ in the range, by name: refs_foreach_in. range->except is not NULL. */
	int (*foreach)(struct ref_store *rs, const struct ref_range *range, ref_raw_fn fn, void *data,
		       struct err *err);
	bool root_refs_are_files; /* refs_root_refs_are_files */
	/* refs_root_names, not sorted */
	int (*root_names)(struct ref_store *rs, const char *worktree, struct string_list *out, struct err *err);

	/* refs_import. NULL: it cannot be done. */
	int (*import)(struct ref_store *rs, const struct ref_import *im, struct fsync_batch *b, struct err *err);

	/*
	 * A transaction: `lock` takes every lock and checks; nothing is staged yet. If it
	 * returns REF_LOCK_AFTER_RECOVERY, it has unlocked everything again, and is called once
	 * more after `recover`. `stage`
	 * writes, and stages everything in t->batch. `unlock` comes last, once, whatever has
	 * happened: the batch has been committed or aborted, or nothing was staged. What
	 * only keeps others away can be unlocked by an entry of the batch before that
	 * (PUBLISH_REF_UNLOCK). `release` (may be NULL) frees what the transaction holds, but
	 * not t; it changes nothing outside of memory.
	 */
	int (*lock)(struct ref_transaction *t, struct err *err);
	int (*stage)(struct ref_transaction *t, struct err *err);
	void (*unlock)(struct ref_transaction *t);
	void (*release)(struct ref_transaction *t);
	/* The same for an update, which `lock` may meet again; may be NULL. */
	void (*update_clear)(struct ref_update *u);

	/* refs_pack, refs_pack_is_due, refs_verify; NULL: there is nothing to do. */
	int (*pack)(struct ref_store *rs, const struct refs_pack_options *o,
		    struct fsync_batch *b, struct err *err);
	int (*pack_is_due)(struct ref_store *rs, bool *due, struct err *err);
	int (*verify)(struct ref_store *rs, const struct ref_verify_options *o, size_t *errors,
		      struct err *err);

	/* As the functions of refs.h say; _rewrite and _remove may be NULL. */
	bool (*reflog_exists)(struct ref_store *rs, const char *name);
	int (*reflog_foreach)(struct ref_store *rs, const char *name, bool newest_first,
			      reflog_fn fn, void *data, struct err *err);
	int (*reflogs_foreach)(struct ref_store *rs, bool everywhere,
			       int (*fn)(void *data, const char *name), void *data,
			       struct err *err);
	int (*reflog_rewrite)(struct ref_store *rs, const char *name, unsigned flags,
			      reflog_keep_fn keep, void *data, struct fsync_batch *b,
			      struct err *err);
	int (*reflog_remove)(struct ref_store *rs, const char *name, struct fsync_batch *b,
			     struct err *err);
	int (*reflog_append)(struct ref_store *rs, const char *name, const struct reflog_entry *e,
			     struct fsync_batch *b, struct err *err);

	const struct ref_path *paths; /* refs_paths */
	const struct ref_layout *layout; /* refs_layout */
	const struct ref_table_format *table; /* refs_table_format; may be NULL */
};

/* A message as reflogs have it: on one line, each run of white space a blank. NULL: none. Caller frees. */
char *reflog_clean_message(const char *msg);

#endif
