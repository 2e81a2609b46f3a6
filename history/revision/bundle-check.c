/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/revision/bundle-check.h"
#include "history/revision/revision.h"
#include "object/tree.h"

void bundle_missing(struct repository *r, const struct bundle_header *h, struct oid_array *out)
{
	for (size_t i = 0; i < h->prerequisites.nr; i++)
		if (h->algo != r->algo || !odb_has(r->odb, &h->prerequisites.items[i].oid))
			oid_array_append(out, &h->prerequisites.items[i].oid);
}

/* ---- what hangs below ---- */

struct check {
	struct repository *repo;
	struct rev_walk *walk;
	struct oidset seen; /* trees and blobs */
};

/* What the refs lead to is there, as far as anybody knows. */
static int bundle_check_exclude_ref(void *data, const struct ref *ref)
{
	struct check *c = data;
	struct object_id commit;

	if (!object_peel(odb_source(c->repo->odb), &ref->oid, OBJ_COMMIT, &commit, NULL, NULL))
		rev_walk_add_commit(c->walk, &commit, ref->name, REV_UNINTERESTING | REV_BOTTOM);
	return 0;
}

static int bundle_check_check_entry(void *data, const char *path, size_t len UNUSED,
				    const struct tree_entry *e, struct err *err)
{
	struct check *c = data;

	if (MODE_IS_GITLINK(e->mode) || !oidset_insert(&c->seen, &e->oid))
		return TREE_WALK_SKIP;
	if (MODE_IS_TREE(e->mode))
		return TREE_WALK_DESCEND;
	if (!odb_has(c->repo->odb, &e->oid))
		return err_set(err, ERR_NOT_FOUND, "'%s' is missing", path);
	return TREE_WALK_SKIP;
}

static int bundle_check_check_commits(struct check *c, struct err *err)
{
	struct commit *commit;
	int rc = rev_walk_begin(c->walk, err);

	while (!rc && (rc = rev_walk_next(c->walk, &commit, err)) > 0) {
		rc = 0;
		if (oidset_insert(&c->seen, &commit->tree))
			rc = tree_walk(odb_source(c->repo->odb), &commit->tree, "",
				       bundle_check_check_entry, c,
				       err);
	}
	return rc;
}

int bundle_is_connected(struct repository *r, const struct bundle_header *h, struct err *err)
{
	struct check c = { .repo = r, .seen = OIDSET_INIT };
	struct err local = ERR_INIT;
	struct object_id commit;
	int rc = rev_walk_new(&c.walk, r, err);

	if (rc < 0)
		return rc;
	commit_pool_ignore_graph(c.walk->pool); /* the graph does not show whether an object exists */
	for (size_t i = 0; !rc && i < h->prerequisites.nr; i++) {
		rc = object_peel(odb_source(r->odb), &h->prerequisites.items[i].oid, OBJ_COMMIT,
				 &commit, NULL, &local);
		if (!rc)
			rev_walk_add_commit(c.walk, &commit, "", 0);
	}
	if (!rc)
		rc = refs_foreach(r->refs, "", REFS_NO_PEEL, bundle_check_exclude_ref, &c, &local);
	if (!rc)
		rc = ref_visit_head(r, bundle_check_exclude_ref, &c, &local);
	if (!rc && h->prerequisites.nr)
		rc = bundle_check_check_commits(&c, &local);
	rev_walk_free(c.walk);
	oidset_clear(&c.seen);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &local);
	err_release(&local);
	return rc == ERR_NOT_FOUND ? 0 : rc < 0 ? rc : 1;
}
