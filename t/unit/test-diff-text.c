/* SPDX-License-Identifier: GPL-2.0-only */
/* The text engine: what it says of two texts is true, short, and in the right place. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "diff/text-internal.h"
#include "util/alloc.h"
#include "util/strbuf.h"

static struct diff_options plain;

static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static void compare(struct text_diff *d, const struct strbuf *a, const struct strbuf *b,
		    const struct diff_options *o)
{
	text_diff(d, a->buf, a->len, b->buf, b->len, o);
}

/* The old text with the changes made is the new one; changes are apart, in order. */
static void check_true(const struct text_diff *d, const struct strbuf *b)
{
	struct strbuf made = STRBUF_INIT;
	const struct text_side *old = &d->side[0], *new = &d->side[1];
	size_t i = 0, j = 0;

	for (size_t n = 0; n < d->nr; n++) {
		const struct text_change *c = &d->changes[n];

		assert_true(c->old_nr || c->new_nr);
		assert_true(!n || c->old_first > i);
		assert_int_equal(c->old_first - i, c->new_first - j);
		for (; i < c->old_first; i++)
			strbuf_add(&made, old->lines[i].text, old->lines[i].len);
		for (j = c->new_first; j < c->new_first + c->new_nr; j++)
			strbuf_add(&made, new->lines[j].text, new->lines[j].len);
		i += c->old_nr;
	}
	for (; i < old->nr; i++)
		strbuf_add(&made, old->lines[i].text, old->lines[i].len);
	assert_int_equal(made.len, b->len);
	assert_memory_equal(made.buf, b->buf, b->len);
	strbuf_release(&made);
}

/* Lines that a longest common subsequence leaves over, by the table. */
static size_t least_cost(const struct text_diff *d)
{
	size_t n = d->side[0].nr, m = d->side[1].nr;
	size_t *row = xcalloc(m + 1, sizeof(*row)), common;

	for (size_t i = 0; i < n; i++) {
		size_t diagonal = 0;

		for (size_t j = 0; j < m; j++) {
			size_t above = row[j + 1];

			if (d->side[0].id[i] == d->side[1].id[j])
				row[j + 1] = diagonal + 1;
			else if (row[j] > row[j + 1])
				row[j + 1] = row[j];
			diagonal = above;
		}
	}
	common = row[m];
	free(row);
	return n + m - 2 * common;
}

static void random_text(struct strbuf *sb, size_t lines, uint32_t words)
{
	strbuf_reset(sb);
	for (size_t i = 0; i < lines; i++)
		strbuf_addf(sb, "line %u\n", random_below(words));
	if (sb->len && !random_below(4))
		strbuf_setlen(sb, sb->len - 1);
}

/* Few different lines, in texts so short that none of them counts as frequent. */
static void test_random_short(void **state)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct diff_options minimal = plain;

	(void)state;
	minimal.minimal = true;
	for (int n = 0; n < 3000; n++) {
		struct text_diff d;

		random_text(&a, random_below(12), 1 + random_below(8));
		random_text(&b, random_below(12), 1 + random_below(8));
		compare(&d, &a, &b, n % 2 ? &plain : &minimal);
		check_true(&d, &b);
		text_diff_release(&d);
	}
	strbuf_release(&a);
	strbuf_release(&b);
}

/* Whatever the algorithm: the changes make the new text from the old one. */
static void test_algorithms_random(void **state)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct diff_options o = plain;

	(void)state;
	strvec_push(&o.anchors, "line 3");
	for (int n = 0; n < 6000; n++) {
		uint32_t words = 1 + random_below(60);
		struct text_diff d;

		o.algorithm = n % 2 ? DIFF_PATIENCE : DIFF_HISTOGRAM;
		random_text(&a, random_below(80), words);
		random_text(&b, random_below(80), words);
		compare(&d, &a, &b, &o);
		check_true(&d, &b);
		text_diff_release(&d);
	}
	strvec_clear(&o.anchors);
	strbuf_release(&a);
	strbuf_release(&b);
}

/* The search itself, on sequences of which nothing was left out. */
static void test_search_is_minimal(void **state)
{
	enum { MOST = 60 };

	(void)state;
	for (int n = 0; n < 3000; n++) {
		uint32_t id[2][MOST], line[MOST];
		uint8_t changed[2][MOST];
		struct myers_input in[2];
		struct text_diff d = { 0 };
		size_t marked = 0;

		for (uint32_t i = 0; i < MOST; i++)
			line[i] = i;
		memset(changed, 0, sizeof(changed));
		for (int s = 0; s < 2; s++) {
			uint32_t words = 1 + random_below(9);

			d.side[s].nr = random_below(MOST);
			d.side[s].id = id[s];
			for (size_t i = 0; i < d.side[s].nr; i++)
				id[s][i] = random_below(words);
			in[s] = (struct myers_input){ id[s], line, changed[s], d.side[s].nr };
		}
		myers_mark(&in[0], &in[1], true);
		for (int s = 0; s < 2; s++)
			for (size_t i = 0; i < MOST; i++)
				marked += changed[s][i];
		assert_int_equal(marked, least_cost(&d));
		/* unmarked lines are the same on both sides */
		for (size_t i = 0, j = 0; i < d.side[0].nr || j < d.side[1].nr; i++, j++) {
			while (i < d.side[0].nr && changed[0][i])
				i++;
			while (j < d.side[1].nr && changed[1][j])
				j++;
			if (i == d.side[0].nr || j == d.side[1].nr) {
				assert_true(i == d.side[0].nr && j == d.side[1].nr);
				break;
			}
			assert_int_equal(id[0][i], id[1][j]);
		}
	}
}

/* Inputs that cost quadratic time without a limit; true anyway, and soon done. */
static void test_large_and_hostile(void **state)
{
	static const struct {
		size_t lines;
		uint32_t words;
	} cases[] = { { 3000, 3 }, { 3000, 60 }, { 60000, 40000 }, { 100000, 2 }, { 20000, 1000 } };
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct diff_options o = plain;

	(void)state;
	for (size_t i = 0; i < 3 * ARRAY_SIZE(cases); i++) {
		struct text_diff d;

		o.algorithm = (enum diff_algorithm)(i % 3); /* all of them */
		random_text(&a, cases[i / 3].lines, cases[i / 3].words);
		random_text(&b, cases[i / 3].lines, cases[i / 3].words);
		compare(&d, &a, &b, &o);
		check_true(&d, &b);
		text_diff_release(&d);
	}
	strbuf_release(&a);
	strbuf_release(&b);
}

/* "3,2 4,0" for each change: lines of the old side, lines of the new one, from 1. */
static void check_changes(const char *a, const char *b, const struct diff_options *o,
			  const char *want)
{
	struct strbuf got = STRBUF_INIT;
	struct text_diff d;

	text_diff(&d, a, strlen(a), b, strlen(b), o);
	for (size_t i = 0; i < d.nr; i++) {
		const struct text_change *c = &d.changes[i];

		strbuf_addf(&got, "%s%zu,%zu %zu,%zu", i ? "; " : "", c->old_first + 1,
			    c->old_nr, c->new_first + 1, c->new_nr);
	}
	assert_string_equal(got.buf, want);
	text_diff_release(&d);
	strbuf_release(&got);
}

static void test_place_of_groups(void **state)
{
	struct diff_options no_indent = plain;

	(void)state;
	no_indent.indent_heuristic = false;
	check_changes("", "", &plain, "");
	check_changes("a\n", "a\n", &plain, "");
	check_changes("", "a\nb\n", &plain, "1,0 1,2");
	check_changes("a\nb\n", "", &plain, "1,2 1,0");
	check_changes("a", "a\n", &plain, "1,1 1,1");
	/* as low as it goes */
	check_changes("a\n", "a\na\n", &no_indent, "2,0 2,1");
	check_changes("x\na\nb\ny\n", "x\na\nb\na\nb\ny\n", &no_indent, "4,0 4,2");
	/* a function that came is whole */
	check_changes("f()\n{\n\tx;\n}\n\nh()\n{\n\tz;\n}\n",
		      "f()\n{\n\tx;\n}\n\ng()\n{\n\ty;\n}\n\nh()\n{\n\tz;\n}\n", &plain,
		      "6,0 6,5");
	check_changes("f()\n{\n\tx;\n}\n\nh()\n{\n\tz;\n}\n",
		      "f()\n{\n\tx;\n}\n\ng()\n{\n\ty;\n}\n\nh()\n{\n\tz;\n}\n", &no_indent,
		      "6,0 6,5");
	check_changes("{\n\tx;\n}\n{\n\tz;\n}\n", "{\n\tx;\n}\n{\n\ty;\n}\n{\n\tz;\n}\n", &plain,
		      "4,0 4,3");
	check_changes("{\n\tx;\n}\n{\n\tz;\n}\n", "{\n\tx;\n}\n{\n\ty;\n}\n{\n\tz;\n}\n",
		      &no_indent, "5,0 5,3");
	/* frequent lines at either end, where there is nothing before or after them */
	check_changes("}\n\n}\n", "\nb\n\n", &plain, "1,1 1,0; 3,1 2,2");
	/* with a group of the other side it reads as a replacement */
	check_changes("x\nb\na\n", "a\na\n", &no_indent, "1,2 1,1");
}

/* Which lines stay, where the algorithms disagree. */
static void test_algorithms_choose(void **state)
{
	/* Myers keeps the longer series of frequent lines, the others the unique line */
	const char *a = "x\n}\n}\n}\nu\n", *b = "u\n}\n}\n}\ny\n";
	struct diff_options o = plain;

	(void)state;
	check_changes(a, b, &o, "1,1 1,1; 5,1 5,1");
	o.algorithm = DIFF_PATIENCE;
	check_changes(a, b, &o, "1,4 1,0; 6,0 2,4");
	o.algorithm = DIFF_HISTOGRAM;
	check_changes(a, b, &o, "1,4 1,0; 6,0 2,4");
	/* the rarer line counts, though it comes later and the other run is longer */
	check_changes("u\n}\n}\n}\nx\n", "y\n}\n}\n}\nu\n", &o, "1,0 1,4; 2,4 6,0");
	/* no unique line for patience diff; the rarest one for the other */
	a = "x\n}\n}\n}\nu\nu\n";
	b = "u\nu\n}\n}\n}\ny\n";
	check_changes(a, b, &o, "1,4 1,0; 7,0 3,4");
	o.algorithm = DIFF_PATIENCE;
	check_changes(a, b, &o, "1,1 1,2; 5,2 6,1");
	/* an anchor stays, though the other series is longer */
	a = "a\nb\nc\n";
	b = "c\na\nb\n";
	check_changes(a, b, &o, "1,0 1,1; 3,1 4,0");
	strvec_push(&o.anchors, "c");
	check_changes(a, b, &o, "1,2 1,0; 4,0 2,2");
	strvec_clear(&o.anchors);
}

/* Checks that --minimal leaves out no line because it is frequent. */
static void test_minimal_keeps_frequent_lines(void **state)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct diff_options minimal = plain;

	(void)state;
	minimal.minimal = true;
	for (int n = 0; n < 300; n++) {
		struct text_diff d;
		size_t changed = 0;

		random_text(&a, 60, 9);
		random_text(&b, 60, 30);
		compare(&d, &a, &b, &minimal);
		for (size_t i = 0; i < d.nr; i++)
			changed += d.changes[i].old_nr + d.changes[i].new_nr;
		assert_int_equal(changed, least_cost(&d));
		text_diff_release(&d);
	}
	strbuf_release(&a);
	strbuf_release(&b);
}

static void test_whitespace(void **state)
{
	struct diff_options o = plain;

	(void)state;
	o.ignore = DIFF_IGNORE_SPACE_AT_EOL;
	check_changes("a \nb\n", "a\nb\t\n", &o, "");
	check_changes("a b\n", "a  b\n", &o, "1,1 1,1");
	o.ignore = DIFF_IGNORE_SPACE_CHANGE;
	check_changes("a \t b \n", "a b\n", &o, "");
	check_changes("ab\n", "a b\n", &o, "1,1 1,1");
	check_changes(" a\n", "a\n", &o, "1,1 1,1");
	o.ignore = DIFF_IGNORE_ALL_SPACE;
	check_changes(" a b\n", "ab\n", &o, "");
	check_changes("a\vb\n", "ab\n", &o, "1,1 1,1");
	o.ignore = DIFF_IGNORE_CR_AT_EOL;
	check_changes("a\r\nb\n", "a\nb\r\n", &o, "");
	check_changes("a\r", "a", &o, "1,1 1,1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_short),
		cmocka_unit_test(test_algorithms_random),
		cmocka_unit_test(test_algorithms_choose),
		cmocka_unit_test(test_minimal_keeps_frequent_lines),
		cmocka_unit_test(test_search_is_minimal),
		cmocka_unit_test(test_large_and_hostile),
		cmocka_unit_test(test_place_of_groups),
		cmocka_unit_test(test_whitespace),
	};

	diff_options_init(&plain, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
