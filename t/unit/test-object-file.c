/* SPDX-License-Identifier: GPL-2.0-only */
/* Damaged loose objects, read as a whole and in pieces. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <zlib.h>
#include "object-file.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define PIECE (64 * 1024) /* bytes read from a file at a time */

static struct object_id name;

/* The file of the object `name` gets `len` bytes, deflated, and `more` behind them. */
static size_t write_object(const char *text, size_t len, int level, const char *more)
{
	uLongf size = compressBound(len) + 100;
	unsigned char *out = xmalloc(size);
	struct strbuf path = STRBUF_INIT;
	FILE *f;

	assert_int_equal(compress2(out, &size, (const unsigned char *)text, len, level), Z_OK);
	loose_object_path(&path, dir, &name);
	write_text(path.buf, "");
	f = fopen(path.buf, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(out, 1, size, f), size);
	fputs(more, f);
	assert_int_equal(fclose(f), 0);
	strbuf_release(&path);
	free(out);
	return size;
}

static int collect(void *data, const void *p, size_t len, struct err *err UNUSED)
{
	strbuf_add(data, p, len);
	return 0;
}

/* Both ways fail, with these words in their messages. */
static void expect_damage(const char *all_at_once, const char *in_pieces)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct strbuf got = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool any;

	assert_int_equal(loose_object_read(dir, &name, hash_sha1, 0, &buf, &err), ERR_CORRUPT);
	if (!strstr(err_message(&err), all_at_once))
		fail_msg("read: '%s'", err_message(&err));
	err_release(&err);
	assert_int_equal(loose_object_stream(dir, &name, hash_sha1, collect, &got, &any, &err),
			 ERR_CORRUPT);
	if (!strstr(err_message(&err), in_pieces))
		fail_msg("stream: '%s'", err_message(&err));
	err_release(&err);
	strbuf_release(&got);
}

static void expect_content(const char *content, size_t len)
{
	struct strbuf got = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool any;

	assert_int_equal(loose_object_stream(dir, &name, hash_sha1, collect, &got, &any, &err), 0);
	assert_int_equal(got.len, len);
	assert_memory_equal(got.buf, content, len);
	assert_int_equal(any, len > 0);
	strbuf_release(&got);
}

#define OBJECT(text) text, sizeof(text) - 1

static void name_of(const char *text, size_t len)
{
	hash_buf(hash_sha1, text, len, &name);
}

static void small_ones(void **state UNUSED)
{
	name_of(OBJECT("blob 12\0some content"));
	write_object(OBJECT("blob 12\0some content"), 6, "");
	expect_content("some content", 12);
	write_object(OBJECT("blob 12\0some content"), 6, "z");
	expect_damage("garbage at end of loose object", "garbage at end of loose object");
	write_object(OBJECT("blob 11\0some content"), 6, "");
	expect_damage("its size differs from its header", "longer than its header says");
	write_object(OBJECT("blob 13\0some content"), 6, "");
	expect_damage("its size differs from its header", "its size differs from its header");
	write_object(OBJECT("blob 99999999\0some content"), 6, "");
	expect_damage("its size differs from its header", "the file is too short for its size");
	write_object(OBJECT("blob 12\0other stuff!"), 6, "");
	expect_damage("hash-path mismatch", "hash-path mismatch");
	write_object(OBJECT("tree 12\0some content"), 6, "");
	expect_damage("hash-path mismatch", "hash-path mismatch");
	write_object(OBJECT("blob 12"), 6, "");
	expect_damage("malformed object header", "malformed object header");
	write_object("", 0, 6, "");
	expect_damage("malformed object header", "its size differs from its header");
}

static void nothing_in_it(void **state UNUSED)
{
	name_of(OBJECT("blob 0\0"));
	write_object(OBJECT("blob 0\0"), 6, "");
	expect_content("", 0);
	write_object(OBJECT("blob 0\0x"), 6, "");
	expect_damage("its size differs from its header", "longer than its header says");
}

/* The file ends where a piece ends: what comes behind is found all the same. */
static void ends_with_a_piece(void **state UNUSED)
{
	char *text = xcalloc(1, 2 * PIECE);
	size_t len = PIECE - 100, size;

	for (int tries = 0; tries < 100; tries++) {
		int head = snprintf(text, 2 * PIECE, "blob %zu", len) + 1;

		name_of(text, (size_t)head + len);
		size = write_object(text, (size_t)head + len, 0, "");
		if (size == PIECE) {
			expect_content(text + head, len);
			write_object(text, (size_t)head + len, 0, "z");
			expect_damage("garbage at end of loose object",
				      "garbage at end of loose object");
			free(text);
			return;
		}
		len = len + PIECE - size;
	}
	fail_msg("no object has %d deflated bytes", PIECE);
}

static void several_pieces(void **state UNUSED)
{
	size_t len = 5 * PIECE, whole;
	char *text = xmalloc(len + 20);
	int head = snprintf(text, 20, "blob %zu", len) + 1;
	struct strbuf path = STRBUF_INIT;

	for (size_t i = 0; i < len; i++)
		text[(size_t)head + i] = (char)(i * i >> 7);
	name_of(text, (size_t)head + len);
	whole = write_object(text, (size_t)head + len, 1, "");
	expect_content(text + head, len);
	loose_object_path(&path, dir, &name);
	assert_int_equal(truncate(path.buf, (off_t)whole - 1), 0);
	/* (The end of a file is known from its content, which is no longer what it was.) */
	expect_damage("is corrupt", "unable to unpack contents");
	text[len] ^= 1;
	write_object(text, (size_t)head + len, 1, "");
	expect_damage("hash-path mismatch", "hash-path mismatch");
	strbuf_release(&path);
	free(text);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(small_ones),
		T(nothing_in_it),
		T(ends_with_a_piece),
		T(several_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
