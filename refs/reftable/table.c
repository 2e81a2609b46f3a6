/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a table: its header and its footer. */
#include "compat/posix.h"
#include <zlib.h>
#include "refs/reftable/table-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/path.h"

#define MAGIC "REFT"

static int bad_table(const struct reftable *t, struct err *err, const char *why)
{
	return err_set(err, ERR_CORRUPT, "reftable '%s': %s", t->path, why);
}

/* ---- the header: magic, version, block size, update indexes; version 2: the hash ---- */

static int read_version(struct reftable *t, struct err *err)
{
	unsigned version;

	if (t->map.len < 5 || memcmp(t->map.p, MAGIC, 4))
		return bad_table(t, err, "the file does not begin as a reftable does");
	version = t->map.p[4];
	if (version != 1 && version != 2)
		return err_set(err, ERR_UNSUPPORTED, "reftable '%s': version %u is not known", t->path, version);
	t->src.header_len = version == 1 ? 24 : TABLE_HEADER_MAX;
	return 0;
}

static int check_hash(const struct reftable *t, struct err *err)
{
	const struct hash_algo *algo = hash_sha1;

	if (t->src.header_len == TABLE_HEADER_MAX) {
		if (!memcmp(t->map.p + 24, "s256", 4))
			algo = hash_sha256;
		else if (memcmp(t->map.p + 24, "sha1", 4))
			return bad_table(t, err, "its hash algorithm is unknown");
	}
	return algo == t->algo ? 0 : bad_table(t, err, "it has the ids of another hash algorithm than the repository");
}

static int read_header(struct reftable *t, struct err *err)
{
	const unsigned char *p = t->map.p;
	int rc = read_version(t, err);
	size_t footer_len;

	if (rc < 0)
		return rc;
	footer_len = t->src.header_len + 5 * 8 + 4;
	if (t->map.len < t->src.header_len + footer_len)
		return bad_table(t, err, "the file is too short");
	t->src.len = t->map.len - footer_len;
	t->src.block_size = get_be32(p + 4) & BLOCK_LEN_MAX;
	t->min_update_index = get_be64(p + 8);
	t->max_update_index = get_be64(p + 16);
	if (t->min_update_index > t->max_update_index)
		return bad_table(t, err, "its update indexes are out of order");
	t->src.format = (struct record_format){ t->algo->raw_len, t->min_update_index };
	return check_hash(t, err);
}

/* ---- the footer: the header again, positions, a checksum ---- */

struct positions {
	uint64_t ref_index, objs, obj_index, logs, log_index;
};

/* The first of the later positions that is there ends a section. */
static uint64_t first_present(const uint64_t *positions, size_t nr, uint64_t end)
{
	for (size_t i = 0; i < nr; i++)
		if (positions[i])
			return positions[i];
	return end;
}

/* The sections come in this order, behind the header and before the footer. */
static bool positions_are_in_order(const struct reftable *t, const uint64_t *positions, size_t nr)
{
	uint64_t last = t->src.header_len - 1;

	for (size_t i = 0; i < nr; i++) {
		if (!positions[i])
			continue;
		if (positions[i] <= last || positions[i] >= t->src.len)
			return false;
		last = positions[i];
	}
	return true;
}

static int find_sections(struct reftable *t, struct positions p, struct err *err)
{
	uint64_t list[] = { p.ref_index, p.objs, p.obj_index, p.logs, p.log_index };
	enum block_type first = block_type_at(&t->src, 0);

	/* Logs in the first block are at 0, where Git says that they are, or behind the header. */
	if (first == BLOCK_LOG && p.logs <= t->src.header_len)
		list[3] = p.logs = 0;
	if (!positions_are_in_order(t, list, ARRAY_SIZE(list)))
		return bad_table(t, err, "the positions in its footer are out of order");
	t->refs = (struct table_section){ .present = first == BLOCK_REF, .index = p.ref_index,
					  .end = first_present(list + 1, 4, t->src.len) };
	t->objs = (struct table_section){ .present = p.objs, .start = p.objs, .index = p.obj_index,
					  .end = first_present(list + 3, 2, t->src.len) };
	t->logs = (struct table_section){ .present = p.logs || first == BLOCK_LOG, .start = p.logs,
					  .index = p.log_index, .end = t->src.len };
	/* A table without records has nothing but a header and a footer. */
	if (t->src.len > t->src.header_len ? !t->refs.present && !t->logs.present :
	    p.ref_index || p.objs || p.obj_index || p.logs || p.log_index)
		return bad_table(t, err, "its footer does not fit its blocks");
	return 0;
}

static int read_footer(struct reftable *t, struct err *err)
{
	const unsigned char *footer = t->map.p + t->src.len, *p = footer + t->src.header_len;
	size_t len = t->src.header_len + 5 * 8;
	uint64_t objs = get_be64(p + 8);

	if (memcmp(footer, t->map.p, t->src.header_len))
		return bad_table(t, err, "its footer does not repeat its header");
	if (crc32(crc32(0, NULL, 0), footer, (uInt)len) != get_be32(footer + len))
		return bad_table(t, err, "the checksum of its footer is wrong");
	t->obj_id_len = objs & 31;
	return find_sections(t, (struct positions){ get_be64(p), objs >> 5, get_be64(p + 16), get_be64(p + 24),
						    get_be64(p + 32) }, err);
}

/* ---- the table ---- */

static struct reftable *new_table(const char *path, const struct hash_algo *algo)
{
	struct reftable *t;

	CALLOC_ARRAY(t, 1);
	t->refcount = 1;
	t->algo = algo;
	t->path = xstrdup(path);
	t->name = xstrdup(path_basename(path));
	t->src.path = t->path;
	return t;
}

static int read_ends(struct reftable **out, struct reftable *t, struct err *err)
{
	int rc = read_header(t, err);

	t->src.p = t->map.p;
	if (!rc)
		rc = read_footer(t, err);
	if (!rc)
		*out = t;
	else
		reftable_put(t);
	return rc;
}

int reftable_open(struct reftable **out, const char *path, const struct hash_algo *algo, struct err *err)
{
	struct reftable *t = new_table(path, algo);
	int rc = mapped_file_open(&t->map, path, err);

	if (rc < 0) {
		reftable_put(t);
		return rc;
	}
	return read_ends(out, t, err);
}

int reftable_open_memory(struct reftable **out, const char *path, const void *p, size_t len,
			 const struct hash_algo *algo, struct err *err)
{
	struct reftable *t = new_table(path, algo);

	t->in_memory = true;
	t->map.p = p;
	t->map.len = len;
	return read_ends(out, t, err);
}

struct reftable *reftable_get(struct reftable *t)
{
	t->refcount++;
	return t;
}

void reftable_put(struct reftable *t)
{
	if (!t || --t->refcount)
		return;
	if (!t->in_memory)
		mapped_file_release(&t->map);
	free(t->name);
	free(t->path);
	free(t);
}
