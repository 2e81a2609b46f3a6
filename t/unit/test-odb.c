/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The object database against repositories of stock git: loose and packed, with
 * alternates, corrupt copies with and without a good one elsewhere, prefixes.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <zlib.h>
#include "fs/file.h"
#include "object-file.h"
#include "odb/odb.h"
#include "t/unit/pack-aux.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

static struct warnings warnings = WARNINGS_INIT;

static void note_warning(void *data, const char *msg)
{
	struct warnings *w = data;

	strbuf_addf(&w->text, "%s\n", msg);
	w->nr++;
}

static struct odb *open_odb(const char *objdir, const char *env)
{
	struct odb_options o = {
		.objdir = objdir, .algo = hash_sha1, .alternates_env = env,
		.loose_level = 1, .pack_level = 1, .unpack_limit = 3,
		.use_multi_pack_index = true, .warn = note_warning, .report_error = note_warning,
		.warn_data = &warnings,
	};
	struct err err = ERR_INIT;
	struct odb *odb;

	warnings.nr = 0;
	strbuf_reset(&warnings.text);
	MUST(odb_open(&odb, &o, &err));
	return odb;
}

/* One line that a shell command prints. */
static struct object_id oid_from(const char *fmt, const char *arg)
{
	struct strbuf out = STRBUF_INIT;
	struct object_id oid;

	assert_int_equal(aux_sh(&out, fmt, arg), 0);
	strbuf_trim(&out);
	assert_int_equal(oid_from_hex(&oid, out.buf, hash_sha1), 0);
	strbuf_release(&out);
	return oid;
}

static struct object_id stock_blob(const char *repo, const char *text)
{
	char *cmd = xstrfmt("printf '%%s' '%s' | $GIT -C %s hash-object -w --stdin", text, repo);
	struct object_id oid = oid_from("%s", cmd);

	free(cmd);
	return oid;
}

static void expect_blob(struct odb *odb, const struct object_id *oid, const char *text)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;
	struct err err = ERR_INIT;

	assert_true(odb_has(odb, oid));
	MUST(odb_read(odb, oid, &buf, &err));
	assert_int_equal(buf.type, OBJ_BLOB);
	assert_string_equal(buf.data, text);
	object_buf_release(&buf);
	MUST(odb_info(odb, oid, &info, &err));
	assert_int_equal(info.type, OBJ_BLOB);
	assert_int_equal(info.size, strlen(text));
}

static void init(const char *repo)
{
	aux_must("rm -rf %s && $GIT init -q %s", repo, repo);
}

/* ---- alternates ---- */

static void alternates(void **state UNUSED)
{
	struct object_id a, b, c, d;
	struct odb *odb;
	char *env, *here = realpath(".", NULL), *path, *text;

	init("a");
	init("b");
	init("c");
	init("'od d'");
	a = stock_blob("a", "in a");
	b = stock_blob("b", "in b");
	c = stock_blob("c", "in c");
	d = stock_blob("'od d'", "in d");
	aux_must("printf '# comment\\n\\n../../../b/.git/objects/\\n' >a/.git/objects/info/alternates");
	aux_must("printf '%%s\\n' \"$PWD/c/.git/objects\" ../../../a/.git/objects >b/.git/objects/info/alternates");
	env = xstrfmt("nowhere:\"od\\040d/.git/objects\":%s", "c/.git/objects");
	odb = open_odb("a/.git/objects", env);
	expect_blob(odb, &a, "in a");
	expect_blob(odb, &b, "in b");
	expect_blob(odb, &c, "in c");
	expect_blob(odb, &d, "in d");
	assert_int_equal(odb_nr_alternates(odb), 3);
	path = xstrfmt("%s/od d/.git/objects", here);
	assert_string_equal(odb_alternate(odb, 0), path);
	assert_null(odb_alternate(odb, 3));
	assert_int_equal(warnings.nr, 1);
	text = xstrfmt("object directory %s/nowhere does not exist; check .git/objects/info/alternates\n",
		       here);
	assert_string_equal(warnings.text.buf, text);
	odb_free(odb);
	free(text);
	free(path);
	free(here);
	free(env);
}

static void alternates_nest_so_far(void **state UNUSED)
{
	struct odb *odb;

	for (int i = 0; i < 9; i++) {
		aux_must("mkdir -p n%d/objects/info n%d/objects/pack", i, i);
		aux_must("echo ../../n%d/objects >n%d/objects/info/alternates", i + 1, i);
	}
	aux_must("mkdir -p n9/objects/info n9/objects/pack");
	odb = open_odb("n0/objects", NULL);
	assert_int_equal(odb_nr_alternates(odb), 6);
	assert_non_null(strstr(warnings.text.buf, "n6/objects: ignoring alternate object stores, "
			       "nesting too deep"));
	odb_free(odb);
}

/* ---- every object ---- */

static int count_one(void *data, const struct object_id *oid UNUSED)
{
	(*(size_t *)data)++;
	return 0;
}

static void everything_reads(void **state UNUSED)
{
	struct strbuf list = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct odb *odb;
	size_t nr = 0, seen = 0;

	aux_must("rm -rf all");
	aux_make_repo("all", "sha1");
	aux_must("cd all && echo x >loose1 && $GIT add . && $GIT commit -qm loose && "
		 "$GIT tag -a -m t v2");
	assert_int_equal(aux_sh(&list, "$GIT -C all cat-file --batch-all-objects --batch-check"), 0);
	odb = open_odb("all/.git/objects", NULL);
	for (char *line = strtok(list.buf, "\n"); line; line = strtok(NULL, "\n"), nr++) {
		struct object_buf buf = OBJECT_BUF_INIT;
		struct object_id oid, actual;
		struct object_info info;
		char type[16];
		unsigned long size;

		line[40] = 0;
		assert_int_equal(oid_from_hex(&oid, line, hash_sha1), 0);
		assert_int_equal(sscanf(line + 41, "%15s %lu", type, &size), 2);
		MUST(odb_read(odb, &oid, &buf, &err));
		assert_int_equal(hash_object_buf(hash_sha1, type, buf.data, buf.size, &actual, NULL), 0);
		assert_true(oid_eq(&oid, &actual));
		MUST(odb_info(odb, &oid, &info, &err));
		assert_string_equal(object_type_name(info.type), type);
		assert_int_equal(info.size, size);
		object_buf_release(&buf);
	}
	MUST(odb_foreach(odb, 0, count_one, &seen, &err));
	assert_true(seen >= nr);
	assert_true(nr > 100);
	odb_free(odb);
	strbuf_release(&list);
}

/* ---- prefixes ---- */

static void prefixes(void **state UNUSED)
{
	struct oid_array found = OID_ARRAY_INIT;
	struct strbuf short_name = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct object_id a, b;
	struct odb *odb;
	char hex[HASH_MAX_HEX + 1];

	init("p");
	a = stock_blob("p", "p1076");
	b = a;
	odb = open_odb("p/.git/objects", NULL);
	oid_to_hex_r(hex, &a);
	MUST(odb_prefix_lookup(odb, hex, 4, &found, &err));
	assert_int_equal(found.nr, 1);
	assert_true(oid_eq(&found.oid[0], &a));
	assert_int_equal(odb_prefix_lookup(odb, "xyz0", 4, &found, &err), ERR_INVALID);
	err_release(&err);
	odb_abbrev(odb, &a, 4, &short_name);
	assert_int_equal(short_name.len, 4);
	strbuf_reset(&short_name);
	odb_abbrev(odb, &a, -1, &short_name);
	assert_int_equal(short_name.len, 7);
	strbuf_reset(&short_name);
	/* a neighbour that differs in the last digit of nine */
	b.hash[4] ^= 0x10;
	{
		struct strbuf path = STRBUF_INIT;

		loose_object_path(&path, "p/.git/objects", &b);
		aux_write(path.buf, "x", 1);
		strbuf_release(&path);
	}
	odb_free(odb);
	odb = open_odb("p/.git/objects", NULL);
	odb_abbrev(odb, &a, 4, &short_name);
	assert_int_equal(short_name.len, 9);
	assert_memory_equal(short_name.buf, hex, 9);
	oid_array_clear(&found);
	MUST(odb_prefix_lookup(odb, hex, 8, &found, &err));
	assert_int_equal(found.nr, 2);
	strbuf_reset(&short_name);
	odb_abbrev(odb, &a, 0, &short_name);
	assert_int_equal(short_name.len, 40);
	oid_array_clear(&found);
	strbuf_release(&short_name);
	odb_free(odb);
}

/* ---- corrupt loose objects ---- */

static char *loose_path(const char *repo, const struct object_id *oid)
{
	struct strbuf path = STRBUF_INIT;
	char *objdir = xstrfmt("%s/.git/objects", repo);

	loose_object_path(&path, objdir, oid);
	free(objdir);
	return strbuf_detach(&path, NULL);
}

static void write_deflated(const char *path, const char *p, size_t len)
{
	unsigned char out[8192];
	uLongf out_len = sizeof(out);

	assert_int_equal(compress(out, &out_len, (const unsigned char *)p, len), Z_OK);
	unlink(path);
	aux_write(path, (const char *)out, out_len);
}

static void expect_corrupt(struct odb *odb, const struct object_id *oid, const char *path,
			   const char *msg)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	struct strbuf want = STRBUF_INIT;

	assert_int_equal(odb_read(odb, oid, &buf, &err), ERR_CORRUPT);
	assert_null(buf.data);
	strbuf_addf(&want, msg, path);
	if (!starts_with(err_message(&err), "object file") &&
	    !strstr(err_message(&err), "hash-path"))
		strbuf_insert(&want, 0, "is corrupt: ", 12);
	if (!strstr(err_message(&err), want.buf) || !strstr(err_message(&err), path))
		fail_msg("'%s' instead of '%s'", err_message(&err), want.buf);
	err_release(&err);
	strbuf_release(&want);
}

/* Beyond a few questions the answers come from a list of the directory. */
static void an_empty_file_in_a_list(void **state UNUSED)
{
	struct object_id empty, gone, missing;
	struct odb *odb;

	aux_must("rm -rf l && mkdir -p l/12");
	aux_write("l/12/34567890123456789012345678901234567890", "", 0);
	aux_write("l/12/44567890123456789012345678901234567890", "x", 1);
	assert_int_equal(oid_from_hex(&empty, "1234567890123456789012345678901234567890", hash_sha1), 0);
	assert_int_equal(oid_from_hex(&gone, "1244567890123456789012345678901234567890", hash_sha1), 0);
	assert_int_equal(oid_from_hex(&missing, "1254567890123456789012345678901234567890", hash_sha1), 0);
	odb = open_odb("l", NULL);
	for (int i = 0; i < 20; i++) {
		assert_false(odb_has_quick(odb, &missing));
		assert_false(odb_has_quick(odb, &empty));
		assert_true(odb_has_quick(odb, &gone));
	}
	aux_must("rm l/12/44567890123456789012345678901234567890");
	assert_false(odb_has_quick(odb, &gone));
	odb_free(odb);
}

static void corrupt_loose(void **state UNUSED)
{
	struct object_id oid;
	struct strbuf good = STRBUF_INIT;
	struct object_info info;
	struct odb *odb;
	char *path;

	init("x");
	oid = stock_blob("x", "some content");
	path = loose_path("x", &oid);
	aux_read(&good, path);
	odb = open_odb("x/.git/objects", NULL);
	expect_blob(odb, &oid, "some content");

	unlink(path);
	aux_write(path, "", 0);
	expect_corrupt(odb, &oid, path, "object file %s is empty");
	assert_int_equal(odb_info(odb, &oid, &info, NULL), ERR_CORRUPT);
	assert_false(odb_has(odb, &oid)); /* so that it is written again */

	for (size_t cut = 1; cut < good.len; cut++) {
		struct object_buf buf = OBJECT_BUF_INIT;

		aux_write(path, good.buf, cut);
		assert_int_equal(odb_read(odb, &oid, &buf, NULL), ERR_CORRUPT);
	}
	aux_write(path, good.buf, 5);
	expect_corrupt(odb, &oid, path, "malformed object header");
	aux_write(path, good.buf, good.len - 1);
	expect_corrupt(odb, &oid, path, "unable to unpack contents");
	aux_write(path, "hello", 5);
	expect_corrupt(odb, &oid, path, "unable to unpack header");
	strbuf_addstr(&good, "zz");
	aux_write(path, good.buf, good.len);
	expect_corrupt(odb, &oid, path, "garbage at end of loose object");
	write_deflated(path, "blob 12\0other content", 20);
	expect_corrupt(odb, &oid, path, "hash-path mismatch, found at: %s");
	write_deflated(path, "blob 13\0some content", 20);
	expect_corrupt(odb, &oid, path, "its size differs from its header");
	write_deflated(path, "blob 11\0some content", 20);
	expect_corrupt(odb, &oid, path, "its size differs from its header");
	write_deflated(path, "blub 12\0some content", 20);
	expect_corrupt(odb, &oid, path, "invalid object type \"blub\"");
	write_deflated(path, "blob 9999999999999999\0x", 23);
	expect_corrupt(odb, &oid, path, "its size differs from its header");
	odb_free(odb);
	strbuf_release(&good);
	free(path);
}

static void big_corrupt_loose(void **state UNUSED)
{
	struct object_id oid;
	struct strbuf good = STRBUF_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	struct odb *odb;
	char *path;

	init("big");
	oid = oid_from("head -c 300000 /dev/urandom >big/f && $GIT -C big hash-object -w %s", "f");
	path = loose_path("big", &oid);
	aux_read(&good, path);
	odb = open_odb("big/.git/objects", NULL);
	MUST(odb_read(odb, &oid, &buf, &err));
	assert_int_equal(buf.size, 300000);
	object_buf_release(&buf);
	unlink(path);
	aux_write(path, good.buf, good.len - 1000);
	assert_int_equal(odb_read(odb, &oid, &buf, NULL), ERR_CORRUPT);
	good.buf[100000] ^= 1;
	aux_write(path, good.buf, good.len);
	assert_int_equal(odb_read(odb, &oid, &buf, NULL), ERR_CORRUPT);
	odb_free(odb);
	strbuf_release(&good);
	free(path);
}

static int swallow(void *data, const void *p, size_t len, struct err *err UNUSED)
{
	strbuf_add(data, p, len);
	return 0;
}

static void other_copy_is_used(void **state UNUSED)
{
	struct strbuf got = STRBUF_INIT;
	struct object_id oid;
	struct object_info info;
	struct err err = ERR_INIT;
	struct odb *odb;
	char *path;

	init("y");
	init("z");
	oid = stock_blob("y", "twice");
	stock_blob("z", "twice");
	aux_must("echo ../../../z/.git/objects >y/.git/objects/info/alternates");
	path = loose_path("y", &oid);
	unlink(path);
	aux_write(path, "", 0);
	odb = open_odb("y/.git/objects", NULL);
	expect_blob(odb, &oid, "twice");
	assert_true(warnings.nr >= 1);
	assert_non_null(strstr(warnings.text.buf, "is empty"));
	assert_non_null(strstr(warnings.text.buf, path));
	MUST(odb_info(odb, &oid, &info, &err));
	MUST(odb_stream(odb, &oid, swallow, &got, &err));
	assert_string_equal(got.buf, "twice");
	odb_free(odb);
	strbuf_release(&got);
	free(path);
}

/* ---- streams ---- */

static void streams(void **state UNUSED)
{
	struct strbuf got = STRBUF_INIT, want = STRBUF_INIT, file = STRBUF_INIT;
	struct object_id oid;
	struct err err = ERR_INIT;
	struct odb *odb;
	char *path;

	init("s");
	oid = oid_from("seq 1 90000 >s/f && $GIT -C s hash-object -w %s", "f");
	aux_read(&want, "s/f");
	odb = open_odb("s/.git/objects", NULL);
	MUST(odb_stream(odb, &oid, swallow, &got, &err));
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.buf, want.buf, want.len);
	strbuf_reset(&got);

	path = loose_path("s", &oid);
	aux_read(&file, path);
	unlink(path);
	aux_write(path, file.buf, file.len - 5000);
	assert_int_equal(odb_stream(odb, &oid, swallow, &got, &err), ERR_CORRUPT);
	assert_true(got.len > 0 && got.len < want.len);
	err_release(&err);
	aux_write(path, file.buf, file.len);
	odb_free(odb);

	/* and from a pack */
	aux_must("cd s && echo %s f | $GIT pack-objects -q .git/objects/pack/pack >/dev/null && "
		 "$GIT prune-packed", oid_hex(&oid));
	odb = open_odb("s/.git/objects", NULL);
	strbuf_reset(&got);
	MUST(odb_stream(odb, &oid, swallow, &got, &err));
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.buf, want.buf, want.len);
	odb_free(odb);
	strbuf_release(&got);
	strbuf_release(&want);
	strbuf_release(&file);
	free(path);
}

/* ---- writing ---- */

static void batches(void **state UNUSED)
{
	struct fsync_batch_options fo = { .policy = FSYNC_POLICY_DEFAULT };
	struct fsync_batch *fb = fsync_batch_new(&fo);
	struct object_id oid[5], known;
	struct err err = ERR_INIT;
	struct odb *odb, *other;
	struct stat before, after;
	struct timespec old[2] = { { 1000000000, 0 }, { 1000000000, 0 } };
	char *path;

	init("w");
	known = stock_blob("w", "known");
	path = loose_path("w", &known);
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	assert_int_equal(stat(path, &before), 0);
	odb = open_odb("w/.git/objects", NULL);
	other = open_odb("w/.git/objects", NULL);
	MUST(odb_begin_batch(odb, fb, &err));
	assert_int_equal(odb_begin_batch(odb, fb, &err), ERR_INVALID);
	err_release(&err);
	MUST(odb_write(odb, OBJ_BLOB, "known", 5, &oid[0], &err));
	assert_true(oid_eq(&oid[0], &known));
	assert_int_equal(bulk_checkin_count(odb_batch(odb)), 0);
	/* its mtime has been updated instead */
	assert_int_equal(stat(path, &after), 0);
	assert_true(after.st_mtime > before.st_mtime);
	for (int i = 0; i < 5; i++) {
		char text[2] = { (char)('a' + i), 0 };

		MUST(odb_write(odb, OBJ_BLOB, text, 1, &oid[i], &err));
		expect_blob(odb, &oid[i], text);
		assert_false(odb_has(other, &oid[i]));
	}
	MUST(odb_stage_batch(odb, &err));
	assert_false(odb_has(other, &oid[0]));
	MUST(fsync_batch_commit(fb, &err));
	expect_blob(odb, &oid[4], "e");
	odb_end_batch(odb);
	assert_null(odb_batch(odb));
	expect_blob(odb, &oid[4], "e");
	expect_blob(other, &oid[4], "e");
	/* an object in a pack is not written again either; the pack's mtime is updated */
	{
		char *pack = aux_glob("w/.git/objects/pack/*.pack");

		assert_int_equal(utimensat(AT_FDCWD, pack, old, 0), 0);
		MUST(odb_begin_batch(odb, fb, &err));
		MUST(odb_write(odb, OBJ_BLOB, "a", 1, &oid[0], &err));
		assert_int_equal(bulk_checkin_count(odb_batch(odb)), 0);
		odb_end_batch(odb);
		assert_int_equal(stat(pack, &after), 0);
		assert_true(after.st_mtime > old[0].tv_sec);
		free(pack);
	}
	aux_must("$GIT -C w fsck --strict --no-dangling");
	/* three or more new ones are a pack; "known" stays loose */
	aux_must("$GIT -C w count-objects -v | grep -q '^in-pack: 5$'");
	aux_must("$GIT -C w count-objects -v | grep -q '^count: 1$'");
	odb_free(odb);
	odb_free(other);
	fsync_batch_free(fb);
	free(path);
}

/* ---- other ---- */

static void missing(void **state UNUSED)
{
	struct object_id oid = hash_sha1->null_oid;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err err = ERR_INIT;
	struct odb *odb;

	init("m");
	odb = open_odb("m/.git/objects", NULL);
	assert_int_equal(odb_read(odb, &oid, &buf, &err), ERR_NOT_FOUND);
	assert_string_equal(err_message(&err),
			    "object 0000000000000000000000000000000000000000 not found");
	err_release(&err);
	assert_false(odb_has(odb, &oid));
	/* always there */
	MUST(odb_read(odb, &hash_sha1->empty_tree, &buf, &err));
	assert_int_equal(buf.type, OBJ_TREE);
	assert_int_equal(odb_read_type(odb, &hash_sha1->empty_tree, OBJ_BLOB, &buf, &err),
			 ERR_INVALID);
	err_release(&err);
	object_buf_release(&buf);
	odb_free(odb);
}

static void finds_new_pack(void **state UNUSED)
{
	struct object_id oid;
	struct odb *odb;

	init("r");
	oid = stock_blob("r", "moves");
	odb = open_odb("r/.git/objects", NULL);
	expect_blob(odb, &oid, "moves");
	aux_must("cd r && echo %s | $GIT pack-objects -q .git/objects/pack/pack >/dev/null && "
		 "$GIT prune-packed", oid_hex(&oid));
	expect_blob(odb, &oid, "moves");
	odb_free(odb);
}

struct reading {
	struct odb *odb;
	struct object_id *oids;
	int bad;
};

static void *read_all(void *data)
{
	struct reading *r = data;

	for (int i = 0; i < 300; i++) {
		struct object_buf buf = OBJECT_BUF_INIT;

		if (odb_read(r->odb, &r->oids[i % 30], &buf, NULL) < 0)
			r->bad++;
		object_buf_release(&buf);
		odb_has(r->odb, &hash_sha1->null_oid);
	}
	return NULL;
}

static void threads_read(void **state UNUSED)
{
	struct object_id oids[30];
	struct reading r[4];
	pthread_t t[4];
	struct odb *odb;

	init("t");
	for (int i = 0; i < 30; i++) {
		char text[20];

		snprintf(text, sizeof(text), "text %d", i);
		oids[i] = stock_blob("t", text);
		if (i == 15)
			aux_must("cd t && find .git/objects -type f | sed -n "
				 "'s,.*/\\(..\\)/\\([0-9a-f]*\\)$,\\1\\2,p' | "
				 "$GIT pack-objects -q .git/objects/pack/pack && $GIT prune-packed");
	}
	odb = open_odb("t/.git/objects", NULL);
	for (int i = 0; i < 4; i++) {
		r[i] = (struct reading){ odb, oids, 0 };
		pthread_create(&t[i], NULL, read_all, &r[i]);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], NULL);
		assert_int_equal(r[i].bad, 0);
	}
	odb_free(odb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alternates),
		cmocka_unit_test(alternates_nest_so_far),
		cmocka_unit_test(everything_reads),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(an_empty_file_in_a_list),
		cmocka_unit_test(corrupt_loose),
		cmocka_unit_test(big_corrupt_loose),
		cmocka_unit_test(other_copy_is_used),
		cmocka_unit_test(streams),
		cmocka_unit_test(batches),
		cmocka_unit_test(missing),
		cmocka_unit_test(finds_new_pack),
		cmocka_unit_test(threads_read),
	};
	int rc;

	if (!aux_have_stock()) {
		printf("1..0 # SKIP no stock git\n");
		return 0;
	}
	aux_enter_dir();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	strbuf_release(&warnings.text);
	return rc;
}
