/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ranges of packs that go into the new pack as they are, before all other objects: what a bitmap
 * has found. There is no item for these objects, and nothing is read before the writing. Entries are
 * looked at in the buffer on their way:
 *
 *   - the crc has to be that of the index;
 *   - a delta whose base has gone before it stays a delta. Where objects between the two are left
 *     out, its distance is shorter: the header is made anew, and what follows moves up;
 *   - all else (no base, a damaged entry) is read through the database and deflated.
 *
 * Which bytes have gone where is kept as a list of segments, each with the distance by which it moved.
 */
#include "compat/posix.h"
#include <libdeflate.h>
#include "odb/odb.h"
#include "pack/read-internal.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/deflate.h"

struct segment {
	uint32_t source;	 /* index of the pack */
	uint64_t in_from, in_to; /* in the pack */
	uint64_t out_from;	 /* in the new one */
};

struct range_writer {
	struct pack_objects *po;
	struct pack_output *out;
	struct pack_source *s;
	uint32_t source;
	struct segment *v; /* of one pack in ascending order */
	size_t nr, alloc;
	size_t first; /* of the present pack */
	/* Objects that are in the buffer: positions in the index, and where they begin and end. */
	uint32_t *pos;
	uint64_t *offsets;
	size_t alloc_pos, alloc_offsets;
};

/* ---- adding ---- */

bool pack_objects_keeps_ranges(const struct pack_objects *po)
{
	return po->o.ofs_delta && po->o.reuse_delta && po->o.reuse_object && !po->nr_excluded &&
	       !po->nr_others && !po->o.incremental && !po->o.local && po->o.ranges != PACK_RANGES_NONE;
}

/* The same for those of this pack. */
static bool keeps_ranges_of(const struct pack_objects *po, const struct pack *pack)
{
	if (!pack_objects_keeps_ranges(po))
		return false;
	return po->o.ranges == PACK_RANGES_MULTI || !po->nr_ranges ||
	       po->sources[po->ranges[0].source].pack == pack;
}

int pack_objects_add_range(struct pack_objects *po, struct pack *pack, uint32_t first, uint32_t nr,
			   struct err *err)
{
	uint32_t source;
	int rc = pack_open_rev(pack, err);

	if (!rc)
		rc = pack_open_data(pack, err);
	if (rc < 0)
		return rc;
	if (first > pack->idx.nr || nr > pack->idx.nr - first)
		return err_set(err, ERR_CORRUPT, "'%s' has no %" PRIu32 " objects from %" PRIu32 " on",
			       pack->path, nr, first);
	if (!keeps_ranges_of(po, pack))
		return pack_list_add_items(po, pack, first, nr, err);
	if (nr > UINT32_MAX - 1 - po->nr_in_ranges)
		return err_set(err, ERR_TOO_BIG, "too many objects for one pack");
	source = pack_list_source(po, pack);
	ALLOC_GROW(po->ranges, po->nr_ranges + 1, po->alloc_ranges);
	po->ranges[po->nr_ranges++] = (struct pack_range){ source - 1, first, nr };
	po->nr_in_ranges += nr;
	return 0;
}

int pack_objects_copy(struct pack_objects *po, const struct object_id *oid, enum object_type type,
		      uint32_t name_hash, struct pack *pack, uint64_t offset, struct err *err)
{
	struct pack_range *last = po->nr_ranges ? &po->ranges[po->nr_ranges - 1] : NULL;
	uint32_t at;
	int rc;

	if (!keeps_ranges_of(po, pack))
		return pack_objects_add_packed(po, oid, type, name_hash, pack, offset, err);
	if (last && po->sources[last->source].pack == pack) {
		at = last->first + last->nr;
		if (at < pack->idx.nr && pack_rev_offset(pack, at) == offset &&
		    po->nr_in_ranges < UINT32_MAX - 1) {
			last->nr++;
			po->nr_in_ranges++;
			return 0;
		}
	}
	rc = pack_open_rev(pack, err);
	if (rc < 0)
		return rc;
	if (!pack_rev_find(pack, 0, pack->idx.nr, offset, &at))
		return err_set(err, ERR_CORRUPT, "no object begins at offset %" PRIu64 " of '%s'",
			       offset, pack->path);
	return pack_objects_add_range(po, pack, at, 1, err);
}

/* ---- segments ---- */

static void add_segment(struct range_writer *w, uint64_t in_from, uint64_t in_to, uint64_t out_from)
{
	ALLOC_GROW(w->v, w->nr + 1, w->alloc);
	w->v[w->nr++] = (struct segment){ w->source, in_from, in_to, out_from };
}

/* The same for an entry that keeps its length: it may prolong the last one. */
static void note_segment(struct range_writer *w, uint64_t in_from, uint64_t in_to, uint64_t out_from)
{
	struct segment *last = w->nr > w->first ? &w->v[w->nr - 1] : NULL;

	if (last && last->in_to == in_from && last->out_from + (in_from - last->in_from) == out_from) {
		last->in_to = in_to;
		return;
	}
	add_segment(w, in_from, in_to, out_from);
}

/* Where the entry at that offset of the present pack has gone. False: it has not. */
static bool find_moved(const struct range_writer *w, uint64_t offset, uint64_t *out)
{
	size_t lo = w->first, hi = w->nr;

	/* Mostly it is near. */
	if (hi > lo && w->v[hi - 1].in_from <= offset)
		lo = hi - 1;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct segment *s = &w->v[mid];

		if (offset >= s->in_from && offset < s->in_to) {
			*out = s->out_from + (offset - s->in_from);
			return true;
		}
		if (offset < s->in_from)
			hi = mid;
		else
			lo = mid + 1;
	}
	return false;
}

/* ---- one entry ---- */

static int whole_from_database(struct range_writer *w, uint32_t pos, uint64_t in_from,
			       uint64_t in_to, bool doubtful, struct err *err)
{
	struct pack *p = w->s->pack;
	struct object_buf buf = OBJECT_BUF_INIT;
	unsigned char header[PACK_ENTRY_HEADER_MAX];
	uint64_t at = pack_output_at(w->out);
	struct strbuf z = STRBUF_INIT;
	struct object_id oid;
	size_t n;
	int rc;

	oid_from_raw(&oid, idx_name(&p->idx, pos), w->po->algo);
	rc = doubtful ? pack_read_corrupt_base(w->po, &oid, p, in_from, &buf, err)
		      : odb_read(w->po->o.odb, &oid, &buf, err);
	if (rc < 0)
		return rc;
	deflate_buf(&z, buf.data, buf.size, w->po->o.level);
	n = pack_entry_header(header, buf.type, buf.size);
	rc = pack_output_add(w->out, header, n, err);
	if (!rc)
		rc = pack_output_add(w->out, z.buf, z.len, err);
	add_segment(w, in_from, in_to, at);
	object_buf_release(&buf);
	strbuf_release(&z);
	return rc;
}

/* What becomes of an entry. */
struct verdict {
	bool stays;		/* else it is made anew */
	size_t header, distance; /* lengths: of the type and size, of the distance behind it */
	uint64_t new_distance;	/* 0: the old one */
};

static bool is_base_written(const struct range_writer *w, const unsigned char *name)
{
	const struct pack *p = w->s->pack;
	uint64_t out;
	uint32_t pos;

	return idx_find(&p->idx, name, &pos) && find_moved(w, idx_offset(&p->idx, pos), &out);
}

/* The first `len` bytes of the entry at in_from are at p; it would go to out_from. */
static void check_entry(const struct range_writer *w, const unsigned char *p, size_t len,
			uint64_t in_from, uint64_t out_from, struct verdict *v)
{
	enum object_type type;
	uint64_t size, distance, base;

	*v = (struct verdict){ .stays = false };
	v->header = pack_entry_parse_size(p, len, &type, &size);
	if (!v->header)
		return;
	switch (type) {
	case OBJ_COMMIT:
	case OBJ_TREE:
	case OBJ_BLOB:
	case OBJ_TAG:
		v->stays = true;
		return;
	case OBJ_REF_DELTA:
		v->stays = len - v->header >= w->po->raw_len &&
			   is_base_written(w, p + v->header);
		return;
	case OBJ_OFS_DELTA:
		v->distance = pack_entry_parse_distance(p + v->header, len - v->header, &distance);
		if (!v->distance || distance > in_from || !find_moved(w, in_from - distance, &base))
			return;
		v->stays = true;
		if (out_from - base != distance)
			v->new_distance = out_from - base;
		return;
	default:
		return;
	}
}

/* ---- many entries that fit into the buffer ---- */

/* The offset of the i-th object, or the end of the pack's entries. */
static int offset_of(const struct pack *p, uint32_t i, uint64_t *out, struct err *err)
{
	*out = i < p->idx.nr ? pack_rev_offset(p, i) : p->end;
	if (*out < PACK_HEADER_BYTES || *out > p->end)
		return err_set(err, ERR_CORRUPT, "the reverse index of '%s' is damaged", p->path);
	return 0;
}

enum move { MOVED, NOT_MOVED, DAMAGED };

/*
 * The entry [in_from, in_from + len) is at `p` of the output's buffer and goes to its end, which is not
 * behind p. If that cannot be, it has to be made anew.
 */
static enum move move_up(struct range_writer *w, uint32_t pos, unsigned char *p, size_t len,
		   uint64_t in_from)
{
	const struct pack_idx *idx = &w->s->pack->idx;
	unsigned char *to = w->out->buf + w->out->len;
	uint64_t out_from = pack_output_at(w->out);
	unsigned char distance[10];
	struct verdict v;
	size_t n;

	if (idx->crc && idx_crc(idx, pos) != libdeflate_crc32(0, p, len))
		return DAMAGED;
	check_entry(w, p, len, in_from, out_from, &v);
	if (!v.stays)
		return NOT_MOVED;
	if (!v.new_distance) {
		if (to != p)
			memmove(to, p, len);
		w->out->len += len;
		note_segment(w, in_from, in_from + len, out_from);
		return MOVED;
	}
	n = pack_put_distance(distance, v.new_distance);
	/* Longer only where something before it was made anew: there may be no room for that here. */
	if (n > v.distance)
		return NOT_MOVED;
	memmove(to, p, v.header);
	memcpy(to + v.header, distance, n);
	memmove(to + v.header + n, p + v.header + v.distance, len - v.header - v.distance);
	w->out->len += len - v.distance + n;
	if (n == v.distance) {
		note_segment(w, in_from, in_from + len, out_from);
	} else {
		add_segment(w, in_from, in_from + len, out_from);
	}
	return MOVED;
}

/* So many objects ahead the index is fetched into the cache: it is not in the order of offsets. */
#define FETCH_AHEAD 16

static void fetch_ahead(const struct pack *p, uint32_t i)
{
	uint32_t pos;

	if (i >= p->idx.nr || p->idx.version < 2)
		return;
	pos = pack_rev_at(p, i);
	if (pos >= p->idx.nr)
		return;
	if (!p->rev.sorted)
		__builtin_prefetch(p->idx.offsets + (size_t)pos * 4);
	__builtin_prefetch(p->idx.crc + (size_t)pos * 4);
}

/* As many objects from i on as fit into the buffer, into pos and offsets: their number. */
static int measure_range(struct range_writer *w, uint32_t i, uint32_t to, size_t room, uint32_t *nr,
			 struct err *err)
{
	const struct pack *p = w->s->pack;
	int rc;

	ALLOC_GROW(w->offsets, 1, w->alloc_offsets);
	rc = offset_of(p, i, &w->offsets[0], err);
	for (*nr = 0; !rc && i < to; i++, (*nr)++) {
		ALLOC_GROW(w->offsets, (size_t)*nr + 2, w->alloc_offsets);
		ALLOC_GROW(w->pos, (size_t)*nr + 1, w->alloc_pos);
		fetch_ahead(p, i + FETCH_AHEAD);
		rc = offset_of(p, i + 1, &w->offsets[*nr + 1], err);
		if (rc < 0)
			break;
		w->pos[*nr] = pack_rev_at(p, i);
		if (w->offsets[*nr + 1] <= w->offsets[*nr] || w->pos[*nr] >= p->idx.nr)
			return err_set(err, ERR_CORRUPT, "the reverse index of '%s' is damaged",
				       p->path);
		if (w->offsets[*nr + 1] - w->offsets[0] > room)
			break;
	}
	return rc;
}

/* Larger than the buffer: passed on in pieces after its crc has been checked; or made anew. */
static int write_large(struct range_writer *w, uint32_t i, uint64_t in_from, struct err *err)
{
	const struct pack_idx *idx = &w->s->pack->idx;
	uint32_t pos = pack_rev_at(w->s->pack, i);
	uint64_t in_to, out_from = pack_output_at(w->out);
	const unsigned char *p;
	struct verdict v;
	bool damaged;
	uint32_t crc;
	int rc = offset_of(w->s->pack, i + 1, &in_to, err);

	if (!rc)
		rc = pack_source_crc(w->po, w->s, in_from, in_to, &crc, err);
	if (!rc)
		rc = pack_source_peek(w->po, w->s, in_from, PACK_ENTRY_HEADER_MAX, &p, err);
	if (rc < 0)
		return rc;
	check_entry(w, p, PACK_ENTRY_HEADER_MAX, in_from, out_from, &v);
	damaged = idx->crc && idx_crc(idx, pos) != crc;
	if (!damaged && v.stays && !v.new_distance) {
		note_segment(w, in_from, in_to, out_from);
		return pack_source_copy(w->po, w->s, w->out, in_from, in_to, err);
	}
	return whole_from_database(w, pos, in_from, in_to, damaged, err);
}

/* A repack has taken the pack away, and put the objects into another one. */
static int write_gone(struct range_writer *w, uint32_t i, uint32_t *nr, struct err *err)
{
	const struct pack *p = w->s->pack;
	uint64_t from = 0, to = 0;
	int rc = offset_of(p, i, &from, err);

	if (!rc)
		rc = offset_of(p, i + 1, &to, err);
	if (!rc && pack_rev_at(p, i) >= p->idx.nr)
		rc = err_set(err, ERR_CORRUPT, "the reverse index of '%s' is damaged", p->path);
	*nr = 1;
	return rc < 0 ? rc : whole_from_database(w, pack_rev_at(p, i), from, to, false, err);
}

/* Some objects from i on; *nr: how many. */
static int write_some(struct range_writer *w, uint32_t i, uint32_t to, uint32_t *nr, struct err *err)
{
	const uint64_t *at;
	unsigned char *buf;
	uint32_t n = 0;
	int rc;

	if (pack_source_fd(w->po, w->s) < 0)
		return write_gone(w, i, nr, err);
	rc = pack_output_room(w->out, OUTPUT_ENTRY_MAX, &buf, err);
	if (!rc)
		rc = measure_range(w, i, to, OUTPUT_BYTES - w->out->len, &n, err);
	if (rc < 0)
		return rc;
	at = w->offsets;
	*nr = 1;
	if (!n)
		return write_large(w, i, at[0], err);
	rc = pack_source_read(w->s, buf, (size_t)(at[n] - at[0]), at[0], err);
	for (*nr = 0; !rc && *nr < n; at++) {
		uint32_t pos = w->pos[(*nr)++];
		enum move m = move_up(w, pos, buf + (at[0] - w->offsets[0]),
				      (size_t)(at[1] - at[0]), at[0]);

		/* What follows in the buffer is read again, as it is overwritten now. */
		if (m != MOVED) {
			rc = whole_from_database(w, pos, at[0], at[1], m == DAMAGED, err);
			break;
		}
	}
	return rc;
}

int pack_ranges_write(struct pack_objects *po, struct pack_output *out,
		      int (*done)(void *data, uint32_t nr, struct err *err), void *data,
		      struct err *err)
{
	struct range_writer w = { .po = po, .out = out };
	int rc = 0;

	for (size_t r = 0; r < po->nr_ranges && !rc; r++) {
		const struct pack_range *range = &po->ranges[r];
		uint32_t i = range->first, to = range->first + range->nr;

		if (!w.s || w.source != range->source)
			w.first = w.nr;
		w.source = range->source;
		w.s = &po->sources[range->source];
		w.s->copied_from = true;
		while (i < to && !rc) {
			uint32_t n = 0;

			rc = write_some(&w, i, to, &n, err);
			i += n;
			if (!rc)
				rc = done(data, n, err);
		}
	}
	free(w.v);
	free(w.pos);
	free(w.offsets);
	return rc;
}
