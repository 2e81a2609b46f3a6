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

static int longest_ref_of(size_t *longest, struct merged_iter *m, struct err *err)
{
	const struct reftable_record *rec;
	int rc = merged_iter_seek(m, NULL, 0, err);

	*longest = 0;
	while (!rc && (rc = merged_iter_next(m, &rec, err)) > 0) {
		size_t len = rec->key.len + (rec->ref.type == REF_VALUE_SYMREF ? rec->ref.target_len : 0);

		if (len > *longest)
			*longest = len;
		rc = 0;
	}
	return rc;
}

/* The wanted size, unless a ref needs more: then one of the tables has larger blocks already. */
static int merged_block_size(uint32_t *size, struct reftable *const *tables, size_t nr, struct merged_iter *refs,
			     struct err *err)
{
	bool larger = false;
	size_t longest;
	int rc;

	for (size_t i = 0; i < nr; i++)
		larger |= tables[i]->src.block_size > *size;
	if (!larger)
		return 0;
	rc = longest_ref_of(&longest, refs, err);
	if (!rc)
		*size = reftable_block_size_for(*size, longest);
	return rc;
}

/* Tables that another program has damaged may be out of order. */
static void cover_indexes(struct reftable_write_options *o, struct reftable *const *tables, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		if (tables[i]->min_update_index < o->min_update_index)
			o->min_update_index = tables[i]->min_update_index;
		if (tables[i]->max_update_index > o->max_update_index)
			o->max_update_index = tables[i]->max_update_index;
	}
}

int reftable_merge(struct reftable *const *tables, size_t nr, const struct ref_table_options *wanted, bool keep_deleted,
		   reftable_sink_fn sink, void *data, struct err *err)
{
	struct reftable_write_options o = {
		.algo = tables[0]->algo,
		.block_size = reftable_block_size_for(wanted->block_size, 0),
		.restart_interval = wanted->restart_interval,
		.index_objects = !wanted->no_object_index,
		.min_update_index = tables[0]->min_update_index,
		.max_update_index = tables[0]->max_update_index,
	};
	struct merged_iter refs = MERGED_ITER_INIT, logs = MERGED_ITER_INIT;
	struct reftable_writer *w = NULL;
	int rc;

	cover_indexes(&o, tables, nr);
	merged_iter_start(&refs, BLOCK_REF, tables, nr);
	merged_iter_start(&logs, BLOCK_LOG, tables, nr);
	refs.with_deleted = logs.with_deleted = keep_deleted;
	rc = merged_block_size(&o.block_size, tables, nr, &refs, err);
	if (!rc) {
		w = reftable_writer_new(&o, sink, data);
		rc = copy_refs(w, &refs, err);
	}
	if (!rc)
		rc = copy_logs(w, &logs, err);
	if (!rc)
		rc = reftable_writer_finish(w, err);
	merged_iter_release(&refs);
	merged_iter_release(&logs);
	reftable_writer_free(w);
	return rc;
}
