/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks: taken once, owned, taken over only from the provably dead. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include "t/fault.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "fs/lockfile.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define ATTRIBUTE "user.git.lock"

static bool have_xattr;
static int takeovers;

static void count_takeover(const char *lock_path UNUSED, pid_t pid UNUSED)
{
	takeovers++;
}

/*
 * Each wait for a lock is a nanosleep, which is counted here. The n-th one is the event of a test: what it waits for happens then,
 * however long anything takes. A wait lasts at least half a millisecond.
 */
static struct {
	int nr, at; /* at: 0: no event */
	void (*event)(void);
	int fds[2];
} waits;

#define AFTER_TIME_OUT 5
#define LONG_MS 600000

static void expect_event(int at, void (*event)(void))
{
	waits.nr = 0;
	waits.at = at;
	waits.event = event;
}

/* Instead of libc's. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	if (++waits.nr == waits.at)
		waits.event();
	return clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
}

static int setup(void **state UNUSED)
{
	int fd;

	scratch_setup(NULL);
	pretend_fs(FS_JOURNAL);
	fd = new_file(at(dir, "probe"), "");
	have_xattr = !fsetxattr(fd, ATTRIBUTE, "x", 1, 0);
	close(fd);
	unlink(at(dir, "probe"));
	takeovers = 0;
	lockfile_takeover_report = count_takeover;
	expect_event(0, NULL);
	return 0;
}

static struct fsync_batch *batch(void)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };

	return fsync_batch_new(&o);
}

static bool has_owner(const char *path)
{
	char buf[100];

	return lgetxattr(path, ATTRIBUTE, buf, sizeof(buf)) > 0;
}

static int hold(struct lockfile *lk, const char *name)
{
	return lockfile_hold(lk, at(dir, "%s", name), 0, 0, NULL);
}

/* A child takes the lock and is gone without a word, as by kill -9. */
static void leave_stale_lock(const char *name)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct lockfile lk = LOCKFILE_INIT;

		if (hold(&lk, name) < 0)
			_exit(1);
		_exit(0); /* no clean-up */
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(file_exists(at(dir, "%s.lock", name)));
}

/* ---- the ordinary way ---- */

static void whole_life(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct fsync_batch *b = batch();
	char *text;

	write_text(at(dir, "f"), "old");
	assert_false(lockfile_is_held(&lk));
	assert_int_equal(hold(&lk, "f"), 0);
	assert_true(lockfile_is_held(&lk));
	assert_true(file_exists(at(dir, "f.lock")));
	assert_int_equal(write_in_full(lk.tf->fd, "new", 3, "f", NULL), 0);
	assert_int_equal(lockfile_stage(&lk, b, FSYNC_INDEX, PUBLISH_INDEX, NULL), 0);
	assert_false(lockfile_is_held(&lk));
	text = read_text(at(dir, "f"));
	assert_string_equal(text, "old");
	free(text);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	assert_tree("f f 3\n");
	text = read_text(at(dir, "f"));
	assert_string_equal(text, "new");
	free(text);
	fsync_batch_free(b);
	lockfile_release(&lk);
}

static void owner_is_marked_while_held(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct fsync_batch *b = batch();
	pid_t pid = 0;

	if (!have_xattr)
		skip();
	assert_int_equal(hold(&lk, "f"), 0);
	assert_true(has_owner(at(dir, "f.lock")));
	assert_int_equal(lock_owner_of(at(dir, "f.lock"), &pid), LOCK_OWNER_ALIVE);
	assert_int_equal(pid, getpid());
	assert_int_equal(lockfile_stage(&lk, b, FSYNC_INDEX, PUBLISH_INDEX, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	fsync_batch_free(b);
	lockfile_release(&lk);
}

static void second_is_refused(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT, other = LOCKFILE_INIT;
	struct err err = ERR_INIT;
	char *start = xstrfmt("Unable to create '%s/f.lock': File exists.", dir);
	char *holder = xstrfmt("Process %ld holds it", (long)getpid());

	assert_int_equal(hold(&lk, "f"), 0);
	assert_int_equal(lockfile_hold(&other, at(dir, "f"), 0, 0, &err), ERR_LOCKED);
	assert_false(lockfile_is_held(&other));
	assert_int_equal(err.code, ERR_LOCKED);
	assert_ptr_equal(strstr(err.msg, start), err.msg);
	assert_non_null(strstr(err.msg, "Another git process seems to be running"));
	if (have_xattr)
		assert_non_null(strstr(err.msg, holder));
	err_release(&err);
	free(start);
	free(holder);
	lockfile_release(&other);
	lockfile_release(&lk);
	assert_tree("");
}

static void rollback_is_idempotent(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;

	lockfile_rollback(&lk);
	assert_int_equal(hold(&lk, "f"), 0);
	lockfile_rollback(&lk);
	lockfile_rollback(&lk);
	assert_tree("");
	assert_int_equal(hold(&lk, "f"), 0);
	lockfile_release(&lk);
	lockfile_release(&lk);
	assert_tree("");
}

static void given_up_with_the_batch(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct fsync_batch *b = batch();

	assert_int_equal(hold(&lk, "f"), 0);
	assert_int_equal(lockfile_stage(&lk, b, FSYNC_INDEX, PUBLISH_INDEX, NULL), 0);
	assert_tree("f f.lock 0\n");
	fsync_batch_free(b);
	assert_tree("");
	lockfile_release(&lk);
}

/* A hook ran a program that wrote the lock file anew, by a lock of its own. */
static void another_program_writes_it(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct fsync_batch *b = batch();
	char *text;

	assert_int_equal(hold(&lk, "f"), 0);
	assert_int_equal(lockfile_close(&lk, NULL), 0);
	write_text(at(dir, "f.lock.lock"), "theirs");
	assert_int_equal(rename(at(dir, "f.lock.lock"), at(dir, "f.lock")), 0);
	assert_int_equal(lockfile_stage(&lk, b, FSYNC_INDEX, PUBLISH_INDEX, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	text = read_text(at(dir, "f"));
	assert_string_equal(text, "theirs");
	free(text);

	assert_int_equal(hold(&lk, "f"), 0);
	assert_int_equal(lockfile_close(&lk, NULL), 0);
	write_text(at(dir, "f.lock.lock"), "theirs");
	assert_int_equal(rename(at(dir, "f.lock.lock"), at(dir, "f.lock")), 0);
	lockfile_rollback(&lk);
	assert_tree("f f 6\n");

	assert_int_equal(hold(&lk, "f"), 0);
	assert_int_equal(write_in_full(lk.tf->fd, "first", 5, "f", NULL), 0);
	assert_int_equal(lockfile_close(&lk, NULL), 0);
	assert_int_equal(lockfile_reopen(&lk, NULL), 0);
	assert_int_equal(write_in_full(lk.tf->fd, "2nd", 3, "f", NULL), 0);
	assert_int_equal(lockfile_stage(&lk, b, FSYNC_INDEX, PUBLISH_INDEX, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	assert_tree("f f 3\n");
	fsync_batch_free(b);
	lockfile_release(&lk);
}

static void links_are_followed(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct fsync_batch *b = batch();
	struct err err = ERR_INIT;

	assert_int_equal(mkdir(at(dir, "d"), 0777), 0);
	assert_int_equal(symlink("d/link2", at(dir, "link")), 0);
	assert_int_equal(symlink("real", at(dir, "d/link2")), 0);
	assert_int_equal(symlink("loop", at(dir, "loop")), 0);
	assert_int_equal(hold(&lk, "link"), 0);
	assert_true(file_exists(at(dir, "d/real.lock")));
	assert_int_equal(lockfile_stage(&lk, b, FSYNC_OTHER, PUBLISH_FILE, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	assert_tree("d d\nf d/link2 4\nf d/real 0\nf link 7\nf loop 4\n");

	assert_int_equal(lockfile_hold(&lk, at(dir, "loop"), 0, 0, &err), ERR_INVALID);
	assert_non_null(strstr(err.msg, "/loop'"));
	err_release(&err);

	assert_int_equal(lockfile_hold(&lk, at(dir, "link"), LOCK_NO_DEREF, 0, NULL), 0);
	assert_int_equal(lockfile_stage(&lk, b, FSYNC_OTHER, PUBLISH_FILE, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	assert_tree("d d\nf d/link2 4\nf d/real 0\nf link 0\nf loop 4\n");
	fsync_batch_free(b);
	lockfile_release(&lk);
}

static void directories_are_made(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(lockfile_hold(&lk, at(dir, "a/b/c"), 0, 0, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "a/b/c.lock': No such file"));
	err_release(&err);
	assert_int_equal(lockfile_hold(&lk, at(dir, "a/b/c"), LOCK_MAKE_DIRS, 0, &err), 0);
	assert_true(file_exists(at(dir, "a/b/c.lock")));
	lockfile_release(&lk);
}

/* ---- waiting ---- */

/* A child that holds the lock until it is asked by let_go, or its parent ends. */
static pid_t start_holder(void)
{
	struct lockfile lk = LOCKFILE_INIT;
	int to[2], from[2], bad;
	char c;
	pid_t pid;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	if (!pid) {
		close(to[1]);
		close(from[0]);
		bad = hold(&lk, "f") || write(from[1], "x", 1) != 1 || read(to[0], &c, 1) < 0;
		lockfile_release(&lk);
		bad |= write(from[1], "x", 1) != 1;
		_exit(bad);
	}
	close(to[0]);
	close(from[1]);
	assert_int_equal(read(from[0], &c, 1), 1);
	waits.fds[0] = from[0];
	waits.fds[1] = to[1];
	return pid;
}

static void let_go(void)
{
	char c;

	close(waits.fds[1]);
	assert_int_equal(read(waits.fds[0], &c, 1), 1);
	close(waits.fds[0]);
}

static void assert_ended_well(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void time_out_is_kept(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT, other = LOCKFILE_INIT;
	int64_t start = now_ms();

	assert_int_equal(hold(&lk, "f"), 0);
	assert_int_equal(lockfile_hold(&other, at(dir, "f"), 0, 100, NULL), ERR_LOCKED);
	assert_true(now_ms() - start >= 100);
	lockfile_release(&lk);
	lockfile_release(&other);
}

static void waits_until_it_is_free(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	pid_t pid = start_holder();

	expect_event(2, let_go);
	assert_int_equal(lockfile_hold(&lk, at(dir, "f"), 0, LONG_MS, NULL), 0);
	assert_true(waits.nr >= 2);
	lockfile_release(&lk);
	assert_ended_well(pid);
}

static int files_made;

static int count_new_files(const char *path, int flags, mode_t mode)
{
	files_made += !!(flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
	return syscalls_native.open(path, flags, mode);
}

/* For the first try, and for all that follow. */
static void makes_two_files_at_most(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct syscall_table table = syscalls_native;
	pid_t pid = start_holder();
	int rc;

	table.open = count_new_files;
	sys = &table;
	expect_event(AFTER_TIME_OUT, let_go);
	rc = lockfile_hold(&lk, at(dir, "f"), 0, LONG_MS, NULL);
	sys = &syscalls_native;
	assert_int_equal(rc, 0);
	assert_true(waits.nr >= AFTER_TIME_OUT);
	assert_in_range(files_made, 1, 2 + 1); /* and the file that tells whether we are alive */
	lockfile_release(&lk);
	assert_ended_well(pid);
}

/* ---- patience ---- */

static int hold_patiently(struct lockfile *lk, long timeout_ms)
{
	return lockfile_hold_patiently(lk, at(dir, "f"), 0, timeout_ms, LONG_MS, NULL);
}

static void the_living_are_waited_for(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	pid_t pid;

	if (!have_xattr)
		skip();
	pid = start_holder();
	expect_event(AFTER_TIME_OUT, let_go);
	assert_int_equal(hold_patiently(&lk, 1), 0);
	assert_true(waits.nr >= AFTER_TIME_OUT);
	lockfile_release(&lk);
	assert_ended_well(pid);
}

static void waited_too_long(void)
{
	fail_msg("waits longer than its time-out");
}

static void others_are_not_waited_for(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT, own = LOCKFILE_INIT;
	int fd = open(at(dir, "f.lock"), O_CREAT | O_WRONLY, 0666);

	assert_true(fd >= 0);
	close(fd);
	expect_event(5, waited_too_long); /* a time-out of 1 ms is one wait, or two of half a millisecond */
	assert_int_equal(hold_patiently(&lk, 1), ERR_LOCKED); /* the owner is unknown */
	assert_int_equal(unlink(at(dir, "f.lock")), 0);
	assert_int_equal(hold(&own, "f"), 0);
	assert_int_equal(hold_patiently(&lk, 1), ERR_LOCKED); /* our own */
	lockfile_release(&own);
	lockfile_release(&lk);
}

#define ROUNDS 4000

static void take_and_let_go(void)
{
	struct lockfile lk = LOCKFILE_INIT;
	int bad = 0;

	for (int i = 0; i < ROUNDS && !bad; i++) {
		bad = hold_patiently(&lk, 1);
		lockfile_release(&lk);
	}
	_exit(bad != 0);
}

/* It is made, marked and removed all the time while its owner is looked at. */
static void from_hand_to_hand(void **state UNUSED)
{
	pid_t pids[24];
	int status;

	if (!have_xattr)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		if (!pids[i])
			take_and_let_go();
	}
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_tree("");
}

#define SKIPPED 77

static void ask_for_removal(void)
{
	if (write(waits.fds[1], "x", 1) != 1)
		_exit(1);
}

/*
 * A file that has a name and no links is in the state of a file that another process removes at this moment. A mount keeps
 * that state: its source is removed. The child waits for such a lock. After the time-out it asks to remove the lock.
 */
static int wait_for_name_without_links(void)
{
	struct lockfile lk = LOCKFILE_INIT;
	char *lock = xstrfmt("%s/f.lock", dir), *source = xstrfmt("%s/source", dir);
	int rc;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(source, lock, NULL, MS_BIND, NULL))
		return SKIPPED;
	expect_event(AFTER_TIME_OUT, ask_for_removal);
	rc = unlink(source) || hold_patiently(&lk, 1) || waits.nr < AFTER_TIME_OUT;
	lockfile_release(&lk);
	free(lock);
	free(source);
	return rc != 0;
}

static void removal_is_waited_for(void **state UNUSED)
{
	int ready[2], status;
	char c;
	pid_t pid;

	write_text(at(dir, "f.lock"), "");
	write_text(at(dir, "source"), "");
	assert_int_equal(pipe(ready), 0);
	waits.fds[1] = ready[1];
	pid = fork();
	if (!pid)
		_exit(wait_for_name_without_links());
	close(ready[1]);
	(void)!read(ready[0], &c, 1);
	assert_int_equal(unlink(at(dir, "f.lock")), 0); /* the mount goes with it */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(ready[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
		assert_int_equal(unlink(at(dir, "source")), 0);
		skip();
	}
	assert_int_equal(status, 0);
	assert_tree("");
}

/* ---- take-over ---- */

static void dead_owner_is_replaced(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;

	if (!have_xattr)
		skip();
	leave_stale_lock("f");
	assert_int_equal(lock_owner_of(at(dir, "f.lock"), NULL), LOCK_OWNER_GONE);
	assert_int_equal(hold(&lk, "f"), 0);
	assert_int_equal(takeovers, 1);
	assert_int_equal(lock_owner_of(at(dir, "f.lock"), NULL), LOCK_OWNER_ALIVE);
	lockfile_release(&lk);
	assert_tree("");
}

static pid_t holder;

static void kill_holder(void)
{
	if (!kill(holder, SIGKILL))
		waitpid(holder, NULL, 0);
	close(waits.fds[0]);
	close(waits.fds[1]);
	expect_event(AFTER_TIME_OUT * 1000, waited_too_long);
}

static void owner_dies_while_waited_for(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;

	if (!have_xattr)
		skip();
	holder = start_holder();
	expect_event(AFTER_TIME_OUT, kill_holder);
	assert_int_equal(lockfile_hold(&lk, at(dir, "f"), 0, LONG_MS, NULL), 0);
	assert_int_equal(takeovers, 1);
	lockfile_release(&lk);
	assert_tree("");
}

/* Killed, but its parent has not asked for its status yet. */
static void zombie_is_dead(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	siginfo_t info;
	pid_t pid;

	if (!have_xattr)
		skip();
	pid = fork();
	if (!pid) {
		_exit(hold(&lk, "f") != 0);
	}
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(hold(&lk, "f"), 0);
	assert_int_equal(takeovers, 1);
	lockfile_release(&lk);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void mark(const char *name, const struct owner *o)
{
	char text[9 + OWNER_TEXT_MAX + 1];
	int fd = new_file(at(dir, "%s", name), "");
	struct stat st;
	size_t len;

	assert_int_equal(fstat(fd, &st), 0);
	len = (size_t)sprintf(text, "%" PRIx32 " ", (uint32_t)st.st_ino);
	len += owner_format(text + len, o, ' ');
	assert_true(len < sizeof(text));
	assert_int_equal(fsetxattr(fd, ATTRIBUTE, text, len, 0), 0);
	close(fd);
}

static void copy_with_attribute(const char *from, const char *to)
{
	int fd = new_file(at(dir, "%s", to), "");
	char text[100];
	ssize_t len = lgetxattr(at(dir, "%s", from), ATTRIBUTE, text, sizeof(text));

	assert_true(len > 0);
	assert_int_equal(fsetxattr(fd, ATTRIBUTE, text, (size_t)len, 0), 0);
	close(fd);
}

/* The mark stays on a file that has been published; scripts make locks of such files. */
static void marks_are_of_one_file(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;

	if (!have_xattr)
		skip();
	leave_stale_lock("a");
	copy_with_attribute("a.lock", "b.lock"); /* cp -a */
	assert_int_equal(lock_owner_of(at(dir, "b.lock"), NULL), LOCK_OWNER_UNKNOWN);
	assert_int_equal(hold(&lk, "b"), ERR_LOCKED);
	assert_int_equal(lock_owner_of(at(dir, "a.lock"), NULL), LOCK_OWNER_GONE);
	assert_int_equal(rename(at(dir, "a.lock"), at(dir, "f")), 0);
	assert_int_equal(link(at(dir, "f"), at(dir, "f.lock")), 0); /* ln */
	assert_int_equal(lock_owner_of(at(dir, "f.lock"), NULL), LOCK_OWNER_UNKNOWN);
	assert_int_equal(hold(&lk, "f"), ERR_LOCKED);
	assert_int_equal(takeovers, 0);
}

/* A file that takes the place of a lock has the same owner, or none. */
static void lock_of_a_lock_has_its_owner(void **state UNUSED)
{
	for (int marked = 0; marked < 2; marked++) {
		struct lockfile lk = LOCKFILE_INIT;
		struct fsync_batch *b = batch();

		if (!have_xattr)
			skip();
		if (marked)
			leave_stale_lock("f");
		else
			close(new_file(at(dir, "f.lock"), "")); /* by another program */
		assert_int_equal(hold(&lk, "f.lock"), 0);
		assert_int_equal(lockfile_stage(&lk, b, FSYNC_INDEX, PUBLISH_INDEX, NULL), 0);
		assert_int_equal(fsync_batch_commit(b, NULL), 0);
		assert_int_equal(lock_owner_of(at(dir, "f.lock"), NULL),
				 marked ? LOCK_OWNER_GONE : LOCK_OWNER_UNKNOWN);
		assert_int_equal(has_owner(at(dir, "f.lock")), marked);
		fsync_batch_free(b);
		lockfile_release(&lk);
		unlink(at(dir, "f.lock"));
	}
}

/* The directory means nothing without the file system, and a name nothing without both. */
static void only_proof_counts(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct owner self = { .pid = 0 }, o;

	if (!have_xattr || !owner_self(&self, dir))
		skip();
	mark("a.lock", &self);
	assert_int_equal(lock_owner_of(at(dir, "a.lock"), NULL), LOCK_OWNER_ALIVE);
	assert_int_equal(hold(&lk, "a"), ERR_LOCKED);
	o = self;
	o.id[5] = o.id[5] == '0' ? '1' : '0'; /* has ended in good order, or been cleared away */
	mark("b.lock", &o);
	assert_int_equal(lock_owner_of(at(dir, "b.lock"), NULL), LOCK_OWNER_GONE);
	o.home++; /* a copy made with its attributes, or seen from elsewhere */
	mark("c.lock", &o);
	assert_int_equal(lock_owner_of(at(dir, "c.lock"), NULL), LOCK_OWNER_UNKNOWN);
	assert_int_equal(hold(&lk, "c"), ERR_LOCKED);
	o.home--;
	o.id[0] = o.id[0] == 'o' ? 'd' : 'o'; /* through an overlay that is not ours, or below it */
	mark("d.lock", &o);
	assert_int_equal(lock_owner_of(at(dir, "d.lock"), NULL), LOCK_OWNER_UNKNOWN);
	assert_int_equal(hold(&lk, "d"), ERR_LOCKED);
	/* Another boot id, and older than this boot: both are needed. */
	assert_int_equal(owner_state(&o, dir, 1000), LOCK_OWNER_UNKNOWN);
	o.boot++;
	assert_int_equal(owner_state(&o, dir, time(NULL)), LOCK_OWNER_UNKNOWN);
	assert_int_equal(owner_state(&o, dir, 0), LOCK_OWNER_UNKNOWN);
	assert_int_equal(owner_state(&o, dir, 1000), LOCK_OWNER_GONE);
	pretend_fs(FS_EACH); /* network */
	assert_int_equal(owner_state(&o, dir, 1000), LOCK_OWNER_UNKNOWN);
	assert_int_equal(lock_owner_of(at(dir, "b.lock"), NULL), LOCK_OWNER_UNKNOWN);
	assert_int_equal(hold(&lk, "b"), ERR_LOCKED);
	/* Elsewhere, since facts about a directory are kept. */
	assert_int_equal(mkdir(at(dir, "far"), 0777), 0);
	assert_int_equal(hold(&lk, "far/e"), 0);
	assert_false(has_owner(at(dir, "far/e.lock")));
	lockfile_release(&lk);
	assert_int_equal(takeovers, 0);
}

static void others_locks_are_respected(void **state UNUSED)
{
	static const char *const texts[] = {
		"", "2", "2 d0123456789ab 1 0 1 1", "1 0 0 0 1 1", "garbage",
		"2 d0123456789ab 0 0 1", "2 d0123456789ab 1 0 0", "2 d0123456789ab 1 0 -1",
		"2 d0123456789a 1 0 1", "2 d0123456789abc 1 0 1", "2 d../../../../x 1 0 1",
		"2 d0123456789ab x 0 1", "2 0d0123456789a 1 0 1", "shared", "shared ",
		"shared 2 d0123456789ab 1 0 0", "2 d0123456789ab 1 0123456789abcdef 1",
	};
	struct timespec old[2] = { { 1000000000, 0 }, { 1000000000, 0 } };
	struct lockfile lk = LOCKFILE_INIT;

	/* without the attribute, however old */
	close(new_file(at(dir, "f.lock"), ""));
	assert_int_equal(utimensat(AT_FDCWD, at(dir, "f.lock"), old, 0), 0);
	assert_int_equal(hold(&lk, "f"), ERR_LOCKED);
	/* a link in its place, even to a lock of a dead owner */
	if (have_xattr) {
		leave_stale_lock("stale");
		assert_int_equal(symlink("stale.lock", at(dir, "g.lock")), 0);
		assert_int_equal(hold(&lk, "g"), ERR_LOCKED);
		for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
			int fd = new_file(at(dir, "x.lock"), "");

			assert_int_equal(fsetxattr(fd, ATTRIBUTE, texts[i], strlen(texts[i]), 0), 0);
			close(fd);
			assert_int_equal(lock_owner_of(at(dir, "x.lock"), NULL), LOCK_OWNER_UNKNOWN);
			assert_int_equal(hold(&lk, "x"), ERR_LOCKED);
			unlink(at(dir, "x.lock"));
		}
	}
	/* a directory in its place */
	assert_int_equal(mkdir(at(dir, "h.lock"), 0777), 0);
	assert_int_equal(hold(&lk, "h"), ERR_LOCKED);
	assert_int_equal(takeovers, 0);
	assert_true(file_exists(at(dir, "f.lock")));
}

/* The child that has locked the directory: when it is asked, it replaces the stale lock by its own. */
static int replace_stale_lock(int asked, int tell)
{
	struct lockfile lk = LOCKFILE_INIT;
	int fd = open(dir, O_RDONLY | O_DIRECTORY), bad;
	char c;

	bad = flock(fd, LOCK_EX) || write(tell, "x", 1) != 1 || read(asked, &c, 1) != 1 || unlink(at(dir, "f.lock")) ||
	      hold(&lk, "f");
	close(fd);
	bad |= write(tell, "x", 1) != 1;
	return bad || read(asked, &c, 1) != 1;
}

static void ask_child(void)
{
	char c;

	assert_int_equal(write(waits.fds[1], "x", 1), 1);
	assert_int_equal(read(waits.fds[0], &c, 1), 1);
}

/*
 * We have seen a dead owner and wait for the directory; meanwhile another
 * process, which had it first, has put its own lock there. That one must stay.
 */
static void takeover_has_one_winner(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	int to[2], from[2];
	char c;
	pid_t pid;

	if (!have_xattr)
		skip();
	leave_stale_lock("f");
	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	if (!pid) {
		close(to[1]); /* a parent that failed ends the child: it reads no more */
		_exit(replace_stale_lock(to[0], from[1]));
	}
	close(to[0]);
	close(from[1]);
	waits.fds[0] = from[0];
	waits.fds[1] = to[1];
	assert_int_equal(read(from[0], &c, 1), 1);
	expect_event(1, ask_child);
	assert_int_equal(hold(&lk, "f"), ERR_LOCKED);
	assert_int_equal(waits.nr, 1);
	assert_int_equal(takeovers, 0);
	assert_true(file_exists(at(dir, "f.lock")));
	assert_int_equal(write(to[1], "x", 1), 1);
	assert_ended_well(pid);
	close(to[1]);
	close(from[0]);
}

/* ---- an owner that dies while it is looked at ---- */

static struct {
	struct syscall_table table;
	const struct syscall_table *real;
	int looks;
	pid_t next; /* holds the lock in the end, until next_ends is closed */
	int next_ends;
} change_of_hands;

/* A child that has the lock (a shared file, as of refs); it lets it go and ends when *ends is closed. */
static pid_t start_owner(int *ends)
{
	int ready[2], end[2];
	char c = 'x';
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(end), 0);
	pid = fork();
	if (!pid) {
		struct lock_group group = LOCK_GROUP_INIT(dir);
		struct lockfile lk = LOCKFILE_INIT;
		int bad;

		sys = change_of_hands.real;
		close(end[1]);
		bad = lockfile_hold_in_group(&lk, at(dir, "f"), 0, &group, NULL) ||
		      write(ready[1], &c, 1) != 1 || read(end[0], &c, 1);
		lockfile_release(&lk);
		lock_group_release(&group);
		_exit(bad);
	}
	close(ready[1]);
	close(end[0]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	*ends = end[1];
	return pid;
}

static void end_owner(pid_t pid, int ends)
{
	int status;

	close(ends);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The second look at the owner, right before the lock is removed, meets another one, who ends. */
static int open_and_change_hands(const char *path, int flags, mode_t mode)
{
	int fd, ends;
	pid_t pid;

	if (!ends_with(path, "/f.lock") || (flags & O_ACCMODE) != O_RDONLY ||
	    ++change_of_hands.looks != 2)
		return change_of_hands.real->open(path, flags, mode);
	assert_int_equal(unlink(path), 0);
	pid = start_owner(&ends);
	fd = change_of_hands.real->open(path, flags, mode);
	end_owner(pid, ends);
	change_of_hands.next = start_owner(&change_of_hands.next_ends);
	return fd;
}

static void takeover_spares_the_next_owner(void **state UNUSED)
{
	struct lockfile lk = LOCKFILE_INIT;
	pid_t pid = 0;
	int rc;

	if (!have_xattr)
		skip();
	leave_stale_lock("f");
	change_of_hands.real = sys;
	change_of_hands.table = *sys;
	change_of_hands.table.open = open_and_change_hands;
	change_of_hands.looks = 0;
	sys = &change_of_hands.table;
	rc = hold(&lk, "f");
	sys = change_of_hands.real;
	assert_int_equal(rc, ERR_LOCKED);
	assert_true(change_of_hands.looks >= 2);
	assert_int_equal(takeovers, 0);
	assert_int_equal(lock_owner_of(at(dir, "f.lock"), &pid), LOCK_OWNER_ALIVE);
	assert_int_equal(pid, change_of_hands.next);
	end_owner(change_of_hands.next, change_of_hands.next_ends);
	assert_tree("");
}

#define CROWD 8

/* The winner keeps it until `stay` is closed: until all have tried. */
static int try_in_crowd(int go, int tell, int stay)
{
	struct lockfile lk = LOCKFILE_INIT;
	char c;

	return read(go, &c, 1) < 0 || write(tell, hold(&lk, "f") ? "n" : "y", 1) != 1 || read(stay, &c, 1) < 0;
}

static int count_winners(int from)
{
	int winners = 0;
	char c;

	for (int i = 0; i < CROWD; i++) {
		assert_int_equal(read(from, &c, 1), 1);
		winners += c == 'y';
	}
	return winners;
}

/* Many at once, for real. */
static void crowd_has_one_winner(void **state UNUSED)
{
	if (!have_xattr)
		skip();
	for (int round = 0; round < 5; round++) {
		int go[2], end[2], stay[2], winners;
		pid_t pids[CROWD];

		leave_stale_lock("f");
		assert_int_equal(pipe(go), 0);
		assert_int_equal(pipe(end), 0);
		assert_int_equal(pipe(stay), 0);
		for (int i = 0; i < CROWD; i++) {
			pids[i] = fork();
			if (!pids[i]) {
				close(go[1]);
				close(stay[1]);
				_exit(try_in_crowd(go[0], end[1], stay[0]));
			}
		}
		close(go[0]);
		close(end[1]);
		close(stay[0]);
		close(go[1]); /* all start */
		winners = count_winners(end[0]);
		close(stay[1]);
		close(end[0]);
		for (int i = 0; i < CROWD; i++)
			assert_ended_well(pids[i]);
		assert_int_equal(winners, 1);
		unlink(at(dir, "f.lock"));
	}
}

/* ---- kill -9 before every call: the next one gets the lock ---- */

static int operation(struct err *err)
{
	struct lockfile lk = LOCKFILE_INIT;
	struct fsync_batch *b = batch();
	int ret = lockfile_hold(&lk, at(dir, "f"), 0, 0, err);

	if (!ret)
		ret = write_in_full(lk.tf->fd, "new", 3, at(dir, "f"), err);
	if (!ret)
		ret = lockfile_stage(&lk, b, FSYNC_INDEX, PUBLISH_INDEX, err);
	if (!ret)
		ret = fsync_batch_commit(b, err);
	lockfile_release(&lk);
	fsync_batch_free(b);
	return ret;
}

struct countdown {
	int left;
};

static void kill_at_zero(void *data, const char *line UNUSED)
{
	struct countdown *c = data;

	if (!c->left--)
		kill(getpid(), SIGKILL);
}

static void killed_before_every_call(void **state UNUSED)
{
	bool killed = true;

	if (!have_xattr)
		skip();
	for (int n = 0; killed; n++) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			struct countdown c = { n };
			struct fault_plan plan = FAULT_PLAN_INIT;

			plan.before = kill_at_zero;
			plan.data = &c;
			fault_install(&plan);
			_exit(operation(NULL) != 0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		killed = WIFSIGNALED(status);
		if (!killed) {
			assert_int_equal(status, 0);
			assert_true(n >= 8);
		}
		assert_int_equal(operation(NULL), 0);
		assert_tree("f f 3\n");
		unlink(at(dir, "f"));
	}
}

/* ---- faults ---- */

static void sweep(int fail_errno, bool short_write, bool from_then_on)
{
	for (size_t n = 1;; n++) {
		struct fault_plan plan = FAULT_PLAN_INIT;
		struct err err = ERR_INIT;
		char *tree;
		bool hit;
		int ret;

		plan.fail_at = n;
		plan.fail_errno = fail_errno;
		plan.short_write = short_write;
		plan.from_then_on = from_then_on;
		write_text(at(dir, "f"), "older");
		fault_install(&plan);
		ret = operation(&err);
		hit = fault_hit();
		if (!hit && n > fault_counted()) {
			assert_int_equal(ret, 0);
			assert_true(n > 8);
			err_release(&err);
			break;
		}
		fault_remove();
		tree = tree_of(dir);
		if (strcmp(tree, ret == ERR_IO ? "f f 5\n" : "f f 3\n"))
			fail_msg("call %zu: result %d, but:\n%s", n, ret, tree);
		if (ret && (err.code != ret || !strstr(err.msg, dir)))
			fail_msg("call %zu: '%s' names no path", n, err_message(&err));
		if (ret && (short_write || fail_errno == EINTR))
			fail_msg("call %zu: %s", n, err_message(&err));
		free(tree);
		err_release(&err);
	}
	fault_remove();
}

static void every_call_fails_once(void **state UNUSED)
{
	sweep(EIO, false, false);
	sweep(ENOSPC, false, false);
	sweep(ENOSPC, false, true);
	sweep(EINTR, false, false);
	sweep(0, true, false);
}

/* ---- many locks of one file ---- */

static ino_t inode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_ino;
}

static int hold_linked(struct lockfile *lk, struct lock_group *o, const char *name)
{
	return lockfile_hold_in_group(lk, at(dir, "%s", name), 0, o, NULL);
}

static bool links_work(struct lock_group *o)
{
	struct lockfile lk = LOCKFILE_INIT;
	bool yes = !hold_linked(&lk, o, "probe") && lk.tf->fd < 0;

	lockfile_release(&lk);
	return yes;
}

static void links_share_a_file_and_its_owner(void **state UNUSED)
{
	struct lock_group o = LOCK_GROUP_INIT(dir);
	struct lockfile a = LOCKFILE_INIT, b = LOCKFILE_INIT, c = LOCKFILE_INIT;
	pid_t pid = 0;

	if (!links_work(&o)) /* its only name is gone: "a" needs a new file */
		skip();
	assert_int_equal(hold_linked(&a, &o, "a"), 0);
	assert_int_equal(hold_linked(&b, &o, "b"), 0);
	assert_true(inode_of(at(dir, "a.lock")) == inode_of(at(dir, "b.lock")));
	assert_int_equal(lock_owner_of(at(dir, "b.lock"), &pid), LOCK_OWNER_ALIVE);
	assert_int_equal(pid, getpid());
	assert_int_equal(hold_linked(&c, &o, "a"), ERR_LOCKED);
	assert_int_equal(hold(&c, "b"), ERR_LOCKED);
	lock_group_release(&o);
	lockfile_release(&a);
	assert_tree("f b.lock 0\n");
	lockfile_release(&b);
	assert_tree("");
}

static void links_are_limited(void **state UNUSED)
{
	struct lock_group o = LOCK_GROUP_INIT(dir);
	struct lockfile a = LOCKFILE_INIT, b = LOCKFILE_INIT;

	if (!links_work(&o))
		skip();
	assert_int_equal(hold_linked(&a, &o, "a"), 0);
	o.links = LOCK_GROUP_LINKS;
	assert_int_equal(hold_linked(&b, &o, "b"), 0);
	assert_true(inode_of(at(dir, "a.lock")) != inode_of(at(dir, "b.lock")));
	assert_int_equal(b.tf->fd, -1);
	lock_group_release(&o);
	lockfile_release(&a);
	lockfile_release(&b);
	assert_tree("");
}

/* Where it cannot be: a file of its own, with its owner. */
static void links_have_a_substitute(void **state UNUSED)
{
	static const int why[] = { EPERM, EMLINK, EXDEV, ENOSYS, ENOENT, EOPNOTSUPP };
	struct owner self;

	(void)owner_self(&self, dir); /* its own link is not the one that fails */
	for (size_t i = 0; i < ARRAY_SIZE(why); i++) {
		struct lock_group o = LOCK_GROUP_INIT(dir);
		struct fault_plan plan = FAULT_PLAN_INIT;
		struct lockfile a = LOCKFILE_INIT;

		plan.fail_at = 1;
		plan.fail_errno = why[i];
		plan.only = "link_fd";
		fault_install(&plan);
		assert_int_equal(hold_linked(&a, &o, "a"), 0);
		fault_remove();
		assert_true(a.tf->fd >= 0);
		assert_true(!have_xattr || has_owner(at(dir, "a.lock")));
		lock_group_release(&o);
		lockfile_release(&a);
		assert_tree("");
	}
}

static void links_of_the_dead_are_replaced(void **state UNUSED)
{
	struct lock_group o = LOCK_GROUP_INIT(dir);
	struct lockfile a = LOCKFILE_INIT, b = LOCKFILE_INIT;
	pid_t pid;

	if (!have_xattr)
		skip();
	pid = fork();
	if (!pid) {
		if (hold_linked(&a, &o, "a") < 0 || hold_linked(&b, &o, "b") < 0)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(file_exists(at(dir, "a.lock")) && file_exists(at(dir, "b.lock")));
	assert_int_equal(hold_linked(&a, &o, "a"), 0);
	assert_int_equal(hold(&b, "b"), 0);
	assert_int_equal(takeovers, 2);
	assert_int_equal(lock_owner_of(at(dir, "a.lock"), NULL), LOCK_OWNER_ALIVE);
	lock_group_release(&o);
	lockfile_release(&a);
	lockfile_release(&b);
	assert_tree("");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(whole_life),
		T(owner_is_marked_while_held),
		T(second_is_refused),
		T(rollback_is_idempotent),
		T(given_up_with_the_batch),
		T(another_program_writes_it),
		T(links_are_followed),
		T(directories_are_made),
		T(time_out_is_kept),
		T(waits_until_it_is_free),
		T(makes_two_files_at_most),
		T(the_living_are_waited_for),
		T(others_are_not_waited_for),
		T(removal_is_waited_for),
		T(from_hand_to_hand),
		T(dead_owner_is_replaced),
		T(owner_dies_while_waited_for),
		T(zombie_is_dead),
		T(only_proof_counts),
		T(marks_are_of_one_file),
		T(lock_of_a_lock_has_its_owner),
		T(others_locks_are_respected),
		T(takeover_has_one_winner),
		T(takeover_spares_the_next_owner),
		T(crowd_has_one_winner),
		T(links_share_a_file_and_its_owner),
		T(links_are_limited),
		T(links_have_a_substitute),
		T(links_of_the_dead_are_replaced),
		T(killed_before_every_call),
		T(every_call_fails_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
