/* SPDX-License-Identifier: GPL-2.0-only */
/* Several commits at once: which are independent, and what they all have in common. */
#include "compat/posix.h"
#include "history/history.h"
#include "history/merge-heads.h"
#include "util/alloc.h"

static bool is_listed(const struct commit_list *l, const struct commit *c)
{
	for (size_t i = 0; i < l->nr; i++)
		if (l->items[i] == c)
			return true;
	return false;
}

int commits_reduce(struct commit_pool *p, struct commit_list *l, struct err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->nr; i++) {
		struct commit_list before = { l->items, kept, 0 };

		if (!is_listed(&before, l->items[i]))
			l->items[kept++] = l->items[i];
	}
	l->nr = kept;
	return commits_drop_redundant(p, l, err);
}

int merge_bases_of_all(struct commit_pool *p, const struct commit_list *heads,
		       struct commit_list *out, struct err *err)
{
	struct commit_list found = COMMIT_LIST_INIT;
	int rc = 0;

	if (heads->nr)
		commit_list_add(&found, heads->items[0]);
	for (size_t i = 1; !rc && i < heads->nr; i++) {
		struct commit_list next = COMMIT_LIST_INIT;

		for (size_t j = 0; !rc && j < found.nr; j++)
			rc = merge_bases(p, heads->items[i], &found.items[j], 1, &next, err);
		commit_list_clear(&found);
		found = next;
	}
	if (!rc)
		rc = commits_reduce(p, &found, err);
	for (size_t i = 0; !rc && i < found.nr; i++)
		commit_list_add(out, found.items[i]);
	commit_list_clear(&found);
	return rc;
}
