/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transactions, wherever the refs live: the queue, the results, the hook, and the states
 * (open, prepared, closed). Locking, checking and staging are the backend's.
 */
#include "compat/posix.h"
#include "refs/refs-internal.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/trace2.h"

/* While others are killed all the time. */
#define RECOVERY_ROUNDS 10

struct ref_transaction *ref_transaction_begin(struct ref_store *rs, unsigned flags)
{
	struct ref_transaction *t = xcalloc(1, rs->backend->transaction_size);

	t->rs = rs;
	t->flags = flags;
	t->known_oid = rs->algo->null_oid;
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

struct ref_update *transaction_add_update(struct ref_transaction *t, const char *name,
					  const struct ref_update *from)
{
	struct ref_update *u = xcalloc(1, t->rs->backend->update_size);

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
char *reflog_clean_message(const char *msg)
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
			    refname_is_deletable(name);

	if (t->state != TRANSACTION_OPEN)
		return err_set(err, ERR_INVALID, "ref '%s': the transaction is closed already", name);
	/* Bad names may be looked at and removed, if they are harmless, not made. */
	if (!fine)
		return err_set(err, ERR_INVALID, "refusing to update ref with bad name '%s'", name);
	if (refname_is_pseudoref(name))
		return err_set(err, ERR_INVALID, "refusing to update pseudoref '%s'", name);
	*out = transaction_add_update(t, ref_canonical_name(name), NULL);
	(*out)->flags = (*out)->queued_flags = flags;
	(*out)->msg = reflog_clean_message(msg);
	t->queued = t->nr;
	return 0;
}

void ref_transaction_new_values(const struct ref_transaction *t, struct oid_array *out)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->updates[i]->flags & UPDATE_HAVE_NEW && !oid_is_null(&t->updates[i]->new_oid))
			oid_array_append(out, &t->updates[i]->new_oid);
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
	struct ref_update *u = NULL;
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
	flags |= UPDATE_HAVE_TARGET;
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
	struct ref_update *u = NULL;
	int rc = queue(t, name, REF_NO_DEREF | UPDATE_HAVE_OLD_TARGET, false, NULL, &u, err);

	if (rc < 0)
		return rc;
	u->old_target = dup_or_null(old_target);
	return 0;
}

void ref_transaction_inherit_log(struct ref_transaction *t, const char *from)
{
	t->updates[t->nr - 1]->log_from = xstrdup(from);
}

void ref_transaction_add_log_step(struct ref_transaction *t, const struct object_id *oid, const char *msg)
{
	struct ref_update *u = t->updates[t->nr - 1];

	ALLOC_GROW(u->log_steps, u->nr_log_steps + 1, u->alloc_log_steps);
	u->log_steps[u->nr_log_steps++] = (struct ref_log_step){ *oid, reflog_clean_message(msg) };
}

void ref_transaction_know_value(struct ref_transaction *t, enum object_type type, const struct object_id *peeled)
{
	struct ref_update *u = t->updates[t->nr - 1];

	u->known_type = type;
	u->known_peeled = *peeled;
}

/* ---- the hook: githooks(5) ---- */

static void add_value(struct strbuf *out, bool given, const char *target,
		      const struct object_id *oid, const struct object_id *null_oid)
{
	if (given && target)
		strbuf_addf(out, "ref:%s ", target);
	else
		strbuf_addf(out, "%s ", oid_hex(given ? oid : null_oid));
}

/* Adds a line for each queued update, and for updates split off from symbolic refs. */
static void add_lines(const struct ref_transaction *t, struct strbuf *out)
{
	const struct object_id *null_oid = &t->rs->algo->null_oid;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct ref_update *u = t->updates[i];
		const unsigned asked = u->root->queued_flags;

		if (u->root->rc)
			continue;
		add_value(out, asked & (UPDATE_HAVE_OLD | UPDATE_HAVE_OLD_TARGET), u->old_target,
			  &u->old_oid, null_oid);
		add_value(out, asked & (UPDATE_HAVE_NEW | UPDATE_HAVE_TARGET), u->new_target,
			  &u->new_oid, null_oid);
		strbuf_addf(out, "%s\n", u->name);
	}
}

static int run_hook(struct ref_transaction *t, const char *state, struct err *err)
{
	const struct ref_hook *hook = &t->rs->hook;
	struct strbuf lines = STRBUF_INIT;
	int rc;

	if (t->flags & REF_TRANSACTION_RECOVERS || !hook->run || !hook->is_there(hook->data))
		return 0;
	add_lines(t, &lines);
	rc = hook->run(hook->data, state, lines.buf, err);
	strbuf_release(&lines);
	if (rc < 0)
		return err_set(err, ERR_ABORTED, "in '%s' phase, update aborted by the "
			       "reference-transaction hook", state);
	return 0;
}

/* Where its answer changes nothing any more. */
static void notify_hook(struct ref_transaction *t, const char *state)
{
	struct err ignored = ERR_INIT;

	if (run_hook(t, state, &ignored) < 0)
		err_release(&ignored);
}

/* ---- the end ---- */

/*
 * Closes a transaction whose staged files the batch has published or given up; or nothing was
 * staged.
 */
static void close_transaction(struct ref_transaction *t)
{
	t->rs->backend->unlock(t);
	t->state = TRANSACTION_CLOSED;
}

/* P6: an interrupted transaction that had our locks before us is finished first. */
static int lock_after_recovery(struct ref_transaction *t, struct err *err)
{
	const struct ref_backend *be = t->rs->backend;
	int rc = be->lock(t, err);

	for (int round = 0; rc == REF_LOCK_AFTER_RECOVERY; round++) {
		struct err why = ERR_INIT;
		int recovered = be->recover(t->rs, fsync_batch_policy(t->batch), &why);

		rc = be->lock(t, err);
		if (rc == REF_LOCK_AFTER_RECOVERY && (recovered < 0 || round == RECOVERY_ROUNDS)) {
			rc = recovered < 0 ? recovered : ERR_LOCKED;
			err_set(err, rc, "%s", recovered < 0 ? err_message(&why) :
				"ref transactions are interrupted again and again");
		}
		err_release(&why);
	}
	return rc;
}

int ref_transaction_prepare(struct ref_transaction *t, struct fsync_batch *b, struct err *err)
{
	const struct ref_backend *be = t->rs->backend;
	int rc;

	if (t->state != TRANSACTION_OPEN)
		return err_set(err, ERR_INVALID, "the ref transaction is closed already");
	/* Objects in quarantine may be thrown away: git-receive-pack(1) */
	if (getenv("GIT_QUARANTINE_PATH")) {
		t->state = TRANSACTION_CLOSED;
		return err_set(err, ERR_INVALID,
			       "ref updates forbidden inside quarantine environment");
	}
	/* Names as they were queued: symbolic refs are followed under their locks. */
	rc = run_hook(t, "preparing", err);
	if (rc < 0) {
		t->state = TRANSACTION_CLOSED;
		return rc;
	}
	t->batch = b;
	trace2_region_enter("refs", "lock");
	rc = lock_after_recovery(t, err);
	trace2_region_leave("refs", "lock");
	if (rc < 0) {
		close_transaction(t);
		return rc;
	}
	t->state = TRANSACTION_PREPARED;
	trace2_region_enter("refs", "stage");
	rc = be->stage(t, err);
	trace2_region_leave("refs", "stage");
	if (rc < 0) {
		fsync_batch_abort(b);
		close_transaction(t);
		return rc;
	}
	/* Its answer matters, and so does that of a disk that is full: it comes last. */
	rc = run_hook(t, "prepared", err);
	if (rc < 0)
		ref_transaction_abort(t);
	return rc;
}

static bool has_new_value(const struct ref_transaction *t, const struct ref_update *u)
{
	struct ref_value v = { .kind = REF_KIND_MISSING };
	bool yes = false;

	if (t->rs->backend->read(t->rs, u->name, &v, NULL) < 0)
		return false;
	if (u->flags & UPDATE_DELETES)
		yes = v.kind == REF_KIND_MISSING;
	else if (u->flags & UPDATE_HAVE_TARGET)
		yes = v.kind == REF_KIND_SYMREF && !strcmp(v.target, u->new_target);
	else
		yes = v.kind == REF_KIND_OID && oid_eq(&v.oid, &u->new_oid);
	ref_value_release(&v);
	return yes;
}

/* Durability is unknown: is all of it visible at least? */
static bool is_visible(const struct ref_transaction *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct ref_update *u = t->updates[i];

		if (!u->root->rc && u->flags & (UPDATE_WRITES | UPDATE_DELETES) &&
		    !has_new_value(t, u))
			return false;
	}
	return true;
}

void ref_transaction_finish(struct ref_transaction *t, int rc)
{
	bool committed;

	if (t->state != TRANSACTION_PREPARED)
		return;
	close_transaction(t);
	committed = rc >= 0 || (rc == ERR_UNCERTAIN && is_visible(t));
	notify_hook(t, committed ? "committed" : "aborted");
}

int ref_transaction_commit(struct ref_transaction *t, struct err *err)
{
	int rc;

	if (t->state != TRANSACTION_PREPARED)
		return err_set(err, ERR_INVALID, "the ref transaction is not prepared");
	rc = fsync_batch_commit(t->batch, err);
	ref_transaction_finish(t, rc);
	return rc;
}

void ref_transaction_abort(struct ref_transaction *t)
{
	if (t->state == TRANSACTION_CLOSED)
		return;
	if (t->state == TRANSACTION_PREPARED) {
		fsync_batch_abort(t->batch);
		close_transaction(t);
	}
	t->state = TRANSACTION_CLOSED;
	notify_hook(t, "aborted");
}

/* ---- results ---- */

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

const char *ref_failure_text(enum ref_failure failure, const char *other)
{
	switch (failure) {
	case REF_FAILURE_NAME_CONFLICT:
		return "refname conflict";
	case REF_FAILURE_EXISTS:
		return "reference already exists";
	case REF_FAILURE_MISSING:
		return "reference does not exist";
	case REF_FAILURE_OLD_VALUE:
		return "incorrect old value provided";
	case REF_FAILURE_NEW_VALUE:
		return "invalid new value provided";
	case REF_FAILURE_NO_SYMREF:
		return "expected symref but found regular ref";
	default:
		return other;
	}
}

size_t ref_transaction_nr(const struct ref_transaction *t)
{
	return t->queued;
}

/* ---- memory ---- */

static void free_update(const struct ref_backend *be, struct ref_update *u)
{
	if (be->update_clear)
		be->update_clear(u);
	free(u->name);
	free(u->new_target);
	free(u->old_target);
	free(u->msg);
	free(u->log_from);
	for (size_t i = 0; i < u->nr_log_steps; i++)
		free(u->log_steps[i].msg);
	free(u->log_steps);
	free(u->error);
	free(u);
}

void ref_transaction_reset(struct ref_transaction *t)
{
	while (t->nr > t->queued)
		free_update(t->rs->backend, t->updates[--t->nr]);
	for (size_t i = 0; i < t->nr; i++) {
		struct ref_update *u = t->updates[i];

		if (t->rs->backend->update_clear)
			t->rs->backend->update_clear(u);
		u->flags = u->queued_flags;
		u->leaf = u->next = u->log_first = NULL;
		u->exists = false;
		u->target = NULL;
		u->value = t->rs->algo->null_oid;
		u->rc = 0;
		u->failure = REF_FAILURE_OTHER;
		FREE_AND_NULL(u->error);
	}
	strmap_clear(&t->by_name, NULL);
	FREE_AND_NULL(t->head_target);
}

void ref_transaction_free(struct ref_transaction *t)
{
	size_t i;

	if (!t)
		return;
	if (t->state == TRANSACTION_PREPARED)
		BUG("a prepared ref transaction is freed, but was neither committed nor aborted");
	if (t->rs->backend->release)
		t->rs->backend->release(t);
	for (i = 0; i < t->nr; i++)
		free_update(t->rs->backend, t->updates[i]);
	strmap_clear(&t->by_name, NULL);
	free(t->updates);
	free(t->sorted);
	free(t->head_target);
	free(t->ident);
	free(t);
}
