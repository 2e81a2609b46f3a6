/* SPDX-License-Identifier: GPL-2.0-only */
/* Staging the files of a pack: see stage-internal.h. */
#include "compat/posix.h"
#include "fs/file.h"
#include "pack/stage-internal.h"
#include "util/alloc.h"

int pack_part_stage(const struct pack_parts *p, struct tempfile **t, const char *ext,
		    struct fsync_batch *b, struct err *err)
{
	char *final = xstrfmt("%s-%s.%s", p->prefix, oid_hex(p->sum), ext);
	bool is_idx = !strcmp(ext, "idx");
	bool is_pack = !strcmp(ext, "pack");
	int rc = 0;

	if (p->shared_perm)
		rc = apply_shared_perm((*t)->path, p->shared_perm, err);
	/*
	 * D3: the .idx makes the pack visible, so it is published after what it
	 * points into (t0101: a pack is whole before its idx).
	 */
	if (!rc)
		rc = tempfile_stage(t, b, is_pack ? FSYNC_PACK : FSYNC_PACK_METADATA,
				    is_idx ? PUBLISH_PACK_IDX : PUBLISH_PACK_DATA,
				    final, true, err);
	else
		tempfile_delete(t);
	free(final);
	return rc;
}

int pack_table_stage(const struct pack_parts *p, const char *ext, pack_table_fn fn,
		     const struct idx_entry *v, uint32_t nr, struct fsync_batch *b, struct err *err)
{
	struct tempfile *t;
	char *prefix = xstrfmt("tmp_%s_", ext);
	int rc = tempfile_create_in(&t, p->dir, prefix, 0444, err);

	free(prefix);
	if (rc < 0)
		return rc;
	rc = fn(t->fd, t->path, p->algo, v, nr, p->sum, err);
	if (rc < 0) {
		tempfile_delete(&t);
		return rc;
	}
	return pack_part_stage(p, &t, ext, b, err);
}

static int by_name(const void *a, const void *b)
{
	const struct idx_entry *x = a, *y = b;

	return oid_cmp(&x->oid, &y->oid);
}

void idx_entries_sort(struct idx_entry *v, uint32_t nr)
{
	if (nr)
		qsort(v, nr, sizeof(*v), by_name);
}
