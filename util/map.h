/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps. `strmap`: hash map from owned string to void *. `strset`: the same
 * without values. `mem_hash`: the hash that both use (eight bytes a step, keyed
 * per process so that hostile names cannot collide on purpose). Its values and
 * the order of iteration differ from run to run: never let them reach output.
 */
#ifndef UTIL_MAP_H
#define UTIL_MAP_H

#include "compat/posix.h"

uint32_t mem_hash(const void *p, size_t len);
uint32_t mem_ihash(const void *p, size_t len); /* ASCII case folded */

struct strmap_entry {
	char *key;
	void *value;
};

struct strmap {
	struct strmap_slot *slots; /* internal, open addressing */
	size_t nr, mask;
	bool icase;
};

#define STRMAP_INIT { NULL, 0, 0, false }
#define STRMAP_INIT_ICASE { NULL, 0, 0, true }

void strmap_init(struct strmap *m);
void *strmap_get(const struct strmap *m, const char *key);
void *strmap_get_mem(const struct strmap *m, const char *key, size_t len);
bool strmap_contains(const struct strmap *m, const char *key);

/* The key is copied if new. Returns the value that was there, NULL if none. */
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

/*
 * A sorted list of owned strings with a `util` pointer each, as commands use
 * for paths. Insert keeps order and gives the item that is there if the string
 * is; append does not keep order (then sort).
 */
struct string_list_item {
	char *string;
	void *util;
};
struct string_list {
	struct string_list_item *items;
	size_t nr, alloc;
};
#define STRING_LIST_INIT { NULL, 0, 0 }
struct string_list_item *string_list_append(struct string_list *l, const char *s);
struct string_list_item *string_list_insert(struct string_list *l, const char *s);
struct string_list_item *string_list_lookup(const struct string_list *l, const char *s);
void string_list_sort(struct string_list *l);
void string_list_remove_duplicates(struct string_list *l, void (*free_util)(void *));
/*
 * Append the pieces of s between bytes of delims; at most `max` cuts, so one
 * piece more than that (max < 0: no limit). Returns the number of pieces.
 */
size_t string_list_split(struct string_list *l, const char *s, const char *delims, int max);
void string_list_clear(struct string_list *l, void (*free_util)(void *));

#endif
