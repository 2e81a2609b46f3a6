/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receiving packs: the same content with any threads and memory; and broken or hostile packs.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <sys/wait.h>
#include "compat/os.h"
#include "fs/file.h"
#include "odb/odb.h"
#include "pack/idx-internal.h"
#include "pack/receive/receive.h"
#include "t/pack-craft.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "write-or-die.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)

static const struct hash_algo *algo;

static int setup_sha1(void **state)
{
	algo = hash_sha1;
	return scratch_setup(state);
}

static int setup_sha256(void **state)
{
	algo = hash_sha256;
	return scratch_setup(state);
}

/* ---- running ---- */

/* From memory: all of the input has been read already. */
static int receive_bytes(struct pack_receive *rx, const void *p, size_t len, struct err *err)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), rc;
	struct pack_receive_stream_options s = { .fd = null, .head = p, .head_len = len, .dir = dir };

	rc = pack_receive_stream(rx, &s, err);
	if (!rc)
		rc = pack_receive_resolve(rx, err);
	close(null);
	return rc;
}

static struct pack_receive *receive(const struct craft *c, const struct pack_receive_options *o)
{
	struct pack_receive *rx = pack_receive_new(o);
	struct err err = ERR_INIT;

	MUST(receive_bytes(rx, c->out.buf, c->out.len, &err));
	return rx;
}

/* It fails with that code and a message that has `text` in it, and leaves nothing. */
static void expect_refused(const struct craft *c, int code, const char *text)
{
	struct pack_receive_options o = { .algo = algo };
	struct pack_receive *rx = pack_receive_new(&o);
	struct err err = ERR_INIT;
	int rc = receive_bytes(rx, c->out.buf, c->out.len, &err);

	if (rc != code || !strstr(err_message(&err), text))
		fail_msg("%d '%s', not %d '%s'", rc, err_message(&err), code, text);
	pack_receive_free(rx);
	err_release(&err);
	assert_tree("");
}

/* ---- expected contents and names ---- */

struct contents {
	struct object_id *oids;
	size_t nr, alloc;
};

static void expect(struct contents *x, enum object_type type, const void *p, size_t len)
{
	ALLOC_GROW(x->oids, x->nr + 1, x->alloc);
	assert_int_equal(hash_object_buf(algo, object_type_name(type), p, len, &x->oids[x->nr++], NULL), 0);
}

struct listing {
	const struct contents *want;
	size_t at;
	uint32_t depth_max;
};

static int check_listed(void *data, const struct received_object *o)
{
	struct listing *l = data;

	assert_true(l->at < l->want->nr);
	if (!oid_eq(&o->oid, &l->want->oids[l->at++]))
		fail_msg("object %zu is %s", l->at - 1, oid_hex(&o->oid));
	if (o->depth > l->depth_max)
		l->depth_max = o->depth;
	return 0;
}

/* The objects in the order of the pack. Returns the length of the longest chain. */
static uint32_t assert_contents(struct pack_receive *rx, const struct contents *want)
{
	struct listing l = { .want = want };
	struct err err = ERR_INIT;

	MUST(pack_receive_foreach(rx, check_listed, &l, &err));
	assert_int_equal(l.at, want->nr);
	return l.depth_max;
}

static void contents_release(struct contents *x)
{
	free(x->oids);
	memset(x, 0, sizeof(*x));
}

/* ---- a pack of all kinds ---- */

/* Objects of all types, deltas by offset and by name, also of a base that comes later. */
static void craft_all_kinds(struct craft *c, struct contents *want)
{
	static const char text[] = "some text that others build on\n";
	struct strbuf d = STRBUF_INIT, all = STRBUF_INIT;
	struct object_id later;

	craft_init(c, algo);
	craft_object(c, OBJ_BLOB, text, strlen(text));
	expect(want, OBJ_BLOB, text, strlen(text));
	craft_object(c, OBJ_TREE, "", 0);
	expect(want, OBJ_TREE, "", 0);
	craft_object(c, OBJ_COMMIT, "tree x\n", 7);
	expect(want, OBJ_COMMIT, "tree x\n", 7);
	craft_object(c, OBJ_TAG, "object x\n", 9);
	expect(want, OBJ_TAG, "object x\n", 9);
	delta_extend(&d, strlen(text), "more");
	craft_ofs_delta(c, 0, &d);
	strbuf_addstr(&all, text);
	strbuf_addstr(&all, "more");
	expect(want, OBJ_BLOB, all.buf, all.len);
	assert_int_equal(hash_object_buf(algo, "blob", "later", 5, &later, NULL), 0);
	delta_extend(&d, 5, "!");
	craft_ref_delta(c, &later, &d);
	expect(want, OBJ_BLOB, "later!", 6);
	craft_object(c, OBJ_BLOB, "later", 5);
	expect(want, OBJ_BLOB, "later", 5);
	delta_extend(&d, 6, "?");
	craft_ofs_delta(c, 5, &d); /* a delta of an object that is known only later */
	expect(want, OBJ_BLOB, "later!?", 7);
	craft_end(c);
	strbuf_release(&d);
	strbuf_release(&all);
}

static void all_kinds(void **state UNUSED)
{
	struct pack_receive_options o = { .algo = algo };
	struct contents want = { 0 };
	struct pack_receive *rx;
	struct craft c;

	craft_all_kinds(&c, &want);
	for (o.threads = 1; o.threads <= 3; o.threads += 2) {
		rx = receive(&c, &o);
		assert_int_equal(pack_receive_count(rx), want.nr);
		assert_int_equal(assert_contents(rx, &want), 2);
		assert_memory_equal(pack_receive_checksum(rx)->hash,
				    c.out.buf + c.out.len - algo->raw_len, algo->raw_len);
		pack_receive_free(rx);
	}
	assert_tree("");
	contents_release(&want);
	craft_release(&c);
}

/* A delta by name, of one by offset, which is resolved before anybody looks for names. */
static void names_of_deltas(void **state UNUSED)
{
	struct pack_receive_options o = { .algo = algo };
	struct strbuf d = STRBUF_INIT;
	struct contents want = { 0 };
	struct pack_receive *rx;
	struct craft c;

	craft_init(&c, algo);
	craft_object(&c, OBJ_BLOB, "one", 3);
	expect(&want, OBJ_BLOB, "one", 3);
	delta_extend(&d, 3, "two");
	craft_ofs_delta(&c, 0, &d);
	expect(&want, OBJ_BLOB, "onetwo", 6);
	delta_extend(&d, 6, "three");
	craft_ref_delta(&c, &want.oids[1], &d);
	expect(&want, OBJ_BLOB, "onetwothree", 11);
	craft_end(&c);
	rx = receive(&c, &o);
	assert_int_equal(assert_contents(rx, &want), 2);
	pack_receive_free(rx);
	contents_release(&want);
	craft_release(&c);
	strbuf_release(&d);
}

static void empty_pack(void **state UNUSED)
{
	struct pack_receive_options o = { .algo = algo };
	struct contents none = { 0 };
	struct pack_receive *rx;
	struct craft c;

	craft_init(&c, algo);
	craft_end(&c);
	rx = receive(&c, &o);
	assert_int_equal(pack_receive_count(rx), 0);
	assert_contents(rx, &none);
	pack_receive_free(rx);
	craft_release(&c);
}

/* ---- from a pipe, in pieces of any size ---- */

static void write_pieces(int fd, const struct craft *c, size_t piece)
{
	for (size_t at = 0; at < c->out.len; at += piece) {
		size_t n = c->out.len - at < piece ? c->out.len - at : piece;

		if (write_in_full(fd, c->out.buf + at, n, "pipe", NULL) < 0)
			_exit(1);
	}
}

/* The writer keeps the pipe open until we are done, as a client does that waits for an answer. */
static void receive_pieces(const struct craft *c, size_t piece, const struct contents *want)
{
	struct pack_receive_options o = { .algo = algo, .threads = 2 };
	struct pack_receive *rx = pack_receive_new(&o);
	struct pack_receive_stream_options s = { .dir = dir };
	struct err err = ERR_INIT;
	int fd[2], hold[2], status;
	pid_t child;

	assert_int_equal(os_pipe(fd), 0);
	assert_int_equal(os_pipe(hold), 0);
	child = fork();
	if (!child) {
		char byte;

		close(fd[0]);
		close(hold[1]);
		write_pieces(fd[1], c, piece);
		_exit(read(hold[0], &byte, 1) != 0);
	}
	close(fd[1]);
	s.fd = fd[0];
	MUST(pack_receive_stream(rx, &s, &err));
	MUST(pack_receive_resolve(rx, &err));
	assert_contents(rx, want);
	close(hold[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(fd[0]);
	close(hold[0]);
	pack_receive_free(rx);
}

static void from_a_pipe(void **state UNUSED)
{
	struct contents want = { 0 };
	struct craft c;

	craft_all_kinds(&c, &want);
	receive_pieces(&c, 1, &want);
	receive_pieces(&c, 7, &want);
	receive_pieces(&c, 100000, &want);
	contents_release(&want);
	craft_release(&c);
}

/* Objects larger than the buffer, a slab and the held bytes; that compress well and not at all. */
static void big_objects(void **state UNUSED)
{
	static const size_t sizes[] = { 500 << 10, 513 << 10, 2 << 20, (4 << 20) + 1, 9 << 20 };
	struct pack_receive_options o = { .algo = algo };
	struct contents want = { 0 };
	struct strbuf d = STRBUF_INIT;
	struct pack_receive *rx;
	struct craft c;

	craft_init(&c, algo);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		size_t len = sizes[i / 2];
		char *p = xcalloc(1, len + 3);
		uint32_t base = c.nr;

		for (size_t k = 0; k < len && i % 2; k += 8) {
			uint64_t v = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);

			v ^= v >> 29;
			memcpy(p + k, &v, len - k < 8 ? len - k : 8);
		}
		p[0] = (char)i;
		craft_object(&c, OBJ_BLOB, p, len);
		expect(&want, OBJ_BLOB, p, len);
		delta_extend(&d, len, "end");
		craft_ofs_delta(&c, base, &d);
		memcpy(p + len, "end", 3);
		expect(&want, OBJ_BLOB, p, len + 3);
		free(p);
	}
	craft_end(&c);
	rx = receive(&c, &o);
	assert_contents(rx, &want);
	pack_receive_free(rx);
	receive_pieces(&c, 65536, &want);
	strbuf_release(&d);
	contents_release(&want);
	craft_release(&c);
}

/* ---- trees of deltas ---- */

/* Each object is that of entry base[i], and a number. By name: base by name, in the order given. */
static void craft_tree(struct craft *c, struct contents *want, const uint32_t *base, uint32_t nr,
		       bool by_name, size_t root_size)
{
	struct strbuf *content, d = STRBUF_INIT;
	char *root = xcalloc(1, root_size + 1);

	craft_init(c, algo);
	CALLOC_ARRAY(content, nr);
	memset(root, 'r', root_size);
	for (uint32_t i = 0; i < nr; i++) {
		char tail[16];

		snprintf(tail, sizeof(tail), "%u,", i);
		strbuf_init(&content[i], 0);
		if (base[i] == i) {
			strbuf_add(&content[i], root, root_size);
			strbuf_addstr(&content[i], tail);
			craft_object(c, OBJ_BLOB, content[i].buf, content[i].len);
		} else {
			const struct strbuf *b = &content[base[i]];

			/* The first bytes, and a new end, so that long chains stay small. */
			delta_begin(&d, b->len, root_size + strlen(tail));
			for (size_t at = 0; at < root_size; at += 0xffff)
				delta_copy(&d, (uint32_t)at, (uint32_t)(root_size - at < 0xffff ?
									root_size - at : 0xffff));
			delta_insert(&d, tail, strlen(tail));
			strbuf_add(&content[i], b->buf, root_size);
			strbuf_addstr(&content[i], tail);
			if (by_name)
				craft_ref_delta(c, &want->oids[base[i]], &d);
			else
				craft_ofs_delta(c, base[i], &d);
		}
		expect(want, OBJ_BLOB, content[i].buf, content[i].len);
	}
	craft_end(c);
	for (uint32_t i = 0; i < nr; i++)
		strbuf_release(&content[i]);
	free(content);
	free(root);
	strbuf_release(&d);
}

/* The same result with any number of threads, and with hardly any memory for bases. */
static void check_tree(const uint32_t *base, uint32_t nr, size_t root_size)
{
	static const struct {
		int threads;
		size_t bytes;
	} ways[] = { { 1, 0 }, { 1, 1 }, { 2, 0 }, { 4, 1 }, { 4, 3000 } };

	for (int by_name = 0; by_name < 2; by_name++) {
		struct contents want = { 0 };
		struct craft c;

		craft_tree(&c, &want, base, nr, by_name, root_size);
		for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
			struct pack_receive_options o = {
				.algo = algo, .threads = ways[i].threads, .base_bytes = ways[i].bytes,
			};
			struct pack_receive *rx = receive(&c, &o);

			assert_contents(rx, &want);
			pack_receive_free(rx);
		}
		contents_release(&want);
		craft_release(&c);
	}
}

static void delta_trees(void **state UNUSED)
{
	uint32_t base[600];

	for (uint32_t i = 0; i < 600; i++) /* three roots, many below each */
		base[i] = i < 3 ? i : i % 3;
	check_tree(base, 600, 100);
	for (uint32_t i = 0; i < 600; i++) /* by twos */
		base[i] = i ? (i - 1) / 2 : 0;
	check_tree(base, 600, 1000);
	for (uint32_t i = 0; i < 600; i++) /* a comb: a chain with a short one at each link */
		base[i] = i < 2 ? 0 : i % 3 == 0 ? i - 3 : i - 1;
	check_tree(base, 600, 1000);
	srand(7);
	for (int round = 0; round < 10; round++) {
		for (uint32_t i = 0; i < 600; i++)
			base[i] = i && rand() % 50 ? (uint32_t)rand() % i : i;
		check_tree(base, 600, 10);
	}
}

/* Nothing recurses, and a chain takes two contents at a time. */
static void long_chains(void **state UNUSED)
{
	uint32_t nr = 100000, *base;

	ALLOC_ARRAY(base, nr);
	for (uint32_t i = 0; i < nr; i++)
		base[i] = i ? i - 1 : 0;
	for (int by_name = 0; by_name < 2; by_name++) {
		struct pack_receive_options o = { .algo = algo, .threads = 2 };
		struct contents want = { 0 };
		struct pack_receive *rx;
		struct craft c;

		craft_tree(&c, &want, base, nr, by_name, 4);
		rx = receive(&c, &o);
		assert_int_equal(assert_contents(rx, &want), nr - 1);
		pack_receive_free(rx);
		contents_release(&want);
		craft_release(&c);
	}
	free(base);
}

/* ---- broken packs ---- */

static void cut_anywhere(void **state UNUSED)
{
	struct contents want = { 0 };
	struct craft c, part;

	craft_all_kinds(&c, &want);
	for (size_t len = 0; len < c.out.len; len++) {
		part = c;
		part.out.len = len;
		expect_refused(&part, ERR_CORRUPT, "early EOF");
	}
	contents_release(&want);
	craft_release(&c);
}

/*
 * Flips each bit: the checksum shows the fault, if no other check does. If the checksum is right,
 * it may be a good pack.
 */
static void changed_anywhere(void **state UNUSED)
{
	struct pack_receive_options o = { .algo = algo, .threads = 1 };
	struct contents want = { 0 };
	struct craft c;
	size_t end;

	craft_all_kinds(&c, &want);
	end = c.out.len - algo->raw_len;
	for (size_t bit = 0; bit < 8 * c.out.len; bit++) {
		for (int right_sum = 0; right_sum < 2; right_sum++) {
			struct strbuf copy = STRBUF_INIT;
			struct pack_receive *rx = pack_receive_new(&o);
			struct object_id sum;
			int rc;

			strbuf_add(&copy, c.out.buf, c.out.len);
			copy.buf[bit / 8] = (char)(copy.buf[bit / 8] ^ 1 << (bit % 8));
			hash_buf(algo, copy.buf, end, &sum);
			if (right_sum)
				memcpy(copy.buf + end, sum.hash, algo->raw_len);
			rc = receive_bytes(rx, copy.buf, copy.len, NULL);
			assert_true(rc < 0 || right_sum);
			pack_receive_free(rx);
			strbuf_release(&copy);
		}
	}
	assert_tree("");
	contents_release(&want);
	craft_release(&c);
}

static void wrong_headers(void **state UNUSED)
{
	struct craft c;

	craft_init(&c, algo);
	craft_object(&c, OBJ_BLOB, "x", 1);
	craft_end(&c);
	c.out.buf[0] = 'p';
	expect_refused(&c, ERR_CORRUPT, "pack signature mismatch");
	c.out.buf[0] = 'P';
	c.out.buf[7] = 4;
	expect_refused(&c, ERR_UNSUPPORTED, "pack version 4 unsupported");
	c.out.buf[7] = 2;
	c.out.buf[c.out.len - 1] = (char)(c.out.buf[c.out.len - 1] ^ 1);
	expect_refused(&c, ERR_CORRUPT, "pack is corrupted (SHA");
	craft_release(&c);

	for (unsigned type = 0; type <= 5; type += 5) {
		craft_init(&c, algo);
		craft_header(&c, type, 1);
		craft_deflated(&c, "x", 1);
		craft_end(&c);
		expect_refused(&c, ERR_CORRUPT, "unknown object type");
		craft_release(&c);
	}
	/* A count that nothing stands behind takes no memory, nor time. */
	craft_init(&c, algo);
	craft_object(&c, OBJ_BLOB, "x", 1);
	craft_end_as(&c, UINT32_MAX);
	expect_refused(&c, ERR_CORRUPT, "");
	craft_release(&c);
}

static void sizes_that_lie(void **state UNUSED)
{
	static const struct {
		unsigned type;
		uint64_t size;
		const char *why;
	} lies[] = {
		{ OBJ_BLOB, 9, "shorter" }, { OBJ_BLOB, 11, "shorter" }, { OBJ_BLOB, 3, "longer" },
		{ OBJ_BLOB, 0, "longer" }, { OBJ_BLOB, UINT64_C(1) << 42, "shorter" },
		{ OBJ_COMMIT, UINT64_C(1) << 42, "shorter" }, { OBJ_TREE, UINT64_MAX, "shorter" },
		{ OBJ_OFS_DELTA, UINT64_C(1) << 42, "shorter" }, { OBJ_OFS_DELTA, 3, "longer" },
	};
	struct craft c;

	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		craft_init(&c, algo);
		craft_object(&c, OBJ_BLOB, "base", 4);
		craft_header(&c, lies[i].type, lies[i].size);
		if (lies[i].type == OBJ_OFS_DELTA)
			craft_distance(&c, c.offsets[1] - c.offsets[0]);
		craft_deflated(&c, "content!", 8);
		craft_end(&c);
		expect_refused(&c, ERR_CORRUPT, lies[i].why);
		craft_release(&c);
	}
	/* More bytes than a number has. */
	craft_init(&c, algo);
	craft_object(&c, OBJ_BLOB, "base", 4);
	strbuf_addstr(&c.out, "\xb1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f");
	craft_deflated(&c, "content!", 8);
	craft_end_as(&c, 2);
	expect_refused(&c, ERR_CORRUPT, "malformed header");
	craft_release(&c);
}

static void wrong_deltas(void **state UNUSED)
{
	struct strbuf d = STRBUF_INIT;
	struct object_id nobody;
	struct craft c;

	memset(&nobody, 0, sizeof(nobody));
	nobody.algo = (uint8_t)algo->id;
	for (int kind = 0; kind < 8; kind++) {
		craft_init(&c, algo);
		craft_object(&c, OBJ_BLOB, "base", 4);
		delta_extend(&d, 4, "!");
		if (kind == 0) /* a base that never comes */
			craft_ref_delta(&c, &nobody, &d);
		if (kind == 1) { /* between two entries */
			craft_header(&c, OBJ_OFS_DELTA, d.len);
			craft_distance(&c, c.offsets[1] - c.offsets[0] - 1);
			craft_deflated(&c, d.buf, d.len);
		}
		if (kind == 2) { /* itself */
			craft_header(&c, OBJ_OFS_DELTA, d.len);
			craft_distance(&c, 0);
			craft_deflated(&c, d.buf, d.len);
		}
		if (kind == 3) { /* before the pack */
			craft_header(&c, OBJ_OFS_DELTA, d.len);
			craft_distance(&c, c.offsets[1] + 1);
			craft_deflated(&c, d.buf, d.len);
		}
		if (kind == 4) { /* of another base */
			delta_extend(&d, 5, "!");
			craft_ofs_delta(&c, 0, &d);
		}
		if (kind == 5) { /* copies from beyond */
			delta_begin(&d, 4, 10);
			delta_copy(&d, 1, 10);
			craft_ofs_delta(&c, 0, &d);
		}
		if (kind == 6) { /* terabytes */
			delta_begin(&d, 4, UINT64_C(1) << 42);
			delta_copy(&d, 0, 4);
			craft_ofs_delta(&c, 0, &d);
		}
		if (kind == 7) { /* nothing at all */
			strbuf_reset(&d);
			craft_ofs_delta(&c, 0, &d);
		}
		craft_end(&c);
		expect_refused(&c, kind == 6 ? ERR_TOO_BIG : ERR_CORRUPT,
			       kind < 2 ? "pack has 1 unresolved delta" : kind < 4 ?
			       "pack has bad object" : "failed to apply delta");
		craft_release(&c);
	}
	strbuf_release(&d);
}

/* Two deltas that are each other's base, by name. */
static void delta_loop(void **state UNUSED)
{
	struct strbuf d = STRBUF_INIT;
	struct object_id a, b;
	struct craft c;

	assert_int_equal(hash_object_buf(algo, "blob", "a", 1, &a, NULL), 0);
	assert_int_equal(hash_object_buf(algo, "blob", "b", 1, &b, NULL), 0);
	craft_init(&c, algo);
	delta_begin(&d, 1, 1);
	delta_insert(&d, "a", 1);
	craft_ref_delta(&c, &b, &d);
	delta_begin(&d, 1, 1);
	delta_insert(&d, "b", 1);
	craft_ref_delta(&c, &a, &d);
	craft_end(&c);
	expect_refused(&c, ERR_CORRUPT, "pack has 2 unresolved deltas");
	craft_release(&c);
	strbuf_release(&d);
}

/* An object twice: its deltas are resolved once. */
static void duplicates(void **state UNUSED)
{
	struct pack_receive_options o = { .algo = algo };
	struct strbuf d = STRBUF_INIT;
	struct contents want = { 0 };
	struct object_id twice;
	struct pack_receive *rx;
	struct craft c;

	craft_init(&c, algo);
	for (int i = 0; i < 2; i++) {
		craft_object(&c, OBJ_BLOB, "base", 4);
		expect(&want, OBJ_BLOB, "base", 4);
		delta_extend(&d, 4, i ? "one" : "two");
		craft_ref_delta(&c, &want.oids[0], &d);
		expect(&want, OBJ_BLOB, i ? "baseone" : "basetwo", 7);
	}
	craft_end(&c);
	rx = receive(&c, &o);
	assert_contents(rx, &want);
	assert_true(pack_receive_has_duplicates(rx, &twice));
	assert_true(oid_eq(&twice, &want.oids[0]));
	pack_receive_free(rx);
	contents_release(&want);
	craft_release(&c);
	strbuf_release(&d);
}

static void junk_at_the_end(void **state UNUSED)
{
	struct pack_receive_options o = { .algo = algo };
	struct pack_receive *rx = pack_receive_new(&o);
	struct contents want = { 0 };
	struct err err = ERR_INIT;
	struct craft c;
	size_t len;

	craft_all_kinds(&c, &want);
	strbuf_addstr(&c.out, "junk");
	MUST(receive_bytes(rx, c.out.buf, c.out.len, &err));
	assert_memory_equal(pack_receive_rest(rx, &len), "junk", 4);
	assert_int_equal(len, 4);
	pack_receive_free(rx);

	for (int i = 1; i >= 0; i--) {
		int fd = open(at(dir, "p"), O_WRONLY | O_CREAT | O_TRUNC, 0644);

		assert_int_equal(write_in_full(fd, c.out.buf, c.out.len - (i ? 0 : 4), "p", NULL), 0);
		close(fd);
		rx = pack_receive_new(&o);
		assert_int_equal(pack_receive_file(rx, at(dir, "p"), &err), i ? ERR_CORRUPT : 0);
		if (i)
			assert_string_equal(err_message(&err), "pack has junk at the end");
		err_release(&err);
		pack_receive_free(rx);
	}
	contents_release(&want);
	craft_release(&c);
}

static void too_large(void **state UNUSED)
{
	struct pack_receive_options o = { .algo = algo };
	struct contents want = { 0 };
	struct craft c;

	craft_all_kinds(&c, &want);
	for (int more = 0; more < 2; more++) {
		struct pack_receive *rx;
		struct err err = ERR_INIT;

		o.max_input_bytes = c.out.len - !more;
		rx = pack_receive_new(&o);
		assert_int_equal(receive_bytes(rx, c.out.buf, c.out.len, &err),
				 more ? 0 : ERR_TOO_BIG);
		if (!more)
			assert_non_null(strstr(err_message(&err), "pack exceeds maximum allowed size"));
		err_release(&err);
		pack_receive_free(rx);
	}
	contents_release(&want);
	craft_release(&c);
}

static void assert_inflated(const struct craft *c, const struct pack_receive_limits *limits, int expect)
{
	struct pack_receive_options o = { .algo = algo, .limits = *limits };
	struct pack_receive *rx = pack_receive_new(&o);
	struct err err = ERR_INIT;

	assert_int_equal(receive_bytes(rx, c->out.buf, c->out.len, &err), expect);
	if (expect)
		assert_non_null(strstr(err_message(&err), "pack exceeds maximum allowed inflated size"));
	err_release(&err);
	pack_receive_free(rx);
}

/* Inflated bytes and results of deltas count once each, as no result is made again here. */
static void too_much_inflated(void **state UNUSED)
{
	struct strbuf d = STRBUF_INIT;
	uint64_t bytes = 5;
	struct craft c;

	craft_init(&c, algo);
	craft_object(&c, OBJ_BLOB, "12345", 5);
	delta_begin(&d, 5, 50);
	for (int i = 0; i < 10; i++)
		delta_copy(&d, 0, 5);
	craft_ofs_delta(&c, 0, &d);
	craft_ofs_delta(&c, 0, &d);
	bytes += 2 * (d.len + 50);
	craft_end(&c);
	assert_inflated(&c, &(struct pack_receive_limits){ .inflated_bytes = bytes }, 0);
	assert_inflated(&c, &(struct pack_receive_limits){ .inflated_bytes = bytes - 1 }, ERR_TOO_BIG);
	assert_inflated(&c, &(struct pack_receive_limits){ .inflated_bytes = 1, .inflated_per_input = 1 }, ERR_TOO_BIG);
	assert_inflated(&c, &(struct pack_receive_limits){ .inflated_bytes = 1, .inflated_per_input = 100 }, 0);
	assert_inflated(&c, &(struct pack_receive_limits){ .inflated_bytes = 1, .inflated_per_input = UINT64_MAX }, 0);
	assert_inflated(&c, &(struct pack_receive_limits){ .inflated_bytes = UINT64_MAX - 1, .inflated_per_input = 1 }, 0);
	strbuf_release(&d);
	craft_release(&c);
}

/* As a whole, and as the result of a delta; a blob may be larger. */
static void too_large_object(void **state UNUSED)
{
	static const enum object_type types[] = { OBJ_COMMIT, OBJ_TREE, OBJ_TAG, OBJ_BLOB };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(types); i++) {
		struct pack_receive_options o = { .algo = algo, .limits = { .tree_bytes = 19, .commit_bytes = 19 } };
		enum object_type type = types[i / 2];
		struct pack_receive *rx = pack_receive_new(&o);
		struct strbuf d = STRBUF_INIT;
		struct err err = ERR_INIT;
		struct craft c;

		craft_init(&c, algo);
		delta_extend(&d, 10, "0123456789");
		craft_object(&c, type, "01234567890123456789", i % 2 ? 10 : 20);
		if (i % 2)
			craft_ofs_delta(&c, 0, &d);
		craft_end(&c);
		assert_int_equal(receive_bytes(rx, c.out.buf, c.out.len, &err), type == OBJ_BLOB ? 0 : ERR_TOO_BIG);
		if (type != OBJ_BLOB)
			assert_non_null(strstr(err_message(&err), "exceeds maximum allowed size (19 bytes)"));
		err_release(&err);
		strbuf_release(&d);
		craft_release(&c);
		pack_receive_free(rx);
	}
}

/* Counts the whole objects of a broken pack. */
static unsigned nr_broken;

static void count_broken(void *data UNUSED, const char *msg UNUSED)
{
	nr_broken++;
}

static unsigned nr_delivered;

static int count_delivered(void *data UNUSED, const struct object_id *oid UNUSED,
			   enum object_type type UNUSED, const void *content UNUSED,
			   size_t size UNUSED, struct err *err UNUSED)
{
	nr_delivered++;
	return 0;
}

static void keep_going(void **state UNUSED)
{
	struct pack_receive_options o = {
		.algo = algo, .keep_going = true, .broken = count_broken, .object = count_delivered,
	};
	struct strbuf d = STRBUF_INIT;
	struct pack_receive *rx;
	struct craft c;

	craft_init(&c, algo);
	craft_object(&c, OBJ_BLOB, "base", 4);
	delta_extend(&d, 9, "for another");
	craft_ofs_delta(&c, 0, &d); /* broken */
	delta_extend(&d, 20, "on a broken one");
	craft_ofs_delta(&c, 1, &d); /* so this is, too */
	delta_extend(&d, 4, "good");
	craft_ofs_delta(&c, 0, &d);
	craft_object(&c, OBJ_BLOB, "other", 5);
	craft_header(&c, 5, 4); /* here it ends */
	craft_object(&c, OBJ_BLOB, "unseen", 6);
	craft_end(&c);
	nr_broken = nr_delivered = 0;
	rx = receive(&c, &o);
	assert_int_equal(nr_delivered, 3);
	assert_int_equal(nr_broken, 2);
	assert_int_equal(pack_receive_unresolved(rx), 2);
	pack_receive_free(rx);
	craft_release(&c);
	strbuf_release(&d);
}

/* ---- with a database ---- */

static struct odb *open_odb(void)
{
	struct odb_options o = {
		.objdir = dir, .algo = algo, .loose_level = 1, .pack_level = 1, .unpack_limit = 0,
	};
	struct err err = ERR_INIT;
	struct odb *odb;

	MUST(odb_open(&odb, &o, &err));
	return odb;
}

/* A pack of one blob, under the name of another. */
static void plant_as(const char *pack, const char *content, const struct object_id *name)
{
	struct idx_entry e = { .oid = *name };
	struct object_id sum;
	struct craft c;
	int fd;

	craft_init(&c, algo);
	craft_object(&c, OBJ_BLOB, content, strlen(content));
	craft_end(&c);
	memset(&sum, 0, sizeof(sum));
	memcpy(sum.hash, c.out.buf + c.out.len - algo->raw_len, algo->raw_len);
	e.offset = c.offsets[0];
	assert_true(!mkdir(at(dir, "pack"), 0777) || errno == EEXIST);
	fd = open(at(dir, "pack/%s.pack", pack), O_WRONLY | O_CREAT, 0644);
	assert_int_equal(write_in_full(fd, c.out.buf, c.out.len, "pack", NULL), 0);
	close(fd);
	fd = open(at(dir, "pack/%s.idx", pack), O_WRONLY | O_CREAT, 0644);
	assert_int_equal(idx_write(fd, "idx", algo, &e, 1, &sum, NULL), 0);
	close(fd);
	craft_release(&c);
}

static void plant(const char *content, const struct object_id *name)
{
	plant_as("pack-1", content, name);
}

/* The same name, another content: also of a delta, and of a blob that is compared in pieces. */
static void collision_with_what_is_there(void **state UNUSED)
{
	size_t big_len = (5 << 20);
	char *big = xcalloc(1, big_len + 1);

	memset(big, 'x', big_len);
	for (int kind = 0; kind < 4; kind++) {
		const char *content = kind == 2 ? big : "victim";
		char *other = xstrdup(content);
		struct pack_receive_options o = { .algo = algo };
		struct strbuf d = STRBUF_INIT;
		struct err err = ERR_INIT;
		struct pack_receive *rx;
		struct object_id name;
		struct craft c;
		int rc;

		if (kind != 3) /* the same: no collision */
			other[strlen(other) - 1] ^= 1;
		assert_int_equal(hash_object_buf(algo, "blob", content, strlen(content), &name, NULL), 0);
		plant(other, &name);
		craft_init(&c, algo);
		if (kind == 1) {
			craft_object(&c, OBJ_BLOB, "vic", 3);
			delta_extend(&d, 3, "tim");
			craft_ofs_delta(&c, 0, &d);
		} else {
			craft_object(&c, OBJ_BLOB, content, strlen(content));
		}
		craft_end(&c);
		o.odb = open_odb();
		rx = pack_receive_new(&o);
		rc = receive_bytes(rx, c.out.buf, c.out.len, &err);
		if (kind == 3)
			assert_int_equal(rc, 0);
		else if (rc != ERR_CORRUPT || !strstr(err_message(&err), "COLLISION FOUND WITH") ||
			 !strstr(err_message(&err), oid_hex(&name)))
			fail_msg("kind %d: %d '%s'", kind, rc, err_message(&err));
		pack_receive_free(rx);
		odb_free(o.odb);
		assert_int_equal(remove_tree(at(dir, "pack"), false, NULL), 0);
		craft_release(&c);
		strbuf_release(&d);
		err_release(&err);
		free(other);
	}
	free(big);
}

/* ---- thin packs ---- */

struct thin {
	struct odb *odb;
	struct pack_receive *rx;
	struct craft c;
	struct strbuf d;
	struct object_id base; /* "base" is in the database */
};

static void thin_begin(struct thin *t)
{
	memset(t, 0, sizeof(*t));
	strbuf_init(&t->d, 0);
	assert_int_equal(hash_object_buf(algo, "blob", "base", 4, &t->base, NULL), 0);
	plant("base", &t->base);
	t->odb = open_odb();
	craft_init(&t->c, algo);
}

static int thin_receive_within(struct thin *t, bool fix, uint64_t inflated_bytes, struct err *err)
{
	struct pack_receive_options o = { .algo = algo, .odb = t->odb, .fix_thin = fix, .level = 6,
					  .limits = { .inflated_bytes = inflated_bytes } };

	craft_end(&t->c);
	t->rx = pack_receive_new(&o);
	return receive_bytes(t->rx, t->c.out.buf, t->c.out.len, err);
}

static int thin_receive(struct thin *t, bool fix, struct err *err)
{
	return thin_receive_within(t, fix, 0, err);
}

static void thin_end(struct thin *t)
{
	pack_receive_free(t->rx);
	odb_free(t->odb);
	assert_int_equal(remove_tree(at(dir, "pack"), false, NULL), 0);
	craft_release(&t->c);
	strbuf_release(&t->d);
}

/* The pack that was made of a thin one is a good one by itself. */
static void assert_self_contained(struct thin *t, const struct contents *want)
{
	const struct pack_receive_names n = { .packdir = dir, .write_rev = true };
	struct fsync_batch_options bo = { .policy = FSYNC_POLICY_DEFAULT };
	struct fsync_batch *b = fsync_batch_new(&bo);
	struct pack_receive_options o = { .algo = algo };
	struct err err = ERR_INIT;
	struct pack_receive *rx;
	char *path;

	assert_contents(t->rx, want);
	path = xstrfmt("%s/pack-%s.pack", dir, oid_hex(pack_receive_checksum(t->rx)));
	MUST(pack_receive_stage(t->rx, b, &n, NULL, &err));
	MUST(fsync_batch_commit(b, &err));
	fsync_batch_free(b);
	rx = pack_receive_new(&o);
	MUST(pack_receive_file(rx, path, &err));
	MUST(pack_receive_resolve(rx, &err));
	assert_contents(rx, want);
	memcpy(path + strlen(path) - 4, "idx\0", 4);
	MUST(pack_receive_verify_idx(rx, path, &err));
	unlink(path);
	memcpy(path + strlen(path) - 3, "rev", 3);
	MUST(pack_receive_verify_rev(rx, path, &err));
	unlink(path);
	pack_receive_free(rx);
	free(path);
}

static void thin_packs(void **state UNUSED)
{
	struct contents want = { 0 };
	struct err err = ERR_INIT;
	struct thin t;

	for (int fix = 0; fix < 2; fix++) {
		thin_begin(&t);
		delta_extend(&t.d, 4, "line");
		craft_ref_delta(&t.c, &t.base, &t.d);
		delta_extend(&t.d, 8, "!");
		craft_ofs_delta(&t.c, 0, &t.d);
		if (!fix) {
			assert_int_equal(thin_receive(&t, false, &err), ERR_CORRUPT);
			assert_string_equal(err_message(&err), "pack has 2 unresolved deltas");
			err_release(&err);
			thin_end(&t);
			continue;
		}
		MUST(thin_receive(&t, true, &err));
		assert_int_equal(pack_receive_added(t.rx), 1);
		expect(&want, OBJ_BLOB, "baseline", 8);
		expect(&want, OBJ_BLOB, "baseline!", 9);
		expect(&want, OBJ_BLOB, "base", 4);
		assert_self_contained(&t, &want);
		thin_end(&t);
	}
	contents_release(&want);
}

/* The base that comes from the database counts each time that it is read, and so does the delta: twice here. */
static void thin_pack_inflated(void **state UNUSED)
{
	for (int less = 0; less < 2; less++) {
		struct err err = ERR_INIT;
		struct thin t;

		thin_begin(&t);
		delta_extend(&t.d, 4, "line");
		craft_ref_delta(&t.c, &t.base, &t.d);
		assert_int_equal(thin_receive_within(&t, true, 8 + 2 * t.d.len + 8 - (uint64_t)less, &err),
				 less ? ERR_TOO_BIG : 0);
		err_release(&err);
		thin_end(&t);
	}
}

static int first_has_base(void *data, const struct received_object *o)
{
	return o->depth > 0 && oid_eq(&o->base, data);
}

/*
 * The base is in the database, and also in the pack, as a delta: once of something else that only the
 * database has, so that it need not be added; once of what rests on it, so that it must be, or the
 * pack would go round in a circle.
 */
static void thin_base_in_pack(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct object_id other;
	struct thin t;

	for (int circle = 0; circle < 2; circle++) {
		struct contents want = { 0 };

		thin_begin(&t);
		assert_int_equal(hash_object_buf(algo, "blob", circle ? "baseline" : "basement", 8, &other, NULL), 0);
		if (!circle)
			plant_as("pack-2", "basement", &other);
		delta_extend(&t.d, 4, "line");
		craft_ref_delta(&t.c, &t.base, &t.d); /* "baseline" */
		expect(&want, OBJ_BLOB, "baseline", 8);
		delta_begin(&t.d, 8, 4);
		delta_copy(&t.d, 0, 4);
		craft_ref_delta(&t.c, &other, &t.d); /* "base" */
		expect(&want, OBJ_BLOB, "base", 4);
		if (circle)
			expect(&want, OBJ_BLOB, "base", 4);
		else
			expect(&want, OBJ_BLOB, "basement", 8);
		MUST(thin_receive(&t, true, &err));
		assert_int_equal(pack_receive_added(t.rx), 1);
		assert_int_equal(pack_receive_foreach(t.rx, first_has_base, &t.base, &err), 1);
		assert_self_contained(&t, &want);
		thin_end(&t);
		contents_release(&want);
	}
}

/* The copy changes on the disk before its new checksum is made of it, which must not hide that. */
static int damage_copy(void *data UNUSED, const struct object_id *oid UNUSED,
		       enum object_type type UNUSED, const void *content UNUSED,
		       size_t size UNUSED, struct err *err UNUSED)
{
	struct dirent *e;
	DIR *d = opendir(dir);

	while ((e = readdir(d)))
		if (!strncmp(e->d_name, "tmp_pack_", 9)) {
			int fd = open(at(dir, "%s", e->d_name), O_WRONLY | O_CLOEXEC);

			assert_int_equal(pwrite(fd, "\3", 1, 7), 1); /* the version */
			close(fd);
		}
	closedir(d);
	return 0;
}

static void thin_pack_damaged_on_disk(void **state UNUSED)
{
	struct pack_receive_options o = { .algo = algo, .fix_thin = true, .object = damage_copy };
	struct err err = ERR_INIT;
	struct thin t;

	thin_begin(&t);
	delta_extend(&t.d, 4, "line");
	craft_ref_delta(&t.c, &t.base, &t.d);
	craft_end(&t.c);
	o.odb = t.odb;
	t.rx = pack_receive_new(&o);
	assert_int_equal(receive_bytes(t.rx, t.c.out.buf, t.c.out.len, &err), ERR_IO);
	assert_non_null(strstr(err_message(&err), "Unexpected tail checksum"));
	err_release(&err);
	thin_end(&t);
}

/* The checksums are right, but the order is that of another pack. */
static void reverse_index_of_another_order(void **state UNUSED)
{
	struct pack_receive_options o = { .algo = algo };
	struct idx_entry v[2] = { { .offset = 12 }, { .offset = 24 } };
	struct err err = ERR_INIT;
	struct pack_receive *rx;
	int good = 0;
	struct craft c;

	craft_init(&c, algo);
	craft_object(&c, OBJ_BLOB, "a", 1);
	craft_object(&c, OBJ_BLOB, "b", 1);
	craft_end(&c);
	rx = receive(&c, &o);
	for (int way = 0; way < 2; way++) {
		int fd = open(at(dir, "x.rev"), O_RDWR | O_CREAT | O_TRUNC, 0644);
		uint64_t offset = v[0].offset;

		v[0].offset = v[1].offset;
		v[1].offset = offset;
		MUST(rev_write(fd, "x.rev", algo, v, 2, pack_receive_checksum(rx), &err));
		close(fd);
		good += !pack_receive_verify_rev(rx, at(dir, "x.rev"), NULL);
	}
	assert_int_equal(good, 1);
	pack_receive_free(rx);
	craft_release(&c);
}

#define BOTH(f) cmocka_unit_test_setup_teardown(f, setup_sha1, scratch_teardown), \
		cmocka_unit_test_setup_teardown(f, setup_sha256, scratch_teardown)
#define ONE(f) cmocka_unit_test_setup_teardown(f, setup_sha1, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(all_kinds), ONE(names_of_deltas), ONE(empty_pack), ONE(from_a_pipe), ONE(big_objects), ONE(delta_trees),
		ONE(long_chains), BOTH(cut_anywhere), ONE(changed_anywhere), ONE(wrong_headers),
		ONE(sizes_that_lie), BOTH(wrong_deltas), ONE(delta_loop), ONE(duplicates),
		BOTH(junk_at_the_end), ONE(too_large), BOTH(too_much_inflated), BOTH(too_large_object), ONE(keep_going),
		ONE(collision_with_what_is_there), BOTH(thin_packs), BOTH(thin_pack_inflated), BOTH(thin_base_in_pack),
		ONE(thin_pack_damaged_on_disk), ONE(reverse_index_of_another_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
