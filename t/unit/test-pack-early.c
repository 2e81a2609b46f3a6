/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deltas resolved while a pack is read, as far as their bases are present; and the remaining ones.
 */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "pack/receive/receive-internal.h"
#include "t/pack-craft.h"
#include "t/unit/scratch.h"
#include "util/alloc.h"

#define MUST(x) do { if ((x) < 0) fail_msg("%s", err_message(&err)); } while (0)
#define NR 5000u /* many slabs */
#define ROOT_BYTES 900u

/* Entry i is a delta of entry base[i], or the root. Content: the root's bytes, and the number of the entry. */
struct history {
	uint32_t base[NR];
	struct object_id oids[NR];
	struct craft c;
};

static void make_content(uint32_t i, char out[ROOT_BYTES + 16])
{
	memset(out, 'r', ROOT_BYTES);
	snprintf(out + ROOT_BYTES, 16, "%08u", i);
}

static void craft_history(struct history *h, uint32_t nr, bool by_name)
{
	char content[ROOT_BYTES + 16], number[16];
	struct strbuf d = STRBUF_INIT;

	for (uint32_t i = 0; i < nr; i++) {
		make_content(i, content);
		assert_int_equal(hash_object_buf(hash_sha1, "blob", content, ROOT_BYTES + 8, &h->oids[i], NULL), 0);
	}
	craft_init(&h->c, hash_sha1);
	for (uint32_t i = 0; i < nr; i++) {
		make_content(i, content);
		if (h->base[i] == i) {
			craft_object(&h->c, OBJ_BLOB, content, ROOT_BYTES + 8);
			continue;
		}
		delta_begin(&d, ROOT_BYTES + 8, ROOT_BYTES + 8);
		delta_copy(&d, 0, ROOT_BYTES);
		snprintf(number, sizeof(number), "%08u", i);
		delta_insert(&d, number, 8);
		if (by_name)
			craft_ref_delta(&h->c, &h->oids[h->base[i]], &d);
		else
			craft_ofs_delta(&h->c, h->base[i], &d);
	}
	craft_end(&h->c);
	strbuf_release(&d);
}

static struct pack_receive *read_pack(const struct craft *c, const struct pack_receive_options *o)
{
	struct pack_receive *rx = pack_receive_new(o);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct pack_receive_stream_options s = { .fd = null, .head = c->out.buf, .head_len = c->out.len,
						 .dir = dir };
	struct err err = ERR_INIT;

	MUST(pack_receive_stream(rx, &s, &err));
	close(null);
	return rx;
}

static void resolve_rest(struct pack_receive *rx, const struct history *h, uint32_t nr)
{
	struct err err = ERR_INIT;

	MUST(pack_receive_resolve(rx, &err));
	assert_int_equal(rx->nr, nr);
	for (uint32_t i = 0; i < nr; i++)
		assert_memory_equal(rx_name(rx, i), h->oids[i].hash, 20);
	pack_receive_free(rx);
}

/*
 * Checks that at least `from` and at most `to` deltas were resolved while reading; then resolves
 * the others.
 */
static void check(const struct history *h, uint32_t nr, size_t base_bytes, uint32_t from, uint32_t to)
{
	for (int threads = 1; threads <= 4; threads += 3) {
		struct pack_receive_options o = { .algo = hash_sha1, .threads = threads, .base_bytes = base_bytes };
		struct pack_receive *rx = read_pack(&h->c, &o);
		uint32_t made = atomic_load(&rx->resolved);

		if (made < from || made > to)
			fail_msg("%u threads made %u of %u deltas", (unsigned)threads, made, rx->nr_deltas);
		resolve_rest(rx, h, nr);
	}
}

/* Bases that another thread is about to make, too: what rests on a delta that is left would be left. */
static void bases_before(void **state UNUSED)
{
	struct history *h = xmalloc(sizeof(*h));

	srand(3);
	for (uint32_t i = 0; i < NR; i++)
		h->base[i] = i ? i - 1 - (uint32_t)rand() % (i < 40 ? i : 40) : 0;
	for (int by_name = 0; by_name < 2; by_name++) {
		craft_history(h, NR, by_name);
		check(h, NR, 0, NR - 1, NR - 1);
		craft_release(&h->c);
	}
	free(h);
}

/* By name they can come later. */
static void bases_after(void **state UNUSED)
{
	struct history *h = xmalloc(sizeof(*h));

	for (uint32_t i = 0; i < NR; i++)
		h->base[i] = i + 1 < NR ? i + 1 : i;
	craft_history(h, NR, true);
	check(h, NR, 0, NR - 1, NR - 1);
	craft_release(&h->c);
	for (uint32_t i = 0; i < NR; i++) /* towards 17, whichever way */
		h->base[i] = i % 50 == 17 ? i : i % 50 < 17 ? i + 1 : i - 1;
	craft_history(h, NR, true);
	check(h, NR, 0, NR - NR / 50, NR - NR / 50);
	craft_release(&h->c);
	free(h);
}

/*
 * If there is hardly any memory for bases, all deltas remain; found by name, they are as good as
 * those by offset.
 */
static void bases_forgotten(void **state UNUSED)
{
	struct history *h = xmalloc(sizeof(*h));
	struct pack_receive_options o = { .algo = hash_sha1, .threads = 1, .base_bytes = 1 };
	struct pack_receive *rx;

	for (uint32_t i = 0; i < NR; i++)
		h->base[i] = i - i % 100; /* a hundred of each root */
	for (int by_name = 0; by_name < 2; by_name++) {
		craft_history(h, NR, by_name);
		check(h, NR, 1, 0, 0);
		rx = read_pack(&h->c, &o);
		assert_int_equal(rx->nr_refs, 0);
		pack_receive_free(rx);
		craft_release(&h->c);
	}
	free(h);
}

/*
 * One that is left, upon one that was made from a base by name that comes later and is a delta itself: bases
 * by offset come earlier, and resolving counts on that.
 */
static void left_upon_a_later_base(void **state UNUSED)
{
	static const uint32_t bases[] = { 0, 3, 0, 2, 4, 5, 6, 7, 1 };
	struct pack_receive_options o = { .algo = hash_sha1, .threads = 1, .base_bytes = 10 * ROOT_BYTES };
	struct history *h = xmalloc(sizeof(*h));
	struct pack_receive *rx;

	memcpy(h->base, bases, sizeof(bases));
	craft_history(h, ARRAY_SIZE(bases), true);
	rx = read_pack(&h->c, &o);
	assert_int_equal(atomic_load(&rx->resolved), 3);
	resolve_rest(rx, h, ARRAY_SIZE(bases));
	craft_release(&h->c);
	free(h);
}

/* Deltas of a megabyte, whose base comes last: not all of them are held. */
static void too_much_waits(void **state UNUSED)
{
	const uint32_t nr = 20, size = 1 << 20;
	struct pack_receive_options o = { .algo = hash_sha1, .threads = 1 };
	struct history *h = xmalloc(sizeof(*h));
	char *content = xcalloc(1, size);
	struct strbuf d = STRBUF_INIT;
	struct pack_receive *rx;

	craft_init(&h->c, hash_sha1);
	assert_int_equal(hash_object_buf(hash_sha1, "blob", "base", 4, &h->oids[nr], NULL), 0);
	for (uint32_t i = 0; i < nr; i++) {
		content[0] = (char)('a' + i);
		delta_begin(&d, 4, size);
		for (uint32_t at = 0; at < size; at += 64)
			delta_insert(&d, content + at, 64);
		craft_ref_delta(&h->c, &h->oids[nr], &d);
		assert_int_equal(hash_object_buf(hash_sha1, "blob", content, size, &h->oids[i], NULL), 0);
	}
	craft_object(&h->c, OBJ_BLOB, "base", 4);
	craft_end(&h->c);
	rx = read_pack(&h->c, &o);
	assert_int_equal(atomic_load(&rx->resolved), 7);
	resolve_rest(rx, h, nr + 1);
	craft_release(&h->c);
	strbuf_release(&d);
	free(content);
	free(h);
}

/* One that cannot be made, and what waits for it; all others are made. */
static void broken_base(void **state UNUSED)
{
	struct history *h = xmalloc(sizeof(*h));
	struct pack_receive_options o = { .algo = hash_sha1, .keep_going = true };
	struct strbuf d = STRBUF_INIT;
	struct err err = ERR_INIT;

	for (o.threads = 1; o.threads <= 4; o.threads += 3) {
		struct pack_receive *rx;
		char content[ROOT_BYTES + 16];

		craft_init(&h->c, hash_sha1);
		make_content(0, content);
		craft_object(&h->c, OBJ_BLOB, content, ROOT_BYTES + 8);
		delta_begin(&d, 5, 9); /* of a base of another size */
		delta_insert(&d, "something", 9);
		craft_ofs_delta(&h->c, 0, &d);
		for (uint32_t i = 2; i < 1000; i++) {
			delta_begin(&d, ROOT_BYTES + 8, 4);
			delta_copy(&d, i % 800, 4);
			craft_ofs_delta(&h->c, i % 2 ? i - 2 : 0, &d);
		}
		craft_end(&h->c);
		rx = read_pack(&h->c, &o);
		assert_int_equal(atomic_load(&rx->resolved), 499);
		MUST(pack_receive_resolve(rx, &err));
		assert_int_equal(pack_receive_unresolved(rx), 500);
		pack_receive_free(rx);
		craft_release(&h->c);
	}
	strbuf_release(&d);
	free(h);
}

/* A delta that cannot be made has no name, and is not taken for its base, which comes later. */
static void name_of_a_broken_one(void **state UNUSED)
{
	struct pack_receive_options o = { .algo = hash_sha1, .threads = 1, .keep_going = true };
	struct strbuf d = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct pack_receive *rx;
	struct object_id oid;
	struct craft c;

	assert_int_equal(hash_object_buf(hash_sha1, "blob", "base", 4, &oid, NULL), 0);
	craft_init(&c, hash_sha1);
	delta_begin(&d, 5, 1); /* of a base of another size */
	delta_insert(&d, "x", 1);
	craft_ref_delta(&c, &oid, &d);
	craft_object(&c, OBJ_BLOB, "base", 4);
	craft_end(&c);
	rx = read_pack(&c, &o);
	MUST(pack_receive_resolve(rx, &err));
	assert_int_equal(rx_find_name(rx, oid.hash), 1);
	pack_receive_free(rx);
	craft_release(&c);
	strbuf_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bases_before, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(bases_after, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(bases_forgotten, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(left_upon_a_later_base, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(too_much_waits, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(broken_base, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(name_of_a_broken_one, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
