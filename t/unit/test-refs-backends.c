/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a transaction does wherever the refs live: each test runs with refs in files, in tables, and
 * in memory. What only files can do is in the other test-refs-*.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <sys/wait.h>
#include "t/fault.h"
#include "refs/files/files.h"
#include "refs/refs-backend.h"
#include "refs/reftable/reftable.h"
#include "t/unit/pack-aux.h"
#include "t/unit/refs-aux.h"
#include "t/unit/refs-memory.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

static struct ref_store *rs;
static struct object_id oid_a, oid_b, oid_c, oid_d;
static const struct object_id *null_oid;

/* ---- objects: A to C are commits, D is none, others are not there ---- */

static size_t looked_up;

static int object_info(void *data UNUSED, const struct object_id *oid, struct object_info *out,
		       struct err *err)
{
	looked_up++;
	memset(out, 0, sizeof(*out));
	out->type = oid_eq(oid, &oid_d) ? OBJ_BLOB : OBJ_COMMIT;
	if (oid->hash[0] < 0xaa)
		return err_set(err, ERR_NOT_FOUND, "no such object");
	return 0;
}
static const struct object_source objects = { .info = object_info };

/* ---- the hook: what it has been given, and what it answers ---- */

static struct strbuf hook_calls = STRBUF_INIT;
static bool hook_refuses;

static bool hook_is_there(void *data UNUSED)
{
	return true;
}

/* "STATE: NAME NAME …;" */
static int run_hook(void *data UNUSED, const char *state, const char *lines,
		    struct err *err UNUSED)
{
	const char *line, *end;

	strbuf_addf(&hook_calls, "%s:", state);
	for (line = lines; (end = strchr(line, '\n')); line = end + 1) {
		const char *name = strchr(strchr(line, ' ') + 1, ' ');

		strbuf_add(&hook_calls, name, end - name);
	}
	strbuf_addstr(&hook_calls, "; ");
	return hook_refuses && !strcmp(state, "prepared") ? ERR_CONFLICT : 0;
}
static const struct ref_hook hook = { .is_there = hook_is_there, .run = run_hook };

static void expect_hook(const char *want)
{
	assert_string_equal(hook_calls.buf, want);
	strbuf_reset(&hook_calls);
}

/* ---- the stores ---- */

static int open_store(const struct ref_backend *backend)
{
	struct ref_store_options o = {
		.backend = backend, .gitdir = "repo", .algo = hash_sha1, .objects = &objects,
		.lock_timeout_ms = 0, .table_lock_timeout_ms = 0,
	};

	aux_must("rm -rf repo && mkdir -p repo/refs/heads repo/objects &&"
		 "echo 'ref: refs/heads/main' >repo/HEAD");
	strbuf_reset(&hook_calls);
	hook_refuses = false;
	return ref_store_open(&rs, &o, NULL);
}

static int set_up_files(void **state UNUSED)
{
	return open_store(&files_ref_backend);
}

static int set_up_memory(void **state UNUSED)
{
	return open_store(&memory_ref_backend);
}

static int tear_down(void **state UNUSED)
{
	ref_store_free(rs);
	return 0;
}

/* ---- short words ---- */

static struct fsync_batch *new_batch(void)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };

	return fsync_batch_new(&o);
}

static struct ref_transaction *begin(unsigned flags)
{
	struct ref_transaction *t = ref_transaction_begin(rs, flags);

	ref_transaction_set_ident(t, IDENT);
	return t;
}

static void queue(struct ref_transaction *t, const char *name, const struct object_id *new_oid,
		  const struct object_id *old_oid)
{
	assert_int_equal(ref_transaction_update(t, name, new_oid, old_oid, 0, "m", NULL), 0);
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
	struct ref_transaction *t = begin(0);
	int rc = ref_transaction_update(t, name, new_oid, old_oid, flags, " a\n message ", err);

	if (!rc)
		return run(t, err);
	ref_transaction_free(t);
	return rc;
}

static int set_symref(const char *name, const char *target, const char *old_target,
		      struct err *err)
{
	struct ref_transaction *t = begin(0);

	assert_int_equal(ref_transaction_update_symref(t, name, target, old_target,
						       REF_NO_DEREF, "move", NULL), 0);
	return run(t, err);
}

static void make(const char *name, const struct object_id *oid)
{
	assert_int_equal(update(name, oid, NULL, REF_NO_DEREF, NULL), 0);
}

static int set_up_reftable(void **state UNUSED)
{
	struct ref_transaction *t;
	int rc = open_store(&reftable_ref_backend);

	if (rc < 0)
		return rc;
	t = begin(0);
	rc = ref_transaction_update_symref(t, "HEAD", "refs/heads/main", NULL, REF_NO_DEREF | REF_SKIP_REFLOG, NULL, NULL);
	return rc ? rc : run(t, NULL);
}

static bool in_tables(void)
{
	return rs->backend == &reftable_ref_backend;
}

/* As in Git, messages about conflicts of names say which ref was to be locked in files, and not in tables. */
static const char *conflict_message(const char *message)
{
	return in_tables() && starts_with(message, "cannot lock ref '") ? strchr(message, ':') + 2 :
		message;
}

static void expect_failure(int rc, enum err_code code, struct err *err, const char *message)
{
	assert_string_equal(err_message(err), message);
	assert_int_equal(rc, code);
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

static void expect_target(const char *name, const char *want)
{
	struct object_id oid;
	char *target;

	assert_int_equal(ref_read_raw(rs, name, &oid, &target, NULL), 0);
	assert_string_equal(target, want);
	free(target);
}

static int log_line(void *data, const struct reflog_entry *e)
{
	strbuf_addf(data, "%.1s%.1s %s, ", oid_hex(&e->old_oid), oid_hex(&e->new_oid), e->msg);
	return 0;
}

static void expect_log(const char *name, const char *want)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(reflog_foreach(rs, name, false, log_line, &out, NULL), 0);
	assert_string_equal(out.buf, want);
	strbuf_release(&out);
}

/* No process holds a lock of it any more. */
static void expect_unlocked(const char *name)
{
	struct ref_transaction *t = begin(0);
	struct object_id oid;

	if (ref_resolve(rs, name, &oid, NULL, NULL, NULL) < 0)
		oid = *null_oid;
	assert_int_equal(ref_transaction_verify(t, name, &oid, REF_NO_DEREF, NULL), 0);
	assert_int_equal(run(t, NULL), 0);
}

/* ---- values ---- */

static void creates_updates_deletes(void **state UNUSED)
{
	assert_int_equal(update("refs/heads/x/y", &oid_a, null_oid, 0, NULL), 0);
	expect_ref("refs/heads/x/y", &oid_a);
	assert_int_equal(update("refs/heads/x/y", &oid_b, &oid_a, 0, NULL), 0);
	expect_ref("refs/heads/x/y", &oid_b);
	expect_log("refs/heads/x/y", "0a a message, ab a message, ");
	assert_int_equal(update("refs/heads/x/y", null_oid, &oid_b, 0, NULL), 0);
	expect_ref("refs/heads/x/y", NULL);
	assert_false(reflog_exists(rs, "refs/heads/x/y"));
	/* The name is free again, and so is the one above. */
	make("refs/heads/x", &oid_c);
	expect_ref("refs/heads/x", &oid_c);
}

static void changes_many_together(void **state UNUSED)
{
	struct ref_transaction *t = begin(0);

	make("refs/heads/gone", &oid_a);
	make("refs/heads/moved", &oid_a);
	queue(t, "refs/heads/new", &oid_c, null_oid);
	queue(t, "refs/heads/moved", &oid_b, &oid_a);
	queue(t, "refs/heads/gone", null_oid, &oid_a);
	assert_int_equal(run(t, NULL), 0);
	expect_ref("refs/heads/new", &oid_c);
	expect_ref("refs/heads/moved", &oid_b);
	expect_ref("refs/heads/gone", NULL);
}

static void checks_old_values(void **state UNUSED)
{
	struct err err = ERR_INIT;

	make("refs/heads/x", &oid_a);
	expect_failure(update("refs/heads/x", &oid_b, &oid_c, 0, &err), ERR_CONFLICT, &err,
		       "cannot lock ref 'refs/heads/x': is at " A " but expected " C);
	expect_failure(update("refs/heads/x", &oid_b, null_oid, 0, &err), ERR_CONFLICT, &err,
		       "cannot lock ref 'refs/heads/x': reference already exists");
	expect_failure(update("refs/heads/none", &oid_b, &oid_c, 0, &err), ERR_CONFLICT, &err,
		       "cannot lock ref 'refs/heads/none': unable to resolve reference "
		       "'refs/heads/none'");
	expect_failure(update("refs/heads/a..b", &oid_b, NULL, 0, &err), ERR_INVALID, &err,
		       "refusing to update ref with bad name 'refs/heads/a..b'");
	expect_ref("refs/heads/x", &oid_a);
	expect_unlocked("refs/heads/x");
	expect_unlocked("refs/heads/none");
}

static void checks_new_values(void **state UNUSED)
{
	struct object_id missing = *null_oid;
	struct err err = ERR_INIT;

	missing.hash[0] = 1;
	expect_failure(update("refs/heads/x", &missing, NULL, 0, &err), ERR_INVALID, &err,
		       "trying to write ref 'refs/heads/x' with nonexistent object 0100000000000000000000000000000000000000");
	expect_failure(update("refs/heads/x", &oid_d, NULL, 0, &err), ERR_INVALID, &err,
		       "trying to write non-commit object " D
		       " to branch 'refs/heads/x'");
	assert_int_equal(update("refs/tags/x", &oid_d, NULL, 0, NULL), 0);
	expect_ref("refs/heads/x", NULL);
}

/* Neither a check nor a peeled value takes a second look at it. */
static void values_are_looked_up_once(void **state UNUSED)
{
	struct ref_transaction *t = begin(0);

	looked_up = 0;
	queue(t, "refs/heads/a", &oid_a, NULL);
	queue(t, "refs/heads/b", &oid_b, NULL);
	queue(t, "refs/tags/c", &oid_c, NULL);
	assert_int_equal(run(t, NULL), 0);
	assert_int_equal(looked_up, 3);
}

static void only_looks(void **state UNUSED)
{
	struct ref_transaction *t = begin(0);
	struct err err = ERR_INIT;

	make("refs/heads/x", &oid_a);
	assert_int_equal(ref_transaction_verify(t, "refs/heads/x", &oid_a, 0, NULL), 0);
	queue(t, "refs/heads/y", &oid_b, NULL);
	assert_int_equal(run(t, NULL), 0);
	expect_ref("refs/heads/y", &oid_b);
	t = begin(0);
	assert_int_equal(ref_transaction_verify(t, "refs/heads/x", &oid_b, 0, NULL), 0);
	queue(t, "refs/heads/y", &oid_c, NULL);
	expect_failure(run(t, &err), ERR_CONFLICT, &err,
		       "cannot lock ref 'refs/heads/x': is at " A " but expected " B);
	expect_ref("refs/heads/y", &oid_b);
}

/* ---- names ---- */

static void refuses_conflicting_names(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct ref_transaction *t;

	make("refs/heads/x", &oid_a);
	make("refs/heads/q/r", &oid_a);
	expect_failure(update("refs/heads/x/y", &oid_b, NULL, 0, &err), ERR_CONFLICT, &err,
		       conflict_message("cannot lock ref 'refs/heads/x/y': 'refs/heads/x' exists; cannot create "
					"'refs/heads/x/y'"));
	expect_failure(update("refs/heads/q", &oid_b, NULL, 0, &err), ERR_CONFLICT, &err,
		       conflict_message("cannot lock ref 'refs/heads/q': 'refs/heads/q/r' exists; cannot create "
					"'refs/heads/q'"));
	t = begin(0);
	queue(t, "refs/heads/n/m", &oid_a, NULL);
	queue(t, "refs/heads/n", &oid_a, NULL);
	expect_failure(run(t, &err), ERR_CONFLICT, &err,
		       conflict_message("cannot lock ref 'refs/heads/n': cannot "
					"process 'refs/heads/n' and 'refs/heads/n/m' at the same time"));
	t = begin(0);
	queue(t, "refs/heads/n", &oid_a, NULL);
	queue(t, "refs/heads/n", &oid_b, NULL);
	expect_failure(run(t, &err), ERR_INVALID, &err,
		       "multiple updates for ref 'refs/heads/n' not allowed");
	expect_ref("refs/heads/n", NULL);
}

static void conflicting_names_in_two_transactions(void **state UNUSED)
{
	struct fsync_batch *b = new_batch();
	struct ref_transaction *t = begin(0);
	struct err err = ERR_INIT;

	queue(t, "refs/heads/n", &oid_a, NULL);
	assert_int_equal(ref_transaction_prepare(t, b, NULL), 0);
	if (in_tables())
		assert_int_equal(update("refs/heads/n/m", &oid_b, NULL, 0, NULL), ERR_LOCKED);
	else
		expect_failure(update("refs/heads/n/m", &oid_b, NULL, 0, &err), ERR_CONFLICT, &err,
		       "cannot lock ref 'refs/heads/n/m': 'refs/heads/n' is locked; cannot create "
		       "'refs/heads/n/m'");
	assert_int_equal(ref_transaction_commit(t, NULL), 0);
	ref_transaction_free(t);
	expect_ref("refs/heads/n", &oid_a);
	fsync_batch_free(b);
}

static int collect(void *data, const struct ref *ref)
{
	strbuf_addf(data, "%s %.1s%s, ", ref->name, oid_hex(&ref->oid),
		    ref->flags & REF_IS_BROKEN ? " broken" : "");
	return 0;
}

static void lists_in_order(void **state UNUSED)
{
	struct strbuf out = STRBUF_INIT;

	make("refs/heads/a/b", &oid_a);
	make("refs/heads/a-b", &oid_b);
	make("refs/tags/t", &oid_c);
	assert_int_equal(set_symref("refs/heads/s", "refs/heads/a-b", NULL, NULL), 0);
	assert_int_equal(set_symref("refs/heads/u", "refs/heads/none", NULL, NULL), 0);
	make("refs/heads/gone", &oid_c);
	assert_int_equal(update("refs/heads/gone", null_oid, NULL, 0, NULL), 0);
	assert_int_equal(refs_foreach(rs, "", 0, collect, &out, NULL), 0);
	assert_string_equal(out.buf, "refs/heads/a-b b, refs/heads/a/b a, refs/heads/s b, "
			    "refs/tags/t c, ");
	strbuf_reset(&out);
	assert_int_equal(refs_foreach(rs, "refs/heads/", REFS_INCLUDE_BROKEN, collect, &out,
				      NULL), 0);
	assert_string_equal(out.buf, "refs/heads/a-b b, refs/heads/a/b a, refs/heads/s b, "
			    "refs/heads/u 0 broken, ");
	strbuf_release(&out);
}

static void collect_range(struct strbuf *out, const char *prefix, const char *after, const struct strvec *except)
{
	const struct ref_range range = { prefix, after, except };

	strbuf_reset(out);
	assert_int_equal(refs_foreach_in(rs, &range, 0, collect, out, NULL), 0);
}

static void leaves_out_directories(void **state UNUSED)
{
	struct strvec except = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;

	make("refs/heads/a/b", &oid_a);
	make("refs/heads/a/c/d", &oid_a);
	make("refs/heads/a-b", &oid_b);
	make("refs/heads/a0", &oid_b);
	make("refs/pull/1", &oid_c);
	make("refs/tags/t", &oid_c);
	strvec_pushl(&except, "refs/heads/a/", "refs/none/", "refs/pull/", NULL);
	collect_range(&out, "", NULL, &except);
	assert_string_equal(out.buf, "refs/heads/a-b b, refs/heads/a0 b, refs/tags/t c, ");
	collect_range(&out, "refs/heads/a/c", NULL, &except);
	assert_string_equal(out.buf, "");
	collect_range(&out, "", "refs/heads/a/b", &except);
	assert_string_equal(out.buf, "refs/heads/a0 b, refs/tags/t c, ");
	strbuf_release(&out);
	strvec_clear(&except);
}

static void begins_after_a_name(void **state UNUSED)
{
	struct strbuf out = STRBUF_INIT;

	make("refs/heads/a", &oid_a);
	make("refs/heads/b", &oid_b);
	make("refs/heads/c/d", &oid_c);
	make("refs/tags/t", &oid_c);
	collect_range(&out, "", "refs/heads/a", NULL);
	assert_string_equal(out.buf, "refs/heads/b b, refs/heads/c/d c, refs/tags/t c, ");
	collect_range(&out, "", "refs/heads/aa", NULL);
	assert_string_equal(out.buf, "refs/heads/b b, refs/heads/c/d c, refs/tags/t c, ");
	collect_range(&out, "refs/heads/", "refs/heads/b", NULL);
	assert_string_equal(out.buf, "refs/heads/c/d c, ");
	collect_range(&out, "refs/tags/", "refs/heads/b", NULL);
	assert_string_equal(out.buf, "refs/tags/t c, ");
	collect_range(&out, "refs/heads/", "refs/tags/t", NULL);
	assert_string_equal(out.buf, "");
	strbuf_release(&out);
}

/* ---- symbolic refs and reflogs ---- */

static void follows_symrefs(void **state UNUSED)
{
	struct err err = ERR_INIT;

	assert_int_equal(update("HEAD", &oid_a, NULL, 0, NULL), 0);
	expect_ref("refs/heads/main", &oid_a);
	expect_target("HEAD", "refs/heads/main");
	assert_int_equal(update("refs/heads/main", &oid_b, NULL, 0, NULL), 0);
	/* The branch has that value already: only HEAD's log gets a line. */
	assert_int_equal(update("HEAD", &oid_b, NULL, 0, NULL), 0);
	expect_log("HEAD", "0a a message, ab a message, bb a message, ");
	expect_log("refs/heads/main", "0a a message, ab a message, ");
	expect_failure(update("HEAD", &oid_c, &oid_a, 0, &err), ERR_CONFLICT, &err,
		       "cannot lock ref 'HEAD': is at " B " but expected " A);
	/* Detached: the symref itself. */
	assert_int_equal(update("HEAD", &oid_c, &oid_b, REF_NO_DEREF, NULL), 0);
	expect_ref("refs/heads/main", &oid_b);
	expect_ref("HEAD", &oid_c);
	expect_log("HEAD", "0a a message, ab a message, bb a message, bc a message, ");
}

static void symrefs_change(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct ref_transaction *t;

	make("refs/heads/x", &oid_a);
	assert_int_equal(set_symref("HEAD", "refs/heads/x", "refs/heads/main", NULL), 0);
	expect_target("HEAD", "refs/heads/x");
	expect_log("HEAD", "0a move, ");
	expect_failure(set_symref("HEAD", "refs/heads/y", "refs/heads/main", &err), ERR_CONFLICT,
		       &err, "verifying symref target: 'HEAD': is at "
		       "refs/heads/x but expected refs/heads/main");
	expect_failure(set_symref("refs/heads/x", "refs/heads/y", "refs/heads/z", &err),
		       ERR_CONFLICT, &err, "cannot lock ref 'refs/heads/x': expected symref with "
		       "target 'refs/heads/z': but is a regular ref");
	/* A branch that is yet to be born: nothing for the log. */
	assert_int_equal(set_symref("HEAD", "refs/heads/unborn", NULL, NULL), 0);
	expect_log("HEAD", "0a move, ");
	assert_int_equal(set_symref("HEAD", "refs/heads/x", NULL, NULL), 0);
	expect_log("HEAD", "0a move, 0a move, ");
	t = begin(0);
	assert_int_equal(ref_transaction_verify_symref(t, "HEAD", "refs/heads/x", NULL), 0);
	assert_int_equal(run(t, NULL), 0);
	assert_int_equal(set_symref("refs/heads/s", "refs/heads/x", NULL, NULL), 0);
	assert_int_equal(set_symref("refs/heads/s", NULL, "refs/heads/x", NULL), 0);
	expect_ref("refs/heads/s", NULL);
	expect_ref("refs/heads/x", &oid_a);
}

static void logs_are_made_where_wanted(void **state UNUSED)
{
	make("refs/tags/t", &oid_a);
	assert_false(reflog_exists(rs, "refs/tags/t"));
	assert_int_equal(update("refs/tags/t", &oid_b, NULL, REF_FORCE_REFLOG, NULL), 0);
	assert_int_equal(update("refs/tags/t", &oid_c, NULL, 0, NULL), 0);
	expect_log("refs/tags/t", "ab a message, bc a message, ");
	assert_int_equal(update("refs/tags/t", &oid_a, NULL, REF_SKIP_REFLOG, NULL), 0);
	expect_log("refs/tags/t", "ab a message, bc a message, ");
}

static void logs_are_inherited(void **state UNUSED)
{
	struct ref_transaction *t = begin(0);

	make("refs/heads/x", &oid_a);
	assert_int_equal(ref_transaction_update(t, "refs/heads/y", &oid_a, null_oid,
						REF_NO_DEREF | REF_SKIP_REFLOG, "renamed", NULL), 0);
	ref_transaction_inherit_log(t, "refs/heads/x");
	assert_int_equal(ref_transaction_update(t, "refs/heads/x", null_oid, &oid_a,
						REF_NO_DEREF | REF_SKIP_REFLOG, NULL, NULL), 0);
	assert_int_equal(run(t, NULL), 0);
	expect_ref("refs/heads/x", NULL);
	expect_log("refs/heads/y", "0a a message, aa renamed, ");
	assert_false(reflog_exists(rs, "refs/heads/x"));
}

/* ---- single failures ---- */

static void expect_rejection(const struct ref_transaction *t, size_t i, int rc,
			     enum ref_failure failure)
{
	struct ref_rejection r;
	const char *msg;

	assert_int_equal(update_result(t, i, &msg), rc);
	assert_int_equal(ref_transaction_rejection(t, i, &r), rc < 0);
	if (rc < 0) {
		assert_int_equal(r.failure, failure);
		assert_string_equal(r.msg, msg);
	}
}

static void single_refs_may_fail(void **state UNUSED)
{
	struct ref_transaction *t = begin(REF_TRANSACTION_ALLOW_FAILURE), *other = begin(0);
	struct fsync_batch *b = new_batch(), *theirs = new_batch();

	make("refs/heads/x", &oid_a);
	queue(other, "refs/heads/locked", &oid_c, NULL);
	/* In tables there is one lock for all: the other one has come and gone. */
	assert_int_equal(ref_transaction_prepare(other, theirs, NULL), 0);
	if (in_tables())
		assert_int_equal(ref_transaction_commit(other, NULL), 0);
	ref_store_set_hook(rs, &hook);
	queue(t, "refs/heads/a", &oid_a, NULL);
	queue(t, "refs/heads/x", &oid_b, &oid_c);
	queue(t, "refs/heads/x/y", &oid_b, NULL);
	queue(t, "refs/heads/b", &oid_b, NULL);
	queue(t, "refs/heads/b", &oid_c, NULL);
	queue(t, "refs/heads/d", &oid_d, NULL);
	queue(t, "refs/heads/none", &oid_b, &oid_a);
	queue(t, "refs/heads/locked", &oid_b, in_tables() ? null_oid : NULL);
	assert_int_equal(ref_transaction_prepare(t, b, NULL), 0);
	expect_hook("preparing: refs/heads/a refs/heads/x refs/heads/x/y refs/heads/b refs/heads/b "
		    "refs/heads/d refs/heads/none refs/heads/locked; "
		    "prepared: refs/heads/a refs/heads/b; ");
	ref_store_set_hook(rs, &(struct ref_hook){ .run = NULL });
	/* What has failed is not locked meanwhile. */
	if (!in_tables()) {
		expect_unlocked("refs/heads/x");
		assert_int_equal(ref_transaction_commit(other, NULL), 0);
	}
	assert_int_equal(ref_transaction_commit(t, NULL), 0);
	assert_int_equal(ref_transaction_nr(t), 8);
	expect_rejection(t, 0, 0, 0);
	expect_rejection(t, 1, ERR_CONFLICT, REF_FAILURE_OLD_VALUE);
	expect_rejection(t, 2, ERR_CONFLICT, REF_FAILURE_NAME_CONFLICT);
	expect_rejection(t, 3, 0, 0);
	expect_rejection(t, 4, ERR_INVALID, REF_FAILURE_OTHER);
	expect_rejection(t, 5, ERR_INVALID, REF_FAILURE_NEW_VALUE);
	expect_rejection(t, 6, ERR_CONFLICT, REF_FAILURE_MISSING);
	expect_rejection(t, 7, in_tables() ? ERR_CONFLICT : ERR_LOCKED, in_tables() ? REF_FAILURE_EXISTS : REF_FAILURE_OTHER);
	expect_ref("refs/heads/a", &oid_a);
	expect_ref("refs/heads/x", &oid_a);
	expect_ref("refs/heads/b", &oid_b);
	expect_ref("refs/heads/d", NULL);
	expect_ref("refs/heads/locked", &oid_c);
	ref_transaction_free(other);
	ref_transaction_free(t);
	fsync_batch_free(theirs);
	fsync_batch_free(b);
}

/* ---- how it ends ---- */

static struct ref_transaction *prepared(struct fsync_batch *b)
{
	struct ref_transaction *t = begin(0);

	queue(t, "refs/heads/main", &oid_b, NULL);
	queue(t, "refs/heads/new/x", &oid_b, null_oid);
	assert_int_equal(ref_transaction_prepare(t, b, NULL), 0);
	return t;
}

static void expect_changed(bool changed)
{
	expect_ref("refs/heads/main", changed ? &oid_b : &oid_a);
	expect_ref("refs/heads/new/x", changed ? &oid_b : NULL);
	expect_log("HEAD", changed ? "0a a message, ab m, " : "0a a message, ");
	assert_int_equal(reflog_exists(rs, "refs/heads/new/x"), changed);
	expect_unlocked("refs/heads/main");
	expect_unlocked("refs/heads/new/x");
	expect_unlocked("HEAD");
}

static void locks_until_the_end(void **state UNUSED)
{
	struct fsync_batch *b = new_batch();
	struct ref_transaction *t;

	assert_int_equal(update("HEAD", &oid_a, NULL, 0, NULL), 0);
	t = prepared(b);
	expect_ref("refs/heads/main", &oid_a);
	expect_ref("refs/heads/new/x", NULL);
	assert_int_equal(update("refs/heads/main", &oid_c, NULL, 0, NULL), ERR_LOCKED);
	assert_int_equal(update("HEAD", &oid_c, NULL, 0, NULL), ERR_LOCKED);
	assert_int_equal(ref_transaction_commit(t, NULL), 0);
	ref_transaction_free(t);
	fsync_batch_free(b);
	expect_changed(true);
}

static void an_abort_gives_everything_back(void **state UNUSED)
{
	struct fsync_batch *b = new_batch();
	struct ref_transaction *t;

	assert_int_equal(update("HEAD", &oid_a, NULL, 0, NULL), 0);
	ref_store_set_hook(rs, &hook);
	t = prepared(b);
	ref_transaction_abort(t);
	expect_hook("preparing: refs/heads/main refs/heads/new/x; "
		    "prepared: refs/heads/main refs/heads/new/x HEAD; "
		    "aborted: refs/heads/main refs/heads/new/x HEAD; ");
	ref_transaction_free(t);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	ref_store_set_hook(rs, &(struct ref_hook){ .run = NULL });
	expect_changed(false);
	fsync_batch_free(b);
}

/* The caller commits a batch that holds more than refs. */
static void the_caller_may_commit(void **state UNUSED)
{
	struct fsync_batch *b = new_batch();
	struct ref_transaction *t;

	assert_int_equal(update("HEAD", &oid_a, NULL, 0, NULL), 0);
	ref_store_set_hook(rs, &hook);
	t = prepared(b);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	expect_hook("preparing: refs/heads/main refs/heads/new/x; "
		    "prepared: refs/heads/main refs/heads/new/x HEAD; ");
	ref_transaction_finish(t, 0);
	expect_hook("committed: refs/heads/main refs/heads/new/x HEAD; ");
	ref_transaction_free(t);
	expect_hook("");
	ref_store_set_hook(rs, &(struct ref_hook){ .run = NULL });
	expect_changed(true);
	fsync_batch_free(b);
}

static void the_caller_may_abort(void **state UNUSED)
{
	struct fsync_batch *b = new_batch();
	struct ref_transaction *t;

	assert_int_equal(update("HEAD", &oid_a, NULL, 0, NULL), 0);
	ref_store_set_hook(rs, &hook);
	t = prepared(b);
	fsync_batch_abort(b);
	ref_transaction_finish(t, ERR_IO);
	expect_hook("preparing: refs/heads/main refs/heads/new/x; "
		    "prepared: refs/heads/main refs/heads/new/x HEAD; "
		    "aborted: refs/heads/main refs/heads/new/x HEAD; ");
	ref_transaction_free(t);
	ref_store_set_hook(rs, &(struct ref_hook){ .run = NULL });
	expect_changed(false);
	fsync_batch_free(b);
}

/* Durability is unknown: the hook gets what can be seen. */
static void an_uncertain_end(void **state UNUSED)
{
	struct fsync_batch *b = new_batch();
	struct ref_transaction *t;

	make("refs/heads/main", &oid_a);
	ref_store_set_hook(rs, &hook);
	t = prepared(b);
	fsync_batch_abort(b);
	ref_transaction_finish(t, ERR_UNCERTAIN);
	expect_hook("preparing: refs/heads/main refs/heads/new/x; "
		    "prepared: refs/heads/main refs/heads/new/x HEAD; "
		    "aborted: refs/heads/main refs/heads/new/x HEAD; ");
	ref_transaction_free(t);
	t = prepared(b);
	assert_int_equal(fsync_batch_publish(b, NULL), 0);
	ref_transaction_finish(t, ERR_UNCERTAIN);
	expect_hook("preparing: refs/heads/main refs/heads/new/x; "
		    "prepared: refs/heads/main refs/heads/new/x HEAD; "
		    "committed: refs/heads/main refs/heads/new/x HEAD; ");
	ref_transaction_free(t);
	fsync_batch_free(b);
}

static void count_note(void *data, bool published)
{
	*(int *)data += published ? 1 : 10;
}

static void the_hook_may_refuse(void **state UNUSED)
{
	int notes = 0;
	const struct fsync_staging other = { .order = PUBLISH_FILE, .how = PUBLISH_NOTE,
					     .fd = -1, .done = count_note, .data = &notes };
	struct fsync_batch *b = new_batch();
	struct ref_transaction *t = begin(0);
	struct err err = ERR_INIT;

	assert_int_equal(update("HEAD", &oid_a, NULL, 0, NULL), 0);
	ref_store_set_hook(rs, &hook);
	hook_refuses = true;
	queue(t, "refs/heads/main", &oid_b, NULL);
	queue(t, "refs/heads/new/x", &oid_b, null_oid);
	assert_int_equal(fsync_batch_stage(b, &other, NULL), 0);
	expect_failure(ref_transaction_prepare(t, b, &err), ERR_ABORTED, &err,
		       "in 'prepared' phase, update aborted by the reference-transaction hook");
	expect_hook("preparing: refs/heads/main refs/heads/new/x; "
		    "prepared: refs/heads/main refs/heads/new/x HEAD; "
		    "aborted: refs/heads/main refs/heads/new/x HEAD; ");
	assert_int_equal(notes, 10); /* the batch has been aborted */
	assert_int_equal(ref_transaction_commit(t, &err), ERR_INVALID);
	err_release(&err);
	ref_transaction_finish(t, 0);
	ref_transaction_abort(t);
	ref_transaction_free(t);
	expect_hook("");
	ref_store_set_hook(rs, &(struct ref_hook){ .run = NULL });
	expect_changed(false);
	fsync_batch_free(b);
}

/* What a check refuses has not been staged, and the batch goes on with the rest. */
static void a_refusal_leaves_the_batch(void **state UNUSED)
{
	int notes = 0;
	const struct fsync_staging other = { .order = PUBLISH_FILE, .how = PUBLISH_NOTE,
					     .fd = -1, .done = count_note, .data = &notes };
	struct fsync_batch *b = new_batch();
	struct ref_transaction *t = begin(0);

	ref_store_set_hook(rs, &hook);
	assert_int_equal(fsync_batch_stage(b, &other, NULL), 0);
	queue(t, "refs/heads/n", &oid_b, NULL);
	queue(t, "refs/heads/x", &oid_b, &oid_a);
	assert_int_equal(ref_transaction_prepare(t, b, NULL), ERR_CONFLICT);
	assert_int_equal(notes, 0);
	ref_transaction_free(t);
	expect_hook("preparing: refs/heads/n refs/heads/x; ");
	ref_store_set_hook(rs, &(struct ref_hook){ .run = NULL });
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	assert_int_equal(notes, 1);
	expect_ref("refs/heads/n", NULL);
	expect_unlocked("refs/heads/n");
	fsync_batch_free(b);
}

static void given_up_before_it_is_prepared(void **state UNUSED)
{
	struct ref_transaction *t = begin(0);

	ref_store_set_hook(rs, &hook);
	queue(t, "refs/heads/n", &oid_a, NULL);
	ref_transaction_abort(t);
	expect_hook("aborted: refs/heads/n; ");
	ref_transaction_abort(t);
	ref_transaction_free(t);
	expect_hook("");
	t = begin(0);
	queue(t, "refs/heads/n", &oid_a, NULL);
	ref_transaction_free(t);
	expect_hook("");
}

/* A BUG: the locks and staged files would have no owner. */
static void a_prepared_one_must_end(void **state UNUSED)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		int fd = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666);

		if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
			_exit(1);
		ref_transaction_free(prepared(new_batch()));
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	aux_must("grep -q 'neither committed nor aborted' stderr");
}

/* ---- interrupted transactions that come before ours ---- */

static int to_recover, recovered;

static int lock_after_others(struct ref_transaction *t, struct err *err)
{
	return recovered < to_recover ? REF_LOCK_AFTER_RECOVERY : files_ref_backend.lock(t, err);
}

static void unlock_if_locked(struct ref_transaction *t)
{
	if (recovered >= to_recover)
		files_ref_backend.unlock(t);
}

static int recover_one(struct ref_store *r UNUSED, const struct fsync_policy *policy UNUSED,
		       struct err *err UNUSED)
{
	recovered++;
	return 0;
}

/* Others may begin one while one is being finished; not for ever. */
static void finishes_others_first(void **state UNUSED)
{
	static const struct { int to_recover, rc, recovered; } cases[] = {
		{ 0, 0, 0 }, { 1, 0, 1 }, { 5, 0, 5 }, { 1000, ERR_LOCKED, 11 },
	};
	struct ref_backend backend = files_ref_backend;
	struct ref_store_options o = { .backend = &backend, .gitdir = "after", .algo = hash_sha1 };
	struct ref_store *store;
	struct err err = ERR_INIT;

	backend.lock = lock_after_others;
	backend.unlock = unlock_if_locked;
	backend.recover = recover_one;
	aux_must("mkdir after");
	assert_int_equal(ref_store_open(&store, &o, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ref_transaction *t = ref_transaction_begin(store, 0);

		to_recover = cases[i].to_recover;
		recovered = 0;
		assert_int_equal(ref_transaction_update(t, "refs/heads/x", &oid_a, NULL, 0, NULL, NULL), 0);
		assert_int_equal(run_transaction(t, -1, 0, &err), cases[i].rc);
		assert_int_equal(recovered, cases[i].recovered);
		ref_transaction_free(t);
	}
	assert_non_null(strstr(err_message(&err), "again and again"));
	err_release(&err);
	ref_store_free(store);
	aux_must("rm -r after");
}

int main(void)
{
#define EACH(f) \
	{ "files: " #f, f, set_up_files, tear_down, NULL }, \
	{ "reftable: " #f, f, set_up_reftable, tear_down, NULL }, \
	{ "memory: " #f, f, set_up_memory, tear_down, NULL }
	const struct CMUnitTest tests[] = {
		EACH(creates_updates_deletes),
		EACH(changes_many_together),
		EACH(checks_old_values),
		EACH(checks_new_values),
		EACH(values_are_looked_up_once),
		EACH(only_looks),
		EACH(refuses_conflicting_names),
		EACH(conflicting_names_in_two_transactions),
		EACH(lists_in_order),
		EACH(leaves_out_directories),
		EACH(begins_after_a_name),
		EACH(follows_symrefs),
		EACH(symrefs_change),
		EACH(logs_are_made_where_wanted),
		EACH(logs_are_inherited),
		EACH(single_refs_may_fail),
		EACH(locks_until_the_end),
		EACH(an_abort_gives_everything_back),
		EACH(the_caller_may_commit),
		EACH(the_caller_may_abort),
		EACH(an_uncertain_end),
		EACH(the_hook_may_refuse),
		EACH(a_refusal_leaves_the_batch),
		EACH(given_up_before_it_is_prepared),
		EACH(a_prepared_one_must_end),
		cmocka_unit_test(finishes_others_first),
	};
	int rc;

	oid_from_hex(&oid_a, A, hash_sha1);
	oid_from_hex(&oid_b, B, hash_sha1);
	oid_from_hex(&oid_c, C, hash_sha1);
	oid_from_hex(&oid_d, D, hash_sha1);
	null_oid = &hash_sha1->null_oid;
	aux_enter_dir();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	strbuf_release(&hook_calls);
	return rc;
}
