/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One operation of a repository: in which order its parts are staged and named, that a
 * failure gives up all of it, that nothing can be forgotten, and which calls each state allows.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "t/fault.h"
#include "fs/file.h"
#include "operation/operation.h"
#include "util/run-command.h"
#include "t/unit/repo-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

static struct repository *repo;
static struct err err;

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

/* ---- what must not be forgotten ---- */

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
	after = tree_of(dir); /* the operation may be used again: no lock is in its way */
	assert_string_equal(before, after);
	free(before);
	free(after);
	repo_operation_free(op);
}

/* ---- states: every call in every state ---- */

#define IN(s) (1u << OPERATION_##s)

static void call_open_objects(struct repo_operation *op)
{
	MUST(repo_operation_open_objects(op, &err));
}

static void call_lock_index(struct repo_operation *op)
{
	MUST(repo_operation_lock_index(op, &err));
}

static void call_set_index(struct repo_operation *op)
{
	repo_operation_set_index(op, NULL);
}

static void call_new_refs(struct repo_operation *op)
{
	repo_operation_new_refs(op, 0);
}

static void call_begin_refs(struct repo_operation *op)
{
	struct ref_transaction *t;

	MUST(repo_operation_begin_refs(op, 0, &t, &err));
}

static void call_remove_file(struct repo_operation *op)
{
	MUST(repo_operation_remove_file(op, at(dir, "r/.git/none"), &err));
}

static void call_add_written_file(struct repo_operation *op)
{
	MUST(repo_operation_add_written_file(op, at(dir, "r/.git/config"), &err));
}

static void call_show_objects(struct repo_operation *op)
{
	MUST(repo_operation_show_objects(op, &err));
}

static void call_prepare(struct repo_operation *op)
{
	MUST(repo_operation_prepare(op, &err));
}

static void call_publish(struct repo_operation *op)
{
	MUST(repo_operation_publish(op, &err));
}

static void call_commit(struct repo_operation *op)
{
	MUST(repo_operation_commit(op, &err));
}

#define FREED 20 /* no state */
#define ANY_STATE ((1u << OPERATION_STATE_NR) - 1)

/* The states that allow each call, and the state afterwards; STAYS: as before. */
#define STAYS OPERATION_STATE_NR
static const struct state_call {
	const char *name;
	void (*fn)(struct repo_operation *op);
	unsigned allowed;
	int then;
} state_calls[] = {
	{ "open_objects", call_open_objects, IN(OPEN) | IN(UNSEALED), STAYS },
	{ "lock_index", call_lock_index, IN(OPEN) | IN(UNSEALED), STAYS },
	{ "set_index", call_set_index, IN(OPEN) | IN(UNSEALED), STAYS },
	{ "new_refs", call_new_refs, IN(OPEN) | IN(UNSEALED), STAYS },
	{ "begin_refs", call_begin_refs, IN(OPEN) | IN(UNSEALED), STAYS },
	{ "remove_file", call_remove_file, IN(OPEN) | IN(UNSEALED), STAYS },
	{ "add_written_file", call_add_written_file, IN(OPEN) | IN(UNSEALED), STAYS },
	{ "show_objects", call_show_objects, IN(OPEN), OPERATION_UNSEALED },
	{ "show_objects", call_show_objects, ANY_STATE & ~(IN(OPEN) | IN(PREPARED)), STAYS },
	{ "prepare", call_prepare, IN(OPEN) | IN(UNSEALED) | IN(PREPARED), OPERATION_PREPARED },
	{ "publish", call_publish, IN(OPEN) | IN(UNSEALED) | IN(PREPARED), OPERATION_UNSEALED },
	{ "commit", call_commit, IN(OPEN) | IN(UNSEALED) | IN(PREPARED), OPERATION_OPEN },
	{ "abort", repo_operation_abort, IN(OPEN) | IN(UNSEALED) | IN(PREPARED), OPERATION_OPEN },
	{ "abort_and_tell", repo_operation_abort_and_tell, IN(OPEN) | IN(UNSEALED) | IN(PREPARED), OPERATION_OPEN },
	{ "free", repo_operation_free, IN(OPEN), FREED },
};

static const struct state_call *call_to_make;
static enum operation_state state_for_call;

/* In the child: exits with 10 and the state afterwards. */
static void make_call(void)
{
	struct repo_operation *op = repo->operation;

	assert_int_equal(repo_operation_state(op), state_for_call);
	call_to_make->fn(op);
	_exit(10 + (repo->operation ? (int)repo_operation_state(op) : FREED));
}

/* The place of the reference-transaction hook: it runs in STAGING, PUBLISHING and ABORTING. */
static int hook_makes_call(void *data, struct child_process *cp, const char *in UNUSED, size_t len UNUSED,
			   struct err *e UNUSED)
{
	if (!strcmp(cp->args.v[cp->args.nr - 1], data))
		make_call();
	return 0;
}

static void change_ref_with_hook(const char *hook_state)
{
	struct repo_operation *op = repo_operation_begin(repo);
	struct ref_transaction *t;
	struct object_id oid;

	write_text(at(dir, "r/.git/hooks/reference-transaction"), "#!/bin/sh\n");
	if (chmod(at(dir, "r/.git/hooks/reference-transaction"), 0755) < 0)
		fail_msg("chmod");
	repo->hook_runner = (struct repo_hook_runner){ hook_makes_call, (char *)hook_state };
	MUST(repo_operation_open_objects(op, &err));
	MUST(odb_write(repo->odb, OBJ_BLOB, "x", 1, &oid, &err));
	MUST(repo_operation_begin_refs(op, 0, &t, &err));
	MUST(ref_transaction_update(t, "refs/tags/t", &oid, NULL, 0, NULL, &err));
	MUST(repo_operation_prepare(op, &err));
	if (!strcmp(hook_state, "committed"))
		MUST(repo_operation_commit(op, &err));
	else
		repo_operation_abort(op);
}

static void call_in_state(void)
{
	switch (state_for_call) {
	case OPERATION_STAGING:
		change_ref_with_hook("prepared");
		break;
	case OPERATION_PUBLISHING:
		change_ref_with_hook("committed");
		break;
	case OPERATION_ABORTING:
		change_ref_with_hook("aborted");
		break;
	default:
		repo_operation_begin(repo);
		if (state_for_call == OPERATION_PREPARED)
			MUST(repo_operation_prepare(repo->operation, &err));
		if (state_for_call == OPERATION_UNSEALED)
			MUST(repo_operation_publish(repo->operation, &err));
		make_call();
	}
	_exit(1); /* the state was not reached */
}

/* The table says "allowed" for a state in one of the lines of that name. */
static bool is_allowed_elsewhere(const struct state_call *c, unsigned state)
{
	for (size_t i = 0; i < ARRAY_SIZE(state_calls); i++)
		if (!strcmp(state_calls[i].name, c->name) && state_calls[i].allowed & (1u << state))
			return true;
	return false;
}

static void each_call_in_each_state(void **st)
{
	for (size_t i = 0; i < ARRAY_SIZE(state_calls); i++) {
		for (unsigned state = 0; state < OPERATION_STATE_NR; state++) {
			const struct state_call *c = call_to_make = &state_calls[i];
			bool allowed = c->allowed & (1u << state);

			if (!allowed && is_allowed_elsewhere(c, state))
				continue;
			state_for_call = state;
			if (!allowed) {
				assert_bug(call_in_state, "() of an operation that is ");
			} else {
				int then = c->then == STAYS ? (int)state : c->then;
				int code = exit_code_of(call_in_state);

				if (code != 10 + then)
					fail_msg("%s in state %u: %d, not %d", c->name, state, code, 10 + then);
			}
			teardown(st);
			setup(st);
		}
	}
}

/* ---- states: failures ---- */

static void a_failure_leads_to_open(void **state UNUSED)
{
	struct repo_operation *op = repo_operation_begin(repo);
	struct object_id oid = { .algo = repo->algo->id };
	struct ref_transaction *t;

	/* STAGING fails: the object is missing. */
	oid.hash[0] = 1;
	MUST(repo_operation_begin_refs(op, 0, &t, &err));
	MUST(ref_transaction_update(t, "refs/tags/t", &oid, NULL, 0, NULL, &err));
	assert_true(repo_operation_prepare(op, &err) < 0);
	assert_int_equal(repo_operation_state(op), OPERATION_OPEN);
	/* PUBLISHING fails: a directory is in the place of the file. */
	write_text(at(dir, "r/.git/FILE"), "x");
	MUST(repo_operation_remove_file(op, at(dir, "r/.git/FILE"), &err));
	MUST(repo_operation_prepare(op, &err));
	unlink(at(dir, "r/.git/FILE"));
	write_text(at(dir, "r/.git/FILE/x"), "");
	assert_true(repo_operation_commit(op, &err) < 0);
	assert_int_equal(repo_operation_state(op), OPERATION_OPEN);
	repo_operation_free(op);
}

static void free_unsealed(void)
{
	struct repo_operation *op = repo_operation_begin(repo);

	MUST(repo_operation_publish(op, &err));
	repo_operation_free(op);
}

static void the_seal_is_not_forgotten(void **state UNUSED)
{
	struct repo_operation *op;

	assert_bug(free_unsealed, "an operation that is UNSEALED");
	/* unless the parent seals */
	op = with_object();
	MUST(repo_operation_end_unsealed(op, 0, &err));
	op = with_object();
	assert_int_equal(repo_operation_end_unsealed(op, ERR_IO, &err), ERR_IO);
	assert_null(repo->operation);
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
		T(each_call_in_each_state),
		T(a_failure_leads_to_open),
		T(the_seal_is_not_forgotten),
		T(published_in_order),
		T(every_call_fails_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
