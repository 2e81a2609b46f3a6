/* SPDX-License-Identifier: GPL-2.0-only */
/* Delta islands: "DELTA ISLANDS" of git-pack-objects(1). */
#include "compat/posix.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"

void pack_objects_set_islands(struct pack_objects *po, const struct pack_islands *islands)
{
	if (po->prepared || po->island_set_of)
		BUG("islands come once, and before the list is prepared");
	ALLOC_ARRAY(po->island_set_of, (size_t)po->nr + 1);
	for (uint32_t i = 0; i < po->nr; i++)
		po->island_set_of[i] = oid_flags_get(islands->marks, pack_item_name(po, i));
	po->island_sets = islands->sets;
	po->has_core = islands->has_core;
	po->core = islands->core;
}

bool pack_islands_allow(const struct pack_objects *po, uint32_t base, uint32_t target)
{
	return !po->island_set_of || shared_sets_includes(po->island_sets, po->island_set_of[base], po->island_set_of[target]);
}

static bool is_core(const struct pack_objects *po, uint32_t i)
{
	return shared_sets_has(po->island_sets, po->island_set_of[i], po->core);
}

void pack_islands_put_core_first(const struct pack_objects *po, uint32_t *order, uint32_t nr)
{
	uint32_t *others, nr_core = 0, nr_others = 0;

	if (!po->has_core)
		return;
	ALLOC_ARRAY(others, (size_t)nr + 1);
	for (uint32_t k = 0; k < nr; k++) {
		if (is_core(po, order[k]))
			order[nr_core++] = order[k];
		else
			others[nr_others++] = order[k];
	}
	memcpy(order + nr_core, others, nr_others * sizeof(*order));
	free(others);
}
