/* SPDX-License-Identifier: GPL-2.0-only */
/* Commits that a thread reads ahead of a walk: which ones the walk gets, and when a chain begins. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "compat/os.h"
#include "history/commits-ahead.h"
#include "odb/odb.h"
#include "t/unit/odb-memory.h"
#include "t/unit/scratch.h"
#include "util/strbuf.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)
/* As in history/commits-ahead.c */
#define FIRST 16  /* commits that the walk reads before the first chain */
#define USEFUL 32 /* a chain with so many hits is soon followed by another one, */
#define SOON 4	  /* after so many commits */
#define LONGEST 1024
#define LENGTH 400

static struct odb *odb;
static struct err err = ERR_INIT;
static struct object_id tree, chain[2][LENGTH]; /* each commit is the first parent of the one before */
static struct commits_ahead *ahead;

static void write_object(enum object_type type, const char *text, size_t len, struct object_id *out)
{
	MUST(odb_write(odb, type, text, len, out, &err));
}

static void make_chain(struct object_id *out, int number)
{
	struct strbuf text = STRBUF_INIT;

	for (int i = LENGTH - 1; i >= 0; i--) {
		strbuf_reset(&text);
		strbuf_addf(&text, "tree %s\n", oid_hex(&tree));
		if (i < LENGTH - 1)
			strbuf_addf(&text, "parent %s\n", oid_hex(&out[i + 1]));
		strbuf_addf(&text, "author A <a@x> %d +0000\ncommitter A <a@x> %d +0000\n\nchain %d\n", i, i, number);
		write_object(OBJ_COMMIT, text.buf, text.len, &out[i]);
	}
	strbuf_release(&text);
}

static int setup(void **state)
{
	struct fsync_batch_options fo = { .policy = FSYNC_POLICY_DEFAULT };
	struct odb_options o = { .unpack_limit = 100 };
	struct fsync_batch *b;

	if (scratch_setup(state))
		return -1;
	o.objdir = at(dir, "o");
	o.algo = hash_sha1;
	o.own = odb_source_memory_new(hash_sha1);
	MUST(odb_open(&odb, &o, &err));
	b = fsync_batch_new(&fo);
	MUST(odb_begin_batch(odb, b, &err));
	write_object(OBJ_TREE, "", 0, &tree);
	make_chain(chain[0], 0);
	make_chain(chain[1], 1);
	MUST(odb_stage_batch(odb, &err));
	MUST(fsync_batch_commit(b, &err));
	odb_end_batch(odb);
	fsync_batch_free(b);
	ahead = os_cpu_count() > 1 ? commits_ahead_new(odb, hash_sha1) : NULL;
	return 0;
}

static int teardown(void **state)
{
	commits_ahead_free(ahead);
	odb_free(odb);
	return scratch_teardown(state);
}

/* The walk comes to commit i of the chain. Was it there already? */
static bool visit(int number, int i)
{
	struct object_buf got = OBJECT_BUF_INIT, want = OBJECT_BUF_INIT;
	bool taken = commits_ahead_take(ahead, &chain[number][i], &got);

	if (taken) {
		MUST(odb_read(odb, &chain[number][i], &want, &err));
		assert_int_equal(got.type, OBJ_COMMIT);
		assert_int_equal(got.size, want.size);
		assert_memory_equal(got.data, want.data, want.size);
		object_buf_release(&want);
		object_buf_release(&got);
	} else {
		commits_ahead_missed(ahead, i < LENGTH - 1 ? &chain[number][i + 1] : NULL);
	}
	return taken;
}

/* Visit `nr` commits from i on: the first `misses` are not there, the others are. */
static void walk(int number, int i, int nr, int misses)
{
	for (int n = 0; n < nr; n++)
		if (visit(number, i + n) != (n >= misses))
			fail_msg("chain %d, commit %d: %s", number, i + n, n < misses ? "there" : "not there");
}

static void test_along_a_chain(void **state UNUSED)
{
	if (!ahead)
		skip();
	walk(0, 0, LENGTH, FIRST);
	/* the chain has ended, and was of use: this counts from the next beginning on */
	walk(1, 0, LENGTH, FIRST);
	walk(0, 100, 200, SOON);
	walk(1, 100, USEFUL + SOON, SOON);
	walk(0, 300, USEFUL + SOON - 1, SOON);
	walk(1, 300, 60, SOON);
	walk(0, 0, 100, 2 * SOON);
	walk(1, 0, 100, SOON);
}

/* How many commits the walk reads by itself until the chain goes along. */
static unsigned count_misses(int number)
{
	struct object_buf got = OBJECT_BUF_INIT;
	unsigned n = 0;

	for (; !commits_ahead_take(ahead, &chain[number][1], &got); n++)
		commits_ahead_missed(ahead, &chain[number][1]);
	object_buf_release(&got);
	return n;
}

static void test_chains_of_little_use(void **state UNUSED)
{
	if (!ahead)
		skip();
	walk(0, 0, FIRST + USEFUL - 1, FIRST);
	for (unsigned turn = 1, patience = FIRST; turn < 10; turn++) {
		assert_int_equal(count_misses(turn % 2), patience);
		patience = patience < LONGEST ? 2 * patience : LONGEST;
	}
}

/* Merges: commits of other branches between, and one of the chain that the walk does not come to. */
static void test_side_ways(void **state UNUSED)
{
	if (!ahead)
		skip();
	walk(0, 0, FIRST, FIRST);
	assert_true(visit(0, FIRST));
	assert_true(visit(0, FIRST + 3));
	assert_false(visit(0, FIRST + 1)); /* what has been passed is gone */
	for (int i = FIRST + 4; i < LENGTH; i++) {
		assert_true(visit(0, i));
		for (int k = 1; k < FIRST; k++)
			assert_false(visit(1, i)); /* what the thread has read stays */
	}
}

static void test_a_first_parent_that_is_no_commit(void **state UNUSED)
{
	struct object_id none;
	struct object_buf got = OBJECT_BUF_INIT;

	if (!ahead)
		skip();
	memset(none.hash, 0x11, sizeof(none.hash));
	none.algo = tree.algo;
	walk(0, 0, FIRST - 1, FIRST - 1);
	commits_ahead_missed(ahead, &tree);
	assert_false(commits_ahead_take(ahead, &tree, &got));
	for (int i = 0; i < 2 * FIRST; i++)
		commits_ahead_missed(ahead, &none);
	assert_false(commits_ahead_take(ahead, &none, &got));
	commits_ahead_missed(ahead, NULL);
	/* a chain that has just begun is left */
	for (int i = 0; i < 4 * FIRST; i++)
		commits_ahead_missed(ahead, &chain[0][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_along_a_chain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_chains_of_little_use, setup, teardown),
		cmocka_unit_test_setup_teardown(test_side_ways, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_first_parent_that_is_no_commit, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
