/* SPDX-License-Identifier: GPL-2.0-only */
/* What revisions, refs, logs and the indexes lead to. */
#include "compat/posix.h"
#include "packing/pack-collection.h"
#include "history/revision/objects.h"
#include "history/reach/roots.h"
#include "object/tree.h"
#include "odb/odb.h"
#include "util/alloc.h"

/* ---- starts ---- */

struct starts {
	struct pack_collection *c;
	struct rev_walk *w;
	struct err *err;
};

static void add_start(struct starts *s, const struct object_id *oid)
{
	if (!oid_is_null(oid) && odb_has_quick(s->c->r->odb, oid))
		rev_walk_add_commit(s->w, oid, oid_hex(oid), 0);
}

static int add_logged(void *data, const struct root *root)
{
	add_start(data, &root->oid);
	return 0;
}

static int add_reflogs(struct starts *s)
{
	const struct roots_options o = { .kinds = ROOTS(ROOT_LOG), .flags = ROOTS_NEWEST_ENTRY_FIRST };

	return roots_foreach(s->c->r, &o, add_logged, s, s->err);
}

/* "--shallow OID": the other side has that commit without its parents. */
static int cut_parents(struct starts *s, const char *hex, struct err *err)
{
	struct rev_walk *w = s->w;
	struct object_id oid;
	struct commit *c;
	int rc;

	if (oid_from_hex(&oid, hex, w->repo->algo) < 0)
		return err_set(err, ERR_INVALID, "not an object name '%s'", hex);
	s->c->use_bitmaps = false;
	c = commit_lookup(w->pool, &oid);
	rc = commit_parse_node(w->pool, c, err);
	if (!rc) {
		commit_set_parents(w->pool, c, NULL, 0);
		c->shallow = true;
	}
	return rc;
}

static int read_line(struct starts *s, struct strvec *args, const char *line, struct err *err)
{
	const char *rest;

	if (skip_prefix(line, "--shallow ", &rest))
		return cut_parents(s, rest, err);
	if (*line == '-' && strcmp(line, "--not") != 0)
		return err_set(err, ERR_INVALID, "not a rev '%s'", line);
	strvec_push(args, line);
	return 0;
}

static int pack_collection_revs_add_starts(struct starts *s, const struct strvec *lines,
					   struct err *err)
{
	struct pack_collection *c = s->c;
	struct strvec args = STRVEC_INIT;
	int rc = 0;

	strvec_push(&args, "pack-objects");
	if (c->all)
		strvec_push(&args, "--all");
	if (c->indexed_objects)
		strvec_push(&args, "--indexed-objects");
	for (size_t i = 0; i < lines->nr && !rc; i++)
		rc = read_line(s, &args, lines->v[i], err);
	if (c->not_all)
		strvec_pushl(&args, "--not", "--all", NULL);
	strvec_push(&args, "--");
	if (!rc && c->reflog)
		rc = add_reflogs(s);
	if (!rc)
		rc = rev_walk_arguments(s->w, (int)args.nr, args.v, NULL, err);
	strvec_clear(&args);
	return rc;
}

/* ---- the walk ---- */

static int pack_collection_revs_on_object(void *data, const struct walked_object *o,
					  struct err *err)
{
	return pack_collection_add(data, o->oid, o->type, o->path, o->edge ? PACK_PREFERRED_BASE : 0,
				err);
}

static int pack_collection_revs_on_missing(void *data, const struct walked_object *o,
					   struct err *err)
{
	struct pack_collection *c = data;
	int rc = c->missing == MISSING_ALLOW_ANY ? 1 : promises_has(&c->promises, o->oid, err);

	if (rc)
		return rc < 0 ? rc : 0;
	return err_set(err, ERR_NOT_FOUND, "missing %s object '%s'",
		       o->type == OBJ_NONE ? "reachable" : object_type_name(o->type), oid_hex(o->oid));
}

static int pack_collection_revs_walk(struct pack_collection *c, struct rev_walk *w, struct err *err)
{
	struct object_walk_options o = {
		.filter = c->filter,
		.edges = c->o.thin,
		.aggressive_edges = c->shallow,
		.object = pack_collection_revs_on_object,
		.data = c,
	};
	int rc;

	if (c->missing != MISSING_ERROR) {
		o.missing = pack_collection_revs_on_missing;
		o.check_present = true;
		w->missing_ok = true;
	}
	rc = rev_walk_begin(w, err);
	if (rc == ERR_NOT_FOUND && !w->nr_starts) {
		err_release(err);
		return 0;
	}
	return rc < 0 ? rc : object_walk(w, &o, err);
}

/* ---- what else is added ---- */

static int add_tag_chain(struct pack_collection *c, struct object_id oid, struct err *err)
{
	enum object_type type;
	uint64_t size;
	int rc;

	while (!(rc = odb_type(c->r->odb, &oid, &type, &size, err)) && type == OBJ_TAG) {
		struct object_id target;

		rc = object_tag_target(odb_source(c->r->odb), &oid, &target, &type, err);
		if (!rc)
			rc = pack_collection_add(c, &oid, OBJ_TAG, NULL, 0, err);
		if (rc < 0)
			break;
		oid = target;
	}
	return rc;
}

static int add_tag_of_packed(void *data, const struct ref *ref)
{
	struct starts *s = data;

	if ((ref->flags & REF_IS_BROKEN) || oid_is_null(&ref->peeled) ||
	    !pack_objects_has(s->c->po, &ref->peeled))
		return 0;
	return add_tag_chain(s->c, ref->oid, s->err);
}

static int add_pack_of_ours(void *data, struct pack *p)
{
	struct starts *s = data;

	return pack_objects_add_pack(s->c->po, p, s->err);
}

static int add_others(struct starts *s, struct err *err)
{
	struct pack_collection *c = s->c;
	int rc = 0;

	if (c->include_tag)
		rc = refs_foreach(c->r->refs, "refs/tags/", 0, add_tag_of_packed, s, err);
	if (!rc && c->keep_unreachable)
		rc = odb_foreach_pack(c->r->odb, ODB_OWN, add_pack_of_ours, s);
	if (!rc && c->pack_loose_unreachable)
		rc = pack_collect_loose(c, err);
	return rc;
}

static int exclude_promisor_objects(struct starts *s)
{
	struct pack_collection *c = s->c;
	int rc = promisor_pack_objects(&c->promisor, c->r, s->err);

	s->w->excluded = &c->promisor;
	if (c->missing == MISSING_ERROR)
		c->missing = MISSING_ALLOW_PROMISOR;
	return rc;
}

int pack_collect_revisions(struct pack_collection *c, const struct strvec *lines, struct err *err)
{
	struct starts s = { .c = c, .err = err };
	int rc = rev_walk_new(&s.w, c->r, err);

	if (rc < 0)
		return rc;
	s.w->objects = true;
	s.w->unpacked = c->unpacked;
	if (c->keep_true_parents)
		commit_pool_keep_true_parents(s.w->pool);
	c->promises.repo = c->r;
	if (c->exclude_promisor)
		rc = exclude_promisor_objects(&s);
	if (!rc)
		rc = pack_collection_revs_add_starts(&s, lines, err);
	if (!rc)
		rc = pack_collect_by_bitmaps(c, s.w, err);
	if (!rc)
		rc = pack_collection_revs_walk(c, s.w, err);
	rev_walk_free(s.w);
	return rc < 0 ? rc : add_others(&s, err);
}
