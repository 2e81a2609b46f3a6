/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ref transactions that go the loose way, when calls fail: for each call in turn, and in
 * the right order when none does. By packed-refs: test-refs-via-packed.c.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "t/fault.h"
#include "fs/file.h"
#include "refs/files/files-internal.h"
#include "refs/files/files.h"
#include "t/unit/pack-aux.h"
#include "t/unit/refs-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define OLD_LOG A " " A " x <y> 1 +0000\tbefore\n"

static struct object_id oid_a, oid_b, oid_c;
static const struct object_id *null_oid;
static struct ref_store *rs;
static char *fault_log;

/*
 *	HEAD -> main	loose, with logs	updated
 *	both		loose and packed	deleted
 *	packed		packed			deleted
 *	stays		packed			untouched
 *	new/deep	missing			made
 *	sym		missing			made, a symref: hence the loose way
 */
static void set_up_repo(void)
{
	struct ref_store_options o = { .backend = &files_ref_backend, .gitdir = "repo", .algo = hash_sha1 };

	ref_store_free(rs);
	assert_int_equal(remove_tree("repo", false, NULL), 0);
	aux_must("mkdir -p repo/objects repo/refs");
	write_text("repo/HEAD", "ref: refs/heads/main\n");
	write_text("repo/refs/heads/main", A "\n");
	write_text("repo/refs/heads/both", B "\n");
	write_text("repo/packed-refs", HEADER A " refs/heads/both\n" C " refs/heads/packed\n"
		   A " refs/heads/stays\n");
	write_text("repo/logs/HEAD", OLD_LOG);
	write_text("repo/logs/refs/heads/main", OLD_LOG);
	write_text("repo/logs/refs/heads/both", OLD_LOG);
	assert_int_equal(ref_store_open(&rs, &o, NULL), 0);
}

static int run(struct err *err)
{
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	int rc;

	rc = ref_transaction_update(t, "refs/heads/main", &oid_b, &oid_a, 0, "m", err);
	if (!rc)
		rc = ref_transaction_update(t, "refs/heads/both", null_oid, &oid_b, 0, "m", err);
	if (!rc)
		rc = ref_transaction_update(t, "refs/heads/packed", null_oid, &oid_c, 0, "m", err);
	if (!rc)
		rc = ref_transaction_update(t, "refs/heads/new/deep", &oid_c, null_oid, 0, "m", err);
	if (!rc)
		rc = ref_transaction_update_symref(t, "refs/heads/sym", "refs/heads/new/deep",
						   NULL, REF_NO_DEREF, NULL, err);
	rc = run_transaction(t, FS_JOURNAL, rc, err);
	ref_transaction_free(t);
	return rc;
}

static bool is_at(const char *name, const struct object_id *want)
{
	struct object_id oid;
	int rc = ref_resolve(rs, name, &oid, NULL, NULL, NULL);

	return want ? !rc && oid_eq(&oid, want) : rc == ERR_NOT_FOUND;
}

static bool text_is(const char *path, const char *want)
{
	struct strbuf buf = STRBUF_INIT;
	bool same = !read_file(&buf, path, 0, NULL) && !strcmp(buf.buf, want);

	strbuf_release(&buf);
	return same;
}

static void check_old(size_t n)
{
	if (!is_at("HEAD", &oid_a) || !is_at("refs/heads/both", &oid_b) ||
	    !is_at("refs/heads/packed", &oid_c) || !is_at("refs/heads/new/deep", NULL))
		fail_msg("call %zu: a ref has changed", n);
	if (!text_is("repo/logs/HEAD", OLD_LOG) || !text_is("repo/logs/refs/heads/main", OLD_LOG) ||
	    !text_is("repo/logs/refs/heads/both", OLD_LOG) ||
	    reflog_exists(rs, "refs/heads/new/deep"))
		fail_msg("call %zu: a log has changed", n);
	if (!is_at("refs/heads/sym", NULL))
		fail_msg("call %zu: the symref is there", n);
	if (is_directory("repo/refs/heads/new") || is_directory("repo/logs/refs/heads/new"))
		fail_msg("call %zu: a directory is left", n);
}

static void check_new(void)
{
	assert_true(is_at("HEAD", &oid_b));
	assert_true(is_at("refs/heads/both", NULL));
	assert_true(is_at("refs/heads/packed", NULL));
	assert_true(is_at("refs/heads/stays", &oid_a));
	assert_true(is_at("refs/heads/new/deep", &oid_c));
	assert_true(is_at("refs/heads/sym", &oid_c));
	assert_true(text_is("repo/logs/HEAD", OLD_LOG A " " B " " IDENT "\tm\n"));
	assert_false(reflog_exists(rs, "refs/heads/both"));
}

/* Published in part: each ref is the old or the new one, none is lost. */
static void check_either(size_t n)
{
	if (!(is_at("HEAD", &oid_a) || is_at("HEAD", &oid_b)) ||
	    !(is_at("refs/heads/both", &oid_b) || is_at("refs/heads/both", NULL)) ||
	    !(is_at("refs/heads/packed", &oid_c) || is_at("refs/heads/packed", NULL)) ||
	    !(is_at("refs/heads/new/deep", NULL) || is_at("refs/heads/new/deep", &oid_c)) ||
	    !is_at("refs/heads/stays", &oid_a))
		fail_msg("call %zu: a ref is neither old nor new", n);
}

static bool unlink_failed(void)
{
	const char *line = fault_log, *end;

	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (starts_with(line, "unlink ") && memmem(line, end - line, "(injected)", 10))
			return true;
	}
	return false;
}

static void sweep(int sys_errno, bool from_then_on)
{
	size_t n, clean = 0;

	for (n = 1; n < 1000; n++) {
		struct err err = ERR_INIT;
		bool hit;
		int rc;

		set_up_repo();
		fault_install_failure(n, sys_errno, from_then_on);
		rc = run(&err);
		hit = fault_hit();
		free(fault_log);
		fault_log = xstrdup(fault_text());
		fault_remove();
		/* A lock that cannot be removed is tried again at exit. */
		if (!unlink_failed())
			aux_must("test -z \"$(find repo -name '*.lock' -o -name 'packed-refs.new')\"");
		else
			aux_must("find repo \\( -name '*.lock' -o -name 'packed-refs.new' \\) -exec rm {} +");
		if (!hit) {
			assert_int_equal(rc, 0);
			check_new();
			assert_true(clean > 5);
			return;
		}
		if (!rc) {
			check_new(); /* a call that may fail */
		} else {
			assert_true(err.msg && *err.msg);
			if (rc == ERR_UNCERTAIN) {
				check_either(n);
			} else {
				check_old(n);
				clean++;
			}
		}
		err_release(&err);
	}
	fail_msg("no end");
}

static void io_errors(void **state UNUSED)
{
	sweep(EIO, false);
}

static void full_disk(void **state UNUSED)
{
	sweep(ENOSPC, true);
}

static void interrupted_calls(void **state UNUSED)
{
	size_t n;

	/* EINTR is no failure. */
	for (n = 1; n < 1000; n++) {
		struct fault_plan plan = FAULT_PLAN_INIT;
		struct err err = ERR_INIT;
		bool hit;

		set_up_repo();
		plan.fail_at = n;
		plan.fail_errno = EINTR;
		fault_install(&plan);
		if (run(&err) < 0)
			fail_msg("call %zu: %s", n, err_message(&err));
		hit = fault_hit();
		fault_remove();
		check_new();
		if (!hit)
			return;
	}
	fail_msg("no end");
}

/* The place of a line that begins with `text`. */
static const char *find(const char *all, const char *text)
{
	const char *at = strstr(all, text);

	if (!at)
		fail_msg("no '%s' in:\n%s", text, all);
	return at;
}

/*
 * D1: contents are awaited before names. D4: a log line goes before the ref that it
 * speaks of. D5: updates before deletions, packed-refs before the loose file, a symref
 * after what it leads to; and packed-refs.lock is held until the loose file is gone.
 */
static void order_of_calls(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	const char *log, *update, *symref, *packed, *loose, *unlock, *flush, *wait;
	char *text;

	set_up_repo();
	fault_install(&plan);
	assert_int_equal(run(NULL), 0);
	text = xstrdup(fault_text());
	fault_remove();
	update = find(text, "rename repo/refs/heads/main.lock");
	symref = find(text, "rename repo/refs/heads/sym.lock");
	packed = find(text, "rename repo/packed-refs.new");
	unlock = find(text, "unlink repo/packed-refs.lock");
	loose = find(text, "unlink repo/refs/heads/both\n");
	log = find(text, "write repo/logs/HEAD");
	wait = find(text, "writeout_wait repo/refs/heads/main.lock");
	flush = find(text, "fsync ");
	if (!(log < update && wait < update && update < symref && symref < packed &&
	      packed < loose && loose < unlock && unlock < flush))
		fail_msg("order:\n%s", text);
	assert_null(strstr(flush + 1, "fsync "));
	free(text);
}

/*
 * At the first file that is removed, its directory becomes a link to a private one of another user.
 */
static void swap_directory(void *data, const char *line)
{
	bool *done = data;

	if (*done || strncmp(line, "unlink", 6))
		return;
	*done = true;
	assert_int_equal(rename("swap/log/d", "swap/moved"), 0);
	assert_int_equal(symlink("../../private", "swap/log/d"), 0);
}

static void directories_become_links(void **state UNUSED)
{
	bool done = false;
	struct fault_plan plan = FAULT_PLAN_INIT;

	aux_must("rm -rf swap private && mkdir -p swap/log/d private && "
		 "for i in 1 2 3 4; do echo $i >swap/log/d/$i; echo $i >private/$i; done");
	plan.before = swap_directory;
	plan.data = &done;
	fault_install(&plan);
	assert_int_equal(reflog_clear_dir("swap/log", NULL), ERR_EXISTS);
	fault_remove();
	assert_true(done);
	aux_must("test $(ls private | wc -l) = 4 && test $(ls swap/moved | wc -l) = 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_calls),
		cmocka_unit_test(io_errors),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(interrupted_calls),
		cmocka_unit_test(directories_become_links),
	};
	int rc;

	oid_from_hex(&oid_a, A, hash_sha1);
	oid_from_hex(&oid_b, B, hash_sha1);
	oid_from_hex(&oid_c, C, hash_sha1);
	null_oid = &hash_sha1->null_oid;
	aux_enter_dir();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	ref_store_free(rs);
	return rc;
}
