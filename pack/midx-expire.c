/* SPDX-License-Identifier: GPL-2.0-only */
/* Packs that a multi-pack-index does not need: finding them, and removing them. */
#include "compat/posix.h"
#include "fs/file.h"
#include "pack/midx-internal.h"
#include "pack/read-internal.h"
#include "pack/verify-object-internal.h"
#include "util/alloc.h"

/*
 * Is each object of the pack in another pack as well, according to the index and in fact, and
 * undamaged there?
 */
static bool is_superfluous(const struct midx *m, const struct pack *p, struct pack_whole *whole)
{
	for (uint32_t i = 0; i < p->idx.nr; i++) {
		const unsigned char *name = idx_name(&p->idx, i);
		const struct midx *layer;
		uint64_t offset;
		uint32_t pos, id;

		if (!midx_find(m, name, &layer, &pos) || !midx_location(layer, pos, &id, &offset) ||
		    !m->packs[id] || m->packs[id] == p ||
		    pack_open_data(m->packs[id], NULL) < 0 ||
		    !idx_find(&m->packs[id]->idx, name, &pos) ||
		    idx_offset(&m->packs[id]->idx, pos) != offset ||
		    !pack_object_is_whole(m->packs[id], offset, &whole[id]))
			return false;
	}
	return true;
}

int midx_find_unused(const struct midx *m, struct strset *unused, struct err *err)
{
	struct pack_whole *whole;
	bool *referred;

	if (m->base || strstr(m->path, "/multi-pack-index.d/"))
		return err_set(err, ERR_UNSUPPORTED,
			       "cannot expire packs from an incremental multi-pack-index");
	CALLOC_ARRAY(referred, (size_t)m->nr_packs + 1);
	CALLOC_ARRAY(whole, (size_t)m->nr_packs + 1);
	for (uint32_t i = 0; i < m->nr; i++) {
		uint64_t offset;
		uint32_t id;

		if (midx_location(m, i, &id, &offset))
			referred[id] = true;
	}
	for (uint32_t id = 0; id < m->nr_packs; id++) {
		struct pack *p = m->packs[id];

		if (p && !referred[id] && !pack_has_file(p, "keep") && !pack_has_file(p, "mtimes") &&
		    !pack_has_file(p, "promisor") && !pack_open_idx(p, NULL) && is_superfluous(m, p, whole))
			strset_add(unused, m->pack_names[id]);
	}
	for (uint32_t id = 0; id < m->nr_packs; id++)
		bitset_release(&whole[id].entries);
	free(whole);
	free(referred);
	return 0;
}
