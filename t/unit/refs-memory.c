/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/ident.h"
#include "t/unit/refs-memory.h"
#include "util/alloc.h"
#include "util/path.h"

struct memory_entry {
	struct object_id old_oid, new_oid;
	char *ident; /* the whole line, with date and zone */
	char *msg;
};

/* A ref, its log, its lock. It stays when the ref goes. */
struct memory_ref {
	struct ref_value value;
	struct memory_entry *log;
	size_t log_nr, log_alloc;
	bool has_log, is_locked;
};

struct memory_store {
	struct ref_store base;
	struct string_list refs; /* by name; util: struct memory_ref */
};

struct memory_update {
	struct ref_update base;
	struct memory_ref *locked; /* by us */
	bool logs;
	struct object_id log_old, log_new;
};

/* ---- the store ---- */

static struct memory_store *store_of(const struct ref_store *rs)
{
	return (struct memory_store *)rs;
}

static struct memory_update *memory_update(struct ref_update *u)
{
	return (struct memory_update *)u;
}

static struct memory_ref *find(const struct ref_store *rs, const char *name)
{
	struct string_list_item *item =
		string_list_lookup(&store_of(rs)->refs, ref_canonical_name(name));

	return item ? item->util : NULL;
}

static struct memory_ref *find_or_add(struct ref_store *rs, const char *name)
{
	struct string_list_item *item = string_list_insert(&store_of(rs)->refs, name);

	if (!item->util)
		item->util = xcalloc(1, sizeof(struct memory_ref));
	return item->util;
}

static void drop_log(struct memory_ref *r)
{
	while (r->log_nr) {
		free(r->log[--r->log_nr].ident);
		free(r->log[r->log_nr].msg);
	}
	r->has_log = false;
}

static int memory_open(struct ref_store *rs, const struct ref_store_options *o UNUSED,
		       struct err *err UNUSED)
{
	struct memory_ref *head = find_or_add(rs, "HEAD");

	head->value = (struct ref_value){ .kind = REF_KIND_SYMREF,
					  .target = xstrdup("refs/heads/main") };
	return 0;
}

static void free_ref(void *util)
{
	struct memory_ref *r = util;

	ref_value_release(&r->value);
	drop_log(r);
	free(r->log);
	free(r);
}

static void memory_close(struct ref_store *rs)
{
	string_list_clear(&store_of(rs)->refs, free_ref);
}

static int memory_read(struct ref_store *rs, const char *name, struct ref_value *out,
		       struct err *err UNUSED)
{
	const struct memory_ref *r = find(rs, name);

	*out = r ? r->value : (struct ref_value){ .kind = REF_KIND_MISSING };
	if (out->target)
		out->target = xstrdup(out->target);
	return 0;
}

static bool exists(const struct memory_ref *r)
{
	return r && r->value.kind != REF_KIND_MISSING;
}

static bool is_left_out(const struct strvec *dirs, const char *name)
{
	for (size_t i = 0; i < dirs->nr; i++)
		if (starts_with(name, dirs->v[i]))
			return true;
	return false;
}

static int memory_foreach(struct ref_store *rs, const struct ref_range *range, ref_raw_fn fn, void *data,
			  struct err *err UNUSED)
{
	const struct string_list *refs = &store_of(rs)->refs;
	int rc = 0;

	for (size_t i = 0; !rc && i < refs->nr; i++) {
		const char *name = refs->items[i].string;
		const struct memory_ref *r = refs->items[i].util;
		struct ref_raw raw = { .name = name, .kind = r->value.kind,
				       .oid = &r->value.oid, .target = r->value.target };

		if (exists(r) && starts_with(name, "refs/") && starts_with(name, range->prefix) &&
		    (!range->after || strcmp(name, range->after) > 0) && !is_left_out(range->except, name))
			rc = fn(data, &raw);
	}
	return rc;
}

/* ---- transactions: lock ---- */

static int fail(struct err *err, int code, const struct ref_update *u, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

static int fail(struct err *err, int code, const struct ref_update *u, const char *fmt, ...)
{
	va_list ap;
	char *msg;

	va_start(ap, fmt);
	msg = xvstrfmt(fmt, ap);
	va_end(ap);
	if (starts_with(msg, "verifying symref target: "))
		err_set(err, code, "%s", msg);
	else
		err_set(err, code, "cannot lock ref '%s': %s", ref_update_display_name(u), msg);
	free(msg);
	return code;
}

static void unlock_update(struct ref_update *u)
{
	if (memory_update(u)->locked)
		memory_update(u)->locked->is_locked = false;
	memory_update(u)->locked = NULL;
}

static int lock_one(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	struct memory_ref *r = find_or_add(t->rs, u->name);

	if (r->is_locked)
		return fail(err, ERR_LOCKED, u, "it is locked");
	memory_update(u)->locked = r;
	r->is_locked = true;
	u->target = r->value.target;
	return ref_update_split(t, u, err);
}

/* "a" and "a/b" cannot both be there. */
static int check_name(struct ref_transaction *t, const struct ref_update *u, struct err *err)
{
	const struct string_list *refs = &store_of(t->rs)->refs;

	for (size_t i = 0; i < refs->nr; i++) {
		const char *other = refs->items[i].string;
		const struct memory_ref *r = refs->items[i].util;
		const struct ref_update *beside = strmap_get(&t->by_name, other);

		if (!paths_nest(other, u->name))
			continue;
		if (exists(r))
			return fail(err, ERR_CONFLICT, u, "'%s' exists; cannot create '%s'",
				    other, u->name);
		if (beside && !beside->root->rc)
			return fail(err, ERR_CONFLICT, u, "cannot process '%s' and '%s' at "
				    "the same time", u->name, other);
		if (r->is_locked)
			return fail(err, ERR_CONFLICT, u, "'%s' is locked; cannot create '%s'",
				    other, u->name);
	}
	return 0;
}

static int check_locked(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	const struct ref_value *v = &memory_update(u)->locked->value;
	struct err why = ERR_INIT;
	int rc;

	u->exists = v->kind != REF_KIND_MISSING;
	if (v->kind == REF_KIND_OID)
		u->value = v->oid;
	else if (u->target && ref_resolve(t->rs, u->name, &u->value, NULL, NULL, NULL) < 0)
		u->value = t->rs->algo->null_oid;
	rc = ref_update_check_old(u, &why);
	if (rc < 0)
		fail(err, rc, u, "%s", err_message(&why));
	err_release(&why);
	if (!rc)
		rc = ref_update_decide(t, u, err);
	return !rc && u->flags & UPDATE_WRITES && !u->exists ? check_name(t, u, err) : rc;
}

static int check_one(struct ref_transaction *t, struct ref_update *u, struct err *err)
{
	int rc = u->flags & UPDATE_LOG_ONLY ? 0 : check_locked(t, u, err);

	for (u = u->root; rc < 0 && u; u = u->next)
		unlock_update(u);
	return rc;
}

static int memory_lock(struct ref_transaction *t, struct err *err)
{
	int rc = ref_transaction_index(t, err);

	if (!rc)
		rc = ref_transaction_each(t, lock_one, err);
	return rc ? rc : ref_transaction_each(t, check_one, err);
}

/* ---- transactions: stage, and what happens at publication ---- */

static void add_entry(struct memory_ref *r, const struct object_id *old_oid,
		      const struct object_id *new_oid, const char *ident, const char *msg)
{
	ALLOC_GROW(r->log, r->log_nr + 1, r->log_alloc);
	r->log[r->log_nr++] = (struct memory_entry){ *old_oid, *new_oid, xstrdup(ident),
						     xstrdup(msg ? msg : "") };
	r->has_log = true;
}

static void move_log(struct ref_transaction *t, const struct ref_update *u, struct memory_ref *to)
{
	const struct memory_ref *from = find(t->rs, u->log_from);

	drop_log(to);
	for (size_t i = 0; from && i < from->log_nr; i++)
		add_entry(to, &from->log[i].old_oid, &from->log[i].new_oid, from->log[i].ident,
			  from->log[i].msg);
	if (u->msg && (to->has_log || reflog_is_wanted(t->rs, u->name)))
		add_entry(to, &u->new_oid, &u->new_oid, t->ident, u->msg);
}

static void apply_value(struct ref_update *u)
{
	struct memory_ref *r = memory_update(u)->locked;

	if (u->flags & (UPDATE_WRITES | UPDATE_DELETES))
		ref_value_release(&r->value);
	if (u->flags & UPDATE_DELETES)
		drop_log(r);
	if (!(u->flags & UPDATE_WRITES))
		return;
	if (u->flags & UPDATE_HAVE_TARGET)
		r->value = (struct ref_value){ .kind = REF_KIND_SYMREF,
					       .target = xstrdup(u->new_target) };
	else
		r->value = (struct ref_value){ .kind = REF_KIND_OID, .oid = u->new_oid };
}

static void apply_log(struct ref_transaction *t, struct ref_update *u)
{
	const struct memory_update *m = memory_update(u);

	if (u->log_from)
		move_log(t, u, m->locked);
	else if (m->logs && (m->locked->has_log || u->flags & REF_FORCE_REFLOG ||
			     reflog_is_wanted(t->rs, u->name)))
		add_entry(m->locked, &m->log_old, &m->log_new, t->ident, u->msg);
}

static void apply(void *data, bool published)
{
	struct ref_transaction *t = data;

	for (size_t i = 0; published && i < t->nr; i++)
		if (!t->updates[i]->root->rc)
			apply_log(t, t->updates[i]);
	for (size_t i = 0; published && i < t->nr; i++)
		if (!t->updates[i]->root->rc)
			apply_value(t->updates[i]);
}

static int memory_stage(struct ref_transaction *t, struct err *err)
{
	const struct fsync_staging s = { .order = PUBLISH_REF, .how = PUBLISH_NOTE, .fd = -1,
					 .done = apply, .data = t };

	for (size_t i = 0; i < t->nr; i++) {
		struct memory_update *m = memory_update(t->updates[i]);

		m->logs = !m->base.root->rc &&
			  ref_update_logs(t, &m->base, &m->log_old, &m->log_new);
	}
	return fsync_batch_stage(t->batch, &s, err);
}

static void memory_unlock(struct ref_transaction *t)
{
	for (size_t i = 0; i < t->nr; i++)
		unlock_update(t->updates[i]);
}

/* ---- reflogs ---- */

static bool memory_reflog_exists(struct ref_store *rs, const char *name)
{
	const struct memory_ref *r = find(rs, name);

	return r && r->has_log;
}

static int visit_entry(const struct memory_entry *m, reflog_fn fn, void *data)
{
	struct reflog_entry e = { .old_oid = m->old_oid, .new_oid = m->new_oid, .msg = m->msg };
	struct ident_split split;
	char *ident;
	int rc;

	if (ident_split_line(&split, m->ident, strlen(m->ident)) < 0)
		return 0;
	e.ident = ident = xmemdupz(m->ident, split.mail + split.mail_len + 1 - m->ident);
	e.date = split.date;
	e.tz = split.tz;
	rc = fn(data, &e);
	free(ident);
	return rc;
}

static int memory_reflog_foreach(struct ref_store *rs, const char *name, bool newest_first,
				 reflog_fn fn, void *data, struct err *err)
{
	const struct memory_ref *r = find(rs, name);
	int rc = 0;

	if (!r || !r->has_log)
		return err_set(err, ERR_NOT_FOUND, "no reflog for '%s'", name);
	for (size_t i = 0; !rc && i < r->log_nr; i++)
		rc = visit_entry(&r->log[newest_first ? r->log_nr - 1 - i : i], fn, data);
	return rc;
}

static int memory_reflogs_foreach(struct ref_store *rs, bool everywhere UNUSED,
				  int (*fn)(void *data, const char *name), void *data,
				  struct err *err UNUSED)
{
	const struct string_list *refs = &store_of(rs)->refs;
	int rc = 0;

	for (size_t i = 0; !rc && i < refs->nr; i++)
		if (((const struct memory_ref *)refs->items[i].util)->has_log)
			rc = fn(data, refs->items[i].string);
	return rc;
}

/* Refs in memory are not packed, verified or rewritten. */
const struct ref_backend memory_ref_backend = {
	.name = "memory",
	.store_size = sizeof(struct memory_store),
	.transaction_size = sizeof(struct ref_transaction),
	.update_size = sizeof(struct memory_update),
	.open = memory_open,
	.close = memory_close,
	.read = memory_read,
	.foreach = memory_foreach,
	.lock = memory_lock,
	.stage = memory_stage,
	.unlock = memory_unlock,
	.reflog_exists = memory_reflog_exists,
	.reflog_foreach = memory_reflog_foreach,
	.reflogs_foreach = memory_reflogs_foreach,
};
