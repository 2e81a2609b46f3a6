/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds wanted objects that need not be requested. */
#include "compat/posix.h"
#include "history/revision/connected.h"
#include "pack/pack.h"
#include "transport/fetch/fetch-session.h"

static int note_own(void *data, const struct ref *ref)
{
	oidset_insert(data, &ref->oid);
	return 0;
}

int fetch_drop_named(struct repository *r, struct oid_array *wants, struct err *err)
{
	struct oidset own = OIDSET_INIT;
	int rc = refs_foreach(r->refs, "", REFS_NO_PEEL, note_own, &own, err);
	size_t nr = 0;

	for (size_t i = 0; !rc && i < wants->nr; i++)
		if (!oidset_contains(&own, &wants->oid[i]) || !odb_has_quick(r->odb, &wants->oid[i]))
			wants->oid[nr++] = wants->oid[i];
	if (!rc)
		wants->nr = nr;
	oidset_clear(&own);
	return rc;
}

/*
 * The object is here, but perhaps no ref leads to it, also not after the fetch if only FETCH_HEAD names it. So it must become
 * fresh. Objects that only cruft packs have are fetched again.
 */
static bool is_fresh(struct odb *odb, const struct object_id *oid)
{
	return odb_freshen(odb, oid) || !odb_is_cruft(odb, oid);
}

int fetch_drop_present(struct repository *r, bool promised, const struct oid_array *complete, struct oid_array *wants,
		       struct err *err)
{
	struct connected_options o = { .promised = promised, .complete = complete };
	struct oid_array left = OID_ARRAY_INIT, here = OID_ARRAY_INIT;
	struct object_id missing;
	int rc = fetch_drop_named(r, wants, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < wants->nr; i++)
		oid_array_append(odb_has_quick(r->odb, &wants->oid[i]) ? &here : &left, &wants->oid[i]);
	if (here.nr) {
		rc = objects_are_connected(r, &here, &o, &missing, err);
		for (size_t i = 0; i < here.nr; i++)
			if (!rc || !is_fresh(r->odb, &here.oid[i]))
				oid_array_append(&left, &here.oid[i]);
	}
	oid_array_clear(&here);
	oid_array_clear(wants);
	*wants = left;
	return rc < 0 ? rc : 0;
}
