/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared packs: one file as it grows, and the directory of all. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include "fs/private-dir.h"
#include "t/fault.h"
#include "t/unit/scratch.h"
#include "upload/share-dir.h"
#include "upload/share-file.h"
#include "util/alloc.h"
#include "util/clock.h"

static struct object_id kind_of(const char *text)
{
	struct object_id kind;

	hash_buf(hash_sha256, text, strlen(text), &kind);
	return kind;
}

/* ---- one file ---- */

/* A file that this process fills, and one that follows it; as different processes see it. */
struct pair {
	struct share_file filler, follower;
	struct object_id kind;
};

static void pair_begin(struct pair *p)
{
	int fd = open(at(dir, "f"), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	p->kind = kind_of("a");
	assert_int_equal(share_file_begin(fd, &p->kind, NULL), 0);
	share_file_fill(&p->filler, fd);
	fd = open(at(dir, "f"), O_RDONLY | O_CLOEXEC);
	assert_false(share_file_is_followed(&p->filler));
	assert_int_equal(share_file_follow(fd, &p->kind, NULL), 0);
	assert_true(share_file_is_followed(&p->filler));
	share_file_open(&p->follower, fd);
}

static void pair_end(struct pair *p)
{
	share_file_release(&p->filler);
	share_file_release(&p->follower);
	unlink(at(dir, "f"));
}

static struct share_status status(const struct pair *p)
{
	struct share_status st;

	assert_int_equal(share_file_status(&p->follower, &st, NULL), 0);
	return st;
}

static void it_grows_and_is_done(void **state UNUSED)
{
	struct strbuf text = STRBUF_INIT;
	struct share_status st, later;
	struct pair p;
	char buf[8];

	pair_begin(&p);
	st = status(&p);
	assert_int_equal(st.state, SHARE_GROWING);
	assert_int_equal(st.bytes, 0);
	assert_int_equal(share_file_write(&p.filler, 0, "abcd", 4, NULL), 0);
	assert_int_equal(share_file_write(&p.filler, 4, "efg", 3, NULL), 0);
	share_file_grew(&p.filler);
	later = status(&p);
	assert_int_equal(later.bytes, 7);
	assert_int_not_equal(later.word, st.word);
	assert_int_equal(share_file_read(&p.follower, 2, buf, 4, NULL), 0);
	assert_memory_equal(buf, "cdef", 4);
	assert_int_equal(share_file_read(&p.follower, 5, buf, 3, NULL), ERR_CORRUPT);
	assert_false(share_file_is_good(p.follower.fd));
	share_file_end(&p.filler, SHARE_DONE, "");
	st = status(&p);
	assert_int_equal(st.state, SHARE_DONE);
	assert_int_equal(st.bytes, 7);
	assert_true(share_file_is_good(p.follower.fd));
	share_file_message(&p.follower, &text);
	assert_string_equal(text.buf, "");
	share_file_release(&p.filler);
	assert_int_equal(status(&p).state, SHARE_DONE);
	strbuf_release(&text);
	pair_end(&p);
}

static void how_it_can_end(void **state UNUSED)
{
	static const enum share_state ends[] = { SHARE_FAILED, SHARE_FULL, SHARE_BUSY };
	char longest[3000];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct strbuf text = STRBUF_INIT;
		struct pair p;

		pair_begin(&p);
		assert_int_equal(share_file_write(&p.filler, 0, "abcd", 4, NULL), 0);
		share_file_end(&p.filler, ends[i], i ? "why" : longest);
		assert_int_equal(status(&p).state, ends[i]);
		assert_int_equal(status(&p).bytes, 4);
		assert_false(share_file_is_good(p.follower.fd));
		share_file_message(&p.follower, &text);
		if (i)
			assert_string_equal(text.buf, "why");
		else
			assert_int_equal(text.len, 999);
		strbuf_release(&text);
		pair_end(&p);
	}
}

static void a_filler_that_dies(void **state UNUSED)
{
	struct pair p;
	int ready[2], status_code;
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		struct object_id kind = kind_of("a");
		int fd = open(at(dir, "f"), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

		if (share_file_begin(fd, &kind, NULL) < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	p.filler = (struct share_file)SHARE_FILE_INIT;
	p.kind = kind_of("a");
	share_file_open(&p.follower, open(at(dir, "f"), O_RDONLY));
	assert_int_equal(share_file_follow(p.follower.fd, &p.kind, NULL), 0);
	assert_true(share_file_is_filled(p.follower.fd));
	assert_int_equal(status(&p).state, SHARE_GROWING);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status_code, 0), pid);
	assert_false(share_file_is_filled(p.follower.fd));
	assert_int_equal(status(&p).state, SHARE_DEAD);
	close(ready[0]);
	close(ready[1]);
	pair_end(&p);
}

/* A word of the state half written is none: it is looked at again. */
static void a_state_that_is_being_written(void **state UNUSED)
{
	static const char *const words[] = { "done ing ", "growed  ", "failing ", "no oing ", "\0\0\0\0\0\0\0\0" };
	struct pair p;

	pair_begin(&p);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		assert_int_equal(pwrite(p.filler.fd, words[i], 8, 128), 8);
		assert_int_equal(status(&p).state, SHARE_GROWING);
	}
	share_file_release(&p.filler);
	assert_int_equal(status(&p).state, SHARE_DEAD);
	pair_end(&p);
}

static void others_are_not_followed(void **state UNUSED)
{
	struct object_id other = kind_of("b");
	struct pair p;
	int fd;

	pair_begin(&p);
	assert_int_equal(share_file_follow(p.follower.fd, &other, NULL), ERR_NOT_FOUND);
	assert_int_equal(pwrite(p.filler.fd, "!", 1, 20), 1); /* another boot */
	assert_int_equal(share_file_follow(p.follower.fd, &p.kind, NULL), ERR_NOT_FOUND);
	share_file_end(&p.filler, SHARE_DONE, "");
	assert_false(share_file_is_good(p.follower.fd));
	pair_end(&p);
	pair_begin(&p);
	assert_int_equal(unlink(at(dir, "f")), 0);
	assert_int_equal(share_file_follow(p.follower.fd, &p.kind, NULL), ERR_NOT_FOUND);
	pair_end(&p);
	fd = new_file(at(dir, "short"), "shared pack 1\n");
	assert_int_equal(share_file_follow(fd, &p.kind, NULL), ERR_NOT_FOUND);
	close(fd);
}

static void a_file_that_was_cut(void **state UNUSED)
{
	struct share_status st;
	struct pair p;
	char c;

	pair_begin(&p);
	assert_int_equal(share_file_write(&p.filler, 0, "abcd", 4, NULL), 0);
	assert_int_equal(ftruncate(p.filler.fd, 4098), 0);
	assert_int_equal(share_file_read(&p.follower, 2, &c, 1, NULL), ERR_CORRUPT);
	assert_int_equal(ftruncate(p.filler.fd, 2000), 0);
	assert_int_equal(share_file_status(&p.follower, &st, NULL), ERR_CORRUPT);
	assert_int_equal(ftruncate(p.filler.fd, 10), 0);
	assert_int_equal(share_file_status(&p.follower, &st, NULL), ERR_IO);
	/* No process is ended by a signal because of it. */
	share_file_wait(&p.follower, &(struct share_status){ .word = 5 }, 5);
	share_file_grew(&p.filler);
	pair_end(&p);
}

static void *grow(void *data)
{
	struct pair *p = data;

	for (uint64_t i = 0; i < 2000; i++) {
		assert_int_equal(share_file_write(&p->filler, i, &(char){ (char)i }, 1, NULL), 0);
		share_file_grew(&p->filler);
	}
	share_file_end(&p->filler, SHARE_DONE, "");
	return NULL;
}

#define HOUR_MS 3600000 /* for who is not woken */

static void *follow(void *data)
{
	struct pair *p = data;
	struct share_status st;
	uint64_t at = 0;
	char c;

	do {
		assert_int_equal(share_file_status(&p->follower, &st, NULL), 0);
		if (at == st.bytes && st.state == SHARE_GROWING)
			share_file_wait(&p->follower, &st, HOUR_MS);
		for (; at < st.bytes; at++) {
			assert_int_equal(share_file_read(&p->follower, at, &c, 1, NULL), 0);
			assert_int_equal(c, (char)at);
		}
	} while (st.state == SHARE_GROWING);
	assert_int_equal(at, 2000);
	return NULL;
}

/* The end wakes every follower. */
static void many_follow(void **state UNUSED)
{
	pthread_t threads[5];
	struct pair p;

	pair_begin(&p);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, i ? follow : grow, &p), 0);
	for (size_t i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	pair_end(&p);
}

static void a_full_disk(void **state UNUSED)
{
	struct fault_plan plan = FAULT_PLAN_INIT;
	struct object_id kind = kind_of("a");
	struct pair p;
	int fd;

	pair_begin(&p);
	plan.fail_at = 1;
	plan.fail_errno = ENOSPC;
	fault_install(&plan);
	assert_int_equal(share_file_write(&p.filler, 0, "abcd", 4, NULL), ERR_IO);
	fault_remove();
	pair_end(&p);
	fd = new_file(at(dir, "g"), "");
	fault_install(&plan);
	assert_int_equal(share_file_begin(fd, &kind, NULL), ERR_IO);
	assert_true(fault_hit());
	fault_remove();
	close(fd);
}

/* ---- the directory ---- */

static struct share_dir open_dir(unsigned age_s, uint64_t limit_bytes)
{
	struct share_dir d = SHARE_DIR_INIT;

	assert_int_equal(chmod(dir, 0700), 0);
	assert_int_equal(share_dir_open(&d, dir, age_s, limit_bytes, NULL), 0);
	return d;
}

static void kinds_are_remembered(void **state UNUSED)
{
	struct share_dir d = open_dir(600, 1 << 20);
	struct object_id a = kind_of("a"), b = kind_of("b");

	assert_int_equal(share_dir_note(&d, &a), SHARE_NEW);
	assert_int_equal(share_dir_note(&d, &a), SHARE_AGAIN);
	assert_int_equal(share_dir_note(&d, &b), SHARE_NEW);
	assert_int_equal(share_dir_note(&d, &a), SHARE_AGAIN);
	share_dir_note_unfit(&d, &a);
	assert_int_equal(share_dir_note(&d, &a), SHARE_UNFIT);
	assert_int_equal(share_dir_note(&d, &a), SHARE_UNFIT);
	assert_int_equal(share_dir_note(&d, &b), SHARE_AGAIN);
	d.age_s = 0;
	sleep(1);
	usleep(100000);
	assert_int_equal(share_dir_note(&d, &a), SHARE_NEW);
	assert_int_equal(share_dir_note(&d, &b), SHARE_NEW);
	share_dir_release(&d);
	share_dir_release(&d);
}

/* Any number of them takes the same room; those of the last moment are still known, mostly. */
static void endless_kinds(void **state UNUSED)
{
	struct share_dir d = open_dir(600, 1 << 20);
	size_t known = 0;
	struct stat st;
	char name[30];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 20000; i++) {
			struct object_id kind;

			snprintf(name, sizeof(name), "%d", i);
			kind = kind_of(name);
			known += share_dir_note(&d, &kind) == SHARE_AGAIN;
		}
	}
	assert_in_range(known, 19500, 20000);
	assert_int_equal(stat(at(dir, "seen"), &st), 0);
	assert_in_range(st.st_size, 1, 1 << 20);
	share_dir_release(&d);
}

/* A finished file of that kind. */
static void add_file(struct share_dir *d, const char *name, size_t bytes)
{
	struct object_id kind = kind_of(name);
	struct share_file f;
	char *data = xcalloc(1, bytes);
	int fd;

	assert_int_equal(share_dir_create(d, &kind, &fd, NULL), 0);
	share_file_fill(&f, fd);
	assert_int_equal(share_file_write(&f, 0, data, bytes, NULL), 0);
	share_file_end(&f, SHARE_DONE, "");
	share_file_release(&f);
	free(data);
}

static const char *path_of(const char *name)
{
	struct object_id kind = kind_of(name);

	return at(dir, "pack-%s", oid_hex(&kind));
}

static bool is_there(const char *name)
{
	return !access(path_of(name), F_OK);
}

static void note_time(const char *name, void (*note)(int fd, int64_t when_ns), time_t when)
{
	int fd = open(path_of(name), O_RDWR);

	assert_true(fd >= 0);
	note(fd, (int64_t)when * NS_PER_SECOND);
	close(fd);
}

static void used_at(const char *name, time_t when)
{
	note_time(name, share_file_note_use, when);
}

static void made_at(const char *name, time_t when)
{
	note_time(name, share_file_note_made, when);
}

static int find(struct share_dir *d, const char *name)
{
	struct object_id kind = kind_of(name);

	return share_dir_find(d, &kind);
}

static size_t nr_names(const char *prefix)
{
	char *tree = tree_of(dir);
	size_t nr = 0;

	for (const char *p = tree; (p = strstr(p, prefix)); p++)
		nr++;
	free(tree);
	return nr;
}

static void files_are_found(void **state UNUSED)
{
	struct share_dir d = open_dir(600, 1 << 20);
	struct object_id a = kind_of("a");
	int64_t made_ns, used_ns;
	int fd, more;

	assert_int_equal(find(&d, "a"), -1);
	assert_int_equal(share_dir_create(&d, &a, &fd, NULL), 0);
	assert_int_equal(nr_names("tmp-"), 0);
	assert_int_equal(share_dir_create(&d, &a, &more, NULL), ERR_EXISTS);
	assert_int_equal(nr_names("tmp-"), 0);
	more = find(&d, "a");
	assert_true(more >= 0); /* it grows */
	share_dir_leave(&d, &a, more);
	close(fd);
	assert_int_equal(find(&d, "a"), -1); /* its filler has died */
	assert_false(is_there("a"));
	add_file(&d, "a", 10);
	used_at("a", 5);
	fd = find(&d, "a");
	assert_true(fd >= 0);
	share_file_times(fd, &made_ns, &used_ns);
	assert_true(used_ns / NS_PER_SECOND > 1000000);
	share_dir_leave(&d, &a, fd);
	made_at("a", time(NULL) - 700);
	assert_int_equal(find(&d, "a"), -1);
	assert_false(is_there("a"));
	add_file(&d, "a", 10);
	made_at("a", time(NULL) + 700);
	assert_int_equal(find(&d, "a"), -1);
	share_dir_release(&d);
}

/* A damaged or half-written time counts as long ago. */
static void a_time_that_is_none(void **state UNUSED)
{
	static const char *const texts[] = { "-0000000000000000001", "99999999999999999999", "1e000000000000000000",
					     "                    ", "0000000000000000000\0" };
	struct share_dir d = open_dir(600, 100000);
	int64_t made_ns, used_ns;
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		add_file(&d, "a", 10);
		fd = open(path_of("a"), O_RDWR);
		assert_int_equal(pwrite(fd, texts[i], 20, 164), 20);
		share_file_times(fd, &made_ns, &used_ns);
		assert_true(made_ns > 0);
		assert_int_equal(used_ns, 0);
		assert_int_equal(pwrite(fd, texts[i], 20, 144), 20);
		share_file_times(fd, &made_ns, &used_ns);
		assert_int_equal(made_ns, 0);
		close(fd);
		assert_int_equal(find(&d, "a"), -1);
		assert_false(is_there("a"));
	}
	share_dir_release(&d);
}

static void foreign_files_are_not(void **state UNUSED)
{
	struct share_dir d = open_dir(600, 1 << 20);

	add_file(&d, "a", 10);
	assert_int_equal(chmod(path_of("a"), 0604), 0);
	assert_int_equal(find(&d, "a"), -1);
	assert_true(is_there("a"));
	assert_int_equal(chmod(path_of("a"), 0600), 0);
	assert_int_equal(rename(path_of("a"), path_of("b")), 0);
	assert_int_equal(find(&d, "b"), -1);
	assert_int_equal(symlink("seen", path_of("c")), 0);
	assert_int_equal(find(&d, "c"), -1);
	share_dir_release(&d);
}

static void what_was_used_longest_ago_makes_room(void **state UNUSED)
{
	struct share_dir d = open_dir(600, 100000);

	assert_int_equal(share_dir_room(&d, 0), 100000);
	add_file(&d, "a", 20000 - 4096);
	add_file(&d, "b", 30000 - 4096);
	add_file(&d, "c", 40000 - 4096);
	assert_int_equal(share_dir_room(&d, 10000), 10000);
	used_at("a", 300);
	used_at("b", 100);
	used_at("c", 200);
	assert_int_equal(share_dir_room(&d, 10001), 40000);
	assert_true(is_there("a") && !is_there("b") && is_there("c"));
	assert_int_equal(share_dir_room(&d, 60000), 80000);
	assert_true(is_there("a") && !is_there("c"));
	assert_int_equal(share_dir_room(&d, 1000000), 100000);
	assert_false(is_there("a"));
	share_dir_release(&d);
}

static void what_is_read_or_filled_counts_and_stays(void **state UNUSED)
{
	struct share_dir d = open_dir(600, 100000);
	struct object_id a = kind_of("a"), b = kind_of("b");
	int reader, filler;

	add_file(&d, "a", 60000 - 4096);
	reader = find(&d, "a");
	assert_int_equal(share_dir_create(&d, &b, &filler, NULL), 0);
	assert_int_equal(share_dir_room(&d, 100000), 100000 - 60000 - 4096);
	assert_true(is_there("a") && is_there("b"));
	made_at("a", 5);
	made_at("b", 5);
	assert_int_equal(share_dir_room(&d, 0), 100000 - 60000 - 4096);
	assert_true(!is_there("a") && is_there("b"));
	assert_int_equal(nr_names("gone-"), 1);
	assert_int_equal(share_dir_room(&d, 100000), 100000 - 60000 - 4096);
	assert_int_equal(nr_names("gone-"), 1);
	share_dir_leave(&d, &a, reader);
	assert_int_equal(nr_names("gone-"), 0);
	assert_int_equal(share_dir_room(&d, 0), 100000 - 4096);
	close(filler);
	assert_int_equal(share_dir_room(&d, 0), 100000);
	share_dir_release(&d);
}

static void litter_goes(void **state UNUSED)
{
	struct share_dir d = open_dir(600, 100000);
	struct object_id a = kind_of("a");
	int fd;

	assert_int_equal(chmod(dir, 0700), 0);
	fd = private_file_create(d.fd, "tmp-1");
	close(fd);
	assert_int_equal(share_dir_room(&d, 0), 100000);
	assert_int_equal(nr_names("tmp-"), 1);
	assert_int_equal(utimensat(AT_FDCWD, at(dir, "tmp-1"), (struct timespec[2]){ { 5, 0 }, { 5, 0 } }, 0), 0);
	write_text(at(dir, "note"), "of a person");
	assert_int_equal(share_dir_room(&d, 0), 100000);
	assert_int_equal(nr_names("tmp-"), 0);
	assert_int_equal(nr_names("note"), 1);
	/* Only the file that is meant. */
	add_file(&d, "a", 10);
	fd = find(&d, "a");
	assert_int_equal(unlink(path_of("a")), 0);
	add_file(&d, "a", 10);
	share_dir_drop(&d, &a, fd);
	assert_true(is_there("a"));
	share_dir_leave(&d, &a, fd);
	fd = find(&d, "a");
	share_dir_drop(&d, &a, fd);
	assert_false(is_there("a"));
	close(fd);
	share_dir_release(&d);
}

static void not_more_than_so_many_files(void **state UNUSED)
{
	struct share_dir d = open_dir(600, (uint64_t)1 << 30);
	char name[30];

	for (int i = 0; i < 1030; i++) {
		snprintf(name, sizeof(name), "%d", i);
		add_file(&d, name, 1);
	}
	assert_in_range(nr_names("pack-"), 1000, 1024);
	assert_false(is_there("0"));
	assert_true(is_there("1029"));
	share_dir_release(&d);
}

static void a_table_that_cannot_be_written(void **state UNUSED)
{
	struct share_dir d = open_dir(600, 100000);
	struct object_id a = kind_of("a");
	struct fault_plan plan = FAULT_PLAN_INIT;
	int fd = 77;

	plan.fail_at = 1;
	plan.fail_errno = ENOSPC;
	plan.from_then_on = true;
	fault_install(&plan);
	assert_int_equal(share_dir_note(&d, &a), SHARE_NEW);
	assert_int_equal(share_dir_note(&d, &a), SHARE_NEW);
	assert_true(share_dir_create(&d, &a, &fd, NULL) < 0);
	assert_int_equal(fd, 77);
	fault_remove();
	assert_int_equal(nr_names("tmp-") + nr_names("pack-"), 0);
	share_dir_release(&d);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_grows_and_is_done),
		TEST(how_it_can_end),
		TEST(a_filler_that_dies),
		TEST(a_state_that_is_being_written),
		TEST(others_are_not_followed),
		TEST(a_file_that_was_cut),
		TEST(many_follow),
		TEST(a_full_disk),
		TEST(kinds_are_remembered),
		TEST(endless_kinds),
		TEST(files_are_found), TEST(a_time_that_is_none),
		TEST(foreign_files_are_not),
		TEST(what_was_used_longest_ago_makes_room),
		TEST(what_is_read_or_filled_counts_and_stays),
		TEST(litter_goes),
		TEST(not_more_than_so_many_files),
		TEST(a_table_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
