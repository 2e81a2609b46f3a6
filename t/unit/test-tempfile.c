/* SPDX-License-Identifier: GPL-2.0-only */
/* Temporary files go away: by delete, on exit, on fatal signals; not by a fork. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include "t/fault.h"
#include "fs/file.h"
#include "fs/tempfile.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"
#include "write-or-die.h"


static struct tempfile *make(const char *name)
{
	struct tempfile *t = NULL;

	if (tempfile_create(&t, at(dir, "%s", name), 0666, NULL) < 0)
		abort();
	return t;
}

/* Run fn in a child; its wait status. */
static int in_child(void (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		fn();
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* ---- one process ---- */

static void made_and_deleted(void **state UNUSED)
{
	size_t open_before = open_descriptors();
	struct tempfile *t = make("t"), *again = NULL;
	struct err err = ERR_INIT;
	struct stat st;

	assert_string_equal(t->path, at(dir, "t"));
	assert_true(t->fd >= 0);
	assert_true(fcntl(t->fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fstat(t->fd, &st), 0);
	assert_int_equal(st.st_mode & 0777 & ~0666, 0);
	assert_int_equal(tempfile_create(&again, at(dir, "t"), 0666, &err), ERR_EXISTS);
	assert_int_equal(err.code, ERR_EXISTS);
	assert_null(again);
	err_release(&err);
	tempfile_delete(&t);
	assert_null(t);
	assert_int_equal(open_descriptors(), open_before);
	tempfile_delete(&t);
	assert_tree("");
	assert_int_equal(tempfile_create(&t, at(dir, "no/t"), 0666, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "/no/t'"));
	err_release(&err);
}

static void random_names(void **state UNUSED)
{
	struct tempfile *t[50];

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(tempfile_create_in(&t[i], dir, "x_", 0600, NULL), 0);
		assert_true(starts_with(t[i]->path, at(dir, "x_")));
		assert_int_equal(strlen(t[i]->path), strlen(dir) + 3 + 6);
	}
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		tempfile_delete(&t[i]);
	assert_tree("");
}

static void directories(void **state UNUSED)
{
	struct tempfile *t = NULL;
	struct err err = ERR_INIT;
	struct stat st;

	assert_int_equal(tempfile_create_dir(&t, dir, "d_", NULL), 0);
	assert_true(starts_with(t->path, at(dir, "d_")));
	assert_int_equal(stat(t->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	close(open(at(t->path, "f"), O_CREAT | O_WRONLY, 0600));
	assert_int_equal(t->fd, -1);
	tempfile_delete(&t);
	assert_tree("");
	fault_install_failure(1, EEXIST, false); /* another one has that name */
	assert_int_equal(tempfile_create_dir(&t, dir, "d_", NULL), 0);
	fault_remove();
	tempfile_delete(&t);
	assert_int_equal(tempfile_create_dir(&t, at(dir, "nosuch"), "d_", &err), ERR_IO);
	assert_null(t);
	assert_non_null(strstr(err_message(&err), "nosuch/d_"));
	err_release(&err);
}

static void forgotten_files_stay(void **state UNUSED)
{
	struct tempfile *t = make("t");

	tempfile_forget(&t);
	assert_null(t);
	assert_tree("f t 0\n");
}

static void staged_and_published(void **state UNUSED)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };
	struct fsync_batch *b = fsync_batch_new(&o);
	struct tempfile *t = make("t1");

	assert_int_equal(write_in_full(t->fd, "abc", 3, "t1", NULL), 0);
	assert_int_equal(tempfile_stage(&t, b, FSYNC_OTHER, PUBLISH_FILE, at(dir, "d/f"),
					true, NULL), 0);
	assert_null(t);
	t = make("t2");
	assert_int_equal(tempfile_close(t, NULL), 0);
	assert_int_equal(tempfile_stage(&t, b, FSYNC_OTHER, PUBLISH_FILE, at(dir, "g"),
					false, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	assert_tree("d d\nf d/f 3\nf g 0\n");
	t = make("t3");
	assert_int_equal(tempfile_stage(&t, b, FSYNC_OTHER, PUBLISH_FILE, at(dir, "h"),
					false, NULL), 0);
	fsync_batch_free(b);
	assert_tree("d d\nf d/f 3\nf g 0\n");
}

static void directory_with_content(void **state UNUSED)
{
	struct tempfile *t;

	assert_int_equal(make_dirs(at(dir, "d/e/f"), 0, NULL), 0);
	write_text(at(dir, "d/e/x"), "x");
	t = tempfile_register(at(dir, "d"));
	tempfile_delete(&t);
	assert_tree("");
}

/* ---- the end of a process ---- */

static void leave_things(void)
{
	for (int i = 0; i < 200; i++)
		make(at(".", "t%d", i));
	if (make_dirs(at(dir, "d/e/f"), 0, NULL))
		abort();
	write_text(at(dir, "d/e/f/x"), "x");
	write_text(at(dir, "d/y"), "y");
	tempfile_register(at(dir, "d"));
}

static void leave_and_exit(void)
{
	leave_things();
	exit(3);
}

static void removed_on_exit(void **state UNUSED)
{
	int status = in_child(leave_and_exit);

	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	assert_tree("");
}

static int deadly;

static void leave_and_die(void)
{
	leave_things();
	raise(deadly);
	_exit(98);
}

static void removed_on_fatal_signals(void **state UNUSED)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		int status;

		deadly = signals[i];
		status = in_child(leave_and_die);
		/* The parent must see the signal, not an exit code. */
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), deadly);
		assert_tree("");
	}
}

static void ignore_and_raise(void)
{
	struct tempfile *t;

	signal(SIGHUP, SIG_IGN);
	t = make("t");
	raise(SIGHUP);
	_exit(t && file_exists(t->path) ? 7 : 8);
}

/* nohup: ignored signals stay ignored. */
static void ignored_signals_stay_ignored(void **state UNUSED)
{
	int status = in_child(ignore_and_raise);

	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static volatile sig_atomic_t handled;

static void earlier_handler(int sig UNUSED)
{
	_exit(handled ? 6 : 5);
}

static void chain_to_earlier_handler(void)
{
	signal(SIGTERM, earlier_handler);
	make("t");
	raise(SIGTERM);
}

static void earlier_handler_gets_its_turn(void **state UNUSED)
{
	int status = in_child(chain_to_earlier_handler);

	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 5);
	assert_tree("");
}

static void exit_in_grandchild(void)
{
	struct tempfile *t = make("t");
	pid_t pid = fork();
	int status;

	if (!pid) {
		tempfile_delete(&t); /* not its own */
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status || !file_exists(at(dir, "t")))
		_exit(1);
	exit(4);
}

static void child_of_a_fork_leaves_them_alone(void **state UNUSED)
{
	int status = in_child(exit_in_grandchild);

	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 4);
	assert_tree("");
}

static void lose_the_name(void)
{
	make("t");
	if (rename(at(dir, "t"), at(dir, "moved")))
		abort();
	write_text(at(dir, "t"), "somebody else's");
	exit(0);
}

/* Between a rename and its bookkeeping the name may be another's already. */
static void name_of_another_is_kept(void **state UNUSED)
{
	in_child(lose_the_name);
	assert_tree("f moved 0\nf t 15\n");
}

static void fail_to_delete(void)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	struct tempfile *t = make("t");

	plan.only = "unlink";
	plan.fail_at = 1;
	plan.fail_errno = EIO;
	fault_install(&plan);
	tempfile_delete(&t);
	if (!fault_hit() || !file_exists(at(dir, "t")))
		_exit(1);
	exit(0);
}

static void failed_delete_is_tried_again_at_exit(void **state UNUSED)
{
	assert_int_equal(in_child(fail_to_delete), 0);
	assert_tree("");
}

/* ---- threads ---- */

static void *churn(void *data)
{
	int number = *(int *)data;

	for (int i = 0; i < 300; i++) {
		char path[PATH_MAX];
		struct tempfile *t = NULL;

		snprintf(path, sizeof(path), "%s/c%d-%d", dir, number, i);
		if (tempfile_create(&t, path, 0666, NULL) < 0)
			return data;
		if (i % 2)
			tempfile_delete(&t);
	}
	return NULL;
}

static void churn_and_die(void)
{
	pthread_t threads[4];
	int numbers[4];

	for (int i = 0; i < 4; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, churn, &numbers[i]))
			abort();
	}
	for (int i = 0; i < 4; i++) {
		void *failed;

		if (pthread_join(threads[i], &failed) || failed)
			_exit(1);
	}
	raise(SIGTERM);
}

static void threads_share_the_list(void **state UNUSED)
{
	assert_true(WIFSIGNALED(in_child(churn_and_die)));
	assert_tree("");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		/* First: handlers are put in place once, with the first file. */
		T(ignored_signals_stay_ignored),
		T(earlier_handler_gets_its_turn),
		T(made_and_deleted),
		T(random_names), T(directories),
		T(forgotten_files_stay),
		T(staged_and_published),
		T(directory_with_content),
		T(removed_on_exit),
		T(removed_on_fatal_signals),
		T(child_of_a_fork_leaves_them_alone),
		T(name_of_another_is_kept),
		T(failed_delete_is_tried_again_at_exit),
		T(threads_share_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
