/* SPDX-License-Identifier: GPL-2.0-only */
/* See bitmap-write.h. */
#include "compat/posix.h"
#include "csum-file.h"
#include "fs/file.h"
#include "fs/tempfile.h"
#include "pack/bitmap-write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

/* Number of earlier entries with which each bitmap is compared, to find the smallest XOR. */
#define XOR_CANDIDATES 4

struct entry {
	struct object_id commit;
	struct strbuf bytes; /* compressed */
	uint64_t offset;     /* in the file */
	unsigned xor_offset; /* entries back; 0: none */
	bool for_file;
};

struct bitmap_writer {
	struct bitmap_target *target;
	struct entry *v;
	size_t nr, alloc;
	struct oidmap by_commit; /* to the number of the entry, plus 1 */
	struct merge_pairs merges;
};

struct bitmap_writer *bitmap_writer_new(struct bitmap_target *t)
{
	struct bitmap_writer *w;

	CALLOC_ARRAY(w, 1);
	w->target = t;
	return w;
}

void bitmap_writer_free(struct bitmap_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->nr; i++)
		strbuf_release(&w->v[i].bytes);
	free(w->v);
	oidmap_clear(&w->by_commit, NULL);
	merge_pairs_release(&w->merges);
	free(w);
}

/* ---- collecting ---- */

void bitmap_writer_add(struct bitmap_writer *w, const struct object_id *commit,
		       const struct bitset *reach, bool for_file)
{
	struct entry *e;

	ALLOC_GROW(w->v, w->nr + 1, w->alloc);
	e = &w->v[w->nr++];
	*e = (struct entry){ .commit = *commit, .bytes = STRBUF_INIT, .for_file = for_file };
	ewah_write(&e->bytes, reach);
	oidmap_put(&w->by_commit, commit, (void *)(uintptr_t)w->nr);
}

static void decode(const struct bitmap_writer *w, const struct strbuf *bytes, struct bitset *to)
{
	struct ewah e;
	size_t used;

	if (ewah_parse(&e, (const unsigned char *)bytes->buf, bytes->len,
		       bitmap_target_nr(w->target), &used, NULL) < 0)
		BUG("a bitmap that we have made is malformed");
	ewah_or_into(to, &e);
}

bool bitmap_writer_or(const struct bitmap_writer *w, const struct object_id *commit, struct bitset *to)
{
	size_t i = (uintptr_t)oidmap_get(&w->by_commit, commit);

	if (i)
		decode(w, &w->v[i - 1].bytes, to);
	return i;
}

void bitmap_writer_add_merge(struct bitmap_writer *w, const struct bitset *commits,
			     const struct bitset *reach)
{
	merge_pairs_add(&w->merges, commits, reach);
}

static void drop_temporary(struct bitmap_writer *w)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->nr; i++)
		if (w->v[i].for_file)
			w->v[kept++] = w->v[i];
		else
			strbuf_release(&w->v[i].bytes);
	w->nr = kept;
	oidmap_clear(&w->by_commit, NULL);
}

/* ---- the difference to a neighbour ---- */

struct neighbours {
	struct bitset plain[XOR_CANDIDATES + 1]; /* by the number of the entry, modulo */
	struct bitset scratch;
	struct strbuf bytes, best;
};

/* Entry i of the file: its bitmap, or the XOR with one of those just before it. */
static void choose_xor_base(struct bitmap_writer *w, struct neighbours *n, struct entry *e, size_t i)
{
	struct bitset *own = &n->plain[i % ARRAY_SIZE(n->plain)];

	bitset_clear(own);
	decode(w, &e->bytes, own);
	e->xor_offset = 0;
	for (unsigned back = 1; back <= XOR_CANDIDATES && back <= i; back++) {
		bitset_copy(&n->scratch, own);
		bitset_xor(&n->scratch, &n->plain[(i - back) % ARRAY_SIZE(n->plain)]);
		strbuf_reset(&n->bytes);
		ewah_write(&n->bytes, &n->scratch);
		if (n->bytes.len >= (e->xor_offset ? n->best.len : e->bytes.len))
			continue;
		strbuf_swap(&n->bytes, &n->best);
		e->xor_offset = back;
	}
}

static void neighbours_release(struct neighbours *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(n->plain); i++)
		bitset_release(&n->plain[i]);
	bitset_release(&n->scratch);
	strbuf_release(&n->bytes);
	strbuf_release(&n->best);
}

/* ---- writing ---- */

static uint32_t position_of(const struct bitmap_writer *w, const struct object_id *commit)
{
	const struct bitmap_target *t = w->target;
	uint32_t pos;

	if (!name_table_find(&t->names, commit->hash, &pos))
		BUG("the bitmap is for a commit that is not in the pack");
	return t->first + pos;
}

static int write_bitmap_header(const struct bitmap_writer *w, const struct bitmap_write_options *o,
			       struct csum_file *f, uint64_t *at, struct err *err)
{
	unsigned char head[BITMAP_HEADER_BYTES];
	size_t raw = w->target->algo->raw_len;
	int rc;

	put_be32(head, BITMAP_SIGNATURE);
	put_be16(head + 4, BITMAP_VERSION);
	put_be16(head + 6, (uint16_t)(BITMAP_FULL_DAG | (o->name_hashes ? BITMAP_HASH_CACHE : 0) |
				      (o->lookup_table ? BITMAP_LOOKUP_TABLE : 0) |
				      (w->merges.nr ? BITMAP_PSEUDO_MERGES : 0)));
	put_be32(head + 8, (uint32_t)w->nr);
	rc = csum_write(f, head, sizeof(head), err);
	if (!rc)
		rc = csum_write(f, w->target->checksum.hash, raw, err);
	*at = sizeof(head) + raw;
	for (int t = 0; t < 4 && !rc; t++) {
		struct strbuf bytes = STRBUF_INIT;

		ewah_write(&bytes, &o->types[t]);
		rc = csum_write(f, bytes.buf, bytes.len, err);
		*at += bytes.len;
		strbuf_release(&bytes);
	}
	return rc;
}

static struct entry *in_file(const struct bitmap_writer *w, size_t i)
{
	return &w->v[w->nr - 1 - i];
}

static int write_entries(struct bitmap_writer *w, struct csum_file *f, uint64_t *at, struct err *err)
{
	struct neighbours n = { .bytes = STRBUF_INIT, .best = STRBUF_INIT };
	int rc = 0;

	for (size_t i = 0; i < w->nr && !rc; i++) {
		struct entry *e = in_file(w, i);
		const struct strbuf *bytes;
		unsigned char flags[2] = { 0, 0 };

		choose_xor_base(w, &n, e, i);
		bytes = e->xor_offset ? &n.best : &e->bytes;
		flags[0] = (unsigned char)e->xor_offset;
		e->offset = *at;
		rc = csum_write_be32(f, position_of(w, &e->commit), err);
		if (!rc)
			rc = csum_write(f, flags, sizeof(flags), err);
		if (!rc)
			rc = csum_write(f, bytes->buf, bytes->len, err);
		*at += BITMAP_ENTRY_BYTES + bytes->len;
	}
	neighbours_release(&n);
	return rc;
}

/* An entry's number in the file, for sorting by name. */
struct row {
	const struct object_id *commit;
	size_t i;
};

static int by_commit(const void *a, const void *b)
{
	return oid_cmp(((const struct row *)a)->commit, ((const struct row *)b)->commit);
}

static int write_table(const struct bitmap_writer *w, struct csum_file *f, struct err *err)
{
	struct row *rows;
	uint32_t *row_of; /* by number in the file */
	int rc = 0;

	ALLOC_ARRAY(rows, w->nr + 1);
	ALLOC_ARRAY(row_of, w->nr + 1);
	for (size_t i = 0; i < w->nr; i++)
		rows[i] = (struct row){ &in_file(w, i)->commit, i };
	qsort(rows, w->nr, sizeof(*rows), by_commit);
	for (size_t k = 0; k < w->nr; k++)
		row_of[rows[k].i] = (uint32_t)k;
	for (size_t k = 0; k < w->nr && !rc; k++) {
		const struct entry *e = in_file(w, rows[k].i);

		rc = csum_write_be32(f, position_of(w, &e->commit), err);
		if (!rc)
			rc = csum_write_be64(f, e->offset, err);
		if (!rc)
			rc = csum_write_be32(f, e->xor_offset ? row_of[rows[k].i - e->xor_offset] :
						BITMAP_NO_ROW, err);
	}
	free(rows);
	free(row_of);
	return rc;
}

static int write_all(struct bitmap_writer *w, const struct bitmap_write_options *o,
		     struct csum_file *f, struct err *err)
{
	const struct bitmap_target *t = w->target;
	uint64_t at;
	int rc = write_bitmap_header(w, o, f, &at, err);

	if (!rc)
		rc = write_entries(w, f, &at, err);
	if (!rc && w->merges.nr)
		rc = merge_pairs_write(&w->merges, f, at, err);
	if (!rc && o->lookup_table)
		rc = write_table(w, f, err);
	for (uint32_t pos = 0; o->name_hashes && !rc && pos < t->nr; pos++)
		rc = csum_write_be32(f, o->name_hashes[t->first + t->bit_of[pos]], err);
	return rc < 0 ? rc : csum_finish(f, NULL, err);
}

int bitmap_writer_stage(struct bitmap_writer *w, const struct bitmap_write_options *o,
			struct fsync_batch *b, struct err *err)
{
	const struct bitmap_target *t = w->target;
	struct csum_file *f;
	struct tempfile *tmp;
	int rc = tempfile_create_in(&tmp, t->dir, t->tmp_prefix, 0444, err);

	if (rc < 0)
		return rc;
	drop_temporary(w);
	f = csum_file_new(tmp->fd, tmp->path, t->algo, false, 0);
	rc = write_all(w, o, f, err);
	csum_file_free(f);
	if (!rc && o->shared_perm)
		rc = apply_shared_perm(tmp->path, o->shared_perm, err);
	if (!rc)
		return tempfile_stage(&tmp, b, FSYNC_PACK_METADATA, t->order, t->path, true, err);
	tempfile_delete(&tmp);
	return rc;
}
