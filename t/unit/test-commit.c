/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making a commit and moving HEAD to it: the text, the signature, each kind of HEAD, and that all of it happens
 * with the operation or not at all.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "t/fault.h"
#include "commit/commit.h"
#include "fs/file.h"
#include "t/unit/repo-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)
#define A "A <a@example.com> 1 +0000"
#define C "C <c@example.com> 2 +0100"

static struct repository *repo;
static struct err err;
static int warnings;

static void open_repository(void)
{
	MUST(repo_open_at(&repo, at(dir, "r/.git"), at(dir, "r"), &err));
}

static int setup(void **state UNUSED)
{
	scratch_repo_setup(&repo);
	err_init(&err);
	warnings = 0;
	return 0;
}

static int teardown(void **state UNUSED)
{
	err_release(&err);
	return scratch_repo_teardown(&repo);
}

static void count_warning(void)
{
	warnings++;
}

/* ---- helpers ---- */

static struct new_commit new_commit(const char *message, const struct object_id *parents, size_t nr)
{
	return (struct new_commit){
		.draft = { .tree = repo->algo->empty_tree, .parents = parents, .nr_parents = nr,
			   .author = A, .committer = C, .message = message, .message_len = strlen(message) },
		.warn_not_utf8 = count_warning,
	};
}

/* Create it in an operation of its own. */
static int create(const struct new_commit *c, struct object_id *out)
{
	struct repo_operation *op = repo_operation_begin(repo);

	return repo_operation_end(op, commit_create(op, c, out, &err), &err);
}

static void assert_text(const struct object_id *oid, const char *expect)
{
	struct object_buf buf = OBJECT_BUF_INIT;

	MUST(odb_read_type(repo->odb, oid, OBJ_COMMIT, &buf, &err));
	assert_int_equal(buf.size, strlen(expect));
	assert_memory_equal(buf.data, expect, buf.size);
	object_buf_release(&buf);
}

static struct object_id head_value(void)
{
	struct object_id oid = repo->algo->null_oid;

	if (ref_resolve(repo->refs, "HEAD", &oid, NULL, NULL, NULL) < 0)
		oid = repo->algo->null_oid;
	return oid;
}

/* A commit on top of `parent` (NULL: none), and HEAD from `from` to it. */
static int commit_on(const struct object_id *parent, const struct object_id *from, struct object_id *out)
{
	struct repo_operation *op = repo_operation_begin(repo);
	struct new_commit c = new_commit("subject\n\nbody\n", parent, parent ? 1 : 0);
	struct strbuf log = STRBUF_INIT;
	struct head_move m = { .to = out, .from = from, .committer = C };
	int rc = commit_create(op, &c, out, &err);

	commit_reflog_message(&log, "pick", c.draft.message);
	m.reflog = log.buf;
	if (!rc)
		rc = commit_advance_head(op, &m, NULL, &err);
	rc = repo_operation_end(op, rc, &err);
	strbuf_release(&log);
	return rc;
}

static void assert_last_line(const char *log, const struct object_id *from, const struct object_id *to)
{
	char *text = read_text(at(dir, "r/.git/logs/%s", log));
	char *line = xstrfmt("%s %s " C "\tpick: subject\n", oid_hex(from), oid_hex(to));

	assert_non_null(text);
	if (!ends_with(text, line))
		fail_msg("logs/%s: not '%s' but:\n%s", log, line, text);
	free(line);
	free(text);
}

/* ---- the text ---- */

#define EMPTY_TREE "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"

static void every_part_is_written(void **state UNUSED)
{
	struct object_id first, second, merge;
	struct new_commit c = new_commit("first\n", NULL, 0);
	char *expect;

	MUST(create(&c, &first));
	assert_text(&first, EMPTY_TREE "author " A "\ncommitter " C "\n\nfirst\n");
	c = new_commit("second\n", &first, 1);
	MUST(create(&c, &second));
	c = new_commit("merge\n", (struct object_id[]){ first, second }, 2);
	c.draft.encoding = "ISO-8859-1";
	c.draft.extra_headers = "mergetag object x\n tag\n";
	MUST(create(&c, &merge));
	expect = xstrfmt(EMPTY_TREE "parent %s\nparent %s\nauthor " A "\ncommitter " C "\nencoding ISO-8859-1\n"
			 "mergetag object x\n tag\n\nmerge\n", oid_hex(&first), oid_hex(&second));
	assert_text(&merge, expect);
	assert_int_equal(warnings, 0);
	free(expect);
}

static void latin1_becomes_utf8(void **state UNUSED)
{
	struct new_commit c = new_commit("caf\xe9 \xc3\xa9\n", NULL, 0);
	struct object_id oid;

	MUST(create(&c, &oid));
	assert_text(&oid, EMPTY_TREE "author " A "\ncommitter " C "\n\ncaf\xc3\xa9 \xc3\xa9\n");
	assert_int_equal(warnings, 1);
	c.draft.encoding = "ISO-8859-1";
	MUST(create(&c, &oid));
	assert_text(&oid, EMPTY_TREE "author " A "\ncommitter " C "\nencoding ISO-8859-1\n\ncaf\xe9 \xc3\xa9\n");
	c = new_commit("m\n", NULL, 0);
	c.draft.author = "\xe9 <e> 1 +0000";
	c.warn_not_utf8 = NULL;
	MUST(create(&c, &oid));
	assert_text(&oid, EMPTY_TREE "author \xc3\xa9 <e> 1 +0000\ncommitter " C "\n\nm\n");
	assert_int_equal(warnings, 1);
}

static void a_nul_is_refused(void **state UNUSED)
{
	struct new_commit c = new_commit("a", NULL, 0);
	struct object_id oid = repo->algo->null_oid;
	char *before = tree_of(dir), *after;

	c.draft.message = "a\0b";
	c.draft.message_len = 3;
	assert_int_equal(create(&c, &oid), ERR_GENERIC);
	assert_string_equal(err_message(&err), "a NUL byte in commit log message not allowed");
	assert_true(oid_is_null(&oid));
	after = tree_of(dir);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void use_signer(const char *script)
{
	struct fsync_policy none = { .components = 0 };
	struct repo_operation *op = repo_operation_begin_outside(&none);
	struct config_edit e = { .key = "gpg.program", .value = at(dir, "signer") };
	int rc;

	write_text(at(dir, "signer"), script);
	if (chmod(at(dir, "signer"), 0755) < 0)
		fail_msg("chmod");
	rc = config_file_edit(at(dir, "r/.git/config"), &e, repo_operation_batch(op), &err);
	MUST(repo_operation_end(op, rc, &err));
	repo_free(repo);
	open_repository();
}

static void signed_or_not_at_all(void **state UNUSED)
{
	struct new_commit c = new_commit("m\n", NULL, 0);
	struct object_id oid = repo->algo->null_oid;

	c.sign_key = "key";
	c.draft.gpgsig = "of another commit";
	use_signer("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\nprintf 'a\\nb\\n'\n");
	MUST(create(&c, &oid));
	assert_text(&oid, EMPTY_TREE "author " A "\ncommitter " C "\ngpgsig a\n b\n\nm\n");
	c.sign_key = NULL;
	MUST(create(&c, &oid));
	assert_text(&oid, EMPTY_TREE "author " A "\ncommitter " C "\n\nm\n");
	use_signer("#!/bin/sh\ncat >/dev/null\nexit 1\n");
	c.sign_key = "";
	setenv("GIT_COMMITTER_NAME", "C", 1);
	setenv("GIT_COMMITTER_EMAIL", "c@example.com", 1);
	c.draft.message = "other";
	c.draft.message_len = 5;
	oid = repo->algo->null_oid;
	assert_int_equal(create(&c, &oid), ERR_GENERIC);
	assert_true(oid_is_null(&oid));
}

/* ---- HEAD ---- */

static void unborn_branch_detached(void **state UNUSED)
{
	struct object_id null = repo->algo->null_oid, one, two, three, now;
	char *text;

	/* no commit yet */
	MUST(commit_on(NULL, &null, &one));
	now = head_value();
	assert_true(oid_eq(&now, &one));
	assert_last_line("HEAD", &null, &one);
	assert_last_line("refs/heads/main", &null, &one);
	/* a branch: HEAD stays symbolic */
	MUST(commit_on(&one, &one, &two));
	assert_last_line("HEAD", &one, &two);
	assert_last_line("refs/heads/main", &one, &two);
	text = read_text(at(dir, "r/.git/HEAD"));
	assert_string_equal(text, "ref: refs/heads/main\n");
	free(text);
	/* detached: the branch stays */
	text = xstrfmt("%s\n", oid_hex(&one));
	write_text(at(dir, "r/.git/HEAD"), text);
	free(text);
	MUST(commit_on(&one, &one, &three));
	now = head_value();
	assert_true(oid_eq(&now, &three));
	assert_last_line("HEAD", &one, &three);
	assert_last_line("refs/heads/main", &one, &two);
}

static void another_value_is_a_conflict(void **state UNUSED)
{
	struct object_id null = repo->algo->null_oid, one, two, new, now;
	char *before, *after;

	MUST(commit_on(NULL, &null, &one));
	MUST(commit_on(&one, &one, &two));
	before = tree_of(at(dir, "r"));
	assert_int_equal(commit_on(&two, &one, &new), ERR_CONFLICT);
	err_release(&err);
	/* not unborn any more */
	assert_int_equal(commit_on(&two, &null, &new), ERR_CONFLICT);
	now = head_value();
	assert_true(oid_eq(&now, &two));
	after = tree_of(at(dir, "r")); /* no object, no lock, no log entry */
	assert_string_equal(before, after);
	free(before);
	free(after);
}

/* Refs that change together with HEAD, queued before or after it: one transaction. */
static void joins_the_refs_of_the_operation(void **state UNUSED)
{
	struct object_id null = repo->algo->null_oid, oid, now;
	struct repo_operation *op = repo_operation_begin(repo);
	struct new_commit c = new_commit("m\n", NULL, 0);
	struct head_move m = { .to = &oid, .from = &null, .committer = C, .reflog = "log" };
	struct ref_transaction *t = repo_operation_new_refs(op, 0), *same = NULL;

	MUST(commit_create(op, &c, &oid, &err));
	MUST(ref_transaction_update(t, "refs/heads/before", &oid, &null, 0, NULL, &err));
	MUST(commit_advance_head(op, &m, &same, &err));
	assert_ptr_equal(t, same);
	MUST(ref_transaction_update(same, "refs/heads/after", &oid, &null, 0, NULL, &err));
	MUST(repo_operation_end(op, 0, &err));
	now = head_value();
	assert_true(oid_eq(&now, &oid));
	MUST(ref_resolve(repo->refs, "refs/heads/before", &now, NULL, NULL, &err));
	MUST(ref_resolve(repo->refs, "refs/heads/after", &now, NULL, NULL, &err));
}

/* ---- the operation ---- */

/* Several commits, the last one becomes HEAD: one flush, and the commits have names before HEAD (D4). */
static void one_flush_for_several(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	struct object_id null = repo->algo->null_oid, one, two;
	struct repo_operation *op;
	struct new_commit c = new_commit("one\n", NULL, 0);
	struct head_move m = { .to = &two, .from = &null, .committer = C, .reflog = "two" };
	const char *calls, *ref;

	pretend_fs(FS_JOURNAL);
	fault_install(&plan);
	op = repo_operation_begin(repo);
	MUST(commit_create(op, &c, &one, &err));
	c = new_commit("two\n", &one, 1);
	MUST(commit_create(op, &c, &two, &err));
	MUST(commit_advance_head(op, &m, NULL, &err));
	assert_null(strstr(fault_text(), "rename ")); /* nothing is visible yet */
	MUST(repo_operation_end(op, 0, &err));
	calls = fault_text();
	assert_non_null(strstr(calls, "rename "));
	ref = strstr(strstr(calls, "rename "), "/refs/heads/main\n");
	assert_non_null(ref);
	assert_null(strstr(ref, "/objects/")); /* the objects have their names */
	assert_non_null(strstr(calls, "fsync "));
	assert_null(strstr(strstr(calls, "fsync ") + 1, "\nfsync "));
	fault_remove();
}

static void nothing_stays_of_an_abort(void **state UNUSED)
{
	struct object_id null = repo->algo->null_oid, oid;
	struct new_commit c = new_commit("m\n", NULL, 0);
	struct head_move m = { .to = &oid, .from = &null, .committer = C, .reflog = "log" };
	char *before = tree_of(dir), *after;
	struct repo_operation *op = repo_operation_begin(repo);

	MUST(commit_create(op, &c, &oid, &err));
	MUST(commit_advance_head(op, &m, NULL, &err));
	assert_int_equal(repo_operation_end(op, ERR_ABORTED, &err), ERR_ABORTED);
	after = tree_of(dir);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

/* ---- faults ---- */

static bool has_commit(const struct object_id *oid)
{
	return !oid_is_null(oid) && odb_has(repo->odb, oid);
}

static void check_outcome(size_t n, int rc, const struct object_id *before, const struct object_id *new)
{
	struct object_id now;

	repo_free(repo); /* what the next command sees */
	open_repository();
	now = head_value();
	if (!oid_eq(&now, before) && (!oid_eq(&now, new) || !has_commit(new)))
		fail_msg("call %zu: HEAD is %s", n, oid_hex(&now));
	if (!rc && !oid_eq(&now, new))
		fail_msg("call %zu: succeeded, but HEAD has not moved", n);
	if (rc && rc != ERR_UNCERTAIN && (!oid_eq(&now, before) || has_commit(new)))
		fail_msg("call %zu: published, but: %s", n, err_message(&err));
}

/* On an unborn branch, and on one with a commit. */
static bool fail_nth_call(size_t n, int sys_errno, bool unborn)
{
	const struct object_id null = repo->algo->null_oid;
	struct object_id before = null, new = null;
	bool hit;
	int rc;

	if (!unborn)
		MUST(commit_on(NULL, &null, &before));
	fault_install_failure(n, sys_errno, false);
	rc = commit_on(unborn ? NULL : &before, &before, &new);
	hit = fault_hit();
	fault_remove();
	assert_null(repo->operation);
	check_outcome(n, rc, &before, &new);
	return hit;
}

static void every_call_fails(void **state)
{
	for (int kind = 0; kind < 4; kind++) {
		bool hit = true;

		for (size_t n = 1; hit; n++) {
			hit = fail_nth_call(n, kind & 1 ? ENOSPC : EIO, kind & 2);
			teardown(state);
			setup(state);
		}
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(every_part_is_written),
		T(latin1_becomes_utf8),
		T(a_nul_is_refused),
		T(signed_or_not_at_all),
		T(unborn_branch_detached),
		T(another_value_is_a_conflict),
		T(joins_the_refs_of_the_operation),
		T(one_flush_for_several),
		T(nothing_stays_of_an_abort),
		T(every_call_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
