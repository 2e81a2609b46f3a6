/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of refs: written and read again, tables that Git has written, damaged ones. Damage never crashes, and never
 * changes an answer where a checksum covers the bytes.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "refs/reftable/merged-internal.h"
#include "refs/reftable/objects-internal.h"
#include "refs/reftable/write-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

static struct object_id number_oid(const struct hash_algo *algo, unsigned n)
{
	struct object_id oid = algo->null_oid;

	put_be32(oid.hash, n * 2654435761u);
	put_be32(oid.hash + algo->raw_len - 4, n);
	return oid;
}

/* ---- writing ---- */

static int add_bytes(void *data, const void *p, size_t len, struct err *err UNUSED)
{
	strbuf_add(data, p, len);
	return 0;
}

struct shape {
	const struct hash_algo *algo;
	unsigned refs, logs; /* logs: entries of each ref */
	uint32_t block_size;
	unsigned restart_interval;
};

static void add_ref(struct reftable_writer *w, const char *name, const struct ref_record *r)
{
	struct strbuf key = STRBUF_INIT;

	strbuf_addstr(&key, name);
	assert_int_equal(reftable_writer_add_ref(w, &key, r, NULL), 0);
	strbuf_release(&key);
}

static void add_log(struct reftable_writer *w, const char *name, uint64_t index, const struct log_record *r)
{
	struct strbuf key = STRBUF_INIT;

	log_key_add(&key, name, index);
	assert_int_equal(reftable_writer_add_log(w, &key, r, NULL), 0);
	strbuf_release(&key);
}

/* Ref i is refs/heads/<i>; each third one is a tag, each tenth a symbolic ref. */
static void add_number(struct reftable_writer *w, const struct shape *s, unsigned i)
{
	struct object_id oid = number_oid(s->algo, i), peeled = number_oid(s->algo, i + 1);
	struct ref_record r = { .update_index = 3 + i % 5, .type = i % 3 ? REF_VALUE_OID : REF_VALUE_PEELED,
				.oid = oid.hash, .peeled = peeled.hash };
	char name[40];

	if (i % 10 == 7)
		r = (struct ref_record){ .update_index = 7, .type = REF_VALUE_SYMREF, .target = "refs/heads/x", .target_len = 12 };
	snprintf(name, sizeof(name), "refs/heads/%06u", i);
	add_ref(w, name, &r);
}

static void write_shape(struct strbuf *out, const struct shape *s)
{
	struct reftable_write_options o = { .algo = s->algo, .block_size = s->block_size, .index_objects = true,
					    .restart_interval = s->restart_interval, .min_update_index = 3,
					    .max_update_index = 1000 };
	struct reftable_writer *w = reftable_writer_new(&o, add_bytes, out);
	struct object_id oid = number_oid(s->algo, 1);
	struct log_record l = { .type = LOG_VALUE_UPDATE, .old_oid = oid.hash, .new_oid = oid.hash, .name = "A", .name_len = 1,
				.mail = "a@b", .mail_len = 3, .date = 1700000000, .tz = -130, .msg = "m\n", .msg_len = 2 };

	for (unsigned i = 0; i < s->refs; i++)
		add_number(w, s, i);
	for (unsigned i = 0; i < s->refs; i++) {
		char name[40];

		snprintf(name, sizeof(name), "refs/heads/%06u", i);
		for (unsigned j = s->logs; j > 0; j--)
			add_log(w, name, j, &l);
	}
	assert_int_equal(reftable_writer_finish(w, NULL), 0);
	reftable_writer_free(w);
}

static struct reftable *open_bytes(const struct strbuf *b, const struct hash_algo *algo)
{
	struct reftable *t = NULL;
	struct err err = ERR_INIT;

	assert_string_equal(reftable_open_memory(&t, "dir/t.ref", b->buf, b->len, algo, &err) < 0 ? err_message(&err) : "", "");
	return t;
}

/* ---- a table that we write can be read ---- */

static void expect_number(const struct reftable_record *rec, const struct shape *s, unsigned i)
{
	struct object_id oid = number_oid(s->algo, i), peeled = number_oid(s->algo, i + 1);
	char name[40];

	snprintf(name, sizeof(name), "refs/heads/%06u", i);
	assert_string_equal(rec->key.buf, name);
	if (i % 10 == 7) {
		assert_int_equal(rec->ref.type, REF_VALUE_SYMREF);
		assert_memory_equal(rec->ref.target, "refs/heads/x", 12);
		return;
	}
	assert_int_equal(rec->ref.update_index, 3 + i % 5);
	assert_memory_equal(rec->ref.oid, oid.hash, s->algo->raw_len);
	assert_int_equal(rec->ref.type, i % 3 ? REF_VALUE_OID : REF_VALUE_PEELED);
	if (!(i % 3))
		assert_memory_equal(rec->ref.peeled, peeled.hash, s->algo->raw_len);
}

static void expect_refs(struct reftable *t, const struct shape *s)
{
	struct table_iter it = TABLE_ITER_INIT;
	char name[40];

	assert_int_equal(table_iter_seek(&it, t, BLOCK_REF, NULL, 0, NULL), 0);
	for (unsigned i = 0; i < s->refs; i++) {
		assert_int_equal(table_iter_next(&it, NULL), 1);
		expect_number(&it.cursor.rec, s, i);
	}
	assert_int_equal(table_iter_next(&it, NULL), 0);
	/* Each by itself, and what comes before it. */
	for (unsigned i = 0; i < s->refs; i++) {
		snprintf(name, sizeof(name), "refs/heads/%06u", i);
		for (int before = 0; before < 2; before++) {
			size_t len = strlen(name) - before;

			if (before && i % 10)
				continue;
			assert_int_equal(table_iter_seek(&it, t, BLOCK_REF, name, len, NULL), 0);
			assert_int_equal(table_iter_next(&it, NULL), 1);
			expect_number(&it.cursor.rec, s, i);
		}
	}
	assert_int_equal(table_iter_seek(&it, t, BLOCK_REF, "refs/heads/x", 12, NULL), 0);
	assert_int_equal(table_iter_next(&it, NULL), 0);
	table_iter_release(&it);
}

static void expect_logs(struct reftable *t, const struct shape *s)
{
	struct table_iter it = TABLE_ITER_INIT;
	size_t name_len;
	uint64_t index;

	assert_int_equal(table_iter_seek(&it, t, BLOCK_LOG, NULL, 0, NULL), 0);
	for (unsigned i = 0; i < s->refs; i++) {
		for (unsigned j = s->logs; j > 0; j--) {
			assert_int_equal(table_iter_next(&it, NULL), 1);
			assert_true(log_key_parse(&it.cursor.rec.key, &name_len, &index));
			assert_int_equal(index, j);
			assert_int_equal(strtoul(it.cursor.rec.key.buf + 11, NULL, 10), i);
			assert_int_equal(it.cursor.rec.log.tz, -130);
			assert_int_equal(it.cursor.rec.log.date, 1700000000);
			assert_memory_equal(it.cursor.rec.log.mail, "a@b", 3);
		}
	}
	assert_int_equal(table_iter_next(&it, NULL), 0);
	if (s->logs) {
		assert_int_equal(table_iter_seek(&it, t, BLOCK_LOG, "refs/heads/000010", 18, NULL), 0);
		assert_int_equal(table_iter_next(&it, NULL), s->refs > 10);
	}
	table_iter_release(&it);
}

static void reads_what_it_wrote(void **state UNUSED)
{
	const struct shape shapes[] = {
		{ hash_sha1, 0, 0, 0, 0 },     { hash_sha1, 1, 0, 0, 0 },	 { hash_sha1, 1, 1, 0, 0 },
		{ hash_sha256, 40, 3, 0, 0 },  { hash_sha256, 40, 2, 256, 1 },	 { hash_sha1, 3000, 2, 256, 3 },
		{ hash_sha1, 3000, 0, 0, 0 },  { hash_sha256, 3000, 1, 0, 200 }, { hash_sha1, 5000, 1, 0xffffff, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct strbuf bytes = STRBUF_INIT;
		struct reftable *t;

		write_shape(&bytes, &shapes[i]);
		t = open_bytes(&bytes, shapes[i].algo);
		assert_int_equal(t->min_update_index, 3);
		assert_int_equal(t->max_update_index, 1000);
		expect_refs(t, &shapes[i]);
		expect_logs(t, &shapes[i]);
		reftable_put(t);
		strbuf_release(&bytes);
	}
}

/* A look-up reads a block of each level, not every block. */
static void seeks_by_the_index(void **state UNUSED)
{
	const struct shape s = { hash_sha1, 20000, 0, 256, 0 };
	struct table_iter it = TABLE_ITER_INIT;
	struct strbuf bytes = STRBUF_INIT;
	struct reftable *t;

	write_shape(&bytes, &s);
	t = open_bytes(&bytes, hash_sha1);
	assert_true(t->refs.index);
	/* All blocks of refs but the wanted one, the last, are of no use. */
	for (uint64_t at = 256; at + 256 < t->refs.index / 2; at += 256)
		bytes.buf[at] = 'x';
	assert_int_equal(table_iter_seek(&it, t, BLOCK_REF, "refs/heads/019999", 17, NULL), 0);
	assert_int_equal(table_iter_next(&it, NULL), 1);
	expect_number(&it.cursor.rec, &s, 19999);
	assert_int_equal(table_iter_seek(&it, t, BLOCK_REF, "refs/heads/000700", 17, NULL), ERR_CORRUPT);
	table_iter_release(&it);
	reftable_put(t);
	strbuf_release(&bytes);
}

static void expect_objects(unsigned refs)
{
	const struct shape s = { hash_sha1, refs, 0, 512, 0 };
	struct table_iter it = TABLE_ITER_INIT;
	struct strbuf bytes = STRBUF_INIT;
	struct reftable *t;

	write_shape(&bytes, &s);
	t = open_bytes(&bytes, hash_sha1);
	assert_true(t->objs.present && t->obj_id_len >= 2);
	for (unsigned i = 0; i < s.refs; i++) {
		struct object_id oid = number_oid(hash_sha1, i);
		struct block_cursor c = BLOCK_CURSOR_INIT;
		struct block b = BLOCK_INIT;
		uint64_t position;
		bool found = false;

		if (i % 10 == 7)
			continue;
		assert_int_equal(table_iter_seek(&it, t, BLOCK_OBJ, oid.hash, t->obj_id_len, NULL), 0);
		assert_int_equal(table_iter_next(&it, NULL), 1);
		assert_memory_equal(it.cursor.rec.key.buf, oid.hash, t->obj_id_len);
		assert_true(it.cursor.rec.obj.nr == 1 || it.cursor.rec.obj.nr == 2);
		assert_non_null(varint_read(&position, it.cursor.rec.obj.positions, it.cursor.rec.obj.positions + it.cursor.rec.obj.len));
		assert_int_equal(block_read(&b, &t->src, position, NULL), 0);
		block_cursor_start(&c, &b);
		while (block_cursor_next(&c, NULL) > 0)
			found |= (c.rec.ref.oid && !memcmp(c.rec.ref.oid, oid.hash, 20)) ||
				 (c.rec.ref.peeled && !memcmp(c.rec.ref.peeled, oid.hash, 20));
		assert_true(found);
		block_cursor_release(&c);
		block_release(&b);
	}
	table_iter_release(&it);
	reftable_put(t);
	strbuf_release(&bytes);
}

/* Which blocks name an object: as many as there are. */
static void objects_lead_to_blocks(void **state UNUSED)
{
	expect_objects(2000);
	expect_objects(80000); /* so many are sorted in another way */
}

/* Names and messages that are larger than a block. */
static void large_records_fit(void **state UNUSED)
{
	struct reftable_write_options o = { .algo = hash_sha1, .min_update_index = 1, .max_update_index = 1 };
	struct object_id oid = number_oid(hash_sha1, 5);
	struct ref_record r = { .update_index = 1, .type = REF_VALUE_OID, .oid = oid.hash };
	struct log_record l = { .type = LOG_VALUE_UPDATE, .old_oid = oid.hash, .new_oid = oid.hash, .name = "", .mail = "" };
	struct strbuf bytes = STRBUF_INIT, name = STRBUF_INIT, msg = STRBUF_INIT;
	struct table_iter it = TABLE_ITER_INIT;
	struct reftable_writer *w;
	struct reftable *t;

	strbuf_addchars(&msg, 'm', 100000);
	l.msg = msg.buf;
	l.msg_len = msg.len;
	o.block_size = reftable_block_size_for(4096, 9000);
	assert_true(o.block_size >= 9000);
	w = reftable_writer_new(&o, add_bytes, &bytes);
	for (int c = 'a'; c < 'a' + 12; c++) {
		strbuf_reset(&name);
		strbuf_addchars(&name, c, 9000);
		add_ref(w, name.buf, &r);
	}
	for (int c = 'a'; c < 'a' + 12; c++) {
		strbuf_reset(&name);
		strbuf_addchars(&name, c, 9000);
		add_log(w, name.buf, 1, &l);
	}
	assert_int_equal(reftable_writer_finish(w, NULL), 0);
	reftable_writer_free(w);
	t = open_bytes(&bytes, hash_sha1);
	for (int c = 'a'; c < 'a' + 12; c++) {
		strbuf_reset(&name);
		strbuf_addchars(&name, c, 9000);
		assert_int_equal(table_iter_seek(&it, t, BLOCK_REF, name.buf, name.len, NULL), 0);
		assert_int_equal(table_iter_next(&it, NULL), 1);
		assert_string_equal(it.cursor.rec.key.buf, name.buf);
		assert_int_equal(table_iter_seek(&it, t, BLOCK_LOG, name.buf, name.len, NULL), 0);
		assert_int_equal(table_iter_next(&it, NULL), 1);
		assert_string_equal(it.cursor.rec.key.buf, name.buf);
		assert_int_equal(it.cursor.rec.log.msg_len, 100000);
	}
	table_iter_release(&it);
	reftable_put(t);
	strbuf_release(&bytes);
	strbuf_release(&name);
	strbuf_release(&msg);
}

/* ---- tables of Git 2.55 ---- */

/* HEAD, two branches and an annotated tag, three entries of reflogs. */
static const unsigned char from_git[] = {
	0x52, 0x45, 0x46, 0x54, 0x01, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x72, 0x00, 0x00, 0xaf, 0x00, 0x23, 0x48, 0x45,
	0x41, 0x44, 0x00, 0x11, 0x72, 0x65, 0x66, 0x73, 0x2f, 0x68, 0x65, 0x61, 0x64, 0x73, 0x2f, 0x6d,
	0x61, 0x73, 0x74, 0x65, 0x72, 0x00, 0x61, 0x72, 0x65, 0x66, 0x73, 0x2f, 0x68, 0x65, 0x61, 0x64,
	0x73, 0x2f, 0x62, 0x03, 0x85, 0x54, 0x81, 0x8f, 0xf8, 0xdd, 0xb6, 0x04, 0xb2, 0x42, 0x2a, 0x1f,
	0x7a, 0x12, 0x27, 0xcf, 0xfa, 0xff, 0x22, 0xbe, 0x0b, 0x31, 0x6d, 0x61, 0x73, 0x74, 0x65, 0x72,
	0x01, 0x85, 0x54, 0x81, 0x8f, 0xf8, 0xdd, 0xb6, 0x04, 0xb2, 0x42, 0x2a, 0x1f, 0x7a, 0x12, 0x27,
	0xcf, 0xfa, 0xff, 0x22, 0xbe, 0x05, 0x3a, 0x74, 0x61, 0x67, 0x73, 0x2f, 0x76, 0x31, 0x02, 0x2b,
	0x33, 0xe8, 0xfb, 0x7f, 0x63, 0x39, 0xd6, 0x2f, 0xe2, 0xa6, 0xe5, 0x08, 0x34, 0x37, 0x9b, 0x02,
	0x43, 0x49, 0x56, 0x85, 0x54, 0x81, 0x8f, 0xf8, 0xdd, 0xb6, 0x04, 0xb2, 0x42, 0x2a, 0x1f, 0x7a,
	0x12, 0x27, 0xcf, 0xfa, 0xff, 0x22, 0xbe, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x35, 0x00, 0x02, 0x67,
	0x00, 0x01, 0x49, 0x78, 0xda, 0x63, 0xc8, 0xf4, 0x70, 0x75, 0x74, 0x61, 0xf8, 0x0f, 0x01, 0x7f,
	0x19, 0xb0, 0x80, 0xd6, 0x90, 0xc6, 0xfe, 0x1f, 0x77, 0xb7, 0xb1, 0x6c, 0x72, 0xd2, 0x92, 0xaf,
	0x12, 0x52, 0x3f, 0xff, 0xeb, 0xbf, 0xd2, 0x3e, 0x0e, 0x47, 0x85, 0x50, 0x85, 0x90, 0x8c, 0xfc,
	0x22, 0xd6, 0x44, 0x87, 0x24, 0xbd, 0xe4, 0xd6, 0x95, 0xe7, 0x1e, 0x32, 0x30, 0x3c, 0x13, 0x4b,
	0xce, 0xcf, 0xcd, 0xcd, 0x2c, 0x51, 0xd0, 0xc8, 0xcc, 0xcb, 0x2c, 0xc9, 0x4c, 0xcc, 0xd1, 0xb4,
	0x52, 0xc8, 0xcf, 0x4b, 0xe5, 0x62, 0x68, 0xd0, 0x2c, 0x4a, 0x4d, 0x2b, 0xd6, 0xcf, 0x48, 0x4d,
	0x4c, 0x29, 0xd6, 0x4f, 0x82, 0x59, 0xf6, 0x9b, 0x32, 0xcb, 0x64, 0x92, 0x8a, 0x12, 0xf3, 0x92,
	0x33, 0xac, 0x14, 0x9c, 0x8b, 0x52, 0x13, 0x4b, 0x52, 0x53, 0x14, 0xd2, 0x8a, 0xf2, 0x73, 0x15,
	0x72, 0x13, 0x8b, 0x4b, 0x52, 0x8b, 0xb8, 0xb8, 0x2b, 0x21, 0x0c, 0x1a, 0x7b, 0x8c, 0x81, 0x85,
	0x81, 0x21, 0x83, 0x81, 0x09, 0x00, 0x41, 0xa2, 0x71, 0x13, 0x52, 0x45, 0x46, 0x54, 0x01, 0x00,
	0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0xaf, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x73, 0x09, 0x64, 0x10,
};

/* One entry of a reflog, and no refs: its block has the header of the file in it. */
static const unsigned char log_from_git[] = {
	0x52, 0x45, 0x46, 0x54, 0x01, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x67, 0x00, 0x00, 0xbe, 0x78, 0xda, 0x63, 0x68,
	0xd0, 0x2c, 0x4a, 0x4d, 0x2b, 0xd6, 0xcf, 0x48, 0x4d, 0x4c, 0x29, 0xd6, 0x4f, 0x62, 0xf8, 0x0f,
	0x01, 0xbf, 0x5a, 0x43, 0x1a, 0xfb, 0x7f, 0xdc, 0xdd, 0xc6, 0xb2, 0xc9, 0x49, 0x4b, 0xbe, 0x4a,
	0x48, 0xfd, 0xfc, 0xaf, 0xff, 0x4a, 0xfb, 0xb0, 0x89, 0x49, 0x06, 0xa7, 0xa6, 0xa6, 0x28, 0xa4,
	0x59, 0x18, 0x1b, 0x19, 0x24, 0xa7, 0x98, 0x2a, 0xe4, 0x26, 0x66, 0xe6, 0x95, 0x00, 0x71, 0x6a,
	0x51, 0xb1, 0x21, 0x12, 0xdb, 0xa1, 0xb4, 0x18, 0x48, 0xea, 0xe5, 0xe5, 0x17, 0xa5, 0x16, 0xe4,
	0x54, 0xea, 0x25, 0xea, 0x16, 0x03, 0x75, 0xe9, 0xc2, 0x74, 0xe9, 0xa5, 0x56, 0x24, 0xe6, 0x16,
	0xe4, 0xa4, 0xb6, 0x5e, 0x5f, 0xb3, 0x3d, 0x83, 0x81, 0x81, 0x33, 0xb7, 0x38, 0x5d, 0x21, 0x23,
	0xb5, 0x28, 0x95, 0x8b, 0x81, 0x41, 0x86, 0x81, 0x11, 0x00, 0x80, 0x5b, 0x42, 0x80, 0x52, 0x45,
	0x46, 0x54, 0x01, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf0, 0xf0,
	0x0f, 0x03,
};

static void reads_tables_of_git(void **state UNUSED)
{
	static const char *const names[] = { "HEAD", "refs/heads/b", "refs/heads/master", "refs/tags/v1" };
	static const char *const logs[] = { "HEAD", "refs/heads/b", "refs/heads/master" };
	struct table_iter it = TABLE_ITER_INIT;
	struct reftable *t = NULL;

	assert_int_equal(reftable_open_memory(&t, "t", from_git, sizeof(from_git), hash_sha1, NULL), 0);
	assert_int_equal(table_iter_seek(&it, t, BLOCK_REF, NULL, 0, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(table_iter_next(&it, NULL), 1);
		assert_string_equal(it.cursor.rec.key.buf, names[i]);
	}
	assert_int_equal(it.cursor.rec.ref.type, REF_VALUE_PEELED);
	assert_int_equal(it.cursor.rec.ref.update_index, 3);
	assert_int_equal(table_iter_next(&it, NULL), 0);
	assert_int_equal(table_iter_seek(&it, t, BLOCK_LOG, NULL, 0, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		assert_int_equal(table_iter_next(&it, NULL), 1);
		assert_string_equal(it.cursor.rec.key.buf, logs[i]);
		assert_int_equal(it.cursor.rec.log.tz, 230);
	}
	assert_int_equal(table_iter_next(&it, NULL), 0);
	reftable_put(t);
	assert_int_equal(reftable_open_memory(&t, "t", log_from_git, sizeof(log_from_git), hash_sha1, NULL), 0);
	assert_false(t->refs.present);
	assert_int_equal(table_iter_seek(&it, t, BLOCK_LOG, "refs/heads/b", 13, NULL), 0);
	assert_int_equal(table_iter_next(&it, NULL), 1);
	assert_memory_equal(it.cursor.rec.log.msg, "msg here\n", 9);
	assert_int_equal(table_iter_next(&it, NULL), 0);
	assert_int_equal(reftable_open_memory(&t, "t", log_from_git, sizeof(log_from_git), hash_sha256, NULL), ERR_CORRUPT);
	table_iter_release(&it);
	reftable_put(t);
}

/* ---- several tables ---- */

static struct reftable *small_table(struct strbuf *bytes, uint64_t index, const char *name, enum ref_value_type type)
{
	struct reftable_write_options o = { .algo = hash_sha1, .min_update_index = index, .max_update_index = index };
	struct reftable_writer *w = reftable_writer_new(&o, add_bytes, bytes);
	struct object_id oid = number_oid(hash_sha1, (unsigned)index);
	struct ref_record r = { .update_index = index, .type = type, .oid = oid.hash };

	for (const char *p = name; *p; p++)
		add_ref(w, (char[]){ *p, '\0' }, &r);
	assert_int_equal(reftable_writer_finish(w, NULL), 0);
	reftable_writer_free(w);
	return open_bytes(bytes, hash_sha1);
}

static void expect_merged(struct merged_iter *m, const char *from, const char *want)
{
	const struct reftable_record *rec;
	struct strbuf got = STRBUF_INIT;

	assert_int_equal(merged_iter_seek(m, from, strlen(from), NULL), 0);
	while (merged_iter_next(m, &rec, NULL) > 0)
		strbuf_addf(&got, "%s%d ", rec->key.buf, rec->ref.type == REF_VALUE_DELETED ? 0 : (int)rec->ref.update_index);
	assert_string_equal(got.buf, want);
	strbuf_release(&got);
}

static void the_newest_table_counts(void **state UNUSED)
{
	struct strbuf bytes[4] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT };
	struct merged_iter m = MERGED_ITER_INIT;
	struct reftable *t[4];

	t[0] = small_table(&bytes[0], 1, "abcdef", REF_VALUE_OID);
	t[1] = small_table(&bytes[1], 2, "bd", REF_VALUE_DELETED);
	t[2] = small_table(&bytes[2], 3, "dez", REF_VALUE_OID);
	t[3] = small_table(&bytes[3], 4, "az", REF_VALUE_DELETED);
	merged_iter_start(&m, BLOCK_REF, t, 4);
	expect_merged(&m, "", "c1 d3 e3 f1 ");
	expect_merged(&m, "d", "d3 e3 f1 ");
	expect_merged(&m, "a", "c1 d3 e3 f1 ");
	m.with_deleted = true;
	expect_merged(&m, "", "a0 b0 c1 d3 e3 f1 z0 ");
	merged_iter_release(&m);
	for (size_t i = 0; i < 4; i++) {
		reftable_put(t[i]);
		strbuf_release(&bytes[i]);
	}
}

/* ---- damage ---- */

static void walk_all(struct reftable *t, enum block_type type, struct strbuf *out)
{
	struct table_iter it = TABLE_ITER_INIT;
	int rc = table_iter_seek(&it, t, type, NULL, 0, NULL);

	while (!rc && table_iter_next(&it, NULL) > 0)
		strbuf_add(out, it.cursor.rec.key.buf, it.cursor.rec.key.len);
	for (const char *name = "0123456789"; *name; name++) {
		char key[] = "refs/heads/000000";

		key[15] = *name;
		if (!table_iter_seek(&it, t, type, key, strlen(key), NULL))
			(void)!table_iter_next(&it, NULL);
	}
	table_iter_release(&it);
}

/* Opens and reads whatever can be read. In a buffer of its own, so that the sanitizer sees each byte beyond. */
static int try_table(const void *p, size_t len, const struct hash_algo *algo, struct strbuf *logs)
{
	void *copy = xmemdup(p, len);
	struct strbuf ignored = STRBUF_INIT;
	struct reftable *t = NULL;
	int rc = reftable_open_memory(&t, "t", copy, len, algo, NULL);

	if (!rc) {
		walk_all(t, BLOCK_REF, &ignored);
		walk_all(t, BLOCK_OBJ, &ignored);
		walk_all(t, BLOCK_LOG, logs);
		reftable_put(t);
	}
	strbuf_release(&ignored);
	free(copy);
	return rc;
}

static void damage_everywhere(const struct shape *s)
{
	const size_t header = s->algo == hash_sha1 ? 24 : 28, footer = header + 44;
	struct strbuf bytes = STRBUF_INIT, logs = STRBUF_INIT, whole = STRBUF_INIT;
	uint64_t log_from;

	write_shape(&bytes, s);
	log_from = get_be64(bytes.buf + bytes.len - 20);
	assert_int_equal(try_table(bytes.buf, bytes.len, s->algo, &whole), 0);
	for (size_t len = 0; len < bytes.len; len++)
		assert_true(try_table(bytes.buf, len, s->algo, &logs) < 0);
	for (size_t at = 0; at < bytes.len; at++) {
		for (unsigned char flip = 0x80; flip; flip = flip == 1 ? 0 : 1) {
			bool in_logs = log_from && at >= log_from && at < bytes.len - footer;
			int rc;

			bytes.buf[at] = (char)(bytes.buf[at] ^ flip);
			strbuf_reset(&logs);
			rc = try_table(bytes.buf, bytes.len, s->algo, &logs);
			bytes.buf[at] = (char)(bytes.buf[at] ^ flip);
			/* The footer has a checksum, and repeats the header. A block of logs has one, too. */
			if (at < header || at >= bytes.len - footer)
				assert_true(rc < 0);
			else if (in_logs)
				assert_memory_equal(logs.buf, whole.buf, logs.len);
		}
	}
	strbuf_release(&bytes);
	strbuf_release(&logs);
	strbuf_release(&whole);
}

static void damage_is_found(void **state UNUSED)
{
	damage_everywhere(&(struct shape){ hash_sha1, 60, 1, 256, 4 });
	damage_everywhere(&(struct shape){ hash_sha256, 12, 1, 0, 0 });
}

/* Each names the file, the block and the fault. */
static void damage_is_named(void **state UNUSED)
{
	static const struct { size_t at; unsigned char byte; const char *message; } cases[] = {
		{ 24, 'i', "reftable 'dir/t.ref': its footer does not fit its blocks" },
		{ 27, 28, "reftable 'dir/t.ref': block at offset 0: it is too short" },
		{ 25, 0xff, "reftable 'dir/t.ref': block at offset 0: it is cut off" },
		{ 28, 1, "reftable 'dir/t.ref': block at offset 0: the key of a record has a bad prefix" },
	};
	const struct shape s = { hash_sha1, 1, 0, 0, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct table_iter it = TABLE_ITER_INIT;
		struct strbuf bytes = STRBUF_INIT;
		struct err err = ERR_INIT;
		struct reftable *t = NULL;

		write_shape(&bytes, &s);
		bytes.buf[cases[i].at] = (char)cases[i].byte;
		if (!reftable_open_memory(&t, "dir/t.ref", bytes.buf, bytes.len, hash_sha1, &err) &&
		    !table_iter_seek(&it, t, BLOCK_REF, NULL, 0, &err))
			assert_true(table_iter_next(&it, &err) < 0);
		assert_string_equal(err_message(&err), cases[i].message);
		err_release(&err);
		table_iter_release(&it);
		reftable_put(t);
		strbuf_release(&bytes);
	}
}

/* The one name that has a NUL is found, whatever names are around it. */
static void names_have_no_nul(void **state UNUSED)
{
	static const char *const names[] = { "refs/heads/a", "refs/heads/ab", "refs/heads/abc", "refs/heads/b" };

	for (size_t bad = 0; bad < ARRAY_SIZE(names); bad++) {
		struct reftable_write_options o = { .algo = hash_sha1, .min_update_index = 1, .max_update_index = 1 };
		struct ref_record r = { .update_index = 1, .type = REF_VALUE_DELETED };
		struct strbuf bytes = STRBUF_INIT, key = STRBUF_INIT;
		struct table_iter it = TABLE_ITER_INIT;
		struct reftable_writer *w = reftable_writer_new(&o, add_bytes, &bytes);
		struct err err = ERR_INIT;
		struct reftable *t;
		int rc;

		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			strbuf_reset(&key);
			strbuf_addstr(&key, names[i]);
			if (i == bad)
				strbuf_add(&key, "\0z", 2);
			assert_int_equal(reftable_writer_add_ref(w, &key, &r, NULL), 0);
		}
		assert_int_equal(reftable_writer_finish(w, NULL), 0);
		t = open_bytes(&bytes, hash_sha1);
		rc = table_iter_seek(&it, t, BLOCK_REF, NULL, 0, &err);
		while (!rc && (rc = table_iter_next(&it, &err)) > 0)
			rc = 0;
		assert_int_equal(rc, ERR_CORRUPT);
		assert_non_null(strstr(err_message(&err), "the name of a ref has a NUL in it"));
		err_release(&err);
		table_iter_release(&it);
		reftable_put(t);
		reftable_writer_free(w);
		strbuf_release(&bytes);
		strbuf_release(&key);
	}
}

static void numbers_are_checked(void **state UNUSED)
{
	static const uint64_t values[] = { 0, 1, 127, 128, 16511, 16512, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX };
	static const unsigned char too_large[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct strbuf out = STRBUF_INIT;
		const unsigned char *p;

		varint_add(&out, values[i]);
		p = (unsigned char *)out.buf;
		assert_ptr_equal(varint_read(&v, p, p + out.len), p + out.len);
		assert_true(v == values[i]);
		assert_null(varint_read(&v, p, p + out.len - 1));
		strbuf_release(&out);
	}
	assert_null(varint_read(&v, too_large, too_large + sizeof(too_large)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_it_wrote),
		cmocka_unit_test(seeks_by_the_index),
		cmocka_unit_test(objects_lead_to_blocks),
		cmocka_unit_test(large_records_fit),
		cmocka_unit_test(reads_tables_of_git),
		cmocka_unit_test(the_newest_table_counts),
		cmocka_unit_test(damage_is_found),
		cmocka_unit_test(damage_is_named),
		cmocka_unit_test(names_have_no_nul),
		cmocka_unit_test(numbers_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
