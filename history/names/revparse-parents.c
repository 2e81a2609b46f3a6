/* SPDX-License-Identifier: GPL-2.0-only */
/* "^N" and "~N": parents and first ancestors of a commit. */
#include "compat/posix.h"
#include "history/names/revparse-internal.h"
#include "object/commit.h"

/* For fewer steps a commit-graph is not worth opening. */
#define STEPS_BY_GRAPH 4

int parent_links_open(struct parent_links *l, struct repository *r, unsigned steps, struct err *err)
{
	struct parent_links opened = { .repo = r };
	int rc = steps ? grafts_read(&opened.grafts, r, err) : 0;

	if (!rc && steps >= STEPS_BY_GRAPH)
		opened.graph = commit_graph_open(r, &opened.grafts);
	*l = opened;
	return rc;
}

void parent_links_release(struct parent_links *l)
{
	grafts_clear(&l->grafts);
	commit_graph_free(l->graph);
}

/* The n-th parent, 1…; with 0 the commit itself. oid may be a tag. */
static int nth_parent(const struct parent_links *l, const struct object_id *oid,
		      unsigned n, struct object_id *out, struct err *err)
{
	struct oid_array own = OID_ARRAY_INIT;
	const struct oid_array *parents;
	const struct graft *graft;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id commit;
	int rc;

	rc = odb_read_peeled(l->repo->odb, oid, OBJ_COMMIT, &buf, &commit, NULL);
	if (rc < 0)
		return ERR_NOT_FOUND;
	rc = commit_parse_links(buf.data, buf.size, l->repo->algo, NULL, &own, NULL, err);
	graft = graft_of(&l->grafts, &commit);
	parents = graft ? &graft->parents : &own;
	if (!rc && !n)
		*out = commit;
	else if (!rc && n <= parents->nr)
		*out = parents->oid[n - 1];
	else if (!rc)
		rc = ERR_NOT_FOUND;
	oid_array_clear(&own);
	object_buf_release(&buf);
	return rc;
}

/* From a commit that the graph has, all the way: its ancestors are there too. */
static int follow_positions(const struct parent_links *l, uint32_t pos, unsigned n,
			    struct object_id *oid)
{
	while (n && pos != GRAPH_POS_NONE) {
		pos = commit_graph_first_parent(l->graph, pos);
		n--;
	}
	if (pos == GRAPH_POS_NONE)
		return ERR_NOT_FOUND;
	commit_graph_oid(l->graph, pos, oid);
	return 0;
}

int parent_links_follow(const struct parent_links *l, char op, unsigned n, struct object_id *oid,
			struct err *err)
{
	uint32_t pos;
	int rc;

	if (op == '^')
		return nth_parent(l, oid, n, oid, err);
	rc = nth_parent(l, oid, 0, oid, err);
	while (!rc && n) {
		if (l->graph && commit_graph_find(l->graph, oid, &pos))
			return follow_positions(l, pos, n, oid);
		rc = nth_parent(l, oid, 1, oid, err);
		n--;
	}
	return rc;
}
