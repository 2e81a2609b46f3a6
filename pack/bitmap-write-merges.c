/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The section of pseudo-merges, as bitmap-merges.c reads it. Its tables, for readers that look up a
 * commit:
 *
 *   12 bytes for each commit, by bit: 4 bytes bit, 8 bytes where in the file its only pair is, or,
 *   with the highest bit set, where its list is
 *   lists: 4 bytes number of pairs, 8 bytes each where they are
 */
#include "compat/posix.h"
#include "pack/bitmap-write-internal.h"
#include "util/alloc.h"

#define ROW_BYTES 12
#define FOOTER_BYTES 24
#define IS_LIST ((uint64_t)1 << 63)

struct merge_member {
	uint32_t bit, pair;
};

void merge_pairs_add(struct merge_pairs *m, const struct bitset *commits, const struct bitset *reach)
{
	struct merge_pair *p;

	ALLOC_GROW(m->v, m->nr + 1, m->alloc);
	p = &m->v[m->nr];
	*p = (struct merge_pair){ .commits = STRBUF_INIT, .reach = STRBUF_INIT };
	ewah_write(&p->commits, commits);
	ewah_write(&p->reach, reach);
	for (size_t bit = 0; bitset_next(commits, &bit); bit++) {
		ALLOC_GROW(m->members, m->nr_members + 1, m->alloc_members);
		m->members[m->nr_members++] = (struct merge_member){ (uint32_t)bit, (uint32_t)m->nr };
	}
	m->nr++;
}

void merge_pairs_release(struct merge_pairs *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		strbuf_release(&m->v[i].commits);
		strbuf_release(&m->v[i].reach);
	}
	free(m->v);
	free(m->members);
	memset(m, 0, sizeof(*m));
}

static int by_bit(const void *va, const void *vb)
{
	const struct merge_member *a = va, *b = vb;

	if (a->bit != b->bit)
		return a->bit < b->bit ? -1 : 1;
	return a->pair < b->pair ? -1 : a->pair > b->pair;
}

static int write_merge_pairs(struct merge_pairs *m, struct csum_file *f, uint64_t *at, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < m->nr && !rc; i++) {
		struct merge_pair *p = &m->v[i];

		p->offset = *at;
		rc = csum_write(f, p->commits.buf, p->commits.len, err);
		if (!rc)
			rc = csum_write(f, p->reach.buf, p->reach.len, err);
		*at += p->commits.len + p->reach.len;
	}
	return rc;
}

/* How many pairs the commit has whose members begin at i. */
static size_t run_at(const struct merge_pairs *m, size_t i)
{
	size_t n = 1;

	while (i + n < m->nr_members && m->members[i + n].bit == m->members[i].bit)
		n++;
	return n;
}

static uint32_t count_commits(const struct merge_pairs *m)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < m->nr_members; i += run_at(m, i))
		nr++;
	return nr;
}

static int write_rows(const struct merge_pairs *m, struct csum_file *f, uint64_t lists, struct err *err)
{
	int rc = 0;

	for (size_t i = 0, n; i < m->nr_members && !rc; i += n) {
		const struct merge_member *c = &m->members[i];

		n = run_at(m, i);
		rc = csum_write_be32(f, c->bit, err);
		if (!rc)
			rc = csum_write_be64(f, n > 1 ? IS_LIST | lists : m->v[c->pair].offset, err);
		lists += n > 1 ? 4 + 8 * n : 0;
	}
	return rc;
}

static int write_lists(const struct merge_pairs *m, struct csum_file *f, uint64_t *at, struct err *err)
{
	int rc = 0;

	for (size_t i = 0, n; i < m->nr_members && !rc; i += n) {
		n = run_at(m, i);
		if (n == 1)
			continue;
		rc = csum_write_be32(f, (uint32_t)n, err);
		for (size_t k = 0; k < n && !rc; k++)
			rc = csum_write_be64(f, m->v[m->members[i + k].pair].offset, err);
		*at += 4 + 8 * n;
	}
	return rc;
}

static int write_end(const struct merge_pairs *m, struct csum_file *f, uint32_t commits, uint64_t tables,
		     uint64_t len, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < m->nr && !rc; i++)
		rc = csum_write_be64(f, m->v[i].offset, err);
	if (!rc)
		rc = csum_write_be32(f, (uint32_t)m->nr, err);
	if (!rc)
		rc = csum_write_be32(f, commits, err);
	if (!rc)
		rc = csum_write_be64(f, tables, err);
	return rc < 0 ? rc : csum_write_be64(f, len, err);
}

int merge_pairs_write(struct merge_pairs *m, struct csum_file *f, uint64_t at, struct err *err)
{
	uint64_t start = at, tables;
	uint32_t commits;
	int rc = write_merge_pairs(m, f, &at, err);

	if (m->nr_members)
		qsort(m->members, m->nr_members, sizeof(*m->members), by_bit);
	commits = count_commits(m);
	tables = at - start;
	at += (uint64_t)commits * ROW_BYTES;
	if (!rc)
		rc = write_rows(m, f, at, err);
	if (!rc)
		rc = write_lists(m, f, &at, err);
	at += m->nr * 8 + FOOTER_BYTES;
	return rc < 0 ? rc : write_end(m, f, commits, tables, at - start, err);
}
