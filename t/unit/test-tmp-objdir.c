/* SPDX-License-Identifier: GPL-2.0-only */
/* Temporary object directories: made, staged, removed, reaped. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include "t/fault.h"
#include "fs/file.h"
#include "fs/owner.h"
#include "fs/tmp-objdir.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define HEX38 "23456789abcdef0123456789abcdef01234567"
#define HEX "ab" HEX38

static int reaped;

static void count_reaped(const char *path UNUSED, pid_t pid UNUSED)
{
	reaped++;
}

static int setup(void **state UNUSED)
{
	scratch_setup(NULL);
	pretend_fs(FS_JOURNAL);
	reaped = 0;
	tmp_objdir_reap_report = count_reaped;
	unsetenv("GIT_ALTERNATE_OBJECT_DIRECTORIES");
	return 0;
}

static void fill(struct tmp_objdir *t)
{
	static const char *const names[] = {
		"pack/pack-" HEX ".idx", "pack/pack-" HEX ".keep", "pack/pack-" HEX ".pack", "pack/pack-" HEX ".rev",
		"pack/tmp_pack_x", ("ab/" HEX38), "info/commit-graph",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = xstrfmt("%s/%s", tmp_objdir_path(t), names[i]);

		char *slash = strrchr(path, '/');

		*slash = '\0';
		(void)!mkdir(path, 0777); /* not through the table: no part of a sweep */
		*slash = '/';
		write_text(path, names[i]);
		free(path);
	}
}

static void made_and_destroyed(void **state UNUSED)
{
	struct tmp_objdir *t = NULL;

	assert_int_equal(tmp_objdir_create(&t, dir, "bulk", 0, NULL), 0);
	assert_true(starts_with(tmp_objdir_path(t), at(dir, "tmp_objdir-bulk-")));
	assert_true(is_directory(tmp_objdir_path(t)));
	fill(t);
	tmp_objdir_destroy(&t);
	assert_null(t);
	tmp_objdir_destroy(&t);
	assert_tree("");
}

static void failure_names_the_directory(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct tmp_objdir *t = NULL;

	assert_int_equal(tmp_objdir_create(&t, at(dir, "no"), "bulk", 0, &err), ERR_IO);
	assert_null(t);
	assert_non_null(strstr(err.msg, "/no/tmp_objdir-bulk-"));
	err_release(&err);
}

static void environment_of_children(void **state UNUSED)
{
	struct strvec env = STRVEC_INIT;
	struct tmp_objdir *t = NULL;
	char *line;

	setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", "/x:/y", 1);
	assert_int_equal(tmp_objdir_create(&t, dir, "incoming", 0, NULL), 0);
	tmp_objdir_env(t, &env);
	assert_int_equal(env.nr, 3);
	line = xstrfmt("GIT_OBJECT_DIRECTORY=%s", tmp_objdir_path(t));
	assert_string_equal(env.v[0], line);
	free(line);
	line = xstrfmt("GIT_ALTERNATE_OBJECT_DIRECTORIES=%s:/x:/y", dir);
	assert_string_equal(env.v[1], line);
	free(line);
	line = xstrfmt("GIT_QUARANTINE_PATH=%s", tmp_objdir_path(t));
	assert_string_equal(env.v[2], line);
	free(line);
	strvec_clear(&env);
	tmp_objdir_destroy(&t);
	unsetenv("GIT_ALTERNATE_OBJECT_DIRECTORIES");
}

static void staged_in_order(void **state UNUSED)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };
	struct fsync_batch *b = fsync_batch_new(&o);
	struct fault_plan plan = FAULT_PLAN_INIT;
	struct tmp_objdir *t = NULL;
	const char *idx, *pack, *rev, *loose;

	assert_int_equal(tmp_objdir_create(&t, dir, "incoming", 0, NULL), 0);
	fill(t);
	fault_install(&plan);
	assert_int_equal(tmp_objdir_stage_all(t, b, false, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	idx = strstr(fault_text(), "rename");
	pack = strstr(idx, "/pack-" HEX ".pack\n");
	rev = strstr(idx, "/pack-" HEX ".rev\n");
	loose = strstr(idx, "/ab/" HEX38 "\n");
	idx = strstr(idx, "/pack-" HEX ".idx\n");
	assert_true(pack && rev && loose && idx);
	/* The last line with that name is the rename that worked. */
	assert_true(pack < idx && rev < idx && idx < loose);
	fsync_batch_free(b);
	tmp_objdir_destroy(&t);
	assert_tree("d ab\nd pack\nf ab/" HEX38 " 41\nf pack/pack-" HEX ".idx 54\n"
		    "f pack/pack-" HEX ".keep 55\nf pack/pack-" HEX ".pack 55\nf pack/pack-" HEX ".rev 54\n");
}

static pid_t child(void (*fn)(void))
{
	pid_t pid = fork();

	if (!pid) {
		fn();
		_exit(0);
	}
	return pid;
}

static void make_one(void)
{
	struct tmp_objdir *t = NULL;

	if (tmp_objdir_create(&t, dir, "bulk", 0, NULL))
		_exit(1);
	fill(t);
}

static void make_one_and_die(void)
{
	make_one();
	raise(SIGTERM);
}

static void make_one_and_stay(void)
{
	make_one();
	kill(getpid(), SIGSTOP);
}

static void removed_on_a_signal(void **state UNUSED)
{
	int status;
	pid_t pid = child(make_one_and_die);

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_tree("");
}

static void the_dead_are_reaped(void **state UNUSED)
{
	int status;
	pid_t dead = child(make_one), alive;
	struct owner self;

	assert_int_equal(waitpid(dead, &status, 0), dead);
	assert_int_equal(status, 0);
	if (!owner_self(&self, dir))
		skip();
	tmp_objdir_reap(dir);
	assert_int_equal(reaped, 1);
	assert_tree("");

	assert_int_equal(mkdir(at(dir, "tmp_objdir-incoming-Xy12Zq"), 0777), 0);
	assert_int_equal(mkdir(at(dir, "tmp_objdir-bulk-0-00000000"), 0777), 0);
	alive = child(make_one_and_stay);
	assert_int_equal(waitpid(alive, &status, WUNTRACED), alive);
	tmp_objdir_reap(dir);
	assert_int_equal(reaped, 1);
	kill(alive, SIGKILL);
	assert_int_equal(waitpid(alive, &status, 0), alive);
	tmp_objdir_reap(dir);
	assert_int_equal(reaped, 2);
	assert_tree("d tmp_objdir-bulk-0-00000000\nd tmp_objdir-incoming-Xy12Zq\n");
	tmp_objdir_reap(at(dir, "none"));
}

/* Its owner, or another reaper, is faster: we do not report a removal. */
static void remove_before_us(void *data UNUSED, const char *line)
{
	char *path;

	if (!starts_with(line, "rmdir "))
		return;
	path = xstrdup(line + strlen("rmdir "));
	path[strcspn(path, " ")] = '\0';
	assert_int_equal(rmdir(path), 0);
	free(path);
}

static void what_others_remove_is_not_reported(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	pid_t dead = child(make_one);
	struct owner self;
	int status;

	assert_int_equal(waitpid(dead, &status, 0), dead);
	if (!owner_self(&self, dir))
		skip();
	plan.before = remove_before_us;
	plan.only = "rmdir";
	fault_install(&plan);
	tmp_objdir_reap(dir);
	assert_true(fault_counted() > 0);
	fault_remove();
	assert_int_equal(reaped, 0);
	assert_tree("");
}

/* ---- faults ---- */

static int operation(struct err *err)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };
	struct fsync_batch *b = fsync_batch_new(&o);
	struct tmp_objdir *t = NULL;
	int ret = tmp_objdir_create(&t, dir, "in", 0660, err);

	if (!ret) {
		fill(t);
		ret = tmp_objdir_stage_all(t, b, false, err);
	}
	if (!ret)
		ret = fsync_batch_commit(b, err);
	fsync_batch_free(b);
	tmp_objdir_destroy(&t);
	return ret;
}

static void sweep(int (*op_name)(struct err *err))
{
	static const int errnos[] = { EIO, ENOSPC, EINTR };

	for (size_t e = 0; e < ARRAY_SIZE(errnos); e++) {
		for (size_t n = 1;; n++) {
			struct fault_plan plan = FAULT_PLAN_INIT;
			struct err err = ERR_INIT;
			char *tree;
			bool hit;
			int ret;

			plan.fail_at = n;
			plan.fail_errno = errnos[e];
			fault_install(&plan);
			ret = op_name(&err);
			hit = fault_hit();
			if (ret && (ret != err.code || !strstr(err.msg, dir)))
				fail_msg("call %zu: '%s' names no path", n, err_message(&err));
			if (ret && errnos[e] == EINTR)
				fail_msg("call %zu: %s", n, err_message(&err));
			err_release(&err);
			if (!hit)
				assert_int_equal(ret, 0);
			fault_remove();
			tree = tree_of(dir);
			if (ret && strstr(tree, "tmp_"))
				fail_msg("call %zu: litter:\n%s", n, tree);
			free(tree);
			assert_int_equal(remove_tree(dir, true, NULL), 0);
			if (!hit)
				break;
		}
	}
}

/*
 * A user who may write to the object directory can put a link in the place of a removed directory.
 */
static void removal_follows_no_link(void **state UNUSED)
{
	assert_int_equal(mkdir(at(dir, "private"), 0777), 0);
	write_text(at(dir, "private/file"), "x");
	assert_int_equal(mkdir(at(dir, "tree"), 0777), 0);
	assert_int_equal(symlink("../private", at(dir, "tree/inside")), 0);
	assert_int_equal(symlink("private", at(dir, "top")), 0);
	assert_int_equal(remove_tree(at(dir, "top"), true, NULL), ERR_IO);
	assert_true(file_exists(at(dir, "private/file")));
	assert_int_equal(remove_tree(at(dir, "tree"), false, NULL), 0);
	assert_false(file_exists(at(dir, "tree")));
	assert_int_equal(remove_tree(at(dir, "top"), false, NULL), 0);
	assert_false(file_exists(at(dir, "top")));
	assert_true(file_exists(at(dir, "private/file")));
}

/* ---- what a process may leave that can have been taken over ---- */

#define NAME40 "0123456789abcdef0123456789abcdef01234567"
#define PACK "pack/pack-" NAME40
#define LOOSE "ab/0123456789abcdef0123456789abcdef012345"

/* A word: a file; '@' before it: a symbolic link, '=': another name of a file, '/': a directory. */
static void leave(const struct tmp_objdir *t, const char *words)
{
	char *copy = xstrdup(words), *outside = xstrdup(at(dir, "outside"));

	for (char *save = NULL, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *path = xstrfmt("%s/%s", tmp_objdir_path(t), word + strspn(word, "@=/"));

		assert_int_equal(make_leading_dirs(path, 0, NULL), 0);
		if (*word == '@')
			assert_int_equal(symlink(outside, path), 0);
		else if (*word == '=')
			assert_int_equal(link(outside, path), 0);
		else if (*word == '/')
			assert_int_equal(mkdir(path, 0777), 0);
		else
			write_text(path, "x");
		free(path);
	}
	free(copy);
	free(outside);
}

static void only_objects_and_packs_may_be_left(void **state UNUSED)
{
	static const struct {
		const char *words;
		int rc;
		size_t nr;
	} cases[] = {
		{ "", 0, 0 }, { LOOSE, 0, 1 }, { "tmp_foreign pack/tmp_x ab/tmp_y", 0, 0 },
		{ PACK ".pack " PACK ".idx", 0, 2 }, { PACK ".pack " PACK ".idx " PACK ".rev " LOOSE, 0, 4 },
		{ "@" LOOSE, ERR_INVALID, 0 }, { "=" LOOSE, ERR_INVALID, 0 }, { "/" LOOSE, ERR_INVALID, 0 },
		{ LOOSE "0", ERR_INVALID, 0 }, { LOOSE "0123456789abcdef01234567", ERR_INVALID, 0 },
		{ "ab/0123456789ABCDEF0123456789abcdef012345", ERR_INVALID, 0 }, { "aB/0123456789abcdef0123456789abcdef012345", ERR_INVALID, 0 },
		{ "ag/0123456789abcdef0123456789abcdef012345", ERR_INVALID, 0 }, { "a/x", ERR_INVALID, 0 },
		{ PACK ".pack", ERR_INVALID, 0 }, { PACK ".idx", ERR_INVALID, 0 }, { PACK ".rev", ERR_INVALID, 0 },
		{ PACK ".pack " PACK ".idx " PACK ".keep", ERR_INVALID, 0 }, { PACK ".pack " PACK ".idx @" PACK ".rev", ERR_INVALID, 0 },
		{ PACK ".pack " PACK ".idx =" PACK ".rev", ERR_INVALID, 0 }, { PACK ".pack " PACK ".idx " PACK ".rev.rev", ERR_INVALID, 0 },
		{ PACK "0.pack " PACK "0.idx", ERR_INVALID, 0 },
		{ PACK "0123456789abcdef01234567.pack " PACK "0123456789abcdef01234567.idx", ERR_INVALID, 0 },
		{ "pack/" NAME40 ".pack pack/" NAME40 ".idx", ERR_INVALID, 0 }, { "pack/multi-pack-index", ERR_INVALID, 0 },
		{ "info/alternates", ERR_INVALID, 0 }, { "pack", ERR_INVALID, 0 }, { "@pack", ERR_INVALID, 0 }, { "ab", ERR_INVALID, 0 },
		{ "HEAD", ERR_INVALID, 0 }, { "/info", ERR_INVALID, 0 }, { "/pack /ab", 0, 0 },
	};

	write_text(at(dir, "outside"), "x");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tmp_objdir *t = NULL;
		size_t nr = 0;
		int rc;

		assert_int_equal(tmp_objdir_create(&t, dir, "in", 0, NULL), 0);
		leave(t, cases[i].words);
		rc = tmp_objdir_check(t, 40, &nr, NULL);
		if (rc != cases[i].rc || nr != cases[i].nr)
			fail_msg("'%s': %d, %zu files", cases[i].words, rc, nr);
		tmp_objdir_destroy(&t);
	}
}

static void every_call_fails_once(void **state UNUSED)
{
	sweep(operation);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(made_and_destroyed),
		T(failure_names_the_directory),
		T(environment_of_children),
		T(staged_in_order),
		T(removed_on_a_signal),
		T(the_dead_are_reaped),
		T(what_others_remove_is_not_reported),
		T(removal_follows_no_link),
		T(only_objects_and_packs_may_be_left),
		T(every_call_fails_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
