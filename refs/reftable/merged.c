/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/reftable/merged-internal.h"
#include "util/alloc.h"

struct merged_source {
	struct reftable *table;
	struct table_iter it;
};

void merged_iter_start(struct merged_iter *m, enum block_type type, struct reftable *const *tables, size_t nr)
{
	m->type = type;
	m->nr = nr;
	CALLOC_ARRAY(m->sources, nr ? nr : 1);
	CALLOC_ARRAY(m->order, nr ? nr : 1);
	for (size_t i = 0; i < nr; i++) {
		m->sources[i].table = reftable_get(tables[i]);
		m->sources[i].it = (struct table_iter)TABLE_ITER_INIT;
	}
}

static const struct strbuf *source_key(const struct merged_source *s)
{
	return &s->it.cursor.rec.key;
}

/* The newer one of two with the same key comes first. */
static bool comes_before(const struct merged_source *a, const struct merged_source *b)
{
	int c = reftable_key_cmp(source_key(a), source_key(b)->buf, source_key(b)->len);

	return c ? c < 0 : a > b;
}

/* Puts order[i], whose key has grown, in its place among those behind it. */
static void sift(struct merged_iter *m, size_t i)
{
	struct merged_source *s = m->order[i];

	for (; i + 1 < m->nr_order && comes_before(m->order[i + 1], s); i++)
		m->order[i] = m->order[i + 1];
	m->order[i] = s;
}

static void drop_first(struct merged_iter *m)
{
	m->nr_order--;
	memmove(m->order, m->order + 1, m->nr_order * sizeof(*m->order));
}

/* The source with the least key goes on. */
static int advance(struct merged_iter *m, struct err *err)
{
	int rc = table_iter_next(&m->order[0]->it, err);

	if (rc > 0)
		sift(m, 0);
	else if (!rc)
		drop_first(m);
	return rc < 0 ? rc : 0;
}

int merged_iter_seek(struct merged_iter *m, const void *key, size_t len, struct err *err)
{
	int rc = 0;

	m->nr_order = 0;
	m->moved = false;
	for (size_t i = m->nr; rc >= 0 && i-- > 0;) {
		struct merged_source *s = &m->sources[i];

		rc = table_iter_seek(&s->it, s->table, m->type, key, len, err);
		if (!rc)
			rc = table_iter_next(&s->it, err);
		if (rc <= 0)
			continue;
		memmove(m->order + 1, m->order, m->nr_order * sizeof(*m->order));
		m->order[0] = s;
		m->nr_order++;
		sift(m, 0);
	}
	return rc < 0 ? rc : 0;
}

static bool is_deleted(const struct merged_iter *m, const struct reftable_record *r)
{
	return m->type == BLOCK_REF ? r->ref.type == REF_VALUE_DELETED :
	       m->type == BLOCK_LOG ? r->log.type == LOG_VALUE_DELETED : false;
}

/* Past the record of the last call, and past what older tables have under its key. */
static int pass_last(struct merged_iter *m, struct err *err)
{
	int rc = 0;

	if (!m->moved || !m->nr_order)
		return 0;
	m->moved = false;
	if (m->nr_order == 1)
		return advance(m, err);
	strbuf_reset(&m->last);
	strbuf_addbuf(&m->last, source_key(m->order[0]));
	do
		rc = advance(m, err);
	while (!rc && m->nr_order && !reftable_key_cmp(source_key(m->order[0]), m->last.buf, m->last.len));
	return rc;
}

int merged_iter_next(struct merged_iter *m, const struct reftable_record **out, struct err *err)
{
	int rc;

	for (;;) {
		const struct reftable_record *r;

		rc = pass_last(m, err);
		if (rc < 0 || !m->nr_order)
			return rc;
		m->moved = true;
		r = &m->order[0]->it.cursor.rec;
		if (m->with_deleted || !is_deleted(m, r)) {
			*out = r;
			return 1;
		}
	}
}

void merged_iter_release(struct merged_iter *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		table_iter_release(&m->sources[i].it);
		reftable_put(m->sources[i].table);
	}
	FREE_AND_NULL(m->sources);
	FREE_AND_NULL(m->order);
	m->nr = m->nr_order = 0;
	strbuf_release(&m->last);
}
