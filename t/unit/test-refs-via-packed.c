/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * P6 by one rename of packed-refs: a transaction of several refs that have no loose files has
 * happened or it has not, at every moment. What a kill or, on a journal, a power cut right
 * before a call would leave is what the files say then: so each call is a moment to look.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "t/fault.h"
#include "fs/file.h"
#include "refs/files/files.h"
#include "t/unit/pack-aux.h"
#include "t/unit/refs-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

static struct object_id oid_a, oid_b, oid_d;
static const struct object_id *null_oid;

enum { ABSENT, PACKED };

/* Every old state with every change that it can have. */
static const struct kind {
	const char *name;
	unsigned state;
	bool deleted;
} kinds[] = {
	{ "refs/heads/absent", ABSENT, false },
	{ "refs/heads/d/absent", ABSENT, false },
	{ "refs/heads/packed", PACKED, false },
	{ "refs/heads/packed-goes", PACKED, true },
	{ "refs/heads/z/packed", PACKED, false },
	{ "refs/tags/packed-goes", PACKED, true },
};
#define NR ARRAY_SIZE(kinds)
#define ALL ((1u << NR) - 1)

static void set_up_repo(void)
{
	struct strbuf packed = STRBUF_INIT;
	size_t i;

	assert_int_equal(remove_tree("repo", false, NULL), 0);
	aux_must("mkdir -p repo/objects repo/refs");
	write_text("repo/HEAD", "ref: refs/heads/packed\n");
	strbuf_addstr(&packed, "# pack-refs with: peeled fully-peeled sorted \n");
	for (i = 0; i < NR; i++)
		if (kinds[i].state == PACKED)
			strbuf_addf(&packed, "%s %s\n", A, kinds[i].name);
	strbuf_addstr(&packed, C " refs/tags/stays\n");
	write_text("repo/packed-refs", packed.buf);
	write_text("repo/refs/tags/other", C "\n");
	write_text("repo/refs/heads/other", C "\n");
	strbuf_release(&packed);
}

/* Those of the mask that the last run did not refuse; where single ones may fail. */
static unsigned accepted;

static int run(unsigned mask, unsigned flags, enum fs_kind kind, struct err *err)
{
	struct ref_store *rs = open_files_store();
	struct ref_transaction *t = ref_transaction_begin(rs, flags);
	int rc = 0;
	size_t i;

	if (flags & REF_TRANSACTION_ALLOW_FAILURE)
		rc = ref_transaction_update(t, "refs/tags/stays/x", &oid_b, NULL, 0, "m", err);
	for (i = 0; i < NR; i++)
		if (mask & (1u << i) && !rc)
			rc = ref_transaction_update(t, kinds[i].name,
						    kinds[i].deleted ? null_oid : &oid_b,
						    kinds[i].state == ABSENT ? null_oid : &oid_a,
						    0, "m", err);
	rc = run_transaction(t, kind, rc, err);
	accepted = mask;
	if (!rc && flags & REF_TRANSACTION_ALLOW_FAILURE) {
		size_t at = 1;

		assert_true(update_result(t, 0, NULL) < 0);
		for (i = 0; i < NR; i++)
			if (mask & (1u << i) && update_result(t, at++, NULL) < 0)
				accepted &= ~(1u << i);
	}
	ref_transaction_free(t);
	ref_store_free(rs);
	return rc;
}

/* ---- is it whole? ---- */

enum verdict { OLD, NEW, TORN };

/* As a new process sees it. Refs that are not in the mask must be as they were. */
static enum verdict look(unsigned mask)
{
	struct ref_store *rs = open_files_store();
	size_t i, old_ones = 0, new_ones = 0, nr = 0;
	bool others = true;

	for (i = 0; i < NR; i++) {
		const struct object_id *was = kinds[i].state == ABSENT ? NULL : &oid_a;
		bool is_old = ref_is_at(rs, kinds[i].name, was);

		if (!(mask & (1u << i))) {
			others &= is_old;
			continue;
		}
		nr++;
		old_ones += is_old;
		new_ones += ref_is_at(rs, kinds[i].name, kinds[i].deleted ? NULL : &oid_b);
	}
	others &= ref_exists(rs, "refs/tags/stays");
	ref_store_free(rs);
	return !others ? TORN : old_ones == nr ? OLD : new_ones == nr ? NEW : TORN;
}

struct watch {
	unsigned mask;
	enum verdict last;
	size_t moments;
	char *torn_at;
	bool inside; /* looking makes calls, too */
};

static void look_before(void *data, const char *line)
{
	struct watch *w = data;
	enum verdict now;

	if (w->inside)
		return;
	w->inside = true;
	now = look(w->mask);
	w->inside = false;
	w->moments++;
	if ((now == TORN || now < w->last) && !w->torn_at)
		w->torn_at = xstrdup(line);
	w->last = now;
}

static void every_moment(unsigned flags)
{
	unsigned mask;

	for (mask = 1; mask <= ALL; mask++) {
		struct watch w = { .mask = mask };
		struct fault_plan plan = FAULT_PLAN_INIT;

		if (!(mask & (mask - 1)))
			continue;
		set_up_repo();
		plan.before = look_before;
		plan.data = &w;
		fault_install(&plan);
		assert_int_equal(run(mask, flags, FS_JOURNAL, NULL), 0);
		fault_remove();
		if (w.torn_at)
			fail_msg("mask %#x: torn before: %s", mask, w.torn_at);
		assert_true(w.moments > 10);
		assert_int_equal(w.last, NEW);
		assert_int_equal(look(mask), NEW);
	}
}

static void whole_at_every_moment(void **state UNUSED)
{
	every_moment(0);
}

static void whole_where_single_ones_fail(void **state UNUSED)
{
	every_moment(REF_TRANSACTION_ALLOW_FAILURE);
}

/* ---- failing calls ---- */

static bool unlink_failed(void)
{
	const char *line = fault_text(), *end;

	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (starts_with(line, "unlink ") && memmem(line, end - line, "(injected)", 10))
			return true;
	}
	return false;
}

static void sweep(unsigned flags, int sys_errno, bool from_then_on, enum fs_kind kind)
{
	size_t n;

	for (n = 1; n < 1000; n++) {
		struct err err = ERR_INIT;
		enum verdict v;
		bool hit, stuck;
		int rc;

		set_up_repo();
		fault_install_failure(n, sys_errno, from_then_on);
		rc = run(ALL, flags, kind, &err);
		hit = fault_hit();
		stuck = unlink_failed();
		fault_remove();
		/* A lock that cannot be removed is tried again at exit. */
		if (!stuck)
			aux_must("test -z \"$(find repo -name '*.lock' -o -name '*.new')\"");
		v = look(accepted);
		if (!accepted)
			v = NEW;
		if (v == TORN)
			fail_msg("call %zu: torn", n);
		if (v != NEW && !rc)
			fail_msg("call %zu: success without a change", n);
		if (v == NEW && rc && rc != ERR_UNCERTAIN)
			fail_msg("call %zu: it happened, but the error does not say so", n);
		err_release(&err);
		if (!hit) {
			assert_int_equal(rc, 0);
			return;
		}
	}
	fail_msg("no end");
}

static void io_errors(void **state UNUSED)
{
	static const enum fs_kind fs[] = { FS_JOURNAL, FS_BTRFS, FS_LOCAL, FS_EACH };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fs); i++)
		sweep(0, EIO, false, fs[i]);
	sweep(REF_TRANSACTION_ALLOW_FAILURE, EIO, false, FS_JOURNAL);
}

static void full_disk(void **state UNUSED)
{
	sweep(0, ENOSPC, true, FS_JOURNAL);
	sweep(REF_TRANSACTION_ALLOW_FAILURE, ENOSPC, true, FS_JOURNAL);
}

/* ---- order ---- */

static char *record(unsigned mask, enum fs_kind kind)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	char *text;

	set_up_repo();
	fault_install(&plan);
	assert_int_equal(run(mask, 0, kind, NULL), 0);
	text = xstrdup(fault_text());
	fault_remove();
	return text;
}

static const char *find(const char *all, const char *text)
{
	const char *at = strstr(all, text);

	if (!at)
		fail_msg("no '%s' in:\n%s", text, all);
	return at;
}

static size_t count(const char *all, const char *text)
{
	size_t nr = 0;

	while ((all = strstr(all, text))) {
		nr++;
		all++;
	}
	return nr;
}

/* Locked when all else is settled; the new file alone is awaited under the lock; one flush. */
static void order_of_calls(void **state UNUSED)
{
	char *text = record(ALL, FS_JOURNAL);
	const char *locked = find(text, "link_fd repo/packed-refs.lock"),
		   *last_lock = find(text, "link_fd repo/refs/tags/packed-goes.lock"),
		   *wait = find(text, "writeout_wait repo/packed-refs.new"),
		   *named = find(text, "rename repo/packed-refs.new"),
		   *unlock = find(text, "unlink repo/packed-refs.lock"),
		   *flush = find(text, "fsync ");

	if (!(last_lock < locked && locked < wait && wait < named && named < unlock &&
	      unlock < flush))
		fail_msg("order:\n%s", text);
	assert_int_equal(count(text, "fsync "), 1);
	assert_int_equal(count(text, "syncfs "), 0);
	assert_int_equal(count(text, "rename "), 1);
	assert_int_equal(count(text, "ref-journal"), 0);
	free(text);
}

/* If a syncfs settles contents, no process waits for it under the lock. */
static void no_syncfs_under_the_lock(void **state UNUSED)
{
	char *text = record(ALL, FS_LOCAL);
	const char *locked = find(text, "link_fd repo/packed-refs.lock"),
		   *flush = find(locked, "fsync repo/packed-refs.new"),
		   *named = find(flush, "rename repo/packed-refs.new"),
		   *unlock = find(named, "unlink repo/packed-refs.lock");

	assert_null(strstr(text, "syncfs ") < unlock ? strstr(text, "syncfs ") : NULL);
	find(unlock, "syncfs ");
	free(text);
}

/* One file for all locks of refs, nothing is written to loose files. */
static void locks_are_links(void **state UNUSED)
{
	char *text = record(ALL & ~(1u << 1 | 1u << 4), FS_JOURNAL);

	/* The other is packed-refs.lock; the file that names their owner has a full path. */
	assert_int_equal(count(text, "open repo rdwr|tmpfile"), 2);
	assert_int_equal(count(text, "link_fd repo/refs/"), NR - 2);
	assert_int_equal(count(text, "write repo/refs/"), 0);
	free(text);
}

/* A symref that is to become a ref of its own goes by a record, and all with it. */
static void turns_back_at_a_symref(void **state UNUSED)
{
	struct ref_store *rs;
	struct ref_transaction *t;

	set_up_repo();
	write_text("repo/refs/heads/sym", "ref: refs/heads/packed-goes\n");
	rs = open_files_store();
	t = ref_transaction_begin(rs, 0);
	assert_int_equal(ref_transaction_update(t, "HEAD", &oid_b, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/x/y", &oid_b, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/sym", &oid_d, NULL, REF_NO_DEREF,
						NULL, NULL), 0);
	assert_int_equal(run_transaction(t, -1, 0, NULL), 0);
	ref_transaction_free(t);
	aux_must("test -f repo/refs/heads/x/y && ! grep x/y repo/packed-refs");
	aux_must("test -z \"$(find repo -name '*.lock' -o -links +1 -type f)\"");
	assert_true(ref_is_at(rs, "HEAD", &oid_b));
	assert_true(ref_is_at(rs, "refs/heads/sym", &oid_d));
	assert_true(ref_is_at(rs, "refs/heads/packed-goes", &oid_a));
	ref_store_free(rs);
}

/* A process that died with the lock left the file: it is no obstacle, and it is removed. */
static void orphan_of_the_new_file(void **state UNUSED)
{
	set_up_repo();
	write_text("repo/packed-refs.new", "half a file");
	assert_int_equal(run(ALL, 0, FS_JOURNAL, NULL), 0);
	assert_int_equal(look(ALL), NEW);
	aux_must("test ! -e repo/packed-refs.new");
}

/* ---- single deletions, packing ---- */

struct moment {
	const char *line; /* begins so */
	void (*then)(void);
	bool met, inside;
};

static void at_moment(void *data, const char *line)
{
	struct moment *m = data;

	if (m->inside || m->met || !starts_with(line, m->line))
		return;
	m->inside = m->met = true;
	m->then();
	m->inside = false;
}

static void must_be_locked(void)
{
	assert_true(file_exists("repo/packed-refs.lock"));
}

static void deletion_keeps_packers_out(void **state UNUSED)
{
	struct moment m = { .line = "unlink repo/refs/heads/packed-goes", .then = must_be_locked };
	struct fault_plan plan = FAULT_PLAN_INIT;

	set_up_repo();
	write_text("repo/refs/heads/packed-goes", A "\n");
	plan.before = at_moment;
	plan.data = &m;
	fault_install(&plan);
	assert_int_equal(run(1u << 3, 0, FS_JOURNAL, NULL), 0);
	fault_remove();
	assert_true(m.met);
	assert_int_equal(look(1u << 3), NEW);
	assert_false(file_exists("repo/packed-refs.lock"));
}

static void change_it(void)
{
	aux_write("repo/refs/heads/both", B "\n", 41);
}

/* Removed, and made again with the value that it had. */
static void remake_it(void)
{
	aux_must("grep -v heads/both$ repo/packed-refs >tmp && mv tmp repo/packed-refs");
}

static void pack_while(void (*then)(void), const struct object_id *value)
{
	struct moment m = { .line = "link_fd repo/refs/heads/both.lock", .then = then };
	struct refs_pack_options po = { .all = true };
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };
	struct fault_plan plan = FAULT_PLAN_INIT;
	struct fsync_batch *b = fsync_batch_new(&o);
	struct ref_store *rs;

	pretend_fs(FS_JOURNAL);
	set_up_repo();
	write_text("repo/refs/heads/both", A "\n");
	write_text("repo/refs/heads/d/loose", A "\n");
	rs = open_files_store();
	plan.before = at_moment;
	plan.data = &m;
	fault_install(&plan);
	assert_int_equal(refs_pack(rs, &po, b, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	assert_int_equal(count(fault_text(), "fsync "), 1);
	fault_remove();
	assert_true(m.met);
	aux_must("test -f repo/refs/heads/both && test ! -e repo/refs/heads/d");
	assert_true(ref_is_at(rs, "refs/heads/both", value));
	assert_true(ref_is_at(rs, "refs/heads/d/loose", &oid_a));
	aux_must("test -z \"$(find repo -name '*.lock' -o -name '*.new')\"");
	fsync_batch_free(b);
	ref_store_free(rs);
}

static void packing_leaves_what_has_changed(void **state UNUSED)
{
	pack_while(change_it, &oid_b);
	pack_while(remake_it, &oid_a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_calls),
		cmocka_unit_test(locks_are_links),
		cmocka_unit_test(no_syncfs_under_the_lock),
		cmocka_unit_test(whole_at_every_moment),
		cmocka_unit_test(whole_where_single_ones_fail),
		cmocka_unit_test(io_errors),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(turns_back_at_a_symref),
		cmocka_unit_test(orphan_of_the_new_file),
		cmocka_unit_test(deletion_keeps_packers_out),
		cmocka_unit_test(packing_leaves_what_has_changed),
	};

	oid_from_hex(&oid_a, A, hash_sha1);
	oid_from_hex(&oid_b, B, hash_sha1);
	oid_from_hex(&oid_d, D, hash_sha1);
	null_oid = &hash_sha1->null_oid;
	setenv("GIT_TEST_REF_COMMIT", "packed", 1);
	aux_enter_dir();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
