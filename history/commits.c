/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "history/commits-ahead.h"
#include "history/grafts.h"
#include "history/history.h"
#include "object/commit.h"
#include "util/alloc.h"
#include "util/strbuf.h"

#define NODES_PER_CHUNK 256
#define LINKS_PER_CHUNK 1024

struct node_chunk {
	struct node_chunk *next;
	struct commit nodes[NODES_PER_CHUNK];
};

struct link_chunk {
	struct link_chunk *next;
	struct commit *links[];
};

struct commit_pool {
	struct repository *repo;
	struct oidmap by_oid;  /* to struct commit; those in the graph are not here */
	struct commit_graph *graph; /* NULL: none */
	struct commit **by_pos; /* by position in the graph */
	struct grafts grafts;
	struct commits_ahead *ahead; /* NULL: none */
	struct node_chunk *nodes;
	struct link_chunk *links;
	size_t nr, links_used, links_size;
	bool keep_buffers, keep_true_parents;
};

/* ---- the pool ---- */

int commit_pool_new(struct commit_pool **out, struct repository *r, struct err *err)
{
	struct commit_pool *p;
	int rc;

	CALLOC_ARRAY(p, 1);
	p->repo = r;
	rc = grafts_read(&p->grafts, r, err);
	if (rc < 0) {
		commit_pool_free(p);
		return rc;
	}
	p->graph = commit_graph_open(r, &p->grafts);
	if (p->graph)
		CALLOC_ARRAY(p->by_pos, commit_graph_nr(p->graph));
	*out = p;
	return 0;
}

void commit_pool_ignore_graph(struct commit_pool *p)
{
	if (p->nr)
		BUG("commit_pool_ignore_graph after the first commit");
	commit_graph_free(p->graph);
	p->graph = NULL;
	FREE_AND_NULL(p->by_pos);
}

void commit_pool_keep_true_parents(struct commit_pool *p)
{
	if (p->nr)
		BUG("commit_pool_keep_true_parents after the first commit");
	p->keep_true_parents = true;
}

void commit_pool_read_ahead(struct commit_pool *p)
{
	if (!p->ahead)
		p->ahead = commits_ahead_new(p->repo->odb, p->repo->algo);
}

struct commit_graph *commit_pool_graph(const struct commit_pool *p)
{
	return p->graph;
}

void commit_pool_free(struct commit_pool *p)
{
	size_t i;

	if (!p)
		return;
	while (p->nodes) {
		struct node_chunk *c = p->nodes;

		for (i = 0; i < NODES_PER_CHUNK; i++)
			free(c->nodes[i].buffer);
		p->nodes = c->next;
		free(c);
	}
	while (p->links) {
		struct link_chunk *c = p->links;

		p->links = c->next;
		free(c);
	}
	commits_ahead_free(p->ahead);
	oidmap_clear(&p->by_oid, NULL);
	grafts_clear(&p->grafts);
	commit_graph_free(p->graph);
	free(p->by_pos);
	free(p);
}

void commit_pool_add_shallow(struct commit_pool *p, const struct object_id *oid)
{
	commit_pool_ignore_graph(p); /* it knows other parents */
	grafts_add_shallow(&p->grafts, oid);
}

size_t commit_pool_nr(const struct commit_pool *p)
{
	return p->nr;
}

static struct commit *new_node(struct commit_pool *p)
{
	struct node_chunk *chunk;
	struct commit *c;

	if (p->nr % NODES_PER_CHUNK == 0) {
		CALLOC_ARRAY(chunk, 1);
		chunk->next = p->nodes;
		p->nodes = chunk;
	}
	c = &p->nodes->nodes[p->nr % NODES_PER_CHUNK];
	c->index = p->nr++;
	c->generation = GENERATION_INFINITY;
	c->graph_pos = GRAPH_POS_NONE;
	return c;
}

static struct commit *node_at(struct commit_pool *p, uint32_t pos)
{
	struct commit *c = p->by_pos[pos];

	if (!c) {
		c = p->by_pos[pos] = new_node(p);
		c->graph_pos = pos;
		commit_graph_oid(p->graph, pos, &c->oid);
	}
	return c;
}

struct commit *commit_lookup(struct commit_pool *p, const struct object_id *oid)
{
	struct commit *c;
	uint32_t pos;

	if (p->graph && commit_graph_find(p->graph, oid, &pos))
		return node_at(p, pos);
	c = oidmap_get(&p->by_oid, oid);
	if (c)
		return c;
	c = new_node(p);
	c->oid = *oid;
	oidmap_put(&p->by_oid, oid, c);
	return c;
}

void commit_pool_clear_flags(struct commit_pool *p, uint32_t flags)
{
	struct node_chunk *chunk;
	size_t i;

	for (chunk = p->nodes; chunk; chunk = chunk->next)
		for (i = 0; i < NODES_PER_CHUNK; i++)
			chunk->nodes[i].flags &= ~flags;
}

void commit_set_parents(struct commit_pool *p, struct commit *c, struct commit *const *parents,
			uint32_t nr)
{
	size_t need = (size_t)nr + 1;
	struct commit **to;

	if (c->parents && nr <= c->nr_parents) {
		to = c->parents; /* shrinks in place */
	} else {
		if (!p->links || p->links_size - p->links_used < need) {
			size_t size = need > LINKS_PER_CHUNK ? need : LINKS_PER_CHUNK;
			struct link_chunk *chunk;

			chunk = xmalloc(st_add(sizeof(*chunk),
					       st_mult(size, sizeof(*chunk->links))));
			chunk->next = p->links;
			p->links = chunk;
			p->links_size = size;
			p->links_used = 0;
		}
		to = p->links->links + p->links_used;
		p->links_used += need;
	}
	if (nr)
		memmove(to, parents, nr * sizeof(*to));
	to[nr] = NULL;
	c->parents = to;
	c->nr_parents = nr;
}

/* ---- content ---- */

void commit_pool_keep_buffers(struct commit_pool *p, bool keep)
{
	p->keep_buffers = keep;
}

void commit_release_buffer(struct commit *c)
{
	FREE_AND_NULL(c->buffer);
	c->buffer_len = 0;
}

static int read_commit(struct commit_pool *p, struct commit *c, struct object_buf *buf,
		       struct err *err)
{
	int rc = odb_read(p->repo->odb, &c->oid, buf, err);

	if (rc < 0)
		return rc;
	if (buf->type != OBJ_COMMIT) {
		rc = err_set(err, ERR_INVALID, "object %s is a %s, not a commit",
			     oid_hex(&c->oid), object_type_name(buf->type));
		object_buf_release(buf);
	}
	return rc;
}

int commit_buffer(struct commit_pool *p, struct commit *c, const char **buf, size_t *len,
		  struct err *err)
{
	struct object_buf content = OBJECT_BUF_INIT;
	int rc;

	if (!c->buffer) {
		rc = read_commit(p, c, &content, err);
		if (rc < 0)
			return rc;
		c->buffer = content.data;
		c->buffer_len = content.size;
	}
	*buf = c->buffer;
	*len = c->buffer_len;
	return 0;
}

static void link_parents(struct commit_pool *p, struct commit *c, const struct oid_array *oids)
{
	struct commit *few[16], **parents = few;
	size_t i;

	if (oids->nr > ARRAY_SIZE(few))
		ALLOC_ARRAY(parents, oids->nr);
	for (i = 0; i < oids->nr; i++)
		parents[i] = commit_lookup(p, &oids->oid[i]);
	commit_set_parents(p, c, parents, oids->nr);
	if (parents != few)
		free(parents);
}

static int parse_object(struct commit_pool *p, struct commit *c, struct err *err)
{
	struct object_buf content = OBJECT_BUF_INIT;
	struct oid_array parents = OID_ARRAY_INIT;
	const struct graft *g;
	bool missed = false;
	int rc = 0;

	if (c->buffer) {
		content.data = c->buffer;
		content.size = c->buffer_len;
	} else if (!p->ahead || !commits_ahead_take(p->ahead, &c->oid, &content)) {
		rc = read_commit(p, c, &content, err);
		missed = p->ahead;
	}
	if (rc < 0)
		return rc;
	rc = commit_parse_links(content.data, content.size, p->repo->algo, &c->tree,
				&parents, &c->date, err);
	if (rc < 0) {
		err_prefix(err, "bad commit %s", oid_hex(&c->oid));
	} else {
		g = graft_of(&p->grafts, &c->oid);
		if (g && (g->shallow || !p->keep_true_parents))
			parents.nr = 0;
		for (size_t i = 0; g && i < g->parents.nr; i++)
			oid_array_append(&parents, &g->parents.oid[i]);
		link_parents(p, c, &parents);
		c->shallow = g && g->shallow;
		c->parsed = true;
		if (missed)
			commits_ahead_missed(p->ahead, c->nr_parents ? &c->parents[0]->oid : NULL);
	}
	oid_array_clear(&parents);
	if (p->keep_buffers && !rc) {
		c->buffer = content.data;
		c->buffer_len = content.size;
	} else if (!c->buffer) {
		object_buf_release(&content);
	}
	return rc;
}

static int parse_from_graph(struct commit_pool *p, struct commit *c, struct err *err)
{
	struct commit *few[16], **parents = few;
	struct graph_commit gc;
	int rc = commit_graph_read(p->graph, c->graph_pos, &gc, err);

	if (rc < 0)
		return rc;
	if (gc.nr_parents > ARRAY_SIZE(few))
		ALLOC_ARRAY(parents, gc.nr_parents);
	for (uint32_t i = 0; i < gc.nr_parents; i++)
		parents[i] = node_at(p, graph_commit_parent(&gc, i));
	commit_set_parents(p, c, parents, gc.nr_parents);
	if (parents != few)
		free(parents);
	oid_from_raw(&c->tree, gc.tree, p->repo->algo);
	c->date = gc.date;
	c->generation = gc.generation;
	c->parsed = true;
	return 0;
}

int commit_parse_node(struct commit_pool *p, struct commit *c, struct err *err)
{
	int rc = c->parsed ? 0 : repo_step(p->repo, err);

	if (rc < 0 || c->parsed)
		return rc;
	return c->graph_pos == GRAPH_POS_NONE ? parse_object(p, c, err) :
						parse_from_graph(p, c, err);
}
