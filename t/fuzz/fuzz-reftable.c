/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of refs. The first byte has flags (SHA256, REPAIR, STACK), the second one says how a table is written again. The rest
 * is a table; with STACK it is several, each behind its length (3 bytes), and perhaps a list.
 *
 * REPAIR makes the checksums right: the footer gets the header and its CRC, and blocks of logs, which are not deflated
 * in the input, are deflated. Thus changes by chance come to what lies behind.
 *
 * A seek finds no key that is less than the wanted one. A table that can be read, written again, is equal. In a stack a
 * transaction, a rewritten reflog and a compaction change what they should and nothing else, and leave no lock.
 */
#include "compat/posix.h"
#include <dirent.h>
#include <zlib.h>
#include "fs/file.h"
#include "fs/owner.h"
#include "object/fsck.h"
#include "refs/refs-backend.h"
#include "refs/reftable/compact-internal.h"
#include "refs/reftable/reftable.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/deflate.h"

#define SHA256 1
#define REPAIR 2
#define STACK 4
#define SEEKS_MAX 50
#define TABLES_MAX 8
#define IDENT "C O Mitter <c@example.com> 1700000000 +0100"

static void must(bool good)
{
	if (!good)
		abort();
}

/* ---- right checksums ---- */

static uint32_t be24(const char *p)
{
	return get_be32(p) >> 8;
}

/* Blocks that follow each other, the deflated form of each. Stops where a block of logs does not begin. */
static void add_log_blocks(struct strbuf *out, const char *p, size_t len)
{
	while (len > 4 && *p == 'g') {
		size_t size = be24(p + 1);

		if (size < 4 || size > len)
			size = len;
		strbuf_add(out, p, 4);
		deflate_buf(out, p + 4, size - 4, 1);
		p += size;
		len -= size;
	}
}

static void repair(struct strbuf *t)
{
	size_t header = t->len > 4 && t->buf[4] == 2 ? 28 : 24, footer = header + 44;
	struct strbuf out = STRBUF_INIT;
	uint64_t logs;
	char n[8];

	if (t->len < header + footer)
		return;
	logs = get_be64(t->buf + t->len - 20);
	if (!logs && t->buf[header] == 'g')
		logs = header;
	if (logs >= header && logs <= t->len - footer) {
		strbuf_add(&out, t->buf, logs);
		add_log_blocks(&out, t->buf + logs, t->len - footer - logs);
	} else {
		strbuf_add(&out, t->buf, t->len - footer);
	}
	strbuf_add(&out, t->buf, header);
	strbuf_add(&out, t->buf + t->len - 44, 40);
	put_be32(n, (uint32_t)crc32(crc32(0, NULL, 0), (unsigned char *)out.buf + out.len - (header + 40), (uInt)(header + 40)));
	strbuf_add(&out, n, 4);
	strbuf_swap(t, &out);
	strbuf_release(&out);
}

/* ---- one table ---- */

static bool same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && !memcmp(a, b, a_len);
}

static bool same_id(const unsigned char *a, const unsigned char *b, size_t len)
{
	return !a == !b && (!a || !memcmp(a, b, len));
}

static bool same_ref(const struct ref_record *a, const struct ref_record *b, size_t len)
{
	return a->type == b->type && a->update_index == b->update_index && same_id(a->oid, b->oid, len) &&
	       same_id(a->peeled, b->peeled, len) && !a->target == !b->target &&
	       (!a->target || same_text(a->target, a->target_len, b->target, b->target_len));
}

static bool same_log(const struct log_record *a, const struct log_record *b, size_t len)
{
	if (a->type != b->type || a->type == LOG_VALUE_DELETED)
		return a->type == b->type;
	return same_id(a->old_oid, b->old_oid, len) && same_id(a->new_oid, b->new_oid, len) &&
	       same_text(a->name, a->name_len, b->name, b->name_len) && same_text(a->mail, a->mail_len, b->mail, b->mail_len) &&
	       same_text(a->msg, a->msg_len, b->msg, b->msg_len) && a->date == b->date && a->tz == b->tz;
}

/* Each leads to itself: for a table of our own. Else to nothing that is less. */
static void check_seek(struct reftable *t, enum block_type type, const struct strbuf *key, bool ours)
{
	struct table_iter it = TABLE_ITER_INIT;
	int rc = table_iter_seek(&it, t, type, key->buf, key->len, NULL);

	if (!rc)
		rc = table_iter_next(&it, NULL);
	if (rc > 0)
		must(reftable_key_cmp(&it.cursor.rec.key, key->buf, key->len) >= 0);
	if (ours)
		must(rc > 0 && !reftable_key_cmp(&it.cursor.rec.key, key->buf, key->len));
	table_iter_release(&it);
}

/* Reads all. Returns how it ended. */
static int walk_table(struct reftable *t, enum block_type type, bool ours)
{
	struct table_iter it = TABLE_ITER_INIT;
	struct strbuf last = STRBUF_INIT;
	int rc = table_iter_seek(&it, t, type, NULL, 0, NULL);
	size_t nr = 0;

	while (!rc && (rc = table_iter_next(&it, NULL)) > 0) {
		const struct strbuf *key = &it.cursor.rec.key;

		must(!nr || reftable_key_cmp(key, last.buf, last.len) > 0);
		strbuf_reset(&last);
		strbuf_addbuf(&last, key);
		if (nr++ < SEEKS_MAX)
			check_seek(t, type, key, ours);
		rc = 0;
	}
	if (nr)
		check_seek(t, type, &last, ours && !rc);
	strbuf_release(&last);
	table_iter_release(&it);
	return rc;
}

static void check_equal(struct reftable *a, struct reftable *b, enum block_type type)
{
	struct table_iter x = TABLE_ITER_INIT, y = TABLE_ITER_INIT;
	size_t len = a->algo->raw_len;
	int rc;

	must(!table_iter_seek(&x, a, type, NULL, 0, NULL) && !table_iter_seek(&y, b, type, NULL, 0, NULL));
	while ((rc = table_iter_next(&x, NULL)) > 0) {
		must(table_iter_next(&y, NULL) == 1);
		must(!reftable_key_cmp(&x.cursor.rec.key, y.cursor.rec.key.buf, y.cursor.rec.key.len));
		must(type == BLOCK_REF ? same_ref(&x.cursor.rec.ref, &y.cursor.rec.ref, len) :
					 same_log(&x.cursor.rec.log, &y.cursor.rec.log, len));
	}
	must(!rc && !table_iter_next(&y, NULL));
	table_iter_release(&x);
	table_iter_release(&y);
}

static int add_bytes(void *data, const void *p, size_t len, struct err *err)
{
	(void)err;
	strbuf_add(data, p, len);
	return 0;
}

static struct ref_table_options options_of(uint8_t byte)
{
	static const uint32_t sizes[] = { 0, 256, 1024, 100000 };

	return (struct ref_table_options){ .block_size = sizes[byte & 3], .restart_interval = byte >> 2 & 15,
					   .no_object_index = byte & 64 };
}

static void write_again(struct reftable *t, uint8_t how)
{
	struct ref_table_options o = options_of(how);
	struct strbuf bytes = STRBUF_INIT;
	struct reftable *again = NULL;

	if (!reftable_merge(&t, 1, &o, true, add_bytes, &bytes, NULL)) {
		must(!reftable_open_memory(&again, "again", bytes.buf, bytes.len, t->algo, NULL));
		check_equal(t, again, BLOCK_REF);
		check_equal(t, again, BLOCK_LOG);
		must(!walk_table(again, BLOCK_REF, true) && !walk_table(again, BLOCK_OBJ, true) &&
		     !walk_table(again, BLOCK_LOG, true));
		reftable_put(again);
	}
	strbuf_release(&bytes);
}

/* In memory of its size, so that a sanitizer detects a read beyond it. */
static void one_table(const struct strbuf *bytes, const struct hash_algo *algo, uint8_t how)
{
	char *copy = xmemdup(bytes->buf, bytes->len);
	struct reftable *t;
	int rc;

	if (!reftable_open_memory(&t, "t", copy, bytes->len, algo, NULL)) {
		walk_table(t, BLOCK_OBJ, false);
		rc = walk_table(t, BLOCK_REF, false);
		if (!rc)
			rc = walk_table(t, BLOCK_LOG, false);
		if (!rc)
			write_again(t, how);
		reftable_put(t);
	}
	free(copy);
}

/* ---- a stack ---- */

#define TABLE "rt/reftable/0x%012x-0x%012x-%08x.ref"

static void write_stack(const uint8_t *p, size_t len, unsigned flags)
{
	struct strbuf list = STRBUF_INIT;

	owner_leave(scratch_path("rt/reftable")); /* its file stays open */
	if (remove_tree(scratch_path("rt"), false, NULL) < 0)
		abort();
	scratch_write("rt/HEAD", "ref: refs/heads/.invalid\n", 25);
	for (unsigned i = 0; i < TABLES_MAX && len > 3; i++) {
		struct strbuf table = STRBUF_INIT;
		size_t size = be24((const char *)p);
		char name[80];

		size = size < len - 3 ? size : len - 3;
		strbuf_add(&table, p + 3, size);
		if (flags & REPAIR)
			repair(&table);
		snprintf(name, sizeof(name), TABLE, i, i, i);
		scratch_write(name, table.buf, table.len);
		strbuf_addf(&list, "%s\n", name + strlen("rt/reftable/"));
		strbuf_release(&table);
		p += 3 + size;
		len -= 3 + size;
	}
	if (len > 1 && !(flags & REPAIR)) {
		strbuf_reset(&list);
		strbuf_add(&list, p, len);
	}
	scratch_write("rt/reftable/tables.list", list.buf, list.len);
	strbuf_release(&list);
}

/* All refs with their values, but for what the transaction changes. */
static int add_value(void *data, const struct ref *ref)
{
	if (strcmp(ref->name, "refs/heads/f") && strcmp(ref->name, "refs/heads/gone"))
		strbuf_addf(data, "%s %s\n", ref->name, ref->symref_target ? ref->symref_target : oid_hex(&ref->oid));
	return 0;
}

static bool read_values(struct ref_store *rs, struct strbuf *out)
{
	return !refs_foreach(rs, "", REFS_INCLUDE_BROKEN | REFS_NO_PEEL, add_value, out, NULL);
}

static void check_values(struct ref_store *rs, const struct strbuf *before)
{
	struct strbuf now = STRBUF_INIT;

	must(read_values(rs, &now) && same_text(now.buf, now.len, before->buf, before->len));
	strbuf_release(&now);
}

static void check_no_lock(void)
{
	DIR *d = opendir(scratch_path("rt/reftable"));
	struct dirent *de;

	while (d && (de = readdir(d)))
		must(!ends_with(de->d_name, ".lock"));
	if (d)
		closedir(d);
}

static int count_entry(void *data, const struct reflog_entry *e)
{
	must(!strchr(e->ident, '\n') && !strchr(e->msg, '\n'));
	++*(size_t *)data;
	return 0;
}

static int keep_entry(void *data, size_t i, size_t nr, const struct reflog_entry *e, struct err *err)
{
	(void)data, (void)e, (void)err;
	must(i < nr);
	return i % 3 != 1;
}

static struct fsync_batch *new_batch(void)
{
	struct fsync_batch_options o = { .policy = { .components = 0 } };

	return fsync_batch_new(&o);
}

static void rewrite_log(struct ref_store *rs, const char *name)
{
	size_t oldest = 0, newest = 0, after = 0;
	struct fsync_batch *b;
	int rc = reflog_foreach(rs, name, false, count_entry, &oldest, NULL);

	must(rc == reflog_foreach(rs, name, true, count_entry, &newest, NULL));
	if (rc < 0)
		return;
	must(oldest == newest);
	b = new_batch();
	rc = reflog_rewrite(rs, name, REFLOG_FIX_OLD, keep_entry, NULL, b, NULL);
	if (!rc)
		rc = fsync_batch_commit(b, NULL);
	fsync_batch_free(b);
	if (!rc)
		must(!reflog_foreach(rs, name, false, count_entry, &after, NULL) && after == oldest - (oldest + 1) / 3);
}

static int note_log(void *data, const char *name)
{
	string_list_append(data, name);
	return 0;
}

static void rewrite_logs(struct ref_store *rs)
{
	struct string_list names = STRING_LIST_INIT;

	if (!reflogs_foreach(rs, note_log, &names, NULL))
		for (size_t i = 0; i < names.nr && i < 3; i++)
			rewrite_log(rs, names.items[i].string);
	string_list_clear(&names, NULL);
}

static void change_refs(struct ref_store *rs)
{
	struct ref_transaction *t = ref_transaction_begin(rs, REF_TRANSACTION_ALLOW_FAILURE);
	struct fsync_batch *b = new_batch();
	struct object_id oid = rs->algo->null_oid, now;
	char *target = NULL;

	oid.hash[0] = 7;
	ref_transaction_set_ident(t, IDENT);
	must(!ref_transaction_update(t, "refs/heads/f", &oid, NULL, REF_NO_DEREF, "m", NULL) &&
	     !ref_transaction_update(t, "refs/heads/gone", &rs->algo->null_oid, NULL, REF_NO_DEREF, NULL, NULL));
	if (!ref_transaction_prepare(t, b, NULL) && !ref_transaction_commit(t, NULL) && !t->updates[0]->rc) {
		must(!ref_read_raw(rs, "refs/heads/f", &now, &target, NULL) && !target && oid_eq(&now, &oid));
		must(t->updates[1]->rc || !ref_exists(rs, "refs/heads/gone"));
	}
	ref_transaction_free(t);
	fsync_batch_free(b);
}

static bool pack(struct ref_store *rs)
{
	struct refs_pack_options o = { .all = true };
	struct fsync_batch *b = new_batch();
	int rc = refs_pack(rs, &o, b, NULL);

	if (!rc)
		rc = fsync_batch_commit(b, NULL);
	fsync_batch_free(b);
	return !rc;
}

static void note_finding(void *data, const struct ref_finding *f)
{
	(void)data;
	must(f->where && f->text);
}

static void use_stack(const struct hash_algo *algo, uint8_t how)
{
	struct ref_store_options o = { .backend = &reftable_ref_backend, .gitdir = scratch_path("rt"), .algo = algo,
				       .reflogs = REFLOG_ALWAYS, .tables = options_of(how) };
	struct fsck_options checks = { .strict = true };
	struct ref_verify_options v = { .checks = &checks, .report = note_finding };
	struct strbuf before = STRBUF_INIT;
	struct ref_store *rs;
	size_t errors = 0;
	bool readable;

	must(!ref_store_open(&rs, &o, NULL));
	readable = !refs_verify(rs, &v, &errors, NULL) && !errors && read_values(rs, &before);
	change_refs(rs);
	check_no_lock();
	if (readable)
		check_values(rs, &before);
	rewrite_logs(rs);
	check_no_lock();
	if (pack(rs) && readable)
		must(!refs_verify(rs, &v, &errors, NULL));
	check_no_lock();
	if (readable)
		check_values(rs, &before);
	ref_store_free(rs);
	strbuf_release(&before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct hash_algo *algo;
	struct strbuf table = STRBUF_INIT;

	if (size < 2)
		return 0;
	algo = data[0] & SHA256 ? hash_sha256 : hash_sha1;
	if (data[0] & STACK) {
		write_stack(data + 2, size - 2, data[0]);
		use_stack(algo, data[1]);
		return 0;
	}
	strbuf_add(&table, data + 2, size - 2);
	if (data[0] & REPAIR)
		repair(&table);
	one_table(&table, algo, data[1]);
	strbuf_release(&table);
	return 0;
}
