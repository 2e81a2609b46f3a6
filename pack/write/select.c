/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects that are left out of a new pack, because of where they are already. */
#include "compat/posix.h"
#include "fs/file.h"
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

static bool is_loose_in(const char *objdir, const struct object_id *oid)
{
	const char *hex = oid_hex(oid);
	char *path = xstrfmt("%s/%.2s/%s", objdir, hex, hex + 2);
	bool there = file_exists(path);

	free(path);
	return there;
}

/* Does any alternate have it? Then it is borrowed, even if we have it as well. */
static bool is_borrowed(const struct pack_objects *po, const struct object_id *oid)
{
	for (size_t i = 0; i < odb_nr_alternates(po->o.odb); i++)
		if (packs_has(odb_packs(po->o.odb, i + 1), oid) ||
		    is_loose_in(odb_alternate(po->o.odb, i), oid))
			return true;
	return false;
}

static bool is_packed(const struct pack_objects *po, const struct object_id *oid)
{
	for (size_t i = 0; i <= odb_nr_alternates(po->o.odb); i++)
		if (packs_has(odb_packs(po->o.odb, i), oid))
			return true;
	return false;
}

bool pack_list_leaves_out(const struct pack_objects *po, const struct object_id *oid)
{
	for (size_t i = 0; i < po->nr_excluded; i++)
		if (pack_has_object(po->excluded[i], oid))
			return true;
	if ((po->o.incremental && is_packed(po, oid)) || (po->o.local && is_borrowed(po, oid)))
		return true;
	return po->o.leave_out && po->o.leave_out(po->o.leave_out_data, oid);
}
