/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "fs/append.h"
#include "t/unit/batch-aux.h"
#include "util/alloc.h"

struct fsync_batch *batch(enum fsync_method method, enum fs_kind kind)
{
	struct fsync_batch_options o = {
		.policy = { FSYNC_ALL, method },
	};

	pretend_fs(kind);
	return fsync_batch_new(&o);
}

int stage_as(struct fsync_batch *b, enum publish_class order, const char *tmp,
	     const char *final, struct err *err)
{
	struct fsync_staging s = {
		.component = FSYNC_REFERENCE,
		.order = order,
		.how = PUBLISH_RENAME,
		.fd = new_file(tmp, "content"),
		.tmp_path = tmp,
		.final_path = final,
		.make_parents = true,
	};

	return fsync_batch_stage(b, &s, err);
}

void stage(struct fsync_batch *b, enum publish_class order, const char *tmp,
	   const char *final)
{
	assert_int_equal(stage_as(b, order, at(dir, "%s", tmp), at(dir, "%s", final), NULL),
			 0);
}

void stage_unlink(struct fsync_batch *b, enum publish_class order, const char *name)
{
	struct fsync_staging s = {
		.component = FSYNC_REFERENCE,
		.order = order,
		.how = PUBLISH_UNLINK,
		.fd = -1,
		.final_path = at(dir, "%s", name),
	};

	assert_int_equal(fsync_batch_stage(b, &s, NULL), 0);
}

void stage_in_place(struct fsync_batch *b, const char *name)
{
	struct fsync_staging s = {
		.component = FSYNC_REFERENCE,
		.order = PUBLISH_REFLOG,
		.how = PUBLISH_IN_PLACE,
		.fd = new_file(at(dir, "%s", name), "entry\n"),
		.final_path = at(dir, "%s", name),
	};

	assert_int_equal(fsync_batch_stage(b, &s, NULL), 0);
}

int append_log(struct fsync_batch *b, const char *name, struct err *err)
{
	return append_and_stage(at(dir, "%s", name), APPEND_CREATE, 0, "line\n", 5, b,
				FSYNC_REFERENCE, PUBLISH_REFLOG, err);
}

void commit(struct fsync_batch *b)
{
	struct err err = ERR_INIT;

	if (fsync_batch_commit(b, &err) < 0)
		fail_msg("commit: %s", err_message(&err));
	fsync_batch_free(b);
}

void record(void)
{
	struct fault_plan plan = FAULT_PLAN_INIT;

	fault_install(&plan);
}

void record_failing(const char *call, size_t n, int fail_errno)
{
	struct fault_plan plan = FAULT_PLAN_INIT;

	plan.only = call;
	plan.fail_at = n;
	plan.fail_errno = fail_errno;
	fault_install(&plan);
}

/* The recorded calls without closes, paths from the scratch directory on. */
void assert_calls(const char *expect)
{
	char *got = simplify(fault_text(), dir, "close");

	assert_string_equal(got, expect);
	free(got);
}

/* Position of a recorded line; fails the test if it is not there. */
size_t where(const char *line)
{
	char *got = simplify(fault_text(), dir, "");
	char *with_lf = xstrfmt("%s\n", line);
	char *p = strstr(got, with_lf);
	size_t pos;

	if (!p)
		fail_msg("no call '%s' in:\n%s", line, got);
	pos = (size_t)(p - got);
	free(with_lf);
	free(got);
	return pos;
}

size_t count_calls(const char *name)
{
	char *prefix = xstrfmt("%s ", name);
	size_t n = 0;

	for (const char *p = fault_text(); *p; p = strchr(p, '\n') + 1)
		n += starts_with(p, prefix);
	free(prefix);
	return n;
}

size_t count_flushes(void)
{
	return count_calls("fsync") + count_calls("fdatasync") + count_calls("syncfs") +
	       count_calls("full_fsync");
}

/* One of 4 rotating buffers. */
const char *numbered(const char *fmt, int n)
{
	static char bufs[4][40];
	static unsigned next;
	char *buf = bufs[next++ % 4];
	const char *number = strstr(fmt, "%d");

	snprintf(buf, 40, "%.*s%d", (int)(number - fmt), fmt, n);
	return buf;
}
