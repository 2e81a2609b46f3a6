/* SPDX-License-Identifier: GPL-2.0-only */
/* The buffered writer that hashes: content, checksum, offsets, faults. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "t/fault.h"
#include "csum-file.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"


/* The content of the file, and its length. */
static unsigned char *content(int fd, size_t *len)
{
	struct stat st;
	unsigned char *buf;

	assert_int_equal(fstat(fd, &st), 0);
	*len = (size_t)st.st_size;
	buf = xmalloc(*len + 1);
	assert_int_equal(pread(fd, buf, *len, 0), *len);
	return buf;
}

/* Pieces of growing size through a buffer: file and checksum agree. */
static void pieces(const struct hash_algo *algo, size_t buffer, size_t total)
{
	int fd = new_file(at(dir, "f"), "");
	struct csum_file *f = csum_file_new(fd, "f", algo, false, buffer);
	unsigned char *data = xmalloc(total + 1), *got;
	struct object_id sum, expect;
	size_t done = 0, len, piece = 0;

	for (size_t i = 0; i < total; i++)
		data[i] = (unsigned char)(i * 31 + i / 7);
	while (done < total) {
		size_t n = piece < total - done ? piece : total - done;

		assert_int_equal(csum_write(f, data + done, n, NULL), 0);
		done += n;
		piece = piece * 2 + 1;
	}
	hash_buf(algo, data, total, &expect);
	assert_int_equal(csum_finish(f, &sum, NULL), 0);
	csum_file_free(f);
	got = content(fd, &len);
	assert_int_equal(len, total + algo->raw_len);
	assert_memory_equal(got, data, total);
	assert_memory_equal(got + total, expect.hash, algo->raw_len);
	assert_true(oid_eq(&sum, &expect));
	close(fd);
	unlink(at(dir, "f"));
	free(got);
	free(data);
}

static void content_and_checksum(void **state UNUSED)
{
	static const size_t buffers[] = { 0, 1, 64, 100, 4096 };
	static const size_t totals[] = { 0, 1, 43, 44, 45, 63, 64, 65, 127, 128, 5000, 300000 };

	for (size_t b = 0; b < ARRAY_SIZE(buffers); b++) {
		for (size_t t = 0; t < ARRAY_SIZE(totals); t++) {
			pieces(hash_sha1, buffers[b], totals[t]);
			pieces(hash_sha256, buffers[b], totals[t]);
		}
	}
}

static void integers(void **state UNUSED)
{
	static const unsigned char expect[] = { 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8 };
	int fd = new_file(at(dir, "f"), "");
	struct csum_file *f = csum_file_new(fd, "f", hash_sha1, false, 0);
	unsigned char *got;
	size_t len;

	assert_int_equal(csum_write_be32(f, 0x01020304, NULL), 0);
	assert_int_equal(csum_write_be64(f, UINT64_C(0x0102030405060708), NULL), 0);
	assert_int_equal(csum_finish(f, NULL, NULL), 0);
	got = content(fd, &len);
	assert_int_equal(len, sizeof(expect) + hash_sha1->raw_len);
	assert_memory_equal(got, expect, sizeof(expect));
	free(got);
	csum_file_free(f);
	close(fd);
}

static void without_hash_the_trailer_is_zero(void **state UNUSED)
{
	static const unsigned char zeros[20];
	int fd = new_file(at(dir, "f"), "");
	struct csum_file *f = csum_file_new(fd, "f", hash_sha1, true, 0);
	struct object_id sum;
	unsigned char *got;
	size_t len;

	assert_int_equal(csum_write(f, "abc", 3, NULL), 0);
	assert_int_equal(csum_finish(f, &sum, NULL), 0);
	assert_true(oid_is_null(&sum));
	got = content(fd, &len);
	assert_int_equal(len, 23);
	assert_memory_equal(got + 3, zeros, 20);
	free(got);
	csum_file_free(f);
	close(fd);
}

static void freed_without_finish_drops_the_rest(void **state UNUSED)
{
	int fd = new_file(at(dir, "f"), "");
	struct csum_file *f = csum_file_new(fd, "f", hash_sha1, false, 0);
	struct stat st;

	assert_int_equal(csum_write(f, "abc", 3, NULL), 0);
	csum_file_free(f);
	csum_file_free(NULL);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	close(fd);
}

static void failed_writes_name_the_file(void **state UNUSED)
{
	static const char big[1000];

	for (size_t n = 1; n <= 3; n++) {
		int fd = new_file(at(dir, "f"), "");
		struct csum_file *f = csum_file_new(fd, "some/pack", hash_sha1, false, 64);
		struct fault_plan plan = FAULT_PLAN_INIT;
		struct err err = ERR_INIT;
		int ret;

		plan.fail_at = n;
		plan.fail_errno = ENOSPC;
		fault_install(&plan);
		ret = csum_write(f, "x", 1, &err);
		if (!ret)
			ret = csum_write(f, big, sizeof(big), &err);
		if (!ret)
			ret = csum_finish(f, NULL, &err);
		assert_true(fault_hit());
		assert_int_equal(ret, ERR_IO);
		assert_int_equal(err.sys_errno, ENOSPC);
		assert_non_null(strstr(err.msg, "'some/pack'"));
		fault_remove();
		err_release(&err);
		csum_file_free(f);
		close(fd);
		unlink(at(dir, "f"));
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		T(content_and_checksum),
		T(integers),
		T(without_hash_the_trailer_is_zero),
		T(freed_without_finish_drops_the_rest),
		T(failed_writes_name_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
