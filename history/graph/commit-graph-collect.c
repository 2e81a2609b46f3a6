/* SPDX-License-Identifier: GPL-2.0-only */
/* Which commits go into a new commit-graph. */
#include "compat/posix.h"
#include "history/graph/commit-graph-write-internal.h"
#include "pack/pack.h"
#include "util/alloc.h"

struct collector {
	struct graph_writer *w;
	struct progress *progress;
	uint64_t nr;
	const char *name; /* of a pack */
	bool found;
	struct err *err;
};

/* ---- what they lead to ---- */

/* Not again, and not what a lower layer has. */
static void add(struct graph_writer *w, struct commit *c)
{
	uint32_t pos;

	if (c->flags & GRAPH_IN_LAYER)
		return;
	if (w->base.nr && commit_graph_find(&w->base, &c->oid, &pos))
		return;
	c->flags |= GRAPH_IN_LAYER;
	commit_list_add(&w->commits, c);
}

/* The list grows while it is gone through. */
static int close_list(struct graph_writer *w, size_t from, struct progress *progress,
		      struct err *err)
{
	for (size_t i = from; i < w->commits.nr; i++) {
		struct commit *c = w->commits.items[i];
		int rc = commit_parse_node(w->pool, c, err);

		if (rc < 0) {
			err_prefix(err, "failed to parse commit %s", oid_hex(&c->oid));
			return rc;
		}
		for (uint32_t j = 0; j < c->nr_parents; j++)
			add(w, c->parents[j]);
		progress_update(progress, i + 1);
		if (w->commits.nr + w->base.nr > GRAPH_COMMITS_MAX)
			return err_set(err, ERR_TOO_BIG, "too many commits to write graph");
	}
	return 0;
}

int graph_collect_layer(struct graph_writer *w, const struct graph_layer *l, struct err *err)
{
	size_t from = w->commits.nr;
	struct object_id oid;
	enum object_type type;
	uint64_t size;

	for (uint32_t i = 0; i < l->nr; i++) {
		oid_from_raw(&oid, graph_layer_name(l, i), l->algo);
		if (!odb_type(w->repo->odb, &oid, &type, &size, NULL) && type == OBJ_COMMIT)
			add(w, commit_lookup(w->pool, &oid));
	}
	return close_list(w, from, NULL, err);
}

/* ---- where they come from ---- */

static struct progress *start(const struct graph_writer *w, const char *title, uint64_t total)
{
	return w->o->progress ? w->o->progress(w->o->progress_data, title, total) : NULL;
}

/* Adds the object if it is a commit. */
static void add_if_commit(struct collector *c, const struct object_id *oid)
{
	enum object_type type;
	uint64_t size;

	progress_update(c->progress, ++c->nr);
	if (!odb_type(c->w->repo->odb, oid, &type, &size, NULL) && type == OBJ_COMMIT)
		add(c->w, commit_lookup(c->w->pool, oid));
}

static int on_ref(void *data, const struct ref *ref)
{
	struct collector *c = data;
	const struct object_source *src = odb_source(c->w->repo->odb);
	struct object_id oid;

	if (ref->flags & REF_IS_BROKEN)
		return 0;
	if (!object_peel(src, &ref->oid, OBJ_COMMIT, &oid, NULL, NULL))
		add_if_commit(c, &oid);
	return 0;
}

static int on_packed(void *data, const struct object_id *oid)
{
	add_if_commit(data, oid);
	return 0;
}

static int on_pack(void *data, struct pack *p)
{
	struct collector *c = data;
	size_t len;

	if (!strip_suffix(pack_path(p), ".pack", &len) || strncmp(pack_path(p), c->name, len) ||
	    strcmp(c->name + len, ".idx"))
		return 0;
	c->found = true;
	return pack_foreach_object(p, true, on_packed, c, c->err);
}

static int collect_named_packs(struct collector *c, struct err *err)
{
	int rc = 0;

	c->err = err;
	for (size_t i = 0; !rc && i < c->w->o->packs->nr; i++) {
		const char *name = c->w->o->packs->v[i];
		char *path = xstrfmt("%s/pack/%s", c->w->o->objdir, name);

		c->name = path;
		c->found = false;
		rc = odb_foreach_pack(c->w->repo->odb, ODB_ALL, on_pack, c);
		if (!rc && !c->found)
			rc = err_set(err, ERR_NOT_FOUND, "error adding pack %s", path);
		free(path);
	}
	return rc;
}

static int collect_starts(struct collector *c, struct err *err)
{
	const struct commit_graph_write_options *o = c->w->o;

	switch (o->source) {
	case GRAPH_FROM_REFS:
		c->progress = start(c->w, "Collecting referenced commits", 0);
		return refs_foreach(c->w->repo->refs, "", REFS_NO_PEEL, on_ref, c, err);
	case GRAPH_FROM_COMMITS:
		for (size_t i = 0; i < o->commits->nr; i++)
			add_if_commit(c, &o->commits->oid[i]);
		return 0;
	case GRAPH_FROM_NAMED_PACKS:
		c->progress = start(c->w, "Finding commits for commit graph in packs", 0);
		return collect_named_packs(c, err);
	case GRAPH_FROM_PACKS:
		break;
	}
	c->progress = start(c->w, "Finding commits for commit graph among packed objects", 0);
	return odb_foreach_packed(c->w->repo->odb, ODB_ALL, on_packed, c, err);
}

int graph_collect(struct graph_writer *w, struct err *err)
{
	struct collector c = { .w = w };
	int rc = collect_starts(&c, err);

	progress_stop(&c.progress);
	for (size_t i = 0; !rc && w->o->append && w->old && i < w->old->nr_layers; i++)
		rc = graph_collect_layer(w, w->old->layers[i], err);
	if (rc < 0)
		return rc;
	c.progress = start(w, "Expanding reachable commits in commit graph", 0);
	rc = close_list(w, 0, c.progress, err);
	progress_stop(&c.progress);
	return rc;
}
