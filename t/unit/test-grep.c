/* SPDX-License-Identifier: GPL-2.0-only */
/* Patterns of git-grep(1), and how they are combined. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "compat/regexec.h"
#include "grep/pattern.h"
#include "util/alloc.h"
#include "util/workers.h"

static struct grep_matcher *compile(struct grep_words *w, enum grep_type type, struct err *err)
{
	struct grep_rules rules = { .type = type };
	struct grep_matcher *m = NULL;
	int rc = grep_matcher_new(&m, w, &rules, err);

	assert_true(rc ? !m : m != NULL);
	return m;
}

static struct grep_matcher *compile_one(struct grep_words *w, enum grep_type type, const char *pattern)
{
	struct err err = ERR_INIT;
	struct grep_matcher *m;

	grep_words_add(w, GREP_PATTERN, pattern, strlen(pattern), "-e option", 0);
	m = compile(w, type, &err);
	assert_non_null(m);
	return m;
}

static void candidates_leave_out_no_line_that_matches(void **state UNUSED)
{
	static const char text[] = "ab\na{2}b\naab}\nfirst(v\nx*y\n\nfirs[t]\na\\b \xc3\xa9\nabab\n(ab)c|d\n]q^\nlast";
	static const struct {
		enum grep_type type;
		const char *pattern;
	} all[] = {
		{ GREP_BASIC, "ab" }, { GREP_BASIC, "a\\{2\\}b" }, { GREP_BASIC, "a\\{2\\}b}" }, { GREP_BASIC, "firstz*(" },
		{ GREP_BASIC, "z\\{0,1\\}(v" }, { GREP_BASIC, "x\\*y" }, { GREP_BASIC, "xz\\?\\*y" }, { GREP_BASIC, "firs[[]t[]]" },
		{ GREP_BASIC, "ab\\|last" }, { GREP_BASIC, "\\(ab\\)\\1" }, { GREP_BASIC, "(ab)c|d" }, { GREP_BASIC, "[]]q^" },
		{ GREP_BASIC, "a{2}b" }, { GREP_BASIC, "^$" }, { GREP_BASIC, "" }, { GREP_BASIC, "a\\\\b" }, { GREP_BASIC, "[^]]b}" },
		{ GREP_EXTENDED, "a{2}b" }, { GREP_EXTENDED, "a\\{2\\}b" }, { GREP_EXTENDED, "firstz?\\(v" }, { GREP_EXTENDED, "az{0,2}b" },
		{ GREP_EXTENDED, "(ab)+" }, { GREP_EXTENDED, "nothing|last" }, { GREP_EXTENDED, "x\\*y" }, { GREP_EXTENDED, "[[:alpha:]]b\\}" },
		{ GREP_EXTENDED, "b \xc3\xa9*" }, { GREP_EXTENDED, "b \xc3\xa9$" }, { GREP_EXTENDED, "z*ab" }, { GREP_EXTENDED, "^last$" },
		{ GREP_FIXED, "a\\b" }, { GREP_FIXED, "x*y" }, { GREP_FIXED, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct grep_words w = GREP_WORDS_INIT;
		struct grep_matcher *m = compile_one(&w, all[i].type, all[i].pattern);
		size_t len = strlen(text), next = 0, nr = 0;

		grep_begin_text(m);
		for (size_t at = 0, n; at < len; at += n + 1) {
			n = strcspn(text + at, "\n");
			if (at >= next)
				next = grep_next_candidate(m, text, len, at);
			if (!grep_line_matches(m, text + at, n, NULL))
				continue;
			nr++;
			if (next != at)
				fail_msg("%s: the candidate is at %zu, a match at %zu", all[i].pattern, next, at);
			next = at + 1;
		}
		if (!nr)
			fail_msg("no line matches '%s'", all[i].pattern);
		grep_matcher_free(m);
		grep_words_clear(&w);
	}
}

static void a_candidate_has_the_string(void **state UNUSED)
{
	struct grep_words w = GREP_WORDS_INIT;
	struct grep_matcher *m = compile_one(&w, GREP_EXTENDED, "[0-9]+zeta");

	grep_begin_text(m);
	assert_int_equal(grep_next_candidate(m, "one\ntwo\n3zeta\n", 14, 0), 8);
	assert_int_equal(grep_next_candidate(m, "one\ntwo\n3zeta\n", 14, 4), 8);
	grep_begin_text(m);
	assert_int_equal(grep_next_candidate(m, "one\ntwo\nzeta\n", 13, 0), 8); /* the line is not yet looked at alone */
	grep_begin_text(m);
	assert_int_equal(grep_next_candidate(m, "one\ntwo\nzero\n", 13, 0), 13);
	grep_matcher_free(m);
	grep_words_clear(&w);
}

static void the_first_match_counts_and_of_these_the_longest(void **state UNUSED)
{
	static const char line[] = "xx abc ab";
	struct grep_words w = GREP_WORDS_INIT;
	struct grep_span s;
	struct grep_matcher *m;

	grep_words_add(&w, GREP_PATTERN, "ab\nabc", 6, "-e option", 0); /* two patterns */
	m = compile(&w, GREP_FIXED, NULL);
	assert_true(grep_next_span(m, line, strlen(line), 0, &s));
	assert_int_equal(s.begin, 3);
	assert_int_equal(s.end, 6);
	assert_true(grep_next_span(m, line, strlen(line), s.end, &s));
	assert_int_equal(s.begin, 7);
	assert_int_equal(s.end, 9);
	assert_false(grep_next_span(m, line, strlen(line), s.end, &s));
	grep_matcher_free(m);
	grep_words_clear(&w);
}

/* "a&b|!(c)": letters are patterns. */
static struct grep_matcher *compile_formula(struct grep_words *w, const char *formula, struct err *err)
{
	static const char signs[] = "&|!()"; /* in the order of enum grep_word_kind */

	for (; *formula; formula++) {
		const char *at = strchr(signs, *formula);

		if (at)
			grep_words_add(w, (enum grep_word_kind)(GREP_AND + (at - signs)), NULL, 0, NULL, 0);
		else
			grep_words_add(w, GREP_PATTERN, formula, 1, "-e option", 0);
	}
	return compile(w, GREP_FIXED, err);
}

static void operators_bind_as_in_git(void **state UNUSED)
{
	static const struct {
		const char *formula, *matches, *misses;
	} all[] = {
		{ "a&b", "ab", "a" }, { "ab", "b", "c" }, { "a|b", "a", "c" }, { "a|b&c", "a", "b" }, { "(a|b)&c", "bc", "a" },
		{ "!a", "b", "a" }, { "!a&b", "b", "ab" }, { "!(a&b)", "a", "ab" }, { "!!a", "a", "b" }, { "a&b&c", "abc", "ab" },
		{ "a&!b", "a", "ab" }, { "ab&c", "a", "b" }, { "a|b|c", "c", "d" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct grep_words w = GREP_WORDS_INIT;
		struct grep_matcher *m = compile_formula(&w, all[i].formula, NULL);
		struct grep_column column;

		if (!m || !grep_line_matches(m, all[i].matches, strlen(all[i].matches), NULL) ||
		    !grep_line_matches(m, all[i].matches, strlen(all[i].matches), &column))
			fail_msg("%s does not match %s", all[i].formula, all[i].matches);
		if (grep_line_matches(m, all[i].misses, strlen(all[i].misses), NULL) ||
		    grep_line_matches(m, all[i].misses, strlen(all[i].misses), &column))
			fail_msg("%s matches %s", all[i].formula, all[i].misses);
		grep_matcher_free(m);
		grep_words_clear(&w);
	}
}

static void a_column_is_the_first_of_all(void **state UNUSED)
{
	static const struct {
		const char *formula, *line;
		ssize_t match, inverted;
	} all[] = {
		{ "b|a|!c", "..a.b.c", 2, 6 }, { "!c", "c.c", -1, 0 }, { "!c", "..", -1, -1 }, { "!(!c)", "c", 0, -1 }, { "!(!c)", ".c", 1, -1 },
		{ "!(!c)|a", "a.c", 0, -1 }, { "c|!(!a)", "c.a", 0, -1 }, { "!c|!a", "a.c", -1, 0 }, { "!a|!c", "a.c", -1, 0 },
		{ "a&b", "b.a", 0, -1 }, { "a&!b", "b.a", 2, 0 }, { "a&b", "a..", 0, -1 }, { "a&!(!b)", "ba", 0, -1 }, { "a&b&c", ".cb", 1, -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct grep_words w = GREP_WORDS_INIT;
		struct grep_matcher *m = compile_formula(&w, all[i].formula, NULL);
		struct grep_column column;

		(void)grep_line_matches(m, all[i].line, strlen(all[i].line), &column);
		if (column.match != all[i].match || column.inverted != all[i].inverted)
			fail_msg("%s in %s: %zd, %zd", all[i].formula, all[i].line, column.match, column.inverted);
		grep_matcher_free(m);
		grep_words_clear(&w);
	}
}

static void each_alternative_is_a_term(void **state UNUSED)
{
	static const struct {
		const char *formula, *text;
		bool all;
	} all[] = {
		{ "ab", "a\nb", true }, { "ab", "a\na", false }, { "a&bc", "ab\nc", true }, { "a&bc", "a\nc", false },
		{ "(ab)c", "a\nc", true }, { "(ab)c", "a\nb", false }, { "abc", "c\nb", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct grep_words w = GREP_WORDS_INIT;
		struct grep_matcher *m = compile_formula(&w, all[i].formula, NULL);
		const char *second = strchr(all[i].text, '\n');

		for (int again = 0; again < 2; again++) {
			grep_begin_text(m);
			assert_false(grep_all_terms_matched(m));
			grep_note_terms(m, all[i].text, (size_t)(second - all[i].text));
			grep_note_terms(m, second + 1, strlen(second + 1));
			if (grep_all_terms_matched(m) != all[i].all)
				fail_msg("%s: %s", all[i].formula, all[i].text);
		}
		grep_matcher_free(m);
		grep_words_clear(&w);
	}
}

static void incomplete_expressions_are_refused(void **state UNUSED)
{
	static const char *const all[] = { "(a", "a)", "a&", "!", "!)", "()", ")", "&a", "a&)", "" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct grep_words w = GREP_WORDS_INIT;
		struct err err = ERR_INIT;

		if (compile_formula(&w, all[i], &err))
			fail_msg("'%s' was accepted", all[i]);
		assert_int_equal(err.code, ERR_INVALID);
		err_release(&err);
		grep_words_clear(&w);
	}
}

/* The text ends where its length says, in a line or behind one; an empty line may follow the last newline. */
static void a_text_ends_with_its_length(void **state UNUSED)
{
	static const struct {
		const char *pattern, *text;
		size_t len;
		bool matches;
	} all[] = {
		{ "foo$", "x\nfoobar\n", 5, true }, { "bar", "x\nfoobar\n", 5, false }, { "x$", "a\nb\nxy\n", 5, true },
		{ "foo$", "foo\nbar\n", 3, true }, { "^$", "a\nb", 2, true }, { "^$", "a\nb", 3, false }, { "^$", "", 0, true },
		{ "a", "", 0, false }, { "^$", "a\n\nb", 4, true }, { "b$", "a\nb\nc", 5, true }, { "^b", "a\nb\nc", 5, true },
		{ "c", "a\nb\nc", 5, true }, { "d", "a\nb\nc", 5, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct grep_words w = GREP_WORDS_INIT;
		struct grep_matcher *m = compile_one(&w, GREP_BASIC, all[i].pattern);

		if (grep_text_matches(m, all[i].text, all[i].len) != all[i].matches)
			fail_msg("'%s' in %zu bytes of '%s'", all[i].pattern, all[i].len, all[i].text);
		grep_matcher_free(m);
		grep_words_clear(&w);
	}
}

/* ---- too much ---- */

static void deep_groups_are_refused(void **state UNUSED)
{
	static const enum grep_word_kind open[] = { GREP_OPEN, GREP_NOT };

	for (size_t i = 0; i < ARRAY_SIZE(open); i++) {
		struct grep_words w = GREP_WORDS_INIT;
		struct err err = ERR_INIT;

		for (int n = 0; n < 200000; n++)
			grep_words_add(&w, open[i], NULL, 0, NULL, 0);
		grep_words_add(&w, GREP_PATTERN, "a", 1, "-e option", 0);
		for (int n = 0; open[i] == GREP_OPEN && n < 200000; n++)
			grep_words_add(&w, GREP_CLOSE, NULL, 0, NULL, 0);
		assert_null(compile(&w, GREP_BASIC, &err));
		assert_string_equal(err_message(&err), "too many groups in groups");
		err_release(&err);
		grep_words_clear(&w);
	}
}

static void deep_expressions_are_refused(void **state UNUSED)
{
	struct grep_words w = GREP_WORDS_INIT;
	struct err err = ERR_INIT;
	struct strbuf text = STRBUF_INIT;

	for (int n = 0; n < 200000; n++)
		strbuf_addstr(&text, "(a");
	for (int n = 0; n < 200000; n++)
		strbuf_addch(&text, ')');
	grep_words_add(&w, GREP_PATTERN, text.buf, text.len, "-e option", 0);
	assert_null(compile(&w, GREP_EXTENDED, &err));
	assert_non_null(strstr(err_message(&err), "too big"));
	err_release(&err);
	grep_words_clear(&w);
	strbuf_release(&text);
}

static void *search_for_many(void *data)
{
	assert_true(grep_line_matches(data, "x 99999.", 8, NULL));
	assert_false(grep_line_matches(data, "x 99998,", 8, NULL));
	return NULL;
}

static void many_alternatives_need_no_deep_stack(void **state UNUSED)
{
	struct grep_words w = GREP_WORDS_INIT;
	struct grep_matcher *m;
	pthread_t thread;
	char text[16];

	for (int n = 0; n < 100000; n++)
		grep_words_add(&w, GREP_PATTERN, text, (size_t)snprintf(text, sizeof(text), "%05d.", n), "-e option", 0);
	m = compile(&w, GREP_FIXED, NULL);
	assert_true(start_thread(&thread, search_for_many, m));
	pthread_join(thread, NULL);
	grep_matcher_free(m);
	grep_words_clear(&w);
}

static void a_range_beyond_an_int_is_an_error(void **state UNUSED)
{
	regmatch_t match;
	regex_t regex;

	assert_int_equal(regcomp(&regex, "a", 0), 0);
	assert_int_equal(regexec_range(&regex, "a", (size_t)INT_MAX + 1, 1, &match, 0), REG_ESPACE);
	assert_int_equal(compat_regexec_range(&regex, "a", (size_t)INT_MAX + 1, 1, &match, REGEXEC_NUL_ENDED), REG_ESPACE);
	regfree(&regex);
}

#ifndef NO_PCRE2
static void a_search_that_gives_up_is_a_failure(void **state UNUSED)
{
	struct grep_words w = GREP_WORDS_INIT;
	struct grep_matcher *m = compile_one(&w, GREP_PERL, "(a+)+(a+)+(a+)+b");
	struct strbuf why = STRBUF_INIT, line = STRBUF_INIT;

	for (int i = 0; i < 300; i++)
		strbuf_addch(&line, 'a');
	strbuf_addstr(&line, "cb");
	assert_false(grep_matcher_failed(m, &why));
	assert_false(grep_line_matches(m, line.buf, line.len, NULL));
	assert_true(grep_matcher_failed(m, &why));
	assert_non_null(strstr(why.buf, "failed with error code -47"));
	grep_matcher_free(m);
	grep_words_clear(&w);
	strbuf_release(&why);
	strbuf_release(&line);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(candidates_leave_out_no_line_that_matches),
		cmocka_unit_test(a_candidate_has_the_string),
		cmocka_unit_test(the_first_match_counts_and_of_these_the_longest),
		cmocka_unit_test(operators_bind_as_in_git),
		cmocka_unit_test(a_column_is_the_first_of_all),
		cmocka_unit_test(each_alternative_is_a_term),
		cmocka_unit_test(incomplete_expressions_are_refused),
		cmocka_unit_test(a_text_ends_with_its_length),
		cmocka_unit_test(deep_groups_are_refused),
		cmocka_unit_test(deep_expressions_are_refused),
		cmocka_unit_test(many_alternatives_need_no_deep_stack),
		cmocka_unit_test(a_range_beyond_an_int_is_an_error),
#ifndef NO_PCRE2
		cmocka_unit_test(a_search_that_gives_up_is_a_failure),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
