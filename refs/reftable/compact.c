/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "refs/reftable/compact-internal.h"
#include "util/alloc.h"

static bool is_being_compacted(const struct reftable *t)
{
	char *lock = xconcat(t->path, ".lock");
	bool yes = file_exists(lock) && !lockfile_remove_stale(lock);

	free(lock);
	return yes;
}

size_t reftable_compaction_start(const struct reftable_stack *s, uint64_t new_bytes, unsigned factor, uint64_t max_bytes)
{
	uint64_t sum = new_bytes;
	size_t start = s->nr;

	while (start) {
		const struct reftable *t = s->tables[start - 1];

		if (t->map.len / factor >= sum || t->map.len + sum > max_bytes || is_being_compacted(t))
			break;
		sum += t->map.len;
		start--;
	}
	return start;
}

size_t reftable_uneven_start(const struct reftable_stack *s, unsigned factor)
{
	size_t start = s->nr;
	uint64_t sum = 0;

	for (size_t i = s->nr; i-- > 0 && !is_being_compacted(s->tables[i]);) {
		if (s->tables[i]->map.len / factor < sum)
			start = i;
		sum += s->tables[i]->map.len;
	}
	return start;
}

static int copy_refs(struct reftable_writer *w, struct merged_iter *m, struct err *err)
{
	const struct reftable_record *rec;
	int rc = merged_iter_seek(m, NULL, 0, err);

	while (!rc && (rc = merged_iter_next(m, &rec, err)) > 0)
		rc = reftable_writer_add_ref(w, &rec->key, &rec->ref, err);
	return rc;
}

static int copy_logs(struct reftable_writer *w, struct merged_iter *m, struct err *err)
{
	const struct reftable_record *rec;
	int rc = merged_iter_seek(m, NULL, 0, err);

	while (!rc && (rc = merged_iter_next(m, &rec, err)) > 0)
		rc = reftable_writer_add_log(w, &rec->key, &rec->log, err);
	return rc;
}

static uint32_t largest_block_size(struct reftable *const *tables, size_t nr)
{
	uint32_t size = REFTABLE_BLOCK_SIZE;

	for (size_t i = 0; i < nr; i++)
		if (tables[i]->src.block_size > size)
			size = tables[i]->src.block_size;
	return size;
}

int reftable_merge(struct reftable *const *tables, size_t nr, bool keep_deleted, reftable_sink_fn sink, void *data,
		   struct err *err)
{
	struct reftable_write_options o = {
		.algo = tables[0]->algo,
		.block_size = largest_block_size(tables, nr),
		.index_objects = true,
		.min_update_index = tables[0]->min_update_index,
		.max_update_index = tables[nr - 1]->max_update_index,
	};
	struct merged_iter refs = MERGED_ITER_INIT, logs = MERGED_ITER_INIT;
	struct reftable_writer *w = reftable_writer_new(&o, sink, data);
	int rc;

	merged_iter_start(&refs, BLOCK_REF, tables, nr);
	merged_iter_start(&logs, BLOCK_LOG, tables, nr);
	refs.with_deleted = logs.with_deleted = keep_deleted;
	rc = copy_refs(w, &refs, err);
	if (!rc)
		rc = copy_logs(w, &logs, err);
	if (!rc)
		rc = reftable_writer_finish(w, err);
	merged_iter_release(&refs);
	merged_iter_release(&logs);
	reftable_writer_free(w);
	return rc;
}
