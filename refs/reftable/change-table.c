/* SPDX-License-Identifier: GPL-2.0-only */
/* The records of a change: collected, sorted, written as a table. */
#include "compat/posix.h"
#include "refs/reftable/change-internal.h"
#include "refs/reftable/write-internal.h"
#include "util/alloc.h"

/* ---- collecting ---- */

void change_set_ref(struct reftable_change *c, const char *name, enum ref_value_type type, const struct object_id *oid,
		    const struct object_id *peeled, const char *target)
{
	struct change_ref *r;

	ALLOC_GROW(c->refs, c->nr_refs + 1, c->alloc_refs);
	r = &c->refs[c->nr_refs++];
	*r = (struct change_ref){ .name = xstrdup(name), .type = type, .target = target ? xstrdup(target) : NULL };
	if (oid)
		r->oid = *oid;
	if (peeled)
		r->peeled = *peeled;
}

static struct change_log *new_log(struct reftable_change *c, const char *name, uint64_t index)
{
	struct change_log *l;

	ALLOC_GROW(c->logs, c->nr_logs + 1, c->alloc_logs);
	l = &c->logs[c->nr_logs];
	*l = (struct change_log){ .key = STRBUF_INIT, .seq = c->nr_logs++, .type = LOG_VALUE_UPDATE };
	log_key_add(&l->key, name, index);
	return l;
}

void change_add_log(struct reftable_change *c, const char *name, unsigned offset, const struct object_id *old_oid,
		    const struct object_id *new_oid, const struct ident_split *ident, const char *msg)
{
	struct change_log *l = new_log(c, name, c->index + offset);

	if (c->index + offset > c->max_index)
		c->max_index = c->index + offset;
	l->old_oid = *old_oid;
	l->new_oid = *new_oid;
	l->name = xmemdupz(ident->name, ident->name_len);
	l->mail = xmemdupz(ident->mail, ident->mail_len);
	l->msg = msg && *msg ? xconcat(msg, "\n") : xstrdup("");
	l->date = ident->date;
	l->tz = ident->tz;
}

void change_put_log(struct reftable_change *c, const char *name, uint64_t index, const struct reflog_entry *e)
{
	struct change_log *l = new_log(c, name, index);
	struct ident_split ident = { .name = "", .mail = "" };

	if (ident_split_line(&ident, e->ident, strlen(e->ident)) < 0)
		BUG("an entry of a reflog without '<' and '>'");
	l->old_oid = e->old_oid;
	l->new_oid = e->new_oid;
	l->name = xmemdupz(ident.name, ident.name_len);
	l->mail = xmemdupz(ident.mail, ident.mail_len);
	l->msg = *e->msg ? xconcat(e->msg, "\n") : xstrdup("");
	l->date = e->date;
	l->tz = e->tz;
}

void change_mark_log(struct reftable_change *c, const char *name)
{
	struct change_log *l = new_log(c, name, c->index);

	l->old_oid = l->new_oid = c->stack->algo->null_oid;
	l->name = xstrdup("");
	l->mail = xstrdup("");
	l->msg = xstrdup("");
}

void change_copy_log(struct reftable_change *c, const char *name, uint64_t index, const struct log_record *r)
{
	struct change_log *l = new_log(c, name, index);

	oid_from_raw(&l->old_oid, r->old_oid, c->stack->algo);
	oid_from_raw(&l->new_oid, r->new_oid, c->stack->algo);
	l->name = xmemdupz(r->name, r->name_len);
	l->mail = xmemdupz(r->mail, r->mail_len);
	l->msg = xmemdupz(r->msg, r->msg_len);
	l->date = r->date;
	l->tz = r->tz;
}

void change_delete_log(struct reftable_change *c, const char *name, uint64_t index)
{
	new_log(c, name, index)->type = LOG_VALUE_DELETED;
}

/* A tombstone for each entry, in whatever table it is. */
int change_delete_logs(struct reftable_change *c, const char *name, struct err *err)
{
	struct merged_iter m = MERGED_ITER_INIT;
	const struct reftable_record *rec;
	size_t name_len;
	uint64_t index;
	int rc;

	merged_iter_start(&m, BLOCK_LOG, c->stack->tables, c->stack->nr);
	rc = merged_iter_seek(&m, name, strlen(name) + 1, err);
	while (!rc && (rc = merged_iter_next(&m, &rec, err)) > 0) {
		rc = 0;
		if (strcmp(rec->key.buf, name))
			break;
		if (log_key_parse(&rec->key, &name_len, &index))
			change_delete_log(c, name, index);
	}
	merged_iter_release(&m);
	return rc;
}

/* ---- writing ---- */

static int change_ref_cmp(const void *a, const void *b)
{
	return strcmp(((const struct change_ref *)a)->name, ((const struct change_ref *)b)->name);
}

static int change_log_cmp(const void *a, const void *b)
{
	const struct change_log *x = a, *y = b;
	int c = reftable_key_cmp(&x->key, y->key.buf, y->key.len);

	return c ? c : x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int write_refs(const struct reftable_change *c, struct reftable_writer *w, struct err *err)
{
	struct strbuf name = STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < c->nr_refs; i++) {
		const struct change_ref *r = &c->refs[i];
		struct ref_record rec = {
			.update_index = c->index, .type = r->type, .oid = r->oid.hash, .peeled = r->peeled.hash,
			.target = r->target, .target_len = r->target ? strlen(r->target) : 0,
		};

		strbuf_reset(&name);
		strbuf_addstr(&name, r->name);
		rc = reftable_writer_add_ref(w, &name, &rec, err);
	}
	strbuf_release(&name);
	return rc;
}

static int write_logs(const struct reftable_change *c, struct reftable_writer *w, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < c->nr_logs; i++) {
		const struct change_log *l = &c->logs[i];
		struct log_record rec = { .type = l->type };

		if (i + 1 < c->nr_logs && !reftable_key_cmp(&l->key, l[1].key.buf, l[1].key.len))
			continue;
		if (l->type == LOG_VALUE_UPDATE)
			rec = (struct log_record){
				.type = l->type, .old_oid = l->old_oid.hash, .new_oid = l->new_oid.hash,
				.name = l->name, .name_len = strlen(l->name), .mail = l->mail,
				.mail_len = strlen(l->mail), .msg = l->msg, .msg_len = strlen(l->msg),
				.date = l->date, .tz = l->tz,
			};
		rc = reftable_writer_add_log(w, &l->key, &rec, err);
	}
	return rc;
}

static size_t longest_ref(const struct reftable_change *c)
{
	size_t longest = 0;

	for (size_t i = 0; i < c->nr_refs; i++) {
		const struct change_ref *r = &c->refs[i];
		size_t len = strlen(r->name) + (r->target ? strlen(r->target) : 0);

		if (len > longest)
			longest = len;
	}
	return longest;
}

static int add_to_strbuf(void *data, const void *p, size_t len, struct err *err UNUSED)
{
	strbuf_add(data, p, len);
	return 0;
}

int change_write_table(struct reftable_change *c, struct strbuf *out, struct err *err)
{
	struct reftable_write_options o = {
		.algo = c->stack->algo,
		.block_size = reftable_block_size_for(c->store->tables.block_size, longest_ref(c)),
		.restart_interval = c->store->tables.restart_interval,
		.index_objects = !c->store->tables.no_object_index,
		.min_update_index = c->index,
		.max_update_index = c->max_index,
	};
	struct reftable_writer *w = reftable_writer_new(&o, add_to_strbuf, out);
	int rc;

	if (c->nr_refs)
		qsort(c->refs, c->nr_refs, sizeof(*c->refs), change_ref_cmp);
	if (c->nr_logs)
		qsort(c->logs, c->nr_logs, sizeof(*c->logs), change_log_cmp);
	rc = write_refs(c, w, err);
	if (!rc)
		rc = write_logs(c, w, err);
	if (!rc)
		rc = reftable_writer_finish(w, err);
	reftable_writer_free(w);
	return rc;
}
