/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The store of refs in tables. Shared refs are in the stack of the common directory, the refs of a worktree (HEAD,
 * refs/bisect/...) in one of its own. FETCH_HEAD and MERGE_HEAD hold more than an id: they are files.
 */
#ifndef REFS_REFTABLE_REFTABLE_INTERNAL_H
#define REFS_REFTABLE_REFTABLE_INTERNAL_H

#include "compat/posix.h"
#include "refs/refs-backend.h"
#include "refs/reftable/stack-internal.h"

struct reftable_store {
	struct ref_store base; /* first */
	char *gitdir, *commondir;
	int shared_perm;
	long lock_timeout_ms;
	struct ref_table_options tables;
	struct reftable_stack *shared;
	struct reftable_stack *own; /* of this worktree; the shared one in the main worktree */
	struct strmap others;	    /* id of a worktree => its stack */
};
static inline struct reftable_store *reftable_store(const struct ref_store *rs)
{
	return (struct reftable_store *)rs;
}

/* The stack that holds a ref, and the name under which it does. The stack is not brought up to date. */
struct reftable_stack *reftable_stack_of(struct ref_store *rs, const char *name, const char **bare);
/* The same, brought up to date. */
MUST_USE int reftable_fresh_stack_of(struct reftable_stack **out, struct ref_store *rs, const char *name,
				     const char **bare, struct err *err);

/*
 * One step, in a stack that is up to date, by its bare name. ERR_CORRUPT, ERR_IO. Cost: a look into each table, the newest
 * first, until one has it.
 */
MUST_USE int reftable_lookup(const struct ref_store *rs, const struct reftable_stack *s, const char *name,
			     struct ref_value *out, struct err *err);
/* Does the ref of that bare name have a log? False also if that cannot be read. */
bool reftable_log_exists(const struct reftable_stack *s, const char *name);

/* A log in memory. */
struct log_entry {
	struct reflog_entry e;
	uint64_t index; /* the update index, which names the entry in its log */
	char *ident, *msg; /* what `e` points to */
};
struct log_entries {
	struct log_entry *items; /* oldest first */
	size_t nr, alloc;
	bool is_marked; /* by an entry without ids: the log is there even without others */
};
#define LOG_ENTRIES_INIT { NULL, 0, 0, false }
/* The log of that bare name. ERR_NOT_FOUND without one, ERR_CORRUPT, ERR_IO; release `out` in any case. */
MUST_USE int reftable_log_read(struct ref_store *rs, const struct reftable_stack *s, const char *name,
			       struct log_entries *out, struct err *err);
void log_entries_release(struct log_entries *l); /* idempotent */

/* ---- the table's functions (struct ref_backend) ---- */
/* read.c */
MUST_USE int reftable_read_ref(struct ref_store *rs, const char *name, struct ref_value *out, struct err *err);
MUST_USE int reftable_foreach(struct ref_store *rs, const struct ref_range *range, ref_raw_fn fn, void *data,
			      struct err *err);
MUST_USE int reftable_root_names(struct ref_store *rs, const char *worktree, struct string_list *out,
				 struct err *err);
/* pack.c */
MUST_USE int reftable_pack(struct ref_store *rs, const struct refs_pack_options *o, struct fsync_batch *b,
			   struct err *err);
MUST_USE int reftable_pack_is_due(struct ref_store *rs, bool *due, struct err *err);
/* verify.c */
MUST_USE int reftable_verify(struct ref_store *rs, const struct ref_verify_options *o, size_t *errors, struct err *err);
/* import.c */
MUST_USE int reftable_import(struct ref_store *rs, const struct ref_import *im, struct fsync_batch *b, struct err *err);
/* log.c */
bool reftable_reflog_exists(struct ref_store *rs, const char *name);
MUST_USE int reftable_reflog_foreach(struct ref_store *rs, const char *name, bool newest_first, reflog_fn fn,
				     void *data, struct err *err);
MUST_USE int reftable_reflogs_foreach(struct ref_store *rs, bool everywhere, int (*fn)(void *data, const char *name),
				      void *data, struct err *err);
/* log-rewrite.c */
MUST_USE int reftable_reflog_rewrite(struct ref_store *rs, const char *name, unsigned flags, reflog_keep_fn keep,
				     void *data, struct fsync_batch *b, struct err *err);
MUST_USE int reftable_reflog_remove(struct ref_store *rs, const char *name, struct fsync_batch *b, struct err *err);
MUST_USE int reftable_reflog_append(struct ref_store *rs, const char *name, const struct reflog_entry *e,
				    struct fsync_batch *b, struct err *err);

#endif
