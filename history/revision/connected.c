/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/promisor.h"
#include "history/revision/revision.h"
#include "object/tree.h"
#include "history/revision/connected.h"
#include "history/reach/roots.h"
#include "history/names/revparse.h"

struct check {
	struct repository *repo;
	const struct connected_options *o;
	struct rev_walk *walk;
	struct promises promises;
	struct oidset seen; /* trees and blobs */
	struct oidset tags; /* what they lead to has been added */
	struct oidset excluded; /* values of refs */
	struct oid_array commits; /* tips */
	struct oid_array single;  /* trees and blobs that are tips */
	struct oidset single_set;
	struct object_id *missing;
	uint64_t nr;
};

/* 0: it may be missing; ERR_NOT_FOUND: *missing; < 0. */
static int is_missing(struct check *c, const struct object_id *oid, struct err *err)
{
	int rc = c->o->promised ? promises_has(&c->promises, oid, err) : 0;

	if (rc)
		return rc < 0 ? rc : 0;
	*c->missing = *oid;
	return ERR_NOT_FOUND;
}

static int found(const struct check *c, const struct object_id *oid, struct err *err)
{
	return c->o->found ? c->o->found(c->o->data, oid, err) : 0;
}

static int connected_check_entry(void *data, const char *path UNUSED, size_t len UNUSED,
				 const struct tree_entry *e,
				 struct err *err)
{
	struct check *c = data;
	int rc;

	if (MODE_IS_GITLINK(e->mode) || !oidset_insert(&c->seen, &e->oid))
		return TREE_WALK_SKIP;
	if (c->o->progress)
		c->o->progress(c->o->data, ++c->nr);
	if (!odb_has(c->repo->odb, &e->oid)) {
		rc = is_missing(c, &e->oid, err);
		return rc < 0 ? rc : TREE_WALK_SKIP;
	}
	rc = found(c, &e->oid, err);
	return rc < 0 ? rc : MODE_IS_TREE(e->mode) ? TREE_WALK_DESCEND : TREE_WALK_SKIP;
}

static int check_tree(struct check *c, const struct object_id *oid, struct err *err)
{
	int rc;

	if (!oidset_insert(&c->seen, oid))
		return 0;
	if (!odb_has(c->repo->odb, oid))
		return is_missing(c, oid, err);
	rc = found(c, oid, err);
	return rc ? rc : tree_walk(odb_source_unreplaced(c->repo->odb), oid, "",
				   connected_check_entry, c, err);
}

static void exclude(struct check *c, const struct object_id *oid, const char *name)
{
	struct object_id commit;

	if (!object_peel(odb_source_unreplaced(c->repo->odb), oid, OBJ_COMMIT, &commit, NULL, NULL))
		rev_walk_add_commit(c->walk, &commit, name, REV_UNINTERESTING | REV_BOTTOM);
}

/* What refs lead to is there, as far as anybody knows. Many refs often have one value. */
static int connected_exclude_ref(void *data, const struct ref *ref)
{
	struct check *c = data;

	if (oidset_insert(&c->excluded, &ref->oid))
		exclude(c, &ref->oid, ref->name);
	return 0;
}

/*
 * Follows tags one by one, so that a missing object is known by name. Returns 1; 0: it may be
 * missing, or is known; < 0.
 */
static int follow_tags(struct check *c, struct object_id *oid, enum object_type *type, struct err *err)
{
	const struct object_source *src = odb_source_unreplaced(c->repo->odb);
	enum object_type want = OBJ_ANY; /* what the tag before says */
	struct object_info info;
	int rc;

	for (;;) {
		if (!odb_has(c->repo->odb, oid))
			return is_missing(c, oid, err);
		rc = src->info(src->data, oid, &info, err);
		if (!rc && object_type_expect(oid, info.type, want, NULL) < 0) {
			*c->missing = *oid; /* an object of that type is */
			return ERR_NOT_FOUND;
		}
		if (!rc && info.type == OBJ_TAG && !oidset_insert(&c->tags, oid))
			return 0;
		if (!rc)
			rc = found(c, oid, err);
		*type = info.type;
		if (rc < 0 || info.type != OBJ_TAG)
			return rc < 0 ? rc : 1;
		rc = object_tag_target(src, oid, oid, &want, err);
		if (rc < 0)
			return rc;
	}
}

static int add_tip(struct check *c, struct object_id oid, struct err *err)
{
	enum object_type type;
	int rc = follow_tags(c, &oid, &type, err);

	if (rc <= 0)
		return rc;
	if (type == OBJ_COMMIT) {
		rev_walk_add_commit(c->walk, &oid, "", 0);
		oid_array_append(&c->commits, &oid);
	} else if (type == OBJ_TREE && oidset_insert(&c->single_set, &oid)) {
		oid_array_append(&c->single, &oid);
	}
	return 0;
}

/* ---- trees that are tips ---- */

static int know_entry(void *data, const char *path UNUSED, size_t len UNUSED, const struct tree_entry *e,
		      struct err *err UNUSED)
{
	struct check *c = data;

	if (MODE_IS_GITLINK(e->mode) || !oidset_insert(&c->seen, &e->oid) || !MODE_IS_TREE(e->mode) ||
	    oidset_contains(&c->single_set, &e->oid) || !odb_has(c->repo->odb, &e->oid))
		return TREE_WALK_SKIP;
	return TREE_WALK_DESCEND;
}

/*
 * The tips are mostly objects that new ones depend on: commits, and the unchanged neighbours of each
 * changed directory. The trees of the
 * commits, which are whole by now, have them too. A directory of theirs that is no tip has changed: there is more in it.
 */
static void know_commit(struct check *c, const struct object_id *oid)
{
	const struct object_source *src = odb_source_unreplaced(c->repo->odb);
	struct object_id tree;
	struct err why = ERR_INIT;

	if (object_peel(src, oid, OBJ_TREE, &tree, NULL, NULL) < 0 || !oidset_insert(&c->seen, &tree) ||
	    oidset_contains(&c->single_set, &tree))
		return;
	/* Unknown objects are checked one by one. */
	if (tree_walk(src, &tree, "", know_entry, c, &why) < 0)
		err_release(&why);
}

static int check_single(struct check *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; c->single.nr && !c->o->found && i < c->commits.nr; i++)
		know_commit(c, &c->commits.oid[i]);
	for (size_t i = 0; !rc && i < c->single.nr; i++)
		rc = check_tree(c, &c->single.oid[i], err);
	return rc;
}

static int connected_check_commits(struct check *c, struct err *err)
{
	struct commit *commit;
	int rc = rev_walk_begin(c->walk, err);

	while (!rc && (rc = rev_walk_next(c->walk, &commit, err)) > 0) {
		rc = found(c, &commit->oid, err);
		if (!rc)
			rc = check_tree(c, &commit->tree, err);
	}
	for (size_t i = 0; !rc && i < c->walk->missing.nr; i++)
		rc = is_missing(c, &c->walk->missing.oid[i], err);
	return rc;
}

int objects_are_connected(struct repository *r, const struct oid_array *tips,
			  const struct connected_options *o, struct object_id *missing, struct err *err)
{
	struct check c = { .repo = r, .o = o, .promises = { .repo = r }, .missing = missing };
	struct err local = ERR_INIT;
	int rc = rev_walk_new(&c.walk, r, err);

	if (rc < 0)
		return rc;
	*missing = r->algo->null_oid;
	c.walk->missing_ok = true;
	commit_pool_ignore_graph(c.walk->pool); /* the graph does not show whether an object exists */
	for (size_t i = 0; o->shallow && i < o->shallow->nr; i++)
		commit_pool_add_shallow(c.walk->pool, &o->shallow->oid[i]);
	for (size_t i = 0; !rc && i < tips->nr; i++)
		rc = add_tip(&c, tips->oid[i], &local);
	if (!rc)
		rc = refs_foreach(r->refs, "", REFS_NO_PEEL, connected_exclude_ref, &c, &local);
	for (size_t i = 0; !rc && o->complete && i < o->complete->nr; i++)
		exclude(&c, &o->complete->oid[i], "");
	if (!rc)
		rc = connected_check_commits(&c, &local);
	if (!rc)
		rc = check_single(&c, &local);
	rev_walk_free(c.walk);
	promises_release(&c.promises);
	oidset_clear(&c.seen);
	oidset_clear(&c.tags);
	oidset_clear(&c.excluded);
	oid_array_clear(&c.commits);
	oid_array_clear(&c.single);
	oidset_clear(&c.single_set);
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &local);
	err_release(&local);
	return rc == ERR_NOT_FOUND ? 0 : rc < 0 ? rc : 1;
}

/* ---- the refs themselves ---- */

struct readable {
	struct repository *repo;
	const struct hidden_refs *hidden;
	const char *prefix;
	struct oidset seen;
	struct promises promises;
	struct err *err;
};

static int check_root(void *data, const struct root *root)
{
	struct readable *c = data;
	const bool broken = root->flags & REF_IS_BROKEN;
	const char *name = NULL;
	int rc;

	if (!broken && (!oidset_insert(&c->seen, &root->oid) || odb_has(c->repo->odb, &root->oid)))
		return 0;
	if (!skip_prefix(root->name, c->prefix, &name))
		name = NULL;
	if (c->hidden && ref_is_hidden(c->hidden, name, root->name))
		return 0;
	rc = broken ? 0 : promises_has(&c->promises, &root->oid, c->err);
	if (rc)
		return rc < 0 ? rc : 0;
	err_set(c->err, ERR_CORRUPT, "bad object %s", root->name);
	return 1;
}

int refs_check_readable(struct repository *r, const struct hidden_refs *hidden, const char *prefix, struct err *err)
{
	struct readable c = { .repo = r, .hidden = hidden, .prefix = prefix, .promises = { .repo = r }, .err = err };
	const struct roots_options o = { .kinds = ROOTS(ROOT_REF) | ROOTS(ROOT_HEAD), .flags = ROOTS_VISIT_BROKEN };
	int rc = roots_foreach(r, &o, check_root, &c, err);

	oidset_clear(&c.seen);
	promises_release(&c.promises);
	return rc;
}
