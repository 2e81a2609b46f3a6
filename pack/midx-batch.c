/* SPDX-License-Identifier: GPL-2.0-only */
/* The small packs of a multi-pack-index that one larger pack can stand for. */
#include "compat/posix.h"
#include "pack/midx-internal.h"
#include "util/alloc.h"

#define NOT_CHOSEN UINT32_MAX

struct candidate {
	uint32_t id;
	time_t mtime;
};

struct batch_object {
	uint64_t offset;
	uint32_t rank; /* of the pack: the youngest first */
	uint32_t pos;  /* in the index */
};

struct batch {
	const struct midx *m;
	uint32_t *referred; /* objects that the index takes from each pack */
	uint32_t *rank;	    /* NOT_CHOSEN */
	uint32_t nr;	    /* packs chosen */
};

static void count_referred(struct batch *b)
{
	for (uint32_t i = 0; i < b->m->nr; i++) {
		uint64_t offset;
		uint32_t id;

		if (midx_location(b->m, i, &id, &offset) && b->m->packs[id])
			b->referred[id]++;
	}
}

static bool is_candidate(const struct batch *b, uint32_t id, bool kept)
{
	const struct pack *p = b->m->packs[id];

	return p && !pack_has_file(p, "mtimes") && !pack_has_file(p, "promisor") &&
	       (kept || !pack_has_file(p, "keep")) && !pack_open_idx(b->m->packs[id], NULL);
}

static int oldest_first(const void *va, const void *vb)
{
	const struct candidate *a = va, *b = vb;

	if (a->mtime != b->mtime)
		return a->mtime < b->mtime ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* What the objects that are still taken from it need, if all are of one size. */
static uint64_t expected_bytes(const struct batch *b, uint32_t id)
{
	const struct pack *p = b->m->packs[id];

	return p->idx.nr ? (uint64_t)((double)p->size * b->referred[id] / p->idx.nr) : 0;
}

static void choose_batch(struct batch *b, const struct midx_batch_options *o)
{
	struct candidate *v;
	uint64_t total = 0;
	uint32_t nr = 0;

	ALLOC_ARRAY(v, (size_t)b->m->nr_packs + 1);
	for (uint32_t id = 0; id < b->m->nr_packs; id++)
		if (is_candidate(b, id, o->kept))
			v[nr++] = (struct candidate){ id, b->m->packs[id]->mtime };
	if (nr)
		qsort(v, nr, sizeof(*v), oldest_first);
	for (uint32_t i = 0; i < nr && (!o->bytes || total < o->bytes); i++) {
		uint64_t bytes = expected_bytes(b, v[i].id);

		if (o->bytes && bytes >= o->bytes)
			continue;
		total += bytes;
		b->rank[v[i].id] = UINT32_MAX - 1 - i;
		b->nr++;
	}
	free(v);
}

static int compare_objects(const void *va, const void *vb)
{
	const struct batch_object *a = va, *b = vb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static uint32_t list_objects(const struct batch *b, struct batch_object *v)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < b->m->nr; i++) {
		uint64_t offset;
		uint32_t id;

		if (midx_location(b->m, i, &id, &offset) && b->rank[id] != NOT_CHOSEN)
			v[nr++] = (struct batch_object){ offset, b->rank[id], i };
	}
	if (nr)
		qsort(v, nr, sizeof(*v), compare_objects);
	return nr;
}

static int show_objects(const struct batch *b, midx_batch_fn fn, void *data, struct err *err)
{
	struct batch_object *v;
	uint32_t nr;
	int rc = 0;

	ALLOC_ARRAY(v, (size_t)b->m->nr + 1);
	nr = list_objects(b, v);
	for (uint32_t i = 0; i < nr && !rc; i++) {
		struct object_id oid;
		uint64_t offset;
		uint32_t id;

		oid_from_raw(&oid, b->m->names + (size_t)v[i].pos * b->m->algo->raw_len, b->m->algo);
		if (midx_location(b->m, v[i].pos, &id, &offset))
			rc = fn(data, &oid, b->m->packs[id], offset, err);
	}
	free(v);
	return rc;
}

static int choose_and_show(struct midx *m, const struct midx_batch_options *o, midx_batch_fn fn,
			   void *data, struct err *err)
{
	struct batch b = { .m = m };
	int rc = 0;

	CALLOC_ARRAY(b.referred, (size_t)m->nr_packs + 1);
	ALLOC_ARRAY(b.rank, (size_t)m->nr_packs + 1);
	memset(b.rank, 0xff, ((size_t)m->nr_packs + 1) * sizeof(*b.rank));
	count_referred(&b);
	choose_batch(&b, o);
	if (b.nr > 1)
		rc = show_objects(&b, fn, data, err);
	free(b.referred);
	free(b.rank);
	return rc;
}

int midx_batch_foreach(struct packs *packs, const struct midx_batch_options *o, midx_batch_fn fn,
		       void *data, struct err *err)
{
	struct midx *m = NULL;
	int rc;

	packs_reprepare(packs);
	rc = midx_open_dir(&m, packs->dir, packs->opts.algo, err);
	if (rc == ERR_NOT_FOUND) {
		err_release(err);
		return 0;
	}
	if (rc < 0)
		return rc;
	midx_attach_packs(m, packs);
	if (midx_is_chain(m))
		rc = err_set(err, ERR_UNSUPPORTED, "cannot repack an incremental multi-pack-index");
	else
		rc = choose_and_show(m, o, fn, data, err);
	midx_free(m);
	return rc;
}
