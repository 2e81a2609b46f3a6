/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of a source of objects: each test of the first part runs with loose files, with packs, and with
 * a source in memory. Then a repository whose objects are in memory alone is fetched from and repacked.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "fs/file.h"
#include "fsync/batch.h"
#include "maintain/repack.h"
#include "odb/odb-internal.h"
#include "odb/upkeep.h"
#include "pack/receive/receive.h"
#include "refs/refs-backend.h"
#include "repo/repo.h"
#include "t/unit/odb-memory.h"
#include "t/unit/scratch.h"
#include "upload-pack.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)
#define NR 3

static const char *const texts[NR] = { "one\n", "two, which is longer\n", "three\n" };
static struct object_id blobs[NR], missing;
static struct odb *odb;
static struct odb_source *source; /* the one that is tested */

/* ---- the same objects in three sources ---- */

static struct fsync_batch *new_batch(void)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };

	return fsync_batch_new(&o);
}

/* Writes one object. publish: false: gives it up. */
static void write_object(struct odb *to, enum object_type type, const char *text, size_t size, bool publish,
			 struct object_id *oid)
{
	struct fsync_batch *b = new_batch();
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;

	MUST(odb_begin_batch(to, b, &err));
	MUST(odb_write(to, type, text, size, oid, &err));
	MUST(odb_read_type(to, oid, type, &buf, &err));
	assert_memory_equal(buf.data, text, size);
	object_buf_release(&buf);
	if (publish) {
		MUST(odb_stage_batch(to, &err));
		MUST(fsync_batch_commit(b, &err));
		odb_end_batch(to);
	} else {
		odb_abort_batch(to);
	}
	fsync_batch_free(b);
}

static struct odb *open_odb(const char *objdir, unsigned unpack_limit, bool in_memory)
{
	struct odb_options o = {
		.objdir = objdir, .algo = hash_sha1, .loose_level = 1, .pack_level = 1,
		.unpack_limit = unpack_limit, .use_multi_pack_index = true,
		.own = in_memory ? odb_source_memory_new(hash_sha1) : NULL,
	};
	struct err err = ERR_INIT;
	struct odb *out;

	MUST(odb_open(&out, &o, &err));
	return out;
}

static int set_up(void **state, enum odb_rank rank, unsigned unpack_limit, bool in_memory)
{
	if (scratch_setup(state))
		return -1;
	write_text(at(dir, "objects/pack/none"), "");
	write_text(at(dir, "objects/info/none"), "");
	odb = open_odb(at(dir, "objects"), unpack_limit, in_memory);
	for (int i = 0; i < NR; i++)
		write_object(odb, OBJ_BLOB, texts[i], strlen(texts[i]), true, &blobs[i]);
	missing = blobs[0];
	missing.hash[19] ^= 1;
	source = odb->stores.first->sources[rank];
	return 0;
}

static int in_loose_files(void **state)
{
	return set_up(state, ODB_RANK_FILES, 0, false);
}

static int in_packs(void **state)
{
	return set_up(state, ODB_RANK_INDEXED, 1, false);
}

static int in_memory(void **state)
{
	return set_up(state, ODB_RANK_INDEXED, 0, true);
}

static int tear_down(void **state)
{
	odb_free(odb);
	return scratch_teardown(state);
}

/* ---- the table ---- */

static void reads(void **state UNUSED)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;

	for (int i = 0; i < NR; i++) {
		MUST(source->ops->read(source, &blobs[i], 0, &buf, &err));
		assert_int_equal(buf.type, OBJ_BLOB);
		assert_int_equal(buf.size, strlen(texts[i]));
		assert_string_equal(buf.data, texts[i]);
		object_buf_release(&buf);
	}
	assert_int_equal(source->ops->read(source, &missing, 0, &buf, &err), ERR_NOT_FOUND);
	err_release(&err);
	MUST(source->ops->read(source, &blobs[1], strlen(texts[1]), &buf, &err));
	object_buf_release(&buf);
	assert_int_equal(source->ops->read(source, &blobs[1], strlen(texts[1]) - 1, &buf, &err), ERR_TOO_BIG);
	err_release(&err);
}

static void knows(void **state UNUSED)
{
	const unsigned wants[] = { OBJECT_INFO_TYPE, OBJECT_INFO_LOCATION };
	struct err err = ERR_INIT;
	struct object_info info;

	for (size_t i = 0; i < ARRAY_SIZE(wants); i++) {
		MUST(source->ops->info(source, &blobs[1], wants[i], &info, &err));
		assert_int_equal(info.type, OBJ_BLOB);
		assert_int_equal(info.size, strlen(texts[1]));
		assert_int_equal(source->ops->info(source, &missing, wants[i], &info, &err), ERR_NOT_FOUND);
		err_release(&err);
		assert_true(source->ops->has(source, &blobs[i], i));
		assert_false(source->ops->has(source, &missing, i));
		assert_true(source->ops->freshen(source, &blobs[i], NULL, i));
		assert_false(source->ops->freshen(source, &missing, NULL, i));
	}
	assert_true(info.disk_size > 0);
	assert_true(oid_is_null(&info.delta_base));
}

static int append(void *data, const void *p, size_t len, struct err *err UNUSED)
{
	strbuf_add(data, p, len);
	return 0;
}

static void streams(void **state UNUSED)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool any = false;

	assert_int_equal(source->ops->stream(source, &missing, append, &out, &any, &err), ERR_NOT_FOUND);
	assert_false(any);
	err_release(&err);
	MUST(source->ops->stream(source, &blobs[1], append, &out, &any, &err));
	assert_true(any);
	assert_string_equal(out.buf, texts[1]);
	strbuf_release(&out);
}

static int note_oid(void *data, const struct object_id *oid)
{
	oid_array_append(data, oid);
	return 0;
}

static int note_info(void *data, const struct object_id *oid, const struct object_info *info UNUSED)
{
	return note_oid(data, oid);
}

static int stop(void *data, const struct object_id *oid UNUSED)
{
	++*(int *)data;
	return ERR_CONFLICT;
}

static void lists(void **state UNUSED)
{
	struct oid_array all = OID_ARRAY_INIT, once = OID_ARRAY_INIT;
	struct err err = ERR_INIT;
	int calls = 0;

	MUST(source->ops->foreach(source, note_oid, &all, &err));
	assert_int_equal(all.nr, NR);
	oid_array_sort(&all);
	for (int i = 0; i < NR; i++)
		assert_true(oid_array_contains(&all, &blobs[i]));
	assert_int_equal(source->ops->foreach(source, stop, &calls, &err), ERR_CONFLICT);
	assert_int_equal(calls, 1);
	MUST(odb_foreach_once(odb, OBJECT_INFO_TYPE, note_info, &once, &err));
	assert_int_equal(once.nr, NR);
	oid_array_clear(&all);
	oid_array_clear(&once);
}

static void abbreviates(void **state UNUSED)
{
	struct oid_array found = OID_ARRAY_INIT;
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;

	MUST(source->ops->prefix_lookup(source, oid_hex(&blobs[2]), 8, &found, &err));
	assert_int_equal(found.nr, 1);
	assert_true(oid_eq(&found.oid[0], &blobs[2]));
	/* It differs from the first one in the last digit alone. */
	assert_int_equal(source->ops->unique_prefix_len(source, &missing), 40);
	assert_true(source->ops->unique_prefix_len(source, &blobs[2]) < 5);
	odb_abbrev(odb, &blobs[2], -1, &out);
	assert_int_equal(out.len, 7);
	oid_array_clear(&found);
	strbuf_release(&out);
}

static void takes_batches(void **state UNUSED)
{
	struct object_id oid;

	write_object(odb, OBJ_BLOB, "four\n", 5, false, &oid);
	assert_false(odb_has(odb, &oid));
	write_object(odb, OBJ_BLOB, "four\n", 5, true, &oid);
	assert_true(odb_has_quick(odb, &oid));
	assert_true(source->ops->has(source, &oid, true));
}

/* ---- a repository whose objects are in memory ---- */

static struct repository *repo;
static struct object_id commit;

static void write_history(struct odb *to)
{
	struct strbuf text = STRBUF_INIT;
	struct object_id blob, tree;

	write_object(to, OBJ_BLOB, texts[0], strlen(texts[0]), true, &blob);
	strbuf_addstr(&text, "100644 file");
	strbuf_addch(&text, 0);
	strbuf_add(&text, blob.hash, 20);
	write_object(to, OBJ_TREE, text.buf, text.len, true, &tree);
	strbuf_reset(&text);
	strbuf_addf(&text, "tree %s\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n", oid_hex(&tree));
	write_object(to, OBJ_COMMIT, text.buf, text.len, true, &commit);
	strbuf_release(&text);
}

static int repo_in_memory(void **state)
{
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (scratch_setup(state))
		return -1;
	write_text(at(dir, "r/HEAD"), "ref: refs/heads/main\n");
	write_text(at(dir, "r/config"), "[core]\n\tbare = true\n\trepositoryformatversion = 0\n");
	write_text(at(dir, "r/objects/pack/none"), "");
	write_text(at(dir, "r/refs/heads/none"), "");
	unlink(at(dir, "r/objects/pack/none"));
	unlink(at(dir, "r/refs/heads/none"));
	odb = open_odb(at(dir, "r/objects"), 0, true);
	write_history(odb);
	strbuf_addf(&line, "%s\n", oid_hex(&commit));
	write_text(at(dir, "r/refs/heads/main"), line.buf);
	strbuf_release(&line);
	MUST(repo_open_at(&repo, at(dir, "r"), NULL, &err));
	odb_free(repo->odb);
	repo->odb = odb;
	repo->refs->objects = odb_source(odb);
	return 0;
}

static int repo_done(void **state)
{
	repo_free(repo);
	return scratch_teardown(state);
}

/* Bytes of band 1 of the pkt-lines of a file, from "packfile" on. */
static void read_pack(const char *path, struct strbuf *pack)
{
	struct strbuf all = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool in_pack = false;
	size_t len;

	MUST(read_file(&all, path, 1 << 20, &err));
	for (size_t i = 0; i + 4 <= all.len; i += len) {
		char hex[5] = "";

		memcpy(hex, all.buf + i, 4);
		len = strtoul(hex, NULL, 16);
		if (len < 4) {
			len = 4;
			continue;
		}
		assert_true(i + len <= all.len);
		if (in_pack && all.buf[i + 4] == 1)
			strbuf_add(pack, all.buf + i + 5, len - 5);
		in_pack |= len >= 12 && !memcmp(all.buf + i + 4, "packfile", 8);
	}
	strbuf_release(&all);
}

static int is_in_memory(void *data, const struct object_id *oid)
{
	++*(int *)data;
	return odb_has_quick(odb, oid) ? 0 : ERR_NOT_FOUND;
}

static int is_sent_from_memory(void *data, const struct received_object *o)
{
	return is_in_memory(data, &o->oid);
}

static void is_fetched_from(void **state UNUSED)
{
	char *request = xstrfmt("0011command=fetch0016object-format=sha10001"
				"0031want %s" "0008done0000", oid_hex(&commit));
	struct upload_pack_options o = { .version = 2, .stateless_rpc = true };
	struct pack_receive_options ro = { .algo = hash_sha1, .threads = 1 };
	struct pack_receive *rx = pack_receive_new(&ro);
	struct strbuf pack = STRBUF_INIT;
	struct err err = ERR_INIT;
	int n = 0, fd;

	write_text(at(dir, "in"), request);
	o.in = open(at(dir, "in"), O_RDONLY);
	o.out = open(at(dir, "out"), O_WRONLY | O_CREAT, 0600);
	MUST(upload_pack_serve(repo, &o, &err));
	close(o.in);
	close(o.out);
	read_pack(at(dir, "out"), &pack);
	fd = new_file(at(dir, "x.pack"), "");
	assert_int_equal(write(fd, pack.buf, pack.len), (ssize_t)pack.len);
	close(fd);
	MUST(pack_receive_file(rx, at(dir, "x.pack"), &err));
	MUST(pack_receive_resolve(rx, &err));
	MUST(pack_receive_foreach(rx, is_sent_from_memory, &n, &err));
	assert_int_equal(n, 3);
	pack_receive_free(rx);
	strbuf_release(&pack);
	free(request);
}

/* A loose file that is not ours stays: no pack of ours has the object. */
static void write_stray_file(struct object_id *oid)
{
	struct odb *files = open_odb(at(dir, "r/objects"), 0, false);

	write_object(files, OBJ_BLOB, texts[2], strlen(texts[2]), true, oid);
	odb_free(files);
}

/* The new pack lies in the object directory, where any other database finds it. */
static void is_repacked(void **state UNUSED)
{
	struct object_id stray;
	struct repack_result result = { 0 };
	struct repack_options o;
	struct repo_operation *op;
	struct err err = ERR_INIT;
	struct odb *files;
	int n = 0;

	assert_false(odb_store_has_packs(odb, 0));
	assert_int_equal(odb_foreach_pack(odb, ODB_ALL, NULL, NULL), 0);
	assert_false(odb_is_packed(odb, &commit));
	write_stray_file(&stray);
	repack_options_init(&o, repo);
	MUST(repack_options_read(&o, repo, &err));
	o.all = o.delete_redundant = o.write_bitmap = true;
	o.midx = REPACK_MIDX_WHOLE;
	op = repo_operation_begin(repo);
	MUST(repo_operation_end(op, repack_run(op, repo, &o, &result, &err), &err));
	repack_options_release(&o);
	assert_int_equal(result.nr_packs, 1);
	assert_true(odb_has_quick(odb, &commit));
	files = open_odb(at(dir, "r/objects"), 0, false);
	assert_true(odb_is_packed(files, &commit));
	assert_true(odb_has(files, &stray));
	assert_false(odb_is_packed(files, &stray));
	MUST(files->stores.first->sources[ODB_RANK_INDEXED]->ops->foreach(
		files->stores.first->sources[ODB_RANK_INDEXED], is_in_memory, &n, &err));
	assert_int_equal(n, 3);
	odb_free(files);
}

#define EACH_SOURCE(f) \
	{ #f ": loose", f, in_loose_files, tear_down, NULL }, \
	{ #f ": packs", f, in_packs, tear_down, NULL }, \
	{ #f ": memory", f, in_memory, tear_down, NULL }

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH_SOURCE(reads),
		EACH_SOURCE(knows),
		EACH_SOURCE(streams),
		EACH_SOURCE(lists),
		EACH_SOURCE(abbreviates),
		EACH_SOURCE(takes_batches),
		cmocka_unit_test_setup_teardown(is_fetched_from, repo_in_memory, repo_done),
		cmocka_unit_test_setup_teardown(is_repacked, repo_in_memory, repo_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
