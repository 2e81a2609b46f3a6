/* SPDX-License-Identifier: GPL-2.0-only */
/* Owner files: where they are, who holds them, what proves that an owner is gone. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include "t/fault.h"
#include "fs/file.h"
#include "fs/owner.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"
#include "util/path.h"

#ifdef F_OFD_SETLK

/* Children wait for the end of this pipe: they end at the latest when the test does. */
static int stay[2];

static int setup(void **state UNUSED)
{
	struct owner o;

	if (!stay[1])
		assert_int_equal(pipe(stay), 0);
	scratch_setup(NULL);
	if (!owner_self(&o, dir)) {
		print_message("no owner files on this file system\n");
		return -1;
	}
	return 0;
}

/* Owner files in `sub` ("" is dir itself). */
static int files_in(const char *sub)
{
	DIR *d = opendir(at(dir, "%s", sub));
	struct dirent *de;
	int nr = 0;

	assert_non_null(d);
	while ((de = readdir(d)))
		nr += starts_with(de->d_name, ".git-owner-");
	closedir(d);
	return nr;
}

static const char *file_of(const char *sub, const struct owner *o)
{
	return at(dir, "%s/.git-owner-%s", sub, o->id);
}

static NORETURN void wait_for_end_of_test(void)
{
	char c;

	close(stay[1]);
	(void)!read(stay[0], &c, 1);
	_exit(1);
}

/* A process that owns something in `sub`, and then waits. */
static pid_t start_owner(struct owner *o, const char *sub)
{
	int ready[2];
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		if (!owner_self(o, at(dir, "%s", sub)) ||
		    write(ready[1], o, sizeof(*o)) != sizeof(*o))
			_exit(1);
		wait_for_end_of_test();
	}
	assert_int_equal(read(ready[0], o, sizeof(*o)), sizeof(*o));
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(o->pid, pid);
	return pid;
}

static void end_owner(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static enum lock_owner state(const struct owner *o, const char *sub)
{
	size_t before = open_descriptors();
	enum lock_owner who = owner_state(o, at(dir, "%s", sub), 0);

	assert_int_equal(open_descriptors(), before);
	return who;
}

static void alive_until_it_ends(void **st UNUSED)
{
	struct owner o, self;
	pid_t pid = start_owner(&o, "");

	assert_int_equal(state(&o, ""), LOCK_OWNER_ALIVE);
	assert_true(file_exists(file_of("", &o)));
	end_owner(pid);
	assert_true(file_exists(file_of("", &o)));
	assert_int_equal(state(&o, ""), LOCK_OWNER_GONE);
	assert_true(owner_self(&self, dir));
	assert_int_equal(state(&self, ""), LOCK_OWNER_ALIVE);
}

/* A child that was forked and outlives its owner, without an exec. */
static void forked_child_holds_nothing_of_it(void **st UNUSED)
{
	struct owner o;
	int ready[2];
	pid_t pid, child = 0;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		if (!owner_self(&o, dir))
			_exit(1);
		child = fork(); /* neither ends nor execs */
		if (!child) {
			child = getpid();
			if (write(ready[1], &o, sizeof(o)) != sizeof(o) ||
			    write(ready[1], &child, sizeof(child)) != sizeof(child))
				_exit(1);
			wait_for_end_of_test();
		}
		_exit(child < 0);
	}
	assert_int_equal(read(ready[0], &o, sizeof(o)), sizeof(o));
	assert_int_equal(read(ready[0], &child, sizeof(child)), sizeof(child));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(kill(child, 0), 0);
	assert_int_equal(state(&o, ""), LOCK_OWNER_GONE);
	kill(child, SIGKILL);
	close(ready[0]);
	close(ready[1]);
}

static void one_per_repository_and_process(void **st UNUSED)
{
	struct owner a, b, c;

	assert_int_equal(mkdir(at(dir, "r"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "r/objects"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "r/refs"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "r/refs/heads"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "x"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "y"), 0777), 0);
	assert_true(owner_self(&a, at(dir, "r/refs/heads")));
	assert_true(owner_self(&b, at(dir, "r/objects")));
	assert_true(owner_self(&c, at(dir, "r")));
	assert_string_equal(a.id, b.id);
	assert_string_equal(a.id, c.id);
	assert_int_equal(files_in("r"), 1);
	assert_int_equal(files_in("r/refs/heads") + files_in("r/objects"), 0);
	/* In no repository: where the lock is. */
	assert_true(owner_self(&b, at(dir, "x")));
	assert_true(owner_self(&c, at(dir, "y")));
	assert_int_equal(files_in("x"), 1);
	assert_int_equal(files_in("y"), 1);
	assert_int_equal(state(&b, "x"), LOCK_OWNER_ALIVE);
	assert_int_equal(state(&c, "y"), LOCK_OWNER_ALIVE);
	assert_int_equal(state(&b, "y"), LOCK_OWNER_UNKNOWN);
	/* A repository that moves takes it along. */
	assert_int_equal(rename(at(dir, "r"), at(dir, "s")), 0);
	assert_int_equal(state(&a, "s/refs/heads"), LOCK_OWNER_ALIVE);
}

/* The directory asked for last is remembered, but not only by its name. */
static void another_directory_of_the_same_name(void **st UNUSED)
{
	struct owner a, b, again;

	assert_int_equal(mkdir(at(dir, "x"), 0777), 0);
	assert_true(owner_self(&a, at(dir, "x")));
	assert_int_equal(rename(at(dir, "x"), at(dir, "y")), 0);
	assert_int_equal(mkdir(at(dir, "x"), 0777), 0);
	assert_true(owner_self(&b, at(dir, "x")));
	assert_string_not_equal(a.id, b.id);
	assert_int_equal(state(&b, "x"), LOCK_OWNER_ALIVE);
	assert_true(owner_self(&again, at(dir, "y")));
	assert_string_equal(a.id, again.id);
}

static void removed_by_hand_is_made_again(void **st UNUSED)
{
	struct owner a, b;

	assert_true(owner_self(&a, dir));
	assert_int_equal(unlink(file_of("", &a)), 0);
	assert_true(owner_self(&b, dir));
	assert_true(file_exists(file_of("", &b)));
	assert_int_equal(state(&b, ""), LOCK_OWNER_ALIVE);
}

/* A lock was in a directory that is removed before the process ends. */
static void leaves_nothing_where_a_directory_went(void **st UNUSED)
{
	pid_t pid;
	int status;

	assert_int_equal(mkdir(at(dir, "repo"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "repo/objects"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "repo/refs"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "repo/refs/bisect"), 0777), 0);
	pid = fork();
	if (!pid) {
		struct owner o;

		if (!owner_self(&o, at(dir, "repo/refs/bisect")) || files_in("repo") != 1 ||
		    rmdir(at(dir, "repo/refs/bisect")))
			_exit(1);
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(files_in("repo"), 0);
}

static void left_before_its_directory_goes(void **st UNUSED)
{
	struct owner a, b;

	assert_int_equal(mkdir(at(dir, "sub"), 0777), 0);
	assert_true(owner_self(&a, at(dir, "sub")));
	owner_leave(dir);
	owner_leave(at(dir, "none"));
	assert_int_equal(files_in("sub"), 1);
	owner_leave(at(dir, "sub"));
	assert_int_equal(files_in("sub"), 0);
	assert_true(owner_self(&b, at(dir, "sub")));
	assert_int_equal(state(&b, "sub"), LOCK_OWNER_ALIVE);
	owner_leave(at(dir, "sub"));
	assert_int_equal(rmdir(at(dir, "sub")), 0);
}

static void the_next_owner_clears_up(void **st UNUSED)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1 };
	struct owner dead, other, alive, next;
	pid_t pid = start_owner(&dead, ""), pid2;
	int fd;

	end_owner(pid);
	pid = start_owner(&other, "");
	assert_false(file_exists(file_of("", &dead)));
	assert_int_equal(state(&dead, ""), LOCK_OWNER_GONE);
	end_owner(pid);
	alive = other;
	alive.id[0] = alive.id[0] == 'o' ? 'd' : 'o'; /* seen from here only, not locked from here */
	close(new_file(file_of("", &alive), ""));
	/* One that is being made: it has its name, but only the second byte is held. */
	fd = open(file_of("", &other), O_RDWR | O_CLOEXEC);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &l), 0);
	pid = start_owner(&next, "");
	assert_true(file_exists(file_of("", &other)));
	l.l_type = F_UNLCK; /* the child has the descriptor, too */
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &l), 0);
	close(fd);
	pid2 = start_owner(&dead, "");
	assert_false(file_exists(file_of("", &other)));
	assert_true(file_exists(file_of("", &next)));
	assert_true(file_exists(file_of("", &alive)));
	end_owner(pid);
	end_owner(pid2);
}

/* A replaced file that the owner kept; n tells several apart. */
static const char *kept_by(const struct owner *o, int n)
{
	const char *path = at(dir, ".git-owner-%s.%d", o->id, n);

	close(new_file(path, "content"));
	return path;
}

static void second_names_are_new_names_beside_the_owner_file(void **st UNUSED)
{
	char *one, *two;
	struct owner o;

	assert_true(owner_self(&o, dir));
	one = owner_second_name(at(dir, "config"));
	two = owner_second_name(at(dir, "config"));
	assert_true(starts_with(path_basename(one), path_basename(file_of("", &o))));
	assert_true(starts_with(path_basename(two), path_basename(file_of("", &o))));
	assert_string_not_equal(one, two);
	free(one);
	free(two);
}

/* Second names of a killed owner are needed until another process has sealed. */
static void second_names_outlive_their_owner(void **st UNUSED)
{
	struct owner dead, alive, self;
	pid_t pid = start_owner(&dead, ""), pid2 = start_owner(&alive, "");

	kept_by(&alive, 0);
	kept_by(&dead, 0);
	kept_by(&dead, 10);
	end_owner(pid);
	owner_leave(dir);
	assert_true(owner_self(&self, dir)); /* removes the owner file of the dead */
	assert_int_equal(files_in(""), 2 + 3);
	owner_forget_earlier(dir);
	assert_int_equal(files_in(""), 2 + 1);
	end_owner(pid2);
}

/* What they are for may not be on the disk yet. */
static void second_names_without_an_owner_go_after_a_seal(void **st UNUSED)
{
	struct owner gone = { .id = "" }, next;
	struct string_list dead = STRING_LIST_INIT;
	const char *orphan;
	pid_t pid = start_owner(&gone, "");

	end_owner(pid);
	assert_int_equal(unlink(file_of("", &gone)), 0);
	orphan = kept_by(&gone, 3);
	assert_int_equal(mkdir(at(dir, "objects"), 0777), 0); /* a repository */
	assert_int_equal(mkdir(at(dir, "refs"), 0777), 0);
	owner_leave(dir);
	assert_true(owner_self(&next, dir));
	assert_true(file_exists(orphan));
	assert_false(owner_find_unsealed(dir, &dead));
	assert_int_equal(dead.nr, 0);
	owner_forget_earlier(dir);
	assert_false(file_exists(orphan));
	string_list_clear(&dead, NULL);
}

/* A process that may only read the file must not be able to keep the dead alive. */
static void a_readers_lock_counts_for_nothing(void **st UNUSED)
{
	struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	struct owner o;
	pid_t pid = start_owner(&o, "");
	int fd = open(file_of("", &o), O_RDONLY | O_CLOEXEC);

	end_owner(pid);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &l), 0);
	assert_int_equal(state(&o, ""), LOCK_OWNER_GONE);
	close(fd);
}

static void what_cannot_be_asked_is_unknown(void **st UNUSED)
{
	struct owner o;
	pid_t pid = start_owner(&o, "");

	end_owner(pid);
	assert_int_equal(unlink(file_of("", &o)), 0);
	assert_int_equal(symlink("nowhere", file_of("", &o)), 0);
	assert_int_equal(state(&o, ""), LOCK_OWNER_UNKNOWN);
	assert_int_equal(unlink(file_of("", &o)), 0);
	assert_int_equal(mkdir(file_of("", &o), 0777), 0);
	assert_int_equal(state(&o, ""), LOCK_OWNER_UNKNOWN);
	assert_int_equal(rmdir(file_of("", &o)), 0);
	assert_int_equal(state(&o, ""), LOCK_OWNER_GONE);
	assert_int_equal(state(&o, "none"), LOCK_OWNER_UNKNOWN);
}

/* No O_TMPFILE, or no way to give such a file a name. */
static void made_without_a_nameless_file(void **st UNUSED)
{
	static const char *const calls[] = { "open", "link_fd" };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct fault_plan plan = FAULT_PLAN_INIT;
		char *sub = xstrfmt("sub%zu", i);
		struct owner o;

		assert_int_equal(mkdir(at(dir, "%s", sub), 0777), 0);
		plan.fail_at = 1;
		plan.fail_errno = EOPNOTSUPP;
		plan.only = calls[i];
		fault_install(&plan);
		assert_true(owner_self(&o, at(dir, "%s", sub)));
		assert_true(fault_hit());
		fault_remove();
		assert_int_equal(files_in(sub), 1);
		assert_int_equal(state(&o, sub), LOCK_OWNER_ALIVE);
		free(sub);
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(alive_until_it_ends),
		T(forked_child_holds_nothing_of_it),
		T(one_per_repository_and_process),
		T(another_directory_of_the_same_name),
		T(removed_by_hand_is_made_again),
		T(leaves_nothing_where_a_directory_went),
		T(left_before_its_directory_goes),
		T(the_next_owner_clears_up),
		T(second_names_are_new_names_beside_the_owner_file),
		T(second_names_outlive_their_owner),
		T(second_names_without_an_owner_go_after_a_seal),
		T(a_readers_lock_counts_for_nothing),
		T(what_cannot_be_asked_is_unknown),
		T(made_without_a_nameless_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("1..0 # SKIP no open-file-description locks");
	return 0;
}

#endif
