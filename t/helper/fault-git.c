/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The real git with the recorder and fault injector of t/fault.h:
 *
 *   GIT_TEST_SYSCALL_LOG=FILE          append a line per call
 *   GIT_TEST_SYSCALL_FAIL=N[+]:WHAT[:CALL]
 *
 * The N-th counted call (of that name, if CALL is given) fails. WHAT is an errno
 * ("ENOSPC"), "short" for a short write, or "KILL" to be killed before it. With
 * "+" calls that need space continue to fail, as on a disk that stays full. If the
 * N-th call was never made, the file GIT_TEST_SYSCALL_MISSED is created, so that
 * a sweep knows when to stop.
 *
 *   GIT_TEST_SYSCALL_CALLS=FILE        append "NUMBER CALL" for each counted call, without other faults: from
 *                                      this list a sweep chooses the numbers at which to fail
 *   GIT_TEST_SYSCALL_DELAY=US          wait so many microseconds before each call that gives a
 *                                      name or takes one away: other processes get in between
 *   GIT_TEST_SYSCALL_FLUSH=0           flushes are recorded, and may fail, but nothing is flushed: faster
 *   GIT_TEST_SHA1_ATTACK=TEXT          what has these 16 bytes four times in a row counts as one
 *                                      half of a collision attack on SHA-1 (nobody can make one
 *                                      that begins like a Git object)
 */
#include "compat/posix.h"
#include "t/fault.h"
#include "builtin/builtin.h"
#include "hash/sha1-internal.h"
#include "util/bytes.h"
#include <signal.h>

static size_t kill_at;
static useconds_t delay_us;

static void wait_before_names(void *data UNUSED, const char *line)
{
	if (starts_with(line, "rename") || starts_with(line, "link") || starts_with(line, "unlink"))
		usleep(delay_us);
}

static void maybe_kill(void *data UNUSED, const char *line UNUSED)
{
	if (fault_counted() == kill_at)
		kill(getpid(), SIGKILL);
}

static void note_call(void *data, const char *line)
{
	const int *fd = data;

	dprintf(*fd, "%zu %s\n", fault_counted(), line);
}

/* ---- attacks ---- */

static const char *attack;

static void screen_nothing(const struct sha1_kept *k UNUSED, uint32_t failed[SHA1_BATCH])
{
	memset(failed, 0, SHA1_BATCH * sizeof(*failed));
}

static bool has_mark(const struct sha1_kept *k, size_t n, uint32_t vectors UNUSED)
{
	unsigned char text[64];
	uint32_t w[16];

	sha1_kept_message(k, n, w);
	for (int i = 0; i < 16; i++)
		put_be32(text + 4 * i, w[i]);
	return memmem(text, sizeof(text), attack, strlen(attack));
}

static const struct sha1_engine attacked = {
	"test", sha1_compress_c, screen_nothing, has_mark,
};

/* ---- faults ---- */

static void usage(const char *value)
{
	fprintf(stderr, "fault-git: bad GIT_TEST_SYSCALL_FAIL '%s'\n", value);
	exit(125);
}

static void parse_fail(struct fault_plan *plan, const char *value)
{
	static char what[20], call[30];
	char *end;

	plan->fail_at = strtoul(value, &end, 10);
	if (*end == '+') {
		plan->from_then_on = true;
		end++;
	}
	if (!plan->fail_at || sscanf(end, ":%19[A-Za-z]:%29[a-z_]", what, call) < 1)
		usage(value);
	if (*call)
		plan->only = call;
	plan->short_write = !strcmp(what, "short");
	if (!strcmp(what, "KILL")) {
		kill_at = plan->fail_at;
		plan->fail_at = 0;
		plan->before = maybe_kill;
	} else if (!plan->short_write) {
		plan->fail_errno = fault_errno_by_name(what);
		if (!plan->fail_errno)
			usage(value);
	}
}

/* The N-th call was made, but may have been no write when "short" was asked for. */
static void tell_missed(void)
{
	const char *path = getenv("GIT_TEST_SYSCALL_MISSED");
	const char *value = getenv("GIT_TEST_SYSCALL_FAIL");

	if (path && value && fault_counted() < strtoul(value, NULL, 10))
		close(open(path, O_CREAT | O_WRONLY, 0666));
}

static int open_record(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);

	if (fd < 0) {
		perror(path);
		exit(125);
	}
	return fd;
}

int main(int argc, const char **argv)
{
	const char *log = getenv("GIT_TEST_SYSCALL_LOG");
	const char *fail = getenv("GIT_TEST_SYSCALL_FAIL");
	const char *delay = getenv("GIT_TEST_SYSCALL_DELAY");
	const char *flush = getenv("GIT_TEST_SYSCALL_FLUSH");
	const char *calls = getenv("GIT_TEST_SYSCALL_CALLS");
	struct fault_plan plan = FAULT_PLAN_INIT;

	if (log)
		plan.log_fd = open_record(log);
	if (calls) {
		plan.calls_fd = open_record(calls);
		plan.before = note_call;
		plan.data = &plan.calls_fd;
	}
	if (delay) {
		delay_us = (useconds_t)strtoul(delay, NULL, 10);
		plan.before = wait_before_names;
	}
	plan.no_flush = flush && !strcmp(flush, "0");
	if (fail)
		parse_fail(&plan, fail);
	attack = getenv("GIT_TEST_SHA1_ATTACK");
	if (attack)
		sha1_test_engine = &attacked;
	atexit(tell_missed);
	fault_install(&plan);
	return git_main(argc, argv);
}
