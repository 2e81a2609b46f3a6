/* SPDX-License-Identifier: GPL-2.0-only */
/* What odb.c and odb-abbrev.c share. */
#ifndef ODB_INTERNAL_H
#define ODB_INTERNAL_H

#include "compat/posix.h"
#include "odb/stores.h"
#include "odb/odb.h"
#include "util/map.h"

struct odb {
	struct odb_options o;
	char *objdir;
	struct odb_stores stores;
	struct object_source source, unreplaced;
	struct object_source local; /* nobody else is asked: for bases of deltas whose pack is damaged */
	odb_fetch_fn fetch;
	void *fetch_data;
	bool fetch_on_read;
	odb_replace_fn replace;
	void *replace_data;
	struct bulk_checkin *batch;
	struct object_adopter *adopter; /* NULL: nobody asks for durability */
	struct oid_array *used; /* odb_note_used; under told_lock */
	pthread_mutex_t told_lock;
	struct strset told; /* bad copies that have been told of */
};

static inline struct odb_store *next_store(struct odb_store *s)
{
	return atomic_load(&s->next);
}

#define FOR_EACH_STORE(odb, s) \
	for (struct odb_store *s = (odb)->stores.first; s; s = next_store(s))

#endif
