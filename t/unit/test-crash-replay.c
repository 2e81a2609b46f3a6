/* SPDX-License-Identifier: GPL-2.0-only */
/* Disks that a power cut can leave: records written by hand, and the trees built from them. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "t/crash/replay.h"
#include "t/unit/scratch.h"
#include "util/strbuf.h"

#define PAGE REPLAY_PAGE
#define PAGES 64

struct lab {
	char *dir;
	struct strbuf record; /* as it will be on the disk */
	size_t nr;
	struct replay r;
	unsigned char image[PAGES * PAGE];
};

static int setup(void **state)
{
	struct lab *l = calloc(1, sizeof(*l));
	struct record_header h = { .magic = RECORD_MAGIC, .disk_size = PAGES * PAGE };

	l->dir = scratch_new();
	l->r.base = -1;
	strbuf_init(&l->record, 0);
	strbuf_add(&l->record, &h, sizeof(h));
	*state = l;
	return 0;
}

static int teardown(void **state)
{
	struct lab *l = *state;

	replay_release(&l->r);
	strbuf_release(&l->record);
	scratch_remove(l->dir);
	free(l);
	return 0;
}

/* ---- a record, entry by entry; each gives back its number ---- */

static size_t entry(struct lab *l, struct record_entry e, const void *data)
{
	strbuf_add(&l->record, &e, sizeof(e));
	if (e.data_len)
		strbuf_add(&l->record, data, e.data_len);
	strbuf_add(&l->record, "\0\0\0\0\0\0\0", RECORD_PAD(e.data_len));
	return l->nr++;
}

/* `pages` pages of the letter from page `at` on arrive. */
static size_t arrives(struct lab *l, char letter, size_t at, size_t pages)
{
	size_t len = pages * PAGE;
	char *data = malloc(len);
	size_t number;

	memset(data, letter, len);
	number = entry(l, (struct record_entry){ .type = RECORD_WRITE, .data_len = (uint32_t)len,
						 .offset = at * PAGE, .len = len }, data);
	free(data);
	return number;
}

static size_t done(struct lab *l, size_t number)
{
	return entry(l, (struct record_entry){ .type = RECORD_DONE, .ref = number }, NULL);
}

static size_t flush(struct lab *l)
{
	return entry(l, (struct record_entry){ .type = RECORD_FLUSH }, NULL);
}

static void written(struct lab *l, char letter, size_t at, size_t pages)
{
	done(l, arrives(l, letter, at, pages));
}

static void flushed(struct lab *l)
{
	done(l, flush(l));
}

/* ---- what comes of it ---- */

static int open_lab(struct lab *l, const char *base)
{
	int fd = open(at(l->dir, "record"), O_WRONLY | O_CREAT | O_TRUNC, 0666);

	assert_int_equal(write(fd, l->record.buf, l->record.len), l->record.len);
	close(fd);
	return replay_open(&l->r, base, at(l->dir, "record"));
}

/* The first letter of each page, '.' for zeros, up to the last that is not zero. */
static const char *disk_at(struct lab *l, size_t k, struct replay_choice c)
{
	static char text[PAGES + 1];
	int fd = open(at(l->dir, "image"), O_RDWR | O_CREAT, 0666);
	size_t end = 0;

	assert_int_equal(replay_goto(&l->r, k), 0);
	assert_int_equal(replay_build(&l->r, &c, fd), 0);
	assert_int_equal(pread(fd, l->image, sizeof(l->image), 0), sizeof(l->image));
	close(fd);
	for (size_t i = 0; i < PAGES; i++) {
		char letter = (char)l->image[i * PAGE];

		text[i] = letter ? letter : '.';
		end = letter ? i + 1 : end;
	}
	text[end] = '\0';
	return text;
}

static const struct replay_choice all = { .mode = REPLAY_ALL };
static const struct replay_choice only_flushed = { .mode = REPLAY_FLUSHED };

static void test_flush_covers_what_was_completed_when_it_arrived(void **state)
{
	struct lab *l = *state;
	size_t a, b, f;

	a = arrives(l, 'a', 0, 1); /* completed before the flush arrives */
	done(l, a);
	b = arrives(l, 'b', 1, 1); /* completed after it has arrived */
	f = flush(l);
	done(l, b);
	written(l, 'c', 2, 1);
	done(l, f); /* 7 */
	written(l, 'd', 3, 1);
	assert_int_equal(open_lab(l, NULL), 0);
	assert_string_equal(disk_at(l, f, only_flushed), "");
	assert_string_equal(disk_at(l, 6, only_flushed), ""); /* not before its completion */
	assert_string_equal(disk_at(l, 7, only_flushed), "a");
	assert_string_equal(disk_at(l, l->nr - 1, only_flushed), "a");
	assert_string_equal(disk_at(l, l->nr - 1, all), "abcd");
}

static void test_next_flush_covers_the_rest(void **state)
{
	struct lab *l = *state;
	size_t a, f;

	a = arrives(l, 'a', 0, 1);
	f = flush(l);
	done(l, a);
	done(l, f);
	flushed(l);
	assert_int_equal(open_lab(l, NULL), 0);
	assert_string_equal(disk_at(l, 3, only_flushed), "");
	assert_string_equal(disk_at(l, l->nr - 1, only_flushed), "a");
}

static void test_two_flushes_at_a_time(void **state)
{
	struct lab *l = *state;
	size_t f, g;

	written(l, 'a', 0, 1);
	f = flush(l);
	written(l, 'b', 1, 1);
	g = flush(l);
	done(l, f); /* 6: covers a alone */
	done(l, g);
	assert_int_equal(open_lab(l, NULL), 0);
	assert_string_equal(disk_at(l, 6, only_flushed), "a");
	assert_string_equal(disk_at(l, 7, only_flushed), "ab");
}

static void test_going_back(void **state)
{
	struct lab *l = *state;

	written(l, 'a', 0, 1);
	flushed(l);
	written(l, 'b', 0, 1);
	flushed(l);
	assert_int_equal(open_lab(l, NULL), 0);
	assert_string_equal(disk_at(l, 7, only_flushed), "b");
	assert_string_equal(disk_at(l, 3, only_flushed), "a");
	assert_string_equal(disk_at(l, 0, all), "a");
	assert_string_equal(disk_at(l, 7, all), "b");
}

static void test_base_and_zeroing(void **state)
{
	struct lab *l = *state;
	char *page = malloc(PAGE);
	int fd = open(at(l->dir, "base"), O_RDWR | O_CREAT, 0666);

	memset(page, 'x', PAGE);
	assert_int_equal(ftruncate(fd, PAGES * PAGE), 0);
	assert_int_equal(pwrite(fd, page, PAGE, 0), PAGE);
	assert_int_equal(pwrite(fd, page, PAGE, 5 * PAGE), PAGE);
	close(fd);
	free(page);
	done(l, entry(l, (struct record_entry){ .type = RECORD_ZERO, .offset = 5 * PAGE,
						.len = PAGE }, NULL));
	flushed(l);
	assert_int_equal(open_lab(l, at(l->dir, "base")), 0);
	assert_string_equal(disk_at(l, 1, only_flushed), "x....x");
	assert_string_equal(disk_at(l, 1, all), "x");
	assert_string_equal(disk_at(l, 3, only_flushed), "x");
}

/* Requests of less than a page, as journals write them. */
static void test_sectors(void **state)
{
	struct lab *l = *state;
	size_t old;

	old = entry(l, (struct record_entry){ .type = RECORD_WRITE, .data_len = 1024, .offset = 512,
					      .len = 1024 }, memset(l->image, 'o', 1024));
	/* A younger one takes half of it and is flushed first. */
	done(l, entry(l, (struct record_entry){ .type = RECORD_WRITE, .data_len = 512, .offset = 512,
						.len = 512 }, memset(l->image, 'y', 512)));
	flushed(l);
	assert_int_equal(old, 0);
	assert_int_equal(open_lab(l, NULL), 0);
	disk_at(l, 4, only_flushed);
	assert_int_equal(l->image[511], 0);
	assert_int_equal(l->image[512], 'y');
	assert_int_equal(l->image[1024], 0);
	disk_at(l, 4, all); /* the old one does not undo it */
	assert_int_equal(l->image[512], 'y');
	assert_int_equal(l->image[1024], 'o');
	assert_int_equal(l->image[1535], 'o');
	assert_int_equal(l->image[1536], 0);
}

static size_t count(const char *text, char letter)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == letter;
	return n;
}

static void test_densities(void **state)
{
	struct lab *l = *state;
	size_t before = 0;

	written(l, 'f', 0, 4);
	flushed(l);
	for (size_t i = 4; i < PAGES; i++)
		written(l, 'r', i, 1);
	assert_int_equal(open_lab(l, NULL), 0);
	for (unsigned percent = 0; percent <= 100; percent += 25) {
		struct replay_choice c = { .mode = REPLAY_RANDOM, .percent = percent };
		size_t n = 0;

		for (c.seed = 0; c.seed < 20; c.seed++) {
			const char *disk = disk_at(l, l->nr - 1, c);

			assert_int_equal(count(disk, 'f'), 4); /* a flush holds in any case */
			n += count(disk, 'r');
		}
		/* 20 times 60 pages: five standard deviations are less than 90 */
		assert_in_range(n, percent * 12 > 90 ? percent * 12 - 90 : 0, percent * 12 + 90);
		assert_true(percent == 0 ? n == 0 : n > before);
		before = n;
	}
	assert_int_equal(before, 1200);
}

static void test_seeds(void **state)
{
	struct lab *l = *state;
	struct replay_choice c = { .mode = REPLAY_RANDOM, .percent = 50, .seed = 7 };
	char first[PAGES + 1];

	for (size_t i = 0; i < PAGES; i++)
		written(l, 'r', i, 1);
	assert_int_equal(open_lab(l, NULL), 0);
	strcpy(first, disk_at(l, l->nr - 1, c));
	assert_string_equal(disk_at(l, l->nr - 1, c), first);
	c.seed = 8;
	assert_string_not_equal(disk_at(l, l->nr - 1, c), first);
}

static void test_pages_or_requests(void **state)
{
	struct lab *l = *state;
	struct replay_choice c = { .mode = REPLAY_RANDOM, .percent = 50 };
	size_t torn = 0, whole = 0;

	written(l, 'r', 0, PAGES);
	assert_int_equal(open_lab(l, NULL), 0);
	for (c.seed = 0; c.seed < 20; c.seed++) {
		size_t n;

		c.whole = true;
		n = count(disk_at(l, 1, c), 'r');
		assert_true(n == 0 || n == PAGES);
		whole += n == PAGES;
		c.whole = false;
		n = count(disk_at(l, 1, c), 'r');
		torn += n > 0 && n < PAGES;
	}
	assert_in_range(whole, 3, 17);
	assert_int_equal(torn, 20);
}

static void test_disk_that_ignores_flushes(void **state)
{
	struct lab *l = *state;
	struct replay_choice c = { .mode = REPLAY_IGNORE_FLUSHES, .percent = 50 };
	const char *disk;

	for (size_t i = 0; i < PAGES; i++)
		written(l, 'a', i, 1);
	flushed(l);
	assert_int_equal(open_lab(l, NULL), 0);
	disk = disk_at(l, l->nr - 1, c);
	assert_in_range(count(disk, 'a'), 10, PAGES - 10);
	c.percent = 100;
	assert_int_equal(count(disk_at(l, l->nr - 1, c), 'a'), PAGES);
}

static void test_record_that_ends_within_an_entry(void **state)
{
	struct lab *l = *state;

	written(l, 'a', 0, 1);
	arrives(l, 'b', 1, 1);
	strbuf_setlen(&l->record, l->record.len - 100);
	assert_int_equal(open_lab(l, NULL), 0);
	assert_int_equal(l->r.nr, 2);
	assert_string_equal(disk_at(l, 1, all), "a");
	assert_int_equal(replay_goto(&l->r, 2), -1);
}

static void test_damaged_records(void **state)
{
	struct lab *l = *state;

	done(l, 3); /* what has not arrived */
	assert_int_equal(open_lab(l, NULL), -1);
	replay_release(&l->r);
	strbuf_setlen(&l->record, sizeof(struct record_header));
	arrives(l, 'a', PAGES, 1); /* beyond the disk */
	assert_int_equal(open_lab(l, NULL), -1);
	replay_release(&l->r);
	strbuf_setlen(&l->record, 7);
	assert_int_equal(open_lab(l, NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(test_flush_covers_what_was_completed_when_it_arrived),
		T(test_next_flush_covers_the_rest),
		T(test_two_flushes_at_a_time),
		T(test_going_back),
		T(test_base_and_zeroing),
		T(test_sectors),
		T(test_densities),
		T(test_seeds),
		T(test_pages_or_requests),
		T(test_disk_that_ignores_flushes),
		T(test_record_that_ends_within_an_entry),
		T(test_damaged_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
