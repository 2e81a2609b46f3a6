/* SPDX-License-Identifier: GPL-2.0-only */
/* The index: round trips in every version, and files that are not to be trusted. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "index/cache-tree.h"
#include "index/index-internal.h"
#include "index/index.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"
#include "util/strbuf.h"

static char *path;

static int set_up(void **state)
{
	scratch_setup(state);
	path = xstrfmt("%s/index", dir);
	return 0;
}

static int tear_down(void **state)
{
	FREE_AND_NULL(path);
	return scratch_teardown(state);
}

static void save(const void *p, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, len), len);
	close(fd);
}

static void load(struct strbuf *out)
{
	FILE *fp = fopen(path, "r");
	int c;

	assert_non_null(fp);
	strbuf_reset(out);
	while ((c = getc(fp)) != EOF)
		strbuf_addch(out, c);
	fclose(fp);
}

static struct index_entry *entry(struct index_state *ix, const char *name, unsigned stage)
{
	struct object_id oid;
	struct index_entry *e;

	hash_buf(ix->algo, name, strlen(name), &oid);
	oid.hash[0] = (unsigned char)stage;
	e = index_entry_new(ix, MODE_FILE, &oid, name, strlen(name), stage);
	e->stat.mtime_sec = 12345;
	e->stat.ctime_nsec = 999;
	e->stat.ino = 77;
	e->stat.dev = 5;
	e->stat.uid = 1000;
	e->stat.gid = 1001;
	e->stat.size = (uint32_t)strlen(name);
	return e;
}

static void add(struct index_state *ix, const char *name, unsigned stage)
{
	struct err err = ERR_INIT;
	int ret = index_add(ix, entry(ix, name, stage), INDEX_ADD_REPLACE, 0, &err);

	if (ret)
		fail_msg("%s", err_message(&err));
}

static void write_to_path(struct index_state *ix, int version, bool skip_hash)
{
	struct index_write_options o = { .version = version, .skip_hash = skip_hash };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);

	assert_true(fd >= 0);
	assert_int_equal(index_write_fd(ix, fd, path, &o, NULL), 0);
	close(fd);
}

static void read_from_path(struct index_state *ix, const struct hash_algo *algo)
{
	struct err err = ERR_INIT;

	if (index_read(ix, path, algo, NULL, &err))
		fail_msg("%s", err_message(&err));
}

static void assert_same(const struct index_state *a, const struct index_state *b)
{
	assert_int_equal(a->nr, b->nr);
	for (size_t i = 0; i < a->nr; i++) {
		const struct index_entry *x = a->entries[i], *y = b->entries[i];

		assert_string_equal(x->name, y->name);
		assert_int_equal(x->name_len, y->name_len);
		assert_int_equal(x->mode, y->mode);
		assert_int_equal(x->stage, y->stage);
		assert_true(oid_eq(&x->oid, &y->oid));
		assert_int_equal(x->flags & ~CE_NEW, y->flags & ~CE_NEW);
		assert_memory_equal(&x->stat, &y->stat, sizeof(x->stat));
	}
}

static char *long_name(size_t len)
{
	char *s = xmalloc(len + 1);

	for (size_t i = 0; i < len; i++)
		s[i] = i % 50 == 49 ? '/' : (char)('a' + i % 26);
	s[len - 1] = 'z';
	s[len] = '\0';
	return s;
}

static void fill(struct index_state *ix, const struct hash_algo *algo)
{
	static const size_t lengths[] = { 2, 7, 8, 9, 62, 4094, 4095, 4096, 5000 };

	index_init(ix, algo);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		char *s = long_name(lengths[i]);

		s[0] = (char)('A' + i);
		add(ix, s, 0);
		free(s);
	}
	add(ix, "conflict", 1);
	add(ix, "conflict", 2);
	add(ix, "conflict", 3);
	add(ix, "dir/a", 0);
	add(ix, "dir/b", 0);
	add(ix, "dir.c", 0);
	add(ix, "resolved", 1);
	add(ix, "resolved", 3);
	add(ix, "resolved", 0);
}

static void round_trip(const struct hash_algo *algo, int version, bool flags, bool skip_hash)
{
	struct index_state ix, back;

	fill(&ix, algo);
	ix.entries[0]->flags |= CE_ASSUME_VALID;
	if (flags) {
		ix.entries[1]->flags |= CE_INTENT_TO_ADD;
		ix.entries[2]->flags |= CE_SKIP_WORKTREE;
	}
	write_to_path(&ix, version, skip_hash);
	read_from_path(&back, algo);
	assert_int_equal(back.version, version == 4 ? 4 : flags ? 3 : 2);
	assert_same(&ix, &back);
	assert_int_equal(oid_is_null(&back.checksum), skip_hash);
	assert_non_null(resolve_undo_find(&back, "resolved"));
	assert_int_equal(resolve_undo_find(&back, "resolved")->mode[1], 0);
	assert_int_equal(resolve_undo_find(&back, "resolved")->mode[2], MODE_FILE);
	index_release(&ix);
	index_release(&back);
}

static void test_round_trips(void **state)
{
	(void)state;
	for (int version = 2; version <= 4; version++)
		for (int bits = 0; bits < 8; bits++)
			round_trip(bits & 1 ? hash_sha256 : hash_sha1, version, bits & 2, bits & 4);
}

static void test_missing_file_is_an_empty_index(void **state)
{
	struct index_state ix;

	(void)state;
	unlink(path);
	read_from_path(&ix, hash_sha1);
	assert_int_equal(ix.nr, 0);
	assert_int_equal(ix.version, 0);
	index_release(&ix);
}

/* ---- hostile files ---- */

static int try_read(const struct hash_algo *algo, struct err *err)
{
	struct index_state ix;
	int ret = index_read(&ix, path, algo, NULL, err);

	if (!ret)
		index_release(&ix);
	return ret;
}

static void make_file(struct strbuf *file, int version, bool skip_hash)
{
	struct index_state ix;

	index_init(&ix, hash_sha1);
	add(&ix, "conflict", 1);
	add(&ix, "conflict", 2);
	add(&ix, "dir/a", 0);
	add(&ix, "dir/bcd", 0);
	add(&ix, "resolved", 1);
	add(&ix, "resolved", 0);
	ix.entries[0]->flags |= CE_SKIP_WORKTREE;
	assert_int_equal(cache_tree_read(&ix.cache_tree, "\0-1 1\ndir\0-1 0\n", 15, hash_sha1,
					 NULL), 0);
	write_to_path(&ix, version, skip_hash);
	index_release(&ix);
	load(file);
}

static void test_truncation(void **state)
{
	struct strbuf file = STRBUF_INIT;

	(void)state;
	for (int version = 2; version <= 4; version += 2) {
		make_file(&file, version, false);
		assert_int_equal(try_read(hash_sha1, NULL), 0);
		for (size_t len = 0; len < file.len; len++) {
			struct err err = ERR_INIT;

			save(file.buf, len);
			assert_int_equal(try_read(hash_sha1, &err), ERR_CORRUPT);
			assert_non_null(strstr(err_message(&err), path));
			err_release(&err);
		}
	}
	strbuf_release(&file);
}

/* Without a checksum the parser is on its own. */
static void test_truncation_without_checksum(void **state)
{
	struct strbuf file = STRBUF_INIT, part = STRBUF_INIT;

	(void)state;
	for (int version = 2; version <= 4; version += 2) {
		make_file(&file, version, true);
		for (size_t len = 0; len < file.len - 20; len++) {
			strbuf_reset(&part);
			strbuf_add(&part, file.buf, len);
			strbuf_addchars(&part, 0, 20);
			save(part.buf, part.len);
			/* a whole extension less is no error */
			try_read(hash_sha1, NULL);
			if (len < 5 * 64)
				assert_int_equal(try_read(hash_sha1, NULL), ERR_CORRUPT);
		}
	}
	strbuf_release(&file);
	strbuf_release(&part);
}

/* A checksum finds each flipped bit; without one no flip does harm. */
static void test_bit_flips(void **state)
{
	struct strbuf file = STRBUF_INIT;

	(void)state;
	for (int version = 2; version <= 4; version += 2)
		for (int skip_hash = 0; skip_hash <= 1; skip_hash++) {
			make_file(&file, version, skip_hash);
			for (size_t i = 0; i < file.len * 8; i++) {
				int ret;

				file.buf[i / 8] = (char)(file.buf[i / 8] ^ (1 << i % 8));
				save(file.buf, file.len);
				ret = try_read(hash_sha1, NULL);
				if (!skip_hash)
					assert_int_equal(ret, ERR_CORRUPT);
				file.buf[i / 8] = (char)(file.buf[i / 8] ^ (1 << i % 8));
			}
		}
	strbuf_release(&file);
}

static void patch_be32(struct strbuf *file, size_t at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		file->buf[at + (size_t)i] = (char)(v >> (24 - 8 * i));
}

static void expect(const struct strbuf *file, int code, const char *words)
{
	struct err err = ERR_INIT;

	save(file->buf, file->len);
	assert_int_equal(try_read(hash_sha1, &err), code);
	if (!strstr(err_message(&err), words))
		fail_msg("'%s' does not say '%s'", err_message(&err), words);
	err_release(&err);
}

static void test_header(void **state)
{
	static const uint32_t counts[] = { 7, 1000, 0x10000000, 0x7fffffff, 0x80000000,
					   0xffffffff };
	struct strbuf file = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		make_file(&file, 2, true);
		patch_be32(&file, 8, counts[i]);
		expect(&file, ERR_CORRUPT, "index file corrupt");
	}
	make_file(&file, 2, true);
	patch_be32(&file, 4, 5);
	expect(&file, ERR_UNSUPPORTED, "bad index version 5");
	patch_be32(&file, 4, 1);
	expect(&file, ERR_UNSUPPORTED, "bad index version 1");
	patch_be32(&file, 0, 0);
	expect(&file, ERR_CORRUPT, "bad signature");
	make_file(&file, 2, false);
	file.buf[file.len - 1] ^= 1;
	expect(&file, ERR_CORRUPT, "bad checksum");
	strbuf_release(&file);
}

static void add_extension(struct strbuf *file, const char *sig, const char *data, size_t len)
{
	char head[8] = { 0 };

	strbuf_setlen(file, file->len - 20);
	memcpy(head, sig, 4);
	head[6] = (char)(len >> 8);
	head[7] = (char)len;
	strbuf_add(file, head, 8);
	strbuf_add(file, data, len);
	strbuf_addchars(file, 0, 20);
}

static void test_extensions(void **state)
{
	struct strbuf file = STRBUF_INIT;

	(void)state;
	make_file(&file, 2, true);
	add_extension(&file, "XYZW", "whatever", 8);
	expect(&file, 0, "");
	make_file(&file, 2, true);
	add_extension(&file, "xyzw", "whatever", 8);
	expect(&file, ERR_UNSUPPORTED, "index uses xyzw extension, which we do not understand");
	make_file(&file, 2, true);
	add_extension(&file, "link", "whatever", 8);
	expect(&file, ERR_UNSUPPORTED, "is split");
	make_file(&file, 2, true);
	add_extension(&file, "sdir", "", 0);
	expect(&file, 0, "");
	make_file(&file, 2, true);
	add_extension(&file, "REUC", "a", 1);
	expect(&file, ERR_CORRUPT, "index file corrupt");
	strbuf_release(&file);
}

static void test_resolve_undo_is_checked(void **state)
{
	static const char good[] = "a\0" "100644\0" "0\0" "0\0" "12345678901234567890";
	struct resolve_undo *ru;

	(void)state;
	for (size_t len = 1; len < sizeof(good) - 1; len++)
		assert_int_equal(resolve_undo_read(&ru, good, len, hash_sha1, NULL), ERR_CORRUPT);
	assert_int_equal(resolve_undo_read(&ru, good, sizeof(good) - 1, hash_sha1, NULL), 0);
	resolve_undo_free(&ru);
	assert_int_equal(resolve_undo_read(&ru, "a\0008\0000\0000", 8, hash_sha1, NULL),
			 ERR_CORRUPT);
}

static void test_stale_extensions_are_dropped(void **state)
{
	struct strbuf file = STRBUF_INIT;
	struct index_state ix;

	(void)state;
	make_file(&file, 2, true);
	add_extension(&file, "UNTR", "cache", 5);
	add_extension(&file, "FSMN", "bits", 4);
	save(file.buf, file.len);
	read_from_path(&ix, hash_sha1);
	write_to_path(&ix, 0, false);
	index_release(&ix);
	load(&file);
	assert_null(memmem(file.buf, file.len, "UNTR", 4));
	assert_null(memmem(file.buf, file.len, "FSMN", 4));
	assert_non_null(memmem(file.buf, file.len, "REUC", 4));
	assert_non_null(memmem(file.buf, file.len, "TREE", 4));
	strbuf_release(&file);
}

/* Version 4: every name repeats almost all of a long one. */
static void test_v4_names_cannot_fill_memory(void **state)
{
	enum { LONG = 1 << 20, ENTRIES = 20000 };
	struct strbuf file = STRBUF_INIT;
	char fixed[62] = { 0 };

	(void)state;
	strbuf_add(&file, "DIRC\0\0\0\4\0\0\0\0", 12);
	patch_be32(&file, 8, ENTRIES);
	fixed[26] = (char)0x81;
	fixed[27] = (char)0xa4;
	fixed[60] = 0x0f;
	fixed[61] = (char)0xff;
	for (int i = 0; i < ENTRIES; i++) {
		strbuf_add(&file, fixed, sizeof(fixed));
		strbuf_addch(&file, 0); /* nothing is taken away */
		if (!i)
			strbuf_addchars(&file, 'a', LONG);
		strbuf_add(&file, "x", 2);
	}
	strbuf_addchars(&file, 0, 20);
	expect(&file, ERR_CORRUPT, "names are too long");
	strbuf_release(&file);
}

/* ---- changing ---- */

static void names_are(const struct index_state *ix, const char *want)
{
	struct strbuf got = STRBUF_INIT;

	for (size_t i = 0; i < ix->nr; i++)
		strbuf_addf(&got, "%s%s:%d", i ? " " : "", ix->entries[i]->name,
			    ix->entries[i]->stage);
	assert_string_equal(got.buf, want);
	strbuf_release(&got);
}

static void test_file_directory_conflicts(void **state)
{
	struct index_state ix;
	struct err err = ERR_INIT;

	(void)state;
	index_init(&ix, hash_sha1);
	add(&ix, "a", 0);
	add(&ix, "a-b", 0);
	assert_int_equal(index_add(&ix, entry(&ix, "a/b", 0), 0, 0, &err), ERR_CONFLICT);
	assert_string_equal(err_message(&err), "'a/b' appears as both a file and as a directory");
	err_release(&err);
	add(&ix, "a/b", 0);
	add(&ix, "a/c/d", 0);
	names_are(&ix, "a-b:0 a/b:0 a/c/d:0");
	assert_int_equal(index_add(&ix, entry(&ix, "a", 0), 0, 0, NULL), ERR_CONFLICT);
	add(&ix, "a/c", 0);
	names_are(&ix, "a-b:0 a/b:0 a/c:0");
	add(&ix, "a", 0);
	names_are(&ix, "a:0 a-b:0");
	add(&ix, "a/b", 2); /* another stage: no conflict */
	names_are(&ix, "a:0 a-b:0 a/b:2");
	index_release(&ix);
}

static void test_stages(void **state)
{
	struct index_state ix;

	(void)state;
	index_init(&ix, hash_sha1);
	add(&ix, "f", 3);
	add(&ix, "f", 1);
	add(&ix, "f", 2);
	names_are(&ix, "f:1 f:2 f:3");
	assert_true(index_has_unmerged(&ix));
	add(&ix, "f", 0);
	names_are(&ix, "f:0");
	assert_int_equal(index_unresolve(&ix, "f", NULL), 0);
	names_are(&ix, "f:1 f:2 f:3");
	assert_int_equal(index_unresolve(&ix, "f", NULL), ERR_NOT_FOUND);
	assert_int_equal(index_remove(&ix, "f", 1), 3);
	assert_int_equal(ix.nr, 0);
	index_release(&ix);
}

static void test_bad_paths(void **state)
{
	static const char *const bad[] = { "", "/a", "a/", "a//b", ".", "..", "../a", "a/../b",
					   "a/./b", ".git", ".git/config", "a/.GIT/x" };
	struct index_state ix;

	(void)state;
	index_init(&ix, hash_sha1);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!index_add(&ix, entry(&ix, bad[i], 0), 0, 0, NULL))
			fail_msg("'%s' was taken", bad[i]);
	}
	assert_int_equal(ix.nr, 0);
	index_release(&ix);
}

static void test_lookups(void **state)
{
	struct index_state ix;

	(void)state;
	fill(&ix, hash_sha1);
	assert_non_null(index_find(&ix, "dir/a", 5));
	assert_null(index_find(&ix, "dir", 3));
	assert_null(index_find(&ix, "conflict", 8));
	assert_true(index_has_dir(&ix, "dir", 3));
	assert_false(index_has_dir(&ix, "dir.c", 5));
	assert_false(index_has_dir(&ix, "dir/a", 5));
	assert_false(index_has_dir(&ix, "zzz", 3));
	assert_non_null(index_find_icase(&ix, "DIR/A", 5));
	assert_null(index_find_icase(&ix, "DIR", 3));
	add(&ix, "New", 0);
	assert_string_equal(index_find_icase(&ix, "nEW", 3)->name, "New");
	index_remove(&ix, "New", 3);
	assert_null(index_find_icase(&ix, "nEW", 3));
	index_release(&ix);
}

static void test_cache_tree_invalidation(void **state)
{
	struct index_state ix;
	struct strbuf ext = STRBUF_INIT, out = STRBUF_INIT;
	struct object_id oid;
	size_t count;

	(void)state;
	index_init(&ix, hash_sha1);
	strbuf_add(&ext, "\0003 2\n", 5);
	strbuf_addchars(&ext, 1, 20);
	strbuf_add(&ext, "dd\0001 0\n", 7);
	strbuf_addchars(&ext, 2, 20);
	strbuf_add(&ext, "a\0001 0\n", 6);
	strbuf_addchars(&ext, 3, 20);
	assert_int_equal(cache_tree_read(&ix.cache_tree, ext.buf, ext.len, hash_sha1, NULL), 0);
	assert_true(cache_tree_lookup(&ix, "", 0, &oid, &count));
	assert_int_equal(count, 3);
	assert_true(cache_tree_lookup(&ix, "dd/", 3, &oid, NULL));
	assert_int_equal(oid.hash[0], 2);
	cache_tree_invalidate(&ix, "a/file");
	assert_false(cache_tree_lookup(&ix, "", 0, NULL, NULL));
	assert_false(cache_tree_lookup(&ix, "a", 1, NULL, NULL));
	assert_true(cache_tree_lookup(&ix, "dd", 2, NULL, NULL));
	cache_tree_invalidate(&ix, "dd"); /* has become a file */
	assert_false(cache_tree_lookup(&ix, "dd", 2, NULL, NULL));
	cache_tree_write(&out, ix.cache_tree);
	assert_int_equal(out.len, 13);
	assert_memory_equal(out.buf, "\0-1 1\na\0-1 0\n", 13);
	for (size_t len = 0; len < ext.len; len++) {
		struct cache_tree *ct = NULL;

		assert_int_equal(cache_tree_read(&ct, ext.buf, len, hash_sha1, NULL), ERR_CORRUPT);
		assert_null(ct);
	}
	strbuf_release(&ext);
	strbuf_release(&out);
	index_release(&ix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_missing_file_is_an_empty_index),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_truncation_without_checksum),
		cmocka_unit_test(test_bit_flips),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_extensions),
		cmocka_unit_test(test_resolve_undo_is_checked),
		cmocka_unit_test(test_stale_extensions_are_dropped),
		cmocka_unit_test(test_v4_names_cannot_fill_memory),
		cmocka_unit_test(test_file_directory_conflicts),
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_bad_paths),
		cmocka_unit_test(test_lookups),
		cmocka_unit_test(test_cache_tree_invalidation),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
