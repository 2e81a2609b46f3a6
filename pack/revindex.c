/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects in the order of their offsets: from a .rev file (gitformat-pack(5)), or sorted
 * here. A .rev file is not trusted: every position in it is checked before use.
 */
#include "compat/posix.h"
#include "compat/os.h"
#include "csum-file.h"
#include "pack/pack-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define REV_SIGNATURE 0x52494458u

/* ---- making one ---- */

/*
 * A radix sort, in passes of some bits of the offset. Offsets below 4 GiB are sorted together with
 * their positions as one number: half of the memory to be moved.
 */
#define PASS_BITS 11
#define PASS_SIZE (1u << PASS_BITS)

/* Counts become the places where the objects of each digit begin. */
static void sum_up(uint32_t *count)
{
	uint32_t sum = 0;

	for (unsigned d = 0; d < PASS_SIZE; d++) {
		uint32_t n = count[d];

		count[d] = sum;
		sum += n;
	}
}

static void sort_pass(const struct sortable_offset *from, struct sortable_offset *to, uint32_t nr,
		      unsigned shift)
{
	uint32_t count[PASS_SIZE] = { 0 };

	for (uint32_t i = 0; i < nr; i++)
		count[(from[i].offset >> shift) % PASS_SIZE]++;
	sum_up(count);
	for (uint32_t i = 0; i < nr; i++)
		to[count[(from[i].offset >> shift) % PASS_SIZE]++] = from[i];
}

static void sort_short_pass(const uint64_t *from, uint64_t *to, uint32_t nr, unsigned shift)
{
	uint32_t count[PASS_SIZE] = { 0 };

	for (uint32_t i = 0; i < nr; i++)
		count[(from[i] >> shift) % PASS_SIZE]++;
	sum_up(count);
	for (uint32_t i = 0; i < nr; i++)
		to[count[(from[i] >> shift) % PASS_SIZE]++] = from[i];
}

/* Sorted by the upper half; returns v, from malloc, or another array instead. */
static uint64_t *sort_short(uint64_t *v, uint32_t nr, uint32_t max)
{
	uint64_t *other, *t;

	ALLOC_ARRAY(other, nr);
	os_prefer_large_pages(other, nr * sizeof(*other));
	for (unsigned shift = 0; shift < 32 && max >> shift; shift += PASS_BITS) {
		sort_short_pass(v, other, nr, 32 + shift);
		t = v;
		v = other;
		other = t;
	}
	free(other);
	return v;
}

static struct sortable_offset *sort_long(struct sortable_offset *v, uint32_t nr, uint64_t max)
{
	struct sortable_offset *other, *t;

	ALLOC_ARRAY(other, nr);
	for (unsigned shift = 0; shift < 64 && max >> shift; shift += PASS_BITS) {
		sort_pass(v, other, nr, shift);
		t = v;
		v = other;
		other = t;
	}
	free(other);
	return v;
}

static void sort_short_in_place(struct sortable_offset *v, uint32_t nr, uint32_t max)
{
	uint64_t *keys;

	ALLOC_ARRAY(keys, nr);
	for (uint32_t i = 0; i < nr; i++)
		keys[i] = v[i].offset << 32 | v[i].pos;
	keys = sort_short(keys, nr, max);
	for (uint32_t i = 0; i < nr; i++)
		v[i] = (struct sortable_offset){ keys[i] >> 32, (uint32_t)keys[i] };
	free(keys);
}

static int by_offset(const void *a, const void *b)
{
	const struct sortable_offset *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->pos < y->pos ? -1 : x->pos > y->pos;
}

/* Few offsets are sorted by comparison, since clearing the counts would take longer. */
#define RADIX_FROM 1000

struct sortable_offset *offsets_sort(struct sortable_offset *v, uint32_t nr)
{
	uint64_t max = 0;

	if (nr < RADIX_FROM) {
		qsort(v, nr, sizeof(*v), by_offset);
		return v;
	}
	for (uint32_t i = 0; i < nr; i++)
		if (v[i].offset > max)
			max = v[i].offset;
	if (max > UINT32_MAX)
		return sort_long(v, nr, max);
	sort_short_in_place(v, nr, (uint32_t)max);
	return v;
}

/* Sorts v, which is freed. */
static uint32_t *order_of(struct sortable_offset *v, uint32_t nr)
{
	uint32_t *order;

	v = offsets_sort(v, nr);
	ALLOC_ARRAY(order, nr + !nr);
	for (uint32_t i = 0; i < nr; i++)
		order[i] = v[i].pos;
	free(v);
	return order;
}

static struct sortable_offset *offsets_of(const struct pack_idx *idx)
{
	struct sortable_offset *v;

	ALLOC_ARRAY(v, idx->nr + !idx->nr);
	for (uint32_t i = 0; i < idx->nr; i++)
		v[i] = (struct sortable_offset){ idx_offset(idx, i), i };
	return v;
}

uint32_t *idx_order_by_offset(const struct pack_idx *idx)
{
	return order_of(offsets_of(idx), idx->nr);
}

uint32_t *idx_entries_order_by_offset(const struct idx_entry *entries, uint32_t nr)
{
	struct sortable_offset *v;

	ALLOC_ARRAY(v, nr + !nr);
	for (uint32_t i = 0; i < nr; i++)
		v[i] = (struct sortable_offset){ entries[i].offset, i };
	return order_of(v, nr);
}

/* False: there are offsets of 4 GiB and more. */
static bool build_short(struct pack *p)
{
	uint32_t nr = p->idx.nr, max = 0;
	uint64_t *v;

	ALLOC_ARRAY(v, nr + !nr);
	os_prefer_large_pages(v, nr * sizeof(*v));
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t offset = idx_offset(&p->idx, i);

		if (offset > UINT32_MAX) {
			free(v);
			return false;
		}
		if (offset > max)
			max = (uint32_t)offset;
		v[i] = offset << 32 | i;
	}
	p->rev.sorted = sort_short(v, nr, max);
	return true;
}

/* ---- reading one ---- */

int rev_check_header(const struct mapped_file *m, const struct hash_algo *algo, uint32_t nr,
		     const unsigned char *pack_sum, const char *path, struct err *err)
{
	uint64_t want = REV_HEADER_BYTES + (uint64_t)nr * 4 + 2 * algo->raw_len;

	if (m->len < REV_HEADER_BYTES || get_be32(m->p) != REV_SIGNATURE)
		return err_set(err, ERR_CORRUPT, "reverse-index file '%s' has no valid header",
			       path);
	if (get_be32(m->p + 4) != 1)
		return err_set(err, ERR_UNSUPPORTED, "reverse-index file '%s' has unsupported "
			       "version %u", path, get_be32(m->p + 4));
	if (get_be32(m->p + 8) != (uint32_t)algo->id)
		return err_set(err, ERR_UNSUPPORTED, "reverse-index file '%s' has unsupported "
			       "hash id %u", path, get_be32(m->p + 8));
	if (m->len != want)
		return err_set(err, ERR_CORRUPT, "reverse-index file '%s' has a wrong size", path);
	if (memcmp(m->p + want - 2 * algo->raw_len, pack_sum, algo->raw_len))
		return err_set(err, ERR_CORRUPT, "reverse-index file '%s' belongs to another pack",
			       path);
	return 0;
}

int rev_check_file(const struct mapped_file *m, const struct pack *p, const char *path,
		   struct err *err)
{
	return rev_check_header(m, p->idx.algo, p->idx.nr, p->idx.pack_sum, path, err);
}

/* A malformed .rev file is reported and not used. */
static void open_file(struct pack *p)
{
	struct mapped_file map = MAPPED_FILE_INIT;
	struct err err = ERR_INIT;
	char *path = xstrfmt("%s.rev", p->base);
	int rc = mapped_file_open(&map, path, &err);

	if (!rc)
		rc = rev_check_file(&map, p, path, &err);
	if (!rc) {
		p->rev.map = map;
		p->rev.file = map.p + REV_HEADER_BYTES;
	} else {
		if (rc != ERR_NOT_FOUND)
			packs_warn(p->owner, "%s", err_message(&err));
		mapped_file_release(&map);
	}
	p->rev.looked = true;
	err_release(&err);
	free(path);
}

/*
 * The first few look-ups in a big pack scan all offsets, which costs less than sorting them.
 */
#define SCANS_MAX 8
#define SCAN_FROM_OBJECTS 20000

static int open_rev(struct pack *p, bool must_have, struct err *err)
{
	int rc;

	if (atomic_load_explicit(&p->rev_state, memory_order_acquire) == PART_OPEN)
		return 0;
	rc = pack_open_idx(p, err);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&p->lock);
	if (!p->rev.looked)
		open_file(p);
	if (!p->rev.file && !p->rev.built && !p->rev.sorted &&
	    (must_have || p->idx.nr < SCAN_FROM_OBJECTS || ++p->rev.scans > SCANS_MAX))
		p->rev.built = build_short(p) ? NULL : idx_order_by_offset(&p->idx);
	if (p->rev.file || p->rev.built || p->rev.sorted)
		atomic_store_explicit(&p->rev_state, PART_OPEN, memory_order_release);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

int pack_open_rev(struct pack *p, struct err *err)
{
	return open_rev(p, true, err);
}

/* ---- use ---- */

uint32_t pack_rev_at(const struct pack *p, uint32_t i)
{
	if (p->rev.sorted)
		return (uint32_t)p->rev.sorted[i];
	return p->rev.file ? get_be32(p->rev.file + (size_t)i * 4) : p->rev.built[i];
}

uint64_t pack_rev_offset(const struct pack *p, uint32_t i)
{
	uint32_t pos;

	if (p->rev.sorted)
		return p->rev.sorted[i] >> 32;
	pos = pack_rev_at(p, i);
	return pos < p->idx.nr ? idx_offset(&p->idx, pos) : UINT64_MAX;
}

bool pack_rev_is_sound(const struct pack *p)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < p->idx.nr; i++) {
		uint64_t at = pack_rev_offset(p, i);

		if (at <= before || at == UINT64_MAX)
			return false;
		before = at;
	}
	return true;
}

bool pack_rev_find(const struct pack *p, uint32_t from, uint32_t to, uint64_t offset, uint32_t *place)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		uint64_t at = pack_rev_offset(p, mid);

		if (at == offset) {
			*place = mid;
			return true;
		}
		if (offset < at)
			to = mid;
		else
			from = mid + 1;
	}
	return false;
}

static uint64_t end_at(const struct pack *p, uint32_t place)
{
	return place + 1 < p->idx.nr ? pack_rev_offset(p, place + 1) : p->end;
}

static bool locate_by_search(const struct pack *p, uint64_t offset, uint32_t *pos, uint64_t *end)
{
	uint32_t place;

	if (!pack_rev_find(p, 0, p->idx.nr, offset, &place))
		return false;
	*pos = pack_rev_at(p, place);
	*end = end_at(p, place);
	return true;
}

static bool locate_by_scan(const struct pack *p, uint64_t offset, uint32_t *pos, uint64_t *end)
{
	uint64_t next = p->end;
	bool found = false;

	for (uint32_t i = 0; i < p->idx.nr; i++) {
		uint64_t at = idx_offset(&p->idx, i);

		if (at == offset) {
			*pos = i;
			found = true;
		} else if (at > offset && at < next) {
			next = at;
		}
	}
	*end = next;
	return found;
}

int pack_locate(struct pack *p, uint64_t offset, uint32_t *pos, uint64_t *end, struct err *err)
{
	int rc = open_rev(p, false, err);
	bool found = false;

	if (rc < 0)
		return rc;
	if (atomic_load_explicit(&p->rev_state, memory_order_acquire) == PART_OPEN)
		found = locate_by_search(p, offset, pos, end);
	/* A .rev may be wrong; the idx itself decides. */
	if (!found || *end <= offset || *end > p->end)
		found = locate_by_scan(p, offset, pos, end);
	if (!found)
		return err_set(err, ERR_CORRUPT, "no object begins at offset %" PRIu64 " of '%s'",
			       offset, p->path);
	return 0;
}

int pack_entry_bytes(struct pack *p, uint64_t offset, uint32_t *hint, uint64_t *bytes,
		     struct err *err)
{
	uint32_t place = *hint, pos;
	uint64_t end = 0;
	int rc = pack_open_data(p, err);

	if (!rc)
		rc = pack_open_rev(p, err);
	if (rc < 0)
		return rc;
	if ((place < p->idx.nr && pack_rev_offset(p, place) == offset) ||
	    pack_rev_find(p, 0, p->idx.nr, offset, &place)) {
		end = end_at(p, place);
		*hint = place + 1;
	}
	if (end <= offset || end > p->end)
		rc = pack_locate(p, offset, &pos, &end, err);
	if (!rc)
		*bytes = end - offset;
	return rc;
}

int pack_offset_to_oid(struct pack *p, uint64_t offset, struct object_id *out, struct err *err)
{
	uint64_t end;
	uint32_t pos;
	int rc = pack_locate(p, offset, &pos, &end, err);

	if (rc < 0)
		return rc;
	oid_from_raw(out, idx_name(&p->idx, pos), p->idx.algo);
	return 0;
}

/* ---- writing ---- */

int rev_write(int fd, const char *name, const struct hash_algo *algo,
	      const struct idx_entry *entries, uint32_t nr, const struct object_id *pack_sum,
	      struct err *err)
{
	struct csum_file *f = csum_file_new(fd, name, algo, false, 0);
	uint32_t *order = idx_entries_order_by_offset(entries, nr);
	int rc;

	rc = csum_write_be32(f, REV_SIGNATURE, err);
	if (!rc)
		rc = csum_write_be32(f, 1, err);
	if (!rc)
		rc = csum_write_be32(f, (uint32_t)algo->id, err);
	for (uint32_t i = 0; i < nr && !rc; i++)
		rc = csum_write_be32(f, order[i], err);
	if (!rc)
		rc = csum_write(f, pack_sum->hash, algo->raw_len, err);
	if (!rc)
		rc = csum_finish(f, NULL, err);
	csum_file_free(f);
	free(order);
	return rc;
}
