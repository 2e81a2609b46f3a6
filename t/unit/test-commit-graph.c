/* SPDX-License-Identifier: GPL-2.0-only */
/* Hashes of paths, filters of changed paths, and what can be asked of a commit-graph. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "history/changed-paths.h"
#include "history/graph/commit-graph-write.h"
#include "history/history.h"
#include "object/commit.h"
#include "operation/operation.h"
#include "t/unit/repo-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

/* ---- hashes ---- */

static uint32_t murmur3(const char *s, uint32_t seed)
{
	uint32_t v2 = murmur3_seeded(seed, s, strlen(s), 2);

	assert_int_equal(murmur3_seeded(seed, s, strlen(s), 1), v2);
	return v2;
}

static void murmur3_vectors(void **state)
{
	(void)state;
	assert_int_equal(murmur3("", 0), 0);
	assert_int_equal(murmur3("", 1), 0x514e28b7);
	assert_int_equal(murmur3("test", 0), 0xba6bd213);
	assert_int_equal(murmur3("Hello, world!", 1234), 0xfaf6cdb3);
	assert_int_equal(murmur3("The quick brown fox jumps over the lazy dog", 0x9747b28c), 0x2fa826cd);
}

/* Version 1 extends the sign of bytes, wherever they stand. */
static void bytes_above_127(void **state)
{
	(void)state;
	for (size_t len = 1; len < 9; len++) {
		char path[9] = "aaaaaaaa";

		path[len - 1] = '\xe9';
		/* the top byte of a word has nothing above it that could change */
		if (len % 4)
			assert_int_not_equal(murmur3_seeded(7, path, len, 1),
					     murmur3_seeded(7, path, len, 2));
		else
			assert_int_equal(murmur3_seeded(7, path, len, 1),
					 murmur3_seeded(7, path, len, 2));
	}
	/* what stock Git's files have */
	assert_int_equal(murmur3_seeded(0x293ae76f, "caf\xc3\xa9/x", 7, 1), 0x80a1d823);
	assert_int_equal(murmur3_seeded(0x293ae76f, "caf\xc3\xa9/x", 7, 2), 0x427abbbd);
}

/* ---- a repository ---- */

static struct repository *repo;
static struct object_id trees[2], commits[4];

static void write_object(enum object_type type, const struct strbuf *b, struct object_id *out)
{
	struct err err = ERR_INIT;

	MUST(repo_operation_write_object(repo, type, b->buf, b->len, out, &err));
}

/* The trees: none; and one with the file "file". */
static void add_trees(void)
{
	struct strbuf b = STRBUF_INIT;
	struct object_id blob;

	write_object(OBJ_TREE, &b, &trees[0]);
	write_object(OBJ_BLOB, &b, &blob);
	strbuf_addstr(&b, "100644 file");
	strbuf_addch(&b, '\0');
	strbuf_add(&b, blob.hash, repo->algo->raw_len);
	write_object(OBJ_TREE, &b, &trees[1]);
	strbuf_release(&b);
}

static void add_commit(size_t i, const struct object_id *tree, timestamp_t date,
		       const struct object_id *parent)
{
	struct strbuf b = STRBUF_INIT;
	char *who = xstrfmt("A <a@x> %" PRIu64 " +0000", date), *text;
	struct commit_draft draft = { .tree = *tree, .parents = parent, .nr_parents = parent != NULL,
				      .author = who, .committer = who, .message = "m\n",
				      .message_len = 2 };
	struct err err = ERR_INIT;

	MUST(commit_compose(&b, &draft, &err));
	write_object(OBJ_COMMIT, &b, &commits[i]);
	text = xstrfmt("%s\n", oid_hex(&commits[i]));
	write_text(at(dir, "r/.git/refs/heads/c%zu", i), text);
	free(text);
	free(who);
	strbuf_release(&b);
}

static void write_graph(void)
{
	struct commit_graph_write_options o = {
		.objdir = odb_objdir(repo->odb), .source = GRAPH_FROM_REFS, .size_multiple = 2,
		.expire_before = TIME_MAX, .changed_paths = 1, .max_new_filters = -1,
	};
	struct repo_operation *op = repo_operation_begin(repo);
	struct err err = ERR_INIT;
	int rc = commit_graph_write(repo, &o, repo_operation_batch(op), &err);

	MUST(repo_operation_end(op, rc, &err));
}

/* 0 - 1 - 3, 0 - 2; the clock of 1 is ahead; 1 and 2 add the file. */
static int set_up(void **state UNUSED)
{
	scratch_repo_setup(&repo);
	add_trees();
	add_commit(0, &trees[0], 1000, NULL);
	add_commit(1, &trees[1], 5000, &commits[0]);
	add_commit(2, &trees[1], 1500, &commits[0]);
	add_commit(3, &trees[1], 2000, &commits[1]);
	return 0;
}

static int tear_down(void **state UNUSED)
{
	return scratch_repo_teardown(&repo);
}

static struct commit_pool *open_pool(void)
{
	struct commit_pool *pool;
	struct err err = ERR_INIT;

	MUST(commit_pool_new(&pool, repo, &err));
	return pool;
}

static struct commit *parsed(struct commit_pool *pool, size_t i)
{
	struct commit *c = commit_lookup(pool, &commits[i]);
	struct err err = ERR_INIT;

	MUST(commit_parse_node(pool, c, &err));
	return c;
}

/* ---- nodes ---- */

static void nodes_from_the_graph(void **state)
{
	static const uint64_t generations[4] = { 1000, 5000, 1500, 5001 };
	static const timestamp_t dates[4] = { 1000, 5000, 1500, 2000 };
	struct commit_pool *pool;

	(void)state;
	pool = open_pool();
	assert_null(commit_pool_graph(pool));
	assert_true(parsed(pool, 3)->generation == GENERATION_INFINITY);
	commit_pool_free(pool);
	write_graph();
	pool = open_pool();
	assert_int_equal(commit_graph_nr(commit_pool_graph(pool)), 4);
	for (size_t i = 0; i < 4; i++) {
		struct commit *c = parsed(pool, i);

		assert_true(c->graph_pos < 4);
		assert_true(c->generation == generations[i] && c->date == dates[i]);
		assert_true(oid_eq(&c->tree, &trees[i > 0]));
		assert_int_equal(c->nr_parents, i > 0);
		assert_ptr_equal(commit_lookup(pool, &commits[i]), c);
	}
	assert_ptr_equal(parsed(pool, 3)->parents[0], commit_lookup(pool, &commits[1]));
	assert_null(parsed(pool, 3)->buffer);
	commit_pool_free(pool);
	pool = open_pool();
	commit_pool_ignore_graph(pool);
	assert_true(parsed(pool, 3)->generation == GENERATION_INFINITY);
	commit_pool_free(pool);
}

/* A commit that is younger than the graph. */
static void nodes_beside_the_graph(void **state)
{
	struct commit_pool *pool;
	struct commit *young;

	(void)state;
	write_graph();
	add_commit(0, &trees[1], 3000, &commits[3]);
	pool = open_pool();
	young = parsed(pool, 0);
	assert_int_equal(young->graph_pos, GRAPH_POS_NONE);
	assert_ptr_equal(young->parents[0], parsed(pool, 3));
	assert_int_equal(is_ancestor(pool, commit_lookup(pool, &commits[1]), young, NULL), 1);
	assert_int_equal(is_ancestor(pool, young, commit_lookup(pool, &commits[1]), NULL), 0);
	assert_int_equal(is_ancestor(pool, parsed(pool, 2), young, NULL), 0);
	commit_pool_free(pool);
}

/* ---- ancestry, with the graph and without ---- */

static void check_ancestry(bool with)
{
	static const bool leads[4][4] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 1, 0, 1 } };
	struct commit_pool *pool = open_pool();
	struct commit_list bases = COMMIT_LIST_INIT;
	struct commit *two;
	struct err err = ERR_INIT;
	size_t ahead, behind;

	assert_true(with == (commit_pool_graph(pool) != NULL));
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 4; j++)
			assert_int_equal(is_ancestor(pool, commit_lookup(pool, &commits[j]),
						     commit_lookup(pool, &commits[i]), &err),
					 leads[i][j]);
	two = commit_lookup(pool, &commits[2]);
	MUST(merge_bases(pool, commit_lookup(pool, &commits[3]), &two, 1, &bases, &err));
	assert_int_equal(bases.nr, 1);
	assert_ptr_equal(bases.items[0], commit_lookup(pool, &commits[0]));
	MUST(ahead_behind_in(pool, &commits[3], &commits[2], &ahead, &behind, &err));
	assert_int_equal(ahead, 2);
	assert_int_equal(behind, 1);
	/* No flags are left. */
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(commit_lookup(pool, &commits[i])->flags, 0);
	commit_list_clear(&bases);
	commit_pool_free(pool);
}

static void ancestry(void **state)
{
	(void)state;
	check_ancestry(false);
	write_graph();
	check_ancestry(true);
}

/* ---- filters ---- */

static bool perhaps(const struct commit_pool *pool, struct commit *c, const char *path)
{
	const char *paths[] = { path, NULL };
	struct changed_paths *q;
	struct pathspec ps;
	struct err err = ERR_INIT;
	bool answer;

	MUST(pathspec_parse(&ps, NULL, NULL, paths, 0, &err));
	q = changed_paths_new(commit_pool_graph(pool), &ps);
	assert_non_null(q);
	answer = changed_paths_perhaps(q, c->graph_pos);
	changed_paths_free(q);
	pathspec_release(&ps);
	return answer;
}

static void filters(void **state)
{
	static const char *const useless[] = { "*", "fi*", ":(icase)file", ":!file", "", "." };
	struct commit_pool *pool;

	(void)state;
	write_graph();
	pool = open_pool();
	assert_true(perhaps(pool, parsed(pool, 1), "file"));
	assert_true(perhaps(pool, parsed(pool, 2), "file"));
	assert_false(perhaps(pool, parsed(pool, 0), "file"));
	assert_false(perhaps(pool, parsed(pool, 3), "file"));
	assert_false(perhaps(pool, parsed(pool, 1), "file/below"));
	assert_false(perhaps(pool, parsed(pool, 1), "another"));
	assert_false(perhaps(pool, parsed(pool, 1), "dir/*.c"));
	for (size_t i = 0; i < ARRAY_SIZE(useless); i++) {
		const char *paths[] = { useless[i], NULL };
		struct pathspec ps;

		if (pathspec_parse(&ps, NULL, at(dir, "r"), paths, 0, NULL) < 0)
			continue;
		assert_null(changed_paths_new(commit_pool_graph(pool), &ps));
		pathspec_release(&ps);
	}
	commit_pool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(murmur3_vectors),
		cmocka_unit_test(bytes_above_127),
		cmocka_unit_test_setup_teardown(nodes_from_the_graph, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nodes_beside_the_graph, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ancestry, set_up, tear_down),
		cmocka_unit_test_setup_teardown(filters, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
