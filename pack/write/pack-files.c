/* SPDX-License-Identifier: GPL-2.0-only */
/* See pack-files.h. */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "fs/tempfile.h"
#include "pack/stage-internal.h"
#include "pack/write/pack-files.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "write-or-die.h"

#define HASH_BYTES ((size_t)1024 * 1024)

struct pack_files {
	struct pack_objects *po;
	const struct pack_files_options *o;
	struct fsync_batch *batch;
	char *dir; /* of temporary files */
	struct tempfile *tmp;
};

static int write_piece(void *data, const void *p, size_t len, struct err *err)
{
	struct pack_files *f = data;

	return write_in_full(f->tmp->fd, p, len, f->tmp->path, err);
}

/* ---- a count that turned out too high ---- */

static int hash_file(const struct tempfile *t, const struct hash_algo *algo, uint64_t len,
		     struct object_id *sum, struct err *err)
{
	unsigned char *buf = xmalloc(HASH_BYTES);
	struct hash_ctx hash;
	int rc = 0;

	hash_init(&hash, algo);
	for (uint64_t at = 0; at < len && !rc;) {
		size_t n = len - at < HASH_BYTES ? (size_t)(len - at) : HASH_BYTES;

		errno = 0;
		if (pread_in_full(t->fd, buf, n, (off_t)at) != (ssize_t)n)
			rc = err_set_errno(err, "cannot read back '%s'", t->path);
		else
			hash_update(&hash, buf, n);
		at += n;
	}
	hash_final(&hash, sum);
	hash_release(&hash);
	free(buf);
	return rc;
}

/* How many objects fit is known when they have been written: header and checksum are made again. */
static int correct_count(struct pack_files *f, struct pack_part *part, struct err *err)
{
	const struct hash_algo *algo = f->po->algo;
	uint64_t end = part->bytes - algo->raw_len;
	unsigned char nr[4];
	int rc;

	put_be32(nr, part->to - part->from);
	rc = pwrite_in_full(f->tmp->fd, nr, sizeof(nr), 8, f->tmp->path, err);
	if (!rc)
		rc = hash_file(f->tmp, algo, end, &part->sum, err);
	if (!rc)
		rc = pwrite_in_full(f->tmp->fd, part->sum.hash, algo->raw_len, (off_t)end, f->tmp->path, err);
	return rc;
}

/* ---- one pack ---- */

static struct idx_entry *list_entries(const struct pack_objects *po, const struct pack_part *part)
{
	struct idx_entry *v;

	ALLOC_ARRAY(v, (size_t)(part->to - part->from) + 1);
	for (uint32_t k = part->from; k < part->to; k++) {
		const struct pack_item *it = &po->items[po->order[k]];
		struct idx_entry *e = &v[k - part->from];

		pack_item_oid(po, po->order[k], &e->oid);
		e->offset = it->out_offset;
		e->crc = it->crc;
	}
	idx_entries_sort(v, part->to - part->from);
	return v;
}

static int stage_idx(struct pack_files *f, const struct pack_parts *parts,
		     const struct idx_entry *v, uint32_t nr, struct err *err)
{
	const struct idx_format format = { f->o->index_version, f->o->index_wide_from };
	struct tempfile *t;
	int rc = tempfile_create_in(&t, parts->dir, "tmp_idx_", 0444, err);

	if (rc < 0)
		return rc;
	rc = idx_write_as(t->fd, t->path, parts->algo, v, nr, parts->sum, &format, err);
	if (!rc)
		return pack_part_stage(parts, &t, "idx", f->batch, err);
	tempfile_delete(&t);
	return rc;
}

static int stage_mtimes(struct pack_files *f, const struct pack_parts *parts,
			const struct idx_entry *v, uint32_t nr, struct err *err)
{
	struct tempfile *t;
	uint32_t *mtimes;
	int rc = tempfile_create_in(&t, parts->dir, "tmp_mtimes_", 0444, err);

	if (rc < 0)
		return rc;
	ALLOC_ARRAY(mtimes, (size_t)nr + 1);
	for (uint32_t i = 0; i < nr; i++)
		mtimes[i] = f->o->mtime_of(f->o->data, &v[i].oid);
	rc = pack_mtimes_write(t->fd, t->path, parts->algo, mtimes, nr, parts->sum, err);
	free(mtimes);
	if (!rc)
		return pack_part_stage(parts, &t, "mtimes", f->batch, err);
	tempfile_delete(&t);
	return rc;
}

static int stage_promisor(struct pack_files *f, const struct pack_parts *parts, struct err *err)
{
	struct tempfile *t;
	int rc = tempfile_create_in(&t, parts->dir, "tmp_promisor_", 0444, err);

	return rc < 0 ? rc : pack_part_stage(parts, &t, "promisor", f->batch, err);
}

static int stage(struct pack_files *f, const struct pack_part *part, struct err *err)
{
	struct pack_parts parts = { f->o->base_name, f->dir, f->po->algo, f->o->shared_perm,
				    &part->sum };
	struct idx_entry *v = list_entries(f->po, part);
	uint32_t nr = part->to - part->from;
	int rc = pack_part_stage(&parts, &f->tmp, "pack", f->batch, err);

	if (!rc && f->o->write_rev)
		rc = pack_table_stage(&parts, "rev", rev_write, v, nr, f->batch, err);
	if (!rc && f->o->mtime_of)
		rc = stage_mtimes(f, &parts, v, nr, err);
	if (!rc && f->o->promisor)
		rc = stage_promisor(f, &parts, err);
	if (!rc && f->o->before_idx)
		rc = f->o->before_idx(f->o->data, f->dir, v, nr, &part->sum, err);
	if (!rc)
		rc = stage_idx(f, &parts, v, nr, err);
	free(v);
	return rc;
}

static int write_one(struct pack_files *f, struct oid_array *sums, struct err *err)
{
	const struct pack_sink sink = { .write = write_piece, .data = f };
	struct pack_part part;
	int rc = tempfile_create_in(&f->tmp, f->dir, "tmp_pack_", 0444, err);

	if (rc < 0)
		return rc;
	rc = pack_objects_write_part(f->po, f->o->max_bytes, &sink, &part, err);
	if (!rc && part.wrong_count)
		rc = correct_count(f, &part, err);
	if (!rc)
		rc = stage(f, &part, err);
	else
		tempfile_delete(&f->tmp);
	if (!rc)
		oid_array_append(sums, &part.sum);
	return rc;
}

int pack_objects_write_files(struct pack_objects *po, const struct pack_files_options *o,
			     struct fsync_batch *b, struct oid_array *sums, struct err *err)
{
	const char *slash = strrchr(o->base_name, '/');
	struct pack_files f = { .po = po, .o = o, .batch = b };
	int rc;

	if (po->nr_ranges)
		BUG("objects of ranges have no place in an index");
	f.dir = o->tmp_dir ? xstrdup(o->tmp_dir) :
		slash ? xstrndup(o->base_name, (size_t)(slash - o->base_name) + (slash == o->base_name))
		      : xstrdup(".");
	do
		rc = write_one(&f, sums, err);
	while (!rc && po->nr_written < pack_objects_count(po));
	free(f.dir);
	return rc;
}
