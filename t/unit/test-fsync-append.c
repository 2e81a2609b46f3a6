/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines that are appended in a batch, when their turn has come: reflogs. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "fs/append.h"
#include "t/unit/batch-aux.h"
#include "util/alloc.h"

static void d4_log_lines_after_objects(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	struct stat st;

	record();
	assert_int_equal(append_log(b, "log1", NULL), 0);
	assert_int_equal(append_log(b, "log2", NULL), 0);
	assert_int_equal(stat(at(dir, "log1"), &st), 0);
	assert_int_equal(st.st_size, 0);
	stage(b, PUBLISH_REF, "t1", "ref");
	stage(b, PUBLISH_LOOSE_OBJECT, "t2", "object");
	commit(b);
	assert_true(where("rename ./t2 ./object") < where("write ./log1 @0 5"));
	assert_true(where("writeout_start ./log2") < where("writeout_wait ./log1"));
	assert_true(where("writeout_wait ./log2") < where("rename ./t1 ./ref"));
	assert_true(where("rename ./t1 ./ref") < where("fsync ."));
	assert_int_equal(count_flushes(), 1);
	assert_int_equal(count_calls("writeout_wait"), 4);
}

/* Logs on another file system than refs: sealed before the first ref. */
static void d4_logs_on_another_device(void **state UNUSED)
{
	char *other = scratch_new_in("/dev/shm");
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	struct stat here, there;
	char *tmp, *final, *line;

	if (!other || stat(dir, &here) || stat(other, &there) || here.st_dev == there.st_dev) {
		scratch_remove(other);
		fsync_batch_free(b);
		skip();
	}
	tmp = xstrfmt("%s/t", other);
	final = xstrfmt("%s/ref", other);
	line = xstrfmt("rename %s %s", tmp, final);
	record();
	write_text(at(dir, "log"), "old\n");
	assert_int_equal(append_log(b, "log", NULL), 0);
	assert_int_equal(stage_as(b, PUBLISH_REF, tmp, final, NULL), 0);
	commit(b);
	assert_true(where("writeout_wait ./log") < where("fsync ./log"));
	assert_true(where("fsync ./log") < where(line));
	assert_int_equal(count_flushes(), 2);
	free(line);
	free(tmp);
	free(final);
	scratch_remove(other);
}

static void log_lines_alone(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);

	record();
	write_text(at(dir, "log"), "old\n");
	assert_int_equal(append_log(b, "log", NULL), 0);
	commit(b);
	assert_true(where("writeout_wait ./log") < where("fsync ./log"));
	fault_remove();

	b = batch(FSYNC_METHOD_FSYNC, FS_JOURNAL);
	record();
	assert_int_equal(append_log(b, "log", NULL), 0);
	commit(b);
	assert_int_equal(count_calls("fsync"), 1);
	assert_int_equal(count_calls("write"), 1);
	fault_remove();

	/* A new one: its name, too. */
	b = batch(FSYNC_METHOD_FSYNC, FS_JOURNAL);
	assert_int_equal(mkdir(at(dir, "logs"), 0777), 0);
	record();
	assert_int_equal(append_log(b, "logs/new", NULL), 0);
	commit(b);
	assert_int_equal(count_calls("fsync"), 2);
	assert_true(where("fsync ./logs/new") < where("fsync ./logs"));
}

/* More of them than descriptors may be open, some not covered. */
static void log_lines_in_a_small_window(void **state UNUSED)
{
	struct fsync_batch_options o = {
		.policy = FSYNC_POLICY_DEFAULT, .window = 3,
	};
	struct fsync_batch *b = fsync_batch_new(&o);

	pretend_fs(FS_JOURNAL);
	record();
	for (int i = 0; i < 20; i++)
		assert_int_equal(append_and_stage(at(dir, "log%d", i), APPEND_CREATE, 0, "x", 1,
						  b, i % 5 ? FSYNC_REFERENCE : 0,
						  PUBLISH_REFLOG, NULL), 0);
	stage(b, PUBLISH_REF, "t", "ref");
	commit(b);
	assert_int_equal(count_calls("writeout_wait"), 17);
	assert_int_equal(count_calls("write"), 20);
	assert_int_equal(count_flushes(), 1);
	assert_true(where("writeout_wait ./log19") < where("rename ./t ./ref"));
}

/* What a power cut left of a line goes before the next one comes. */
static void torn_tail_is_cut_off(void **state UNUSED)
{
	enum { TORN, END_IS_THERE, LINE };
	static struct {
		size_t lines, tail; /* bytes */
		int byte, kind;
	} cases[] = {
		{ 8, 1, 'x', TORN }, { 8, 3000, 0, TORN }, { 8, 4096, 0, TORN },
		{ 8, 10000, 0, TORN }, { 0, 5, 'x', TORN }, { 0, 5000, 0, TORN },
		{ 4096, 4096, 0, TORN }, { 8, 0, 0, TORN }, { 0, 0, 0, TORN },
		/* across pages: the second one is there, the first is not */
		{ 8, 100, 0, END_IS_THERE }, { 8, 5000, 0, END_IS_THERE },
		{ 4090, 80, 0, END_IS_THERE }, { 0, 80, 0, END_IS_THERE },
		{ 8, 100, 'x', LINE }, { 8, 9000, 'x', LINE },
		{ 100000, 5, 'x', TORN }, { 100000, 3000, 0, TORN }, { 100000, 80, 0, END_IS_THERE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
		size_t len = cases[i].lines + cases[i].tail;
		char *text = xmalloc(len + 1);
		int fd = new_file(at(dir, "log"), "");
		struct stat st;

		memset(text, 'a', cases[i].lines);
		if (cases[i].lines)
			text[cases[i].lines - 1] = '\n';
		memset(text + cases[i].lines, cases[i].byte, cases[i].tail);
		if (cases[i].kind != TORN)
			memcpy(text + len - 10, "the rest.\n", 10);
		if (cases[i].kind == LINE)
			cases[i].lines = len;
		assert_int_equal(write(fd, text, len), len);
		close(fd);
		assert_int_equal(append_log(b, "log", NULL), 0);
		commit(b);
		free(text);
		text = read_text(at(dir, "log"));
		assert_int_equal(stat(at(dir, "log"), &st), 0);
		assert_int_equal(st.st_size, cases[i].lines + 5);
		assert_string_equal(text + cases[i].lines, "line\n");
		free(text);
		unlink(at(dir, "log"));
	}
}

/* Nothing rests on the lines yet: they are cut off again. */
static void log_lines_are_taken_back(void **state UNUSED)
{
	static const struct {
		const char *call;
		size_t n;
	} failures[] = {
		{ "write", 2 }, { "writeout_start", 3 }, { "writeout_wait", 3 }, { "rename", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
		struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
		struct err err = ERR_INIT;
		char *tree;

		write_text(at(dir, "log1"), "old\n");
		record_failing(failures[i].call, failures[i].n, EIO);
		assert_int_equal(append_log(b, "log1", NULL), 0);
		assert_int_equal(append_log(b, "log2", NULL), 0);
		stage(b, PUBLISH_REF, "t1", "ref");
		assert_int_equal(fsync_batch_commit(b, &err), ERR_IO);
		assert_true(fault_hit());
		assert_int_equal(err.sys_errno, EIO);
		err_release(&err);
		fsync_batch_free(b);
		tree = tree_of(dir);
		assert_string_equal(tree, "f log1 4\n");
		free(tree);
		fault_remove();
	}
}

/* One name rests on them: they stay, whatever comes after. */
static void log_lines_stay_with_a_name(void **state UNUSED)
{
	struct fsync_batch *b = batch(FSYNC_METHOD_BATCH, FS_JOURNAL);
	char *tree;

	record_failing("rename", 2, EIO);
	assert_int_equal(append_log(b, "log", NULL), 0);
	stage(b, PUBLISH_REF, "t1", "ref1");
	stage(b, PUBLISH_REF, "t2", "ref2");
	assert_int_equal(fsync_batch_commit(b, NULL), ERR_UNCERTAIN);
	fsync_batch_free(b);
	tree = tree_of(dir);
	assert_string_equal(tree, "f log 5\nf ref1 7\n");
	free(tree);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(d4_log_lines_after_objects),
		T(d4_logs_on_another_device),
		T(log_lines_alone),
		T(log_lines_in_a_small_window),
		T(torn_tail_is_cut_off),
		T(log_lines_are_taken_back),
		T(log_lines_stay_with_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
