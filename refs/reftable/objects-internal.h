/* SPDX-License-Identifier: GPL-2.0-only */
/* Which blocks of a table name which objects: collected while refs are written, and sorted at the end. */
#ifndef REFS_REFTABLE_OBJECTS_INTERNAL_H
#define REFS_REFTABLE_OBJECTS_INTERNAL_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/strbuf.h"

struct object_place {
	unsigned char hash[HASH_MAX_RAW];
	uint64_t position;
};

struct object_places {
	struct object_place *items;
	size_t nr, alloc;
	size_t hash_len;
	size_t recent[256]; /* the number of the last item by its first byte; 0: none */
};

/* Adds nothing if the last object with this first byte is the same, and in the same block. */
void object_places_add(struct object_places *o, const unsigned char *hash, uint64_t position);
/* Sorts, drops doubles; the number of bytes by which all ids differ, 2 to 31. */
size_t object_places_sort(struct object_places *o);
/*
 * The record of the ids that begin with the first id_len bytes of item i: its key, its `extra`, its value.
 * Returns the next item.
 */
size_t object_places_record(const struct object_places *o, size_t i, size_t id_len, struct strbuf *key, unsigned *extra,
			    struct strbuf *value);
void object_places_release(struct object_places *o);

#endif
