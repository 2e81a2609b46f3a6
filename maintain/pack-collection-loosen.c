/* SPDX-License-Identifier: GPL-2.0-only */
/* What the new pack leaves behind in old ones, which may go. */
#include "compat/posix.h"
#include "packing/pack-collection.h"
#include "maintain/unpack-unreachable.h"
#include "maintain/recent-objects.h"
#include "odb/odb.h"
#include "util/alloc.h"

struct leaving {
	struct pack_collection *c;
	struct pack **staying, **going;
	size_t nr_staying, alloc_staying, nr_going, alloc_going;
	bool all;
	struct oidset young; /* unless all */
};

static bool pack_collection_loosen_stays(const struct pack_collection *c, struct pack *p)
{
	return pack_has_file(p, "keep") || pack_objects_excludes_pack(c->po, p);
}

static int pack_collection_loosen_note_pack(void *data, struct pack *p)
{
	struct leaving *l = data;

	if (!pack_collection_loosen_stays(l->c, p)) {
		ALLOC_GROW(l->going, l->nr_going + 1, l->alloc_going);
		l->going[l->nr_going++] = p;
		return 0;
	}
	ALLOC_GROW(l->staying, l->nr_staying + 1, l->alloc_staying);
	l->staying[l->nr_staying++] = p;
	return 0;
}

/* In the new pack, or in one of an alternate: with all that it leads to. */
static bool pack_collection_loosen_is_closed(void *data, const struct object_id *oid)
{
	const struct leaving *l = data;

	return pack_objects_has(l->c->po, oid) || odb_is_packed_in(l->c->r->odb, ODB_ALTERNATES, oid);
}

/* Or in a pack that stays. */
static bool pack_collection_loosen_is_safe(void *data, const struct object_id *oid)
{
	const struct leaving *l = data;

	if (pack_collection_loosen_is_closed(data, oid))
		return true;
	for (size_t i = 0; i < l->nr_staying; i++)
		if (pack_has_object(l->staying[i], oid))
			return true;
	return false;
}

static bool is_wanted(void *data, const struct object_id *oid)
{
	const struct leaving *l = data;

	return !pack_collection_loosen_is_safe(data, oid) && (l->all || oidset_contains(&l->young,
											oid));
}

int pack_collection_loosen(struct pack_collection *c, struct repo_operation *op, timestamp_t since, struct err *err)
{
	struct leaving l = { .c = c, .all = !since, .young = OIDSET_INIT };
	int rc = odb_foreach_pack(c->r->odb, ODB_OWN, pack_collection_loosen_note_pack, &l);

	if (!rc && since)
		rc = young_objects(&l.young, c->r, since, pack_collection_loosen_is_safe,
				   pack_collection_loosen_is_closed, &l, err);
	if (!rc)
		rc = packs_loosen(op, c->r, l.going, l.nr_going, is_wanted, &l, err);
	oidset_clear(&l.young);
	free(l.staying);
	free(l.going);
	return rc;
}
