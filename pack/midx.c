/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The multi-pack-index, gitformat-pack(5): one file, or a chain of layers in the directory
 * multi-pack-index.d, whose file multi-pack-index-chain names them, the lowest first.
 */
#include "compat/posix.h"
#include "fs/file.h"
#include "pack/midx-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define LAYERS_MAX 4096
/* Number of reads after which a chain that names a missing layer counts as damaged. */
#define CHAIN_TRIES 4
#define CHAIN_BYTES_MAX ((size_t)LAYERS_MAX * (HASH_MAX_HEX + 1))

struct chunk {
	const unsigned char *p;
	uint64_t len;
};

static int bad_midx(const char *path, const char *what, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "multi-pack-index '%s': %s", path, what);
}

/* Offsets in the table must ascend and stay before the checksum; only the last entry has the id 0. */
static int check_chunks(const struct midx *m, unsigned nr_chunks, struct err *err)
{
	uint64_t end = m->map.len - m->algo->raw_len;
	uint64_t first = MIDX_HEADER_BYTES + ((uint64_t)nr_chunks + 1) * MIDX_CHUNK_ENTRY_BYTES;
	const unsigned char *at = m->map.p + MIDX_HEADER_BYTES;

	if (first > end)
		return bad_midx(m->path, "the chunk table is truncated", err);
	for (unsigned i = 0; i < nr_chunks; i++, at += MIDX_CHUNK_ENTRY_BYTES) {
		uint64_t from = get_be64(at + 4), to = get_be64(at + MIDX_CHUNK_ENTRY_BYTES + 4);

		if (!get_be32(at))
			return err_set(err, ERR_CORRUPT, "terminating chunk id appears earlier than expected");
		if (from > to || to > end)
			return err_set(err, ERR_CORRUPT, "improper chunk offset(s) %" PRIx64 " and %" PRIx64, from, to);
	}
	/* They ascend, so the first says whether one is in the table. */
	if (nr_chunks && get_be64(m->map.p + MIDX_HEADER_BYTES + 4) < first)
		return bad_midx(m->path, "a chunk begins in the chunk table", err);
	if (get_be32(at))
		return err_set(err, ERR_CORRUPT, "final chunk has non-zero id %" PRIx32, get_be32(at));
	return 0;
}

/* Its table has been checked. */
static bool find_chunk(const struct midx *m, unsigned nr_chunks, uint32_t id, struct chunk *out)
{
	for (unsigned i = 0; i < nr_chunks; i++) {
		const unsigned char *at = m->map.p + MIDX_HEADER_BYTES + i * MIDX_CHUNK_ENTRY_BYTES;
		uint64_t from = get_be64(at + 4), to = get_be64(at + MIDX_CHUNK_ENTRY_BYTES + 4);

		if (get_be32(at) == id) {
			*out = (struct chunk){ m->map.p + from, to - from };
			return true;
		}
	}
	return false;
}

static int lacks_chunk(const char *name, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "multi-pack-index required %s chunk missing or corrupted", name);
}

static int read_pack_names(struct midx *m, const struct chunk *c, struct err *err)
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
		/* Version 2 has them in any order. */
		if (i && m->version == 1 && strcmp(m->pack_names[i - 1], at) >= 0)
			return bad_midx(m->path, "pack names are out of order", err);
		m->pack_names[i] = at;
		at = nul + 1;
	}
	return 0;
}

static int read_tables(struct midx *m, unsigned nr_chunks, struct err *err)
{
	struct chunk fanout, names, locations, wide, order, packs;
	int rc = check_chunks(m, nr_chunks, err);

	if (rc < 0)
		return rc;
	if (!find_chunk(m, nr_chunks, MIDX_PACK_NAMES, &packs))
		return lacks_chunk("pack-name", err);
	if (!find_chunk(m, nr_chunks, MIDX_FANOUT, &fanout))
		return lacks_chunk("OID fanout", err);
	if (!find_chunk(m, nr_chunks, MIDX_NAMES, &names))
		return lacks_chunk("OID lookup", err);
	if (!find_chunk(m, nr_chunks, MIDX_LOCATIONS, &locations))
		return lacks_chunk("object offsets", err);
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
	if (find_chunk(m, nr_chunks, MIDX_WIDE, &wide)) {
		m->wide = wide.p;
		m->nr_wide = wide.len / 8 < UINT32_MAX ? (uint32_t)(wide.len / 8) : UINT32_MAX;
	}
	if (find_chunk(m, nr_chunks, MIDX_ORDER, &order) && order.len == (uint64_t)m->nr * 4)
		m->order = order.p;
	return read_pack_names(m, &packs, err);
}

static int parse_midx(struct midx *m, struct err *err)
{
	const unsigned char *p = m->map.p;

	if (m->map.len < MIDX_HEADER_BYTES + MIDX_CHUNK_ENTRY_BYTES + m->algo->raw_len)
		return err_set(err, ERR_CORRUPT, "multi-pack-index file %s is too small", m->path);
	if (get_be32(p) != MIDX_SIGNATURE)
		return err_set(err, ERR_UNSUPPORTED, "multi-pack-index signature 0x%08" PRIx32 " does not match signature "
			       "0x%08x", get_be32(p), MIDX_SIGNATURE);
	if (p[4] != 1 && p[4] != 2)
		return err_set(err, ERR_UNSUPPORTED, "multi-pack-index version %u not recognized", p[4]);
	if (p[5] != m->algo->id)
		return err_set(err, ERR_CORRUPT, "multi-pack-index hash version %u does not match version %d",
			       p[5], (int)m->algo->id);
	if (p[7])
		return err_set(err, ERR_UNSUPPORTED,
			       "multi-pack-index '%s': base files are not supported", m->path);
	m->version = p[4];
	m->nr_packs = get_be32(p + 8);
	return read_tables(m, p[6], err);
}

/* ---- opening ---- */

int midx_open(struct midx **out, const char *path, const struct hash_algo *algo,
	      struct err *err)
{
	struct midx *m;
	int rc;

	CALLOC_ARRAY(m, 1);
	m->path = xstrdup(path);
	m->algo = algo;
	if (stat(path, &m->seen) < 0)
		memset(&m->seen, 0, sizeof(m->seen));
	rc = mapped_file_open(&m->map, path, err);
	if (!rc)
		rc = parse_midx(m, err);
	if (rc < 0)
		midx_free(m);
	else
		*out = m;
	return rc;
}

static char *single_path(const char *packdir)
{
	return xstrfmt("%s/multi-pack-index", packdir);
}

static char *chain_path(const char *packdir)
{
	return xstrfmt("%s/multi-pack-index.d/multi-pack-index-chain", packdir);
}

/* Put the layer that a line of the chain names on top of *top. */
static int add_layer(struct midx **top, const char *packdir, const char *line, size_t len,
		     const struct hash_algo *algo, struct err *err)
{
	struct midx *m = NULL;
	struct object_id sum;
	const char *end;
	char *path;
	int rc;

	if (len != algo->hex_len || oid_parse_hex(&sum, line, algo, &end) < 0)
		return err_set(err, ERR_CORRUPT, "invalid multi-pack-index chain in '%s'", packdir);
	path = xstrfmt("%s/multi-pack-index.d/multi-pack-index-%s.midx", packdir, oid_hex(&sum));
	rc = midx_open(&m, path, algo, err);
	if (!rc && memcmp(midx_checksum(m), sum.hash, algo->raw_len))
		rc = bad_midx(path, "the checksum is not that of its name", err);
	if (!rc && *top && m->nr > UINT32_MAX - (*top)->first - (*top)->nr)
		rc = bad_midx(path, "too many objects", err);
	free(path);
	if (rc < 0) {
		midx_free(m);
		return rc;
	}
	if (*top)
		m->first = (*top)->first + (*top)->nr;
	m->base = *top;
	*top = m;
	return 0;
}

/* *gone: a layer is not there. *text is what the chain says. */
static int open_chain(struct midx **out, const char *packdir, const struct hash_algo *algo, struct strbuf *text,
		      bool *gone, struct err *err)
{
	struct midx *top = NULL;
	struct stat seen;
	char *path = chain_path(packdir);
	unsigned layers = 0;
	int rc = stat(path, &seen) < 0 ? ERR_NOT_FOUND : read_file(text, path, CHAIN_BYTES_MAX, err);

	for (const char *at = text->buf; !rc && *at; ) {
		size_t len = strcspn(at, "\n");

		rc = ++layers > LAYERS_MAX ? bad_midx(path, "too many layers", err) :
					     add_layer(&top, packdir, at, len, algo, err);
		/* A layer that is missing is damage. */
		*gone = rc == ERR_NOT_FOUND;
		if (*gone)
			rc = ERR_CORRUPT;
		at += len + !!at[len];
	}
	if (!rc && !top)
		rc = ERR_NOT_FOUND;
	if (rc < 0) {
		midx_free(top);
	} else {
		top->seen = seen;
		*out = top;
	}
	free(path);
	return rc;
}

int midx_open_dir(struct midx **out, const char *packdir, const struct hash_algo *algo,
		  struct err *err)
{
	char *path = single_path(packdir);
	struct strbuf text = STRBUF_INIT, before = STRBUF_INIT;
	struct err why = ERR_INIT;
	int rc, same = 0;
	bool gone;

	/* A writer of a chain removes layers that it no longer names: read the chain again then. */
	do {
		gone = false;
		strbuf_swap(&text, &before);
		strbuf_reset(&text);
		err_release(&why);
		rc = midx_open(out, path, algo, &why);
		if (rc == ERR_NOT_FOUND) {
			err_release(&why);
			rc = open_chain(out, packdir, algo, &text, &gone, &why);
		}
		same = strcmp(text.buf, before.buf) ? 0 : same + 1;
	} while (gone && same < CHAIN_TRIES);
	err_move(err, &why);
	err_release(&why);
	strbuf_release(&before);
	strbuf_release(&text);
	free(path);
	return rc;
}

bool midx_is_current(const struct midx *m, const char *packdir)
{
	char *single = single_path(packdir), *chain = chain_path(packdir);
	struct stat st;
	bool there = !stat(single, &st) || !stat(chain, &st);

	free(single);
	free(chain);
	if (!there || !m)
		return !there && !m;
	return is_same_state(&st, &m->seen);
}

void midx_free(struct midx *m)
{
	while (m) {
		struct midx *base = m->base;

		mapped_file_release(&m->map);
		free(m->pack_names);
		free(m->packs);
		free(m->path);
		free(m);
		m = base;
	}
}

char *midx_bitmap_path(const struct midx *m)
{
	struct object_id sum;

	oid_from_raw(&sum, midx_checksum(m), m->algo);
	return xstrfmt("%.*s/multi-pack-index-%s.bitmap", (int)(strrchr(m->path, '/') - m->path), m->path,
		       oid_hex(&sum));
}

bool midx_is_chain(const struct midx *m)
{
	return m && strstr(m->path, "/multi-pack-index.d/");
}

/* ---- use ---- */

bool midx_location(const struct midx *m, uint32_t pos, uint32_t *pack_id, uint64_t *offset)
{
	const unsigned char *at = m->locations + (size_t)pos * 8;
	uint32_t id = get_be32(at), v = get_be32(at + 4);

	if (id >= m->nr_packs)
		return false;
	if (m->wide && (v & MIDX_MSB)) {
		v &= ~MIDX_MSB;
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

	for (uint32_t i = 0; m->version > 1 && i < m->nr_packs; i++)
		if (!strcmp(name, m->pack_names[i]))
			return (int)i;
	while (m->version == 1 && lo < hi) {
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

bool midx_attach(struct midx *m, const char *idx_name, struct pack *p)
{
	for (; m; m = m->base) {
		int id = midx_pack_id(m, idx_name);

		if (id >= 0) {
			m->packs[id] = p;
			return true;
		}
	}
	return false;
}

bool midx_find(const struct midx *m, const unsigned char *name, const struct midx **layer,
	       uint32_t *pos)
{
	for (; m; m = m->base) {
		struct name_table t = midx_names(m);

		if (!name_table_find(&t, name, pos))
			continue;
		*layer = m;
		return true;
	}
	return false;
}
