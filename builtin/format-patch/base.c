/* SPDX-License-Identifier: GPL-2.0-only */
/* git format-patch --base: the commit that a series applies to, and the changes between. */
#include "compat/posix.h"
#include "builtin/format-patch/format-patch.h"
#include "diff/patch-id.h"
#include "history/names/revparse.h"

static int fail_unless(bool strict, struct err *err, const char *message)
{
	return strict ? err_set(err, ERR_INVALID, "%s", message) : 0;
}

/* Where the series leaves the upstream of the current branch. 1: found; 0: not, and that is fine. */
static int find_auto(struct format_patch *f, bool strict, struct commit **out, struct err *err)
{
	struct commit_pool *pool = f->log.walk->pool;
	struct commit_list bases = COMMIT_LIST_INIT;
	char *head = NULL, *upstream = NULL;
	const char *branch;
	struct object_id oid;
	int rc;

	(void)!ref_resolve(f->repo->refs, "HEAD", &oid, &head, NULL, NULL);
	if (head && skip_prefix(head, "refs/heads/", &branch))
		(void)!branch_upstream(f->repo, branch, &upstream, NULL);
	free(head);
	if (!upstream)
		return fail_unless(strict, err, "failed to get upstream, if you want to record base commit automatically,\n"
			"please use git branch --set-upstream-to to track a remote branch.\n"
			"Or you could specify base commit by --base=<base-commit-id> manually");
	rc = revparse_commit(f->repo, upstream, &oid, err);
	free(upstream);
	if (!rc)
		rc = merge_bases(pool, commit_lookup(pool, &oid), f->commits.items, f->commits.nr, &bases, err);
	if (!rc && bases.nr == 1) {
		*out = bases.items[0];
		rc = 1;
	} else if (!rc) {
		rc = fail_unless(strict, err, "could not find exact merge base");
	}
	commit_list_clear(&bases);
	return rc;
}

/* The commit that all of the series come from: two of them, then their merge base with the next, and so on. */
static int find_common(struct format_patch *f, bool strict, struct commit **out, struct err *err)
{
	struct commit_pool *pool = f->log.walk->pool;
	int rc = 1;

	*out = f->commits.items[0];
	for (size_t i = 1; rc > 0 && i < f->commits.nr; i++) {
		struct commit_list bases = COMMIT_LIST_INIT;

		rc = merge_bases(pool, *out, &f->commits.items[i], 1, &bases, err);
		if (!rc && bases.nr == 1) {
			*out = bases.items[0];
			rc = 1;
		} else if (!rc) {
			rc = fail_unless(strict, err, "failed to find exact merge base");
		}
		commit_list_clear(&bases);
	}
	return rc;
}

static int check_base(struct format_patch *f, struct commit *base, bool strict, struct err *err)
{
	struct commit *common;
	int rc = find_common(f, strict, &common, err);

	if (rc > 0)
		rc = is_ancestor(f->log.walk->pool, base, common, err);
	else
		return rc;
	if (!rc)
		return fail_unless(strict, err, "base commit should be the ancestor of revision list");
	for (size_t i = 0; rc > 0 && i < f->commits.nr; i++)
		if (f->commits.items[i] == base)
			return fail_unless(strict, err, "base commit shouldn't be in revision list");
	return rc;
}

static bool is_in_series(const struct format_patch *f, const struct object_id *oid)
{
	for (size_t i = 0; i < f->commits.nr; i++)
		if (oid_eq(&f->commits.items[i]->oid, oid))
			return true;
	return false;
}

static int add_prerequisite(struct format_patch *f, struct rev_walk *w, struct commit *c, struct err *err)
{
	struct commit *parent = c->nr_parents ? c->parents[0] : NULL;
	struct object_id id;
	int rc = parent ? commit_parse_node(w->pool, parent, err) : 0;

	if (!rc)
		rc = patch_id_stable(f->repo->odb, f->base_detect, parent ? &parent->tree : NULL, &c->tree, &id, err);
	if (!rc)
		oid_array_append(&f->prerequisites, &id);
	return rc;
}

static int find_prerequisites(struct format_patch *f, struct err *err)
{
	struct rev_walk *w;
	struct commit *c;
	int rc = rev_walk_new(&w, f->repo, err);

	if (rc < 0)
		return rc;
	w->max_parents = 1;
	w->order = REV_ORDER_TOPO;
	for (size_t i = 0; i < f->commits.nr; i++)
		rev_walk_add_commit(w, &f->commits.items[i]->oid, "", 0);
	rev_walk_add_commit(w, &f->base_oid, "", REV_UNINTERESTING | REV_BOTTOM);
	rc = rev_walk_begin(w, err);
	while (rc >= 0 && (rc = rev_walk_next(w, &c, err)) > 0)
		if (!is_in_series(f, &c->oid))
			rc = add_prerequisite(f, w, c, err);
	rev_walk_free(w);
	return rc;
}

int base_find(struct format_patch *f, struct err *err)
{
	bool named = f->base && strcmp(f->base, "auto") != 0, strict = f->base || f->auto_base == AUTO_BASE_ALWAYS;
	struct commit *base = NULL;
	struct object_id oid;
	int rc = 1;

	if (!f->base && (f->base_given || f->auto_base == AUTO_BASE_NEVER))
		return 0;
	if (named && revparse_commit(f->repo, f->base, &oid, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "unknown commit %s", f->base);
	if (named)
		base = commit_lookup(f->log.walk->pool, &oid);
	else
		rc = find_auto(f, strict, &base, err);
	if (rc > 0)
		rc = check_base(f, base, strict, err);
	if (rc <= 0)
		return rc;
	f->base_oid = base->oid;
	f->has_base = true;
	return find_prerequisites(f, err);
}

void base_add(struct format_patch *f, struct strbuf *out)
{
	if (!f->has_base)
		return;
	strbuf_addstr(out, "\nbase-commit: ");
	strbuf_add_oid(out, &f->base_oid);
	for (size_t i = f->prerequisites.nr; i--;) {
		strbuf_addstr(out, "\nprerequisite-patch-id: ");
		strbuf_add_oid(out, &f->prerequisites.oid[i]);
	}
	strbuf_addch(out, '\n');
	f->has_base = false;
}
