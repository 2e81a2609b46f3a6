/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparing trees, against a comparison that looks at each pair of entries. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "object/tree-compare.h"
#include "util/err.h"

#define NAMES 60
#define ROUNDS 20000

static uint32_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

/* What a name stands for in one tree; mode 0: it has no such entry. */
struct model {
	unsigned mode[NAMES];
	unsigned char id[NAMES];
};

struct pair {
	struct strbuf text[2];
	struct strbuf seen;
};

/* In the order of trees: all names have one length. */
static void name_of(char name[4], unsigned i)
{
	snprintf(name, 4, "n%02u", i);
}

/* An id whose bytes look like the rest of an entry, and end as others do. */
static void oid_of(struct object_id *oid, unsigned char id)
{
	unsigned char raw[20] = "100644 n00";

	raw[id % 20] = id;
	oid_from_raw(oid, raw, hash_sha1);
}

static void random_model(struct model *m)
{
	static const unsigned modes[] = { 0, MODE_FILE, MODE_FILE, MODE_EXEC, 0100664 };

	for (unsigned i = 0; i < NAMES; i++) {
		m->mode[i] = modes[below(5)];
		m->id[i] = (unsigned char)below(256);
	}
}

static void change(struct model *m)
{
	for (unsigned n = below(4); n; n--) {
		unsigned i = below(NAMES);

		switch (below(4)) {
		case 0: m->mode[i] = 0; break;
		case 1: m->mode[i] = MODE_FILE; break;
		case 2: m->mode[i] = MODE_EXEC; break;
		default: m->id[i] = (unsigned char)below(256); break;
		}
	}
}

static void compose(struct strbuf *out, const struct model *m)
{
	struct object_id oid;
	char name[4];

	strbuf_reset(out);
	for (unsigned i = 0; i < NAMES; i++)
		if (m->mode[i]) {
			name_of(name, i);
			oid_of(&oid, m->id[i]);
			tree_append(out, m->mode[i], name, 3, &oid);
		}
}

static int open_tree(void *data, const struct object_id *oid, struct compared_tree *out, struct err *err)
{
	struct pair *p = data;

	(void)err;
	out->buf.data = p->text[oid->hash[0]].buf;
	out->buf.size = p->text[oid->hash[0]].len;
	return 0;
}

static void close_tree(void *data, struct compared_tree *t)
{
	(void)data;
	(void)t;
}

static void note(struct strbuf *out, const char *name, unsigned old, unsigned new)
{
	strbuf_addf(out, "%s %o %o\n", name, old, new);
}

static int differ(void *data, const struct strbuf *path, const struct tree_entry *old, const struct tree_entry *new,
		  struct err *err)
{
	struct pair *p = data;

	(void)err;
	note(&p->seen, path->buf, old ? old->mode : 0, new ? new->mode : 0);
	return TREE_COMPARE_NEXT;
}

static void expect(struct strbuf *out, const struct model *a, const struct model *b, bool all)
{
	struct object_id x, y;
	char name[4];

	strbuf_reset(out);
	for (unsigned i = 0; i < NAMES; i++) {
		unsigned old = canonical_mode(a->mode[i]), new = canonical_mode(b->mode[i]);

		if (!a->mode[i] && !b->mode[i])
			continue;
		name_of(name, i);
		oid_of(&x, a->id[i]);
		oid_of(&y, b->id[i]);
		if (all || !a->mode[i] || !b->mode[i] || old != new || !oid_eq(&x, &y))
			note(out, name, a->mode[i] ? old : 0, b->mode[i] ? new : 0);
	}
}

static void compare(struct pair *p, bool all)
{
	struct object_id old = { .algo = HASH_SHA1 }, new = { .algo = HASH_SHA1, .hash = { 1 } };
	const struct tree_comparer c = {
		.algo = hash_sha1, .open = open_tree, .close = close_tree, .differ = differ, .data = p, .max_depth = 10,
		.report_equal = all,
	};
	struct err err = ERR_INIT;

	strbuf_reset(&p->seen);
	assert_int_equal(tree_compare(&c, &old, &new, &err), 0);
	err_release(&err);
}

static void test_random_trees(void **unused)
{
	struct pair p = { { STRBUF_INIT, STRBUF_INIT }, STRBUF_INIT };
	struct strbuf want = STRBUF_INIT;
	struct model a, b;

	(void)unused;
	for (unsigned i = 0; i < ROUNDS; i++) {
		const bool all = below(8) == 0;

		random_model(&a);
		b = a;
		if (below(10))
			change(&b);
		else
			random_model(&b);
		compose(&p.text[0], &a);
		compose(&p.text[1], &b);
		compare(&p, all);
		expect(&want, &a, &b, all);
		assert_string_equal(p.seen.buf, want.buf);
	}
	strbuf_release(&want);
	strbuf_release(&p.seen);
	strbuf_release(&p.text[0]);
	strbuf_release(&p.text[1]);
}

/* One tree ends in the middle of an entry that the other has whole. */
static void test_malformed(void **unused)
{
	struct pair p = { { STRBUF_INIT, STRBUF_INIT }, STRBUF_INIT };
	struct object_id old = { .algo = HASH_SHA1 }, new = { .algo = HASH_SHA1, .hash = { 1 } };
	const struct tree_comparer c = {
		.algo = hash_sha1, .open = open_tree, .close = close_tree, .differ = differ, .data = &p, .max_depth = 10,
	};
	struct model a = { .mode = { MODE_FILE, MODE_FILE } };
	struct err err = ERR_INIT;

	(void)unused;
	compose(&p.text[0], &a);
	compose(&p.text[1], &a);
	strbuf_setlen(&p.text[0], p.text[0].len - 1);
	assert_int_equal(tree_compare(&c, &old, &new, &err), ERR_CORRUPT);
	assert_non_null(strstr(err_message(&err), "too-short tree object"));
	err_release(&err);
	strbuf_release(&p.seen);
	strbuf_release(&p.text[0]);
	strbuf_release(&p.text[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_trees),
		cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
