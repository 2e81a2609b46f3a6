/* SPDX-License-Identifier: GPL-2.0-only */
/* The order of a listing: --sort, branch.sort, tag.sort. */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/versioncmp.h"
#include "reflist/reflist-internal.h"

int reflist_sort_by(struct reflist *l, const char *key, struct err *err)
{
	struct reflist_state *s = l->state;
	struct sort_key k = { 0 };
	int rc;

	if (*key == '-') {
		k.reverse = true;
		key++;
	}
	k.version = skip_prefix(key, "version:", &key) || skip_prefix(key, "v:", &key);
	rc = ref_atom_parse(l, key, strlen(key), &k.atom, err);
	if (rc < 0)
		return rc;
	ALLOC_GROW(s->keys, s->nr_keys + 1, s->alloc_keys);
	s->keys[s->nr_keys++] = k;
	return 0;
}

/* Is the key the full name? It needs no value. */
static bool is_plain_name(const struct reflist *l, const struct sort_key *k)
{
	const struct ref_atom *a = l->state->atoms[k->atom];

	return a->id == ATOM_REFNAME && a->name_form == NAME_FULL;
}

bool reflist_sort_is_natural(const struct reflist *l)
{
	const struct reflist_state *s = l->state;

	if (l->ignore_case)
		return false;
	/* The last key is the primary one, and no two refs have the same name. */
	return !s->nr_keys || (is_plain_name(l, &s->keys[s->nr_keys - 1]) &&
			       !s->keys[s->nr_keys - 1].reverse &&
			       !s->keys[s->nr_keys - 1].version);
}

/* ---- values ---- */

static int keep_value(struct reflist *l, struct reflist_item *item, size_t atom,
		      struct err *err)
{
	struct reflist_state *s = l->state;
	struct ref_value *v = &item->values[atom];
	int rc;

	if (v->text)
		return 0;
	strbuf_reset(&s->value);
	rc = ref_atom_value(l, item, s->atoms[atom], &s->value, &v->number, err);
	if (rc < 0)
		return rc;
	v->text = xmemdupz(s->value.buf, s->value.len);
	v->len = s->value.len;
	return 0;
}

static void reserve_values(struct reflist_item *item, size_t nr)
{
	if (item->nr_values >= nr)
		return;
	item->values = xreallocarray(item->values, nr, sizeof(*item->values));
	memset(item->values + item->nr_values, 0,
	       (nr - item->nr_values) * sizeof(*item->values));
	item->nr_values = nr;
}

/* While the object is in memory, keep what the format needs of it. */
static int keep_for_format(struct reflist *l, struct reflist_item *item, struct err *err)
{
	struct reflist_state *s = l->state;
	int rc = 0;

	for (size_t i = 0; !rc && i < s->nr_pieces; i++) {
		size_t atom = s->pieces[i].atom;

		if (atom != FORMAT_LITERAL && ref_atom_needs_object(s->atoms[atom]))
			rc = keep_value(l, item, atom, err);
	}
	return rc;
}

static int keep_values(struct reflist *l, bool for_format, struct err *err)
{
	struct reflist_state *s = l->state;
	bool needs_object = false;
	int rc = 0;

	for (size_t k = 0; k < s->nr_keys; k++)
		needs_object |= ref_atom_needs_object(s->atoms[s->keys[k].atom]);
	for (size_t i = 0; !rc && i < l->nr; i++) {
		struct reflist_item *item = l->items[i];

		reserve_values(item, s->nr_atoms);
		for (size_t k = 0; !rc && k < s->nr_keys; k++)
			if (!is_plain_name(l, &s->keys[k]) || s->keys[k].version)
				rc = keep_value(l, item, s->keys[k].atom, err);
		if (!rc && needs_object && for_format)
			rc = keep_for_format(l, item, err);
	}
	return rc;
}

static void read_version_suffixes(struct reflist *l)
{
	struct reflist_state *s = l->state;
	static const char *const keys[] = { "versionsort.suffix", "versionsort.prereleasesuffix" };

	for (size_t k = 0; k < ARRAY_SIZE(keys) && !s->version_suffixes.nr; k++) {
		size_t nr = 0;
		const struct config_entry *const *all = config_get_all(l->repo->config, keys[k],
								       &nr);

		for (size_t i = 0; i < nr; i++)
			if (all[i]->value)
				strvec_push(&s->version_suffixes, all[i]->value);
	}
	s->version_suffixes_read = true;
}

/* ---- comparing ---- */

static int cmp_texts(const struct reflist *l, const struct ref_value *a,
		     const struct ref_value *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int c;

	if (l->ignore_case)
		return strcasecmp(a->text, b->text);
	c = memcmp(a->text, b->text, n);
	return c ? c : a->len < b->len ? -1 : a->len > b->len;
}

static int cmp_names(const struct reflist *l, const struct reflist_item *a,
		     const struct reflist_item *b)
{
	int c = l->ignore_case ? strcasecmp(a->refname, b->refname) : 0;

	return c ? c : strcmp(a->refname, b->refname);
}

static int cmp_by_key(const struct reflist *l, const struct sort_key *k,
		      const struct reflist_item *a, const struct reflist_item *b)
{
	const struct reflist_state *s = l->state;
	const struct ref_value *va, *vb;

	if (is_plain_name(l, k) && !k->version)
		return l->ignore_case ? strcasecmp(a->refname, b->refname) :
					strcmp(a->refname, b->refname);
	va = &a->values[k->atom];
	vb = &b->values[k->atom];
	if (k->version)
		return version_cmp(va->text, vb->text, s->version_suffixes.v,
					    s->version_suffixes.nr);
	if (s->atoms[k->atom]->numeric)
		return va->number < vb->number ? -1 : va->number > vb->number;
	return cmp_texts(l, va, vb);
}

static int cmp_items(const struct reflist *l, const struct reflist_item *a,
		     const struct reflist_item *b)
{
	const struct reflist_state *s = l->state;

	if (l->detached_head_first && (a->kind ^ b->kind) & REFLIST_DETACHED_HEAD)
		return a->kind & REFLIST_DETACHED_HEAD ? -1 : 1;
	for (size_t i = s->nr_keys; i-- > 0;) {
		int c = cmp_by_key(l, &s->keys[i], a, b);

		if (c)
			return s->keys[i].reverse ? -c : c;
	}
	return cmp_names(l, a, b);
}

/* Stable; spare: room for half the items. Sorted input costs one comparison for each. */
static void merge_sort(const struct reflist *l, struct reflist_item **items, size_t nr,
		       struct reflist_item **spare)
{
	size_t half = nr / 2, i = 0, j = half, n = 0;

	if (nr < 2)
		return;
	merge_sort(l, items, half, spare);
	merge_sort(l, items + half, nr - half, spare);
	if (cmp_items(l, items[half - 1], items[half]) <= 0)
		return;
	memcpy(spare, items, half * sizeof(*items));
	while (i < half && j < nr)
		items[n++] = cmp_items(l, spare[i], items[j]) <= 0 ? spare[i++] : items[j++];
	memcpy(items + n, spare + i, (half - i) * sizeof(*items));
}

/* Refs are read by name: for "-refname" and the like, reversing them sorts them. */
static bool reverse_if_descending(struct reflist *l)
{
	size_t i, n = l->nr;

	for (i = 1; i < n; i++)
		if (cmp_items(l, l->items[i - 1], l->items[i]) <= 0)
			return false;
	for (i = 0; i < n / 2; i++) {
		struct reflist_item *item = l->items[i];

		l->items[i] = l->items[n - 1 - i];
		l->items[n - 1 - i] = item;
	}
	return true;
}

int reflist_sort(struct reflist *l, size_t max, struct err *err)
{
	struct reflist_item **spare;
	int rc;

	/* If few of many are shown, the format reads only their objects, later. */
	rc = keep_values(l, !max || max >= l->nr / 2, err);
	if (rc < 0)
		return rc;
	if (!l->state->version_suffixes_read)
		read_version_suffixes(l);
	if (reverse_if_descending(l))
		return 0;
	ALLOC_ARRAY(spare, l->nr / 2 + 1);
	merge_sort(l, l->items, l->nr, spare);
	free(spare);
	return 0;
}
