/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growable list of owned strings, each with a `util` pointer for the caller. Kept sorted
 * by string_list_insert, or filled by string_list_append and sorted afterwards.
 */
#ifndef UTIL_STRING_LIST_H
#define UTIL_STRING_LIST_H

#include "compat/posix.h"

struct string_list_item {
	char *string;
	void *util; /* the caller's; freed only by the free_util of the functions below */
};
struct string_list {
	struct string_list_item *items;
	size_t nr, alloc;
};
#define STRING_LIST_INIT { NULL, 0, 0 }
/* At the end, copying s. */
struct string_list_item *string_list_append(struct string_list *l, const char *s);
/* Into a sorted list; returns the existing item if s is already there. */
struct string_list_item *string_list_insert(struct string_list *l, const char *s);
/* By binary search in a sorted list; NULL if absent. */
struct string_list_item *string_list_lookup(const struct string_list *l, const char *s);
void string_list_sort(struct string_list *l); /* by strcmp */
/* Remove equal neighbours except the first. */
void string_list_remove_duplicates(struct string_list *l, void (*free_util)(void *));
/* Append the pieces of s between bytes of `delims`. Returns their number, at least 1. */
size_t string_list_split(struct string_list *l, const char *s, const char *delims);
void string_list_clear(struct string_list *l, void (*free_util)(void *));

#endif
