/* SPDX-License-Identifier: GPL-2.0-only */
/* The database itself, for the files of this folder. */
#ifndef ODB_ODB_INTERNAL_H
#define ODB_ODB_INTERNAL_H

#include "compat/posix.h"
#include "odb/odb.h"
#include "odb/source.h"
#include "odb/stores.h"
#include "util/map.h"

struct odb {
	struct odb_options o;
	char *objdir;
	struct odb_stores stores;
	struct object_source source, unreplaced;
	struct object_source local; /* asks no remote: for bases of deltas whose pack is damaged */
	odb_fetch_fn fetch;
	void *fetch_data;
	bool fetch_on_read;
	odb_replace_fn replace;
	void *replace_data;
	struct odb_source *batch; /* open batch of new objects; NULL: none */
	struct object_adopter *adopter; /* NULL: no durability is asked for */
	struct oid_array *used; /* odb_note_used; under told_lock */
	pthread_mutex_t told_lock;
	struct strset told; /* messages about bad copies that have been given */
};

static inline struct odb_store *next_store(struct odb_store *st)
{
	return atomic_load(&st->next);
}

#define FOR_EACH_STORE(odb, st) \
	for (struct odb_store *st = (odb)->stores.first; st; st = next_store(st))

struct odb_store *odb_store_at(const struct odb *odb, size_t i); /* NULL: there are fewer */
/* The packs of the store on a local disk; NULL: it has none. */
struct packs *odb_store_packs(const struct odb_store *st);

/* Do packs, or what else is indexed, have the object? The batch is not asked. */
bool odb_has_indexed(struct odb *odb, const struct object_id *oid);

/* The functions of odb->source, ->unreplaced and ->local (look.c). */
void odb_make_object_sources(struct odb *odb);

#endif
