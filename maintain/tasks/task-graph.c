/* SPDX-License-Identifier: GPL-2.0-only */
/* The task commit-graph of git-maintenance(1). */
#include "compat/posix.h"
#include "history/graph/commit-graph-write.h"
#include "history/history.h"
#include "maintain/tasks/tasks-internal.h"

/* As git commit-graph write --split has it. */
#define SIZE_MULTIPLE 2

/* As it is for readers: a graph is of no use where commits have other parents than they say. */
static int graph_is_used(struct repository *r, bool *out, struct err *err)
{
	bool used = true;
	int rc = config_get_bool(r->config, "core.commitgraph", &used, err);

	if (rc < 0)
		return rc;
	*out = used && !repo_is_shallow(r) && !repo_has_replacements(r);
	return 0;
}

/* ---- how many commits are not in it? ---- */

#define SEEN 1u

struct search {
	struct repository *r;
	struct commit_pool *pool;
	struct commit_list todo;
	size_t found, limit;
	struct err *err;
};

/* A new commit outside of the graph is one more, and its parents may be others. */
static int visit(struct search *s, struct commit *c)
{
	int rc;

	if (c->flags & SEEN)
		return 0;
	c->flags |= SEEN;
	rc = commit_parse_node(s->pool, c, s->err);
	if (rc < 0 || c->graph_pos != GRAPH_POS_NONE)
		return rc;
	s->found++;
	commit_list_add(&s->todo, c);
	return 0;
}

static int visit_parents(struct search *s)
{
	int rc = 0;

	while (s->todo.nr && s->found < s->limit && !rc) {
		struct commit *c = s->todo.items[--s->todo.nr];

		for (uint32_t i = 0; i < c->nr_parents && !rc; i++)
			rc = visit(s, c->parents[i]);
	}
	return rc;
}

static int visit_ref(void *data, const struct ref *ref)
{
	struct search *s = data;
	const struct object_id *oid = oid_is_null(&ref->peeled) ? &ref->oid : &ref->peeled;
	enum object_type type;
	uint64_t size;
	int rc;

	if (odb_type(s->r->odb, oid, &type, &size, NULL) < 0 || type != OBJ_COMMIT)
		return 0;
	rc = visit(s, commit_lookup(s->pool, oid));
	if (!rc)
		rc = visit_parents(s);
	if (rc < 0)
		return rc;
	return s->found >= s->limit;
}

int task_commit_graph_is_due(struct repository *r, int limit, bool *out, struct err *err)
{
	struct search s = { .r = r, .limit = (size_t)limit, .todo = COMMIT_LIST_INIT, .err = err };
	bool used;
	int rc = graph_is_used(r, &used, err);

	if (rc < 0)
		return rc;
	if (!used) {
		*out = false;
		return 0;
	}
	rc = commit_pool_new(&s.pool, r, err);
	if (rc < 0)
		return rc;
	rc = refs_foreach(r->refs, "", 0, visit_ref, &s, err);
	commit_list_clear(&s.todo);
	commit_pool_free(s.pool);
	if (rc < 0)
		return rc;
	*out = s.found >= s.limit;
	return 0;
}

/* ---- writing ---- */

int task_commit_graph(struct repository *r, struct repo_operation *op,
		      const struct maintenance_options *o, struct err *err)
{
	struct commit_graph_write_options w = {
		.objdir = odb_objdir(r->odb),
		.source = GRAPH_FROM_REFS,
		.split = GRAPH_SPLIT,
		.size_multiple = SIZE_MULTIPLE,
		.expire_before = TIME_MAX,
		.changed_paths = -1,
		.warn = o->warn,
		.warn_data = o->data,
	};
	bool used;
	int most = -1;
	int rc = graph_is_used(r, &used, err);

	if (rc < 0 || !used)
		return rc;
	rc = config_get_int(r->config, "commitgraph.maxnewfilters", &most, err);
	if (rc < 0)
		return rc;
	w.max_new_filters = most;
	return commit_graph_write(r, &w, repo_operation_batch(op), err);
}
