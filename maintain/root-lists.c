/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "maintain/root-lists.h"
#include "history/reach/roots.h"

struct collector {
	struct roots *out;
	struct odb *odb;
};

void roots_sort(struct roots *roots)
{
	oid_array_sort_unique(&roots->strong);
	oid_array_sort_unique(&roots->weak);
}

void roots_release(struct roots *roots)
{
	oid_array_clear(&roots->strong);
	oid_array_clear(&roots->weak);
}

static bool is_strong(enum root_kind kind)
{
	return kind == ROOT_REF || kind == ROOT_HEAD || kind == ROOT_LOG || kind == ROOT_WORKTREE_REF;
}

/* Each of these must be there. All others may name an object that has been pruned. */
static bool is_required(enum root_kind kind)
{
	return is_strong(kind) && kind != ROOT_LOG;
}

static int add_root(void *data, const struct root *root)
{
	struct collector *c = data;
	struct oid_array *list = is_strong(root->kind) ? &c->out->strong : &c->out->weak;
	bool same = list->nr && oid_eq(&list->oid[list->nr - 1], &root->oid);

	if (is_required(root->kind))
		oid_array_append(list, &root->oid);
	else if (!same && !oid_is_null(&root->oid) && odb_has(c->odb, &root->oid))
		oid_array_append(list, &root->oid);
	return 0;
}

int roots_collect(struct roots *out, struct repository *r, struct odb *odb, struct err *err)
{
	const struct roots_options o = { .kinds = ROOTS(ROOT_KIND_NR) - 1, .flags = ROOTS_OWN_INDEX_TOO };
	struct collector c = { out, odb };

	return roots_foreach(r, &o, add_root, &c, err);
}

int roots_collect_worktrees(struct roots *out, struct repository *r, struct odb *odb, struct err *err)
{
	const struct roots_options o = { .kinds = ROOTS(ROOT_HEAD) | ROOTS(ROOT_WORKTREE_REF) | ROOTS(ROOT_STATE) };
	struct collector c = { out, odb };

	return roots_foreach(r, &o, add_root, &c, err);
}
