/* SPDX-License-Identifier: GPL-2.0-only */
/* git format-patch: which commits the series has, and which branch they are on. */
#include "compat/posix.h"
#include "builtin/format-patch/format-patch.h"
#include "diff/patch-id.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

static void set_branch_of_head(struct format_patch *f)
{
	struct object_id oid;
	const char *name;
	char *full = NULL;

	if (ref_resolve(f->repo->refs, "HEAD", &oid, &full, NULL, NULL) < 0 || !full ||
	    !skip_prefix(full, "refs/heads/", &name))
		name = "";
	f->branch = xstrdup(name);
	f->branch_known = true;
	free(full);
}

/* One revision alone: commits that HEAD has and it has not, unless a number or --root says other. */
static int expand_single(struct format_patch *f, struct err *err)
{
	struct rev_walk *w = f->log.walk;
	struct object_id head;
	bool is_head;

	if (!w->nr_starts && !w->input_given && !revparse_oid(f->repo, "HEAD", &head, NULL))
		rev_walk_add_commit(w, &head, "HEAD", 0);
	if (w->nr_starts != 1)
		return 0;
	is_head = !strcmp(w->starts[0].name, "HEAD");
	if (w->max_count < 0 && !f->log.show_root) {
		if (revparse_commit(f->repo, "HEAD", &head, err) < 0)
			return err_set(err, ERR_NOT_FOUND, "bad revision 'HEAD'");
		w->starts[0].flags |= REV_UNINTERESTING | REV_BOTTOM;
		rev_walk_add_commit(w, &head, "HEAD", 0);
		is_head = true;
	}
	if (is_head)
		set_branch_of_head(f);
	return 0;
}

/* The branch of that name, if the range ends at its tip. */
static void set_branch_of_range(struct format_patch *f)
{
	const struct rev_walk *w = f->log.walk;
	const struct rev_start *tip = NULL;
	struct object_id oid;
	const char *name;
	char *full = NULL;

	for (size_t i = 0; i < w->nr_starts; i++) {
		if (w->starts[i].flags & REV_UNINTERESTING)
			continue;
		if (tip)
			return;
		tip = &w->starts[i];
	}
	if (!tip || !tip->name)
		return;
	if (revparse_ref(f->repo, tip->name, strlen(tip->name), &full, &oid, NULL) == 1 && full &&
	    skip_prefix(full, "refs/heads/", &name) && oid_eq(&oid, &tip->oid))
		f->branch = xstrdup(name);
	free(full);
}

const char *series_branch(struct format_patch *f)
{
	if (!f->branch_known)
		set_branch_of_range(f);
	f->branch_known = true;
	return f->branch;
}

/* ---- --ignore-if-in-upstream ---- */

static int change_id(struct format_patch *f, struct rev_walk *w, struct commit *c, struct object_id *out, struct err *err)
{
	struct commit *parent = c->nr_parents ? c->parents[0] : NULL;
	int rc = parent ? commit_parse_node(w->pool, parent, err) : 0;

	return rc < 0 ? rc : patch_id(f->repo->odb, NULL, parent ? &parent->tree : NULL, &c->tree, false, out, err);
}

/* Changes of the other side of the range. */
static int collect_upstream(struct format_patch *f, struct oidset *ids, struct err *err)
{
	const struct rev_walk *w = f->log.walk;
	struct rev_walk *other = NULL;
	struct object_id id;
	struct commit *c;
	int rc;

	if (w->nr_starts != 2)
		return err_set(err, ERR_INVALID, "need exactly one range");
	if (!((w->starts[0].flags ^ w->starts[1].flags) & REV_UNINTERESTING))
		return err_set(err, ERR_INVALID, "not a range");
	rc = rev_walk_new(&other, f->repo, err);
	for (size_t i = 0; !rc && i < 2; i++)
		rev_walk_add_commit(other, &w->starts[i].oid, w->starts[i].name,
				    w->starts[i].flags & REV_UNINTERESTING ? 0 : REV_UNINTERESTING | REV_BOTTOM);
	if (!rc) {
		other->max_parents = 1;
		rc = rev_walk_begin(other, err);
	}
	while (rc >= 0 && (rc = rev_walk_next(other, &c, err)) > 0) {
		rc = change_id(f, other, c, &id, err);
		if (!rc)
			oidset_insert(ids, &id);
	}
	rev_walk_free(other);
	return rc;
}

static int is_upstream(struct format_patch *f, const struct oidset *ids, struct commit *c, struct err *err)
{
	struct object_id id;
	int rc;

	if (!f->ignore_upstream || c->nr_parents > 1)
		return 0;
	rc = change_id(f, f->log.walk, c, &id, err);
	return rc < 0 ? rc : oidset_contains(ids, &id);
}

/* ---- the series ---- */

int series_collect(struct format_patch *f, struct err *err)
{
	struct oidset upstream = OIDSET_INIT;
	struct rev_walk *w = f->log.walk;
	struct commit *c;
	size_t boundaries = 0;
	int rc = expand_single(f, err), found;

	if (!rc && f->ignore_upstream)
		rc = collect_upstream(f, &upstream, err);
	f->log.show_root = true;
	w->boundary = true;
	if (!rc)
		rc = rev_walk_begin(w, err);
	while (rc >= 0 && (rc = rev_walk_next(w, &c, err)) > 0) {
		if (c->flags & REV_BOUNDARY) {
			f->origin = boundaries++ ? NULL : c;
			continue;
		}
		found = is_upstream(f, &upstream, c, err);
		if (!found)
			commit_list_add(&f->commits, c);
		if (found < 0)
			rc = found;
		commit_release_buffer(c);
	}
	oidset_clear(&upstream);
	return rc;
}
