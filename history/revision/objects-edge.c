/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The boundary of a walk of objects. What the trees of excluded commits at the boundary hold need
 * not be delivered; and what lies there at the same path as something delivered is a likely base
 * for a delta of it.
 */
#include "compat/posix.h"
#include "history/revision/objects-internal.h"
#include "util/alloc.h"

/* More commits add little to the choice of bases. */
#define EDGE_COMMITS_MAX 10

/* ---- excluding ---- */

static int objects_edge_read_tree(struct rev_walk *w, const struct object_id *oid,
				  struct object_buf *buf,
				  struct err *err)
{
	struct err why = ERR_INIT;
	int rc = repo_step(w->repo, &why);

	if (!rc)
		rc = odb_read_type(w->repo->odb, oid, OBJ_TREE, buf, &why);
	/* Excluded objects may be missing. */
	if (rc < 0 && rc != ERR_NOT_FOUND)
		err_move(err, &why);
	err_release(&why);
	return rc == ERR_NOT_FOUND ? 1 : rc;
}

static int exclude_entries(struct rev_walk *w, struct oid_flags *flags,
			   const struct object_id *oid, struct oid_array *todo, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct raw_tree_entry e;
	struct tree_iter it;
	uint32_t *f;
	int rc = objects_edge_read_tree(w, oid, &buf, err);

	if (rc)
		return rc < 0 ? rc : 0;
	tree_iter_init(&it, buf.data, buf.size, w->repo->algo);
	while ((rc = tree_iter_next_raw(&it, &e, err)) > 0) {
		unsigned mode = canonical_mode(e.raw_mode);
		struct object_id child;

		if (MODE_IS_GITLINK(mode))
			continue;
		f = oid_flags_at(flags, e.oid);
		if (MODE_IS_TREE(mode) && !(*f & OBJECT_EXCLUDED)) {
			oid_from_raw(&child, e.oid, w->repo->algo);
			oid_array_append(todo, &child);
		}
		*f |= OBJECT_EXCLUDED;
	}
	if (rc < 0)
		err_prefix(err, "tree %s", oid_hex(oid));
	object_buf_release(&buf);
	return rc;
}

static int exclude_tree(struct rev_walk *w, struct oid_flags *flags, const struct object_id *oid,
			struct err *err)
{
	struct oid_array todo = OID_ARRAY_INIT;
	uint32_t *f = oid_flags_at(flags, oid->hash);
	int rc = 0;

	if (*f & OBJECT_EXCLUDED)
		return 0;
	*f |= OBJECT_EXCLUDED;
	oid_array_append(&todo, oid);
	while (!rc && todo.nr) {
		struct object_id next = todo.oid[--todo.nr];

		rc = exclude_entries(w, flags, &next, &todo, err);
	}
	oid_array_clear(&todo);
	return rc;
}

static int exclude_given(struct rev_walk *w, struct oid_flags *flags, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < w->nr_objects; i++) {
		const struct rev_object *o = &w->given_objects[i];

		if (!(o->flags & REV_UNINTERESTING))
			continue;
		if (o->type == OBJ_TREE)
			rc = exclude_tree(w, flags, &o->oid, err);
		else
			*oid_flags_at(flags, o->oid.hash) |= OBJECT_EXCLUDED;
	}
	return rc;
}

/* ---- boundary commits ---- */

static int add_edge(struct rev_walk *w, struct commit *c, const struct object_walk_options *o,
		    struct object_edges *edges, bool is_edge, struct err *err)
{
	uint32_t *f;
	int rc;

	if (commit_parse_node(w->pool, c, NULL) < 0)
		return 0;
	rc = exclude_tree(w, edges->flags, &c->tree, err);
	if (rc < 0 || !is_edge || (c->flags & REV_SHOWN))
		return rc;
	f = oid_flags_at(edges->flags, c->oid.hash);
	if (*f & OBJECT_EDGE)
		return 0;
	*f |= OBJECT_EDGE;
	if (o->edges && edges->commits.nr < EDGE_COMMITS_MAX)
		commit_list_add(&edges->commits, c);
	return o->edge_commit ? o->edge_commit(o->data, c, err) : 0;
}

static int find_edges_of(struct rev_walk *w, struct commit *c,
			 const struct object_walk_options *o, struct object_edges *edges,
			 struct err *err)
{
	int rc = 0;

	if (c->flags & REV_UNINTERESTING)
		return add_edge(w, c, o, edges, o->aggressive_edges, err);
	for (uint32_t i = 0; !rc && i < c->nr_parents; i++)
		if (c->parents[i]->flags & REV_UNINTERESTING)
			rc = add_edge(w, c->parents[i], o, edges, true, err);
	return rc;
}

int object_edges_find(struct rev_walk *w, struct oid_flags *flags,
		      const struct object_walk_options *o, struct object_edges *edges,
		      struct err *err)
{
	const struct commit_list *l = &w->state->list;
	int rc;

	edges->flags = flags;
	rc = exclude_given(w, flags, err);
	for (size_t i = 0; !rc && i < l->nr; i++)
		rc = find_edges_of(w, l->items[i], o, edges, err);
	for (size_t i = 0; !rc && o->aggressive_edges && i < w->nr_starts; i++) {
		struct commit *c = w->starts[i].commit;

		/* Not what an excluded tag leads to. */
		if (c && (c->flags & REV_UNINTERESTING) && !w->starts[i].implied &&
		    oid_eq(&c->oid, &w->starts[i].oid))
			rc = add_edge(w, c, o, edges, true, err);
	}
	return rc;
}

void object_edges_release(struct object_edges *e)
{
	commit_list_clear(&e->commits);
	strset_clear(&e->paths);
}

/* ---- what lies beside ---- */

void object_edges_delivered(struct object_edges *e, const char *path)
{
	if (e->commits.nr)
		strset_add(&e->paths, path);
}

struct edge_report {
	struct object_edges *edges;
	const struct object_walk_options *o;
};

static int report_entry(void *data, const char *path, size_t path_len UNUSED,
			const struct tree_entry *e, struct err *err)
{
	const struct edge_report *r = data;
	struct walked_object found = {
		.oid = &e->oid, .type = mode_object_type(e->mode), .path = path, .edge = true,
	};
	uint32_t *f;
	int rc = 0;

	if (MODE_IS_GITLINK(e->mode) || !strset_contains(&r->edges->paths, path))
		return TREE_WALK_SKIP;
	f = oid_flags_at(r->edges->flags, e->oid.hash);
	if (!(*f & OBJECT_EDGE))
		rc = r->o->object(r->o->data, &found, err);
	*oid_flags_at(r->edges->flags, e->oid.hash) |= OBJECT_EDGE;
	return rc < 0 ? rc : TREE_WALK_DESCEND;
}

/*
 * Reports the tree of a commit, and the entries of directories from which objects were delivered.
 */
static int report_commit(struct rev_walk *w, struct commit *c, const struct edge_report *r,
			 struct err *err)
{
	const struct object_source *src = odb_source(w->repo->odb);
	struct walked_object root = {
		.oid = &c->tree, .type = OBJ_TREE, .path = "", .edge = true,
	};
	struct err why = ERR_INIT;
	int rc = 0;

	if (!strset_contains(&r->edges->paths, "") || !odb_has(w->repo->odb, &c->tree))
		return 0;
	if (!(*oid_flags_at(r->edges->flags, c->tree.hash) & OBJECT_EDGE))
		rc = r->o->object(r->o->data, &root, err);
	*oid_flags_at(r->edges->flags, c->tree.hash) |= OBJECT_EDGE;
	if (!rc)
		rc = tree_walk(src, &c->tree, "", report_entry, (void *)r, &why);
	if (rc != ERR_NOT_FOUND) /* bases are only a help */
		err_move(err, &why);
	err_release(&why);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

int object_edges_report(struct rev_walk *w, struct object_edges *e,
			const struct object_walk_options *o, struct err *err)
{
	struct edge_report r = { e, o };
	int rc = 0;

	for (size_t i = 0; !rc && o->edges && o->object && i < e->commits.nr; i++)
		rc = report_commit(w, e->commits.items[i], &r, err);
	return rc;
}
