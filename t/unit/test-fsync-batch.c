/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine of durability: recorded calls equal a list for each method and
 * kind of file system, flushes are counted exactly, each rule D1 to D7 has a test
 * that fails when its line is taken out, and the n-th call fails for every n.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include "t/fault.h"
#include "fs/file.h"
#include "fs/tempfile.h"
#include "fsync/batch.h"
#include "t/unit/batch-aux.h"
#include "util/alloc.h"
#include "util/trace2.h"

/* ---- order: the whole list, for each line of the table ---- */

static void two_files(enum fsync_method method, enum fs_kind kind)
{
	struct fsync_batch *b = batch(method, kind);

	assert_int_equal(mkdir(at(dir, "x"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "y"), 0777), 0);
	record();
	stage(b, PUBLISH_LOOSE_OBJECT, "t1", "x/1");
	stage(b, PUBLISH_LOOSE_OBJECT, "t2", "y/2");
	commit(b);
}

static void order_batch_journal(void **state UNUSED)
{
	two_files(FSYNC_METHOD_BATCH, FS_JOURNAL);
	assert_calls("writeout_start ./t1\n"
		     "writeout_start ./t2\n"
		     "writeout_wait ./t1\n"
		     "writeout_wait ./t2\n"
		     "rename ./t1 ./x/1\n"
		     "rename ./t2 ./y/2\n"
		     "fsync ./y\n");
}

static void order_batch_btrfs(void **state UNUSED)
{
	two_files(FSYNC_METHOD_BATCH, FS_BTRFS);
	assert_calls("writeout_start ./t1\n"
		     "writeout_start ./t2\n"
		     "writeout_wait ./t1\n"
		     "writeout_wait ./t2\n"
		     "rename ./t1 ./x/1\n"
		     "rename ./t2 ./y/2\n"
		     "syncfs .\n");
}

/* Without a journal syncfs is not all: an fsync comes after it. */
static void order_batch_local(void **state UNUSED)
{
	two_files(FSYNC_METHOD_BATCH, FS_LOCAL);
	assert_calls("writeout_start ./t1\n"
		     "writeout_start ./t2\n"
		     "writeout_wait ./t1\n"
		     "writeout_wait ./t2\n"
		     "syncfs .\n"
		     "fsync .\n"
		     "rename ./t1 ./x/1\n"
		     "rename ./t2 ./y/2\n"
		     "syncfs .\n"
		     "fsync .\n");
}

/* ... but where directories know no fsync, there is nothing that it could add. */
static void no_fsync_of_a_directory_after_syncfs(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_LOCAL);

	record_failing("fsync", 1, EINVAL);
	stage(b, PUBLISH_REF, "t", "ref");
	commit(b);
	assert_int_equal(count_calls("syncfs"), 2);
	fault_remove();

	b = batch(FSYNC_METHOD_BATCH, FS_LOCAL);
	record_failing("fsync", 1, EIO);
	stage(b, PUBLISH_REF, "t", "ref");
	assert_int_equal(fsync_batch_commit(b, NULL), ERR_IO);
	fsync_batch_free(b);
}

static void order_batch_full(void **state UNUSED)
{
	two_files(FSYNC_METHOD_BATCH, FS_FULL);
	assert_calls("writeout_start ./t1\n"
		     "writeout_start ./t2\n"
		     "writeout_wait ./t1\n"
		     "writeout_wait ./t2\n"
		     "full_fsync .\n"
		     "rename ./t1 ./x/1\n"
		     "rename ./t2 ./y/2\n"
		     "full_fsync .\n");
}

static void order_batch_each(void **state UNUSED)
{
	two_files(FSYNC_METHOD_BATCH, FS_EACH);
	assert_calls("fsync ./t1\n"
		     "fsync ./t2\n"
		     "rename ./t1 ./x/1\n"
		     "rename ./t2 ./y/2\n"
		     "fsync ./x\n"
		     "fsync ./y\n");
}

static void order_fsync(void **state UNUSED)
{
	two_files(FSYNC_METHOD_FSYNC, FS_JOURNAL);
	assert_calls("fsync ./t1\n"
		     "fsync ./t2\n"
		     "rename ./t1 ./x/1\n"
		     "rename ./t2 ./y/2\n"
		     "fsync ./x\n"
		     "fsync ./y\n");
}

static void order_fsync_btrfs(void **state UNUSED)
{
	two_files(FSYNC_METHOD_FSYNC, FS_BTRFS);
	assert_calls("fsync ./t1\n"
		     "fsync ./t2\n"
		     "rename ./t1 ./x/1\n"
		     "rename ./t2 ./y/2\n"
		     "syncfs .\n");
}

/* Without a journal an fsync does not make all durable that a name rests on. */
static void order_fsync_local(void **state UNUSED)
{
	two_files(FSYNC_METHOD_FSYNC, FS_LOCAL);
	assert_calls("fsync ./t1\n"
		     "fsync ./t2\n"
		     "syncfs .\n"
		     "fsync .\n"
		     "rename ./t1 ./x/1\n"
		     "rename ./t2 ./y/2\n"
		     "syncfs .\n"
		     "fsync .\n");
}

/* One file: the batch does not wait for data of other processes. */
static void order_alone(void **state UNUSED)
{
	static const char awaited[] = "writeout_start ./t\nwriteout_wait ./t\nrename ./t ./index\n",
			  awaited_sealed[] = "writeout_start ./t\nwriteout_wait ./t\n"
					     "rename ./t ./index\nfsync .\n",
			  flushed[] = "fsync ./t\nrename ./t ./index\nfsync .\n";
	static const struct {
		enum fsync_method method;
		enum fs_kind kind;
		const char *calls;
	} cases[] = {
		{ FSYNC_METHOD_BATCH, FS_JOURNAL, awaited_sealed },
		{ FSYNC_METHOD_BATCH, FS_LOCAL, flushed },
		{ FSYNC_METHOD_BATCH, FS_EACH, flushed },
		{ FSYNC_METHOD_FSYNC, FS_JOURNAL, flushed },
		{ FSYNC_METHOD_FSYNC, FS_LOCAL, flushed },
		{ FSYNC_METHOD_WRITEOUT_ONLY, FS_JOURNAL, awaited },
		{ FSYNC_METHOD_WRITEOUT_ONLY, FS_LOCAL, awaited },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fsync_batch_options o = {
			.policy = { FSYNC_ALL, cases[i].method },
			.alone = true,
		};
		struct fsync_batch *b;

		pretend_fs(cases[i].kind);
		b = fsync_batch_new(&o);
		record();
		stage(b, PUBLISH_INDEX, "t", "index");
		commit(b);
		assert_calls(cases[i].calls);
		fault_remove();
	}
}

static void order_writeout_only(void **state UNUSED)
{
	two_files(FSYNC_METHOD_WRITEOUT_ONLY, FS_EACH);
	assert_calls("writeout_start ./t1\n"
		     "writeout_start ./t2\n"
		     "writeout_wait ./t1\n"
		     "writeout_wait ./t2\n"
		     "rename ./t1 ./x/1\n"
		     "rename ./t2 ./y/2\n");
}

static void order_switched_off(void **state UNUSED)
{
	setenv("GIT_TEST_FSYNC", "0", 1);
	two_files(FSYNC_METHOD_FSYNC, FS_EACH);
	unsetenv("GIT_TEST_FSYNC");
	assert_calls("rename ./t1 ./x/1\n"
		     "rename ./t2 ./y/2\n");
}

/* A component that the policy leaves out costs nothing and is not sealed. */
static void order_policy_without_component(void **state UNUSED)
{
	struct fsync_batch_options o = {
		.policy = { FSYNC_ALL & ~FSYNC_REFERENCE, FSYNC_METHOD_BATCH },
	};
	struct fsync_batch *b = fsync_batch_new(&o);
	struct fsync_staging s = {
		.component = FSYNC_INDEX,
		.order = PUBLISH_INDEX,
		.how = PUBLISH_RENAME,
		.tmp_path = at(dir, "index.lock"),
		.final_path = at(dir, "index"),
	};

	pretend_fs(FS_JOURNAL);
	assert_int_equal(mkdir(at(dir, "r"), 0777), 0);
	record();
	stage(b, PUBLISH_REF_DELETE, "t", "r/ref");
	s.fd = new_file(s.tmp_path, "index");
	assert_int_equal(fsync_batch_stage(b, &s, NULL), 0);
	commit(b);
	assert_calls("writeout_start ./index.lock\n"
		     "writeout_wait ./index.lock\n"
		     "rename ./t ./r/ref\n"
		     "rename ./index.lock ./index\n"
		     "fsync .\n");
}

static void order_made_parents(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_FSYNC, FS_JOURNAL);

	record();
	stage(b, PUBLISH_REF, "t", "a/b/c");
	commit(b);
	assert_calls("fsync ./t\n"
		     "rename ./t ./a/b/c = ENOENT\n"
		     "mkdir ./a/b = ENOENT\n"
		     "mkdir ./a\n"
		     "mkdir ./a/b\n"
		     "rename ./t ./a/b/c\n"
		     "fsync .\n"
		     "fsync ./a\n"
		     "fsync ./a/b\n");
}

/* Another process removes a directory between two calls of mkdir, one that it has left empty. */
static void parents_that_go_are_made_again(void **state UNUSED)
{
	for (unsigned n = 1; n <= 3; n++) {
		struct fault_plan plan = FAULT_PLAN_INIT;
		struct fsync_batch *b = batch(FSYNC_METHOD_FSYNC, FS_JOURNAL);
		char name[] = "p0/q/r";

		name[1] += (char)n;
		stage(b, PUBLISH_REFLOG, "t", name);
		plan.fail_at = n;
		plan.fail_errno = ENOENT;
		plan.only = "mkdir";
		fault_install(&plan);
		commit(b);
		assert_true(fault_hit());
		fault_remove();
		assert_true(file_exists(at(dir, "%s", name)));
	}
}

/* ---- second names ---- */

static char *second_name(const char *path UNUSED)
{
	return xstrdup(at(dir, "second"));
}

static struct fsync_batch *batch_with_second_names(enum fsync_method method, enum fs_kind kind)
{
	struct fsync_batch_options o = {
		.policy = { FSYNC_ALL & ~FSYNC_INDEX, method },
		.second_name = second_name,
	};

	pretend_fs(kind);
	return fsync_batch_new(&o);
}

/* Until the seal; not those of new files, of symbolic links, or what the policy leaves out. */
static void old_inodes_are_kept(enum fsync_method method)
{
	struct fsync_batch *b = batch_with_second_names(method, FS_LOCAL);
	struct fsync_staging index = {
		.component = FSYNC_INDEX,
		.order = PUBLISH_INDEX,
		.how = PUBLISH_RENAME,
	};

	write_text(at(dir, "old"), "x");
	write_text(at(dir, "index"), "x");
	assert_int_equal(symlink("nowhere", at(dir, "link")), 0);
	record();
	stage(b, PUBLISH_REF, "t1", "old");
	stage(b, PUBLISH_REF, "t2", "new");
	stage(b, PUBLISH_REF, "t3", "link");
	index.tmp_path = at(dir, "index.lock");
	index.final_path = at(dir, "index");
	index.fd = new_file(index.tmp_path, "index");
	assert_int_equal(fsync_batch_stage(b, &index, NULL), 0);
	assert_int_equal(fsync_batch_publish(b, NULL), 0);
	assert_true(file_exists(at(dir, "second")));
	commit(b);
	assert_false(file_exists(at(dir, "second")));
	assert_int_equal(count_calls("link"), 1);
	assert_true(where("link ./old ./second") < where("rename ./t1 ./old"));
	fault_remove();
	assert_int_equal(remove_tree(dir, true, NULL), 0);
}

static void replaced_files_keep_their_inodes(void **state UNUSED)
{
	old_inodes_are_kept(FSYNC_METHOD_BATCH);
	old_inodes_are_kept(FSYNC_METHOD_FSYNC);
}

static void second_names_outlive_a_failed_seal(void **state UNUSED)
{
	struct fsync_batch *b = batch_with_second_names(FSYNC_METHOD_BATCH, FS_LOCAL);

	write_text(at(dir, "old"), "x");
	record_failing("syncfs", 2, EIO); /* the first one is for the contents */
	stage(b, PUBLISH_REF, "t", "old");
	assert_int_not_equal(fsync_batch_commit(b, NULL), 0);
	fsync_batch_free(b);
	assert_true(file_exists(at(dir, "second")));
}

static void no_second_names_where_none_is_needed(void **state UNUSED)
{
	static const struct {
		enum fsync_method method;
		enum fs_kind kind;
	} cases[] = {
		{ FSYNC_METHOD_BATCH, FS_JOURNAL }, { FSYNC_METHOD_BATCH, FS_BTRFS },
		{ FSYNC_METHOD_BATCH, FS_EACH },    { FSYNC_METHOD_FSYNC, FS_JOURNAL },
		{ FSYNC_METHOD_WRITEOUT_ONLY, FS_LOCAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fsync_batch *b = batch_with_second_names(cases[i].method, cases[i].kind);

		write_text(at(dir, "old"), "x");
		record();
		stage(b, PUBLISH_REF, "t", "old");
		commit(b);
		assert_int_equal(count_calls("link"), 0);
		fault_remove();
	}
}

/* ---- counts ---- */

static void many_files(enum fsync_method method, enum fs_kind kind, int nr,
		       size_t flushes, size_t writeouts)
{
	struct fsync_batch *b = batch(method, kind);
	uint64_t flushed = trace2_counter_get(TRACE2_COUNTER_HARDWARE_FLUSH);
	uint64_t written = trace2_counter_get(TRACE2_COUNTER_WRITEOUT_ONLY);
	static const char *const tens[] = {
		"a/%d", "b/%d", "c/%d", "d/%d", "e/%d",
		"f/%d", "g/%d", "h/%d", "i/%d", "j/%d",
	};
	char *top = dir;

	dir = scratch_new_in(top);
	record();
	for (int i = 0; i < nr; i++)
		stage(b, PUBLISH_LOOSE_OBJECT, numbered("t%d", i),
		      numbered(tens[i % 10], i));
	commit(b);
	assert_int_equal(count_flushes(), flushes);
	assert_int_equal(count_calls("writeout_wait"), writeouts);
	assert_int_equal(count_calls("writeout_start"), writeouts);
	assert_int_equal(trace2_counter_get(TRACE2_COUNTER_HARDWARE_FLUSH) - flushed, flushes);
	assert_int_equal(trace2_counter_get(TRACE2_COUNTER_WRITEOUT_ONLY) - written, writeouts);
	fault_remove();
	free(dir);
	dir = top;
}

static void counts_do_not_grow(void **state UNUSED)
{
	static const int sizes[] = { 1, 10, 300 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		int n = sizes[i];

		many_files(FSYNC_METHOD_BATCH, FS_JOURNAL, n, 1, (size_t)n);
		many_files(FSYNC_METHOD_BATCH, FS_BTRFS, n, 1, (size_t)n);
		many_files(FSYNC_METHOD_BATCH, FS_LOCAL, n, 4, (size_t)n);
		many_files(FSYNC_METHOD_BATCH, FS_FULL, n, 2, (size_t)n);
		many_files(FSYNC_METHOD_WRITEOUT_ONLY, FS_JOURNAL, n, 0, (size_t)n);
	}
}

/* Each file, each of the ten directories, and the one they were made in. */
static void counts_of_a_flush_each(void **state UNUSED)
{
	many_files(FSYNC_METHOD_FSYNC, FS_JOURNAL, 60, 60 + 10 + 1, 0);
	many_files(FSYNC_METHOD_FSYNC, FS_LOCAL, 60, 60 + 4, 0);
	many_files(FSYNC_METHOD_BATCH, FS_EACH, 60, 60 + 10 + 1, 0);
}

static void nothing_costs_nothing(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_LOCAL);

	record();
	commit(b);
	assert_calls("");
}

/* One directory under two names is one directory. */
static void one_directory_two_paths(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_FSYNC, FS_JOURNAL);

	assert_int_equal(mkdir(at(dir, "x"), 0777), 0);
	record();
	stage(b, PUBLISH_REF, "t1", "x/1");
	stage(b, PUBLISH_REF, "t2", "x/../x/2");
	commit(b);
	assert_int_equal(count_calls("fsync"), 3);
}

/* ---- the rules ---- */

static void d1_names_wait_for_contents(void **state UNUSED)
{
	static const enum fs_kind kinds[] = { FS_JOURNAL, FS_BTRFS, FS_LOCAL, FS_FULL, FS_EACH };

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, kinds[k]);
		const char *last = kinds[k] == FS_EACH ? "fsync ./t9" : "writeout_wait ./t9";

		record();
		for (int i = 0; i < 10; i++)
			stage(b, PUBLISH_REF, numbered("t%d", i), numbered("%d", i));
		commit(b);
		for (int i = 0; i < 10; i++)
			assert_true(where(last) < where(at("rename .", "t%d ./%d", i, i)));
		if (kinds[k] == FS_LOCAL)
			assert_true(where("syncfs .") < where("rename ./t0 ./0"));
		if (kinds[k] == FS_FULL)
			assert_true(where("full_fsync .") < where("rename ./t0 ./0"));
		fault_remove();
	}
}

static void d2_seal_follows_names(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	size_t last;

	assert_int_equal(mkdir(at(dir, "r"), 0777), 0);
	record();
	stage(b, PUBLISH_INDEX, "i", "index");
	stage(b, PUBLISH_REF, "t", "r/ref");
	stage(b, PUBLISH_LOOSE_OBJECT, "o", "object");
	commit(b);
	last = where("fsync .");
	assert_true(last > where("rename ./o ./object"));
	assert_true(last > where("rename ./t ./r/ref"));
	assert_true(last > where("rename ./i ./index"));
	assert_int_equal(count_flushes(), 1);
}

/* Neither an abort nor a seal that fails removes them: they may be all that a power cut leaves. */
static void d8_replaced_files_go_after_the_seal(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	write_text(at(dir, "old"), "old");
	stage(b, PUBLISH_REF, "t", "list");
	fsync_batch_remove_after_seal(b, at(dir, "old"));
	fsync_batch_abort(b);
	stage(b, PUBLISH_REF, "t", "list");
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	assert_int_equal(access(at(dir, "old"), F_OK), 0);
	record();
	stage(b, PUBLISH_REF, "t", "list");
	fsync_batch_remove_after_seal(b, at(dir, "old"));
	assert_int_equal(fsync_batch_publish(b, NULL), 0);
	assert_int_equal(access(at(dir, "old"), F_OK), 0);
	commit(b);
	assert_true(where("unlink ./old") > where("fsync ."));
	assert_int_equal(access(at(dir, "old"), F_OK), -1);
}

static void d3_pack_before_idx(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	record();
	stage(b, PUBLISH_PACK_IDX, "t1", "p.idx");
	stage(b, PUBLISH_PACK_DATA, "t2", "p.rev");
	stage(b, PUBLISH_PACK_DATA, "t3", "p.pack");
	commit(b);
	assert_true(where("rename ./t2 ./p.rev") < where("rename ./t1 ./p.idx"));
	assert_true(where("rename ./t3 ./p.pack") < where("rename ./t1 ./p.idx"));
}

static void d4_objects_before_refs_and_index(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	record();
	stage(b, PUBLISH_INDEX, "t1", "index");
	stage(b, PUBLISH_REF, "t2", "ref");
	stage(b, PUBLISH_DERIVED, "t3", "graph");
	stage(b, PUBLISH_LOOSE_OBJECT, "t4", "object");
	stage(b, PUBLISH_PACK_IDX, "t5", "p.idx");
	commit(b);
	assert_true(where("rename ./t4 ./object") < where("rename ./t3 ./graph"));
	assert_true(where("rename ./t5 ./p.idx") < where("rename ./t3 ./graph"));
	assert_true(where("rename ./t3 ./graph") < where("rename ./t2 ./ref"));
	assert_true(where("rename ./t2 ./ref") < where("rename ./t1 ./index"));
}

/* A second file system: /dev/shm; what it is does not matter, the calls do. */
static void d4_classes_on_two_devices(void **state UNUSED)
{
	char *other = scratch_new_in("/dev/shm");
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	struct stat here, there;
	char *tmp, *final, *line, *seal;

	if (!other || stat(dir, &here) || stat(other, &there) || here.st_dev == there.st_dev) {
		scratch_remove(other);
		fsync_batch_free(b);
		skip();
	}
	tmp = xstrfmt("%s/t", other);
	final = xstrfmt("%s/object", other);
	record();
	stage(b, PUBLISH_REF, "t", "ref");
	assert_int_equal(stage_as(b, PUBLISH_LOOSE_OBJECT, tmp, final, NULL), 0);
	commit(b);
	line = xstrfmt("rename %s %s", tmp, final);
	seal = xstrfmt("fsync %s", other);
	assert_true(where(line) < where(seal));
	assert_true(where(seal) < where("rename ./t ./ref"));
	assert_true(where("rename ./t ./ref") < where("fsync ."));
	assert_int_equal(count_flushes(), 2);
	free(line);
	free(seal);
	free(tmp);
	free(final);
	scratch_remove(other);
}

static void phases(enum fsync_method method, enum fs_kind kind)
{
	struct fsync_batch *b = batch(method, kind);

	record();
	assert_int_equal(mkdir(at(dir, "o"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "r"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "d"), 0777), 0);
	write_text(at(dir, "d/old"), "x");
	stage_unlink(b, PUBLISH_REF_DELETE, "d/old");
	stage(b, PUBLISH_REF, "t1", "r/ref");
	stage(b, PUBLISH_LOOSE_OBJECT, "t2", "o/object");
	commit(b);
	if (kind == FS_BTRFS) { /* sealed as a whole each time */
		assert_true(where("rename ./t2 ./o/object") < where("syncfs ./d"));
		assert_true(where("syncfs ./d") < where("rename ./t1 ./r/ref"));
		assert_int_equal(count_flushes(), 2 + 3);
	} else if (kind == FS_LOCAL && method == FSYNC_METHOD_FSYNC) {
		assert_true(where("fsync ./t1") < where("syncfs ./d"));
		assert_true(where("syncfs ./d") < where("rename ./t2 ./o/object"));
		assert_int_equal(count_flushes(), 2 + 8);
	} else if (kind == FS_LOCAL) {
		assert_calls("writeout_start ./t1\n"
			     "writeout_start ./t2\n"
			     "writeout_wait ./t1\n"
			     "writeout_wait ./t2\n"
			     "syncfs ./d\nfsync ./d\n"
			     "rename ./t2 ./o/object\n"
			     "syncfs ./d\nfsync ./d\n"
			     "rename ./t1 ./r/ref\n"
			     "syncfs ./d\nfsync ./d\n"
			     "unlink ./d/old\n"
			     "syncfs ./d\nfsync ./d\n");
	} else {
		assert_true(where("rename ./t2 ./o/object") < where("fsync ./o"));
		assert_true(where("fsync ./o") < where("rename ./t1 ./r/ref"));
		assert_true(where("fsync ./r") < where("unlink ./d/old"));
		assert_true(where("unlink ./d/old") < where("fsync ./d"));
	}
	fault_remove();
	assert_int_equal(remove_tree(dir, true, NULL), 0);
}

static void d4_phases_without_a_journal(void **state UNUSED)
{
	phases(FSYNC_METHOD_BATCH, FS_EACH);
	phases(FSYNC_METHOD_BATCH, FS_LOCAL);
	phases(FSYNC_METHOD_FSYNC, FS_EACH);
	phases(FSYNC_METHOD_FSYNC, FS_LOCAL);
	phases(FSYNC_METHOD_FSYNC, FS_BTRFS);
}

static void d5_updates_before_deletions(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	write_text(at(dir, "old"), "x");
	record();
	stage_unlink(b, PUBLISH_REF_DELETE, "old");
	stage(b, PUBLISH_REF, "t1", "new");
	stage(b, PUBLISH_PACKED_REFS, "t2", "packed-refs");
	commit(b);
	assert_true(where("rename ./t2 ./packed-refs") < where("rename ./t1 ./new"));
	assert_true(where("rename ./t1 ./new") < where("unlink ./old"));
}

/* Objects that go: after what replaces them, and after all that has named them. */
static void object_deletions(enum fsync_method method, enum fs_kind kind)
{
	struct fsync_batch *b = batch(method, kind);

	record();
	assert_int_equal(mkdir(at(dir, "d"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "p"), 0777), 0);
	write_text(at(dir, "d/pack"), "x");
	write_text(at(dir, "ref"), "x");
	stage_unlink(b, PUBLISH_OBJECT_DELETE, "d/pack");
	stage(b, PUBLISH_INDEX, "t1", "index");
	stage(b, PUBLISH_DERIVED, "t2", "midx");
	stage(b, PUBLISH_PACK_IDX, "t3", "p/idx");
	stage_unlink(b, PUBLISH_REF_DELETE, "ref");
	commit(b);
	assert_true(where("rename ./t3 ./p/idx") < where("unlink ./d/pack"));
	assert_true(where("rename ./t2 ./midx") < where("unlink ./d/pack"));
	assert_true(where("rename ./t1 ./index") < where("unlink ./d/pack"));
	assert_true(where("unlink ./ref") < where("unlink ./d/pack"));
	if (kind == FS_EACH) { /* no journal keeps the order */
		assert_true(where("fsync ./p") < where("unlink ./d/pack"));
		assert_true(where("rename ./t1 ./index\nfsync .\nclose .\nunlink ./d/pack"));
	} else if (kind == FS_LOCAL) {
		assert_true(where("syncfs ./d\nfsync ./d\nunlink ./d/pack"));
	} else {
		assert_int_equal(count_flushes(), 1);
	}
	fault_remove();
	assert_int_equal(remove_tree(dir, true, NULL), 0);
}

static void d5_object_deletions_come_last(void **state UNUSED)
{
	object_deletions(FSYNC_METHOD_BATCH, FS_JOURNAL);
	object_deletions(FSYNC_METHOD_BATCH, FS_BTRFS);
	object_deletions(FSYNC_METHOD_BATCH, FS_EACH);
	object_deletions(FSYNC_METHOD_BATCH, FS_LOCAL);
}

/* ---- files made under a lock ---- */

static int make_packed(void *data, struct err *err)
{
	struct fsync_batch *b = data;
	struct fsync_staging s = {
		.component = FSYNC_REFERENCE,
		.order = PUBLISH_REF_DELETE,
		.how = PUBLISH_RENAME,
		.fd = new_file(at(dir, "t3"), "content"),
		.tmp_path = at(dir, "t3"),
		.final_path = at(dir, "3"),
	};

	if (fsync_batch_stage(b, &s, err) < 0)
		return ERR_IO;
	stage_unlink(b, PUBLISH_REF_JOURNAL_END, "old");
	return 0;
}

static int refuse(void *data UNUSED, struct err *err)
{
	return err_set(err, ERR_LOCKED, "somebody holds it");
}

static struct fsync_batch *batch_with_call(enum fs_kind kind, int (*call)(void *, struct err *))
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, kind);
	struct fsync_staging s = {
		.component = FSYNC_REFERENCE,
		.order = PUBLISH_REF_LATE,
		.how = PUBLISH_CALL,
		.fd = -1,
		.final_path = at(dir, "3"),
		.call = call,
		.data = b,
	};

	write_text(at(dir, "old"), "old");
	record();
	assert_int_equal(fsync_batch_stage(b, &s, NULL), 0);
	stage(b, PUBLISH_LOOSE_OBJECT, "t1", "1");
	stage(b, PUBLISH_REF, "t2", "2");
	return b;
}

static void what_a_call_stages_is_settled_then(void **state UNUSED)
{
	commit(batch_with_call(FS_JOURNAL, make_packed));
	assert_calls("writeout_start ./t1\n"
		     "writeout_start ./t2\n"
		     "writeout_wait ./t1\n"
		     "writeout_wait ./t2\n"
		     "rename ./t1 ./1\n"
		     "writeout_start ./t3\n"
		     "writeout_wait ./t3\n"
		     "rename ./t2 ./2\n"
		     "rename ./t3 ./3\n"
		     "unlink ./old\n"
		     "fsync .\n");
}

/* A process that waits for the lock does not wait for data of other processes. */
static void no_syncfs_after_a_call(void **state UNUSED)
{
	commit(batch_with_call(FS_LOCAL, make_packed));
	assert_calls("writeout_start ./t1\n"
		     "writeout_start ./t2\n"
		     "writeout_wait ./t1\n"
		     "writeout_wait ./t2\n"
		     "syncfs .\n"
		     "fsync .\n"
		     "rename ./t1 ./1\n"
		     "syncfs .\n"
		     "fsync .\n"
		     "fsync ./t3\n"
		     "rename ./t2 ./2\n"
		     "fsync .\n"
		     "rename ./t3 ./3\n"
		     "fsync .\n"
		     "unlink ./old\n"
		     "syncfs .\n"
		     "fsync .\n");
}

static void a_call_that_fails_ends_it(void **state UNUSED)
{
	struct fsync_batch *b = batch_with_call(FS_JOURNAL, refuse);
	struct err err = ERR_INIT;

	assert_int_equal(fsync_batch_commit(b, &err), ERR_UNCERTAIN);
	assert_string_equal(err_message(&err), "somebody holds it");
	assert_tree("f 1 7\nf old 3\n");
	fsync_batch_free(b);
	err_release(&err);
}

static void d6_failed_writeback_poisons(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	struct err err = ERR_INIT;
	char *tree;

	record_failing("writeout_wait", 2, EIO);
	for (int i = 0; i < 3; i++)
		stage(b, PUBLISH_REF, numbered("t%d", i), numbered("%d", i));
	assert_int_equal(fsync_batch_commit(b, &err), ERR_IO);
	assert_int_equal(err.code, ERR_IO);
	assert_int_equal(err.sys_errno, EIO);
	assert_non_null(strstr(err.msg, "/t1'"));
	err_release(&err);
	assert_int_equal(count_calls("rename"), 0);

	/* The next try would succeed, and would be a lie. */
	assert_int_equal(stage_as(b, PUBLISH_REF, at(dir, "t1"), at(dir, "1"), &err), ERR_IO);
	assert_non_null(strstr(err.msg, "/t1'"));
	err_release(&err);
	assert_int_equal(fsync_batch_commit(b, &err), ERR_IO);
	err_release(&err);
	fsync_batch_free(b);
	assert_int_equal(count_calls("rename"), 0);
	tree = tree_of(dir);
	assert_string_equal(tree, "");
	free(tree);
}

static void stage_started(struct fsync_batch *b, int fd)
{
	struct fsync_staging s = {
		.component = FSYNC_REFERENCE, .order = PUBLISH_REF, .how = PUBLISH_RENAME, .fd = fd,
		.tmp_path = at(dir, "t"), .final_path = at(dir, "ref"), .started = true,
	};

	assert_int_equal(fsync_batch_stage(b, &s, NULL), 0);
}

/*
 * A file started before it is staged has its calls once; a file that is flushed is not started at
 * all.
 */
static void started_before_it_is_staged(void **state UNUSED)
{
	static const struct {
		enum fsync_method method;
		enum fs_kind kind;
		const char *before, *all;
	} cases[] = {
		{ FSYNC_METHOD_BATCH, FS_JOURNAL, "writeout_start ./t\n",
		  "writeout_start ./t\nwriteout_wait ./t\nrename ./t ./ref\nfsync .\n" },
		{ FSYNC_METHOD_FSYNC, FS_JOURNAL, "", "fsync ./t\nrename ./t ./ref\nfsync .\n" },
		{ FSYNC_METHOD_BATCH, FS_EACH, "", "fsync ./t\nrename ./t ./ref\nfsync .\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fsync_batch *b = batch(cases[i].method, cases[i].kind);
		int fd = new_file(at(dir, "t"), "value");

		record();
		fsync_batch_start(b, FSYNC_REFERENCE, at(dir, "t"), fd);
		assert_calls(cases[i].before);
		stage_started(b, fd);
		commit(b);
		assert_calls(cases[i].all);
		fault_remove();
	}
}

/* D6: the kernel may tell of it once, and not when the file is staged. */
static void d6_failed_start_poisons(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	int fd = new_file(at(dir, "t"), "value");
	struct err err = ERR_INIT;

	record_failing("writeout_start", 1, EIO);
	fsync_batch_start(b, FSYNC_REFERENCE, at(dir, "t"), fd);
	close(fd);
	assert_int_equal(stage_as(b, PUBLISH_REF, at(dir, "u"), at(dir, "ref"), &err), ERR_IO);
	assert_int_equal(err.sys_errno, EIO);
	err_release(&err);
	assert_int_equal(fsync_batch_commit(b, NULL), ERR_IO);
	fsync_batch_free(b);
	assert_int_equal(count_calls("rename"), 0);
}

/* NFS and quotas tell of contents that they have lost when a file is closed. */
static void d6_failed_close_poisons(void **state UNUSED)
{
	static const enum fs_kind kinds[] = { FS_JOURNAL, FS_LOCAL, FS_FULL };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, kinds[i]);
		struct err err = ERR_INIT;

		record_failing("close", 1, EIO);
		stage(b, PUBLISH_REF, "t", "ref");
		assert_int_equal(fsync_batch_commit(b, &err), ERR_IO);
		assert_int_equal(err.sys_errno, EIO);
		assert_non_null(strstr(err.msg, "/t'"));
		err_release(&err);
		fsync_batch_free(b);
		assert_int_equal(count_calls("rename"), 0);
		fault_remove();
	}
}

static void d6_failed_seal_poisons(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	struct err err = ERR_INIT;

	record_failing("fsync", 1, EIO);
	stage(b, PUBLISH_REF, "t", "ref");
	assert_int_equal(fsync_batch_commit(b, &err), ERR_UNCERTAIN);
	assert_int_equal(err.code, ERR_UNCERTAIN);
	assert_int_equal(err.sys_errno, EIO);
	assert_non_null(strstr(err.msg, dir));
	err_release(&err);
	assert_int_equal(fsync_batch_commit(b, &err), ERR_UNCERTAIN);
	err_release(&err);
	assert_int_equal(stage_as(b, PUBLISH_REF, at(dir, "t2"), at(dir, "2"), &err),
			 ERR_UNCERTAIN);
	err_release(&err);
	fsync_batch_free(b);
	assert_int_equal(count_calls("fsync"), 1);
	assert_false(file_exists(at(dir, "t2")));
}

/* Its directory cannot be opened any more. */
static void shut_down(void *data UNUSED, const char *line)
{
	if (!starts_with(line, "fsync "))
		return;
	assert_int_equal(rename(at(dir, "r"), at(dir, "gone")), 0);
	assert_int_equal(symlink("r", at(dir, "r")), 0);
}

/* XFS says yes to the flush of a directory when it has given up. */
static void a_file_system_that_has_shut_down(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	struct fault_plan plan = FAULT_PLAN_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(mkdir(at(dir, "r"), 0777), 0);
	plan.before = shut_down;
	fault_install(&plan);
	stage(b, PUBLISH_REF, "t", "r/ref");
	assert_int_equal(fsync_batch_commit(b, &err), ERR_UNCERTAIN);
	assert_int_equal(err.sys_errno, ELOOP);
	assert_non_null(strstr(err_message(&err), "after its flush"));
	assert_int_equal(count_calls("fsync"), 1);
	fault_remove();
	err_release(&err);
	fsync_batch_free(b);
}

/*
 * A window of two: the third file makes the first be awaited, and no file is
 * closed, to be opened again, before it has been awaited. So it is again after a first publication.
 */
static void d7_writer_awaits_oldest_first(void **state UNUSED)
{
	struct fsync_batch_options o = {
		.policy = FSYNC_POLICY_DEFAULT,
		.window = 2,
	};
	struct fsync_batch *b = fsync_batch_new(&o);

	pretend_fs(FS_JOURNAL);
	for (int i = 4; i < 8; i++)
		stage(b, PUBLISH_REF, numbered("t%d", i), numbered("%d", i));
	assert_int_equal(fsync_batch_publish(b, NULL), 0);
	record();
	for (int i = 0; i < 4; i++)
		stage(b, PUBLISH_REF, numbered("t%d", i), numbered("%d", i));
	commit(b);
	assert_true(where("writeout_start ./t2") < where("writeout_wait ./t0"));
	assert_true(where("writeout_wait ./t0") < where("writeout_start ./t3"));
	assert_true(where("writeout_wait ./t0") < where("writeout_wait ./t1"));
	assert_true(where("writeout_wait ./t1") < where("writeout_wait ./t2"));
	for (int i = 0; i < 4; i++)
		assert_true(where(at("writeout_wait .", "t%d", i)) <
			    where(at("close .", "t%d", i)));
}

/* ---- files that have their names already ---- */

static void write_awaited(struct fsync_batch *b, const char *name)
{
	int fd = open(at(dir, name), O_WRONLY | O_CREAT | O_EXCL, 0666);

	assert_true(fd >= 0);
	fsync_batch_await(b, at(dir, name), fd);
}

/* Neither these files nor their directory are flushed, whatever the method; another file system is not either. */
static void awaited_files_come_before_names(void **state UNUSED)
{
	static const enum fsync_method methods[] = { FSYNC_METHOD_BATCH, FSYNC_METHOD_FSYNC, FSYNC_METHOD_WRITEOUT_ONLY };

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		struct fsync_batch *b = batch(methods[i], FS_JOURNAL);

		assert_true(fsync_batch_awaits(b, FSYNC_WORKTREE, dir));
		record();
		write_awaited(b, numbered("file%d", (int)i));
		assert_false(fsync_batch_is_empty(b));
		stage(b, PUBLISH_INDEX, "t", "index");
		commit(b);
		assert_true(where(at("writeout_wait .", "file%d", (int)i)) < where("rename ./t ./index"));
		assert_int_equal(count_flushes(), methods[i] == FSYNC_METHOD_WRITEOUT_ONLY ? 0 : methods[i] == FSYNC_METHOD_FSYNC ? 2 : 1);
	}
}

/* D7: of a window of four, the two oldest make room; all others are awaited in their order at the end. */
static void awaited_files_fit_into_the_window(void **state UNUSED)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT, .window = 4 };
	struct fsync_batch *b = fsync_batch_new(&o);

	pretend_fs(FS_JOURNAL);
	record();
	for (int i = 0; i < 6; i++)
		write_awaited(b, numbered("file%d", i));
	commit(b);
	assert_true(where("writeout_start ./file4") < where("writeout_wait ./file0"));
	assert_true(where("writeout_wait ./file1") < where("writeout_start ./file5"));
	assert_true(where("writeout_start ./file5") < where("writeout_wait ./file2"));
	for (int i = 0; i < 6; i++)
		assert_true(where(at("writeout_wait .", "file%d", i)) < where(at("close .", "file%d", i)));
	assert_int_equal(count_flushes(), 0);
}

static void a_failed_awaited_file_spoils_the_batch(void **state UNUSED)
{
	static const char *const calls[] = { "writeout_start", "writeout_wait", "close" };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
		struct err err = ERR_INIT;

		stage(b, PUBLISH_INDEX, "t", "index");
		record_failing(calls[i], 1, EIO);
		write_awaited(b, numbered("f%d", (int)i));
		assert_int_equal(fsync_batch_check(b, NULL), i ? 0 : ERR_IO);
		assert_int_equal(fsync_batch_commit(b, &err), ERR_IO);
		assert_non_null(strstr(err_message(&err), numbered("f%d", (int)i)));
		assert_int_equal(count_calls("rename"), 0);
		fault_remove();
		err_release(&err);
		fsync_batch_free(b);
	}
}

/* Not where only a flush of each file would do, nor where the index or refs are not durable. */
static void which_files_are_awaited(void **state UNUSED)
{
	struct fsync_batch_options o = { .policy = { FSYNC_ALL & ~FSYNC_INDEX, FSYNC_METHOD_BATCH } };
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_EACH);

	assert_false(fsync_batch_awaits(b, FSYNC_WORKTREE, dir));
	fsync_batch_free(b);
	b = fsync_batch_new(&o);
	pretend_fs(FS_JOURNAL);
	assert_false(fsync_batch_awaits(b, FSYNC_WORKTREE, dir));
	o.policy.components = FSYNC_INDEX | FSYNC_REFERENCE;
	fsync_batch_set_options(b, &o);
	assert_true(fsync_batch_awaits(b, FSYNC_WORKTREE, dir));
	fsync_batch_free(b);
}

/* No such call: no promise, and no flush in its place. */
static void awaited_files_without_the_call(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	record_failing("writeout_start", 1, ENOSYS);
	write_awaited(b, "file");
	fault_remove();
	record_failing("writeout_wait", 1, ENOSYS);
	assert_int_equal(fsync_batch_publish(b, NULL), 0);
	assert_int_equal(count_flushes(), 0);
	fault_remove();
	write_awaited(b, "given-up");
	fsync_batch_free(b);
}

/* ---- in place, outside ---- */

static void in_place_alone_is_flushed_itself(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	record();
	stage_in_place(b, "log");
	commit(b);
	assert_calls("writeout_start ./log\n"
		     "writeout_wait ./log\n"
		     "fsync ./log\n");
}

static void in_place_several_need_more(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	record();
	stage_in_place(b, "log1");
	stage_in_place(b, "log2");
	commit(b);
	assert_int_equal(count_calls("fsync"), 0);
	assert_int_equal(count_calls("syncfs"), 1);
}

static void in_place_is_covered_by_a_name(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	record();
	stage_in_place(b, "log1");
	stage_in_place(b, "log2");
	stage(b, PUBLISH_LOOSE_OBJECT, "t", "object");
	commit(b);
	assert_int_equal(count_calls("syncfs"), 0);
	assert_true(where("fsync .") > where("rename ./t ./object"));
}

/* The name of an adopted file, and the name of its directory, are sealed as well. */
static void adopted_names_are_sealed(void **state UNUSED)
{
	static const enum fs_kind kinds[] = { FS_EACH, FS_JOURNAL };
	struct err err = ERR_INIT;

	assert_int_equal(mkdir(at(dir, "ab"), 0777), 0);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, kinds[i]);
		struct fsync_staging s = {
			.component = FSYNC_LOOSE_OBJECT,
			.order = PUBLISH_LOOSE_OBJECT,
			.how = PUBLISH_ADOPT,
			.fd = open(at(dir, "ab/cd"), O_CREAT | O_RDWR | O_CLOEXEC, 0600),
			.final_path = at(dir, "ab/cd"),
		};

		record();
		assert_int_equal(fsync_batch_stage(b, &s, &err), 0);
		commit(b);
		if (kinds[i] == FS_EACH)
			assert_calls("fsync ./ab/cd\nfsync .\nfsync ./ab\n");
		else
			assert_calls("writeout_start ./ab/cd\nwriteout_wait ./ab/cd\nsyncfs ./ab\n");
		fault_remove();
	}
}

static void noted_directory_is_sealed(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	assert_int_equal(mkdir(at(dir, "a"), 0777), 0);
	record();
	fsync_batch_note_dir(b, FSYNC_OTHER, at(dir, "a"));
	commit(b);
	assert_calls("fsync ./a\n");
}

static void unlink_of_nothing_is_fine(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	assert_int_equal(mkdir(at(dir, "a"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "b"), 0777), 0);
	record();
	stage_unlink(b, PUBLISH_REF_DELETE, "a/none");
	stage_unlink(b, PUBLISH_REF_DELETE, "no/such/dir/none");
	stage(b, PUBLISH_REF, "t", "b/ref");
	commit(b);
	/* It is b that we changed; a flush of another may commit less. */
	assert_true(where("fsync ./b") > where("unlink ./a/none = ENOENT"));
	assert_int_equal(count_flushes(), 1);
}

/* What stood above it may have become a file meanwhile: then it is not there either. */
static void unlink_below_a_file_is_fine(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	write_text(at(dir, "file"), "x");
	stage_unlink(b, PUBLISH_REF_DELETE, "file/ref");
	commit(b);
	assert_int_equal(remove_file(at(dir, "file/ref"), NULL), 0);
}

static void remove_parent(void *data UNUSED, bool published)
{
	assert_true(published);
	assert_int_equal(rmdir(at(dir, "a/b")), 0);
}

static void seal_climbs_out_of_removed_dirs(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	struct fsync_staging s = {
		.component = FSYNC_REFERENCE,
		.order = PUBLISH_REF_DELETE,
		.how = PUBLISH_UNLINK,
		.fd = -1,
		.final_path = at(dir, "a/b/ref"),
		.done = remove_parent,
	};

	assert_int_equal(make_dirs(at(dir, "a/b"), 0, NULL), 0);
	write_text(at(dir, "a/b/ref"), "x");
	record();
	assert_int_equal(fsync_batch_stage(b, &s, NULL), 0);
	commit(b);
	assert_calls("unlink ./a/b/ref\n"
		     "fsync ./a\n");
}

/* ---- other ways ---- */

static void publish_alone_does_not_seal(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	record();
	stage(b, PUBLISH_LOOSE_OBJECT, "t", "object");
	assert_int_equal(fsync_batch_publish(b, NULL), 0);
	assert_true(file_exists(at(dir, "object")));
	assert_int_equal(count_flushes(), 0);
	assert_true(where("writeout_wait ./t") < where("rename ./t ./object"));
	commit(b);
	assert_int_equal(count_flushes(), 1);
}

static void abort_leaves_nothing(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	char *tree;

	stage(b, PUBLISH_REF, "t", "ref");
	fsync_batch_abort(b);
	tree = tree_of(dir);
	assert_string_equal(tree, "");
	free(tree);
	stage(b, PUBLISH_REF, "t", "ref");
	commit(b);
	tree = tree_of(dir);
	assert_string_equal(tree, "f ref 7\n");
	free(tree);
}

static void no_writeout_here(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	record_failing("writeout_start", 1, ENOSYS);
	stage(b, PUBLISH_REF, "t", "ref");
	commit(b);
	assert_true(where("fsync ./t") < where("rename ./t ./ref"));
	assert_true(where("fsync .") > where("rename ./t ./ref"));
}

static void no_syncfs_here(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_LOCAL);

	record_failing("syncfs", 1, ENOSYS);
	stage(b, PUBLISH_REF, "t", "ref");
	commit(b);
	assert_true(where("fsync ./t") < where("rename ./t ./ref"));
	assert_true(where("fsync .") > where("rename ./t ./ref"));
	assert_int_equal(count_calls("syncfs"), 1);
	fault_remove();

	b = batch(FSYNC_METHOD_BATCH, FS_BTRFS);
	record_failing("syncfs", 1, ENOSYS);
	stage(b, PUBLISH_REF, "t", "ref");
	commit(b);
	assert_true(where("fsync .") > where("rename ./t ./ref"));
}

static void interrupted_calls_go_on(void **state UNUSED)
{
	static const char *const calls[] = { "writeout_start", "writeout_wait", "rename", "fsync" };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

		record_failing(calls[i], 1, EINTR);
		stage(b, PUBLISH_REF, "t", "ref");
		commit(b);
		assert_true(fault_hit());
		fault_remove();
	}
}

/* A rename fails half-way: published names stay, the rest is given up. */
static void rename_fails_half_way(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	struct err err = ERR_INIT;
	char *tree;

	record_failing("rename", 2, EACCES);
	for (int i = 0; i < 3; i++)
		stage(b, PUBLISH_REF, numbered("t%d", i), numbered("%d", i));
	assert_int_equal(fsync_batch_commit(b, &err), ERR_UNCERTAIN);
	assert_int_equal(err.code, ERR_UNCERTAIN);
	assert_non_null(strstr(err.msg, "/t1'"));
	err_release(&err);
	tree = tree_of(dir);
	assert_string_equal(tree, "f 0 7\n");
	free(tree);
	fsync_batch_free(b);
}

/* ---- threads ---- */

struct stager {
	struct fsync_batch *b;
	int number;
};

static void *stage_many(void *data)
{
	struct stager *s = data;

	for (int i = 0; i < 100; i++) {
		char tmp[PATH_MAX], final[PATH_MAX];

		snprintf(tmp, sizeof(tmp), "%s/t%d-%d", dir, s->number, i);
		snprintf(final, sizeof(final), "%s/%d-%d", dir, s->number, i);
		if (stage_as(s->b, PUBLISH_LOOSE_OBJECT, tmp, final, NULL))
			return data;
	}
	return NULL;
}

static void staged_from_threads(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	struct stager s[4];
	pthread_t threads[4];

	record();
	for (int i = 0; i < 4; i++) {
		s[i] = (struct stager){ b, i };
		assert_int_equal(pthread_create(&threads[i], NULL, stage_many, &s[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	commit(b);
	assert_int_equal(count_calls("writeout_wait"), 400);
	assert_int_equal(count_calls("rename"), 400);
	assert_int_equal(count_flushes(), 1);
}

/* ---- states: every call in every state ---- */

#define IN(state) (1u << BATCH_##state)
#define AT_REST (IN(OPEN) | IN(UNSEALED) | IN(FAILED))
#define STAYS BATCH_STATE_NR
#define FREED 20 /* no state */

static struct fsync_batch *in_state; /* NULL: freed */

static void call_set_options(struct fsync_batch *b)
{
	struct fsync_batch_options o = { .policy = *fsync_batch_policy(b) };

	fsync_batch_set_options(b, &o);
}

static void call_stage(struct fsync_batch *b)
{
	struct fsync_staging s = { .component = FSYNC_OTHER, .order = PUBLISH_FILE_LATE,
				   .how = PUBLISH_UNLINK, .fd = -1, .final_path = at(dir, "none") };

	(void)!fsync_batch_stage(b, &s, NULL);
}

static void call_start(struct fsync_batch *b)
{
	fsync_batch_start(b, FSYNC_OTHER, at(dir, "a"), new_file(at(dir, "a"), "x"));
}

static void call_publish(struct fsync_batch *b)
{
	(void)!fsync_batch_publish(b, NULL);
}

static void call_publish_objects(struct fsync_batch *b)
{
	(void)!fsync_batch_publish_objects(b, NULL);
}

static void call_commit(struct fsync_batch *b)
{
	(void)!fsync_batch_commit(b, NULL);
}

static void call_seal_for(struct fsync_batch *b)
{
	(void)!fsync_batch_seal_for(b, dir, NULL);
}

static void call_flush_others(struct fsync_batch *b)
{
	(void)!fsync_batch_flush_others(b, dir, dir, NULL);
}

static void call_note_dir(struct fsync_batch *b)
{
	fsync_batch_note_dir(b, FSYNC_OTHER, dir);
}

static void call_free(struct fsync_batch *b)
{
	fsync_batch_free(b);
	in_state = NULL;
}

/* The states that allow each call, and where OPEN and UNSEALED lead to; FAILED stays (B4). */
static const struct state_call {
	const char *name;
	void (*fn)(struct fsync_batch *b);
	unsigned allowed;
	int from_open, from_unsealed;
} state_calls[] = {
	{ "set_options", call_set_options, IN(OPEN) | IN(UNSEALED), BATCH_OPEN, BATCH_UNSEALED },
	{ "stage", call_stage, AT_REST | IN(CALLING), BATCH_OPEN, BATCH_UNSEALED },
	{ "start", call_start, AT_REST | IN(CALLING), BATCH_OPEN, BATCH_UNSEALED },
	{ "publish", call_publish, AT_REST, BATCH_OPEN, BATCH_UNSEALED },
	{ "publish_objects", call_publish_objects, AT_REST, BATCH_OPEN, BATCH_UNSEALED },
	{ "commit", call_commit, AT_REST, BATCH_OPEN, BATCH_OPEN },
	{ "seal_for", call_seal_for, AT_REST, BATCH_OPEN, BATCH_UNSEALED },
	{ "flush_others", call_flush_others, AT_REST, BATCH_OPEN, BATCH_UNSEALED },
	{ "note_dir", call_note_dir, AT_REST | IN(CALLING), BATCH_OPEN, BATCH_UNSEALED },
	{ "abort", fsync_batch_abort, AT_REST, BATCH_OPEN, BATCH_UNSEALED },
	{ "free", call_free, AT_REST, FREED, FREED },
};

static const struct state_call *call_to_make;
static enum fsync_batch_state state_for_call;

/* In the child: exits with 10 and the state afterwards. */
static void make_call(void)
{
	static bool made; /* the call itself gets here by the table of system calls */

	if (made)
		return;
	made = true;
	assert_int_equal(fsync_batch_state(in_state), state_for_call);
	call_to_make->fn(in_state);
	_exit(10 + (in_state ? (int)fsync_batch_state(in_state) : FREED));
}

static int call_makes_call(void *data UNUSED, struct err *err UNUSED)
{
	make_call();
	return 0;
}

static void make_call_at(void *data, const char *line)
{
	if (starts_with(line, data))
		make_call();
}

static void call_in_state(void)
{
	static const char *const lines[BATCH_STATE_NR] = {
		[BATCH_SETTLING] = "writeout_wait", [BATCH_PUBLISHING] = "rename", [BATCH_SEALING] = "fsync",
	};
	struct fault_plan plan = { .log_fd = -1, .calls_fd = -1, .no_flush = true };
	const bool calls = state_for_call == BATCH_CALLING;

	if (lines[state_for_call]) {
		plan.before = make_call_at;
		plan.data = (char *)lines[state_for_call];
	} else if (state_for_call == BATCH_FAILED) {
		plan.fail_errno = EIO;
		plan.fail_at = 1;
		plan.only = "fsync";
	}
	in_state = calls ? batch_with_call(FS_JOURNAL, call_makes_call) : batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	if (!calls)
		fault_install(&plan);
	if (!calls && state_for_call != BATCH_OPEN)
		stage(in_state, PUBLISH_REF, "t", "ref");
	if (state_for_call == BATCH_UNSEALED)
		(void)!fsync_batch_publish(in_state, NULL);
	else if (state_for_call != BATCH_OPEN)
		(void)!fsync_batch_commit(in_state, NULL);
	make_call();
}

static int state_after(const struct state_call *c, enum fsync_batch_state state)
{
	if (state == BATCH_OPEN || c->from_open == FREED)
		return c->from_open;
	return state == BATCH_UNSEALED ? c->from_unsealed : (int)state;
}

static void each_call_in_each_state(void **st)
{
	for (size_t i = 0; i < ARRAY_SIZE(state_calls); i++) {
		for (unsigned state = 0; state < BATCH_STATE_NR; state++) {
			const struct state_call *c = call_to_make = &state_calls[i];
			int code;

			state_for_call = state;
			if (!(c->allowed & (1u << state))) {
				assert_bug(call_in_state, "() of a batch that is ");
			} else {
				code = exit_code_of(call_in_state);
				if (code != 10 + state_after(c, state))
					fail_msg("%s in state %u: %d", c->name, state, code);
			}
			scratch_teardown(st);
			scratch_setup(st);
		}
	}
}

static void states_of_a_batch(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	stage(b, PUBLISH_REF, "t1", "1");
	assert_int_equal(fsync_batch_state(b), BATCH_OPEN);
	assert_int_equal(fsync_batch_publish(b, NULL), 0);
	assert_int_equal(fsync_batch_state(b), BATCH_UNSEALED); /* B3 */
	stage(b, PUBLISH_REF, "t2", "2");
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	assert_int_equal(fsync_batch_state(b), BATCH_OPEN);
	/* A rename that fails is no failure of the disk ... */
	write_text(at(dir, "3/x"), "in the way");
	stage(b, PUBLISH_FILE, "t3", "3");
	assert_true(fsync_batch_commit(b, NULL) < 0);
	assert_int_equal(fsync_batch_state(b), BATCH_OPEN);
	assert_true(fsync_batch_is_empty(b)); /* B5 */
	/* ... a flush that fails is one. */
	stage(b, PUBLISH_REF, "t4", "4");
	record_failing("fsync", 1, EIO);
	assert_int_equal(fsync_batch_commit(b, NULL), ERR_UNCERTAIN);
	assert_int_equal(fsync_batch_state(b), BATCH_FAILED);
	fsync_batch_abort(b);
	assert_int_equal(fsync_batch_state(b), BATCH_FAILED); /* B4 */
	fsync_batch_free(b);
}

/* A call that is refused leads back, too. */
static void a_refused_call_leads_to_open(void **state UNUSED)
{
	struct fsync_batch *b = batch_with_call(FS_JOURNAL, refuse);

	assert_int_equal(fsync_batch_commit(b, NULL), ERR_UNCERTAIN);
	assert_int_equal(fsync_batch_state(b), BATCH_UNSEALED);
	fsync_batch_free(b);
}

/* ---- faults: the n-th call fails, for every n ---- */

static const struct {
	enum fsync_method method;
	enum fs_kind kind;
} engines[] = {
	{ FSYNC_METHOD_BATCH, FS_JOURNAL }, { FSYNC_METHOD_BATCH, FS_BTRFS },
	{ FSYNC_METHOD_BATCH, FS_LOCAL },   { FSYNC_METHOD_BATCH, FS_EACH },
	{ FSYNC_METHOD_BATCH, FS_FULL },    { FSYNC_METHOD_FSYNC, FS_JOURNAL },
	{ FSYNC_METHOD_WRITEOUT_ONLY, FS_JOURNAL },
};

static int stage_temporary(struct fsync_batch *b, enum publish_class order, const char *name,
			   struct err *err)
{
	struct tempfile *t = NULL;
	int ret = tempfile_create_in(&t, dir, "tmp_", 0666, err);

	if (!ret)
		ret = write_in_full(t->fd, "content", 7, t->path, err);
	if (!ret)
		ret = tempfile_stage(&t, b, FSYNC_REFERENCE, order, at(dir, "%s", name), true,
				     err);
	tempfile_delete(&t);
	return ret;
}

static int stage_late(void *data, struct err *err)
{
	return stage_temporary(data, PUBLISH_PACKED_REFS, "packed", err);
}

/* An operation of every kind of entry; the result of the first failure. */
static int operation(struct fsync_batch *b, struct err *err)
{
	static const struct {
		enum publish_class order;
		const char *name;
	} files[] = {
		{ PUBLISH_INDEX, "index" },	     { PUBLISH_REF, "r/new/ref" },
		{ PUBLISH_LOOSE_OBJECT, "o/object" }, { PUBLISH_PACK_DATA, "p.pack" },
		{ PUBLISH_PACK_IDX, "p.idx" },	     { PUBLISH_FILE, "config" },
	};
	struct fsync_staging del = {
		.component = FSYNC_REFERENCE,
		.order = PUBLISH_REF_DELETE,
		.how = PUBLISH_UNLINK,
		.fd = -1,
	};
	struct fsync_staging late = {
		.component = FSYNC_REFERENCE,
		.order = PUBLISH_REF_LATE,
		.how = PUBLISH_CALL,
		.fd = -1,
		.call = stage_late,
		.data = b,
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(files); i++)
		ret = stage_temporary(b, files[i].order, files[i].name, err);
	if (!ret)
		ret = append_log(b, "log", err);
	del.final_path = at(dir, "old");
	late.final_path = at(dir, "packed");
	if (!ret)
		ret = fsync_batch_stage(b, &del, err);
	if (!ret)
		ret = fsync_batch_stage(b, &late, err);
	if (!ret)
		ret = fsync_batch_commit(b, err);
	return ret;
}

static void prepare_tree(void)
{
	assert_int_equal(remove_tree(dir, true, NULL), 0);
	write_text(at(dir, "old"), "old");
	write_text(at(dir, "index"), "old");
}

static void check_outcome(int ret, struct err *err, const char *what)
{
	char *tree = tree_of(dir);

	if (strstr(tree, "tmp_"))
		fail_msg("%s: litter:\n%s", what, tree);
	if (ret == ERR_IO && strcmp(tree, "f index 3\nf old 3\n"))
		fail_msg("%s: ERR_IO, but something was named:\n%s", what, tree);
	if (!ret && strcmp(tree, "d o\nd r\nd r/new\nf config 7\nf index 7\nf log 5\nf o/object 7\n"
				 "f p.idx 7\nf p.pack 7\nf packed 7\nf r/new/ref 7\n"))
		fail_msg("%s: success, but:\n%s", what, tree);
	if (ret && ret != ERR_IO && ret != ERR_UNCERTAIN)
		fail_msg("%s: code %d", what, ret);
	if (ret && (err->code != ret || !err->msg || !strstr(err->msg, dir)))
		fail_msg("%s: the message names no path: %s", what, err_message(err));
	free(tree);
}

static void sweep(size_t engine, int fail_errno, bool short_write, bool from_then_on)
{
	for (size_t n = 1;; n++) {
		struct fault_plan plan = FAULT_PLAN_INIT;
		struct fsync_batch *b = batch(engines[engine].method, engines[engine].kind);
		struct err err = ERR_INIT;
		char what[100];
		bool hit;
		int ret;

		plan.fail_at = n;
		plan.fail_errno = fail_errno;
		plan.short_write = short_write;
		plan.from_then_on = from_then_on;
		prepare_tree();
		fault_install(&plan);
		ret = operation(b, &err);
		fsync_batch_free(b);
		hit = fault_hit();
		snprintf(what, sizeof(what), "engine %zu, call %zu, %s", engine, n,
			 short_write ? "short" : strerror(fail_errno));
		check_outcome(ret, &err, what);
		if (hit && !ret && !short_write && fail_errno != EINTR)
			fail_msg("%s: failed, but was called good:\n%s", what, fault_text());
		if (ret && (short_write || fail_errno == EINTR))
			fail_msg("%s: %s", what, err_message(&err));
		err_release(&err);
		if (!hit && n > fault_counted()) {
			fault_remove();
			assert_true(n > 20);
			return;
		}
		fault_remove();
	}
}

static void every_call_fails_once(void **state UNUSED)
{
	for (size_t e = 0; e < ARRAY_SIZE(engines); e++) {
		sweep(e, EIO, false, false);
		sweep(e, ENOSPC, false, true);
		sweep(e, EINTR, false, false);
		sweep(e, 0, true, false);
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(order_batch_journal),
		T(order_batch_btrfs),
		T(order_batch_local),
		T(no_fsync_of_a_directory_after_syncfs),
		T(order_batch_full),
		T(order_batch_each),
		T(order_fsync),
		T(order_fsync_btrfs),
		T(order_fsync_local),
		T(order_alone),
		T(order_writeout_only),
		T(order_switched_off),
		T(order_policy_without_component),
		T(order_made_parents),
		T(parents_that_go_are_made_again),
		T(replaced_files_keep_their_inodes),
		T(second_names_outlive_a_failed_seal),
		T(no_second_names_where_none_is_needed),
		T(counts_do_not_grow),
		T(counts_of_a_flush_each),
		T(nothing_costs_nothing),
		T(one_directory_two_paths),
		T(d1_names_wait_for_contents),
		T(d2_seal_follows_names),
		T(d8_replaced_files_go_after_the_seal),
		T(d3_pack_before_idx),
		T(d4_objects_before_refs_and_index),
		T(d4_classes_on_two_devices),
		T(d4_phases_without_a_journal),
		T(d5_updates_before_deletions),
		T(d5_object_deletions_come_last),
		T(what_a_call_stages_is_settled_then),
		T(no_syncfs_after_a_call),
		T(a_call_that_fails_ends_it),
		T(d6_failed_writeback_poisons),
		T(started_before_it_is_staged),
		T(d6_failed_start_poisons),
		T(d6_failed_close_poisons),
		T(d6_failed_seal_poisons),
		T(a_file_system_that_has_shut_down),
		T(d7_writer_awaits_oldest_first),
		T(awaited_files_come_before_names),
		T(awaited_files_fit_into_the_window),
		T(a_failed_awaited_file_spoils_the_batch),
		T(which_files_are_awaited),
		T(awaited_files_without_the_call),
		T(in_place_alone_is_flushed_itself),
		T(in_place_several_need_more),
		T(in_place_is_covered_by_a_name),
		T(adopted_names_are_sealed),
		T(noted_directory_is_sealed),
		T(unlink_of_nothing_is_fine),
		T(unlink_below_a_file_is_fine),
		T(seal_climbs_out_of_removed_dirs),
		T(publish_alone_does_not_seal),
		T(abort_leaves_nothing),
		T(no_writeout_here),
		T(no_syncfs_here),
		T(interrupted_calls_go_on),
		T(rename_fails_half_way),
		T(staged_from_threads),
		T(each_call_in_each_state),
		T(states_of_a_batch),
		T(a_refused_call_leads_to_open),
		T(every_call_fails_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
