/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of operations in progress: when each is named, what a failure and an abort leave, what a
 * reader takes from a file that anything may have written.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "t/fault.h"
#include "fs/file.h"
#include "operation/operation.h"
#include "repo/state.h"
#include "t/unit/repo-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

static struct repository *repo;
static struct err err;
static struct object_id blob;

static int setup(void **state UNUSED)
{
	scratch_repo_setup(&repo);
	err_init(&err);
	return 0;
}

static int teardown(void **state UNUSED)
{
	err_release(&err);
	return scratch_repo_teardown(&repo);
}

/* ---- one operation that changes all ---- */

static int write_state(struct repo_operation *op, enum repo_state_file f, const char *text)
{
	return repo_operation_write_state(op, f, text, strlen(text), &err);
}

/* An object, a ref, the index, files that begin an operation, one that goes on, and ones that end. */
static int change_all(struct repo_operation *op, struct index_state *ix)
{
	struct ref_transaction *t;
	char *head;
	int rc = repo_operation_open_objects(op, &err);

	if (!rc)
		rc = odb_write(repo->odb, OBJ_BLOB, "x", 1, &blob, &err);
	if (!rc)
		rc = repo_operation_begin_refs(op, 0, &t, &err);
	if (!rc)
		rc = ref_transaction_update(t, "refs/tags/t", &blob, NULL, 0, "m", &err);
	if (!rc)
		rc = repo_operation_lock_index(op, &err);
	if (rc)
		return rc;
	repo_operation_set_index(op, ix);
	head = xstrfmt("%s\n", oid_hex(&blob));
	if ((rc = write_state(op, STATE_MERGE_HEAD, head)) || (rc = write_state(op, STATE_MERGE_MSG, "hi\n")) ||
	    (rc = write_state(op, STATE_REBASE_MERGE_HEAD_NAME, "refs/heads/main\n")) ||
	    (rc = write_state(op, STATE_REBASE_MERGE_TODO, "pick\n")) ||
	    (rc = write_state(op, STATE_SEQUENCER_TODO, "pick\n")) ||
	    (rc = repo_operation_remove_state(op, STATE_CHERRY_PICK_HEAD, &err)))
		(void)rc;
	else
		rc = repo_operation_remove_state(op, STATE_REBASE_APPLY, &err);
	free(head);
	return rc;
}

static void prepare_files(void)
{
	if (mkdir(at(dir, "r/.git/rebase-apply"), 0777) < 0 || mkdir(at(dir, "r/.git/sequencer"), 0777) < 0)
		fail_msg("mkdir");
	write_text(at(dir, "r/.git/rebase-apply/patch"), "p");
	write_text(at(dir, "r/.git/rebase-apply/onto"), "o");
	write_text(at(dir, "r/.git/sequencer/todo"), "pick one\n");
	write_text(at(dir, "r/.git/CHERRY_PICK_HEAD"), "x");
}

static int run_all(bool end)
{
	struct repo_operation *op = repo_operation_begin(repo);
	struct index_state ix;
	int rc;

	index_init(&ix, repo->algo);
	rc = change_all(op, &ix);
	rc = repo_operation_end(op, rc ? rc : end ? 0 : ERR_ABORTED, &err);
	index_release(&ix);
	return rc;
}

/* cmocka cuts long messages. */
static void fail_before(const char *log, const char *a, const char *b)
{
	fprintf(stderr, "%s\n", log);
	fail_msg("not '%s' before '%s'", a, b);
}

static void assert_before(const char *log, const char *a, const char *b)
{
	const char *x = strstr(log, a), *y = strstr(log, b);

	if (!x || !y || x > y)
		fail_before(log, a, b);
}

static size_t nr_lines(const char *log, const char *word)
{
	size_t nr = 0;

	for (const char *p = log; (p = strstr(p, word)); p++)
		nr += p == log || p[-1] == '\n';
	return nr;
}

static void named_in_order(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	const char *names;
	char *text;

	pretend_fs(FS_JOURNAL);
	prepare_files();
	fault_install(&plan);
	MUST(run_all(true));
	names = strstr(fault_text(), "rename ");
	assert_non_null(names);
	/* D4, P7: what begins comes after the objects, before refs and index */
	assert_before(names, "/objects/", "/MERGE_HEAD\n");
	assert_before(names, "/MERGE_HEAD\n", "/MERGE_MSG\n"); /* in the order of staging */
	assert_before(names, "/MERGE_MSG\n", "/rebase-merge/head-name\n");
	assert_before(names, "/rebase-merge/head-name\n", "/rebase-merge/git-rebase-todo\n");
	assert_before(names, "/rebase-merge/git-rebase-todo\n", "/refs/tags/t\n"); /* a new list begins something */
	/* what goes on, and what ends, after the refs and before the index */
	assert_before(names, "/refs/tags/t\n", "/sequencer/todo\n");
	assert_before(names, "/sequencer/todo\n", "unlink ");
	assert_before(names, "/CHERRY_PICK_HEAD\n", "/.git/index\n");
	assert_before(names, "/rebase-apply/patch\n", "\nrmdir");
	assert_before(names, "\nrmdir", "/.git/index\n");
	assert_int_equal(nr_lines(fault_text(), "fsync ") + nr_lines(fault_text(), "syncfs "), 1); /* P3 */
	fault_remove();
	text = read_text(at(dir, "r/.git/sequencer/todo"));
	assert_string_equal(text, "pick\n");
	free(text);
	assert_false(repo_state_exists(repo, STATE_REBASE_APPLY));
	assert_false(repo_state_exists(repo, STATE_CHERRY_PICK_HEAD));
	assert_true(repo_state_exists(repo, STATE_REBASE_MERGE));
}

/* Where no journal orders names, the name of MERGE_HEAD is on disk before the index has its new one. */
static void flushed_before_the_index(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	const char *names;

	pretend_fs(FS_LOCAL);
	prepare_files();
	fault_install(&plan);
	MUST(run_all(true));
	names = strstr(fault_text(), "/MERGE_HEAD\n");
	assert_non_null(names);
	assert_before(names, "\nsyncfs ", "/sequencer/todo\n");
	assert_before(names, "\nsyncfs ", "/.git/index\n");
	fault_remove();
}

/* The same without a ref between the two. */
static void flushed_before_the_index_alone(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	struct repo_operation *op = repo_operation_begin(repo);
	struct index_state ix;
	const char *names;

	pretend_fs(FS_LOCAL);
	index_init(&ix, repo->algo);
	fault_install(&plan);
	MUST(repo_operation_lock_index(op, &err));
	repo_operation_set_index(op, &ix);
	MUST(repo_operation_end(op, write_state(op, STATE_MERGE_MODE, "no-ff"), &err));
	names = strstr(fault_text(), "/MERGE_MODE\n");
	assert_non_null(names);
	assert_before(names, "\nsyncfs ", "/.git/index\n");
	fault_remove();
	index_release(&ix);
}

/* A file that is not of the kind that the table says is not ours. */
static void removes_only_its_kind(void **state UNUSED)
{
	struct repo_operation *op = repo_operation_begin(repo);

	write_text(at(dir, "r/.git/MERGE_HEAD/x"), "x");
	write_text(at(dir, "r/.git/rebase-apply"), "x");
	MUST(repo_operation_remove_state(op, STATE_MERGE_HEAD, &err));
	MUST(repo_operation_end(op, repo_operation_remove_state(op, STATE_REBASE_APPLY, &err), &err));
	assert_true(file_exists(at(dir, "r/.git/MERGE_HEAD/x")));
	assert_true(file_exists(at(dir, "r/.git/rebase-apply")));
}

static void abort_leaves_nothing(void **state UNUSED)
{
	char *before, *after;

	prepare_files();
	before = tree_of(at(dir, "r/.git"));
	assert_int_equal(run_all(false), ERR_ABORTED);
	after = tree_of(at(dir, "r/.git"));
	assert_string_equal(before, after);
	free(before);
	free(after);
}

/* The removal of a temporary file that failed: that file stays. */
static bool failed_to_remove(void)
{
	const char *end = strstr(fault_text(), " (injected)"), *line = end;

	while (line && line > fault_text() && line[-1] != '\n')
		line--;
	return line && (starts_with(line, "unlink") || starts_with(line, "rmdir "));
}

/* Without the directories of objects, which stay. */
static char *tree_of_repo(void)
{
	char *tree = tree_of(at(dir, "r/.git")), *line;

	while ((line = strstr(tree, "d objects/"))) {
		char *next = strchr(line, '\n') + 1;

		memmove(line, next, strlen(next) + 1);
	}
	return tree;
}

/* Before the first name all is as it was; no lock stays; and a failure is never a success. */
static void every_call_fails_once(void **state)
{
	for (size_t n = 1;; n++) {
		struct fault_plan plan = FAULT_PLAN_INIT;
		char *before, *after;
		bool hit, removal;
		int rc;

		prepare_files();
		before = tree_of_repo();
		plan.fail_at = n;
		plan.fail_errno = EIO;
		fault_install(&plan);
		rc = run_all(true);
		hit = fault_hit();
		removal = failed_to_remove();
		fault_remove();
		after = tree_of_repo();
		if (!removal && strstr(after, ".lock"))
			fail_msg("call %zu: litter:\n%s", n, after);
		if (!removal && rc && rc != ERR_UNCERTAIN && strcmp(before, after) != 0)
			fail_msg("call %zu: changed, but: %s\n%s", n, err_message(&err), after);
		if (!rc && strstr(after, "rebase-apply/"))
			fail_msg("call %zu: a success, but:\n%s", n, after);
		free(before);
		free(after);
		teardown(state);
		setup(state);
		if (!hit)
			break;
	}
}

/* ---- readers ---- */

static void reads_what_is_there(void **state UNUSED)
{
	struct oid_array oids = OID_ARRAY_INIT;
	struct object_id oid;
	char *line;

	assert_null(repo_state_line(repo, STATE_BISECT_START));
	assert_false(repo_state_oid(repo, STATE_MERGE_HEAD, &oid));
	assert_int_equal(repo_state_oids(repo, STATE_MERGE_HEAD, &oids, NULL), ERR_NOT_FOUND);
	write_text(at(dir, "r/.git/BISECT_START"), "main \nx\n");
	line = repo_state_line(repo, STATE_BISECT_START);
	assert_string_equal(line, "main");
	free(line);
	write_text(at(dir, "r/.git/MERGE_HEAD"), "1111111111111111111111111111111111111111\n"
		   "2222222222222222222222222222222222222222\n");
	assert_true(repo_state_oid(repo, STATE_MERGE_HEAD, &oid));
	MUST(repo_state_oids(repo, STATE_MERGE_HEAD, &oids, &err));
	assert_int_equal(oids.nr, 2);
	write_text(at(dir, "r/.git/MERGE_HEAD"), "1111111111111111111111111111111111111111 x\n");
	assert_int_equal(repo_state_oids(repo, STATE_MERGE_HEAD, &oids, &err), ERR_CORRUPT);
	assert_string_equal(err_message(&err), "Corrupt MERGE_HEAD file (1111111111111111111111111111111111111111 x)");
	oid_array_clear(&oids);
}

static int count_oid(void *data, const struct object_id *oid UNUSED)
{
	++*(int *)data;
	return 0;
}

static void finds_names_that_are_words(void **state UNUSED)
{
	const char *hex = "1111111111111111111111111111111111111111";
	static const struct { const char *before, *after; int found; } cases[] = {
		{ "", "", 1 }, { "pick ", " x", 1 }, { "g", "", 0 }, { "", "g", 0 }, { "1", "", 0 }, { "x:", ":", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = xstrfmt("%s%s%s\n", cases[i].before, hex, cases[i].after);
		int nr = 0;

		assert_int_equal(repo_state_foreach_oid(repo->algo, text, count_oid, &nr), 0);
		assert_int_equal(nr, cases[i].found);
		free(text);
	}
}

static void ends_by_its_command(void **state UNUSED)
{
	static const char *const both[] = { "CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE",
					    "SQUASH_MSG", "AUTO_MERGE" };

	for (unsigned by = STATE_ENDS_BY_COMMIT; by <= STATE_ENDS_BY_SWITCH; by *= 2) {
		struct repo_operation *op = repo_operation_begin(repo);

		for (size_t i = 0; i < ARRAY_SIZE(both); i++)
			write_text(at(dir, "r/.git/%s", both[i]), "x");
		write_text(at(dir, "r/.git/MERGE_RR"), "x");
		write_text(at(dir, "r/.git/ORIG_HEAD"), "x");
		MUST(repo_operation_end(op, repo_operation_end_state(op, by, &err), &err));
		for (size_t i = 0; i < ARRAY_SIZE(both); i++)
			assert_false(file_exists(at(dir, "r/.git/%s", both[i])));
		assert_int_equal(repo_state_exists(repo, STATE_MERGE_RR), by == STATE_ENDS_BY_COMMIT);
		assert_true(repo_state_exists(repo, STATE_ORIG_HEAD));
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(named_in_order),
		T(flushed_before_the_index),
		T(flushed_before_the_index_alone),
		T(removes_only_its_kind),
		T(abort_leaves_nothing),
		T(every_call_fails_once),
		T(reads_what_is_there),
		T(finds_names_that_are_words),
		T(ends_by_its_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
