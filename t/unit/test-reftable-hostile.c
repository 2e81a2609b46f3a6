/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks with tables that another program has damaged, or made to harm: commands that read and write end with an error
 * or with the right answer, and what they write can be read.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <zlib.h>
#include "fs/file.h"
#include "object/fsck.h"
#include "refs/refs-backend.h"
#include "refs/reftable/reftable.h"
#include "refs/reftable/stack-internal.h"
#include "refs/reftable/write-internal.h"
#include "t/unit/pack-aux.h"
#include "t/unit/refs-aux.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define LIST "repo/reftable/tables.list"

static struct ref_store *rs;

static int set_up(void **state UNUSED)
{
	struct ref_store_options o = { .backend = &reftable_ref_backend, .gitdir = "repo", .algo = hash_sha1,
				       .reflogs = REFLOG_ALWAYS };

	aux_must("rm -rf repo && mkdir -p repo/reftable && : >" LIST);
	return ref_store_open(&rs, &o, NULL);
}

static int tear_down(void **state UNUSED)
{
	ref_store_free(rs);
	return 0;
}

/* ---- tables ---- */

static int add_bytes(void *data, const void *p, size_t len, struct err *err UNUSED)
{
	strbuf_add(data, p, len);
	return 0;
}

static void write_bytes(const char *path, const struct strbuf *b)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(b->buf, 1, b->len, f), b->len);
	assert_int_equal(fclose(f), 0);
}

/* The list is another file then: a store that has read the old one reads it again. */
static void add_to_list(const char *name)
{
	char *old = read_text(LIST), *text = xstrfmt("%s%s\n", old, name);

	assert_int_equal(unlink(LIST), 0);
	write_text(LIST, text);
	free(text);
	free(old);
}

static struct reftable_writer *new_writer(struct strbuf *out, uint64_t min, uint64_t max)
{
	struct reftable_write_options o = { .algo = hash_sha1, .block_size = 256, .index_objects = true,
					    .min_update_index = min, .max_update_index = max };

	return reftable_writer_new(&o, add_bytes, out);
}

static void add_table(struct reftable_writer *w, struct strbuf *bytes, const char *name)
{
	char *path = xstrfmt("repo/reftable/%s", name);

	assert_int_equal(reftable_writer_finish(w, NULL), 0);
	reftable_writer_free(w);
	write_bytes(path, bytes);
	add_to_list(name);
	free(path);
}

static void put_ref(struct reftable_writer *w, const char *name, uint64_t index, unsigned char byte)
{
	struct object_id oid = hash_sha1->null_oid;
	struct ref_record r = { .update_index = index, .type = REF_VALUE_OID, .oid = oid.hash };
	struct strbuf key = STRBUF_INIT;

	oid.hash[0] = byte;
	strbuf_addstr(&key, name);
	assert_int_equal(reftable_writer_add_ref(w, &key, &r, NULL), 0);
	strbuf_release(&key);
}

static void put_log(struct reftable_writer *w, const char *ref, uint64_t index, const char *name, size_t name_len,
		    const char *msg)
{
	const struct object_id *null = &hash_sha1->null_oid;
	struct object_id oid = *null;
	struct log_record l = { .type = LOG_VALUE_UPDATE, .old_oid = null->hash, .new_oid = oid.hash, .name = name,
				.name_len = name_len, .mail = "a@b", .mail_len = 3, .date = 1700000000, .msg = msg,
				.msg_len = strlen(msg) };
	struct strbuf key = STRBUF_INIT;

	oid.hash[0] = (unsigned char)index;
	log_key_add(&key, ref, index);
	assert_int_equal(reftable_writer_add_log(w, &key, &l, NULL), 0);
	strbuf_release(&key);
}

static void one_ref(const char *table, uint64_t min, uint64_t max, const char *name)
{
	struct strbuf bytes = STRBUF_INIT;
	struct reftable_writer *w = new_writer(&bytes, min, max);

	put_ref(w, name, min, 1);
	add_table(w, &bytes, table);
	strbuf_release(&bytes);
}

/* ---- what commands do ---- */

static struct fsync_batch *new_batch(void)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };

	return fsync_batch_new(&o);
}

static int create(const char *name, struct err *err)
{
	struct ref_transaction *t = ref_transaction_begin(rs, 0);
	struct object_id oid = hash_sha1->null_oid;
	int rc;

	oid.hash[0] = 9;
	rc = run_transaction(t, -1, ref_transaction_update(t, name, &oid, NULL, 0, "m", NULL), err);
	ref_transaction_free(t);
	return rc;
}

static int pack(void)
{
	struct refs_pack_options o = { .all = true };
	struct fsync_batch *b = new_batch();
	int rc = refs_pack(rs, &o, b, NULL);

	if (!rc)
		rc = fsync_batch_commit(b, NULL);
	fsync_batch_free(b);
	return rc;
}

static int add_name(void *data, const struct ref *ref)
{
	strbuf_addf(data, "%s ", ref->name);
	return 0;
}

static void expect_refs(const char *want)
{
	struct strbuf got = STRBUF_INIT;

	assert_int_equal(refs_foreach(rs, "", REFS_INCLUDE_BROKEN, add_name, &got, NULL), 0);
	assert_string_equal(got.buf, want);
	strbuf_release(&got);
}

static int add_entry(void *data, const struct reflog_entry *e)
{
	strbuf_addf(data, "%s|%s;", e->ident, e->msg);
	return 0;
}

static void expect_log(const char *name, const char *want)
{
	struct strbuf got = STRBUF_INIT;

	assert_int_equal(reflog_foreach(rs, name, false, add_entry, &got, NULL), 0);
	assert_string_equal(got.buf, want);
	strbuf_release(&got);
}

static int keep_last(void *data UNUSED, size_t i, size_t nr, const struct reflog_entry *e UNUSED, struct err *err UNUSED)
{
	return i + 1 == nr;
}

static int rewrite_log(const char *name)
{
	struct fsync_batch *b = new_batch();
	int rc = reflog_rewrite(rs, name, REFLOG_FIX_OLD, keep_last, NULL, b, NULL);

	if (!rc)
		rc = fsync_batch_commit(b, NULL);
	fsync_batch_free(b);
	return rc;
}

/* ---- update indexes ---- */

/* A table that two of them become has the least and the largest of both. */
static void tables_out_of_order_become_one(void **state UNUSED)
{
	struct reftable_stack *s = reftable_stack_new("repo", hash_sha1);
	uint64_t next;

	one_ref("0x000000000003-0x000000000004-00000001.ref", 3, 4, "refs/heads/0");
	one_ref("0x000000000007-0x000000000009-00000002.ref", 7, 9, "refs/heads/a");
	one_ref("0x000000000001-0x000000000002-00000003.ref", 1, 2, "refs/heads/b");
	assert_int_equal(pack(), 0);
	expect_refs("refs/heads/0 refs/heads/a refs/heads/b ");
	assert_int_equal(reftable_stack_reload(s, NULL), 0);
	assert_int_equal(reftable_stack_next_index(s, &next, NULL), 0);
	assert_int_equal(next, 10);
	assert_int_equal(s->tables[0]->min_update_index, 1);
	reftable_stack_free(s);
}

static void indexes_come_to_their_end(void **state UNUSED)
{
	struct err err = ERR_INIT;

	one_ref("0xfffffffffffe-0xffffffffffff-00000001.ref", UINT64_MAX - 1, UINT64_MAX, "refs/heads/a");
	assert_int_equal(create("refs/heads/c", &err), ERR_CORRUPT);
	assert_non_null(strstr(err_message(&err), "have come to their end"));
	expect_refs("refs/heads/a ");
	err_release(&err);
}

/* ---- reflogs ---- */

static void texts_of_reflogs_are_lines(void **state UNUSED)
{
	struct strbuf bytes = STRBUF_INIT;
	struct reftable_writer *w = new_writer(&bytes, 1, 3);

	put_log(w, "refs/heads/a", 3, "A", 1, "good\n");
	put_log(w, "refs/heads/a", 2, "A\nB", 3, "a\nb\n");
	put_log(w, "refs/heads/a", 1, "A\0B", 3, "msg\r\n");
	add_table(w, &bytes, "0x000000000001-0x000000000003-00000001.ref");
	expect_log("refs/heads/a", "A <a@b>|msg;A B <a@b>|a b;A <a@b>|good;");
	assert_int_equal(rewrite_log("refs/heads/a"), 0);
	expect_log("refs/heads/a", "A <a@b>|good;");
	strbuf_release(&bytes);
}

static void an_author_with_nul_is_rewritten(void **state UNUSED)
{
	struct strbuf bytes = STRBUF_INIT;
	struct reftable_writer *w = new_writer(&bytes, 1, 3);

	put_log(w, "refs/heads/a", 2, "A\0B", 3, "two\n");
	put_log(w, "refs/heads/a", 1, "A", 1, "one\n");
	add_table(w, &bytes, "0x000000000001-0x000000000003-00000001.ref");
	assert_int_equal(rewrite_log("refs/heads/a"), 0);
	expect_log("refs/heads/a", "A <a@b>|two;");
	strbuf_release(&bytes);
}

/* ---- an index that lies ---- */

/* In an index block, the byte behind the text `key`: where it leads. */
static void change_index(struct strbuf *bytes, const char *key, char last)
{
	size_t len = strlen(key), footer = 24 + 44;
	uint64_t index = get_be64(bytes->buf + bytes->len - 44);

	for (size_t at = index; at + len < bytes->len - footer; at++) {
		if (!memcmp(bytes->buf + at, key, len)) {
			bytes->buf[at + len - 1] = last;
			return;
		}
	}
	fail();
}

static void note_finding(void *data, const struct ref_finding *f)
{
	strbuf_addf(data, "%s\n", f->text);
}

static void expect_finding(const char *part)
{
	struct fsck_options checks = { .strict = false };
	struct strbuf found = STRBUF_INIT;
	struct ref_verify_options v = { .checks = &checks, .report = note_finding, .data = &found };
	size_t errors;

	assert_int_equal(refs_verify(rs, &v, &errors, NULL), 0);
	assert_non_null(strstr(found.buf, part));
	strbuf_release(&found);
}

/* Refs a0000 to a0039 with entries of the index changed; all keys of it end with a digit. */
static void many_refs(char from, char to)
{
	struct strbuf bytes = STRBUF_INIT;
	struct reftable_writer *w = new_writer(&bytes, 1, 1);
	char name[40], key[40];

	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "refs/heads/a%04u", i * 10);
		put_ref(w, name, 1, 1);
	}
	assert_int_equal(reftable_writer_finish(w, NULL), 0);
	reftable_writer_free(w);
	snprintf(key, sizeof(key), "refs/heads/a%04u", 70);
	assert_int_equal(key[strlen(key) - 1], from);
	change_index(&bytes, key, to);
	write_bytes("repo/reftable/0x000000000001-0x000000000001-00000001.ref", &bytes);
	add_to_list("0x000000000001-0x000000000001-00000001.ref");
	strbuf_release(&bytes);
}

static void a_key_that_the_block_has_not_is_an_error(void **state UNUSED)
{
	struct object_id oid;
	struct err err = ERR_INIT;

	many_refs('0', '5');
	assert_int_equal(ref_resolve(rs, "refs/heads/a0070", &oid, NULL, NULL, NULL), 0);
	assert_int_equal(ref_resolve(rs, "refs/heads/a0073", &oid, NULL, NULL, &err), ERR_CORRUPT);
	assert_non_null(strstr(err_message(&err), "its index does not lead to a block with such a key"));
	expect_finding("its index does not lead to a block with such a key");
	err_release(&err);
}

static void an_index_with_a_smaller_key_is_found(void **state UNUSED)
{
	many_refs('0', '/');
	expect_finding("its index does not lead to 'refs/heads/a0070'");
}

/* ---- a table cut at every length, and changed at every byte ---- */

struct answers {
	struct strbuf refs, logs;
	bool good;
};

static int add_value(void *data, const struct ref *ref)
{
	strbuf_addf(data, "%s %s\n", ref->name, oid_hex(&ref->oid));
	return 0;
}

static int add_log_name(void *data, const char *name)
{
	string_list_append(data, name);
	return 0;
}

static int add_logs(struct strbuf *out)
{
	struct string_list names = STRING_LIST_INIT;
	int rc = reflogs_foreach(rs, add_log_name, &names, NULL);

	for (size_t i = 0; !rc && i < names.nr; i++)
		rc = reflog_foreach(rs, names.items[i].string, true, add_entry, out, NULL);
	string_list_clear(&names, NULL);
	return rc;
}

static bool read_all(struct answers *a)
{
	struct object_id oid;

	strbuf_reset(&a->refs);
	strbuf_reset(&a->logs);
	(void)!ref_resolve(rs, "refs/heads/a0007", &oid, NULL, NULL, NULL);
	a->good = !refs_foreach(rs, "", REFS_INCLUDE_BROKEN, add_value, &a->refs, NULL) && !add_logs(&a->logs);
	return a->good;
}

/* In a store of its own: each table is read from its file. */
static bool read_damaged(const struct strbuf *bytes, struct answers *a)
{
	bool good;

	write_bytes("repo/reftable/0x000000000002-0x000000000003-00000002.ref", bytes);
	tear_down(NULL);
	assert_int_equal(ref_store_open(&rs, &(struct ref_store_options){ .backend = &reftable_ref_backend, .gitdir = "repo",
									  .algo = hash_sha1 }, NULL), 0);
	good = read_all(a);
	return good;
}

static void write_victim(struct strbuf *bytes)
{
	struct reftable_writer *w = new_writer(bytes, 2, 3);
	char name[40];

	for (unsigned i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "refs/heads/a%04u", i);
		put_ref(w, name, 2 + i % 2, (unsigned char)(i % 7 + 1));
	}
	put_log(w, "refs/heads/a0001", 3, "A", 1, "three\n");
	put_log(w, "refs/heads/a0001", 2, "A", 1, "two\n");
	add_table(w, bytes, "0x000000000002-0x000000000003-00000002.ref");
}

static void damage_gives_no_wrong_answer(void **state UNUSED)
{
	struct answers whole = { STRBUF_INIT, STRBUF_INIT, false }, now = { STRBUF_INIT, STRBUF_INIT, false };
	const size_t header = 24, footer = header + 44;
	struct strbuf bytes = STRBUF_INIT, cut = STRBUF_INIT;
	uint64_t logs;

	one_ref("0x000000000001-0x000000000001-00000001.ref", 1, 1, "refs/heads/z");
	write_victim(&bytes);
	assert_true(read_damaged(&bytes, &whole));
	logs = get_be64(bytes.buf + bytes.len - 20);
	assert_true(get_be64(bytes.buf + bytes.len - 44) && get_be64(bytes.buf + bytes.len - 36) && logs);
	for (size_t len = 0; len < bytes.len; len++) {
		strbuf_reset(&cut);
		strbuf_add(&cut, bytes.buf, len);
		assert_false(read_damaged(&cut, &now));
	}
	for (size_t at = 0; at < bytes.len; at++) {
		char was = bytes.buf[at];

		bytes.buf[at] = (char)(at % 3 ? was ^ (1 << at % 8) : ~was);
		if (read_damaged(&bytes, &now) && at >= logs)
			assert_string_equal(now.logs.buf, whole.logs.buf);
		/* The footer repeats the header, and has a checksum; blocks of logs have one each. */
		if (at < header || at >= bytes.len - footer)
			assert_false(now.good);
		bytes.buf[at] = was;
	}
	strbuf_release(&bytes);
	strbuf_release(&cut);
	strbuf_release(&whole.refs);
	strbuf_release(&whole.logs);
	strbuf_release(&now.refs);
	strbuf_release(&now.logs);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tables_out_of_order_become_one),
		TEST(indexes_come_to_their_end),
		TEST(texts_of_reflogs_are_lines),
		TEST(an_author_with_nul_is_rewritten),
		TEST(a_key_that_the_block_has_not_is_an_error),
		TEST(an_index_with_a_smaller_key_is_found),
		TEST(damage_gives_no_wrong_answer),
	};
	int rc;

	dir = scratch_new();
	if (chdir(dir) < 0)
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(dir);
	return rc;
}
