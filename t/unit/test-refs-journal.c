/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * P6 for transactions that go ref by ref, of refs of every kind: killed before any call, they
 * are finished or dropped by the next command, and nothing dangles meanwhile. What a kill
 * leaves is what a power cut leaves on a journal.
 */
#include "compat/posix.h"
#include <dirent.h>
#include <setjmp.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include "t/fault.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "refs/files/files.h"
#include "refs/files/journal-internal.h"
#include "t/unit/pack-aux.h"
#include "t/unit/refs-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

static struct object_id oid_a, oid_b;
static const struct object_id *null_oid;
static const struct fsync_policy policy = FSYNC_POLICY_DEFAULT;

/*
 * By the names that the main worktree has for them; "": none. refs/heads/packed* are packed,
 * refs/heads/hid* hide a packed value.
 */
struct change {
	const char *name, *old, *new;
};

/* Everything that can change; some of it has to be a file of its own. */
static const struct change of_each_kind[] = {
	{ "HEAD", "ref: refs/heads/main", "ref: refs/heads/new" },
	{ "refs/bisect/bad", A, B },
	{ "refs/bisect/good", "", B },
	{ "refs/bisect/skip", A, "" },
	{ "refs/heads/chain", "", "ref: refs/heads/link" },
	{ "refs/heads/gone", A, "" },
	{ "refs/heads/link", "", "ref: refs/heads/new" },
	{ "refs/heads/new", "", B },
	{ "refs/heads/other", A, B },
	{ "refs/heads/packed", A, B },
	{ "refs/heads/packed-gone", A, "" },
	{ "refs/heads/sym", "ref: refs/heads/main", B },
	{ "refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main", "ref: refs/heads/new" },
	{ "refs/remotes/origin/old", "ref: refs/heads/gone", "" },
	{ "refs/remotes/origin/packed", "ref: refs/heads/packed-gone", "" },
	{ "worktrees/wt/HEAD", A, "ref: refs/heads/new" },
};

/* What can go to packed-refs: the record is for the loose files that go after that. */
static const struct change packable[] = {
	{ "refs/heads/gone", A, "" },
	{ "refs/heads/hidden", A, B },
	{ "refs/heads/hidden-gone", A, "" },
	{ "refs/heads/new", "", B },
	{ "refs/heads/other", A, B },
	{ "refs/heads/packed", A, B },
	{ "refs/heads/packed-gone", A, "" },
	{ "refs/tags/d/other", A, B },
};

static const struct change deletions[] = {
	{ "refs/heads/gone", A, "" },
	{ "refs/heads/hidden-gone", A, "" },
	{ "refs/tags/d/gone", A, "" },
	{ "refs/tags/d/gone-too", A, "" },
};

static const struct change *changes;
static size_t nr_changes;
/* The first call that changes a ref, but for the space and what follows. */
static const char *first_change;

static void use_each_kind(void)
{
	changes = of_each_kind;
	nr_changes = ARRAY_SIZE(of_each_kind);
	first_change = "rename repo/refs/bisect/bad.lock";
	unsetenv("GIT_TEST_REF_COMMIT");
}

static void use_packable(void)
{
	changes = packable;
	nr_changes = ARRAY_SIZE(packable);
	first_change = "rename repo/packed-refs.new";
	setenv("GIT_TEST_REF_COMMIT", "packed", 1);
}

static void use_deletions(void)
{
	use_packable();
	changes = deletions;
	nr_changes = ARRAY_SIZE(deletions);
}

static int after_packable(void **state UNUSED)
{
	use_each_kind();
	return 0;
}

static void set_up_repo(void)
{
	struct strbuf path = STRBUF_INIT, packed = STRBUF_INIT, text = STRBUF_INIT;
	size_t i;

	assert_int_equal(remove_tree("repo", false, NULL), 0);
	assert_int_equal(mkdir("repo", 0777) | mkdir("repo/objects", 0777) | mkdir("repo/refs", 0777), 0);
	write_text("repo/HEAD", "ref: refs/heads/main\n");
	strbuf_addstr(&packed, HEADER);
	for (i = 0; i < nr_changes; i++) {
		strbuf_reset(&path);
		strbuf_reset(&text);
		strbuf_addf(&path, "repo/%s", changes[i].name);
		strbuf_addf(&text, "%s\n", changes[i].old);
		if (starts_with(changes[i].name, "refs/heads/packed"))
			strbuf_addf(&packed, A " %s\n", changes[i].name);
		if (starts_with(changes[i].name, "refs/heads/hid"))
			strbuf_addf(&packed, C " %s\n", changes[i].name);
		if (!starts_with(changes[i].name, "refs/heads/packed") && *changes[i].old)
			write_text(path.buf, text.buf);
	}
	write_text("repo/packed-refs", packed.buf);
	write_text("repo/refs/heads/main", A "\n");
	write_text("repo/refs/remotes/origin/main", A "\n");
	strbuf_release(&text);
	strbuf_release(&packed);
	strbuf_release(&path);
}

/* ---- records ---- */

#define RECORD_NAME "0123456789abcdef"
#define RECORD "repo/ref-journal/" RECORD_NAME

/* In the text of calls, the names of records become "ID". */
static char *without_ids(const char *text)
{
	static const char directory[] = "ref-journal/";
	struct strbuf out = STRBUF_INIT;
	const char *at;

	while ((at = strstr(text, directory)) && strlen(at) >= sizeof(directory) - 1 + 16) {
		strbuf_add(&out, text, at - text);
		strbuf_addf(&out, "%sID", directory);
		text = at + sizeof(directory) - 1 + 16;
	}
	strbuf_addstr(&out, text);
	return strbuf_detach(&out, NULL);
}

/* The one record that there is, one of two rotating buffers; NULL: there is none. */
static const char *record_path(void)
{
	static char paths[2][100];
	static size_t next;
	char *path = paths[next++ % 2];
	struct dirent *de;
	DIR *d = opendir("repo/ref-journal");
	bool found = false;

	while (d && (de = readdir(d)))
		if (de->d_name[0] != '.' && !strchr(de->d_name, '.')) {
			assert_false(found);
			snprintf(path, sizeof(paths[0]), "repo/ref-journal/%.60s", de->d_name);
			found = true;
		}
	if (d)
		closedir(d);
	return found ? path : NULL;
}

static bool no_record(void)
{
	return !record_path();
}

static bool is_abandoned(void)
{
	char *lock = xstrfmt("%s.lock", record_path());
	bool gone = lock_owner_of(lock, NULL) == LOCK_OWNER_GONE;

	free(lock);
	return gone;
}

/* ---- opening, and its messages ---- */

static size_t warnings;

static void count_warning(void *data UNUSED, const char *msg UNUSED)
{
	warnings++;
}

static void say_nothing(const char *lock_path UNUSED, pid_t pid UNUSED)
{
}

static struct ref_store *open_in(const char *gitdir)
{
	struct ref_store_options o = { .backend = &files_ref_backend,
				       .gitdir = gitdir, .commondir = "repo",
				       .algo = hash_sha1 };
	struct ref_store *rs;

	assert_int_equal(ref_store_open(&rs, &o, NULL), 0);
	ref_store_set_warn(rs, count_warning, NULL);
	return rs;
}

/* As the next command does. */
static void finish(void)
{
	struct ref_store *rs = open_in("repo");

	warnings = 0;
	refs_finish_interrupted(rs, &policy);
	ref_store_free(rs);
}

/* ---- the transaction ---- */

static int queue(struct ref_transaction *t, const struct change *c, struct err *err)
{
	const char *target;
	struct object_id oid = *null_oid;

	if (skip_prefix(c->new, "ref: ", &target))
		return ref_transaction_update_symref(t, c->name, target, NULL, REF_NO_DEREF,
						     NULL, err);
	if (*c->new)
		assert_int_equal(oid_from_hex(&oid, c->new, hash_sha1), 0);
	return ref_transaction_update(t, c->name, &oid, NULL, REF_NO_DEREF, NULL, err);
}

static int run_kind(enum fs_kind kind, struct err *err)
{
	struct ref_store *rs = open_in("repo");
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < nr_changes; i++)
		rc = queue(t, &changes[i], err);
	rc = run_transaction(t, kind, rc, err);
	ref_transaction_free(t);
	ref_store_free(rs);
	return rc;
}

static void run(void)
{
	(void)!run_kind(FS_JOURNAL, NULL);
}

/* ---- is it whole? ---- */

enum verdict { OLD, NEW, TORN };

/* What a reader finds, one step; symbolic refs must lead to something. */
static char *value_of(struct ref_store *rs, const char *name)
{
	char *target = NULL, *value;
	struct object_id oid;
	int rc = ref_read_raw(rs, name, &oid, &target, NULL);

	if (rc == ERR_NOT_FOUND)
		return xstrdup("");
	assert_int_equal(rc, 0);
	if (target && ref_resolve(rs, name, &oid, NULL, NULL, NULL))
		fail_msg("'%s' dangles", name);
	value = target ? xstrfmt("ref: %s", target) : xstrdup(oid_hex(&oid));
	free(target);
	return value;
}

static bool is(const char *name, const char *want)
{
	struct ref_store *rs = open_in("repo");
	char *value = value_of(rs, name);
	bool same = !strcmp(value, want);

	free(value);
	ref_store_free(rs);
	return same;
}

static enum verdict look(void)
{
	struct ref_store *rs = open_in("repo");
	size_t i, old_ones = 0, new_ones = 0;

	for (i = 0; i < nr_changes; i++) {
		char *value = value_of(rs, changes[i].name);

		old_ones += !strcmp(value, changes[i].old);
		new_ones += !strcmp(value, changes[i].new);
		free(value);
	}
	ref_store_free(rs);
	return old_ones == nr_changes ? OLD : new_ones == nr_changes ? NEW : TORN;
}

static void no_litter(void)
{
	/* Ends of names, as in "f refs/x.lock 12": a file's size follows, or the end of the line. */
	static const char *const ends[] = {
		".lock ", ".lock\n", ".new ", ".new\n", "refs.redo ", "refs.redo\n",
	};
	char *tree = tree_of("repo");

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		assert_null(strstr(tree, ends[i]));
	free(tree);
	assert_true(no_record());
}

/* ---- kills ---- */

struct death {
	size_t at;	  /* before this call */
	const char *line; /* or before the one that is so, but for what follows a space */
	size_t calls;
};

static void perhaps_die(void *data, const char *line)
{
	struct death *d = data;
	char *text = without_ids(line);
	const char *rest;

	if (++d->calls == d->at ||
	    (d->line && skip_prefix(text, d->line, &rest) && (!*rest || *rest == ' ')))
		raise(SIGKILL);
	free(text);
}

/* False: it lived. */
static bool dies(void (*fn)(void), struct death d)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		plan.before = perhaps_die;
		plan.data = &d;
		fault_install(&plan);
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status);
}

/* Killed when the record has its name and no ref has changed; false: no owners of locks here. */
static bool die_after_record(void)
{
	struct death d = { .line = first_change };

	set_up_repo();
	assert_true(dies(run, d));
	assert_false(no_record());
	assert_int_equal(look(), OLD);
	return is_abandoned();
}

static void killed_before_every_call(void **state UNUSED)
{
	struct death d = { 0 };
	enum verdict last = OLD, v;
	size_t torn = 0;
	bool recorded;

	if (!die_after_record())
		skip();
	for (d.at = 1; set_up_repo(), dies(run, d); d.at++) {
		torn += look() == TORN;
		recorded = !no_record();
		finish();
		v = look();
		if (v == TORN || v < last)
			fail_msg("killed before call %zu: %s", d.at, v == TORN ? "torn" : "back");
		last = v;
		/* Once more: nothing is in the way, nothing stays. */
		if (v == OLD)
			assert_int_equal(run_kind(FS_JOURNAL, NULL), 0);
		assert_int_equal(look(), NEW);
		if (v == OLD || recorded)
			no_litter();
	}
	assert_true(torn > nr_changes / 3);
	assert_int_equal(last, NEW);
}

static void recovery_killed_before_every_call(void **state UNUSED)
{
	struct death d = { 0 };
	size_t torn = 0;

	for (d.at = 1;; d.at++) {
		if (!die_after_record())
			skip();
		if (!dies(finish, d))
			break;
		torn += look() == TORN;
		finish();
		assert_int_equal(look(), NEW);
		assert_true(no_record());
	}
	assert_true(torn > 0);
	assert_int_equal(look(), NEW);
	no_litter();
}

static void failing_calls(int sys_errno, bool from_then_on)
{
	bool hit = true;
	size_t n;

	unsetenv("GIT_TEST_FSYNC");
	for (n = 1; hit; n++) {
		struct err err = ERR_INIT;
		enum verdict v;
		int rc;

		set_up_repo();
		fault_install_failure(n, sys_errno, from_then_on);
		rc = run_kind(FS_JOURNAL, &err);
		hit = fault_hit();
		fault_remove();
		finish();
		v = look();
		if (v == TORN || (v == OLD && !rc) || (v == NEW && rc && rc != ERR_UNCERTAIN))
			fail_msg("call %zu: %d, but %s", n, rc,
				 v == OLD ? "old" : v == NEW ? "new" : "torn");
		assert_true(no_record());
		err_release(&err);
	}
	assert_true(n > 50);
	setenv("GIT_TEST_FSYNC", "0", 1);
}

static void io_errors(void **state UNUSED)
{
	failing_calls(EIO, false);
}

static void full_disk(void **state UNUSED)
{
	failing_calls(ENOSPC, true);
}

/* ---- order ---- */

static const char *find(const char *all, const char *text)
{
	const char *at = strstr(all, text);

	if (!at)
		fail_msg("no '%s' in:\n%s", text, all);
	return at;
}

static char *record(enum fs_kind kind)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	char *text;

	set_up_repo();
	unsetenv("GIT_TEST_FSYNC");
	fault_install(&plan);
	assert_int_equal(run_kind(kind, NULL), 0);
	text = without_ids(fault_text());
	fault_remove();
	setenv("GIT_TEST_FSYNC", "0", 1);
	return text;
}

/*
 * packed-refs.lock when all is settled, the record, values, symrefs (D5), deletions, no record,
 * unlocked; one flush.
 */
static void order_of_calls(void **state UNUSED)
{
	char *text = record(FS_JOURNAL);
	const char *wait = find(text, "writeout_wait repo/ref-journal/ID.new"),
		   *locked = find(text, "link_fd repo/packed-refs.lock"),
		   *named = find(text, "rename repo/ref-journal/ID.new"),
		   *first = find(text, "rename repo/refs/bisect/bad.lock"),
		   *value = find(text, "rename repo/refs/heads/new.lock"),
		   *head = find(text, "rename repo/HEAD.lock"),
		   *packed = find(text, "rename repo/packed-refs.new"),
		   *last = find(text, "unlink repo/refs/heads/gone\n"),
		   *done = find(text, "unlink repo/ref-journal/ID\n"),
		   *unlock = find(text, "unlink repo/refs/heads/gone.lock"),
		   *flush = find(text, "fsync ");

	if (!(wait < locked && locked < named && named < first && first < value && value < head && head < packed &&
	      packed < last && last < done && done < unlock && unlock < flush))
		fail_msg("order:\n%s", text);
	find(done, "unlink repo/packed-refs.lock");
	find(unlock, "unlink repo/ref-journal/ID.lock");
	assert_null(strstr(flush + 1, "fsync "));
	free(text);
}

/* Where no journal orders names, the record is there for good before, and goes after. */
static void sealed_without_a_journal(void **state UNUSED)
{
	char *text = record(FS_EACH);
	const char *named = find(text, "rename repo/ref-journal/ID.new"),
		   *seal = find(named, "fsync repo/ref-journal\n"),
		   *first = find(text, "rename repo/refs/bisect/bad.lock"),
		   *symref = find(text, "unlink repo/refs/remotes/origin/packed\n"),
		   *seal_symref = find(symref, "fsync repo/refs/remotes/origin\n"),
		   *packed = find(text, "rename repo/packed-refs.new"),
		   *seal_packed = find(packed, "fsync repo\n"),
		   *last = find(text, "unlink repo/refs/heads/gone\n"),
		   *seal_last = find(last, "fsync repo/refs/heads\n"),
		   *done = find(text, "unlink repo/ref-journal/ID\n");

	if (!(named < seal && seal < first && seal_symref < packed && seal_packed < last &&
	      last < seal_last &&
	      seal_last < done))
		fail_msg("order:\n%s", text);
	find(done, "fsync repo/ref-journal\n");
	free(text);
}

/* The record, all values in packed-refs, then the loose files; no file for a value. */
static void order_of_packable(void **state UNUSED)
{
	const char *named, *packed, *hidden, *gone, *done;
	char *text;

	use_packable();
	text = record(FS_EACH);
	named = find(text, "rename repo/ref-journal/ID.new");
	packed = find(find(named, "fsync repo/ref-journal\n"), "rename repo/packed-refs.new");
	packed = find(packed, "fsync repo\n");
	hidden = find(text, "unlink repo/refs/heads/hidden\n");
	gone = find(text, "unlink repo/refs/heads/gone\n");
	done = find(find(gone, "fsync repo/refs/heads\n"), "unlink repo/ref-journal/ID\n");
	if (!(packed < hidden && packed < gone && hidden < done))
		fail_msg("order:\n%s", text);
	assert_null(strstr(text, "rename repo/refs/"));
	free(text);
}

static void packable_killed_before_every_call(void **state)
{
	use_packable();
	pretend_fs(FS_JOURNAL);
	killed_before_every_call(state);
}

static void deletions_killed_before_every_call(void **state)
{
	use_deletions();
	pretend_fs(FS_JOURNAL);
	killed_before_every_call(state);
}

static void packable_recovery_killed(void **state)
{
	use_packable();
	pretend_fs(FS_JOURNAL);
	recovery_killed_before_every_call(state);
}

static void packable_io_errors(void **state UNUSED)
{
	use_packable();
	failing_calls(EIO, false);
}

/* If each file is flushed, refs with loose files go via packed-refs by themselves. */
static void few_flushes_for_loose_refs(void **state UNUSED)
{
	const struct fsync_policy by_fsync = { .method = FSYNC_METHOD_FSYNC,
					       .components = FSYNC_REFERENCE };
	const struct fsync_policy *both[] = { &policy, &by_fsync };

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		struct fsync_batch_options o = { .policy = *both[i] };
		struct fault_plan plan = FAULT_PLAN_INIT;
		struct ref_transaction *t;
		struct fsync_batch *b;
		struct ref_store *rs;

		use_packable();
		unsetenv("GIT_TEST_REF_COMMIT");
		unsetenv("GIT_TEST_FSYNC");
		pretend_fs(FS_JOURNAL);
		set_up_repo();
		rs = open_in("repo");
		fault_install(&plan);
		b = fsync_batch_new(&o);
		t = ref_transaction_begin(rs, 0);
		ref_transaction_set_ident(t, IDENT);
		assert_int_equal(ref_transaction_update(t, "refs/heads/hidden", &oid_b, NULL, 0, NULL, NULL), 0);
		assert_int_equal(ref_transaction_update(t, "refs/heads/other", &oid_b, NULL, 0, NULL, NULL), 0);
		assert_int_equal(ref_transaction_prepare(t, b, NULL), 0);
		assert_int_equal(ref_transaction_commit(t, NULL), 0);
		if (both[i] == &by_fsync)
			find(fault_text(), "rename repo/packed-refs.new");
		else
			find(fault_text(), "rename repo/refs/heads/other.lock");
		fault_remove();
		ref_transaction_free(t);
		fsync_batch_free(b);
		setenv("GIT_TEST_FSYNC", "0", 1);
		assert_true(is("refs/heads/hidden", B) && is("refs/heads/other", B));
		ref_store_free(rs);
	}
}

/* One ref that changes needs no record, and neither do packed refs. */
static void no_record_without_need(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	struct ref_transaction *t;
	struct ref_store *rs;

	set_up_repo();
	rs = open_in("repo");
	fault_install(&plan);
	t = ref_transaction_begin(rs, 0);
	assert_int_equal(ref_transaction_update(t, "refs/bisect/bad", &oid_b, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_update(t, "refs/heads/other", &oid_a, NULL, 0, NULL, NULL), 0);
	assert_int_equal(ref_transaction_verify(t, "refs/heads/main", &oid_a, 0, NULL), 0);
	assert_int_equal(run_transaction(t, -1, 0, NULL), 0);
	assert_null(strstr(fault_text(), "ref-journal/"));
	find(fault_text(), "rename repo/refs/bisect/bad.lock");
	fault_remove();
	ref_transaction_free(t);
	ref_store_free(rs);
	no_litter();
}

/* ---- what recovery leaves alone ---- */

/* Where it does no harm, until a person has looked at it. */
static void record_is_set_aside(void)
{
	assert_int_equal(warnings, 1);
	assert_true(no_record());
	aux_must("rm repo/ref-journal/*.set-aside");
	no_litter();
}

static void what_has_changed_stays(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	struct err err = ERR_INIT;
	struct ref_store *rs;

	if (!die_after_record())
		skip();
	write_text("repo/HEAD", "ref: refs/heads/other\n");
	write_text("repo/refs/heads/packed", C "\n");
	/* Changed, and back: that is a word, too. Packed since: that is none. */
	write_text("repo/refs/bisect/bad", A "\n");
	aux_must("touch -d 2001-01-01 repo/refs/bisect/bad");
	aux_must("rm repo/refs/heads/gone && (head -n 1 repo/packed-refs && "
	     "{ sed 1d repo/packed-refs; echo " A " refs/heads/gone; } | sort -k 2) >new && "
	     "mv new repo/packed-refs && find repo -name \"*.lock\" -exec rm {} + &&"
	     "rm repo/packed-refs.new; rm -rf then && cp -R repo then");
	plan.only = "rename";
	plan.fail_at = 1;
	plan.fail_errno = EIO;
	rs = open_in("repo");
	fault_install(&plan);
	assert_int_equal(files_recover(rs, &policy, &err), ERR_IO);
	fault_remove();
	ref_store_free(rs);
	assert_non_null(strstr(err_message(&err), "unable to rename"));
	err_release(&err);
	finish();
	aux_must("diff -r -x ref-journal -x '.git-owner-*' then repo");
	record_is_set_aside();
}

static void what_has_happened_is_not_said(void **state UNUSED)
{
	struct death d = { .line = "unlink repo/ref-journal/ID" };

	if (!die_after_record())
		skip();
	set_up_repo();
	assert_true(dies(run, d) && !no_record());
	finish();
	assert_int_equal(warnings, 0);
	assert_int_equal(look(), NEW);
	assert_true(no_record());
}

static void removed_worktree_is_not_made_again(void **state UNUSED)
{
	if (!die_after_record())
		skip();
	aux_must("rm -r repo/worktrees");
	finish();
	aux_must("test ! -e repo/worktrees");
	assert_true(is("HEAD", "ref: refs/heads/new"));
	no_litter();
}

/* ---- locks ---- */

static void others_at_work(void **state UNUSED)
{
	if (!die_after_record())
		skip();
	/* Another process holds the lock of the record. */
	aux_must("cd repo/ref-journal && for f in *.lock; do rm $f && echo >$f; done");
	finish();
	assert_int_equal(look(), OLD);
	aux_must("rm repo/ref-journal/*.lock");
	/* Another process is about to change a ref of it. */
	aux_must("rm repo/refs/heads/other.lock && echo >repo/refs/heads/other.lock");
	finish();
	assert_int_equal(look(), OLD);
	assert_false(no_record());
	aux_must("rm repo/refs/heads/other.lock");
	finish();
	assert_int_equal(look(), NEW);
	no_litter();
}

/* ---- several at work ---- */

static void step_aside(void *data, const char *line)
{
	if (!strcmp(line, data) || (starts_with(line, data) && line[strlen(data)] == ' '))
		raise(SIGSTOP);
}

/* It stops before that call. */
static pid_t begins(void (*fn)(void), const char *line)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		plan.before = step_aside;
		plan.data = (void *)line;
		fault_install(&plan);
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

static void ends(pid_t pid, int sig)
{
	int status;

	assert_int_equal(kill(pid, sig), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(sig == SIGCONT ? WIFEXITED(status) && !WEXITSTATUS(status) :
				     WIFSIGNALED(status));
}

/* Two refs that no other process changes. */
static int run_two(void)
{
	struct ref_store *rs = open_in("repo");
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	int rc;

	rc = ref_transaction_update(t, "refs/heads/two/a", &oid_a, null_oid, 0, NULL, NULL);
	if (!rc)
		rc = ref_transaction_update(t, "refs/heads/two/b", &oid_b, null_oid, 0, NULL, NULL);
	rc = run_transaction(t, FS_JOURNAL, rc, NULL);
	ref_transaction_free(t);
	ref_store_free(rs);
	return rc;
}

static void run_two_by_record(void)
{
	setenv("GIT_TEST_REF_COMMIT", "journal", 1);
	(void)!run_two();
}

static bool are_two(void)
{
	return is("refs/heads/two/a", A) && is("refs/heads/two/b", B);
}

static void living_records_are_left_alone(void **state UNUSED)
{
	pid_t pid;

	set_up_repo();
	pid = begins(run, "rename repo/refs/heads/new.lock");
	finish();
	assert_int_equal(look(), TORN);
	assert_false(no_record());
	/* Others do not wait for it. */
	run_two_by_record();
	assert_true(are_two());
	assert_false(no_record());
	ends(pid, SIGCONT);
	assert_int_equal(look(), NEW);
	no_litter();
}

static void two_that_died(void **state UNUSED)
{
	pid_t one, two;

	if (!die_after_record())
		skip();
	set_up_repo();
	one = begins(run, "rename repo/refs/heads/new.lock");
	two = begins(run_two_by_record, "rename repo/refs/heads/two/b.lock");
	assert_true(is("refs/heads/two/b", ""));
	ends(one, SIGKILL);
	ends(two, SIGKILL);
	finish();
	assert_true(are_two());
	assert_int_equal(look(), NEW);
	no_litter();
}

/* A version that had one record. */
static void record_of_a_former_version(void **state UNUSED)
{
	if (!die_after_record())
		skip();
	aux_must("cd repo && rm ref-journal/*.lock && mv ref-journal/* refs.redo && rmdir ref-journal");
	finish();
	assert_int_equal(look(), NEW);
	no_litter();
}

/* ---- objects ---- */

static int info_rc;

static int stub_info(void *data UNUSED, const struct object_id *oid UNUSED,
		     struct object_info *out, struct err *err)
{
	memset(out, 0, sizeof(*out));
	out->type = OBJ_COMMIT;
	return info_rc ? err_set(err, info_rc, "as asked") : 0;
}

static struct ref_store *open_with_objects(bool elsewhere)
{
	static const struct object_source source = { .info = stub_info };
	struct ref_store_options o = { .backend = &files_ref_backend,
				       .gitdir = "repo", .commondir = "repo",
				       .algo = hash_sha1, .objects = &source,
				       .objects_elsewhere = elsewhere };
	struct ref_store *rs;

	assert_int_equal(ref_store_open(&rs, &o, NULL), 0);
	return rs;
}

static void finish_with_objects(int rc, bool elsewhere)
{
	struct ref_store *rs = open_with_objects(elsewhere);

	info_rc = rc;
	refs_finish_interrupted(rs, &policy);
	ref_store_free(rs);
}

static void objects_that_are_not_seen_now(void **state UNUSED)
{
	if (!die_after_record())
		skip();
	finish_with_objects(ERR_IO, false);
	assert_int_equal(look(), OLD);
	finish_with_objects(ERR_NOT_FOUND, true);
	assert_int_equal(look(), OLD);
	finish_with_objects(0, false);
	assert_int_equal(look(), NEW);
	no_litter();
}

static int update_one(struct ref_store *rs, const char *name, const struct object_id *new_oid,
		      const struct object_id *old_oid)
{
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	int rc = ref_transaction_update(t, name, new_oid, old_oid, 0, NULL, NULL);

	assert_int_equal(rc, 0);
	rc = run_transaction(t, -1, rc, NULL);
	ref_transaction_free(t);
	return rc;
}

/* A transaction that cannot be finished now holds up only transactions of its refs. */
static void transactions_of_other_refs_go_on(void **state UNUSED)
{
	struct ref_store *rs;

	if (!die_after_record())
		skip();
	write_text("repo/refs/heads/elsewhere", A "\n");
	info_rc = ERR_NOT_FOUND;
	rs = open_with_objects(true);
	assert_int_equal(update_one(rs, "refs/heads/elsewhere", null_oid, &oid_a), 0);
	assert_true(update_one(rs, "refs/heads/gone", null_oid, &oid_a) < 0);
	ref_store_free(rs);
	assert_true(is("refs/heads/elsewhere", "") && !no_record());
	finish();
	assert_int_equal(look(), NEW);
	no_litter();
}

/* It was opened before; its transaction comes after the one that is finished first. */
static void transactions_finish_it_first(void **state UNUSED)
{
	struct ref_store *rs;

	if (!die_after_record())
		skip();
	rs = open_in("repo");
	assert_int_equal(update_one(rs, "refs/heads/other", &oid_a, &oid_b), 0);
	assert_true(is("refs/heads/other", A));
	assert_true(is("HEAD", "ref: refs/heads/new"));
	no_litter();
	if (!die_after_record())
		skip();
	assert_int_equal(update_one(rs, "refs/heads/other", &oid_b, &oid_a), ERR_CONFLICT);
	assert_int_equal(look(), NEW);
	ref_store_free(rs);
}

/* ---- another worktree ---- */

static void detach_worktree(void)
{
	struct ref_store *rs = open_in("repo/worktrees/wt");
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	int rc;

	rc = ref_transaction_update(t, "HEAD", &oid_b, NULL, REF_NO_DEREF, NULL, NULL);
	if (!rc)
		rc = ref_transaction_update(t, "refs/bisect/bad", &oid_b, null_oid, 0, NULL, NULL);
	(void)!run_transaction(t, -1, rc, NULL);
	ref_transaction_free(t);
	ref_store_free(rs);
}

static void names_of_another_worktree(void **state UNUSED)
{
	struct death d = { .line = "rename repo/worktrees/wt/HEAD.lock" };

	if (!die_after_record())
		skip();
	set_up_repo();
	assert_true(dies(detach_worktree, d));
	finish();
	assert_true(is("worktrees/wt/HEAD", B));
	assert_true(is("worktrees/wt/refs/bisect/bad", B));
	assert_true(is("HEAD", "ref: refs/heads/main"));
	assert_true(is("refs/bisect/bad", A));
	no_litter();
}

/* ---- hostile input ---- */

static void damaged_record(const struct strbuf *record, size_t len, size_t flip)
{
	char *copy = xmemdupz(record->buf, record->len);

	if (flip < record->len)
		copy[flip] ^= 1;
	aux_write(RECORD, copy, len);
	free(copy);
	finish();
	assert_int_equal(warnings, 1);
	assert_true(no_record());
	assert_int_equal(look(), OLD);
}

static void damaged_records_do_nothing(void **state UNUSED)
{
	struct strbuf record = STRBUF_INIT;
	size_t i;

	if (!die_after_record())
		skip();
	aux_must("cd repo/ref-journal && rm *.lock && mv * " RECORD_NAME);
	aux_read(&record, RECORD);
	for (i = 0; i < record.len; i += 7)
		damaged_record(&record, i, SIZE_MAX);
	for (i = 0; i < record.len; i += 3)
		damaged_record(&record, record.len, i);
	strbuf_release(&record);
}

/* The checksum is good, but the names and values are not valid. */
static void odd_entries_do_nothing(void **state UNUSED)
{
	static const char entries[] =
		"../x\0" "0000000000000000000000000000000000000000\0" A "\0"
		"worktrees/../../x/HEAD\0" "0000000000000000000000000000000000000000\0" A "\0"
		"worktrees/none/HEAD\0" "0000000000000000000000000000000000000000\0" A "\0"
		"refs/heads/x\0" "0000000000000000000000000000000000000000\0" "nonsense\0"
		"refs/heads/y\0" "0000000000000000000000000000000000000000\0" "ref:../../x\0"
		"refs/heads/other\0" "\0" B "\0"
		"config\0" "\0" B "\0"
		"refs/heads/main\0";
	struct strbuf record = STRBUF_INIT;
	struct object_id sum;

	set_up_repo();
	write_text("repo/config", "[core]\n");
	strbuf_addstr(&record, "# ref transaction to be finished, version 1\n");
	strbuf_add(&record, entries, sizeof(entries) - 1);
	hash_buf(hash_sha1, record.buf, record.len, &sum);
	strbuf_addf(&record, "%s\n", oid_hex(&sum));
	assert_int_equal(mkdir("repo/ref-journal", 0777), 0);
	aux_write(RECORD, record.buf, record.len);
	strbuf_release(&record);
	finish();
	assert_int_equal(look(), OLD);
	aux_must("test ! -e x && test ! -e repo/worktrees/none && test ! -e repo/refs/heads/x && "
	     "test ! -e repo/refs/heads/y && test \"$(cat repo/config)\" = \"[core]\"");
	record_is_set_aside();
}

/* ---- states ---- */

/* As the drawing of journal-internal.h says. */
static const struct {
	enum record_state from, to;
} drawn[] = {
	{ RECORD_NONE, RECORD_LOCKED },
	{ RECORD_LOCKED, RECORD_STAGED },
	{ RECORD_LOCKED, RECORD_NONE },
	{ RECORD_LOCKED, RECORD_ABANDONED },
	{ RECORD_STAGED, RECORD_HAPPENED },
	{ RECORD_STAGED, RECORD_NONE },
	{ RECORD_STAGED, RECORD_ABANDONED },
	{ RECORD_HAPPENED, RECORD_NONE },
	{ RECORD_HAPPENED, RECORD_ABANDONED },
	{ RECORD_ABANDONED, RECORD_FINISHING },
	{ RECORD_FINISHING, RECORD_NONE },
	{ RECORD_FINISHING, RECORD_SET_ASIDE },
	{ RECORD_FINISHING, RECORD_ABANDONED },
};

static enum record_state state_before, state_next;

static void take_step(void)
{
	enum record_state state = state_before;

	record_enter_state(&state, state_next);
	assert_int_equal(state, state_next);
}

static bool is_drawn(enum record_state from, enum record_state to)
{
	for (size_t i = 0; i < ARRAY_SIZE(drawn); i++)
		if (drawn[i].from == from && drawn[i].to == to)
			return true;
	return false;
}

static void steps_that_are_not_drawn_are_bugs(void **state UNUSED)
{
	for (state_before = 0; state_before < RECORD_STATE_NR; state_before++) {
		for (state_next = 0; state_next < RECORD_STATE_NR; state_next++) {
			if (is_drawn(state_before, state_next))
				take_step();
			else
				assert_bug(take_step, "a record of refs goes from ");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_calls),
		cmocka_unit_test(sealed_without_a_journal),
		cmocka_unit_test(no_record_without_need),
		cmocka_unit_test(killed_before_every_call),
		cmocka_unit_test(recovery_killed_before_every_call),
		cmocka_unit_test(io_errors),
		cmocka_unit_test(full_disk),
		cmocka_unit_test_teardown(order_of_packable, after_packable),
		cmocka_unit_test_teardown(packable_killed_before_every_call, after_packable),
		cmocka_unit_test_teardown(packable_recovery_killed, after_packable),
		cmocka_unit_test_teardown(deletions_killed_before_every_call, after_packable),
		cmocka_unit_test_teardown(packable_io_errors, after_packable),
		cmocka_unit_test_teardown(few_flushes_for_loose_refs, after_packable),
		cmocka_unit_test(what_has_changed_stays),
		cmocka_unit_test(what_has_happened_is_not_said),
		cmocka_unit_test(removed_worktree_is_not_made_again),
		cmocka_unit_test(others_at_work),
		cmocka_unit_test(living_records_are_left_alone),
		cmocka_unit_test(two_that_died),
		cmocka_unit_test(record_of_a_former_version),
		cmocka_unit_test(objects_that_are_not_seen_now),
		cmocka_unit_test(transactions_of_other_refs_go_on),
		cmocka_unit_test(transactions_finish_it_first),
		cmocka_unit_test(names_of_another_worktree),
		cmocka_unit_test(damaged_records_do_nothing),
		cmocka_unit_test(odd_entries_do_nothing),
		cmocka_unit_test_setup_teardown(steps_that_are_not_drawn_are_bugs, scratch_setup, scratch_teardown),
	};

	oid_from_hex(&oid_a, A, hash_sha1);
	oid_from_hex(&oid_b, B, hash_sha1);
	null_oid = &hash_sha1->null_oid;
	lockfile_takeover_report = say_nothing;
	use_each_kind();
	setenv("GIT_TEST_FSYNC", "0", 1); /* but for some */
	aux_enter_dir();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
