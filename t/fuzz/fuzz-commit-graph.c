/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The input is used as a commit-graph if it begins with "CGPH"; as a chain of layers if it begins with
 * "CHAIN"; else as the tables of a graph whose sizes are right. All commits in it are read and walked from,
 * with paths, and the graph is verified and extended. What has been found by name has that name.
 */
#include "compat/posix.h"
#include "history/changed-paths.h"
#include "history/commit-graph-internal.h"
#include "history/graph/commit-graph-write.h"
#include "history/revision/revision.h"
#include "operation/operation.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define GRAPH "repo/.git/objects/info/commit-graph"
#define CHAIN "repo/.git/objects/info/commit-graphs/commit-graph-chain"
#define COMMITS_MAX 200

/* ---- files ---- */

static void add_be32(struct strbuf *b, uint32_t v)
{
	unsigned char raw[4];

	put_be32(raw, v);
	strbuf_add(b, raw, 4);
}

/* Bytes of the input, over and over. */
static void add_input(struct strbuf *b, const uint8_t *data, size_t size, size_t *at, size_t len)
{
	while (len--) {
		strbuf_addch(b, size ? (char)data[*at % size] : 0);
		++*at;
	}
}

static void add_chunk(struct strbuf *b, uint32_t id, uint32_t *at, uint32_t len)
{
	add_be32(b, id);
	add_be32(b, 0);
	add_be32(b, *at);
	*at += len;
}

static void make_graph(struct strbuf *b, const uint8_t *data, size_t size)
{
	uint32_t nr = 1 + (size ? data[0] : 0) % 16, offset = 8 + 9 * 12, i;
	size_t at = 1;

	strbuf_add(b, "CGPH\1\1\10\0", 8);
	add_chunk(b, GRAPH_CHUNK_FANOUT, &offset, 1024);
	add_chunk(b, GRAPH_CHUNK_NAMES, &offset, nr * 20);
	add_chunk(b, GRAPH_CHUNK_COMMITS, &offset, nr * 36);
	add_chunk(b, GRAPH_CHUNK_DATES, &offset, nr * 4);
	add_chunk(b, GRAPH_CHUNK_WIDE_DATES, &offset, 16);
	add_chunk(b, GRAPH_CHUNK_PARENTS, &offset, 16);
	add_chunk(b, GRAPH_CHUNK_FILTER_ENDS, &offset, nr * 4);
	add_chunk(b, GRAPH_CHUNK_FILTERS, &offset, 12 + 32);
	add_chunk(b, 0, &offset, 0);
	/* Names are (i, …); the last one is that of HEAD, so that walks come upon the graph. */
	for (i = 0; i < 256; i++)
		add_be32(b, i + 1 < nr ? i + 1 : i < scratch_head.hash[0] && i < 255 ? nr - 1 : nr);
	for (i = 0; i + 1 < nr; i++) {
		strbuf_addch(b, (char)i);
		for (unsigned j = 0; j < 19; j++)
			strbuf_addch(b, 7);
	}
	strbuf_add(b, scratch_head.hash, 20);
	for (i = 0; i < nr; i++) {
		strbuf_add(b, hash_sha1->empty_tree.hash, 20);
		for (unsigned j = 0; j < 2; j++) {
			uint32_t value = size ? data[(at + j) % size] : 0;

			add_be32(b, value < 100 ? value % (nr + 1) : value < 200 ? GRAPH_NO_PARENT :
				 GRAPH_MSB | value % 5);
		}
		at += 2;
		add_input(b, data, size, &at, 8);
	}
	add_input(b, data, size, &at, nr * 4 + 16 + 16 + nr * 4);
	add_be32(b, 1 + (size ? data[at % size] : 0) % 3);
	add_be32(b, 7);
	add_be32(b, 10);
	add_input(b, data, size, &at, 32 + 20);
}

static void write_files(const uint8_t *data, size_t size)
{
	struct strbuf b = STRBUF_INIT;

	unlink(scratch_path(GRAPH));
	unlink(scratch_path(CHAIN));
	if (size >= 4 && !memcmp(data, "CGPH", 4)) {
		scratch_write(GRAPH, data, size);
	} else if (size >= 5 && !memcmp(data, "CHAIN", 5)) {
		scratch_write(CHAIN, data + 5, size - 5);
	} else {
		make_graph(&b, data, size);
		scratch_write(GRAPH, b.buf, b.len);
	}
	strbuf_release(&b);
}

/* ---- use ---- */

static void ignore(void *data, const char *msg)
{
	(void)data, (void)msg;
}

static void read_all(struct commit_graph *g)
{
	static const char *const paths[] = { "dir/file", NULL };
	struct changed_paths *q;
	struct graph_commit c;
	struct object_id oid;
	struct pathspec ps;

	if (pathspec_parse(&ps, NULL, NULL, paths, 0, NULL) < 0)
		abort();
	q = changed_paths_new(g, &ps);
	for (uint32_t i = 0; i < commit_graph_nr(g) && i < COMMITS_MAX; i++) {
		uint32_t pos, first = commit_graph_first_parent(g, i);

		commit_graph_oid(g, i, &oid);
		if (commit_graph_find(g, &oid, &pos)) {
			struct object_id again;

			commit_graph_oid(g, pos, &again);
			if (!oid_eq(&oid, &again))
				abort();
		}
		if (q)
			changed_paths_perhaps(q, i);
		if (commit_graph_read(g, i, &c, NULL) < 0)
			continue;
		if (c.nr_parents && c.parents[0] != first)
			abort();
		for (uint32_t j = 0; j < c.nr_parents && j < COMMITS_MAX; j++)
			if (graph_commit_parent(&c, j) >= commit_graph_nr(g))
				abort();
	}
	changed_paths_free(q);
	pathspec_release(&ps);
}

static void walk(struct repository *r, const char *order, const char *path)
{
	const char *argv[] = { "log", order, "--boundary", "-n100", "HEAD", "--", path, NULL };
	struct rev_walk *w;
	struct commit *c;
	int seen = 0;

	if (rev_walk_new(&w, r, NULL) < 0)
		return;
	if (!rev_walk_arguments(w, path ? 7 : 6, argv, NULL, NULL) && !rev_walk_begin(w, NULL))
		while (rev_walk_next(w, &c, NULL) > 0)
			if (++seen > 1000)
				abort();
	rev_walk_free(w);
}

static void reach(struct repository *r)
{
	struct commit_pool *pool;
	struct commit *head;
	size_t ahead, behind;

	if (commit_pool_new(&pool, r, NULL) < 0)
		return;
	head = commit_lookup(pool, &scratch_head);
	if (!commit_parse_node(pool, head, NULL))
		for (uint32_t i = 0; i < head->nr_parents && i < 5; i++) {
			struct commit_list bases = COMMIT_LIST_INIT;

			(void)is_ancestor(pool, head->parents[i], head, NULL);
			(void)is_ancestor(pool, head, head->parents[i], NULL);
			(void)!merge_bases(pool, head, &head->parents[i], 1, &bases, NULL);
			(void)!ahead_behind_in(pool, &head->oid, &head->parents[i]->oid, &ahead,
					       &behind, NULL);
			commit_list_clear(&bases);
		}
	commit_pool_free(pool);
}

static void extend(struct repository *r, enum graph_split split)
{
	struct commit_graph_write_options o = {
		.objdir = odb_objdir(r->odb), .source = GRAPH_FROM_REFS, .append = true,
		.split = split, .size_multiple = 2, .expire_before = TIME_MAX,
		.changed_paths = 1, .max_new_filters = -1,
	};
	struct repo_operation *op = repo_operation_begin(r);

	(void)!repo_operation_end(op, commit_graph_write(r, &o, repo_operation_batch(op), NULL), NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct repository *r = scratch_repo();
	struct commit_graph_verify_options v = { .bad = ignore };
	struct commit_graph *g;

	v.objdir = odb_objdir(r->odb);
	write_files(data, size);
	graph_load(&g, r, v.objdir, ignore, NULL);
	if (g)
		read_all(g);
	commit_graph_free(g);
	walk(r, "--topo-order", NULL);
	walk(r, "--date-order", "file");
	reach(r);
	(void)!commit_graph_verify(r, &v);
	extend(r, size % 2 ? GRAPH_SINGLE : GRAPH_SPLIT);
	(void)!commit_graph_verify(r, &v);
	return 0;
}
