/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash tables of strings: `strmap` maps a string to a void *, `strset` has no values.
 * The table copies and owns its keys; the caller owns the values. The hash (mem_hash) has a
 * random key per process, so that an attacker cannot choose names that collide. Its values
 * differ from run to run and must not influence output.
 */
#ifndef UTIL_MAP_H
#define UTIL_MAP_H

#include "compat/posix.h"

uint32_t mem_hash(const void *p, size_t len);
uint32_t mem_ihash(const void *p, size_t len); /* ignores ASCII case */

struct strmap_entry {
	char *key;
	void *value;
};

struct strmap {
	struct strmap_slot *slots; /* internal */
	size_t nr, mask;
	bool icase;
};

#define STRMAP_INIT { NULL, 0, 0, false }
#define STRMAP_INIT_ICASE { NULL, 0, 0, true }

void strmap_init(struct strmap *m);
void *strmap_get(const struct strmap *m, const char *key);
void *strmap_get_mem(const struct strmap *m, const char *key, size_t len);
bool strmap_contains(const struct strmap *m, const char *key);

/* Returns the value that was replaced, NULL if the key is new. */
void *strmap_put(struct strmap *m, const char *key, void *value);

void strmap_clear(struct strmap *m, void (*free_value)(void *));

/* All entries, sorted by strcmp of keys; valid until the next put. Free the array only. */
struct strmap_entry **strmap_sorted(const struct strmap *m);

struct strset {
	struct strmap map;
};
#define STRSET_INIT { STRMAP_INIT }
bool strset_add(struct strset *s, const char *key); /* true if new */
bool strset_contains(const struct strset *s, const char *key);

void strset_clear(struct strset *s);

#endif
