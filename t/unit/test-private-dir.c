/* SPDX-License-Identifier: GPL-2.0-only */
/* Private directories, locks on bytes, detached processes, words to wait for. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "compat/os.h"
#include "fs/file-lock.h"
#include "fs/private-dir.h"
#include "t/unit/scratch.h"
#include "util/clock.h"
#include "util/detach.h"

/* ---- the directory ---- */

static int open_private(const char *path, const char *message)
{
	struct err err = ERR_INIT;
	int fd = -1, rc = private_dir_open(&fd, path, &err);

	if (!message) {
		assert_int_equal(rc, 0);
		assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	} else {
		assert_int_equal(rc, ERR_INVALID);
		assert_int_equal(fd, -1);
		assert_non_null(strstr(err_message(&err), message));
	}
	err_release(&err);
	return fd;
}

static void only_ours_will_do(void **state UNUSED)
{
	static const mode_t bad[] = { 0701, 0702, 0704, 0710, 0720, 0740, 0777, 01777 };
	int fd;

	assert_int_equal(mkdir(at(dir, "d"), 0700), 0);
	close(open_private(at(dir, "d"), NULL));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(chmod(at(dir, "d"), bad[i]), 0);
		open_private(at(dir, "d"), "not private");
	}
	assert_int_equal(chmod(at(dir, "d"), 0700), 0);
	assert_int_equal(symlink("d", at(dir, "link")), 0);
	open_private(at(dir, "link"), "not a directory");
	write_text(at(dir, "file"), "");
	open_private(at(dir, "file"), "not a directory");
	open_private("d", "absolute");
	open_private("", "absolute");
	assert_int_equal(private_dir_open(&fd, at(dir, "missing"), NULL), ERR_IO);
	if (geteuid() == 0) {
		assert_int_equal(chown(at(dir, "d"), 12345, 12345), 0);
		open_private(at(dir, "d"), "not private");
	}
}

static void only_plain_files_of_ours_are_opened(void **state UNUSED)
{
	struct stat st;
	int top, fd;

	assert_int_equal(chmod(dir, 0700), 0);
	top = open_private(dir, NULL);
	assert_int_equal(private_file_open(top, "a"), -1);
	assert_int_equal(errno, ENOENT);
	fd = private_file_create(top, "a");
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_int_equal(private_file_create(top, "a"), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(stat(at(dir, "a"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(symlink("a", at(dir, "link")), 0);
	assert_int_equal(private_file_open(top, "link"), -1);
	assert_int_equal(private_file_open_or_make(top, "link"), -1);
	assert_int_equal(mkfifo(at(dir, "fifo"), 0600), 0);
	assert_int_equal(private_file_open(top, "fifo"), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(chmod(at(dir, "a"), 0620), 0);
	assert_int_equal(private_file_open(top, "a"), -1);
	assert_int_equal(errno, EPERM);
	close(top);
}

static void names_within_it(void **state UNUSED)
{
	struct stat a, b;
	int top, fd;

	assert_int_equal(chmod(dir, 0700), 0);
	top = open_private(dir, NULL);
	fd = private_file_open_or_make(top, "a");
	assert_int_equal(private_file_link(top, "a", "b"), 0);
	assert_int_equal(private_file_link(top, "a", "b"), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(private_file_rename(top, "b", "c"), 0);
	assert_int_equal(private_file_stat(top, "a", &a), 0);
	assert_int_equal(private_file_stat(top, "c", &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_int_equal(private_file_stat(top, "b", &b), -1);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	fd = private_file_open(top, "a");
	assert_int_equal(pread(fd, &(char){ 0 }, 1, 0), 1);
	assert_int_equal(pwrite(fd, "y", 1, 0), 1);
	close(fd);
	assert_int_equal(private_file_open(top, "missing"), -1);
	assert_int_equal(errno, ENOENT);
	close(top);
}

/* ---- locks ---- */

static void locks_are_of_an_open_file(void **state UNUSED)
{
	int a = new_file(at(dir, "f"), "text"), b = open(at(dir, "f"), O_RDONLY), copy = dup(a);

	assert_int_equal(file_lock_set(a, F_WRLCK, 0, 1), 0);
	assert_int_equal(file_lock_query(a, F_WRLCK, 0, 1), 0);
	assert_int_equal(file_lock_query(b, F_WRLCK, 0, 1), 1);
	assert_int_equal(file_lock_query(b, F_RDLCK, 0, 1), 1);
	assert_int_equal(file_lock_query(b, F_WRLCK, 1, 1), 0);
	assert_int_equal(file_lock_set(b, F_RDLCK, 0, 1), -1);
	assert_true(errno == EAGAIN || errno == EACCES);
	assert_int_equal(file_lock_set(b, F_RDLCK, 1, 1), 0);
	assert_int_equal(file_lock_query(a, F_WRLCK, 1, 1), 1);
	assert_int_equal(file_lock_query(a, F_RDLCK, 1, 1), 0);
	close(a);
	assert_int_equal(file_lock_query(b, F_WRLCK, 0, 1), 1);
	close(copy);
	assert_int_equal(file_lock_query(b, F_WRLCK, 0, 1), 0);
	close(b);
}

static void directories_can_be_locked(void **state UNUSED)
{
	int a = open(dir, O_RDONLY | O_DIRECTORY), b = open(dir, O_RDONLY | O_DIRECTORY);

	assert_int_equal(file_lock_set(a, F_RDLCK, (off_t)1 << 32, 1), 0);
	assert_int_equal(file_lock_query(b, F_WRLCK, (off_t)1 << 32, 1), 1);
	assert_int_equal(file_lock_query(b, F_WRLCK, ((off_t)1 << 32) + 1, 1), 0);
	close(a);
	assert_int_equal(file_lock_query(b, F_WRLCK, (off_t)1 << 32, 1), 0);
	close(b);
}

/* ---- a process of its own ---- */

struct report {
	pid_t pid, session;
	bool null_streams, kept, inherited;
};

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void a_detached_process(void **state UNUSED)
{
	int pipes[2], inherited = dup(1), kept = fcntl(1, F_DUPFD_CLOEXEC, 10), status;
	struct stat st, null;
	struct report r;

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	if (process_detach(NULL) == 0) {
		r = (struct report){ .pid = getpid(), .session = getsid(0), .kept = is_open(kept),
				     .inherited = is_open(inherited), .null_streams = true };
		stat("/dev/null", &null);
		for (int i = 0; i < 3; i++)
			r.null_streams &= !fstat(i, &st) && st.st_rdev == null.st_rdev;
		_exit(write(pipes[1], &r, sizeof(r)) != sizeof(r));
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &r, sizeof(r)), sizeof(r));
	assert_true(r.null_streams && r.kept);
	assert_false(r.inherited);
	assert_int_not_equal(r.pid, r.session);
	assert_int_not_equal(r.session, getsid(0));
	/* There is nothing to wait for. */
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
	close(inherited);
	close(kept);
	close(pipes[0]);
}

/* ---- words ---- */

static uint32_t *map_word(int fd)
{
	void *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static void *write_and_wake(void *data)
{
	int fd = *(int *)data;
	uint32_t *word = map_word(fd), value = 8;

	usleep(50000);
	assert_int_equal(pwrite(fd, &value, sizeof(value), 0), sizeof(value));
	os_word_wake(word);
	munmap(word, 4096);
	return NULL;
}

static void a_word_wakes(void **state UNUSED)
{
	int fd = new_file(at(dir, "f"), "");
	uint32_t value = 7, *word;
	int64_t begin;
	pthread_t thread;

	assert_int_equal(pwrite(fd, &value, sizeof(value), 0), sizeof(value));
	word = map_word(fd);
	begin = monotonic_ms();
	os_word_wait(word, 6, 60000); /* not what it is */
	os_word_wait(word, 7, 30);
	os_word_wait(word, 7, 0);
	os_word_wait(word, 7, -5);
	os_word_wait(NULL, 7, 60000);
	assert_in_range(monotonic_ms() - begin, 30, 20000);
	assert_int_equal(pthread_create(&thread, NULL, write_and_wake, &fd), 0);
	begin = monotonic_ms();
	while (pread(fd, &value, sizeof(value), 0) == sizeof(value) && value == 7)
		os_word_wait(word, 7, 60000);
	assert_in_range(monotonic_ms() - begin, 0, 20000);
	pthread_join(thread, NULL);
	/* A page that is not there is no signal. */
	assert_int_equal(ftruncate(fd, 0), 0);
	os_word_wait(word, 8, 60000);
	os_word_wake(word);
	munmap(word, 4096);
	close(fd);
}

static void the_boot_has_a_name(void **state UNUSED)
{
	char a[OS_BOOT_ID_LEN + 1], b[OS_BOOT_ID_LEN + 1];

	if (!os_boot_id(a))
		skip();
	assert_true(os_boot_id(b));
	assert_string_equal(a, b);
	assert_int_equal(strlen(a), OS_BOOT_ID_LEN);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_ours_will_do),
		TEST(only_plain_files_of_ours_are_opened),
		TEST(names_within_it),
		TEST(locks_are_of_an_open_file),
		TEST(directories_can_be_locked),
		TEST(a_detached_process),
		TEST(a_word_wakes),
		TEST(the_boot_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
