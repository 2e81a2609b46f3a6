/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing packs: stock git accepts them, and we read them back. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <zlib.h>
#include "fsync/batch.h"
#include "pack/idx-internal.h"
#include "pack/pack-internal.h"
#include "t/fault.h"
#include "t/unit/pack-aux.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

static struct pack_writer *new_writer(const char *dir, const struct hash_algo *algo, bool rev)
{
	struct pack_writer_options o = { .algo = algo, .write_rev = rev };
	struct pack_writer *w;
	struct err err = ERR_INIT;
	char *packdir = xstrfmt("%s/pack", dir);

	aux_must("mkdir -p '%s'", packdir);
	o.dir = o.packdir = packdir;
	MUST(pack_writer_new(&w, &o, &err));
	free(packdir);
	return w;
}

static void add(struct pack_writer *w, const struct hash_algo *algo, enum object_type type,
		const char *s, size_t len, struct object_id *oid)
{
	struct err err = ERR_INIT;
	uLongf out_len = compressBound(len);
	unsigned char *out = xmalloc(out_len);

	assert_int_equal(hash_object_buf(algo, object_type_name(type), s, len, oid, NULL), 0);
	assert_int_equal(compress2(out, &out_len, (const unsigned char *)s, len, 6), Z_OK);
	MUST(pack_writer_add_deflated(w, oid, type, len, out, out_len, &err));
	free(out);
}

/* Content that does not compress, of any length. */
static char *noise(size_t len)
{
	char *p = xmalloc(len + 1);
	uint64_t x = 88172645463325252u + len;

	for (size_t i = 0; i < len; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = (char)(x >> 24);
	}
	p[len] = 0;
	return p;
}

static void stream(struct pack_writer *w, const struct hash_algo *algo, const char *p,
		   size_t len, struct object_id *oid)
{
	struct err err = ERR_INIT;

	assert_int_equal(hash_object_buf(algo, "blob", p, len, oid, NULL), 0);
	MUST(pack_writer_stream_begin(w, OBJ_BLOB, len, -1, &err));
	for (size_t at = 0; at < len; at += 100000)
		MUST(pack_writer_stream(w, p + at, len - at < 100000 ? len - at : 100000, &err));
	MUST(pack_writer_stream_end(w, oid, &err));
}

static void expect_back(struct pack_writer *w, const struct object_id *oid, const char *s,
			size_t len)
{
	struct err err = ERR_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;

	assert_true(pack_writer_has(w, oid));
	MUST(pack_writer_info(w, oid, &info, &err));
	assert_int_equal(info.type, OBJ_BLOB);
	assert_int_equal(info.size, len);
	MUST(pack_writer_read(w, oid, &buf, &err));
	assert_int_equal(buf.size, len);
	assert_memory_equal(buf.data, s, len);
	object_buf_release(&buf);
}

static void commit(struct pack_writer *w)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };
	struct fsync_batch *b = fsync_batch_new(&o);
	struct err err = ERR_INIT;

	MUST(pack_writer_finish(w, b, &err));
	MUST(fsync_batch_commit(b, &err));
	fsync_batch_free(b);
}

#define BIG ((size_t)1500000)

static void write_and_check(const char *dir, const char *hash)
{
	const struct hash_algo *algo = hash_algo_by_name(hash);
	struct pack_writer *w;
	struct object_id oid[300], big_oid, empty_oid;
	struct err err = ERR_INIT;
	char *big = noise(BIG), *objdir = xstrfmt("%s/.git/objects", dir);
	struct packs *ps;

	aux_must("$GIT init -q --object-format=%s %s", hash, dir);
	w = new_writer(objdir, algo, true);
	for (int i = 0; i < 300; i++) {
		char *s = xstrfmt("content number %d\n", i);

		add(w, algo, OBJ_BLOB, s, strlen(s), &oid[i]);
		add(w, algo, OBJ_BLOB, s, strlen(s), &oid[i]); /* once only */
		expect_back(w, &oid[i], s, strlen(s));
		if (i == 150)
			stream(w, algo, big, BIG, &big_oid);
		free(s);
	}
	stream(w, algo, "", 0, &empty_oid);
	expect_back(w, &big_oid, big, BIG);
	assert_int_equal(pack_writer_count(w), 302);
	commit(w);
	expect_back(w, &big_oid, big, BIG); /* readable until freed */
	expect_back(w, &empty_oid, "", 0);
	pack_writer_free(w);

	aux_must("cd %s && P=.git/objects/pack && test $(ls $P | wc -l) = 3 && "
		 "test -z \"$(find $P -perm /222 -type f)\" && "
		 "$GIT verify-pack $P/*.idx && $GIT fsck --strict --full >/dev/null 2>&1 && "
		 "cp $P/*.pack copy.pack && chmod u+w copy.pack && "
		 "$GIT index-pack --rev-index copy.pack >name && "
		 "test $P/pack-$(cat name).pack = $P/*.pack && "
		 "cmp copy.idx $P/*.idx && cmp copy.rev $P/*.rev", dir);
	ps = aux_packs(objdir, algo, NULL);
	assert_int_equal(aux_compare_all(ps, dir, algo), 302);
	packs_free(ps);
	free(big);
	free(objdir);
	err_release(&err);
}

static void test_sha1(void **state)
{
	(void)state;
	if (!aux_have_stock())
		skip();
	aux_enter_dir();
	write_and_check("w1", "sha1");
}

static void test_sha256(void **state)
{
	(void)state;
	if (!aux_have_stock())
		skip();
	aux_enter_dir();
	write_and_check("w256", "sha256");
}

/* Where the file ends after a failed write is not known: nothing is added to it any more. */
static void test_cancel_after_failure(void **state)
{
	struct err err = ERR_INIT;
	struct pack_writer *w;
	char *big = noise(BIG);

	(void)state;
	aux_enter_dir();
	w = new_writer("failed", hash_sha1, false);
	MUST(pack_writer_stream_begin(w, OBJ_BLOB, BIG, 0, &err));
	fault_install_failure(1, ENOSPC, false);
	assert_int_equal(pack_writer_stream(w, big, BIG, NULL), ERR_IO);
	fault_remove();
	assert_int_equal(pack_writer_stream_cancel(w, NULL), ERR_IO);
	pack_writer_free(w);
	free(big);
}

/* More than the buffer holds goes to the file at once. */
static void test_big_objects_that_fail(void **state)
{
	struct fsync_batch_options fo = { .policy = FSYNC_POLICY_DEFAULT };
	struct fsync_batch *b = fsync_batch_new(&fo);
	struct object_id oid = hash_sha1->empty_tree, small;
	struct pack_writer *w;
	char *big = noise(BIG);

	(void)state;
	aux_enter_dir();
	w = new_writer("too-big", hash_sha1, false);
	for (size_t n = 1; n <= 2; n++) { /* the buffered bytes; the object */
		add(w, hash_sha1, OBJ_BLOB, "small", 5, &small);
		fault_install_failure(n, ENOSPC, false);
		assert_int_equal(pack_writer_add_deflated(w, &oid, OBJ_BLOB, BIG, (unsigned char *)big, BIG, NULL),
				 ERR_IO);
		assert_true(fault_hit());
		fault_remove();
		assert_true(pack_writer_finish(w, b, NULL) < 0);
		pack_writer_free(w);
		w = new_writer("too-big", hash_sha1, false);
	}
	pack_writer_free(w);
	fsync_batch_free(b);
	aux_must("test -z \"$(find too-big -type f)\"");
	free(big);
}

/* A cancelled stream leaves nothing, whether its data was still buffered or not. */
static void test_cancel(void **state)
{
	struct err err = ERR_INIT;
	struct object_id before, after, other;
	struct pack_writer *w;
	struct packs *ps;
	char *big = noise(BIG);

	(void)state;
	aux_enter_dir();
	w = new_writer("cancel", hash_sha1, false);
	add(w, hash_sha1, OBJ_BLOB, "before", 6, &before);
	for (size_t len = 10; len <= BIG; len *= 7) {
		MUST(pack_writer_stream_begin(w, OBJ_BLOB, BIG, 0, &err));
		MUST(pack_writer_stream(w, big, len, &err));
		MUST(pack_writer_stream_cancel(w, &err));
	}
	/* Too little content: rejected, then cancelled. */
	assert_int_equal(hash_object_buf(hash_sha1, "blob", big, 10, &other, NULL), 0);
	MUST(pack_writer_stream_begin(w, OBJ_BLOB, 11, -1, &err));
	MUST(pack_writer_stream(w, big, 10, &err));
	assert_int_equal(pack_writer_stream_end(w, &other, NULL), ERR_INVALID);
	assert_int_equal(pack_writer_stream(w, big, 2, NULL), ERR_INVALID);
	MUST(pack_writer_stream_cancel(w, &err));
	assert_false(pack_writer_has(w, &other));
	add(w, hash_sha1, OBJ_BLOB, "after", 5, &after);
	assert_int_equal(pack_writer_count(w), 2);
	commit(w);
	pack_writer_free(w);
	ps = aux_packs("cancel", hash_sha1, NULL);
	assert_true(packs_has(ps, &before));
	assert_true(packs_has(ps, &after));
	assert_int_equal(packs_object_count(ps), 2);
	packs_free(ps);
	if (aux_have_stock())
		aux_must("$GIT index-pack --strict -o x.idx cancel/pack/*.pack >/dev/null");
	free(big);
}

/* Offsets that need the wide table; show-index of stock git reads them all. */
static void test_wide_offsets(void **state)
{
	static const uint64_t offsets[] = {
		0x123456789abcdef, 0x7fffffff, 12, 0xffffffff, 0x100000000, 0x80000000 };
	static const uint32_t by_offset[] = { 2, 1, 5, 3, 4, 0 };
	struct idx_entry v[ARRAY_SIZE(offsets)];
	struct strbuf out = STRBUF_INIT, want = STRBUF_INIT;
	struct object_id sum = { .algo = HASH_SHA1 }, last = sum;
	struct err err = ERR_INIT;
	struct name_table names;
	struct pack_idx idx;
	uint32_t *order;
	int fd;

	(void)state;
	aux_enter_dir();
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		v[i] = (struct idx_entry){ .oid = sum, .offset = offsets[i], .crc = 0xffffff00 + (uint32_t)i };
		memset(v[i].oid.hash, (int)(i * 40), 20);
		strbuf_addf(&want, "%" PRIu64 " %s (%08x)\n", offsets[i], oid_hex(&v[i].oid), v[i].crc);
	}
	fd = open("wide.idx", O_RDWR | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	MUST(idx_write(fd, "wide.idx", hash_sha1, v, ARRAY_SIZE(v), &sum, &err));
	close(fd);
	MUST(idx_open(&idx, "wide.idx", hash_sha1, &err));
	assert_int_equal(idx.nr, ARRAY_SIZE(v));
	for (uint32_t i = 0; i < idx.nr; i++)
		assert_int_equal(idx_offset(&idx, i), offsets[i]);
	order = idx_order_by_offset(&idx);
	assert_memory_equal(order, by_offset, sizeof(by_offset));
	free(order);
	/* What follows the names are checksums, here such that could be the name's neighbour. */
	memset(last.hash, 0xff, 20);
	names = idx_names(&idx);
	assert_int_equal(name_table_unique_len(&names, last.hash), 1);
	idx_release(&idx);
	if (aux_have_stock()) {
		assert_int_equal(aux_sh(&out, "$GIT show-index --object-format=sha1 <wide.idx"), 0);
		assert_string_equal(out.buf, want.buf);
	}
	strbuf_release(&out);
	strbuf_release(&want);
}

/* So many that they are sorted by their digits. */
static void test_order_of_many(void **state)
{
	const uint32_t nr = 20001;
	struct idx_entry *v = xcalloc(nr, sizeof(*v));
	struct object_id sum = { .algo = HASH_SHA1 };
	struct err err = ERR_INIT;
	struct pack_idx idx;
	uint64_t x = 7;
	uint32_t *order;
	int fd = open("many.idx", O_RDWR | O_CREAT | O_TRUNC, 0644);

	(void)state;
	assert_true(fd >= 0);
	for (uint32_t i = 0; i < nr; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		v[i].oid = sum;
		put_be32(v[i].oid.hash, i);
		v[i].offset = x >> (i % 3 ? 40 : 20);
	}
	MUST(idx_write(fd, "many.idx", hash_sha1, v, nr, &sum, &err));
	close(fd);
	MUST(idx_open(&idx, "many.idx", hash_sha1, &err));
	order = idx_order_by_offset(&idx);
	for (uint32_t i = 1; i < nr; i++)
		assert_true(idx_offset(&idx, order[i - 1]) <= idx_offset(&idx, order[i]));
	free(order);
	free(v);
	idx_release(&idx);
}

/* Without objects nothing is staged; after an abort no file is left. */
static void test_nothing_left(void **state)
{
	struct object_id oid;
	struct pack_writer *w;

	(void)state;
	aux_enter_dir();
	w = new_writer("none", hash_sha1, true);
	commit(w);
	pack_writer_free(w);
	w = new_writer("none", hash_sha1, true);
	add(w, hash_sha1, OBJ_BLOB, "x", 1, &oid);
	pack_writer_free(w);
	aux_must("test -z \"$(ls none/pack)\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha1),
		cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_cancel_after_failure),
		cmocka_unit_test(test_big_objects_that_fail),
		cmocka_unit_test(test_wide_offsets),
		cmocka_unit_test(test_order_of_many),
		cmocka_unit_test(test_nothing_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
