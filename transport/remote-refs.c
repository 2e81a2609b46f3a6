/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "refs/refs.h"
#include "transport/remote-refs.h"
#include "util/alloc.h"

void remote_refs_release(struct remote_refs *refs)
{
	for (size_t i = 0; i < refs->nr; i++) {
		free(refs->items[i].name);
		free(refs->items[i].symref_target);
	}
	free(refs->items);
	*refs = (struct remote_refs)REMOTE_REFS_INIT;
}

bool remote_ref_is_broken(const struct remote_ref *ref)
{
	return oid_is_null(&ref->oid) && !ref->unknown && !ref->symref_target && starts_with(ref->name, "refs/");
}

bool remote_ref_name_is_valid(const char *name)
{
	return !strcmp(name, "HEAD") || (starts_with(name, "refs/") && refname_is_valid(name, 0));
}

struct remote_ref *remote_refs_add(struct remote_refs *refs, const char *name)
{
	struct remote_ref *ref;

	if (refs->nr && refs->sorted_from < refs->nr && strcmp(refs->items[refs->nr - 1].name, name) >= 0)
		refs->sorted_from = refs->nr;
	ALLOC_GROW(refs->items, refs->nr + 1, refs->alloc);
	ref = &refs->items[refs->nr++];
	memset(ref, 0, sizeof(*ref));
	ref->name = xstrdup(name);
	return ref;
}

static int compare_names(const void *a, const void *b)
{
	const struct remote_ref *x = a, *y = b;
	bool x_is_head = !strcmp(x->name, "HEAD"), y_is_head = !strcmp(y->name, "HEAD");

	return x_is_head != y_is_head ? y_is_head - x_is_head : strcmp(x->name, y->name);
}

void remote_refs_sort(struct remote_refs *refs)
{
	if (!refs->nr)
		return;
	qsort(refs->items, refs->nr, sizeof(*refs->items), compare_names);
	/* If a name comes twice, the binary search must not find it: it begins after such a pair. */
	refs->sorted_from = !strcmp(refs->items[0].name, "HEAD");
	for (size_t i = refs->sorted_from + 1; i < refs->nr; i++)
		if (!strcmp(refs->items[i - 1].name, refs->items[i].name))
			refs->sorted_from = i;
}

const struct remote_ref *remote_refs_find(const struct remote_refs *refs, const char *name)
{
	size_t low = refs->sorted_from, high = refs->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(name, refs->items[mid].name);

		if (!order)
			return &refs->items[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	for (size_t i = 0; i < refs->sorted_from; i++)
		if (!strcmp(refs->items[i].name, name))
			return &refs->items[i];
	return NULL;
}

const struct remote_ref *remote_refs_dwim(const struct remote_refs *refs, const char *name)
{
	struct strvec names = STRVEC_INIT;
	const struct remote_ref *found = NULL;

	refname_expansions(name, &names);
	for (size_t i = 0; i < names.nr && !found; i++)
		found = remote_refs_find(refs, names.v[i]);
	strvec_clear(&names);
	return found;
}
