/* SPDX-License-Identifier: GPL-2.0-only */
/* The .idx of a pack (gitformat-pack(5)): reading versions 1 and 2, writing version 2. */
#include "compat/posix.h"
#include "csum-file.h"
#include "pack/idx-internal.h"
#include "pack/pack.h"
#include "util/bytes.h"

#define IDX_SIGNATURE 0xff744f63u
#define FANOUT_BYTES 1024
#define MSB 0x80000000u

/* ---- tables of names with a fan-out ---- */

bool fanout_is_sane(const unsigned char *fanout)
{
	uint32_t before = 0;

	for (int i = 0; i < 256; i++) {
		uint32_t n = get_be32(fanout + 4 * i);

		if (n < before)
			return false;
		before = n;
	}
	return true;
}

/* Like memcmp, but faster, since most names differ in the first eight bytes. */
static int cmp_names(const unsigned char *a, uint64_t a_begin, const unsigned char *b,
		     size_t raw_len)
{
	uint64_t b_begin = get_be64(b);

	if (a_begin != b_begin)
		return a_begin < b_begin ? -1 : 1;
	return memcmp(a + 8, b + 8, raw_len - 8);
}

struct name_search {
	const struct name_table *t;
	const unsigned char *name;
	uint64_t begin;
	uint32_t lo, hi;
};

/* Compare with the name at `at` and narrow lo and hi; true if it is equal. */
static bool compare_at(struct name_search *s, uint32_t at)
{
	const struct name_table *t = s->t;
	int cmp = cmp_names(s->name, s->begin, t->names + (size_t)at * t->stride, t->raw_len);

	if (cmp < 0)
		s->hi = at;
	else
		s->lo = cmp ? at + 1 : at;
	return !cmp;
}

/*
 * Names are hashes, so the position of one can be estimated, and the names near it share
 * cache lines. Search from there in growing steps until the name is passed. If the names of a
 * table are not distributed evenly, this takes at most twice the steps of a binary search.
 */
static bool search_near_guess(struct name_search *s)
{
	uint32_t range = s->hi - s->lo, step = 8;
	uint32_t guess = s->lo + (uint32_t)((uint64_t)range * get_be32(s->name + 1) >> 32);
	bool up;

	if (compare_at(s, guess))
		return true;
	up = s->lo > guess;
	for (; s->hi - s->lo > step; step *= 2) {
		uint32_t lo = s->lo, hi = s->hi;

		if (compare_at(s, up ? lo + step : hi - step))
			return true;
		if (up ? s->hi != hi : s->lo != lo)
			break;
	}
	return false;
}

bool name_table_find(const struct name_table *t, const unsigned char *name, uint32_t *pos)
{
	struct name_search s = {
		.t = t, .name = name, .begin = get_be64(name),
		.lo = name[0] ? get_be32(t->fanout + 4 * (name[0] - 1)) : 0,
		.hi = get_be32(t->fanout + 4 * name[0]),
	};
	bool found = s.hi - s.lo > 16 && s.lo < s.hi && search_near_guess(&s);

	while (!found && s.lo < s.hi)
		found = compare_at(&s, s.lo + (s.hi - s.lo) / 2);
	*pos = s.lo;
	return found;
}

/* Number of equal hex digits at the beginning. */
static size_t common_digits(const unsigned char *a, const unsigned char *b, size_t raw_len)
{
	for (size_t i = 0; i < raw_len; i++)
		if (a[i] != b[i])
			return 2 * i + ((a[i] ^ b[i]) < 16);
	return 2 * raw_len;
}

void name_table_prefix(const struct name_table *t, const unsigned char *name, size_t digits,
		       const struct hash_algo *algo, struct oid_array *out)
{
	uint32_t pos;

	/* `name` is the prefix followed by zeros: the smallest name with that prefix. */
	name_table_find(t, name, &pos);
	for (; pos < t->nr; pos++) {
		const unsigned char *at = t->names + (size_t)pos * t->stride;
		struct object_id oid;

		if (common_digits(name, at, t->raw_len) < digits)
			break;
		oid_from_raw(&oid, at, algo);
		oid_array_append(out, &oid);
	}
}

size_t name_table_unique_len(const struct name_table *t, const unsigned char *name)
{
	uint32_t pos;
	size_t best = 0;
	bool found = name_table_find(t, name, &pos);

	if (pos > 0)
		best = common_digits(name, t->names + (size_t)(pos - 1) * t->stride, t->raw_len);
	pos += found;
	if (pos < t->nr) {
		size_t n = common_digits(name, t->names + (size_t)pos * t->stride, t->raw_len);

		if (n > best)
			best = n;
	}
	return best < 2 * t->raw_len ? best + 1 : best;
}

/* ---- reading ---- */

static int too_small(const char *path, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "index file '%s' is too small", path);
}

static int wrong_size(const char *path, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "wrong index file size in '%s'", path);
}

/* Locate the tables of version 2; the 64-bit arithmetic cannot overflow. */
static int lay_out_v2(struct pack_idx *x, const unsigned char *p, uint64_t len,
		      const char *path, struct err *err)
{
	uint64_t raw = x->algo->raw_len, nr = x->nr;
	uint64_t least = 8 + FANOUT_BYTES + nr * (raw + 8) + 2 * raw;
	uint64_t most = least + (nr ? (nr - 1) * 8 : 0);

	if (len < least || len > most || (len - least) % 8)
		return wrong_size(path, err);
	x->names = x->fanout + FANOUT_BYTES;
	x->stride = raw;
	x->crc = x->names + nr * raw;
	x->offsets = x->crc + nr * 4;
	x->wide = x->offsets + nr * 4;
	x->nr_wide = (uint32_t)((len - least) / 8);
	x->pack_sum = p + len - 2 * raw;
	return 0;
}

static int lay_out_v1(struct pack_idx *x, const unsigned char *p, uint64_t len,
		      const char *path, struct err *err)
{
	uint64_t raw = x->algo->raw_len, nr = x->nr;

	if (len != FANOUT_BYTES + nr * (raw + 4) + 2 * raw)
		return wrong_size(path, err);
	x->offsets = x->fanout + FANOUT_BYTES;
	x->names = x->offsets + 4;
	x->stride = raw + 4;
	x->pack_sum = p + len - 2 * raw;
	return 0;
}

int idx_parse(struct pack_idx *out, const unsigned char *p, size_t len,
	      const char *path, const struct hash_algo *algo, struct err *err)
{
	struct pack_idx x = { .algo = algo, .version = 1 };
	int rc;

	if (len < FANOUT_BYTES + 2 * algo->raw_len)
		return too_small(path, err);
	x.fanout = p;
	if (get_be32(p) == IDX_SIGNATURE) {
		x.version = get_be32(p + 4);
		if (x.version != 2)
			return err_set(err, ERR_UNSUPPORTED,
				       "index file '%s' is version %u and is not supported",
				       path, x.version);
		if (len < 8 + FANOUT_BYTES + 2 * algo->raw_len)
			return too_small(path, err);
		x.fanout = p + 8;
	}
	if (!fanout_is_sane(x.fanout))
		return err_set(err, ERR_CORRUPT, "non-monotonic index '%s'", path);
	x.nr = get_be32(x.fanout + 4 * 255);
	rc = x.version == 2 ? lay_out_v2(&x, p, len, path, err)
			    : lay_out_v1(&x, p, len, path, err);
	if (!rc)
		*out = x;
	return rc;
}

int idx_open(struct pack_idx *out, const char *path, const struct hash_algo *algo,
	     struct err *err)
{
	struct mapped_file map = MAPPED_FILE_INIT;
	int rc = mapped_file_open(&map, path, err);

	if (rc < 0)
		return rc;
	rc = idx_parse(out, map.p, map.len, path, algo, err);
	if (rc < 0)
		mapped_file_release(&map);
	else
		out->map = map;
	return rc;
}

void idx_release(struct pack_idx *idx)
{
	mapped_file_release(&idx->map);
}

bool idx_find(const struct pack_idx *idx, const unsigned char *name, uint32_t *pos)
{
	struct name_table t = idx_names(idx);

	return name_table_find(&t, name, pos);
}

uint64_t idx_offset(const struct pack_idx *idx, uint32_t pos)
{
	uint32_t v;

	if (idx->version == 1)
		return get_be32(idx->offsets + (size_t)pos * idx->stride);
	v = get_be32(idx->offsets + (size_t)pos * 4);
	if (!(v & MSB))
		return v;
	v &= ~MSB;
	return v < idx->nr_wide ? get_be64(idx->wide + (size_t)v * 8) : UINT64_MAX;
}

uint32_t idx_crc(const struct pack_idx *idx, uint32_t pos)
{
	return get_be32(idx->crc + (size_t)pos * 4);
}

int pack_index_foreach(const void *p, size_t len, const char *name, const struct hash_algo *algo,
		       int (*fn)(void *data, const struct object_id *oid, uint64_t offset,
				 const uint32_t *crc),
		       void *data, struct err *err)
{
	struct pack_idx x;
	int rc = idx_parse(&x, p, len, name, algo, err);

	for (uint32_t i = 0; !rc && i < x.nr; i++) {
		uint64_t offset = idx_offset(&x, i);
		struct object_id oid;
		uint32_t crc = 0;

		if (offset == UINT64_MAX)
			return err_set(err, ERR_CORRUPT, "inconsistent 64b offset index in '%s'", name);
		oid_from_raw(&oid, idx_name(&x, i), algo);
		if (x.crc)
			crc = idx_crc(&x, i);
		rc = fn(data, &oid, offset, x.crc ? &crc : NULL);
	}
	return rc;
}

int pack_index_has(const void *p, size_t len, const char *name, const struct hash_algo *algo, const struct object_id *oid,
		   struct err *err)
{
	struct pack_idx x;
	uint32_t pos;
	int rc = idx_parse(&x, p, len, name, algo, err);

	return rc ? rc : idx_find(&x, oid->hash, &pos);
}

/* ---- writing ---- */

static int write_idx_fanout(struct csum_file *f, const struct idx_entry *v, uint32_t nr,
			    struct err *err)
{
	uint32_t n = 0;
	int rc = 0;

	for (unsigned first = 0; first < 256 && !rc; first++) {
		while (n < nr && v[n].oid.hash[0] == first)
			n++;
		rc = csum_write_be32(f, n, err);
	}
	return rc;
}

static bool is_wide(const struct idx_format *f, uint64_t offset)
{
	return offset >= MSB || (f->wide_from && offset > f->wide_from);
}

static int write_offsets(struct csum_file *f, const struct idx_entry *v, uint32_t nr,
			 const struct idx_format *format, struct err *err)
{
	uint32_t nr_wide = 0;
	int rc = 0;

	for (uint32_t i = 0; i < nr && !rc; i++)
		rc = csum_write_be32(f, is_wide(format, v[i].offset) ? MSB | nr_wide++
								     : (uint32_t)v[i].offset, err);
	for (uint32_t i = 0; i < nr && !rc && nr_wide; i++)
		if (is_wide(format, v[i].offset))
			rc = csum_write_be64(f, v[i].offset, err);
	return rc;
}

/* Names, checksums of entries, offsets. */
static int write_tables(struct csum_file *f, const struct hash_algo *algo, const struct idx_entry *v,
			uint32_t nr, const struct idx_format *format, struct err *err)
{
	int rc = csum_write_be32(f, IDX_SIGNATURE, err);

	if (!rc)
		rc = csum_write_be32(f, 2, err);
	if (!rc)
		rc = write_idx_fanout(f, v, nr, err);
	for (uint32_t i = 0; i < nr && !rc; i++)
		rc = csum_write(f, v[i].oid.hash, algo->raw_len, err);
	for (uint32_t i = 0; i < nr && !rc; i++)
		rc = csum_write_be32(f, v[i].crc, err);
	return rc ? rc : write_offsets(f, v, nr, format, err);
}

/* Version 1: offset and name of each entry. */
static int write_idx_pairs(struct csum_file *f, const struct hash_algo *algo, const struct idx_entry *v,
			   uint32_t nr, struct err *err)
{
	int rc = write_idx_fanout(f, v, nr, err);

	for (uint32_t i = 0; i < nr && !rc; i++) {
		rc = csum_write_be32(f, (uint32_t)v[i].offset, err);
		if (!rc)
			rc = csum_write(f, v[i].oid.hash, algo->raw_len, err);
	}
	return rc;
}

static bool fits_version_1(const struct idx_entry *v, uint32_t nr, const struct idx_format *f)
{
	for (uint32_t i = 0; i < nr; i++)
		if (is_wide(f, v[i].offset))
			return false;
	return true;
}

int idx_write_as(int fd, const char *name, const struct hash_algo *algo,
		 const struct idx_entry *v, uint32_t nr, const struct object_id *pack_sum,
		 const struct idx_format *format, struct err *err)
{
	struct csum_file *f = csum_file_new(fd, name, algo, false, 0);
	int rc = format->version == 1 && fits_version_1(v, nr, format) ?
		 write_idx_pairs(f, algo, v, nr, err) : write_tables(f, algo, v, nr, format, err);

	if (!rc)
		rc = csum_write(f, pack_sum->hash, algo->raw_len, err);
	if (!rc)
		rc = csum_finish(f, NULL, err);
	csum_file_free(f);
	return rc;
}

int idx_write(int fd, const char *name, const struct hash_algo *algo,
	      const struct idx_entry *v, uint32_t nr, const struct object_id *pack_sum,
	      struct err *err)
{
	const struct idx_format format = { 0, 0 };

	return idx_write_as(fd, name, algo, v, nr, pack_sum, &format, err);
}
