/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One operation of a repository: in which order its parts are staged and named, that a
 * failure gives up all of it, and that nothing can be forgotten.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include "t/fault.h"
#include "fs/file.h"
#include "operation/operation.h"
#include "repo/init.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

static struct repository *repo;
static struct err err;

static int setup(void **state UNUSED)
{
	struct repo_init_result result = { .gitdir = NULL };
	struct repo_init_options o = { .template_dir = "", .initial_branch = "main" };

	scratch_setup(NULL);
	setenv("GIT_COMMITTER_NAME", "C", 1);
	setenv("GIT_COMMITTER_EMAIL", "c@example.com", 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("HOME", dir, 1);
	o.gitdir = at(dir, "r/.git");
	o.worktree = at(dir, "r");
	err_init(&err);
	MUST(repo_init(&o, &result, &err));
	free(result.gitdir);
	free(result.branch);
	MUST(repo_open_at(&repo, at(dir, "r/.git"), at(dir, "r"), &err));
	return 0;
}

static int teardown(void **state)
{
	if (repo && repo->operation) {
		repo_operation_abort(repo->operation);
		repo_operation_free(repo->operation);
	}
	repo_free(repo);
	repo = NULL;
	err_release(&err);
	return scratch_teardown(state);
}

/* ---- what must not be forgotten ---- */

static void assert_bug(void (*fn)(void), const char *text)
{
	const char *log = at(dir, "said");
	char *said;
	int status;
	pid_t pid;

	unlink(log);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		if (dup2(new_file(log, ""), 2) < 0)
			_exit(1);
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	said = read_text(log);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		fail_msg("no BUG \"%s\"", text);
	if (!strstr(said, text))
		fail_msg("not \"%s\" but: %s", text, said);
	free(said);
}

static struct repo_operation *with_object(void)
{
	struct repo_operation *op = repo_operation_begin(repo);
	struct object_id oid;

	MUST(repo_operation_open_objects(op, &err));
	MUST(odb_write(repo->odb, OBJ_BLOB, "x", 1, &oid, &err));
	return op;
}

static void begin_twice(void)
{
	repo_operation_begin(repo);
	repo_operation_begin(repo);
}

static void forget_objects(void)
{
	repo_operation_free(with_object());
}

static void forget_index(void)
{
	struct repo_operation *op = repo_operation_begin(repo);
	struct index_state ix;

	index_init(&ix, repo->algo);
	repo_operation_set_index(op, &ix);
	repo_operation_free(op);
}

static void forget_refs(void)
{
	struct repo_operation *op = repo_operation_begin(repo);

	repo_operation_new_refs(op, 0);
	repo_operation_free(op);
}

static void forget_file(void)
{
	struct repo_operation *op = repo_operation_begin(repo);

	MUST(repo_operation_remove_file(op, at(dir, "r/.git/HEAD"), &err));
	repo_operation_free(op);
}

static void forget_the_end(void)
{
	repo_operation_begin(repo);
	repo_free(repo);
}

static void end_with_unstaged_objects(void)
{
	with_object();
	odb_end_batch(repo->odb);
}

static void whatever_is_forgotten_is_a_bug(void **state UNUSED)
{
	assert_bug(begin_twice, "a second operation is begun");
	assert_bug(forget_objects, "new objects were never staged");
	assert_bug(end_with_unstaged_objects, "new objects were never staged");
	assert_bug(forget_index, "neither committed nor aborted");
	assert_bug(forget_refs, "neither committed nor aborted");
	assert_bug(forget_file, "neither committed nor aborted");
	assert_bug(forget_the_end, "while an operation is open");
}

static void nothing_is_forgotten_by_an_abort(void **state UNUSED)
{
	struct repo_operation *op = with_object();
	char *before, *after;

	before = tree_of(dir);
	MUST(repo_operation_lock_index(op, &err));
	MUST(repo_operation_remove_file(op, at(dir, "r/.git/HEAD"), &err));
	repo_operation_new_refs(op, 0);
	repo_operation_abort(op);
	repo_operation_free(op);
	after = tree_of(dir);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

/* ---- the order ---- */

/* Everything at once: an object, the index, a ref, a configuration file, a file that goes. */
static int change_everything(struct repo_operation *op, struct index_state *ix)
{
	static const char text[] = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
		"author A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nm\n";
	struct config_edit e = { .key = "a.b", .value = "c" };
	struct ref_transaction *t = NULL;
	struct object_id oid;
	int rc = repo_operation_begin_refs(op, 0, &t, &err);

	/* the other way round than they are published */
	if (!rc)
		rc = repo_operation_remove_file(op, at(dir, "r/.git/MERGE_HEAD"), &err);
	if (!rc)
		rc = repo_operation_lock_index(op, &err);
	if (!rc)
		repo_operation_set_index(op, ix);
	if (!rc)
		rc = config_file_edit(at(dir, "r/.git/config"), &e, repo_operation_batch(op), &err);
	if (!rc)
		rc = repo_operation_open_objects(op, &err);
	if (!rc)
		rc = odb_write(repo->odb, OBJ_TREE, "", 0, &oid, &err);
	if (!rc)
		rc = odb_write(repo->odb, OBJ_COMMIT, text, strlen(text), &oid, &err);
	if (!rc)
		rc = ref_transaction_update(t, "refs/heads/main", &oid, NULL, 0, "made", &err);
	return rc;
}

static int commit_everything(void)
{
	struct repo_operation *op = repo_operation_begin(repo);
	struct index_state ix;
	int rc;

	index_init(&ix, repo->algo);
	write_text(at(dir, "r/.git/MERGE_HEAD"), "x");
	rc = repo_operation_end(op, change_everything(op, &ix), &err);
	index_release(&ix);
	return rc;
}

static void assert_before(const char *log, const char *a, const char *b)
{
	const char *x = strstr(log, a), *y = strstr(log, b);

	if (!x || !y || x > y)
		fail_msg("not '%s' before '%s':\n%s", a, b, log);
}

static void published_in_order(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	char *index = xstrfmt("write %s", at(dir, "r/.git/index.lock"));
	const char *names;

	fault_install(&plan);
	MUST(commit_everything());
	names = fault_text();
	assert_before(names, "/config.lock", "/refs/heads/main.lock");
	assert_before(names, index, "/refs/heads/main.lock"); /* refs are prepared last */
	free(index);
	names = strstr(names, "rename ");
	assert_non_null(names);
	assert_before(names, "/objects/4b/", "/config\n");
	assert_before(names, "/config\n", "/refs/heads/main\n");
	assert_before(names, "/refs/heads/main\n", "unlink");
	assert_before(names, "/MERGE_HEAD\n", "/index\n");
	fault_remove();
}

/* ---- faults ---- */

/* It was a removal that failed: what it was about may stay. */
static bool failed_to_remove(void)
{
	const char *end = strstr(fault_text(), " (injected)"), *line = end;

	while (line && line > fault_text() && line[-1] != '\n')
		line--;
	return line && (starts_with(line, "unlink ") || starts_with(line, "rmdir "));
}

/* Before the first name everything is as it was; and no lock stays, in any case. */
static void every_call_fails_once(void **state)
{
	for (size_t n = 1;; n++) {
		struct fault_plan plan = FAULT_PLAN_INIT;
		char *tree;
		bool hit, removal;
		int rc;

		plan.fail_at = n;
		plan.fail_errno = EIO;
		fault_install(&plan);
		rc = commit_everything();
		hit = fault_hit();
		removal = failed_to_remove();
		fault_remove();
		assert_null(repo->operation);
		tree = tree_of(at(dir, "r"));
		if (!removal && (strstr(tree, ".lock") || strstr(tree, "tmp_")))
			fail_msg("call %zu: litter:\n%s", n, tree);
		if (rc && rc != ERR_UNCERTAIN &&
		    (strstr(tree, "objects/4b/") || strstr(tree, "refs/heads/main")))
			fail_msg("call %zu: published, but: %s\n%s", n, err_message(&err), tree);
		free(tree);
		teardown(state);
		setup(state);
		if (!hit)
			break;
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(whatever_is_forgotten_is_a_bug),
		T(nothing_is_forgotten_by_an_abort),
		T(published_in_order),
		T(every_call_fails_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
