/* SPDX-License-Identifier: GPL-2.0-only */
/* The multi-pack-index, gitformat-pack(5). */
#include "compat/posix.h"
#include "pack/idx-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define MIDX_SIGNATURE 0x4d494458u /* "MIDX" */
#define MIDX_HEADER_BYTES 12
#define CHUNK_ENTRY_BYTES 12
#define CHUNK_PACK_NAMES 0x504e414du
#define CHUNK_FANOUT 0x4f494446u
#define CHUNK_NAMES 0x4f49444cu
#define CHUNK_LOCATIONS 0x4f4f4646u
#define CHUNK_WIDE 0x4c4f4646u
#define MSB 0x80000000u

struct chunk {
	const unsigned char *p;
	uint64_t len;
};

static int bad_midx(const char *path, const char *what, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "multi-pack-index '%s': %s", path, what);
}

/* Look up a chunk. Offsets in the table must ascend and stay before the checksum. */
static int find_chunk(const struct midx *m, unsigned nr_chunks, uint32_t id,
		      struct chunk *out, struct err *err)
{
	uint64_t end = m->map.len - m->algo->raw_len;
	uint64_t first = MIDX_HEADER_BYTES + ((uint64_t)nr_chunks + 1) * CHUNK_ENTRY_BYTES;

	if (first > end)
		return bad_midx(m->path, "the chunk table is truncated", err);
	for (unsigned i = 0; i < nr_chunks; i++) {
		const unsigned char *at = m->map.p + MIDX_HEADER_BYTES + i * CHUNK_ENTRY_BYTES;
		uint64_t from = get_be64(at + 4), to = get_be64(at + CHUNK_ENTRY_BYTES + 4);

		if (from < first || from > to || to > end)
			return bad_midx(m->path, "improper chunk offsets", err);
		if (get_be32(at) == id) {
			*out = (struct chunk){ m->map.p + from, to - from };
			return 0;
		}
	}
	return bad_midx(m->path, "a required chunk is missing", err);
}

static int read_names(struct midx *m, const struct chunk *c, struct err *err)
{
	const char *at = (const char *)c->p, *end = at + c->len;

	/* Every name has at least two bytes, so the file's size limits the allocation. */
	if (m->nr_packs > c->len / 2)
		return bad_midx(m->path, "pack names are cut off", err);
	CALLOC_ARRAY(m->pack_names, (size_t)m->nr_packs + 1);
	CALLOC_ARRAY(m->packs, (size_t)m->nr_packs + 1);
	for (uint32_t i = 0; i < m->nr_packs; i++) {
		const char *nul = memchr(at, 0, (size_t)(end - at));

		if (!nul)
			return bad_midx(m->path, "pack names are cut off", err);
		if (nul - at < 5 || memcmp(nul - 4, ".idx", 4) ||
		    memchr(at, '/', (size_t)(nul - at)))
			return bad_midx(m->path, "invalid pack name", err);
		if (i && strcmp(m->pack_names[i - 1], at) >= 0)
			return bad_midx(m->path, "pack names are out of order", err);
		m->pack_names[i] = at;
		at = nul + 1;
	}
	return 0;
}

static int read_tables(struct midx *m, unsigned nr_chunks, struct err *err)
{
	struct chunk fanout, names, locations, wide, packs;
	int rc;

	if ((rc = find_chunk(m, nr_chunks, CHUNK_FANOUT, &fanout, err)) < 0 ||
	    (rc = find_chunk(m, nr_chunks, CHUNK_NAMES, &names, err)) < 0 ||
	    (rc = find_chunk(m, nr_chunks, CHUNK_LOCATIONS, &locations, err)) < 0 ||
	    (rc = find_chunk(m, nr_chunks, CHUNK_PACK_NAMES, &packs, err)) < 0)
		return rc;
	if (fanout.len != 1024 || !fanout_is_sane(fanout.p))
		return bad_midx(m->path, "the fan-out is not monotonic", err);
	m->nr = get_be32(fanout.p + 4 * 255);
	if (names.len != (uint64_t)m->nr * m->algo->raw_len)
		return bad_midx(m->path, "the table of names is of the wrong size", err);
	if (locations.len != (uint64_t)m->nr * 8)
		return bad_midx(m->path, "the table of offsets is of the wrong size", err);
	m->fanout = fanout.p;
	m->names = names.p;
	m->locations = locations.p;
	if (!find_chunk(m, nr_chunks, CHUNK_WIDE, &wide, NULL)) {
		m->wide = wide.p;
		m->nr_wide = wide.len / 8 < UINT32_MAX ? (uint32_t)(wide.len / 8) : UINT32_MAX;
	}
	return read_names(m, &packs, err);
}

static int parse(struct midx *m, struct err *err)
{
	const unsigned char *p = m->map.p;

	if (m->map.len < MIDX_HEADER_BYTES + CHUNK_ENTRY_BYTES + m->algo->raw_len)
		return bad_midx(m->path, "the file is too small", err);
	if (get_be32(p) != MIDX_SIGNATURE)
		return bad_midx(m->path, "the signature is wrong", err);
	if (p[4] != 1)
		return err_set(err, ERR_UNSUPPORTED,
			       "multi-pack-index '%s': version %u is not supported", m->path, p[4]);
	if (p[5] != m->algo->id)
		return err_set(err, ERR_UNSUPPORTED, "multi-pack-index '%s': hash version %u "
			       "does not match version %d", m->path, p[5], (int)m->algo->id);
	if (p[7])
		return err_set(err, ERR_UNSUPPORTED,
			       "multi-pack-index '%s': base files are not supported", m->path);
	m->nr_packs = get_be32(p + 8);
	return read_tables(m, p[6], err);
}

int midx_open(struct midx **out, const char *path, const struct hash_algo *algo,
	      struct err *err)
{
	struct midx *m;
	int rc;

	CALLOC_ARRAY(m, 1);
	m->path = xstrdup(path);
	m->algo = algo;
	rc = mapped_file_open(&m->map, path, err);
	if (!rc)
		rc = parse(m, err);
	if (rc < 0)
		midx_free(m);
	else
		*out = m;
	return rc;
}

void midx_free(struct midx *m)
{
	if (!m)
		return;
	mapped_file_release(&m->map);
	free(m->pack_names);
	free(m->packs);
	free(m->path);
	free(m);
}

bool midx_location(const struct midx *m, uint32_t pos, uint32_t *pack_id, uint64_t *offset)
{
	const unsigned char *at = m->locations + (size_t)pos * 8;
	uint32_t id = get_be32(at), v = get_be32(at + 4);

	if (id >= m->nr_packs)
		return false;
	if (m->wide && (v & MSB)) {
		v &= ~MSB;
		if (v >= m->nr_wide)
			return false;
		*offset = get_be64(m->wide + (size_t)v * 8);
	} else {
		*offset = v;
	}
	*pack_id = id;
	return true;
}

int midx_pack_id(const struct midx *m, const char *name)
{
	uint32_t lo = 0, hi = m->nr_packs;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int cmp = strcmp(name, m->pack_names[mid]);

		if (!cmp)
			return (int)mid;
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1;
}
