/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects that are left out of a new pack, because of where they are already. */
#include "compat/posix.h"
#include "odb/odb.h"
#include "pack/write/write-internal.h"
#include "util/alloc.h"

void pack_objects_exclude_pack(struct pack_objects *po, struct pack *pack)
{
	ALLOC_GROW(po->excluded, po->nr_excluded + 1, po->alloc_excluded);
	po->excluded[po->nr_excluded++] = pack;
}

bool pack_objects_excludes_pack(const struct pack_objects *po, const struct pack *pack)
{
	for (size_t i = 0; i < po->nr_excluded; i++)
		if (po->excluded[i] == pack)
			return true;
	return false;
}

/* Does any alternate have it? Then it is borrowed, even if we have it as well. */
static bool is_borrowed(const struct pack_objects *po, const struct object_id *oid)
{
	for (size_t i = 0; i < odb_nr_alternates(po->o.odb); i++)
		if (odb_store_has(po->o.odb, i + 1, oid))
			return true;
	return false;
}

bool pack_list_leaves_out(const struct pack_objects *po, const struct object_id *oid)
{
	for (size_t i = 0; i < po->nr_excluded; i++)
		if (pack_has_object(po->excluded[i], oid))
			return true;
	if ((po->o.incremental && odb_is_packed(po->o.odb, oid)) || (po->o.local && is_borrowed(po, oid)))
		return true;
	return po->o.leave_out && po->o.leave_out(po->o.leave_out_data, oid);
}
