/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/string-list.h"

static struct string_list_item *insert_at(struct string_list *l, size_t pos, char *s)
{
	struct string_list_item *item;

	ALLOC_GROW(l->items, st_add(l->nr, 1), l->alloc);
	item = &l->items[pos];
	memmove(item + 1, item, (l->nr - pos) * sizeof(*item));
	item->string = s;
	item->util = NULL;
	l->nr++;
	return item;
}

struct string_list_item *string_list_append(struct string_list *l, const char *s)
{
	return insert_at(l, l->nr, xstrdup(s));
}

/* Binary search: where s is, or belongs. */
static size_t position(const struct string_list *l, const char *s, bool *found)
{
	size_t lo = 0, hi = l->nr;

	*found = false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int cmp = strcmp(s, l->items[mid].string);

		if (!cmp) {
			*found = true;
			return mid;
		}
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

struct string_list_item *string_list_insert(struct string_list *l, const char *s)
{
	bool found;
	size_t pos = position(l, s, &found);

	return found ? &l->items[pos] : insert_at(l, pos, xstrdup(s));
}

struct string_list_item *string_list_lookup(const struct string_list *l, const char *s)
{
	bool found;
	size_t pos = position(l, s, &found);

	return found ? &l->items[pos] : NULL;
}

static int item_cmp(const void *a, const void *b)
{
	const struct string_list_item *x = a, *y = b;

	return strcmp(x->string, y->string);
}

void string_list_sort(struct string_list *l)
{
	if (l->nr > 1)
		qsort(l->items, l->nr, sizeof(*l->items), item_cmp);
}

void string_list_remove_duplicates(struct string_list *l, void (*free_util)(void *))
{
	size_t kept = 0;

	for (size_t i = 0; i < l->nr; i++) {
		struct string_list_item *item = &l->items[i];

		if (!kept || strcmp(l->items[kept - 1].string, item->string)) {
			l->items[kept++] = *item;
			continue;
		}
		free(item->string);
		if (free_util)
			free_util(item->util);
	}
	l->nr = kept;
}

size_t string_list_split(struct string_list *l, const char *s, const char *delims)
{
	size_t pieces = 0;

	for (;; pieces++) {
		size_t len = strcspn(s, delims);

		insert_at(l, l->nr, xmemdupz(s, len));
		if (!s[len])
			return pieces + 1;
		s += len + 1;
	}
}

void string_list_clear(struct string_list *l, void (*free_util)(void *))
{
	for (size_t i = 0; i < l->nr; i++) {
		free(l->items[i].string);
		if (free_util)
			free_util(l->items[i].util);
	}
	free(l->items);
	l->items = NULL;
	l->nr = l->alloc = 0;
}
