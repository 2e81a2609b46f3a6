/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries that leave a reflog, logs that are removed, entries that are added alone. Which entries leave is decided without a
 * lock, since that may take a walk through the history. All rewrites of one batch in one stack then become one
 * table: its list is locked when the turn of PUBLISH_REF_LATE comes, and the logs are read again, as others may have added
 * to them. An update index is never used twice in a stack: it names the entries that leave.
 */
#include "compat/posix.h"
#include "refs/reftable/transaction-internal.h"
#include "util/alloc.h"

enum log_rewrite_kind { LOG_FILTER, LOG_REMOVE, LOG_APPEND };

struct log_rewrite {
	enum log_rewrite_kind kind;
	char *name; /* the bare one */
	unsigned flags;
	bool fixes;	   /* an old value changes */
	uint64_t *dropped; /* LOG_FILTER: update indexes, ascending */
	size_t nr, alloc;
	struct reflog_entry e; /* LOG_APPEND */
	char *ident, *msg;     /* what it points to */
};

/* All of one batch in one stack. */
struct log_rewrites {
	struct reftable_store *store;
	struct reftable_stack *stack;
	struct fsync_batch *batch;
	struct log_rewrite *items;
	size_t nr, alloc;
	struct log_rewrites *next; /* of another batch */
};

static void log_rewrite_release(struct log_rewrite *w)
{
	free(w->name);
	free(w->dropped);
	free(w->ident);
	free(w->msg);
}

static void rewrites_done(void *data, bool published UNUSED)
{
	struct log_rewrites *w = data, **at = &w->stack->rewrites;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	while (w->nr)
		log_rewrite_release(&w->items[--w->nr]);
	free(w->items);
	free(w);
}

/* ---- under the lock ---- */

/* The ref gets the value of the entry that is the last one now; NULL: there is none. */
static int follow_log(struct reftable_change *c, const char *name, const struct reflog_entry *last, struct err *err)
{
	struct ref_store *rs = &c->store->base;
	struct object_id peeled = rs->algo->null_oid;
	struct ref_value v;
	int rc;

	if (!last || oid_is_null(&last->new_oid))
		return 0;
	rc = reftable_lookup(rs, c->stack, name, &v, err);
	if (rc < 0)
		return rc;
	if (v.kind == REF_KIND_OID && !oid_eq(&v.oid, &last->new_oid)) {
		ref_peel(rs, &last->new_oid, &peeled);
		change_set_ref(c, name, oid_is_null(&peeled) ? REF_VALUE_OID : REF_VALUE_PEELED, &last->new_oid, &peeled, NULL);
	}
	ref_value_release(&v);
	return 0;
}

/* An entry without both values would count as the mark of an empty log (log.c), and be lost. */
static bool may_fix_old(const struct reflog_entry *e, const struct object_id *old_oid)
{
	return !oid_eq(&e->old_oid, old_oid) && !(oid_is_null(&e->new_oid) && oid_is_null(old_oid));
}

/* Drops entries, and repairs the old values of the others; *last: the last one that stays, *drops_last: that is another one than before. */
static void filter_entries(struct reftable_change *c, const struct log_rewrite *w, struct log_entries *log,
			   const struct reflog_entry **last, bool *drops_last)
{
	size_t at = 0;

	for (size_t i = 0; i < log->nr; i++) {
		struct log_entry *x = &log->items[i];
		const struct object_id *old_oid = *last ? &(*last)->new_oid : &c->stack->algo->null_oid;

		while (at < w->nr && w->dropped[at] < x->index)
			at++;
		*drops_last = at < w->nr && w->dropped[at] == x->index;
		if (*drops_last) {
			change_delete_log(c, w->name, x->index);
			continue;
		}
		if (w->flags & REFLOG_FIX_OLD && may_fix_old(&x->e, old_oid)) {
			x->e.old_oid = *old_oid;
			change_put_log(c, w->name, x->index, &x->e);
		}
		*last = &x->e;
	}
}

static int filter_log(struct reftable_change *c, const struct log_rewrite *w, struct err *err)
{
	struct log_entries log = LOG_ENTRIES_INIT;
	const struct reflog_entry *last = NULL;
	bool drops_last = false;
	int rc = reftable_log_read(&c->store->base, c->stack, w->name, &log, err);

	if (rc == ERR_NOT_FOUND) { /* removed meanwhile */
		log_entries_release(&log);
		if (err)
			err_release(err);
		return 0;
	}
	if (!rc)
		filter_entries(c, w, &log, &last, &drops_last);
	if (!rc && !last && !log.is_marked)
		change_mark_log(c, w->name);
	if (!rc && drops_last && w->flags & REFLOG_UPDATE_REF)
		rc = follow_log(c, w->name, last, err);
	log_entries_release(&log);
	return rc;
}

static int apply_rewrite(struct reftable_change *c, const struct log_rewrite *w, struct err *err)
{
	switch (w->kind) {
	case LOG_FILTER:
		return filter_log(c, w, err);
	case LOG_REMOVE:
		return change_delete_logs(c, w->name, err);
	case LOG_APPEND:
		change_put_log(c, w->name, c->index, &w->e);
		return 0;
	}
	BUG("rewrite of kind %d", w->kind);
}

static int apply_rewrites(struct reftable_change *c, struct log_rewrites *w, struct err *err)
{
	int rc = 0;

	while (!rc && w->nr) {
		struct log_rewrite *last = &w->items[--w->nr];

		rc = apply_rewrite(c, last, err);
		if (rc < 0)
			err_prefix(err, "cannot rewrite the reflog of '%s'", last->name);
		log_rewrite_release(last);
	}
	return rc;
}

/* Another process holds the list: leaves the logs as they are, with a warning, if that will do for all of them. */
static bool may_leave(const struct log_rewrites *w, const struct err *why)
{
	for (size_t i = 0; i < w->nr; i++)
		if (!(w->items[i].flags & REFLOG_IF_FREE))
			return false;
	ref_store_warn(&w->store->base, "cannot lock references: %s", err_message(why));
	return true;
}

static int publish_rewrites(void *data, struct err *err)
{
	struct log_rewrites *w = data;
	struct err why = ERR_INIT;
	struct reftable_change *c;
	int rc;

	if (!w->nr) /* a transaction has taken them */
		return 0;
	CALLOC_ARRAY(c, 1);
	rc = change_lock(c, w->store, w->stack, w->batch, &why);
	if (rc < 0) {
		change_free(c);
		if (rc == ERR_LOCKED && may_leave(w, &why))
			rc = 0;
		else
			err_set(err, rc, "cannot lock references: %s", err_message(&why));
		err_release(&why);
		return rc;
	}
	rc = apply_rewrites(c, w, err);
	if (!rc)
		rc = change_stage(c, w->batch, err);
	if (!rc)
		return change_end_with(c, w->batch, err);
	change_free(c);
	return rc;
}

int log_rewrites_join(struct reftable_change *c, struct fsync_batch *b, struct err *err)
{
	for (struct log_rewrites *w = c->stack->rewrites; w; w = w->next)
		if (w->batch == b)
			return apply_rewrites(c, w, err);
	return 0;
}

/* ---- before ---- */

static struct log_rewrites *rewrites_of(struct reftable_stack *s, struct fsync_batch *b)
{
	struct log_rewrites *w = s->rewrites;

	while (w && w->batch != b)
		w = w->next;
	return w;
}

/* The turn of the batch's rewrites comes with PUBLISH_REF_LATE: other processes wait for the new list alone. */
static int stage_rewrites(struct log_rewrites **out, struct reftable_store *st, struct reftable_stack *s,
			  struct fsync_batch *b, struct err *err)
{
	struct fsync_staging g = { .component = FSYNC_REFERENCE, .order = PUBLISH_REF_LATE, .how = PUBLISH_CALL, .fd = -1,
				   .final_path = s->list_path, .call = publish_rewrites, .done = rewrites_done };
	struct log_rewrites *w;

	CALLOC_ARRAY(w, 1);
	*w = (struct log_rewrites){ .store = st, .stack = s, .batch = b, .next = s->rewrites };
	s->rewrites = *out = w;
	g.data = w;
	return fsync_batch_stage(b, &g, err);
}

/* Adds an empty one for that log. ERR_LOCKED: the batch rewrites it already. */
static int new_rewrite(struct log_rewrite **out, struct ref_store *rs, const char *name, struct fsync_batch *b,
		       struct err *err)
{
	const char *bare;
	struct reftable_stack *s = reftable_stack_of(rs, name, &bare);
	struct log_rewrites *w = rewrites_of(s, b);
	int rc = w ? 0 : stage_rewrites(&w, reftable_store(rs), s, b, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < w->nr; i++)
		if (!strcmp(w->items[i].name, bare))
			return err_set(err, ERR_LOCKED, "cannot lock ref '%s': its reflog is being rewritten", name);
	ALLOC_GROW(w->items, w->nr + 1, w->alloc);
	*out = &w->items[w->nr++];
	**out = (struct log_rewrite){ .name = xstrdup(bare) };
	return 0;
}

/* Asks `keep`, and notes what changes. */
static int decide_entries(const struct ref_store *rs, struct log_rewrite *w, const struct log_entries *log, reflog_keep_fn keep,
			  void *data, struct err *err)
{
	struct object_id last = rs->algo->null_oid;
	int rc = 1;

	for (size_t i = 0; rc >= 0 && i < log->nr; i++) {
		const struct log_entry *x = &log->items[i];

		rc = keep(data, i, log->nr, &x->e, err);
		if (rc > 0) {
			w->fixes |= w->flags & REFLOG_FIX_OLD && may_fix_old(&x->e, &last);
			last = x->e.new_oid;
		}
		if (rc)
			continue;
		ALLOC_GROW(w->dropped, w->nr + 1, w->alloc);
		w->dropped[w->nr++] = x->index;
	}
	return rc < 0 ? rc : 0;
}

int reftable_reflog_rewrite(struct ref_store *rs, const char *name, unsigned flags, reflog_keep_fn keep, void *data,
			    struct fsync_batch *b, struct err *err)
{
	struct log_entries log = LOG_ENTRIES_INIT;
	struct log_rewrite w = { .kind = LOG_FILTER, .flags = flags }, *staged;
	struct reftable_stack *s;
	const char *bare;
	int rc = reftable_fresh_stack_of(&s, rs, name, &bare, err);

	if (!rc)
		rc = reftable_log_read(rs, s, bare, &log, err);
	if (!rc)
		rc = decide_entries(rs, &w, &log, keep, data, err);
	if (!rc && !(flags & REFLOG_DRY_RUN) && (w.nr || w.fixes)) {
		rc = new_rewrite(&staged, rs, name, b, err);
		if (!rc) {
			w.name = staged->name;
			*staged = w;
			w = (struct log_rewrite){ .name = NULL };
		}
	}
	log_rewrite_release(&w);
	log_entries_release(&log);
	return rc;
}

int reftable_reflog_remove(struct ref_store *rs, const char *name, struct fsync_batch *b, struct err *err)
{
	struct log_rewrite *w;
	int rc;

	if (!reftable_reflog_exists(rs, name))
		return err_set(err, ERR_NOT_FOUND, "no reflog for '%s'", name);
	rc = new_rewrite(&w, rs, name, b, err);
	if (!rc)
		w->kind = LOG_REMOVE;
	return rc;
}

int reftable_reflog_append(struct ref_store *rs, const char *name, const struct reflog_entry *e, struct fsync_batch *b,
			   struct err *err)
{
	struct log_rewrite *w;
	struct ident_split ident;
	int rc;

	if (ident_split_line(&ident, e->ident, strlen(e->ident)) < 0)
		return err_set(err, ERR_INVALID, "the entry has no author");
	rc = new_rewrite(&w, rs, name, b, err);
	if (rc < 0)
		return rc;
	w->kind = LOG_APPEND;
	w->e = *e;
	w->e.ident = w->ident = xstrdup(e->ident);
	w->e.msg = w->msg = xstrdup(e->msg ? e->msg : "");
	w->e.date = ident.date;
	w->e.tz = ident.tz;
	return 0;
}
