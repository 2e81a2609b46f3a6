/* SPDX-License-Identifier: GPL-2.0-only */
/* Stores, and their packs: any store may have none on a local disk. */
#include "compat/posix.h"
#include "odb/odb-internal.h"
#include "pack/bitmap.h"

/* ---- stores ---- */

struct odb_store *odb_store_at(const struct odb *odb, size_t i)
{
	struct odb_store *st = odb->stores.first;

	while (st && i--)
		st = next_store(st);
	return st;
}

size_t odb_nr_alternates(const struct odb *odb)
{
	size_t nr = 0;

	for (struct odb_store *st = next_store(odb->stores.first); st; st = next_store(st))
		nr++;
	return nr;
}

const char *odb_alternate(const struct odb *odb, size_t i)
{
	return odb_store_objdir(odb, i + 1);
}

const char *odb_store_objdir(const struct odb *odb, size_t store)
{
	struct odb_store *st = odb_store_at(odb, store);

	return st ? st->objdir : NULL;
}

bool odb_store_has(struct odb *odb, size_t store, const struct object_id *oid)
{
	struct odb_store *st = odb_store_at(odb, store);

	for (int rank = 0; st && rank < ODB_NR_RANKS; rank++) {
		struct odb_source *s = st->sources[rank];

		if (s && s->ops->has(s, oid, false))
			return true;
	}
	return false;
}

/* ---- which stores ---- */

static bool is_in_scope(const struct odb *odb, const struct odb_store *st, enum odb_scope scope)
{
	return scope & (st == odb->stores.first ? ODB_OWN : ODB_ALTERNATES);
}

#define FOR_EACH_STORE_IN(odb, scope, st) \
	FOR_EACH_STORE(odb, st) \
		if (is_in_scope(odb, st, scope))

bool odb_refresh(struct odb *odb, enum odb_scope scope)
{
	bool changed = false;

	FOR_EACH_STORE_IN(odb, scope, st)
		for (int rank = 0; rank < ODB_NR_RANKS; rank++) {
			struct odb_source *s = st->sources[rank];

			if (s && s->ops->refresh)
				changed |= s->ops->refresh(s);
		}
	return changed;
}

void odb_drop_cache(struct odb *odb)
{
	FOR_EACH_STORE(odb, st)
		for (int rank = 0; rank < ODB_NR_RANKS; rank++) {
			struct odb_source *s = st->sources[rank];

			if (s && s->ops->drop_cache)
				s->ops->drop_cache(s);
		}
}

/* ---- packs ---- */

struct packs *odb_store_packs(const struct odb_store *st)
{
	struct odb_source *s = st->sources[ODB_RANK_INDEXED];

	return s && s->ops->packs ? s->ops->packs(s) : NULL;
}

bool odb_is_packed_in(struct odb *odb, enum odb_scope scope, const struct object_id *oid)
{
	FOR_EACH_STORE_IN(odb, scope, st) {
		struct packs *packs = odb_store_packs(st);

		if (packs && packs_has(packs, oid))
			return true;
	}
	return false;
}

bool odb_is_packed(struct odb *odb, const struct object_id *oid)
{
	return odb_is_packed_in(odb, ODB_ALL, oid);
}

bool odb_is_cruft(struct odb *odb, const struct object_id *oid)
{
	FOR_EACH_STORE(odb, st) {
		struct packs *packs = odb_store_packs(st);

		if (packs && packs_is_cruft(packs, oid))
			return true;
	}
	return false;
}

int odb_foreach_pack(struct odb *odb, enum odb_scope scope, int (*fn)(void *data, struct pack *pack),
		     void *data)
{
	FOR_EACH_STORE_IN(odb, scope, st) {
		struct packs *packs = odb_store_packs(st);
		int rc = packs ? packs_foreach(packs, fn, data) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

int odb_foreach_packed(struct odb *odb, enum odb_scope scope,
		       int (*fn)(void *data, const struct object_id *oid), void *data, struct err *err)
{
	FOR_EACH_STORE_IN(odb, scope, st) {
		struct packs *packs = odb_store_packs(st);
		int rc = packs ? packs_foreach_object(packs, true, fn, data, err) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

void odb_foreach_garbage(struct odb *odb, enum odb_scope scope,
			 void (*fn)(void *data, const char *why, const char *path), void *data)
{
	FOR_EACH_STORE_IN(odb, scope, st) {
		struct packs *packs = odb_store_packs(st);

		if (packs)
			packs_foreach_garbage(packs, fn, data);
	}
}

int odb_open_bitmap(struct odb *odb, struct bitmap_index **out, struct err *err)
{
	FOR_EACH_STORE(odb, st) {
		struct packs *packs = odb_store_packs(st);

		if (packs && !bitmap_index_open(out, packs, NULL))
			return 0;
	}
	return err_set(err, ERR_NOT_FOUND, "there are no bitmaps");
}
