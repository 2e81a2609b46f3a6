/* SPDX-License-Identifier: GPL-2.0-only */
/* The multi-pack-index that is there: its layers, and how it is removed. */
#include "compat/posix.h"
#include <dirent.h>
#include "fs/file.h"
#include "pack/midx-internal.h"
#include "util/alloc.h"

/* ---- its layers ---- */

bool midx_is_whole(const struct midx *m)
{
	struct object_id sum;

	for (; m; m = m->base) {
		hash_buf(m->algo, m->map.p, m->map.len - m->algo->raw_len, &sum);
		if (memcmp(sum.hash, midx_checksum(m), m->algo->raw_len))
			return false;
	}
	return true;
}

static bool has_bitmap(const struct midx *m, const struct object_id *sum)
{
	char *path = xstrfmt("%.*s/multi-pack-index-%s.bitmap", (int)(strrchr(m->path, '/') - m->path), m->path,
			     oid_hex(sum));
	bool has = file_exists(path);

	free(path);
	return has;
}

static void describe(struct midx_layer *out, const struct midx *m)
{
	oid_from_raw(&out->sum, midx_checksum(m), m->algo);
	out->nr_objects = m->nr;
	out->has_bitmap = has_bitmap(m, &out->sum);
	for (uint32_t i = 0; i < m->nr_packs; i++)
		strset_add(&out->packs, m->pack_names[i]);
}

void midx_layers_read(struct midx_layers *out, struct packs *packs)
{
	struct midx *top = NULL;
	size_t i = 0;

	*out = (struct midx_layers){ 0 };
	if (midx_open_dir(&top, packs->dir, packs->opts.algo, NULL) < 0)
		return;
	if (midx_is_whole(top)) {
		for (const struct midx *m = top; m; m = m->base)
			out->nr++;
		CALLOC_ARRAY(out->v, out->nr);
		i = out->nr;
		for (const struct midx *m = top; m; m = m->base)
			describe(&out->v[--i], m);
	}
	midx_free(top);
}

void midx_layers_release(struct midx_layers *l)
{
	for (size_t i = 0; i < l->nr; i++)
		strset_clear(&l->v[i].packs);
	free(l->v);
	memset(l, 0, sizeof(*l));
}

/* ---- removing it ---- */

int midx_stage_unlink(struct fsync_batch *b, const char *path, struct err *err)
{
	struct fsync_staging s = { .component = FSYNC_PACK_METADATA, .order = PUBLISH_DERIVED,
				   .how = PUBLISH_UNLINK, .fd = -1, .final_path = path };

	return fsync_batch_stage(b, &s, err);
}

static int stage_files_of(const char *dir, const char *prefix, struct fsync_batch *b, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = 0;

	while (d && !rc && (e = readdir(d))) {
		char *path = xstrfmt("%s/%s", dir, e->d_name);

		if (starts_with(e->d_name, prefix))
			rc = midx_stage_unlink(b, path, err);
		free(path);
	}
	if (d)
		closedir(d);
	return rc;
}

int midx_stage_clearing(struct packs *packs, struct fsync_batch *b, struct err *err)
{
	char *midx = xstrfmt("%s/multi-pack-index", packs->dir);
	char *chain = xstrfmt("%s/multi-pack-index.d", packs->dir);
	char *chain_file = xstrfmt("%s/multi-pack-index-chain", chain);
	int rc = 0;

	/* The index before its companions, the chain before its layers. */
	if (file_exists(midx))
		rc = midx_stage_unlink(b, midx, err);
	if (!rc && file_exists(chain_file))
		rc = midx_stage_unlink(b, chain_file, err);
	if (!rc)
		rc = stage_files_of(packs->dir, "multi-pack-index-", b, err);
	if (!rc)
		rc = stage_files_of(chain, "multi-pack-index-", b, err);
	free(midx);
	free(chain);
	free(chain_file);
	return rc;
}

bool midx_names_any(struct packs *packs, const struct strset *names)
{
	const struct midx *m = packs_set(packs)->midx;

	for (; m; m = m->base)
		for (uint32_t i = 0; i < m->nr_packs; i++)
			if (strset_contains(names, m->pack_names[i]))
				return true;
	return false;
}
