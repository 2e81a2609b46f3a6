/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transactions: the queue, and the order in which prepare goes about it.
 *
 *	index	names by hash and in order; what comes twice is refused
 *	lock	every ref, in order of names, so that two processes meet at the
 *		same place; a symref that is followed adds its target
 *	check	old values, name conflicts, new values, against a packed-refs
 *		that was read after the last lock
 *	stage	reflogs, new values, deletions go to the batch: the whole way
 *		(update-whole.c) or the loose way (update-stage.c)
 *
 * Nothing is staged before everything has been checked: a transaction that is
 * refused leaves the batch as it was.
 */
#include "compat/posix.h"
#include "refs/refs-internal.h"
#include "util/alloc.h"
#include <sys/resource.h>

struct ref_transaction *ref_transaction_begin(struct ref_store *rs, unsigned flags)
{
	struct ref_transaction *t;

	CALLOC_ARRAY(t, 1);
	t->rs = rs;
	t->flags = flags;
	t->known_oid = rs->algo->null_oid;
	t->origin = (struct lock_origin)LOCK_ORIGIN_INIT(rs->commondir);
	return t;
}

void ref_transaction_set_ident(struct ref_transaction *t, const char *ident_line)
{
	free(t->ident);
	t->ident = xstrdup(ident_line);
}

/* ---- the queue ---- */

static char *dup_or_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

struct ref_update *transaction_add(struct ref_transaction *t, const char *name,
				   const struct ref_update *from)
{
	struct ref_update *u;

	CALLOC_ARRAY(u, 1);
	u->name = xstrdup(name);
	u->root = u;
	u->new_oid = u->old_oid = u->value = t->rs->algo->null_oid;
	if (from) {
		u->new_oid = from->new_oid;
		u->old_oid = from->old_oid;
		u->flags = from->flags;
		u->msg = dup_or_null(from->msg);
		u->root = from->root;
		u->next = from->root->next;
		from->root->next = u;
	}
	ALLOC_GROW(t->updates, t->nr + 1, t->alloc);
	t->updates[t->nr++] = u;
	return u;
}

/* White space of any kind becomes single spaces: one line in the log. */
static char *clean_message(const char *msg)
{
	struct strbuf out = STRBUF_INIT;
	bool space = false;

	if (!msg)
		return NULL;
	for (; *msg; msg++) {
		if (isspace((unsigned char)*msg)) {
			space = out.len > 0;
			continue;
		}
		if (space)
			strbuf_addch(&out, ' ');
		space = false;
		strbuf_addch(&out, *msg);
	}
	return strbuf_detach(&out, NULL);
}

/* makes: it gets a value. */
static int queue(struct ref_transaction *t, const char *name, unsigned flags, bool makes,
		 const char *msg, struct ref_update **out, struct err *err)
{
	bool fine = makes ? refname_is_usable(name) ||
			    (flags & REF_SKIP_REFNAME_CHECK && refname_is_safe(name)) :
			    refname_may_go(name);

	if (t->state != TRANSACTION_OPEN)
		return err_set(err, ERR_INVALID, "ref '%s': the transaction is closed already", name);
	/* Bad names may be looked at and removed, if they are harmless, not made. */
	if (!fine)
		return err_set(err, ERR_INVALID, "refusing to update ref with bad name '%s'", name);
	*out = transaction_add(t, ref_canonical_name(name), NULL);
	(*out)->flags = (*out)->queued_flags = flags;
	(*out)->msg = clean_message(msg);
	t->queued = t->nr;
	return 0;
}

int ref_transaction_update(struct ref_transaction *t, const char *name,
			   const struct object_id *new_oid,
			   const struct object_id *old_oid,
			   unsigned flags, const char *msg, struct err *err)
{
	struct ref_update *u;
	int rc;

	flags &= UPDATE_HAVE_NEW - 1;
	flags |= UPDATE_HAVE_NEW | (old_oid ? UPDATE_HAVE_OLD : 0);
	rc = queue(t, name, flags, !oid_is_null(new_oid), msg, &u, err);
	if (rc < 0)
		return rc;
	u->new_oid = *new_oid;
	if (old_oid)
		u->old_oid = *old_oid;
	return 0;
}

int ref_transaction_verify(struct ref_transaction *t, const char *name,
			   const struct object_id *old_oid, unsigned flags, struct err *err)
{
	struct ref_update *u;
	int rc = queue(t, name, (flags & REF_NO_DEREF) | UPDATE_HAVE_OLD, false, NULL, &u, err);

	if (rc < 0)
		return rc;
	u->old_oid = *old_oid;
	return 0;
}

int ref_transaction_update_symref(struct ref_transaction *t, const char *name,
				  const char *target, const char *old_target,
				  unsigned flags, const char *msg, struct err *err)
{
	struct ref_update *u;
	int rc;

	if (target && !refname_is_valid(target, REFNAME_ALLOW_ONELEVEL))
		return err_set(err, ERR_INVALID, "refusing to set '%s' to invalid ref '%s'",
			       name, target);
	flags &= UPDATE_HAVE_NEW - 1;
	flags |= REF_NO_DEREF | UPDATE_HAVE_TARGET;
	if (old_target || (flags & REF_MUST_BE_NEW))
		flags |= UPDATE_HAVE_OLD_TARGET;
	rc = queue(t, name, flags, target, msg, &u, err);
	if (rc < 0)
		return rc;
	u->new_target = dup_or_null(target);
	u->old_target = dup_or_null(old_target);
	return 0;
}

int ref_transaction_update_symref_oid(struct ref_transaction *t, const char *name,
				      const char *target, const struct object_id *old_oid,
				      unsigned flags, const char *msg, struct err *err)
{
	int rc = ref_transaction_update_symref(t, name, target, NULL, flags, msg, err);

	if (rc < 0)
		return rc;
	t->updates[t->nr - 1]->flags |= UPDATE_HAVE_OLD;
	t->updates[t->nr - 1]->queued_flags |= UPDATE_HAVE_OLD;
	t->updates[t->nr - 1]->old_oid = *old_oid;
	return 0;
}

int ref_transaction_verify_symref(struct ref_transaction *t, const char *name,
				  const char *old_target, struct err *err)
{
	struct ref_update *u;
	int rc = queue(t, name, REF_NO_DEREF | UPDATE_HAVE_OLD_TARGET, false, NULL, &u, err);

	if (rc < 0)
		return rc;
	u->old_target = dup_or_null(old_target);
	return 0;
}

void ref_transaction_take_log(struct ref_transaction *t, const char *from)
{
	t->updates[t->nr - 1]->log_from = xstrdup(from);
}

/* ---- failing, whole or in part ---- */

static void unlock_update(struct ref_transaction *t, struct ref_update *u)
{
	if (u->lock.tf && u->lock.tf->fd >= 0)
		t->open_fds--;
	lockfile_release(&u->lock);
}

/*
 * `why` goes to the caller, and ends the transaction; or it is kept with its
 * update, where single ones may fail, and 0 is returned. `why` is released.
 */
static int update_failed(struct ref_transaction *t, struct ref_update *u, int rc,
			 struct err *why, struct err *err)
{
	struct ref_update *root = u->root;

	if (!(t->flags & REF_TRANSACTION_ALLOW_FAILURE)) {
		err_move(err, why);
		err_release(why);
		return rc;
	}
	if (!root->rc) {
		root->rc = rc;
		root->error = xstrdup(err_message(why));
		/* Conflicts of values have said so themselves. */
		if (root->failure == REF_FAILURE_OTHER && rc == ERR_CONFLICT)
			root->failure = REF_FAILURE_NAME_CONFLICT;
	}
	for (u = root; u; u = u->next)
		unlock_update(t, u);
	err_release(why);
	return 0;
}

/* ---- the end, as the batch sees it ---- */

static struct ref_outcome *outcome_new(void)
{
	struct ref_outcome *o;

	CALLOC_ARRAY(o, 1);
	o->refcount = 1;
	return o;
}

void ref_outcome_put(struct ref_outcome *o)
{
	size_t i;

	if (!o || --o->refcount)
		return;
	for (i = 0; i < o->nr; i++)
		lockfile_release(&o->locks[i]);
	free(o->locks);
	free(o);
}

void ref_outcome_add(struct ref_outcome *o, struct lockfile *lk)
{
	ALLOC_GROW(o->locks, o->nr + 1, o->alloc);
	o->locks[o->nr++] = *lk;
	*lk = (struct lockfile)LOCKFILE_INIT;
}

static void outcome_done(void *data, bool published)
{
	struct ref_outcome *o = data;
	size_t i;

	o->ended = true;
	o->published = published;
	for (i = 0; i < o->nr; i++)
		lockfile_release(&o->locks[i]);
	o->nr = 0;
	ref_outcome_put(o);
}

/*
 * Behind all others: locks that only kept others away go when everything has
 * been published. Their removal needs no durability.
 */
static int stage_outcome(struct ref_transaction *t, struct err *err)
{
	struct fsync_staging s = {
		.order = PUBLISH_REF_UNLOCK,
		.how = PUBLISH_NOTE,
		.fd = -1,
		.done = outcome_done,
		.data = t->outcome,
	};
	size_t i;

	for (i = 0; i < t->nr; i++) {
		if (!t->updates[i]->lock.tf)
			continue;
		if (t->updates[i]->lock.tf->fd >= 0)
			t->open_fds--;
		ref_outcome_add(t->outcome, &t->updates[i]->lock);
	}
	if (lockfile_is_held(&t->redo_lock))
		ref_outcome_add(t->outcome, &t->redo_lock);
	t->outcome->refcount++;
	return fsync_batch_stage(t->batch, &s, err);
}

/* ---- prepare ---- */

static int sorted_cmp(const void *a, const void *b)
{
	return strcmp((*(struct ref_update *const *)a)->name,
		      (*(struct ref_update *const *)b)->name);
}

static int index_updates(struct ref_transaction *t, struct err *err)
{
	struct err why = ERR_INIT;
	size_t i;
	int rc = 0;

	free(t->sorted);
	ALLOC_ARRAY(t->sorted, t->nr ? t->nr : 1);
	t->sorted_nr = 0;
	for (i = 0; !rc && i < t->nr; i++) {
		struct ref_update *u = t->updates[i];

		if (strmap_contains(&t->by_name, u->name)) {
			rc = err_set(&why, ERR_INVALID,
				     "multiple updates for ref '%s' not allowed", u->name);
			rc = update_failed(t, u, rc, &why, err);
			continue;
		}
		strmap_put(&t->by_name, u->name, u);
		t->sorted[t->sorted_nr++] = u;
	}
	qsort(t->sorted, t->sorted_nr, sizeof(*t->sorted), sorted_cmp);
	return rc;
}

/* A share of the descriptors: the batch and the caller need some too. */
static size_t descriptor_share(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == RLIM_INFINITY ||
	    lim.rlim_cur > 4096)
		return 1024;
	return lim.rlim_cur / 4;
}

static int read_head(struct ref_transaction *t, struct err *err)
{
	struct loose_value v;
	int rc = loose_read(t->rs, "HEAD", &v, err);

	if (rc < 0)
		return rc;
	if (v.kind == LOOSE_SYMREF) {
		t->head_target = v.target;
		v.target = NULL;
	}
	loose_value_release(&v);
	return 0;
}

/* Those that are split off on the way stand at the end of t->updates. */
static int lock_all(struct ref_transaction *t, struct err *err)
{
	struct err why = ERR_INIT;
	size_t split = t->nr, i;
	int rc = 0;

	for (i = 0; !rc && (i < t->sorted_nr || split < t->nr);) {
		struct ref_update *u = i < t->sorted_nr ? t->sorted[i++] : t->updates[split++];

		if (u->root->rc)
			continue;
		rc = update_lock(t, u, &why);
		if (rc < 0)
			rc = update_failed(t, u, rc, &why, err);
	}
	return rc;
}

static int check_all(struct ref_transaction *t, struct err *err)
{
	struct err why = ERR_INIT;
	size_t split = t->queued, i;
	int rc;

	/* After the last lock: what is packed now stays until we let go. */
	rc = packed_refs_get(t->rs, &t->packed, err);
	for (i = 0; !rc && (i < t->sorted_nr || split < t->nr);) {
		struct ref_update *u = i < t->sorted_nr ? t->sorted[i++] : t->updates[split++];

		if (u->root->rc)
			continue;
		rc = update_check(t, u, &why);
		if (rc < 0)
			rc = update_failed(t, u, rc, &why, err);
	}
	return rc;
}

static bool same_parent(const char *a, const char *b)
{
	const char *end = strrchr(a, '/');

	return end && !strncmp(a, b, end + 1 - a) && !strchr(b + (end + 1 - a), '/');
}

/*
 * Directories that were made for what did not happen, or that have become empty.
 * What is in use stays: rmdir sees to that.
 */
static void tidy_dirs(struct ref_transaction *t)
{
	const char *last = NULL;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const char *name = t->updates[i]->name;

		if (last && same_parent(last, name))
			continue;
		ref_remove_empty_parents(t->rs, name, false);
		ref_remove_empty_parents(t->rs, name, true);
		last = name;
	}
}

static void unlock_updates(struct ref_transaction *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		unlock_update(t, t->updates[i]);
}

static void unlock_all(struct ref_transaction *t)
{
	unlock_updates(t);
	lockfile_release(&t->redo_lock);
}

static void free_update(struct ref_update *u);

/*
 * Something was met that cannot go the whole way, or has to be done first: begin again, as
 * if we had come later. Nothing has been decided by what was read so far.
 */
static void start_again(struct ref_transaction *t)
{
	size_t i;

	unlock_updates(t);
	while (t->nr > t->queued)
		free_update(t->updates[--t->nr]);
	for (i = 0; i < t->nr; i++) {
		struct ref_update *u = t->updates[i];

		loose_value_release(&u->current);
		u->flags = u->queued_flags;
		u->leaf = u->next = NULL;
		u->in_loose = false;
		u->rc = 0;
		FREE_AND_NULL(u->error);
	}
	strmap_clear(&t->by_name, NULL);
	FREE_AND_NULL(t->head_target);
	FREE_AND_NULL(t->free_parent);
}

static int index_and_lock(struct ref_transaction *t, struct err *err)
{
	int rc = index_updates(t, err);

	if (!rc)
		rc = read_head(t, err);
	return rc ? rc : lock_all(t, err);
}

/*
 * P6: several refs that go one by one need a record (redo.c). Its lock comes before theirs: an
 * earlier transaction that is to be finished first may need them.
 */
static int lock_record(struct ref_transaction *t, struct err *err)
{
	size_t i, nr = 0;

	for (i = 0; i < t->nr; i++)
		nr += !!(t->updates[i]->flags & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET));
	if (nr < 2 || t->flags & TRANSACTION_REDOES || lockfile_is_held(&t->redo_lock))
		return 0;
	return redo_lock(t->rs, &t->redo_lock, t->rs->packed_lock_timeout_ms,
			 fsync_batch_policy(t->batch), err);
}

static int lock_either_way(struct ref_transaction *t, struct err *err)
{
	int rc;

	t->whole = transaction_may_be_whole(t);
	if (t->whole) {
		rc = index_and_lock(t, err);
		if (rc || transaction_is_whole(t))
			return rc;
		start_again(t);
		t->whole = false;
	}
	rc = lock_record(t, err);
	return rc ? rc : index_and_lock(t, err);
}

/*
 * Somebody who was killed in the middle of a transaction may have held our locks before us:
 * what he left is done first. Asked when the locks are ours, so that he cannot come later.
 */
static int lock_after_others(struct ref_transaction *t, struct err *err)
{
	int rc = lock_either_way(t, err);

	if (rc || t->flags & TRANSACTION_REDOES || lockfile_is_held(&t->redo_lock) ||
	    !redo_is_due(t->rs))
		return rc;
	start_again(t);
	redo_what_is_due(t->rs, fsync_batch_policy(t->batch));
	return lock_either_way(t, err);
}

int ref_transaction_prepare(struct ref_transaction *t, struct fsync_batch *b, struct err *err)
{
	int rc;

	if (t->state != TRANSACTION_OPEN)
		return err_set(err, ERR_INVALID, "the ref transaction is closed already");
	t->batch = b;
	t->max_open_fds = descriptor_share();
	t->outcome = outcome_new();
	packed_refs_clear_dead_lock(t->rs);
	rc = lock_after_others(t, err);
	if (!rc)
		rc = check_all(t, err);
	if (!rc)
		rc = t->whole ? transaction_stage_whole(t, err) : transaction_stage(t, err);
	if (!rc)
		rc = stage_outcome(t, err);
	lock_origin_release(&t->origin);
	if (!rc && !(t->flags & TRANSACTION_REDOES)) {
		/* Its answer matters, and so does that of a disk that is full: it comes last. */
		t->told_hook = true;
		rc = transaction_run_hook(t, "prepared", err);
	}
	if (rc < 0) {
		t->state = TRANSACTION_CLOSED;
		unlock_all(t);
		return rc;
	}
	t->state = TRANSACTION_PREPARED;
	return 0;
}

/* ---- after ---- */

int ref_transaction_result(const struct ref_transaction *t, size_t i, const char **msg)
{
	if (i >= t->queued)
		return ERR_INVALID;
	if (msg)
		*msg = t->updates[i]->error;
	return t->updates[i]->rc;
}

bool ref_transaction_rejection(const struct ref_transaction *t, size_t i,
			       struct ref_rejection *out)
{
	const struct ref_update *u = i < t->queued ? t->updates[i] : NULL;

	if (!u || !u->rc)
		return false;
	out->name = u->name;
	out->old_oid = &u->old_oid;
	out->new_oid = &u->new_oid;
	out->old_target = u->old_target;
	out->new_target = u->new_target;
	out->failure = u->failure;
	out->msg = u->error;
	return true;
}

size_t ref_transaction_nr(const struct ref_transaction *t)
{
	return t->queued;
}

static void free_update(struct ref_update *u)
{
	loose_value_release(&u->current);
	free(u->name);
	free(u->new_target);
	free(u->old_target);
	free(u->msg);
	free(u->log_from);
	free(u->error);
	free(u);
}

void ref_transaction_free(struct ref_transaction *t)
{
	size_t i;

	if (!t)
		return;
	unlock_all(t);
	if (t->told_hook)
		transaction_tell_hook(t, t->outcome->published ? "committed" : "aborted");
	if (t->state != TRANSACTION_OPEN)
		tidy_dirs(t); /* now that the batch has let go */
	for (i = 0; i < t->nr; i++)
		free_update(t->updates[i]);
	strmap_clear(&t->by_name, NULL);
	packed_refs_put(t->packed);
	lock_origin_release(&t->origin);
	ref_outcome_put(t->outcome);
	free(t->updates);
	free(t->sorted);
	free(t->head_target);
	free(t->free_parent);
	free(t->ident);
	free(t);
}
