/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Damaged and hostile packs: they give an error (or another copy is used), never a crash,
 * never excessive memory, and never wrong content that verify accepts.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <sys/resource.h>
#include <zlib.h>
#include "compat/os.h"
#include "fs/file.h"
#include "pack/read-internal.h"
#include "t/unit/pack-aux.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

/* ---- packs made by hand ---- */

struct forge {
	struct strbuf pack;
	struct idx_entry entries[2048];
	uint32_t nr;
	const struct hash_algo *algo;
};

static void forge_start(struct forge *f)
{
	memset(f, 0, sizeof(*f));
	strbuf_init(&f->pack, 0);
	f->algo = hash_sha1;
	strbuf_add(&f->pack, "PACK\0\0\0\2\0\0\0\0", 12);
}

static void add_deflated(struct forge *f, const void *p, size_t len)
{
	uLongf n = compressBound(len);
	unsigned char *out = xmalloc(n);

	assert_int_equal(compress2(out, &n, p, len, 6), Z_OK);
	strbuf_add(&f->pack, out, n);
	free(out);
}

/* Add an object under the name `oid`, whatever its content is. */
static uint64_t forge_begin(struct forge *f, const struct object_id *oid,
			    enum object_type type, uint64_t size)
{
	unsigned char head[PACK_ENTRY_HEADER_MAX];
	uint64_t at = f->pack.len;

	f->entries[f->nr].oid = *oid;
	f->entries[f->nr++].offset = at;
	strbuf_add(&f->pack, head, pack_entry_header(head, type, size));
	return at;
}

static uint64_t forge_blob(struct forge *f, const char *s, struct object_id *oid)
{
	uint64_t at;

	assert_int_equal(hash_object_buf(f->algo, "blob", s, strlen(s), oid, NULL), 0);
	at = forge_begin(f, oid, OBJ_BLOB, strlen(s));
	add_deflated(f, s, strlen(s));
	return at;
}

static void forge_ref_delta(struct forge *f, const struct object_id *oid,
			    const struct object_id *base, const void *delta, size_t len)
{
	forge_begin(f, oid, OBJ_REF_DELTA, len);
	strbuf_add(&f->pack, base->hash, f->algo->raw_len);
	add_deflated(f, delta, len);
}

static int by_name(const void *a, const void *b)
{
	const struct idx_entry *x = a, *y = b;

	return oid_cmp(&x->oid, &y->oid);
}

/* Write DIR/pack/pack-NAME.{pack,idx}. */
static void forge_end(struct forge *f, const char *dir, const char *name)
{
	char *pack = xstrfmt("%s/pack/pack-%s.pack", dir, name);
	char *idx = xstrfmt("%s/pack/pack-%s.idx", dir, name);
	struct err err = ERR_INIT;
	struct object_id sum;
	uint64_t end = f->pack.len;
	int fd;

	put_be32(f->pack.buf + 8, f->nr);
	for (uint32_t i = 0; i < f->nr; i++) {
		uint64_t to = i + 1 < f->nr ? f->entries[i + 1].offset : end;
		uint64_t from = f->entries[i].offset;

		f->entries[i].crc = libdeflate_crc32(0, f->pack.buf + from, to - from);
	}
	hash_buf(f->algo, f->pack.buf, f->pack.len, &sum);
	strbuf_add(&f->pack, sum.hash, f->algo->raw_len);
	aux_must("mkdir -p '%s/pack'", dir);
	aux_write(pack, f->pack.buf, f->pack.len);
	qsort(f->entries, f->nr, sizeof(*f->entries), by_name);
	fd = open(idx, O_RDWR | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	MUST(idx_write(fd, idx, f->algo, f->entries, f->nr, &sum, &err));
	close(fd);
	strbuf_release(&f->pack);
	free(pack);
	free(idx);
}

static struct object_id name_of(char c)
{
	struct object_id oid = { .algo = HASH_SHA1 };

	memset(oid.hash, c, 20);
	return oid;
}

static void expect_read(const char *dir, const struct object_id *oid, int want,
			const char *part)
{
	struct warnings w = WARNINGS_INIT;
	struct packs *ps = aux_packs(dir, hash_sha1, &w);
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;
	struct err err = ERR_INIT;

	assert_true(packs_has(ps, oid));
	assert_int_equal(packs_read(ps, oid, &buf, &err), want);
	if (part && !strstr(err_message(&err), part))
		fail_msg("'%s' does not tell '%s'", err_message(&err), part);
	if (want < 0) {
		assert_null(buf.data);
		assert_non_null(strstr(err_message(&err), oid_hex(oid)));
		assert_non_null(strstr(err_message(&err), dir));
	}
	if (!packs_info(ps, oid, &info, NULL) && want == 0)
		assert_int_equal(info.size, buf.size);
	err_release(&err);
	object_buf_release(&buf);
	packs_free(ps);
	strbuf_release(&w.text);
}

/* Nothing here needs much memory: make large allocations fail. Sanitizers map terabytes. */
static void limit_memory(void)
{
	struct rlimit lim;

	if (!os_has_sanitizer() && !getrlimit(RLIMIT_AS, &lim)) {
		lim.rlim_cur = (rlim_t)1 << 30;
		setrlimit(RLIMIT_AS, &lim);
	}
}

/* ---- deltas ---- */

static const unsigned char copy_three[] = { 5, 3, 0x90, 3 }; /* of a base of 5 bytes */

static void test_good_forgery(void **state)
{
	struct object_id base, made;
	struct forge f;

	(void)state;
	forge_start(&f);
	forge_blob(&f, "12345", &base);
	assert_int_equal(hash_object_buf(hash_sha1, "blob", "123", 3, &made, NULL), 0);
	forge_ref_delta(&f, &made, &base, copy_three, sizeof(copy_three));
	forge_end(&f, "good", "1");
	expect_read("good", &made, 0, NULL);
	expect_read("good", &base, 0, NULL);
}

static int collect(void *data, const void *p, size_t len, struct err *err UNUSED)
{
	strbuf_add(data, p, len);
	return 0;
}

/* A delta as large as a piece of input: its result must be right. */
static void test_large_delta_in_pieces(void **state)
{
	const size_t len = 700 * 1000;
	struct strbuf text = STRBUF_INIT, delta = STRBUF_INIT, got = STRBUF_INIT;
	struct object_id base, oid;
	struct err err = ERR_INIT;
	struct packs *ps;
	struct forge f;

	(void)state;
	aux_enter_dir();
	for (size_t i = 0; text.len < len; i++)
		strbuf_addf(&text, "%zu\n", i * i);
	strbuf_setlen(&text, len);
	strbuf_add(&delta, "\4", 1); /* the sizes: 4, then 700,000 in groups of 7 bits */
	strbuf_addf(&delta, "%c%c%c", (int)(len & 127) | 128, (int)(len >> 7 & 127) | 128,
		    (int)(len >> 14));
	for (size_t at = 0; at < len; at += 100) {
		strbuf_addch(&delta, 100);
		strbuf_add(&delta, text.buf + at, 100);
	}
	assert_int_equal(hash_object_buf(hash_sha1, "blob", text.buf, len, &oid, NULL), 0);
	forge_start(&f);
	forge_blob(&f, "base", &base);
	forge_ref_delta(&f, &oid, &base, delta.buf, delta.len);
	forge_end(&f, "large", "x");
	ps = aux_packs("large", hash_sha1, NULL);
	MUST(packs_stream(ps, &oid, collect, &got, &err));
	assert_int_equal(got.len, len);
	assert_memory_equal(got.buf, text.buf, len);
	packs_free(ps);
	strbuf_release(&text);
	strbuf_release(&delta);
	strbuf_release(&got);
}

static void test_cycles(void **state)
{
	struct object_id a = name_of('a'), b = name_of('b'), c = name_of('c');
	struct forge f;

	(void)state;
	forge_start(&f); /* of itself */
	forge_ref_delta(&f, &a, &a, copy_three, 4);
	forge_end(&f, "self", "1");
	expect_read("self", &a, ERR_CORRUPT, "cycle");
	forge_start(&f); /* of three, with one more that leads into it */
	forge_ref_delta(&f, &a, &b, copy_three, 4);
	forge_ref_delta(&f, &b, &c, copy_three, 4);
	forge_ref_delta(&f, &c, &b, copy_three, 4);
	forge_end(&f, "three", "1");
	expect_read("three", &a, ERR_CORRUPT, "cycle");
	forge_start(&f); /* across packs */
	forge_ref_delta(&f, &a, &b, copy_three, 4);
	forge_end(&f, "across", "1");
	forge_start(&f);
	forge_ref_delta(&f, &b, &a, copy_three, 4);
	forge_end(&f, "across", "2");
	expect_read("across", &a, ERR_CORRUPT, NULL);
	expect_read("across", &b, ERR_CORRUPT, NULL);
}

static void test_missing_base(void **state)
{
	struct object_id a = name_of('a'), b = name_of('b');
	struct forge f;

	(void)state;
	forge_start(&f);
	forge_ref_delta(&f, &a, &b, copy_three, 4);
	forge_end(&f, "nobase", "1");
	expect_read("nobase", &a, ERR_CORRUPT, "62626262 is missing");
}

static void forge_ofs(const char *dir, const void *distance, size_t len)
{
	struct object_id a = name_of('a'), base;
	struct forge f;

	forge_start(&f);
	forge_blob(&f, "12345", &base);
	forge_begin(&f, &a, OBJ_OFS_DELTA, 4);
	strbuf_add(&f.pack, distance, len);
	add_deflated(&f, copy_three, 4);
	forge_end(&f, dir, "1");
	expect_read(dir, &a, ERR_CORRUPT, "corrupt");
	aux_must("rm -rf '%s'", dir);
}

static void test_bad_distances(void **state)
{
	(void)state;
	forge_ofs("ofs", "\0", 1);		/* itself */
	forge_ofs("ofs", "\x70", 1);		/* before the pack begins */
	forge_ofs("ofs", "\x80\x7f", 2);
	forge_ofs("ofs", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 12); /* overflow */
	forge_ofs("ofs", "\xfe\xff\xff\xff\xff\xff\xff\xff\x7f", 9);
	forge_ofs("ofs", "\x02", 1);		/* into the middle of an object */
}

/* ---- sizes ---- */

static void forge_size(const char *dir, enum object_type type, uint64_t size, const char *part)
{
	struct object_id a = name_of('a');
	struct forge f;

	forge_start(&f);
	forge_begin(&f, &a, type, size);
	add_deflated(&f, "hello", 5);
	forge_end(&f, dir, "1");
	expect_read(dir, &a, ERR_CORRUPT, part);
	aux_must("rm -rf '%s'", dir);
}

static void test_sizes(void **state)
{
	static const unsigned char grow[] = {
		5, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 0x90, 3 };
	struct object_id base, a = name_of('a');
	struct forge f;

	(void)state;
	forge_size("size", OBJ_BLOB, UINT64_MAX, "impossible object size");
	forge_size("size", OBJ_BLOB, (uint64_t)1 << 40, "impossible object size");
	forge_size("size", OBJ_BLOB, 6, "size");
	forge_size("size", OBJ_BLOB, 4, "size");
	forge_size("size", OBJ_NONE, 5, "type");
	forge_size("size", 5, 5, "type");
	forge_start(&f); /* a delta that says it makes 4 PiB */
	forge_blob(&f, "12345", &base);
	forge_ref_delta(&f, &a, &base, grow, sizeof(grow));
	forge_end(&f, "bomb", "1");
	expect_read("bomb", &a, ERR_TOO_BIG, NULL);
	forge_start(&f); /* a header without end */
	forge_begin(&f, &a, OBJ_BLOB, 5);
	strbuf_setlen(&f.pack, f.pack.len - 1);
	strbuf_add(&f.pack, "\xb5\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 14);
	add_deflated(&f, "hello", 5);
	forge_end(&f, "endless", "1");
	expect_read("endless", &a, ERR_CORRUPT, "header");
}

static int ignore(void *data UNUSED, const void *p UNUSED, size_t len UNUSED, struct err *err UNUSED)
{
	return 0;
}

/*
 * Checks the place of an object that is read in pieces, with another one before it. Its content is
 * `len` zeros.
 */
static void expect_place(uint64_t size, size_t len, bool deflated, const char *what)
{
	struct object_id first, a = name_of('a');
	struct warnings w = WARNINGS_INIT;
	char *part, *zeros = xcalloc(1, len);
	struct err err = ERR_INIT;
	struct packs *ps;
	struct forge f;

	forge_start(&f);
	forge_blob(&f, "12345", &first);
	part = xstrfmt("%s at offset %" PRIu64 " of ", what, forge_begin(&f, &a, OBJ_BLOB, size));
	if (deflated)
		add_deflated(&f, zeros, len);
	else
		strbuf_add(&f.pack, zeros, len);
	forge_end(&f, "place", "1");
	ps = aux_packs("place", hash_sha1, &w);
	assert_int_equal(packs_stream(ps, &a, ignore, NULL, &err), ERR_CORRUPT);
	if (!strstr(err_message(&err), part))
		fail_msg("'%s' does not tell '%s'", err_message(&err), part);
	err_release(&err);
	packs_free(ps);
	strbuf_release(&w.text);
	free(part);
	free(zeros);
	aux_must("rm -rf place");
}

static void test_place_of_damage(void **state UNUSED)
{
	const size_t large = 3u << 20;

	expect_place(large - 1, large, true, "object is longer than its size says");
	expect_place(large + 1, large, true, "object is shorter than its size says");
	expect_place(large, large, false, "bad compressed data");
}

/* ---- idx files ---- */

static void expect_idx(const unsigned char *p, size_t len, bool good)
{
	/* A copy of the exact size, so that sanitizers detect a read beyond it. */
	unsigned char *copy = xmemdup(p, len);
	struct pack_idx idx;
	uint32_t pos;
	int rc = idx_parse(&idx, copy, len, "x", hash_sha1, NULL);

	assert_true(good == !rc);
	for (int i = 0; !rc && i < 256; i++) {
		unsigned char name[20];

		memset(name, i, sizeof(name));
		if (idx_find(&idx, name, &pos))
			idx_offset(&idx, pos);
		if (idx.nr) {
			idx_offset(&idx, idx.nr - 1);
			memcpy(name, idx_name(&idx, idx.nr - 1), 20);
		}
	}
	free(copy);
}

static void test_idx(void **state)
{
	struct strbuf good = STRBUF_INIT;
	struct object_id base;
	struct forge f;
	unsigned char *p;

	(void)state;
	forge_start(&f);
	forge_blob(&f, "1", &base);
	forge_blob(&f, "2", &base);
	forge_blob(&f, "3", &base);
	forge_end(&f, "idx", "1");
	aux_read(&good, "idx/pack/pack-1.idx");
	p = (unsigned char *)good.buf;
	expect_idx(p, good.len, true);
	for (size_t len = 0; len < good.len; len++)
		expect_idx(p, len, false);
	put_be32(p + 4, 3); /* unknown version */
	expect_idx(p, good.len, false);
	put_be32(p + 4, 2);
	put_be32(p + 8 + 4 * 255, UINT32_MAX); /* more than the file can hold */
	expect_idx(p, good.len, false);
	put_be32(p + 8 + 4 * 255, 3);
	put_be32(p + 8, 4); /* falls */
	expect_idx(p, good.len, false);
	put_be32(p + 8, 0);
	put_be32(p + 8 + 1024 + 3 * 24, 0x80000005); /* wide offset that is not there */
	put_be32(p + 8 + 1024 + 3 * 24 + 8, 0xffffffff);
	expect_idx(p, good.len, true);
	aux_write("idx/pack/pack-1.idx", p, good.len);
	strbuf_release(&good);
	{
		struct packs *ps = aux_packs("idx", hash_sha1, NULL);
		struct object_buf buf = OBJECT_BUF_INIT;
		struct oid_array oids = OID_ARRAY_INIT;
		unsigned bad = 0;

		assert_int_equal(packs_prefix_lookup(ps, "", 0, &oids, NULL), 0);
		assert_int_equal(oids.nr, 3);
		for (size_t i = 0; i < oids.nr; i++) {
			bad += packs_read(ps, &oids.oid[i], &buf, NULL) < 0;
			object_buf_release(&buf);
		}
		assert_int_equal(bad, 2);
		oid_array_clear(&oids);
		packs_free(ps);
	}
}

/* ---- every file of a real pack: cut off and with flipped bits ---- */

static int look_at_pack(void *data, struct pack *p)
{
	int rc = pack_verify(p, NULL, NULL, NULL, NULL);

	*(int *)data |= rc != 0 || pack_verify_rev(p, NULL, NULL) != 0;
	return 0;
}

struct scanned {
	struct packs *ps;
	unsigned good, bad, wrong, untold;
};

static int read_checked(void *data, const struct object_id *oid)
{
	struct scanned *s = data;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_info info;
	struct object_id name;

	bool told = !packs_info(s->ps, oid, &info, NULL);

	if (packs_read(s->ps, oid, &buf, NULL) < 0) {
		s->bad++;
		return 0;
	}
	s->untold += !told;
	assert_int_equal(hash_object_buf(hash_sha1, object_type_name(buf.type), buf.data, buf.size,
					 &name, NULL), 0);
	if (oid_eq(&name, oid))
		s->good++;
	else
		s->wrong++;
	object_buf_release(&buf);
	return 0;
}

/* Reads everything there is; true if verify found something. */
static bool read_everything(const char *objdir, bool use_midx, struct scanned *s)
{
	struct packs_options o = { .use_midx = use_midx };
	struct warnings w = WARNINGS_INIT;
	int found = 0;

	memset(s, 0, sizeof(*s));
	s->ps = aux_packs_with(&o, objdir, hash_sha1, &w);
	(void)!packs_foreach_object(s->ps, true, read_checked, s, NULL);
	(void)!packs_foreach_object(s->ps, false, read_checked, s, NULL);
	packs_foreach(s->ps, look_at_pack, &found);
	if (use_midx)
		found |= packs_verify_midx(s->ps, &(struct midx_verify_options){ NULL, NULL, NULL, NULL }) != 0;
	packs_free(s->ps);
	strbuf_release(&w.text);
	return found;
}

static void damage(const char *objdir, const char *path, size_t step, bool use_midx)
{
	struct strbuf good = STRBUF_INIT;
	struct pack_idx idx;
	struct scanned s;
	bool is_rev = ends_with(path, ".rev"), is_midx = ends_with(path, "-index");
	unsigned all;

	aux_read(&good, path);
	assert_false(read_everything(objdir, use_midx, &s));
	assert_true(s.good > 0 && !s.bad && !s.wrong);
	all = s.good;
	for (size_t len = 0; len < good.len; len++) {
		aux_write(path, good.buf, len);
		if (ends_with(path, ".idx") && idx_open(&idx, path, hash_sha1, NULL) != ERR_CORRUPT)
			fail_msg("'%s' with only %zu bytes is no error", path, len);
		assert_true(read_everything(objdir, use_midx, &s));
		/* Both are optional: objects can be read without them. */
		if (is_rev || is_midx)
			assert_int_equal(s.good, all);
	}
	for (size_t at = 0; at < good.len; at += step) {
		good.buf[at] ^= (char)(1 << (at & 7));
		aux_write(path, good.buf, good.len);
		if (!read_everything(objdir, use_midx, &s))
			fail_msg("a flipped bit at %zu of '%s' was not seen", at, path);
		/* A name that is wrong in the midx is not found, in both orders. */
		if ((is_rev && s.good != all) || (is_midx && s.good + 2 < all) ||
		    ((is_rev || is_midx) && s.untold))
			fail_msg("'%s' at %zu: %u good of %u, %u untold", path, at, s.good, all,
				 s.untold);
		good.buf[at] ^= (char)(1 << (at & 7));
	}
	aux_write(path, good.buf, good.len);
	strbuf_release(&good);
}

static void make_small_repo(void)
{
	aux_must("mkdir small && cd small && $GIT init -q . && "
		 "for i in 1 2 3 4 5 6; do seq $i 40 >f$i; done && $GIT add . && $GIT commit -qm 1 && "
		 "for i in 1 2 3 4 5 6; do echo x >>f$i; done && $GIT commit -qam 2 && "
		 "$GIT -c pack.writeReverseIndex=true repack -adq && chmod -R u+w .git/objects && "
		 "ls .git/objects/pack/*.rev >/dev/null && $GIT multi-pack-index write");
}

static void test_damage(void **state)
{
	static const char *const ext[] = { "pack", "idx", "rev" };

	(void)state;
	if (!aux_have_stock())
		skip();
	make_small_repo();
	for (size_t i = 0; i < ARRAY_SIZE(ext); i++) {
		char *path = aux_glob("small/.git/objects/pack/*.%s", ext[i]);

		damage("small/.git/objects", path, i ? 11 : 7, false);
		free(path);
	}
	damage("small/.git/objects", "small/.git/objects/pack/multi-pack-index", 13, true);
}

/* It has neither a magic number nor a size: the table of fan-out alone says how long it is. */
static void test_damaged_idx_v1(void **state)
{
	char *path;

	(void)state;
	if (!aux_have_stock())
		skip();
	aux_must("mkdir -p v1/pack && cp small/.git/objects/pack/*.pack v1/pack/ && cd v1/pack && "
		 "$GIT index-pack --index-version=1 *.pack && rm -f *.rev && chmod u+w *");
	path = aux_glob("v1/pack/*.idx");
	damage("v1", path, 11, false);
	free(path);
}

/* Flipped bits with correct checksums, as an attacker would make them. */
static void test_resealed_midx(void **state)
{
	const char *path = "small/.git/objects/pack/multi-pack-index";
	struct strbuf good = STRBUF_INIT;
	struct object_id sum;
	struct scanned s;

	(void)state;
	if (!aux_have_stock())
		skip();
	aux_read(&good, path);
	for (size_t at = 0; at < good.len - 20; at += 3) {
		char was = good.buf[at];

		good.buf[at] = (char)(at & 1 ? 0xff : was ^ 0x80);
		hash_buf(hash_sha1, good.buf, good.len - 20, &sum);
		memcpy(good.buf + good.len - 20, sum.hash, 20);
		aux_write(path, good.buf, good.len);
		read_everything("small/.git/objects", true, &s);
		assert_int_equal(s.wrong, 0);
		good.buf[at] = was;
	}
	hash_buf(hash_sha1, good.buf, good.len - 20, &sum);
	memcpy(good.buf + good.len - 20, sum.hash, 20);
	aux_write(path, good.buf, good.len);
	strbuf_release(&good);
}

static void collect_bad(void *data, const char *msg)
{
	strbuf_addf(data, "%s\n", msg);
}

static int first_name(void *data, const struct object_id *oid)
{
	struct object_id *first = data;

	if (oid_is_null(first) || oid_cmp(oid, first) < 0)
		*first = *oid;
	return 0;
}

/* Names in another order, with a correct checksum. */
static void test_midx_order(void **state)
{
	const char *path = "small/.git/objects/pack/multi-pack-index";
	struct packs_options o = { .use_midx = true };
	struct strbuf midx = STRBUF_INIT, said = STRBUF_INIT;
	struct object_id first = hash_sha1->null_oid, sum;
	struct packs *ps;
	char swapped[40], *at;

	(void)state;
	if (!aux_have_stock())
		skip();
	aux_read(&midx, path);
	ps = aux_packs_with(&o, "small/.git/objects", hash_sha1, NULL);
	assert_int_equal(packs_verify_midx(ps, &(struct midx_verify_options){ NULL, NULL, NULL, NULL }), 0);
	assert_int_equal(packs_foreach_object(ps, false, first_name, &first, NULL), 0);
	packs_free(ps);
	at = memmem(midx.buf, midx.len, first.hash, 20);
	assert_non_null(at);
	memcpy(swapped, at + 20, 20);
	memcpy(swapped + 20, at, 20);
	memcpy(at, swapped, 40);
	hash_buf(hash_sha1, midx.buf, midx.len - 20, &sum);
	memcpy(midx.buf + midx.len - 20, sum.hash, 20);
	aux_write(path, midx.buf, midx.len);
	ps = aux_packs_with(&o, "small/.git/objects", hash_sha1, NULL);
	assert_true(packs_verify_midx(ps, &(struct midx_verify_options){ collect_bad, &said, NULL, NULL }) > 0);
	packs_free(ps);
	if (!strstr(said.buf, "oid lookup out of order at oid[1] = "))
		fail_msg("said: %s", said.buf);
	aux_must("rm -f %s", path);
	strbuf_release(&midx);
	strbuf_release(&said);
}

/* ---- another copy ---- */

static int other_read(void *data, const struct object_id *oid, struct object_buf *out,
		      struct err *err)
{
	return packs_read(data, oid, out, err);
}

static int other_info(void *data, const struct object_id *oid, struct object_info *out,
		      struct err *err)
{
	return packs_info(data, oid, out, err);
}

static bool other_has(void *data, const struct object_id *oid)
{
	return packs_has(data, oid);
}

/* Corrupt the deflated data of one object of a pack. */
static void corrupt_entry(const char *objdir, const struct object_id *oid)
{
	struct packs *ps = aux_packs(objdir, hash_sha1, NULL);
	struct strbuf sb = STRBUF_INIT;
	struct pack_location at;

	assert_true(packs_find(ps, oid, NULL, &at));
	aux_read(&sb, pack_path(at.pack));
	for (size_t i = 2; i < 8; i++)
		sb.buf[at.offset + i] ^= 0x5a;
	aux_write(pack_path(at.pack), sb.buf, sb.len);
	strbuf_release(&sb);
	packs_free(ps);
}

/* Give one object of a pack a type that there is not. */
static void corrupt_type(const char *objdir, const struct object_id *oid)
{
	struct packs *ps = aux_packs(objdir, hash_sha1, NULL);
	struct strbuf sb = STRBUF_INIT;
	struct pack_location at;

	assert_true(packs_find(ps, oid, NULL, &at));
	aux_read(&sb, pack_path(at.pack));
	sb.buf[at.offset] &= (char)~0x70;
	aux_write(pack_path(at.pack), sb.buf, sb.len);
	strbuf_release(&sb);
	packs_free(ps);
}

static void forge_family(const char *dir, const char *name, struct object_id *base,
			 struct object_id *made)
{
	struct forge f;

	forge_start(&f);
	forge_blob(&f, "12345", base);
	assert_int_equal(hash_object_buf(hash_sha1, "blob", "123", 3, made, NULL), 0);
	forge_ref_delta(&f, made, base, copy_three, sizeof(copy_three));
	forge_end(&f, dir, name);
}

static void test_other_copy(void **state)
{
	struct warnings w = WARNINGS_INIT;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id base, made;
	struct err err = ERR_INIT;
	struct packs *ps;
	struct forge f;

	(void)state;
	forge_family("copy", "1", &base, &made);
	corrupt_entry("copy", &base);
	expect_read("copy", &base, ERR_CORRUPT, "corrupt");
	expect_read("copy", &made, ERR_CORRUPT, "corrupt");
	/* A second pack has the base alone: both can be read, with a warning. */
	forge_start(&f);
	forge_blob(&f, "12345", &base);
	forge_end(&f, "copy", "0");
	aux_must("touch -d '2001-01-01' copy/pack/pack-0.*");
	ps = aux_packs("copy", hash_sha1, &w);
	MUST(packs_read(ps, &made, &buf, &err));
	assert_string_equal(buf.data, "123");
	object_buf_release(&buf);
	assert_non_null(strstr(w.text.buf, oid_hex(&base)));
	MUST(packs_read(ps, &base, &buf, &err));
	assert_string_equal(buf.data, "12345");
	object_buf_release(&buf);
	packs_free(ps);
	strbuf_release(&w.text);
}

static void test_copy_in_other_store(void **state)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id base, made;
	struct object_source source = { other_read, other_info, other_has, NULL, NULL, 0, NULL };
	struct packs_options o = { .others = &source };
	struct err err = ERR_INIT;
	struct packs *ps, *others;
	struct forge f;

	(void)state;
	forge_family("mine", "1", &base, &made);
	corrupt_entry("mine", &base);
	forge_start(&f);
	forge_blob(&f, "12345", &base);
	forge_end(&f, "theirs", "1");
	others = aux_packs("theirs", hash_sha1, NULL);
	source.data = others;
	source.algo = hash_sha1;
	ps = aux_packs_with(&o, "mine", hash_sha1, NULL);
	MUST(packs_read(ps, &made, &buf, &err));
	assert_string_equal(buf.data, "123");
	object_buf_release(&buf);
	packs_free(ps);
	/* A source that asks the packs again, as the object database does: no endless loop. */
	ps = aux_packs_with(&o, "mine", hash_sha1, NULL);
	source.data = ps;
	assert_int_equal(packs_read(ps, &made, &buf, NULL), ERR_CORRUPT);
	packs_free(ps);
	packs_free(others);
	/* A thin pack on disk: bases in the other store. */
	forge_start(&f);
	forge_ref_delta(&f, &made, &base, copy_three, sizeof(copy_three));
	forge_end(&f, "thin", "1");
	source.data = others = aux_packs("theirs", hash_sha1, NULL);
	ps = aux_packs_with(&o, "thin", hash_sha1, NULL);
	{
		struct object_info info;

		MUST(packs_info(ps, &made, &info, &err));
		assert_int_equal(info.type, OBJ_BLOB);
		assert_int_equal(info.size, 3);
	}
	MUST(packs_read(ps, &made, &buf, &err));
	assert_string_equal(buf.data, "123");
	object_buf_release(&buf);
	packs_free(ps);
	packs_free(others);
}

/* "123" is a delta to "1234", that to "12345", which is damaged. `whole` is in another store. */
static void check_type_by_copy(const char *dir, const char *whole)
{
	static const unsigned char copy_four[] = { 5, 4, 0x90, 4 };
	static const unsigned char three_of_four[] = { 4, 3, 0x90, 3 };
	struct object_source source = { other_read, other_info, other_has, NULL, hash_sha1, 0, NULL };
	struct packs_options o = { .others = &source };
	struct warnings w = WARNINGS_INIT;
	struct object_id oid, base, made;
	struct err err = ERR_INIT;
	enum object_type type;
	char *theirs = xstrfmt("%s.theirs", dir);
	struct packs *ps;
	uint64_t size;
	struct forge f;

	forge_start(&f);
	forge_blob(&f, "12345", &oid);
	assert_int_equal(hash_object_buf(hash_sha1, "blob", "1234", 4, &base, NULL), 0);
	forge_ref_delta(&f, &base, &oid, copy_four, sizeof(copy_four));
	assert_int_equal(hash_object_buf(hash_sha1, "blob", "123", 3, &made, NULL), 0);
	forge_ref_delta(&f, &made, &base, three_of_four, sizeof(three_of_four));
	forge_end(&f, dir, "1");
	corrupt_type(dir, &oid);
	expect_read(dir, &made, ERR_CORRUPT, "unknown object type 0");

	forge_start(&f);
	forge_blob(&f, whole, &oid);
	forge_end(&f, theirs, "1");
	source.data = aux_packs(theirs, hash_sha1, NULL);
	ps = aux_packs_with(&o, dir, hash_sha1, &w);
	MUST(packs_type(ps, &made, &type, &size, &err));
	assert_int_equal(type, OBJ_BLOB);
	assert_int_equal(size, 3);
	assert_non_null(strstr(w.text.buf, oid_hex(&oid)));
	packs_free(ps);
	packs_free(source.data);
	strbuf_release(&w.text);
	free(theirs);
}

static void test_type_by_copy(void **state)
{
	(void)state;
	check_type_by_copy("type", "12345");
	/* Not even the base can be had: an object on the way will do. */
	check_type_by_copy("type2", "1234");
}

/* ---- long chains ---- */

/* The types of all objects, in this order, by few steps from delta to base. */
static void check_few_steps(const char *dir, const struct object_id *oids, int from, int to)
{
	struct packs *ps = aux_packs(dir, hash_sha1, NULL);
	int step = from < to ? 1 : -1, nr = (to - from) * step;
	struct err err = ERR_INIT;
	enum object_type type;
	uint64_t size;

	for (int i = from; i != to; i += step) {
		MUST(packs_type(ps, &oids[i], &type, &size, &err));
		assert_int_equal(type, OBJ_BLOB);
		assert_int_equal(size, i ? 3 : 5);
	}
	assert_in_range(atomic_load(&ps->type_steps), nr / 2, (uint64_t)nr * 60);
	packs_free(ps);
}

static void test_long_chain(void **state)
{
	enum { NR = ARRAY_SIZE(((struct forge *)NULL)->entries) };
	struct object_id *oids;
	struct forge f;

	(void)state;
	ALLOC_ARRAY(oids, NR);
	forge_start(&f);
	forge_blob(&f, "12345", &oids[0]);
	for (int i = 1; i < NR; i++) {
		oids[i] = oids[i - 1];
		hash_buf(hash_sha1, &i, sizeof(i), &oids[i]);
		forge_ref_delta(&f, &oids[i], &oids[i - 1], copy_three, sizeof(copy_three));
	}
	forge_end(&f, "long", "1");
	check_few_steps("long", oids, 0, NR);
	check_few_steps("long", oids, NR - 1, -1);
	free(oids);
}

/* A pack that was truncated after its idx was written: rejected when it is opened. */
static void test_cut_pack(void **state)
{
	struct warnings w = WARNINGS_INIT;
	struct object_id base, made;
	struct object_buf buf = OBJECT_BUF_INIT;
	struct packs *ps;

	(void)state;
	forge_family("cut", "1", &base, &made);
	aux_must("head -c 30 cut/pack/pack-1.pack >x && cat x >cut/pack/pack-1.pack");
	ps = aux_packs("cut", hash_sha1, &w);
	assert_int_equal(packs_read(ps, &base, &buf, NULL), ERR_CORRUPT);
	assert_int_equal(packs_read(ps, &made, &buf, NULL), ERR_NOT_FOUND);
	assert_int_equal(w.nr, 1); /* reported once */
	packs_free(ps);
	strbuf_release(&w.text);
}

static int setup(void **state)
{
	(void)state;
	aux_enter_dir();
	limit_memory();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_forgery),
		cmocka_unit_test(test_large_delta_in_pieces),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_missing_base),
		cmocka_unit_test(test_bad_distances),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_place_of_damage),
		cmocka_unit_test(test_idx),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_damaged_idx_v1),
		cmocka_unit_test(test_resealed_midx),
		cmocka_unit_test(test_midx_order),
		cmocka_unit_test(test_other_copy),
		cmocka_unit_test(test_copy_in_other_store),
		cmocka_unit_test(test_type_by_copy),
		cmocka_unit_test(test_long_chain),
		cmocka_unit_test(test_cut_pack),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
