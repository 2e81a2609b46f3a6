/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces, as lines in files; and the table of system calls. */
#include "compat/posix.h"
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <cmocka.h>
#include "compat/syscalls.h"
#include "scratch.h"
#include "util/alloc.h"
#include "util/strvec.h"
#include "util/trace2.h"

static void *in_thread(void *arg)
{
	trace2_data_intmax("cat", "from a thread", 1);
	trace2_counter_add(TRACE2_COUNTER_WRITEOUT_ONLY, 1);
	return arg;
}

/* One event of each kind. In a child process, since tracing starts only once per process. */
static void trace_everything(void)
{
	static const char *const argv[] = { "git", "add", "a b", NULL };
	static const char *const child[] = { "hook", "x", NULL };
	pthread_t threads[8];
	int id;

	trace2_start(argv);
	trace2_cmd_name("add");
	trace2_region_enter("outer", "one");
	trace2_region_enter("inner", "two");
	trace2_data_string("cat", "key", "quote \" back \\ tab \t bell \a end\n");
	trace2_region_leave("inner", "two");
	trace2_region_leave("outer", "one");
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, in_thread, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	id = trace2_child_start(child, "hook");
	trace2_child_exit(id, 4711, 2);
	trace2_error("it went wrong");
	trace2_counter_add(TRACE2_COUNTER_HARDWARE_FLUSH, 3);
	trace_printf("GIT_TRACE", "plain %d", 5);
	trace_printf("GIT_TRACE", "line\n");
	trace2_exit(9);
	trace2_error("too late");
}

static void trace_in_child(const char *variable, const char *value, bool brief)
{
	char *brief_variable = xstrfmt("%s_BRIEF", variable);
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		unsetenv("GIT_TRACE2");
		unsetenv("GIT_TRACE2_EVENT");
		unsetenv("GIT_TRACE2_PERF");
		unsetenv("GIT_TRACE2_PARENT_SID");
		unsetenv("GIT_TRACE2_PARENT_NAME");
		setenv(variable, value, 1);
		setenv(brief_variable, brief ? "1" : "0", 1);
		trace_everything();
		_exit(0);
	}
	free(brief_variable);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static void has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no '%s' in\n%s", line, text);
}

static void test_event(void **state)
{
	char *directory = scratch_new(), *text, *line, *next;
	int lines = 0;

	(void)state;
	trace_in_child("GIT_TRACE2_EVENT", at(directory, "trace"), false);
	text = read_text(at(directory, "trace"));
	has(text, "{\"event\":\"version\",\"sid\":\"2");
	has(text, "\",\"thread\":\"main\",\"time\":\"2");
	has(text, "test-trace2.c\",\"line\":");
	has(text, ",\"evt\":\"3\",\"exe\":\"");
	has(text, ",\"argv\":[\"git\",\"add\",\"a b\"]}\n");
	has(text, ",\"name\":\"add\",\"hierarchy\":\"add\"}\n");
	has(text, ",\"nesting\":1,\"category\":\"outer\",\"label\":\"one\"}\n");
	has(text, ",\"nesting\":2,\"category\":\"inner\",\"label\":\"two\"}\n");
	assert_null(strstr(text, "bell")); /* the third level is left out */
	has(text, ",\"category\":\"cat\",\"key\":\"from a thread\",\"value\":\"1\"}\n");
	has(text, "{\"event\":\"child_start\"");
	has(text, ",\"child_id\":0,\"child_class\":\"hook\",\"use_shell\":false,\"argv\":[\"hook\",\"x\"]}\n");
	has(text, ",\"child_id\":0,\"pid\":4711,\"code\":2,\"t_rel\":0.0");
	has(text, ",\"msg\":\"it went wrong\",\"fmt\":\"it went wrong\"}\n");
	has(text, ",\"category\":\"fsync\",\"name\":\"writeout-only\",\"count\":8}\n");
	has(text, ",\"category\":\"fsync\",\"name\":\"hardware-flush\",\"count\":3}\n");
	has(text, ",\"code\":9}\n");
	assert_null(strstr(text, "too late"));
	for (line = text; *line; line = next + 1, lines++) {
		next = strchr(line, '\n');
		assert_memory_equal(line, "{\"event\":\"", 10);
		assert_int_equal(next[-1], '}');
	}
	assert_int_equal(lines, 3 + 4 + 8 + 2 + 1 + 2 + 2);
	free(text);

	setenv("GIT_TRACE2_EVENT_NESTING", "3", 1);
	trace_in_child("GIT_TRACE2_EVENT", at(directory, "deep"), true);
	unsetenv("GIT_TRACE2_EVENT_NESTING");
	text = read_text(at(directory, "deep"));
	has(text, "\"value\":\"quote \\\" back \\\\ tab \\t bell \\u0007 end\\n\"}\n");
	assert_null(strstr(text, "\"file\":"));
	free(text);
	scratch_remove(directory);
}

static void test_perf_and_normal(void **state)
{
	char *directory = scratch_new(), *text;

	(void)state;
	trace_in_child("GIT_TRACE2_PERF", at(directory, "perf"), true);
	text = read_text(at(directory, "perf"));
	has(text, "d0 | main                     | cmd_name     |     |           |           |              | add (add)\n");
	has(text, " | inner        | ..label:two\n");
	has(text, " | cat          | ....key:quote");
	has(text, " | fsync        | name:hardware-flush value:3\n");
	has(text, "d0 | th01                     | data         |     |  0.");
	has(text, " |           |              | [ch0] class:hook argv:[hook x]\n");
	free(text);
	trace_in_child("GIT_TRACE2", at(directory, "normal"), true);
	text = read_text(at(directory, "normal"));
	has(text, "start git add 'a b'\n");
	has(text, "child_start[0] hook x\n");
	has(text, "counter fsync/hardware-flush value:3\n");
	has(text, "error it went wrong\n");
	free(text);
	trace_in_child("GIT_TRACE2", at(directory, "long"), false);
	text = read_text(at(directory, "long"));
	assert_int_equal(text[8], '.');
	has(text, " t/unit/test-trace2.c:");
	free(text);
	scratch_remove(directory);
}

static void test_plain(void **state)
{
	char *directory = scratch_new(), *text;

	(void)state;
	trace_in_child("GIT_TRACE", at(directory, "plain"), false);
	text = read_text(at(directory, "plain"));
	has(text, " plain 5\n");
	assert_true(ends_with(text, " line\n"));
	assert_null(strstr(text, "\n\n"));
	free(text);
	assert_false(trace_want("GIT_TRACE_NOT_SET_ANYWHERE"));
	scratch_remove(directory);
}

static void test_directory_and_descriptor(void **state)
{
	char *directory = scratch_new(), *tree, *text;
	int fd;

	(void)state;
	trace_in_child("GIT_TRACE2", directory, true);
	trace_in_child("GIT_TRACE2", directory, true);
	tree = tree_of(directory);
	assert_non_null(strchr(strchr(tree, '\n') + 1, '\n')); /* a file for each */
	free(tree);
	fd = open(at(directory, "nine"), O_WRONLY | O_CREAT, 0666);
	assert_int_equal(dup2(fd, 9), 9);
	trace_in_child("GIT_TRACE2", "9", true);
	close(9);
	close(fd);
	text = read_text(at(directory, "nine"));
	has(text, "cmd_name add (add)\n");
	free(text);
	trace_in_child("GIT_TRACE2", "/no/such/dir/trace", true); /* not a failure */
	trace_in_child("GIT_TRACE2", "0", true);
	trace_in_child("GIT_TRACE2", "/dev/full", true);
	scratch_remove(directory);
}

/* ---- system calls ---- */

static void test_native_table(void **state)
{
	const struct syscall_table *n = &syscalls_native;
	const struct timespec times[2] = { { 1, 0 }, { 2, 3000 } };
	char *directory = scratch_new();
	struct iovec iov[2] = { { "ab", 2 }, { "cd", 2 } };
	char buf[8];
	struct stat st;
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(*n) / sizeof(void (*)(void)); i++)
		assert_non_null(((void *const *)n)[i]);
	fd = n->open(at(directory, "f"), O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(n->writev(fd, iov, 2), 4);
	assert_int_equal(n->pwrite(fd, "X", 1, 1), 1);
	assert_int_equal(n->pread(fd, buf, 8, 0), 4);
	assert_memory_equal(buf, "aXcd", 4);
	assert_int_equal(n->ftruncate(fd, 2), 0);
	assert_int_equal(n->fchmod(fd, 0640), 0);
	assert_int_equal(n->fsync(fd), 0);
	assert_int_equal(n->fdatasync(fd), 0);
	assert_int_equal(n->full_fsync(fd), 0);
	if (n->writeout_start(fd))
		assert_true(errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP);
	else
		assert_int_equal(n->writeout_wait(fd), 0);
	if (n->syncfs(fd))
		assert_int_equal(errno, ENOSYS);
	if (n->fsetxattr(fd, "user.test", "v", 1, 0))
		assert_true(errno == ENOTSUP || errno == EOPNOTSUPP);
	else
		assert_int_equal(n->removexattr(at(directory, "f"), "user.test"), 0);
	assert_int_equal(n->close(fd), 0);
	assert_int_equal(n->utimens(at(directory, "f"), times), 0);
	assert_int_equal(stat(at(directory, "f"), &st), 0);
	assert_int_equal(st.st_mtime, 2);
	/* Some file systems keep whole seconds (ext4 with small inodes). */
	assert_true(ST_MTIME_NSEC(st) == 3000 || ST_MTIME_NSEC(st) == 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(n->writeout_start(-1), -1);
	assert_ptr_equal(sys, n);
	scratch_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event),
		cmocka_unit_test(test_perf_and_normal),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_directory_and_descriptor),
		cmocka_unit_test(test_native_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
