/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transactions of so many refs that their values are written in threads, each before its lock is
 * taken (refs/files/values.c): the same promises as for few.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <sys/resource.h>
#include "t/fault.h"
#include "fs/file.h"
#include "fs/owner.h"
#include "refs/files/files.h"
#include "t/unit/pack-aux.h"
#include "t/unit/refs-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define NR 40
#define NEW_FROM 20 /* those before are there, loose, in refs/heads/old; those from here are new */

static struct object_id oid_a, oid_b;

static const char *name_of(size_t i)
{
	static char name[64];

	snprintf(name, sizeof(name), "refs/heads/%s/%02zu", i < NEW_FROM ? "old" : "new", i);
	return name;
}

static size_t open_before;

static void nothing_is_left_open(void)
{
	assert_int_equal(open_descriptors(), open_before);
}

static void set_up_repo(void)
{
	struct owner self;

	assert_int_equal(remove_tree("repo", false, NULL), 0);
	aux_must("mkdir -p repo/objects repo/refs");
	write_text("repo/HEAD", "ref: refs/heads/main\n");
	for (size_t i = 0; i < NEW_FROM; i++)
		write_text(at("repo", "%s", name_of(i)), A "\n");
	(void)owner_self(&self, "repo"); /* its file stays open */
	open_before = open_descriptors();
}

/* Some are deleted, some are only looked at: they need no value. */
static int run(enum fs_kind kind, struct err *err)
{
	struct ref_store *rs = open_files_store();
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	int rc = 0;

	for (size_t i = 0; i < NR && !rc; i++) {
		if (i == 3)
			rc = ref_transaction_update(t, name_of(i), &hash_sha1->null_oid, &oid_a, 0,
						    "m", err);
		else if (i == 4)
			rc = ref_transaction_verify(t, name_of(i), &oid_a, 0, err);
		else
			rc = ref_transaction_update(t, name_of(i), &oid_b,
						    i < NEW_FROM ? &oid_a : &hash_sha1->null_oid,
						    0, "m", err);
	}
	rc = run_transaction(t, kind, rc, err);
	ref_transaction_free(t);
	ref_store_free(rs);
	return rc;
}

enum verdict { OLD, NEW, TORN };

static bool is_at(struct ref_store *rs, size_t i, const struct object_id *want)
{
	struct stat st;

	return ref_is_at(rs, name_of(i), want) &&
	       (!want || (!stat(at("repo", "%s", name_of(i)), &st) && st.st_size == 41));
}

static enum verdict look(void)
{
	struct ref_store *rs = open_files_store();
	bool is_old = true, is_new = true;

	for (size_t i = 0; i < NR; i++) {
		is_old &= is_at(rs, i, i < NEW_FROM ? &oid_a : NULL);
		is_new &= is_at(rs, i, i == 3 ? NULL : i == 4 ? &oid_a : &oid_b);
	}
	ref_store_free(rs);
	return is_new ? NEW : is_old ? OLD : TORN;
}

static void no_lock_is_left(void)
{
	aux_must("test -z \"$(find repo -name '*.lock' -o -name '*.new')\"");
}

static void all_get_their_values(void **state UNUSED)
{
	static const enum fs_kind fs[] = { FS_FULL, FS_EACH, FS_BTRFS, FS_LOCAL, FS_JOURNAL };

	for (size_t k = 0; k < ARRAY_SIZE(fs); k++) {
		set_up_repo();
		assert_int_equal(run(fs[k], NULL), 0);
		assert_int_equal(look(), NEW);
		no_lock_is_left();
	}
}

static size_t count_before(const char *all, const char *end, const char *text)
{
	size_t nr = 0;

	while ((all = strstr(all, text)) && all < end) {
		nr++;
		all++;
	}
	return nr;
}

/* When the last lock is taken, all values are on their way. */
static void values_come_before_locks(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	const char *text, *last, *end;

	set_up_repo();
	fault_install(&plan);
	assert_int_equal(run(FS_JOURNAL, NULL), 0);
	text = fault_text();
	end = text + strlen(text);
	last = strstr(text, "link_fd repo/refs/heads/old/19.lock");
	assert_non_null(last);
	assert_int_equal(count_before(text, last, "writeout_start "), NR - 2);
	/* and the record */
	assert_int_equal(count_before(text, end, "writeout_start "), NR - 2 + 1);
	assert_int_equal(count_before(text, end, "writeout_wait "), NR - 2 + 1);
	assert_int_equal(count_before(text, end, "fsync "), 1);
	assert_int_equal(count_before(text, end, "link_fd repo/refs/heads/"), NR);
	fault_remove();
}

static void a_refused_one_leaves_nothing(void **state UNUSED)
{
	struct err err = ERR_INIT;

	set_up_repo();
	write_text("repo/refs/heads/old/10.lock", "");
	assert_int_equal(run(FS_JOURNAL, &err), ERR_LOCKED);
	nothing_is_left_open();
	assert_int_equal(look(), OLD);
	err_release(&err);
	assert_int_equal(unlink("repo/refs/heads/old/10.lock"), 0);
	no_lock_is_left();
	assert_true(access("repo/refs/heads/new", F_OK));
	/* A value that is not the one that was asked for, seen when all locks are there. */
	write_text("repo/refs/heads/old/11", B "\n");
	assert_int_equal(run(FS_JOURNAL, &err), ERR_CONFLICT);
	nothing_is_left_open();
	err_release(&err);
	no_lock_is_left();
}

/* Some are made beforehand, the others as always. */
static void few_descriptors(void **state UNUSED)
{
	struct rlimit old, few;

	set_up_repo();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = 64;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(run(FS_JOURNAL, NULL), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(look(), NEW);
}

static void sweep(int sys_errno, bool from_then_on)
{
	bool hit = true;

	/* Those of one step are alike. */
	for (size_t n = 1; hit; n += 3) {
		struct err err = ERR_INIT;
		enum verdict v;
		int rc;

		set_up_repo();
		fault_install_failure(n, sys_errno, from_then_on);
		rc = run(FS_JOURNAL, &err);
		hit = fault_hit();
		fault_remove();
		v = look();
		if (v == TORN && rc != ERR_UNCERTAIN)
			fail_msg("call %zu: torn", n);
		if (v != NEW && !rc)
			fail_msg("call %zu: success without a change", n);
		if (v == NEW && rc && rc != ERR_UNCERTAIN)
			fail_msg("call %zu: it happened, but the error does not say so", n);
		nothing_is_left_open();
		err_release(&err);
	}
}

static void each_call_fails(void **state UNUSED)
{
	sweep(EIO, false);
	sweep(ENOSPC, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_get_their_values),
		cmocka_unit_test(values_come_before_locks),
		cmocka_unit_test(a_refused_one_leaves_nothing),
		cmocka_unit_test(few_descriptors),
		cmocka_unit_test(each_call_fails),
	};

	oid_from_hex(&oid_a, A, hash_sha1);
	oid_from_hex(&oid_b, B, hash_sha1);

	setenv("GIT_TEST_REF_COMMIT", "journal", 1);
	aux_enter_dir();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
