/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of reachability bitmaps with pseudo-merges, good and damaged, which our writer does not
 * make; packs that another process removes; and multi-pack-indexes of packs that are too large to be
 * made here.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "pack/bitmap-internal.h"
#include "pack/bitmap-write.h"
#include "pack/midx-internal.h"
#include "t/pack-craft.h"
#include "t/unit/pack-aux.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/deflate.h"

#define OBJECTS 200

/* ---- sets ---- */

/* Runs of every length at every place near the borders of words, one after the other. */
static void test_runs(void **state)
{
	(void)state;
	for (size_t first = 0; first < 130; first++) {
		for (size_t end = first + 1; end <= 200; end++) {
			struct bitset b = BITSET_INIT;
			size_t bit = 0;

			bitset_reserve(&b, end);
			for (size_t i = first; i < end; i++)
				bitset_add(&b, i);
			bitset_add(&b, end + 1);
			assert_true(bitset_next(&b, &bit));
			assert_int_equal(bit, first);
			assert_int_equal(bitset_next_unset(&b, bit), end);
			assert_int_equal(bitset_next_unset(&b, end), end);
			assert_int_equal(bitset_next_unset(&b, end + 1), end + 2);
			assert_int_equal(bitset_next_unset(&b, 1000), 1000);
			bitset_release(&b);
		}
	}
}

/* ---- pseudo-merges ---- */

/* A file for OBJECTS objects without commits, and what its pseudo-merges are: commits, reach. */
static void add_set(struct strbuf *out, const unsigned *bits)
{
	struct bitset b = BITSET_INIT;

	for (; *bits < OBJECTS; bits++)
		bitset_add(&b, *bits);
	ewah_write(out, &b);
	bitset_release(&b);
}

static void add_be64(struct strbuf *out, uint64_t v)
{
	unsigned char p[8];

	put_be64(p, v);
	strbuf_add(out, p, 8);
}

static const unsigned merges[][2][5] = {
	{ { 1, 2, OBJECTS }, { 1, 2, 10, 11, OBJECTS } },
	{ { 3, 10, OBJECTS }, { 3, 10, 70, 199, OBJECTS } }, /* 10 is reached by the first */
	{ { 4, 5, OBJECTS }, { 4, 5, 12, OBJECTS } },
};

static void make_file(struct strbuf *out)
{
	struct bitset all = BITSET_INIT, none = BITSET_INIT;
	uint64_t offsets[ARRAY_SIZE(merges)];
	unsigned char head[32] = { 'B', 'I', 'T', 'M', 0, 1, 0, BITMAP_FULL_DAG | BITMAP_PSEUDO_MERGES };
	size_t start, tables;

	strbuf_reset(out);
	strbuf_add(out, head, sizeof(head)); /* no commits; the checksum is zero */
	bitset_add_range(&all, 0, OBJECTS);
	for (int t = 0; t < 4; t++)
		ewah_write(out, t ? &none : &all);
	bitset_release(&all);
	start = out->len;
	for (size_t i = 0; i < ARRAY_SIZE(merges); i++) {
		offsets[i] = out->len;
		add_set(out, merges[i][0]);
		add_set(out, merges[i][1]);
	}
	tables = out->len - start;
	strbuf_addchars(out, 0, 6 * 12); /* the tables are not looked at */
	for (size_t i = 0; i < ARRAY_SIZE(merges); i++)
		add_be64(out, offsets[i]);
	add_be64(out, (uint64_t)ARRAY_SIZE(merges) << 32 | 6);
	add_be64(out, tables);
	add_be64(out, out->len + 8 - start);
	strbuf_addchars(out, 'x', 20); /* its own checksum */
}

static int open_file(struct bitmap_layer *l, const struct strbuf *sb)
{
	static const unsigned char zeros[20];
	struct bitmap_source s = { "x.bitmap", zeros, hash_sha1, 0, OBJECTS };

	aux_write("x.bitmap", sb->buf, sb->len);
	return bitmap_layer_open(l, &s, NULL);
}

static void expect(struct bitmap_layer *l, const unsigned *have, int rc, const unsigned *reached)
{
	struct bitset commits = BITSET_INIT, to = BITSET_INIT, want = BITSET_INIT;

	for (; *have < OBJECTS; have++)
		bitset_add(&commits, *have);
	for (; *reached < OBJECTS; reached++)
		bitset_add(&want, *reached);
	assert_int_equal(bitmap_layer_or_merges(l, &commits, &to, NULL), rc);
	assert_true(aux_bitset_eq(&to, &want));
	bitset_release(&commits);
	bitset_release(&to);
	bitset_release(&want);
}

#define SET(...) ((const unsigned[]){ __VA_ARGS__, OBJECTS })
#define NONE ((const unsigned[]){ OBJECTS })

static void test_merges(void **state UNUSED)
{
	struct strbuf sb = STRBUF_INIT;
	struct bitmap_layer l;

	make_file(&sb);
	assert_int_equal(open_file(&l, &sb), 0);
	expect(&l, NONE, 0, NONE);
	expect(&l, SET(1), 0, NONE);
	expect(&l, SET(3, 10), 1, SET(3, 10, 70, 199));
	expect(&l, SET(1, 2), 1, SET(1, 2, 10, 11));
	/* what one reaches satisfies the other */
	expect(&l, SET(1, 2, 3), 2, SET(1, 2, 3, 10, 11, 70, 199));
	expect(&l, SET(1, 4, 5, 6), 1, SET(4, 5, 12));
	bitmap_layer_release(&l);
	strbuf_release(&sb);
}

static void test_damaged_merges(void **state UNUSED)
{
	struct bitset commits = BITSET_INIT;
	struct strbuf sb = STRBUF_INIT;
	unsigned refused = 0, failed = 0;

	for (unsigned i = 0; i < OBJECTS; i++)
		bitset_add(&commits, i);
	make_file(&sb);
	for (size_t at = 12; at < sb.len; at++)
		for (int k = 0; k < 3; k++) {
			struct bitset to = BITSET_INIT;
			struct bitmap_layer l;
			int rc;

			make_file(&sb);
			sb.buf[at] = (char)(k ? k == 1 ? 0xff : sb.buf[at] ^ 0x10 : 0);
			if (open_file(&l, &sb) < 0) {
				refused++;
				continue;
			}
			rc = bitmap_layer_or_merges(&l, &commits, &to, NULL);
			failed += rc < 0;
			assert_true(to.nr <= bitset_words(OBJECTS));
			bitset_release(&to);
			bitmap_layer_release(&l);
		}
	assert_true(refused > 50 && failed > 100);
	bitset_release(&commits);
	strbuf_release(&sb);
}

/* ---- packs that go away ---- */

static struct fsync_batch *batch_new(void)
{
	struct fsync_batch_options o = { .policy = { .method = FSYNC_METHOD_WRITEOUT_ONLY } };

	return fsync_batch_new(&o);
}

/* A pack of so many blobs in objects/pack, which are the same for the same seed. */
static void make_pack(unsigned seed, unsigned nr)
{
	struct pack_writer_options o = { "objects/pack", "objects/pack", hash_sha1, 0, true };
	struct fsync_batch *b = batch_new();
	struct pack_writer *w;

	assert_int_equal(pack_writer_new(&w, &o, NULL), 0);
	for (unsigned i = 0; i < nr; i++) {
		struct strbuf deflated = STRBUF_INIT;
		struct object_id oid;
		char text[32];
		int len = snprintf(text, sizeof(text), "%u of %u\n", i, seed);

		deflate_buf(&deflated, text, (size_t)len, 6);
		assert_int_equal(hash_object_buf(hash_sha1, "blob", text, (size_t)len, &oid, NULL), 0);
		assert_int_equal(pack_writer_add_deflated(w, &oid, OBJ_BLOB, (uint64_t)len, deflated.buf,
							  deflated.len, NULL), 0);
		strbuf_release(&deflated);
	}
	assert_int_equal(pack_writer_finish(w, b, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	pack_writer_free(w);
	fsync_batch_free(b);
}

static int add_bitmap(void *data UNUSED, struct pack *p)
{
	struct bitset types[4] = { BITSET_INIT, BITSET_INIT, BITSET_INIT, BITSET_INIT };
	struct bitmap_write_options o = { .types = types };
	struct fsync_batch *b = batch_new();
	struct craft_target t;
	struct bitmap_writer *w;

	for (uint32_t i = 0; i < pack_nr_objects(p); i++)
		bitset_add(&types[OBJ_BLOB - OBJ_COMMIT], i);
	assert_int_equal(craft_target_init(&t, p, NULL), 0);
	w = bitmap_writer_new(t.target);
	assert_int_equal(bitmap_writer_stage(w, &o, b, NULL), 0);
	assert_int_equal(fsync_batch_commit(b, NULL), 0);
	bitmap_writer_free(w);
	craft_target_release(&t);
	bitset_release(&types[OBJ_BLOB - OBJ_COMMIT]);
	fsync_batch_free(b);
	return 0;
}

static void make_bitmapped_pack(unsigned seed, unsigned nr)
{
	struct packs *ps;

	make_pack(seed, nr);
	ps = aux_packs("objects", hash_sha1, NULL);
	packs_foreach(ps, add_bitmap, NULL);
	packs_free(ps);
}

static void test_packs_go_away(void **state UNUSED)
{
	struct warnings warned = WARNINGS_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct bitmap_object o;
	struct bitmap_index *b;
	struct packs *ps;

	aux_must("mkdir -p objects/pack");
	make_bitmapped_pack(1, 5);
	ps = aux_packs("objects", hash_sha1, &warned);
	assert_int_equal(packs_count(ps), 1);
	/* another one takes its place after we have looked */
	aux_must("rm -f objects/pack/pack-*");
	make_bitmapped_pack(2, 7);
	assert_int_equal(bitmap_index_open(&b, ps, NULL), 0);
	assert_int_equal(bitmap_index_nr(b), 7);
	/* and goes as well, while it is in use */
	aux_must("rm -f objects/pack/pack-*");
	for (uint32_t bit = 0; bit < 7; bit++) {
		uint32_t again;

		assert_int_equal(bitmap_index_object(b, bit, &o, NULL), 0);
		assert_int_equal(bitmap_index_find(b, &o.oid, &again, NULL), 1);
		assert_int_equal(again, bit);
		assert_int_equal(packs_read(ps, &o.oid, &buf, NULL), 0);
		object_buf_release(&buf);
	}
	bitmap_index_free(b);
	assert_int_equal(warned.nr, 0);
	packs_free(ps);
	strbuf_release(&warned.text);
}

/* ---- large offsets ---- */

static void check_offsets(unsigned version, const uint64_t *offsets, uint32_t nr, bool wide)
{
	struct midx_pack packs[2] = { { .name = (char *)"pack-a.idx" }, { .name = (char *)"pack-bb.idx" } };
	struct midx_content c = { .algo = hash_sha1, .version = version, .packs = packs, .nr_packs = 2,
				  .nr = nr };
	unsigned char names[8][20] = { { 0 } };
	struct midx *m = NULL;
	struct object_id sum;
	struct err err = ERR_INIT;
	int fd = open("midx", O_RDWR | O_CREAT | O_TRUNC, 0644);

	CALLOC_ARRAY(c.v, nr);
	for (uint32_t i = 0; i < nr; i++) {
		names[i][0] = (unsigned char)(i * 30);
		c.v[i] = (struct midx_object){ names[i], offsets[i], i % 2 };
	}
	assert_int_equal(midx_content_write(&c, fd, "midx", &sum, &err), 0);
	close(fd);
	assert_int_equal(midx_open(&m, "midx", hash_sha1, &err), 0);
	assert_int_equal(m->version, version);
	assert_int_equal(m->nr, nr);
	assert_int_equal(m->wide != NULL, wide);
	assert_memory_equal(midx_checksum(m), sum.hash, 20);
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t offset;
		uint32_t id;

		assert_true(midx_location(m, i, &id, &offset));
		assert_int_equal(id, i % 2);
		assert_true(offset == offsets[i]);
	}
	midx_free(m);
	free(c.v);
}

static void test_large_offsets(void **state UNUSED)
{
	for (unsigned version = 1; version <= 2; version++) {
		check_offsets(version, (uint64_t[]){ 12, 0x7fffffff, 0x80000000, 0xffffffff }, 4, false);
		check_offsets(version, (uint64_t[]){ 12, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
						     UINT64_C(1) << 40 }, 6, true);
	}
}

static int enter(void **state UNUSED)
{
	aux_enter_dir();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_merges),
		cmocka_unit_test(test_damaged_merges),
		cmocka_unit_test(test_packs_go_away),
		cmocka_unit_test(test_large_offsets),
	};

	return cmocka_run_group_tests(tests, enter, NULL);
}
