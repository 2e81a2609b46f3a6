/* SPDX-License-Identifier: GPL-2.0-only */
/* One pick or revert in memory: which change is applied, to which side it belongs, and the message of the new commit. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "object/tree.h"
#include "operation/operation.h"
#include "sequence/pick.h"
#include "t/unit/repo-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

static struct repository *repo;
static struct repo_operation *op;
static struct commit_pool *pool;
static struct err err;
static struct merge_trees settings;
static struct object_id base, first, second, merge; /* commits */

static struct object_id tree_with(const char *text)
{
	struct strbuf tree = STRBUF_INIT;
	struct object_id blob, oid;

	MUST(odb_write(repo->odb, OBJ_BLOB, text, strlen(text), &blob, &err));
	tree_append(&tree, 0100644, "f", 1, &blob);
	MUST(odb_write(repo->odb, OBJ_TREE, tree.buf, tree.len, &oid, &err));
	strbuf_release(&tree);
	return oid;
}

static struct object_id commit_with(const char *text, const struct object_id *parent, const struct object_id *other,
				    const char *message)
{
	struct object_id tree = tree_with(text), oid;
	struct strbuf c = STRBUF_INIT;

	strbuf_addf(&c, "tree %s\n", oid_hex(&tree));
	if (parent)
		strbuf_addf(&c, "parent %s\n", oid_hex(parent));
	if (other)
		strbuf_addf(&c, "parent %s\n", oid_hex(other));
	strbuf_addf(&c, "author A <a@x> 981173106 +0000\ncommitter C <c@x> 2 +0000\n\n%s", message);
	MUST(odb_write(repo->odb, OBJ_COMMIT, c.buf, c.len, &oid, &err));
	strbuf_release(&c);
	return oid;
}

static int setup(void **state UNUSED)
{
	scratch_repo_setup(&repo);
	err_init(&err);
	op = repo_operation_begin(repo);
	MUST(repo_operation_open_objects(op, &err));
	MUST(commit_pool_new(&pool, repo, &err));
	settings = (struct merge_trees){ .odb = repo->odb, .renames = { .limit = -1 } };
	base = commit_with("1\n2\n3\n4\n5\n", NULL, NULL, "base\n");
	first = commit_with("1\n2\n3\n4\nfive\n", &base, NULL, "first\n\nbody\n");
	second = commit_with("one\n2\n3\n4\n5\n", &base, NULL, "second\n");
	merge = commit_with("one\n2\n3\n4\nfive\n", &first, &second, "Merge\n");
	return 0;
}

static int teardown(void **state UNUSED)
{
	commit_pool_free(pool);
	repo_operation_abort(op);
	repo_operation_free(op);
	err_release(&err);
	return scratch_repo_teardown(&repo);
}

static struct pick pick_of(const struct object_id *commit, const struct object_id *onto, bool revert, int mainline)
{
	struct pick p = { .r = repo, .pool = pool, .commit = commit_lookup(pool, commit), .revert = revert, .onto = onto,
			  .settings = &settings };

	MUST(commit_parse_node(pool, p.commit, &err));
	MUST(pick_choose_parent(&p, mainline, &err));
	return p;
}

static void assert_result(struct pick p, const char *text, bool becomes_empty)
{
	struct object_id expect = tree_with(text);
	struct pick_result result;

	MUST(pick_run(&p, &result, &err));
	assert_true(result.merge.clean);
	assert_true(oid_eq(&result.merge.tree, &expect));
	assert_int_equal(result.becomes_empty, becomes_empty);
	pick_result_release(&result);
}

/* ---- the change ---- */

static void the_change_is_applied(void **state UNUSED)
{
	struct object_id onto = tree_with("one\n2\n3\n4\n5\n"), again = tree_with("1\n2\n3\n4\nfive\n");

	assert_result(pick_of(&first, &onto, false, 0), "one\n2\n3\n4\nfive\n", false);
	assert_result(pick_of(&first, &again, false, 0), "1\n2\n3\n4\nfive\n", true);
}

static void the_change_is_taken_back(void **state UNUSED)
{
	struct object_id onto = tree_with("one\n2\n3\n4\nfive\n");

	assert_result(pick_of(&first, &onto, true, 0), "one\n2\n3\n4\n5\n", false);
}

static void a_merge_has_two_sides(void **state UNUSED)
{
	struct object_id onto = tree_with("1\n2\n3\n4\n5\n"), all = tree_with("one\n2\n3\n4\nfive\n");

	assert_result(pick_of(&merge, &onto, false, 1), "one\n2\n3\n4\n5\n", false);
	assert_result(pick_of(&merge, &onto, false, 2), "1\n2\n3\n4\nfive\n", false);
	assert_result(pick_of(&merge, &all, true, 1), "1\n2\n3\n4\nfive\n", false);
}

static void a_root_brings_all(void **state UNUSED)
{
	struct object_id none = repo->algo->empty_tree;

	assert_result(pick_of(&base, &none, false, 0), "1\n2\n3\n4\n5\n", false);
	assert_result(pick_of(&base, &none, false, 1), "1\n2\n3\n4\n5\n", false);
}

static void an_empty_change_is_known(void **state UNUSED)
{
	struct object_id onto = tree_with("x\n"), empty = commit_with("1\n2\n3\n4\n5\n", &base, NULL, "empty\n");
	struct pick p = pick_of(&empty, &onto, false, 0);
	struct pick_result result;

	MUST(pick_run(&p, &result, &err));
	assert_true(result.was_empty);
	assert_true(result.becomes_empty);
	pick_result_release(&result);
}

static void conflicts_have_labels(void **state UNUSED)
{
	struct object_id onto = tree_with("1\n2\n3\n4\n5 !\n");
	struct pick p = pick_of(&first, &onto, false, 0);
	struct strbuf text = STRBUF_INIT;
	struct pick_result result;
	struct object_id expect;

	MUST(pick_run(&p, &result, &err));
	assert_false(result.merge.clean);
	assert_false(result.becomes_empty);
	assert_int_equal(result.merge.stages.nr, 3);
	strbuf_addf(&text, "1\n2\n3\n4\n<<<<<<< HEAD\n5 !\n=======\nfive\n>>>>>>> %.7s (first)\n", oid_hex(&first));
	expect = tree_with(text.buf);
	assert_true(oid_eq(&result.merge.tree, &expect));
	strbuf_release(&text);
	pick_result_release(&result);
}

/* ---- the parent ---- */

static void assert_refused(const struct object_id *commit, int mainline, const char *message)
{
	struct pick p = { .r = repo, .pool = pool, .commit = commit_lookup(pool, commit) };

	MUST(commit_parse_node(pool, p.commit, &err));
	assert_int_equal(pick_choose_parent(&p, mainline, &err), ERR_INVALID);
	assert_non_null(strstr(err_message(&err), message));
	err_release(&err);
}

static void the_parent_is_checked(void **state UNUSED)
{
	assert_refused(&merge, 0, " is a merge but no -m option was given.");
	assert_refused(&merge, 3, " does not have parent 3");
	assert_refused(&first, 2, " does not have parent 2");
}

/* ---- the message ---- */

static void assert_message(struct pick p, struct pick_message_options o, const char *expect)
{
	struct strbuf out = STRBUF_INIT;

	o.comment_char = '#';
	MUST(pick_message(&p, &o, &out, &err));
	assert_string_equal(out.buf, expect);
	strbuf_release(&out);
}

static void the_message_is_kept(void **state UNUSED)
{
	struct object_id with_trailer = commit_with("x\n", &base, NULL, "s\n\nb\n\nSigned-off-by: A <a@x>\n");
	const struct pick_message_options origin = { .record_origin = true }, signoff = { .signoff = "Signed-off-by: C <c@x>" };
	char expect[200];

	assert_message(pick_of(&first, NULL, false, 0), (struct pick_message_options){ 0 }, "first\n\nbody\n");
	snprintf(expect, sizeof(expect), "first\n\nbody\n\n(cherry picked from commit %s)\n", oid_hex(&first));
	assert_message(pick_of(&first, NULL, false, 0), origin, expect);
	snprintf(expect, sizeof(expect), "s\n\nb\n\nSigned-off-by: A <a@x>\n(cherry picked from commit %s)\n",
		 oid_hex(&with_trailer));
	assert_message(pick_of(&with_trailer, NULL, false, 0), origin, expect);
	assert_message(pick_of(&second, NULL, false, 0), signoff, "second\n\nSigned-off-by: C <c@x>\n");
}

static void a_revert_names_the_commit(void **state UNUSED)
{
	struct object_id revert = commit_with("x\n", &base, NULL, "Revert \"s\"\n\nb\n");
	struct object_id twice = commit_with("x\n", &base, NULL, "Revert \"Revert \"s\"\"\n\nb\n");
	char expect[300];

	snprintf(expect, sizeof(expect), "Revert \"first\"\n\nThis reverts commit %s.\n", oid_hex(&first));
	assert_message(pick_of(&first, NULL, true, 0), (struct pick_message_options){ 0 }, expect);
	snprintf(expect, sizeof(expect), "Reapply \"s\"\n\nThis reverts commit %s.\n", oid_hex(&revert));
	assert_message(pick_of(&revert, NULL, true, 0), (struct pick_message_options){ 0 }, expect);
	snprintf(expect, sizeof(expect), "Revert \"Revert \"Revert \"s\"\"\"\n\nThis reverts commit %s.\n", oid_hex(&twice));
	assert_message(pick_of(&twice, NULL, true, 0), (struct pick_message_options){ 0 }, expect);
	snprintf(expect, sizeof(expect), "Revert \"Merge\"\n\nThis reverts commit %s, reversing\nchanges made to ", oid_hex(&merge));
	strcat(expect, oid_hex(&second));
	strcat(expect, ".\n");
	assert_message(pick_of(&merge, NULL, true, 2), (struct pick_message_options){ 0 }, expect);
}

static void a_revert_by_reference(void **state UNUSED)
{
	const struct pick_message_options o = { .reference = true };
	char expect[300];

	snprintf(expect, sizeof(expect), "# *** SAY WHY WE ARE REVERTING ON THE TITLE LINE ***\n\n"
		 "This reverts commit %.7s (first, 2001-02-03).\n", oid_hex(&first));
	assert_message(pick_of(&first, NULL, true, 0), o, expect);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(the_change_is_applied),
		T(the_change_is_taken_back),
		T(a_merge_has_two_sides),
		T(a_root_brings_all),
		T(an_empty_change_is_known),
		T(conflicts_have_labels),
		T(the_parent_is_checked),
		T(the_message_is_kept),
		T(a_revert_names_the_commit),
		T(a_revert_by_reference),
#undef T
	};

	return cmocka_run_group_tests_name("sequence-pick", tests, NULL, NULL);
}
