/* SPDX-License-Identifier: GPL-2.0-only */
/* --fork-point of git-merge-base(1) and git-rebase(1). */
#include "compat/posix.h"
#include "history/merge-heads.h"

struct former {
	struct commit_pool *pool;
	struct commit_list tips;
};

/* Adds a former tip. A missing object, or one that is no commit, cannot be the fork point. */
static void add_former(struct former *f, const struct object_id *oid)
{
	struct commit *c;

	if (oid_is_null(oid))
		return;
	c = commit_lookup(f->pool, oid);
	if (commit_parse_node(f->pool, c, NULL) < 0)
		return;
	for (size_t i = 0; i < f->tips.nr; i++)
		if (f->tips.items[i] == c)
			return;
	commit_list_add(&f->tips, c);
}

static int on_former_entry(void *data, const struct reflog_entry *e)
{
	struct former *f = data;

	if (!f->tips.nr)
		add_former(f, &e->old_oid);
	add_former(f, &e->new_oid);
	return 0;
}

int fork_point_of(struct commit_pool *p, struct repository *r, const char *name, struct commit *derived,
		  struct commit **out, struct err *err)
{
	struct former f = { p, COMMIT_LIST_INIT };
	struct commit_list bases = COMMIT_LIST_INIT;
	struct object_id oid;
	char *ref = NULL;
	int nr = ref_dwim(r->refs, name, strlen(name), &ref, &oid), rc;

	*out = NULL;
	if (nr != 1) {
		free(ref);
		return err_set(err, ERR_NOT_FOUND, nr ? "Ambiguous refname: '%s'" : "No such ref: '%s'", name);
	}
	rc = reflog_foreach(r->refs, ref, false, on_former_entry, &f, NULL);
	if (!f.tips.nr)
		add_former(&f, &oid);
	rc = merge_bases(p, derived, f.tips.items, f.tips.nr, &bases, err);
	for (size_t i = 0; !rc && bases.nr == 1 && i < f.tips.nr; i++)
		if (f.tips.items[i] == bases.items[0])
			*out = bases.items[0];
	commit_list_clear(&bases);
	commit_list_clear(&f.tips);
	free(ref);
	return rc;
}
