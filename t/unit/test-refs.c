/* SPDX-License-Identifier: GPL-2.0-only */
/* A store of refs: reading, transactions, reflogs. (Names and packed-refs: test-refs-packed.c) */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <sys/resource.h>
#include "fs/file.h"
#include "refs/files/files.h"
#include "refs/files/loose-internal.h"
#include "t/unit/pack-aux.h"
#include "t/unit/refs-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

static struct object_id oid_a, oid_b, oid_c;
static const struct object_id *null_oid;

/* ---- a store in a directory ---- */

static struct ref_store *rs;

static int set_up(void **state UNUSED)
{
	struct ref_store_options o = {
		.backend = &files_ref_backend, .gitdir = "repo", .algo = hash_sha1, .lock_timeout_ms = 50,
		.table_lock_timeout_ms = 50,
	};

	aux_must("rm -rf repo && mkdir -p repo/refs/heads repo/refs/tags repo/objects &&"
	     "echo 'ref: refs/heads/main' >repo/HEAD");
	return ref_store_open(&rs, &o, NULL);
}

static int tear_down(void **state UNUSED)
{
	ref_store_free(rs);
	return 0;
}

static struct fsync_batch *new_batch(void)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };

	return fsync_batch_new(&o);
}

/* Prepare and commit; the transaction is gone afterwards. */
static int run(struct ref_transaction *t, struct err *err)
{
	int rc = run_transaction(t, -1, 0, err);

	ref_transaction_free(t);
	return rc;
}

static int update(const char *name, const struct object_id *new_oid,
		  const struct object_id *old_oid, unsigned flags, struct err *err)
{
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	int rc = ref_transaction_update(t, name, new_oid, old_oid, flags, "a message", err);

	if (rc < 0) {
		ref_transaction_free(t);
		return rc;
	}
	return run(t, err);
}

static void expect_failure(int rc, struct err *err, const char *message)
{
	assert_true(rc < 0);
	assert_string_equal(err_message(err), message);
	err_release(err);
}

static void expect_ref(const char *name, const struct object_id *want)
{
	struct object_id oid;

	if (!want) {
		assert_false(ref_exists(rs, name));
		return;
	}
	assert_int_equal(ref_resolve(rs, name, &oid, NULL, NULL, NULL), 0);
	assert_true(oid_eq(&oid, want));
}

/* No lock and nothing temporary stays, whatever happened. */
static void expect_no_litter(void)
{
	aux_must("test -z \"$(find repo -name '*.lock' -o -name 'tmp_*')\"");
}

static void reads_what_files_say(void **state UNUSED)
{
	struct object_id oid;
	char *final = NULL;
	unsigned flags;

	write_text("repo/refs/heads/main", A "\n");
	write_text("repo/packed-refs", HEADER C " refs/heads/main\n" B " refs/heads/packed\n");
	expect_ref("HEAD", &oid_a);
	expect_ref("refs/heads/packed", &oid_b);
	assert_int_equal(ref_resolve(rs, "HEAD", &oid, &final, &flags, NULL), 0);
	assert_string_equal(final, "refs/heads/main");
	assert_int_equal(flags, REF_IS_SYMREF);
	free(final);
	/* Loose wins; when it goes, the packed one shows. */
	aux_must("rm repo/refs/heads/main");
	expect_ref("HEAD", &oid_c);
	write_text("repo/refs/heads/loop1", "ref: refs/heads/loop2\n");
	write_text("repo/refs/heads/loop2", "ref: refs/heads/loop1\n");
	assert_int_equal(ref_resolve(rs, "refs/heads/loop1", &oid, NULL, &flags, NULL), ERR_CORRUPT);
	write_text("repo/refs/heads/empty", "");
	assert_int_equal(ref_resolve(rs, "refs/heads/empty", &oid, NULL, &flags, NULL), ERR_CORRUPT);
	write_text("repo/refs/heads/long", A "a\n");
	assert_int_equal(ref_resolve(rs, "refs/heads/long", &oid, NULL, &flags, NULL), ERR_CORRUPT);
	write_text("repo/refs/heads/climb", "ref: ../../../etc/passwd\n");
	assert_int_equal(ref_resolve(rs, "refs/heads/climb", &oid, NULL, &flags, NULL), ERR_CORRUPT);
	assert_int_equal(ref_resolve(rs, "refs/../HEAD", &oid, NULL, &flags, NULL), ERR_INVALID);
	aux_must("ln -s refs/heads/packed repo/LINK");
	expect_ref("LINK", &oid_b);
}

static int collect(void *data, const struct ref *ref)
{
	strbuf_addf(data, "%s %.1s%s%s\n", ref->name, oid_hex(&ref->oid),
		    ref->flags & REF_IS_PACKED ? " packed" : "",
		    ref->flags & REF_IS_BROKEN ? " broken" : "");
	return 0;
}

static void lists_in_order(void **state UNUSED)
{
	struct strbuf out = STRBUF_INIT;

	write_text("repo/refs/heads/a/b", A "\n");
	write_text("repo/refs/heads/a-b", B "\n");
	write_text("repo/refs/heads/a.lock", B "\n");
	write_text("repo/refs/heads/bad", "junk\n");
	write_text("repo/refs/bisect/x", C "\n");
	write_text("repo/packed-refs", HEADER C " refs/heads/a-b\n" B " refs/heads/a0\n"
		   C " refs/tags/t\n");
	assert_int_equal(refs_foreach(rs, "", 0, collect, &out, NULL), 0);
	assert_string_equal(out.buf, "refs/bisect/x c\nrefs/heads/a-b b\nrefs/heads/a/b a\n"
			    "refs/heads/a0 b packed\nrefs/tags/t c packed\n");
	strbuf_reset(&out);
	assert_int_equal(refs_foreach(rs, "refs/heads/a", REFS_INCLUDE_BROKEN, collect, &out, NULL), 0);
	assert_string_equal(out.buf, "refs/heads/a-b b\nrefs/heads/a/b a\nrefs/heads/a0 b packed\n");
	strbuf_reset(&out);
	assert_int_equal(refs_foreach(rs, "refs/heads/b", REFS_INCLUDE_BROKEN, collect, &out, NULL), 0);
	assert_string_equal(out.buf, "refs/heads/bad 0 broken\n");
	strbuf_release(&out);
}

static void short_names(void **state UNUSED)
{
	char *s;

	write_text("repo/refs/heads/x", A "\n");
	write_text("repo/refs/remotes/o/HEAD", "ref: refs/remotes/o/m\n");
	write_text("repo/refs/remotes/o/m", B "\n");
	assert_int_equal(ref_dwim(rs, "x", 1, &s, NULL), 1);
	assert_string_equal(s, "refs/heads/x");
	free(s);
	assert_int_equal(ref_dwim(rs, "o", 1, &s, NULL), 1);
	assert_string_equal(s, "refs/remotes/o/m");
	free(s);
	assert_int_equal(ref_dwim(rs, "nothing", 7, &s, NULL), 0);
	s = ref_shorten(rs, "refs/heads/x", false);
	assert_string_equal(s, "x");
	free(s);
	write_text("repo/refs/tags/x", B "\n");
	assert_int_equal(ref_dwim(rs, "x", 1, &s, NULL), 2);
	assert_string_equal(s, "refs/tags/x");
	free(s);
	s = ref_shorten(rs, "refs/heads/x", false);
	assert_string_equal(s, "heads/x");
	free(s);
}

/* ---- transactions ---- */

static void creates_updates_deletes(void **state UNUSED)
{
	assert_int_equal(update("refs/heads/x/y/z", &oid_a, null_oid, 0, NULL), 0);
	expect_ref("refs/heads/x/y/z", &oid_a);
	assert_int_equal(update("refs/heads/x/y/z", &oid_b, &oid_a, 0, NULL), 0);
	expect_ref("refs/heads/x/y/z", &oid_b);
	assert_true(reflog_exists(rs, "refs/heads/x/y/z"));
	assert_int_equal(update("refs/heads/x/y/z", null_oid, &oid_b, 0, NULL), 0);
	expect_ref("refs/heads/x/y/z", NULL);
	assert_false(reflog_exists(rs, "refs/heads/x/y/z"));
	assert_false(is_directory("repo/refs/heads/x"));
	assert_false(is_directory("repo/logs/refs/heads/x"));
	assert_true(is_directory("repo/refs/heads"));
	expect_no_litter();
}

static void checks_old_values(void **state UNUSED)
{
	struct err err = ERR_INIT;

	write_text("repo/refs/heads/x", A "\n");
	write_text("repo/packed-refs", HEADER B " refs/heads/p\n");
	expect_failure(update("refs/heads/x", &oid_b, &oid_c, 0, &err), &err,
		       "cannot lock ref 'refs/heads/x': is at " A " but expected " C);
	expect_failure(update("refs/heads/x", &oid_b, null_oid, 0, &err), &err,
		       "cannot lock ref 'refs/heads/x': reference already exists");
	expect_failure(update("refs/heads/p", &oid_b, null_oid, 0, &err), &err,
		       "cannot lock ref 'refs/heads/p': reference already exists");
	expect_failure(update("refs/heads/none", &oid_b, &oid_c, 0, &err), &err,
		       "cannot lock ref 'refs/heads/none': unable to resolve reference "
		       "'refs/heads/none'");
	expect_failure(update("refs/heads/a..b", &oid_b, NULL, 0, &err), &err,
		       "refusing to update ref with bad name 'refs/heads/a..b'");
	expect_ref("refs/heads/x", &oid_a);
	expect_ref("refs/heads/p", &oid_b);
	expect_no_litter();
}

static void refuses_conflicting_names(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct ref_transaction *t;

	write_text("repo/refs/heads/x", A "\n");
	write_text("repo/packed-refs", HEADER B " refs/heads/p\n" B " refs/heads/q/r\n");
	expect_failure(update("refs/heads/x/y", &oid_b, NULL, 0, &err), &err,
		       "cannot lock ref 'refs/heads/x/y': 'refs/heads/x' exists; cannot create "
		       "'refs/heads/x/y'");
	expect_failure(update("refs/heads/p/y", &oid_b, NULL, 0, &err), &err,
		       "'refs/heads/p' exists; cannot create "
		       "'refs/heads/p/y'");
	expect_failure(update("refs/heads/q", &oid_b, NULL, 0, &err), &err,
		       "'refs/heads/q/r' exists; cannot create "
		       "'refs/heads/q'");
	t = ref_transaction_begin(rs, 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/n/m", &oid_a, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/n", &oid_a, NULL, 0, NULL, NULL), 0);
	expect_failure(run(t, &err), &err, "cannot lock ref 'refs/heads/n': cannot process "
		       "'refs/heads/n' and 'refs/heads/n/m' at the same time");
	t = ref_transaction_begin(rs, 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/n", &oid_a, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/n/m", &oid_a, NULL, 0, NULL, NULL), 0);
	expect_failure(run(t, &err), &err, "cannot process 'refs/heads/n' and 'refs/heads/n/m' at the same time");
	t = ref_transaction_begin(rs, 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/n", &oid_a, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/n", &oid_b, NULL, 0, NULL, NULL), 0);
	expect_failure(run(t, &err), &err, "multiple updates for ref 'refs/heads/n' not allowed");
	expect_ref("refs/heads/n", NULL);
	expect_no_litter();
	aux_must("test ! -e repo/refs/heads/n && test ! -e repo/refs/heads/p");
}

/* Two that lock first and look afterwards: one at least sees the other. */
static void conflicting_names_in_two_transactions(void **state UNUSED)
{
	struct fsync_batch *b = new_batch();
	struct ref_transaction *t;
	struct err err = ERR_INIT;

	t = ref_transaction_begin(rs, 0);
	ref_transaction_set_ident(t, IDENT);
	assert_int_equal(ref_transaction_update(t, "refs/heads/n", &oid_a, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_prepare(t, b, NULL), 0);
	expect_failure(update("refs/heads/n/m", &oid_b, NULL, 0, &err), &err,
		       "cannot lock ref 'refs/heads/n/m': 'refs/heads/n' is locked; cannot create "
		       "'refs/heads/n/m'");
	assert_int_equal(ref_transaction_commit(t, NULL), 0);
	ref_transaction_free(t);

	t = ref_transaction_begin(rs, 0);
	ref_transaction_set_ident(t, IDENT);
	assert_int_equal(ref_transaction_update(t, "refs/heads/k/m", &oid_a, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_prepare(t, b, NULL), 0);
	expect_failure(update("refs/heads/k", &oid_b, NULL, 0, &err), &err,
		       "cannot lock ref 'refs/heads/k': there is a non-empty directory "
		       "'repo/refs/heads/k' blocking reference 'refs/heads/k'");
	assert_int_equal(ref_transaction_commit(t, NULL), 0);
	ref_transaction_free(t);
	expect_ref("refs/heads/n", &oid_a);
	expect_ref("refs/heads/k/m", &oid_a);
	fsync_batch_free(b);
}

static void empty_directories_give_way(void **state UNUSED)
{
	struct err err = ERR_INIT;

	aux_must("mkdir -p repo/refs/heads/x/y/z repo/logs/refs/heads/x/y");
	assert_int_equal(update("refs/heads/x", &oid_a, NULL, 0, NULL), 0);
	expect_ref("refs/heads/x", &oid_a);
	assert_true(reflog_exists(rs, "refs/heads/x"));
	aux_must("mkdir -p repo/refs/heads/k/y && touch repo/refs/heads/k/y/.hidden");
	expect_failure(update("refs/heads/k", &oid_b, NULL, 0, &err), &err,
		       "cannot lock ref 'refs/heads/k': there is a non-empty directory "
		       "'repo/refs/heads/k' blocking reference 'refs/heads/k'");
	/* A log that a crash left where a directory is needed now. */
	write_text("repo/logs/refs/heads/gone", "junk\n");
	assert_int_equal(update("refs/heads/gone/x", &oid_a, NULL, 0, NULL), 0);
	assert_true(reflog_exists(rs, "refs/heads/gone/x"));
}

static void deletes_packed_and_loose(void **state UNUSED)
{
	struct ref_transaction *t;
	struct strbuf text = STRBUF_INIT;

	write_text("repo/packed-refs", HEADER A " refs/heads/a\n" B " refs/heads/b\n"
		   C " refs/tags/t\n^" A "\n" B " refs/tags/u\n");
	write_text("repo/refs/heads/b", C "\n");
	t = ref_transaction_begin(rs, 0);
	assert_int_equal(ref_transaction_update(t, "refs/tags/t", null_oid, &oid_c, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/b", null_oid, &oid_c, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/new", &oid_a, null_oid, 0, NULL, NULL), 0);
	assert_int_equal(run(t, NULL), 0);
	aux_read(&text, "repo/packed-refs");
	assert_string_equal(text.buf, "# pack-refs with: peeled fully-peeled sorted \n"
			    A " refs/heads/a\n" B " refs/tags/u\n");
	expect_ref("refs/heads/b", NULL);
	expect_ref("refs/tags/t", NULL);
	expect_ref("refs/heads/new", &oid_a);
	expect_ref("refs/heads/a", &oid_a);
	expect_no_litter();
	strbuf_release(&text);
}

/*
 * If there are no objects, the targets of new refs are unknown: the file cannot be "fully-peeled".
 */
static void packs_what_it_cannot_peel(void **state UNUSED)
{
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	struct strbuf text = STRBUF_INIT;

	write_text("repo/packed-refs", HEADER A " refs/heads/a\n" B " refs/tags/u\n");
	assert_int_equal(ref_transaction_update(t, "refs/heads/new", &oid_a, null_oid, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/tags/u", &oid_c, &oid_b, 0, NULL, NULL), 0);
	assert_int_equal(run(t, NULL), 0);
	aux_read(&text, "repo/packed-refs");
	assert_string_equal(text.buf, "# pack-refs with: sorted \n" A " refs/heads/a\n"
			    A " refs/heads/new\n" C " refs/tags/u\n");
	expect_no_litter();
	strbuf_release(&text);
}

static time_t packed_time(void)
{
	struct stat st;

	assert_int_equal(stat("repo/packed-refs", &st), 0);
	return st.st_mtime;
}

/* Others may tell it only by its time, in seconds, from the one that was there a moment ago. */
static void quick_changes_have_other_times(void **state UNUSED)
{
	const struct object_id *values[] = { &oid_a, &oid_b, &oid_c };
	time_t times[4];
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		struct ref_transaction *t = ref_transaction_begin(rs, 0);

		assert_int_equal(ref_transaction_update(t, "refs/heads/a", values[i % 3], NULL, 0,
							NULL, NULL), 0);
		assert_int_equal(ref_transaction_update(t, "refs/heads/b", values[i % 3], NULL, 0,
							NULL, NULL), 0);
		assert_int_equal(run(t, NULL), 0);
		times[i] = packed_time();
		for (k = 0; k < i; k++)
			assert_true(times[k] != times[i]);
		expect_ref("refs/heads/b", values[i % 3]);
	}
}

static int log_line(void *data, const struct reflog_entry *e)
{
	strbuf_addf(data, "%.1s%.1s %s %" PRIu64 " %d %s\n", oid_hex(&e->old_oid),
		    oid_hex(&e->new_oid), e->ident, e->date, e->tz, e->msg);
	return 0;
}

static void expect_log(const char *name, bool newest_first, const char *want)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(reflog_foreach(rs, name, newest_first, log_line, &out, NULL), 0);
	assert_string_equal(out.buf, want);
	strbuf_release(&out);
}

#define WHO " C O Mitter <c@example.com> 1700000000 100 a message\n"

static void logs_both_names(void **state UNUSED)
{
	assert_int_equal(update("HEAD", &oid_a, NULL, 0, NULL), 0);
	assert_int_equal(update("refs/heads/main", &oid_b, NULL, 0, NULL), 0);
	/* The branch has that value already: only HEAD's log tells of it. */
	assert_int_equal(update("HEAD", &oid_b, NULL, 0, NULL), 0);
	expect_log("HEAD", false, "0a" WHO "ab" WHO "bb" WHO);
	expect_log("refs/heads/main", false, "0a" WHO "ab" WHO);
	expect_log("refs/heads/main", true, "ab" WHO "0a" WHO);
	assert_int_equal(update("refs/tags/t", &oid_b, NULL, 0, NULL), 0);
	assert_false(reflog_exists(rs, "refs/tags/t"));
	assert_int_equal(update("refs/tags/t", &oid_a, NULL, REF_FORCE_REFLOG, NULL), 0);
	expect_log("refs/tags/t", false, "ba" WHO);
	/* Detached: the symref itself. */
	assert_int_equal(update("HEAD", &oid_c, &oid_b, REF_NO_DEREF, NULL), 0);
	expect_ref("refs/heads/main", &oid_b);
	expect_ref("HEAD", &oid_c);
	expect_no_litter();
}

/* HEAD, in steps over b, to `to`. branch: that changes, and HEAD names it again. */
static void move_in_steps(const struct object_id *to, unsigned flags, const char *branch)
{
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	int rc = 0;

	ref_transaction_set_ident(t, IDENT);
	if (branch) {
		rc = ref_transaction_update(t, branch, to, NULL, REF_NO_DEREF, "all at once", NULL);
		assert_int_equal(rc, 0);
		rc = ref_transaction_update_symref(t, "HEAD", branch, NULL, REF_NO_DEREF | REF_LOG_AFTER_OTHERS, "a message",
						   NULL);
	} else {
		rc = ref_transaction_update(t, "HEAD", to, NULL, flags, "a message", NULL);
	}
	assert_int_equal(rc, 0);
	ref_transaction_add_log_step(t, &oid_b, "a message");
	assert_int_equal(run(t, NULL), 0);
}

static void logs_steps(void **state UNUSED)
{
	assert_int_equal(update("HEAD", &oid_a, NULL, 0, NULL), 0);
	move_in_steps(&oid_c, 0, NULL);
	expect_log("HEAD", false, "0a" WHO "ab" WHO "bc" WHO);
	expect_log("refs/heads/main", false, "0a" WHO "ab" WHO "bc" WHO);
	/* The branch changes once, HEAD goes there in steps. */
	move_in_steps(&oid_a, 0, "refs/heads/main");
	expect_log("HEAD", true, "ba" WHO "cb" WHO "bc" WHO "ab" WHO "0a" WHO);
}

/* `from` becomes `to`, with its log and with HEAD; msg as for the log. */
static int rename_branch(const char *from, const char *to, const char *msg)
{
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	struct fsync_batch *b = new_batch();
	struct object_id oid, none = hash_sha1->null_oid;
	int rc;

	assert_int_equal(ref_resolve(rs, from, &oid, NULL, NULL, NULL), 0);
	ref_transaction_set_ident(t, IDENT);
	rc = ref_transaction_update(t, to, &oid, NULL, REF_NO_DEREF | REF_SKIP_REFLOG, msg, NULL);
	ref_transaction_inherit_log(t, from);
	if (!rc)
		rc = ref_transaction_update_symref(t, "HEAD", to, from, REF_NO_DEREF,
						   "a message", NULL);
	if (!rc)
		rc = ref_transaction_update(t, from, &none, &oid, REF_NO_DEREF | REF_SKIP_REFLOG,
					    NULL, NULL);
	if (!rc)
		rc = ref_transaction_prepare(t, b, NULL);
	if (!rc)
		rc = ref_transaction_commit(t, NULL);
	ref_transaction_free(t);
	fsync_batch_free(b);
	return rc;
}

static void logs_move(void **state UNUSED)
{
	assert_int_equal(update("refs/heads/main", &oid_a, NULL, 0, NULL), 0);
	assert_int_equal(update("refs/heads/main", &oid_b, NULL, 0, NULL), 0);
	write_text("repo/logs/refs/heads/x", A " " C " " IDENT "\tan orphan\n");
	aux_must("printf 'half a li' >>repo/logs/refs/heads/main");
	assert_int_equal(rename_branch("refs/heads/main", "refs/heads/x", "a message"), 0);
	expect_ref("refs/heads/main", NULL);
	expect_ref("refs/heads/x", &oid_b);
	expect_ref("HEAD", &oid_b);
	assert_false(reflog_exists(rs, "refs/heads/main"));
	expect_log("refs/heads/x", false, "0a" WHO "ab" WHO "bb" WHO);
	/* the removal of what HEAD named tells nothing: HEAD has moved on by itself */
	expect_log("HEAD", false, "0a" WHO "ab" WHO "bb" WHO);

	/* where a directory was, and without a line */
	aux_must("mkdir -p repo/logs/refs/heads/y/empty repo/refs/heads/y/empty");
	assert_int_equal(rename_branch("refs/heads/x", "refs/heads/y", NULL), 0);
	expect_log("refs/heads/y", false, "0a" WHO "ab" WHO "bb" WHO);

	/* no log: what the other name had goes, too */
	aux_must("rm repo/logs/refs/heads/y");
	write_text("repo/logs/refs/heads/z", A " " C " " IDENT "\tan orphan\n");
	assert_int_equal(rename_branch("refs/heads/y", "refs/heads/z", NULL), 0);
	assert_false(reflog_exists(rs, "refs/heads/z"));
	expect_no_litter();
}

static int count_entry(void *data, const struct reflog_entry *e UNUSED)
{
	++*(int *)data;
	return 0;
}

/* Lines that are none are passed over, in both directions; the last may be torn. */
#define LOG "repo/logs/refs/heads/x"
#define ENTRY(from, to, msg) from " " to " x <y> 1 +0000\t" msg "\n"

struct keeper {
	size_t drop;	     /* the entry that goes */
	const char *replace; /* what the log becomes behind our back, once */
	size_t calls;
};

static int keep_others(void *data, size_t i, size_t nr UNUSED,
		       const struct reflog_entry *e UNUSED, struct err *err UNUSED)
{
	struct keeper *k = data;

	k->calls++;
	if (k->replace) {
		aux_write(LOG, k->replace, strlen(k->replace));
		k->replace = NULL;
	}
	return i != k->drop;
}

static void check_text(const char *path, const char *expect)
{
	struct strbuf text = STRBUF_INIT;

	assert_int_equal(read_file(&text, path, 0, NULL), 0);
	assert_string_equal(text.buf, expect);
	strbuf_release(&text);
}

static void rewrite(unsigned flags, struct keeper *k, const char *expect)
{
	struct fsync_batch *b = new_batch();

	write_text(LOG, ENTRY(A, B, "1") ENTRY(B, C, "2") ENTRY(C, A, "3"));
	assert_int_equal(reflog_rewrite(rs, "refs/heads/x", flags, keep_others, k, b, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	check_text(LOG, expect);
	fsync_batch_free(b);
	aux_must("test -z \"$(find repo -name '*.lock')\"");
}

static void rewrites_logs(void **state UNUSED)
{
	struct keeper k = { 1, NULL, 0 };

	write_text("repo/refs/heads/x", A "\n");
	rewrite(0, &k, ENTRY(A, B, "1") ENTRY(C, A, "3"));
	rewrite(REFLOG_FIX_OLD, &k, "0000000000000000000000000000000000000000 " B
		" x <y> 1 +0000\t1\n" ENTRY(B, A, "3"));
	rewrite(REFLOG_DRY_RUN, &k, ENTRY(A, B, "1") ENTRY(B, C, "2") ENTRY(C, A, "3"));
	check_text("repo/refs/heads/x", A "\n");
	k.drop = 2;
	rewrite(REFLOG_UPDATE_REF, &k, ENTRY(A, B, "1") ENTRY(B, C, "2"));
	check_text("repo/refs/heads/x", C "\n");
}

/* What others append after the decision stays; another log is decided anew. */
static void rewrites_what_is_there_now(void **state UNUSED)
{
	struct keeper k = { 0, ENTRY(A, B, "1") ENTRY(B, C, "2") ENTRY(C, A, "3")
			       ENTRY(A, B, "4"), 0 };

	write_text("repo/refs/heads/x", A "\n");
	rewrite(0, &k, ENTRY(B, C, "2") ENTRY(C, A, "3") ENTRY(A, B, "4"));
	assert_int_equal(k.calls, 3);
	k = (struct keeper){ 2, ENTRY(A, B, "1") ENTRY(B, C, "2") ENTRY(C, A, "3")
				ENTRY(A, B, "4"), 0 };
	rewrite(REFLOG_FIX_OLD | REFLOG_UPDATE_REF, &k,
		"0000000000000000000000000000000000000000 " B " x <y> 1 +0000\t1\n"
		ENTRY(B, C, "2") ENTRY(C, B, "4"));
	check_text("repo/refs/heads/x", A "\n"); /* the last entry has not gone */
	k = (struct keeper){ 0, ENTRY(C, B, "other") ENTRY(B, C, "log"), 0 };
	rewrite(0, &k, ENTRY(B, C, "log"));
	assert_int_equal(k.calls, 5);
}

/* Nothing stays of a rewrite that is given up; a log that others hold is left alone. */
static void gives_up_rewrites(void **state UNUSED)
{
	static const char before[] = ENTRY(A, B, "1") ENTRY(B, C, "2");
	struct fsync_batch *b = new_batch();
	struct keeper k = { 0, NULL, 0 };

	write_text("repo/refs/heads/x", A "\n");
	write_text(LOG, before);
	assert_int_equal(reflog_rewrite(rs, "refs/heads/x", 0, keep_others, &k, b, NULL), 0);
	aux_must("test -f " LOG ".lock && test -f repo/refs/heads/x.lock");
	fsync_batch_abort(b);
	check_text(LOG, before);
	aux_must("test -z \"$(find repo -name '*.lock')\"");
	aux_must("touch repo/refs/heads/x.lock");
	assert_int_equal(reflog_rewrite(rs, "refs/heads/x", 0, keep_others, &k, b, NULL),
			 ERR_LOCKED);
	aux_must("mv repo/refs/heads/x.lock " LOG ".lock");
	assert_int_equal(reflog_rewrite(rs, "refs/heads/x", 0, keep_others, &k, b, NULL),
			 ERR_LOCKED);
	aux_must("rm " LOG ".lock && test -z \"$(find repo -name '*.lock')\"");
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	check_text(LOG, before);
	fsync_batch_free(b);
}

static void reads_damaged_logs(void **state UNUSED)
{
	static const char good[] = A " " B " x <y> 1 +0000\tm\n";
	struct strbuf text = STRBUF_INIT;
	size_t n;
	int seen = 0;

	strbuf_addstr(&text, "garbage\n\n");
	strbuf_addstr(&text, good);
	strbuf_add(&text, A " \0\0\n", 45);
	strbuf_addstr(&text, A " " B " no mail\n" A " " B " x <y> nodate\n");
	strbuf_addstr(&text, good);
	strbuf_addstr(&text, A " " B " x <y> 1 +00");
	write_text("repo/logs/refs/heads/x", "");
	aux_write("repo/logs/refs/heads/x", text.buf, text.len);
	assert_int_equal(reflog_foreach(rs, "refs/heads/x", false, count_entry, &seen, NULL), 0);
	assert_int_equal(seen, 2);
	assert_int_equal(reflog_foreach(rs, "refs/heads/x", true, count_entry, &seen, NULL), 0);
	assert_int_equal(seen, 4);
	/* Cut anywhere: never a crash. */
	for (n = 0; n < text.len; n++) {
		aux_write("repo/logs/refs/heads/x", text.buf, n);
		assert_int_equal(reflog_foreach(rs, "refs/heads/x", n & 1, count_entry, &seen,
						NULL), 0);
	}
	assert_int_equal(reflog_foreach(rs, "refs/heads/none", true, count_entry, &seen, NULL),
			 ERR_NOT_FOUND);
	strbuf_release(&text);
}

static void symrefs_change(void **state UNUSED)
{
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	struct err err = ERR_INIT;
	char *target;
	struct object_id oid;

	write_text("repo/refs/heads/x", A "\n");
	assert_int_equal(ref_transaction_update_symref(t, "HEAD", "refs/heads/x", "refs/heads/main",
						       REF_NO_DEREF, "move", NULL), 0);
	assert_int_equal(run(t, NULL), 0);
	assert_int_equal(ref_read_raw(rs, "HEAD", &oid, &target, NULL), 0);
	assert_string_equal(target, "refs/heads/x");
	free(target);
	expect_log("HEAD", false, "0a C O Mitter <c@example.com> 1700000000 100 move\n");
	t = ref_transaction_begin(rs, 0);
	assert_int_equal(ref_transaction_update_symref(t, "HEAD", "refs/heads/y", "refs/heads/main",
						       REF_NO_DEREF, "move", NULL), 0);
	expect_failure(run(t, &err), &err, "verifying symref target: 'HEAD': is at refs/heads/x but "
		       "expected refs/heads/main");
	expect_no_litter();
}

static void single_refs_may_fail(void **state UNUSED)
{
	struct ref_transaction *t = ref_transaction_begin(rs, REF_TRANSACTION_ALLOW_FAILURE);
	struct fsync_batch *b = new_batch();
	const char *msg;

	write_text("repo/refs/heads/x", A "\n");
	ref_transaction_set_ident(t, IDENT);
	assert_int_equal(ref_transaction_update(t, "refs/heads/a", &oid_a, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/x", &oid_b, &oid_c, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/x/y", &oid_b, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/b", &oid_b, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/b", &oid_c, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_prepare(t, b, NULL), 0);
	assert_int_equal(ref_transaction_commit(t, NULL), 0);
	assert_int_equal(ref_transaction_nr(t), 5);
	assert_int_equal(update_result(t, 0, &msg), 0);
	assert_int_equal(update_result(t, 1, &msg), ERR_CONFLICT);
	assert_non_null(strstr(msg, "but expected"));
	assert_int_equal(update_result(t, 2, &msg), ERR_CONFLICT);
	assert_int_equal(update_result(t, 3, &msg), 0);
	assert_int_equal(update_result(t, 4, &msg), ERR_INVALID);
	expect_ref("refs/heads/a", &oid_a);
	expect_ref("refs/heads/x", &oid_a);
	expect_ref("refs/heads/b", &oid_b);
	ref_transaction_free(t);
	fsync_batch_free(b);
	expect_no_litter();
}

static void gives_everything_back(void **state UNUSED)
{
	struct fsync_batch *b = new_batch();
	struct ref_transaction *t = ref_transaction_begin(rs, 0);

	write_text("repo/refs/heads/main", A "\n");
	write_text("repo/logs/HEAD", A " " A " x <y> 1 +0000\tbefore\n");
	ref_transaction_set_ident(t, IDENT);
	assert_int_equal(ref_transaction_update(t, "refs/heads/main", &oid_b, NULL, 0, "m", NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/new/x", &oid_b, NULL, 0, "m", NULL), 0);
	assert_int_equal(ref_transaction_prepare(t, b, NULL), 0);
	/* Lines of logs come when the objects are there, files and locks now. */
	aux_must("! grep -q 'm$' repo/logs/HEAD && test -e repo/logs/refs/heads/new/x &&"
	     "test -e repo/refs/heads/main.lock");
	ref_transaction_abort(t);
	ref_transaction_free(t);
	expect_ref("refs/heads/main", &oid_a);
	expect_log("HEAD", false, "aa x <y> 1 0 before\n");
	assert_false(reflog_exists(rs, "refs/heads/main"));
	aux_must("test ! -e repo/refs/heads/new && test ! -e repo/logs/refs/heads/new");
	expect_no_litter();
	fsync_batch_free(b);
}

static void locks_are_respected(void **state UNUSED)
{
	struct err err = ERR_INIT;
	int rc;

	write_text("repo/refs/heads/x.lock", "");
	rc = update("refs/heads/x", &oid_a, NULL, 0, &err);
	assert_int_equal(rc, ERR_LOCKED);
	assert_non_null(strstr(err_message(&err), "cannot lock ref 'refs/heads/x': Unable to create '/"));
	assert_non_null(strstr(err_message(&err), "/repo/refs/heads/x.lock': File exists."));
	err_release(&err);
	write_text("repo/packed-refs", HEADER A " refs/heads/p\n");
	write_text("repo/packed-refs.lock", "");
	assert_int_equal(update("refs/heads/p", null_oid, NULL, 0, &err), ERR_LOCKED);
	err_release(&err);
	expect_ref("refs/heads/p", &oid_a);
	aux_must("test ! -e repo/refs/heads/p.lock");
}

/* More refs than descriptors. */
static void many_refs(void **state UNUSED)
{
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	struct object_id oid = oid_a;
	char name[64];
	int i, nr = 400;
	struct rlimit lim, few = { 64, 64 };

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &lim), 0);
	few.rlim_max = lim.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "refs/heads/dir%d/branch-%d", i % 10, i);
		assert_int_equal(ref_transaction_update(t, name, &oid, null_oid, 0, "m", NULL), 0);
	}
	assert_int_equal(run(t, NULL), 0);
	expect_ref("refs/heads/dir9/branch-399", &oid_a);
	t = ref_transaction_begin(rs, 0);
	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "refs/heads/dir%d/branch-%d", i % 10, i);
		assert_int_equal(ref_transaction_update(t, name, i % 2 ? null_oid : &oid_b, &oid_a,
							0, "m", NULL), 0);
	}
	assert_int_equal(run(t, NULL), 0);
	expect_ref("refs/heads/dir9/branch-399", NULL);
	expect_ref("refs/heads/dir8/branch-398", &oid_b);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &lim), 0);
	expect_no_litter();
}

static void worktree_prefixes(void **state UNUSED)
{
	struct ref_store_options o = {
		.backend = &files_ref_backend, .gitdir = "repo/worktrees/wt", .commondir = "repo", .algo = hash_sha1,
	};
	struct ref_store *wt;
	struct object_id oid;

	write_text("repo/refs/heads/main", A "\n");
	write_text("repo/packed-refs", HEADER C " refs/heads/p\n");
	write_text("repo/worktrees/wt/HEAD", B "\n");
	write_text("repo/worktrees/wt/refs/bisect/bad", C "\n");
	assert_int_equal(ref_store_open(&wt, &o, NULL), 0);
	expect_ref("worktrees/wt/HEAD", &oid_b);
	expect_ref("worktrees/wt/refs/bisect/bad", &oid_c);
	expect_ref("refs/bisect/bad", NULL);
	assert_int_equal(ref_resolve(wt, "HEAD", &oid, NULL, NULL, NULL), 0);
	assert_true(oid_eq(&oid, &oid_b));
	assert_int_equal(ref_resolve(wt, "main-worktree/HEAD", &oid, NULL, NULL, NULL), 0);
	assert_true(oid_eq(&oid, &oid_a));
	assert_int_equal(ref_resolve(wt, "main-worktree/refs/heads/p", &oid, NULL, NULL, NULL), 0);
	assert_true(oid_eq(&oid, &oid_c));
	assert_int_equal(ref_resolve(wt, "refs/heads/main", &oid, NULL, NULL, NULL), 0);
	assert_int_equal(ref_resolve(wt, "worktrees/../HEAD", &oid, NULL, NULL, NULL), ERR_INVALID);
	ref_store_free(wt);
}

/* A ref that is a symbolic link: the link's own time and kind count. */
static void times_of_links(void **state UNUSED)
{
	struct loose_value v;
	struct stat st, want;

	aux_must("ln -s refs/heads/main repo/LINK");
	assert_int_equal(lstat("repo/LINK", &want), 0);
	assert_int_equal(loose_read_path(rs, "repo/LINK", &v, &st, NULL), 0);
	assert_int_equal(v.kind, LOOSE_SYMREF);
	assert_string_equal(v.target, "refs/heads/main");
	assert_true(S_ISLNK(st.st_mode) && st.st_ino == want.st_ino);
	free(v.target);
	assert_int_equal(loose_read_path(rs, "repo/NONE", &v, &st, NULL), 0);
	assert_int_equal(v.kind, LOOSE_MISSING);
	assert_int_equal(st.st_ino, 0);
	aux_must("rm repo/LINK");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define WITH_STORE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		WITH_STORE(reads_what_files_say),
		WITH_STORE(times_of_links),
		WITH_STORE(lists_in_order),
		WITH_STORE(short_names),
		WITH_STORE(creates_updates_deletes),
		WITH_STORE(checks_old_values),
		WITH_STORE(refuses_conflicting_names),
		WITH_STORE(conflicting_names_in_two_transactions),
		WITH_STORE(empty_directories_give_way),
		WITH_STORE(deletes_packed_and_loose),
		WITH_STORE(packs_what_it_cannot_peel),
		WITH_STORE(quick_changes_have_other_times),
		WITH_STORE(logs_both_names), WITH_STORE(logs_steps), WITH_STORE(logs_move),
		WITH_STORE(reads_damaged_logs),
		WITH_STORE(rewrites_logs),
		WITH_STORE(rewrites_what_is_there_now),
		WITH_STORE(gives_up_rewrites),
		WITH_STORE(symrefs_change),
		WITH_STORE(single_refs_may_fail),
		WITH_STORE(gives_everything_back),
		WITH_STORE(locks_are_respected),
		WITH_STORE(many_refs),
		WITH_STORE(worktree_prefixes),
	};

	oid_from_hex(&oid_a, A, hash_sha1);
	oid_from_hex(&oid_b, B, hash_sha1);
	oid_from_hex(&oid_c, C, hash_sha1);
	null_oid = &hash_sha1->null_oid;
	aux_enter_dir();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
