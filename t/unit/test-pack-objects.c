/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * New packs of objects whose copies are chosen by hand: deltas that lead in a circle across packs,
 * chains that become too long, ranges, sizes of the pieces that a sink gets.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "fsync/batch.h"
#include "odb/odb.h"
#include "fs/file.h"
#include "pack/name-hash.h"
#include "pack/pack-internal.h"
#include "pack/receive/receive.h"
#include "pack/write/pack-files.h"
#include "pack/write/write-internal.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)
#define NR 30

static struct odb *odb;
static struct object_id blobs[NR];
static int fail_count;

/* ---- a database of loose blobs that are alike ---- */

static void open_odb(void)
{
	struct odb_options o = {
		.objdir = at(dir, "objects"), .algo = hash_sha1, .loose_level = 1, .pack_level = 1,
		.unpack_limit = 0, .use_multi_pack_index = true,
	};
	struct err err = ERR_INIT;

	MUST(odb_open(&odb, &o, &err));
}

static struct fsync_batch *new_batch(void)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };

	return fsync_batch_new(&o);
}

static void write_blobs(void)
{
	struct fsync_batch *b = new_batch();
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	MUST(odb_begin_batch(odb, b, &err));
	for (int i = 0; i < NR; i++) {
		strbuf_reset(&text);
		for (unsigned k = 0; k < 300; k++)
			strbuf_addf(&text, "line %u %u\n", k, k % NR == (unsigned)i ? (unsigned)i * 7919 : k * k);
		MUST(odb_write(odb, OBJ_BLOB, text.buf, text.len, &blobs[i], &err));
	}
	MUST(odb_stage_batch(odb, &err));
	MUST(fsync_batch_commit(b, &err));
	odb_end_batch(odb);
	fsync_batch_free(b);
	strbuf_release(&text);
}

static int setup(void **state)
{
	scratch_setup(state);
	write_text(at(dir, "objects/pack/x"), "");
	open_odb();
	write_blobs();
	return 0;
}

static int teardown(void **state)
{
	odb_free(odb);
	return scratch_teardown(state);
}

/* ---- packs ---- */

static void write_pack(struct pack_objects *po, const char *name)
{
	struct pack_files_options o = { .base_name = at(dir, "objects/pack/%s", name), .write_rev = true };
	struct fsync_batch *b = new_batch();
	struct oid_array sums = OID_ARRAY_INIT;
	struct err err = ERR_INIT;

	MUST(pack_objects_write_files(po, &o, b, &sums, &err));
	MUST(fsync_batch_commit(b, &err));
	fsync_batch_free(b);
	oid_array_clear(&sums);
	pack_objects_free(po);
}

/* A pack in which `one` is a delta of `base`, which is not in it. */
static void write_delta(const char *name, int one, int base)
{
	struct pack_objects_options o;
	struct pack_objects *po;
	struct err err = ERR_INIT;

	pack_objects_options_init(&o, odb);
	o.thin = true;
	po = pack_objects_new(&o);
	MUST(pack_objects_add(po, &blobs[one], OBJ_BLOB, "f", 0, &err));
	MUST(pack_objects_add(po, &blobs[base], OBJ_BLOB, "f", PACK_PREFERRED_BASE, &err));
	assert_int_equal(pack_objects_count(po), 1);
	MUST(pack_objects_prepare(po, &err));
	write_pack(po, name);
}

struct collected {
	struct strbuf bytes;
	size_t smallest; /* piece but the last */
	size_t last;
};

static int collect(void *data, const void *p, size_t len, struct err *err)
{
	struct collected *c = data;

	(void)err;
	if (c->last && c->last < c->smallest)
		c->smallest = c->last;
	c->last = len;
	strbuf_add(&c->bytes, p, len);
	return 0;
}

static int is_one_of_ours(void *data, const struct received_object *o)
{
	(void)data;
	for (int i = 0; i < NR; i++)
		if (oid_eq(&o->oid, &blobs[i]))
			return 0;
	return ++fail_count, 0;
}

/* The pack is whole by itself: its deltas can be resolved without a database. */
static void expect_resolves(const struct strbuf *pack, uint32_t nr)
{
	struct pack_receive_options o = { .algo = hash_sha1, .threads = 1 };
	struct pack_receive *rx = pack_receive_new(&o);
	struct err err = ERR_INIT;
	int fd = open(at(dir, "x.pack"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, pack->buf, pack->len), (ssize_t)pack->len);
	close(fd);
	MUST(pack_receive_file(rx, at(dir, "x.pack"), &err));
	MUST(pack_receive_resolve(rx, &err));
	assert_int_equal(pack_receive_count(rx), nr);
	fail_count = 0;
	MUST(pack_receive_foreach(rx, is_one_of_ours, NULL, &err));
	assert_int_equal(fail_count, 0);
	pack_receive_free(rx);
}

/* Write it, and read everything back from it alone. */
static void expect_good(struct pack_objects *po, uint32_t nr, struct pack_objects_stats *st)
{
	struct collected c = { STRBUF_INIT, SIZE_MAX, 0 };
	struct object_id sum;
	struct err err = ERR_INIT;

	assert_int_equal(pack_objects_count(po), nr);
	MUST(pack_objects_write(po, &(struct pack_sink){ .write = collect, .data = &c }, &err));
	assert_int_equal(get_be32(c.bytes.buf + 8), nr);
	hash_buf(hash_sha1, c.bytes.buf, c.bytes.len - 20, &sum);
	assert_memory_equal(sum.hash, c.bytes.buf + c.bytes.len - 20, 20);
	assert_true(oid_eq(&sum, &po->checksum));
	assert_true(c.smallest >= 65536);
	*st = po->stats;
	assert_int_equal(st->total, nr);
	assert_int_equal(st->bytes, c.bytes.len);
	expect_resolves(&c.bytes, nr);
	strbuf_release(&c.bytes);
}

static struct pack_objects *new_list(unsigned depth)
{
	struct pack_objects_options o;

	pack_objects_options_init(&o, odb);
	o.window = 0;
	o.depth = depth;
	o.ofs_delta = true;
	return pack_objects_new(&o);
}

static void add_blobs(struct pack_objects *po, int nr)
{
	struct err err = ERR_INIT;

	for (int i = 0; i < nr; i++)
		MUST(pack_objects_add(po, &blobs[i], OBJ_BLOB, "f", 0, &err));
	MUST(pack_objects_prepare(po, &err));
}

/* ---- tests ---- */

/* Each is a delta of the next one, in a pack of its own; the last one of the first. */
static void test_circles(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	for (int len = 2; len <= 5; len++) {
		struct pack_objects_stats st;
		struct pack_objects *po;

		for (int i = 0; i < len; i++) {
			char name[32];

			snprintf(name, sizeof(name), "p%d-%d", len, i);
			write_delta(name, i, (i + 1) % len);
		}
		odb_refresh(odb, ODB_OWN);
		po = new_list(50);
		add_blobs(po, len);
		expect_good(po, (uint32_t)len, &st);
		assert_int_equal(st.reused_deltas, len - 1);
		pack_objects_free(po);
		/* The next circle is looked for in new packs only. */
		odb_free(odb);
		MUST(remove_tree(at(dir, "objects/pack"), true, &err));
		open_odb();
	}
}

static void test_long_chains(void **state)
{
	(void)state;
	for (int i = 0; i + 1 < NR; i++) {
		char name[32];

		snprintf(name, sizeof(name), "p%d", i);
		write_delta(name, i, i + 1);
	}
	odb_refresh(odb, ODB_OWN);
	for (unsigned depth = 0; depth < NR + 2; depth += 1 + depth / 4) {
		struct pack_objects *po = new_list(depth);
		struct pack_objects_stats st;
		/* After each `depth` deltas comes one that is whole. */
		unsigned want = NR - (NR + depth) / (depth + 1);

		add_blobs(po, NR);
		expect_good(po, NR, &st);
		assert_int_equal(st.reused_deltas, want);
		pack_objects_free(po);
	}
}

static void test_missing(void **state)
{
	struct pack_objects *po = new_list(50);
	struct object_id none = hash_sha1->empty_blob;
	struct err err = ERR_INIT;

	(void)state;
	none.hash[3] ^= 1;
	MUST(pack_objects_add(po, &none, OBJ_BLOB, NULL, 0, &err));
	assert_true(pack_objects_has(po, &none));
	assert_int_equal(pack_objects_prepare(po, &err), ERR_NOT_FOUND);
	assert_non_null(strstr(err_message(&err), oid_hex(&none)));
	err_release(&err);
	pack_objects_free(po);
}

static int stop(void *data, const void *p, size_t len, struct err *err)
{
	(void)p;
	(void)len;
	++*(int *)data;
	return err_set(err, ERR_ABORTED, "the client has gone");
}

static void test_sink_stops(void **state)
{
	struct pack_objects *po = new_list(50);
	struct err err = ERR_INIT;
	int calls = 0;
	struct pack_sink sink = { .write = stop, .data = &calls };

	(void)state;
	add_blobs(po, NR);
	assert_int_equal(pack_objects_write(po, &sink, &err), ERR_ABORTED);
	assert_int_equal(calls, 1);
	assert_string_equal(err_message(&err), "the client has gone");
	err_release(&err);
	pack_objects_free(po);
}

/* The end of a pack at each place near the end of the buffer. */
static void test_output(void **state)
{
	unsigned char *zeros = xcalloc(1, 2 * OUTPUT_BYTES);

	(void)state;
	for (size_t len = OUTPUT_BYTES - 25; len < OUTPUT_BYTES + 25; len++) {
		struct collected c = { STRBUF_INIT, SIZE_MAX, 0 };
		struct pack_sink sink = { .write = collect, .data = &c };
		struct object_id sum, want;
		struct pack_output out;
		struct err err = ERR_INIT;

		MUST(pack_output_init(&out, hash_sha1, &sink, &err));
		MUST(pack_output_add(&out, zeros, 1000, &err));
		MUST(pack_output_add(&out, zeros, len - 1000, &err));
		assert_int_equal(pack_output_at(&out), len);
		MUST(pack_output_finish(&out, &sum, &err));
		hash_buf(hash_sha1, zeros, len, &want);
		assert_true(oid_eq(&sum, &want));
		assert_int_equal(c.bytes.len, len + 20);
		assert_memory_equal(c.bytes.buf + len, want.hash, 20);
		assert_true(c.smallest >= 65536);
		pack_output_release(&out);
		strbuf_release(&c.bytes);
	}
	free(zeros);
}

/* A sink that lends one buffer after the other: what goes elsewhere ends the loan. */
struct lender {
	struct strbuf bytes;
	unsigned char bufs[2][PACK_ROOM_MAX];
	unsigned at;
};

static int lend(void *data, size_t len, void **p, struct err *err)
{
	struct lender *l = data;

	(void)err;
	assert_true(len <= PACK_ROOM_MAX);
	*p = l->bufs[l->at];
	return 0;
}

static int take_back(void *data, const void *p, size_t len, struct err *err)
{
	struct lender *l = data;

	(void)err;
	assert_ptr_not_equal(p, l->bufs[!l->at]);
	strbuf_add(&l->bytes, p, len);
	memset(l->bufs[l->at], 0xee, PACK_ROOM_MAX);
	l->at = !l->at;
	return 0;
}

static void test_lent_output(void **state)
{
	static struct lender l;
	struct pack_sink sink = { .write = take_back, .room = lend, .data = &l };
	unsigned char *text = xmalloc(4 * OUTPUT_BYTES);
	struct strbuf want = STRBUF_INIT;
	struct object_id sum;
	struct pack_output out;
	struct err err = ERR_INIT;

	(void)state;
	strbuf_init(&l.bytes, 0);
	for (size_t i = 0; i < 4 * OUTPUT_BYTES; i++)
		text[i] = (unsigned char)(i * 7 + i / 251);
	MUST(pack_output_init(&out, hash_sha1, &sink, &err));
	for (size_t i = 0; i < 60; i++) {
		size_t len = i % 4 ? i * 9973 % OUTPUT_BYTES : OUTPUT_BYTES * (1 + i % 3) + i;

		MUST(pack_output_add(&out, text + i, len - len % 2, &err));
		strbuf_add(&want, text + i, len - len % 2);
	}
	MUST(pack_output_finish(&out, &sum, &err));
	assert_int_equal(l.bytes.len, want.len + 20);
	assert_memory_equal(l.bytes.buf, want.buf, want.len);
	pack_output_release(&out);
	strbuf_release(&l.bytes);
	strbuf_release(&want);
	free(text);
}

/* Exactly a buffer, then something large: that goes past the buffer. */
static void test_large_after_a_whole_buffer(void **state)
{
	static struct lender l;
	struct pack_sink sink = { .write = take_back, .room = lend, .data = &l };
	unsigned char *text = xmalloc(2 * OUTPUT_BYTES);
	struct object_id sum;
	struct pack_output out;
	struct err err = ERR_INIT;

	(void)state;
	strbuf_init(&l.bytes, 0);
	memset(text, 'x', 2 * OUTPUT_BYTES);
	MUST(pack_output_init(&out, hash_sha1, &sink, &err));
	for (int i = 0; i < 3; i++) {
		MUST(pack_output_add(&out, text, OUTPUT_BYTES, &err));
		MUST(pack_output_add(&out, text, 2 * OUTPUT_BYTES, &err));
		assert_ptr_equal(out.buf, l.bufs[l.at]);
		MUST(pack_output_add(&out, text, 100, &err));
		MUST(pack_output_add(&out, text, OUTPUT_BYTES - 100, &err));
	}
	MUST(pack_output_finish(&out, &sum, &err));
	for (size_t i = 0; i < 12 * OUTPUT_BYTES; i++)
		assert_int_equal(l.bytes.buf[i], 'x');
	pack_output_release(&out);
	strbuf_release(&l.bytes);
	free(text);
}

struct only_pack {
	struct pack *p;
};

static int take_pack(void *data, struct pack *p)
{
	((struct only_pack *)data)->p = p;
	return 0;
}

static void copy_entry(struct pack_objects *po, struct pack *p, uint32_t i)
{
	struct err err = ERR_INIT;
	struct object_id oid;

	oid_from_raw(&oid, idx_name(&p->idx, pack_rev_at(p, i)), hash_sha1);
	MUST(pack_objects_copy(po, &oid, OBJ_BLOB, 0, p, pack_rev_offset(p, i), &err));
}

/* All possible sets of ranges of a small pack of deltas, as bits. */
static void test_ranges(void **state)
{
	struct pack_objects_options o;
	struct pack_objects *po;
	struct only_pack only = { NULL };
	struct err err = ERR_INIT;

	(void)state;
	pack_objects_options_init(&o, odb);
	o.ofs_delta = true;
	po = pack_objects_new(&o);
	add_blobs(po, 10);
	write_pack(po, "pack");
	odb_refresh(odb, ODB_OWN);
	odb_foreach_pack(odb, ODB_OWN, take_pack, &only);
	assert_non_null(only.p);
	MUST(pack_open_rev(only.p, &err));
	for (unsigned bits = 1; bits < 1u << 10; bits++) {
		struct pack_objects_stats st;

		po = pack_objects_new(&o);
		for (uint32_t i = 0; i < 10; i++)
			if (bits >> i & 1)
				copy_entry(po, only.p, i);
		MUST(pack_objects_prepare(po, &err));
		expect_good(po, (uint32_t)__builtin_popcount(bits), &st);
		assert_int_equal(st.in_ranges, st.total);
		pack_objects_free(po);
	}
	po = pack_objects_new(&o);
	assert_int_equal(pack_objects_copy(po, &hash_sha1->null_oid, OBJ_BLOB, 0, only.p, 13, &err),
			 ERR_CORRUPT);
	err_release(&err);
	assert_int_equal(pack_objects_add_range(po, only.p, 5, 6, &err), ERR_CORRUPT);
	err_release(&err);
	pack_objects_free(po);
}

/* ---- marks ---- */

static void mark(struct pack_objects *po, const struct object_id *oid)
{
	struct err err = ERR_INIT;

	MUST(pack_objects_mark(po, oid, OBJ_BLOB, "f", &err));
}

/* The i-th object of a pack, by offset. */
static struct object_id object_at(struct pack *p, uint32_t i)
{
	struct object_id oid;

	oid_from_raw(&oid, idx_name(&p->idx, pack_rev_at(p, i)), hash_sha1);
	return oid;
}

/* Is the base of each delta an object of the set, by bits? */
static bool has_bases(struct pack *p, uint32_t nr, unsigned bits)
{
	struct err err = ERR_INIT;

	for (uint32_t i = 0; i < nr; i++) {
		struct object_id base;
		bool found = false;

		if (!(bits >> i & 1) || !pack_delta_base(p, pack_rev_offset(p, i), &base, &err))
			continue;
		for (uint32_t k = 0; k < nr; k++) {
			struct object_id other = object_at(p, k);

			found |= (bits >> k & 1) && oid_eq(&other, &base);
		}
		if (!found)
			return false;
	}
	return true;
}

static struct pack *pack_ten(const struct pack_objects_options *o)
{
	struct pack_objects *po = pack_objects_new(o);
	struct only_pack only = { NULL };
	struct err err = ERR_INIT;

	add_blobs(po, 10);
	write_pack(po, "pack");
	odb_refresh(odb, ODB_OWN);
	odb_foreach_pack(odb, ODB_OWN, take_pack, &only);
	assert_non_null(only.p);
	MUST(pack_open_rev(only.p, &err));
	return only.p;
}

/* All sets of objects of a small pack: ranges where each base goes along, else items. */
static void test_marks(void **state)
{
	struct pack_objects_options o;
	struct pack *p;
	unsigned nr_closed = 0;

	(void)state;
	pack_objects_options_init(&o, odb);
	o.ofs_delta = true;
	p = pack_ten(&o);
	for (unsigned bits = 1; bits < 1u << 10; bits++) {
		struct pack_objects *po = pack_objects_new(&o);
		uint32_t nr = (uint32_t)__builtin_popcount(bits);
		bool closed = has_bases(p, 10, bits);
		struct pack_objects_stats st;
		struct err err = ERR_INIT;

		/* In an order that is neither that of the pack nor that of names; some twice. */
		for (uint32_t i = 0; i < 13; i++) {
			struct object_id oid = object_at(p, i * 3 % 10);

			if (bits >> (i * 3 % 10) & 1)
				mark(po, &oid);
		}
		for (uint32_t i = 0; i < 10; i++) {
			struct object_id oid = object_at(p, i);

			assert_int_equal(pack_objects_has(po, &oid), bits >> i & 1);
		}
		assert_int_equal(pack_objects_count(po), nr);
		MUST(pack_objects_prepare(po, &err));
		expect_good(po, nr, &st);
		assert_int_equal(st.in_ranges, closed ? nr : 0);
		nr_closed += closed;
		pack_objects_free(po);
	}
	assert_in_range(nr_closed, 10, 1000);
}

/* An object in another pack, or in none, makes items of all; so do options that choose objects. */
static void test_marks_and_others(void **state)
{
	struct pack_objects_options o;
	struct pack_objects_stats st;
	struct pack *p;

	(void)state;
	pack_objects_options_init(&o, odb);
	o.ofs_delta = true;
	p = pack_ten(&o);
	for (int kind = 0; kind < 4; kind++) {
		struct pack_objects *po;
		struct err err = ERR_INIT;
		uint32_t nr = 10 + (kind < 3);

		if (kind == 1) /* 15 is in a second pack from now on */
			write_delta("second", 15, 3);
		odb_refresh(odb, ODB_OWN);
		o.reuse_delta = kind != 3;
		po = pack_objects_new(&o);
		for (int i = 0; i < 10; i++)
			mark(po, &blobs[(i + 5) % 10]);
		if (kind < 2)
			mark(po, &blobs[15]);
		else if (kind == 2)
			MUST(pack_objects_add(po, &blobs[20], OBJ_BLOB, "f", 0, &err));
		assert_int_equal(pack_objects_count(po), nr);
		MUST(pack_objects_prepare(po, &err));
		assert_int_equal(pack_objects_count(po), nr);
		/* In the order in which they were found, with the known data. */
		for (uint32_t i = 0; i < 10 && kind != 2; i++) {
			assert_memory_equal(pack_item_name(po, i), blobs[(i + 5) % 10].hash, 20);
			assert_int_equal(po->items[i].name_hash, pack_name_hash("f"));
			assert_int_equal(po->items[i].type, OBJ_BLOB);
		}
		expect_good(po, nr, &st);
		assert_int_equal(st.in_ranges, 0);
		/* The added one becomes a delta as well: its kind and the name of the path are known. */
		if (kind < 3)
			assert_true(st.deltas == nr - 1);
		pack_objects_free(po);
	}
	assert_int_equal(pack_nr_objects(p), 10);
}

static void test_marks_left_out(void **state)
{
	struct pack_objects_options o;
	struct pack_objects *po;

	(void)state;
	pack_objects_options_init(&o, odb);
	o.ofs_delta = true;
	pack_ten(&o);
	o.incremental = true;
	po = pack_objects_new(&o);
	mark(po, &blobs[3]);
	mark(po, &blobs[20]);
	assert_int_equal(pack_objects_count(po), 1);
	assert_false(pack_objects_has(po, &blobs[3]));
	pack_objects_free(po);
}

/* The file has been removed, and is not open (or not any more): there are other copies. */
static void lose_source(struct pack_objects *po)
{
	assert_int_equal(po->nr_sources, 1);
	if (po->sources[0].fd >= 0)
		close(po->sources[0].fd);
	po->sources[0].fd = -1;
	assert_int_equal(unlink(pack_path(po->sources[0].pack)), 0);
}

static void test_pack_goes(void **state)
{
	struct pack_objects_options o;
	struct pack_objects_stats st;
	struct only_pack only = { NULL };
	struct pack_objects *po;
	struct err err = ERR_INIT;

	(void)state;
	for (int ranges = 0; ranges < 2; ranges++) {
		pack_objects_options_init(&o, odb);
		o.ofs_delta = true;
		po = pack_objects_new(&o);
		add_blobs(po, NR);
		write_pack(po, "pack");
		odb_free(odb);
		open_odb();
		o.odb = odb;
		odb_foreach_pack(odb, ODB_OWN, take_pack, &only);
		po = pack_objects_new(&o);
		if (ranges) {
			MUST(pack_objects_add_range(po, only.p, 0, NR, &err));
			MUST(pack_objects_prepare(po, &err));
		} else {
			add_blobs(po, NR);
		}
		lose_source(po);
		expect_good(po, NR, &st);
		assert_int_equal(st.reused, 0);
		pack_objects_free(po);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_circles, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_chains, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sink_stops, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pack_goes, setup, teardown),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_lent_output),
		cmocka_unit_test(test_large_after_a_whole_buffer),
		cmocka_unit_test_setup_teardown(test_ranges, setup, teardown),
		cmocka_unit_test_setup_teardown(test_marks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_marks_and_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_marks_left_out, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
