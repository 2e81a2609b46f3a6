/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/regexec.h"
#include "grep/atom.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include <langinfo.h>
#ifndef NO_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

#define DEEPEST 1000			  /* groups in groups */
#define LONGEST_RANGE ((size_t)1 << 30) /* for one call of regexec(3) */

/* ---- what every match contains ---- */

static bool is_special(enum grep_type type, char c)
{
	if (type == GREP_BASIC)
		return c && strchr("\\[].*^$", c);
	return c && strchr("\\[](){}.*+?|^$", c);
}

static bool has_special(enum grep_type type, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (is_special(type, text[i]))
			return true;
	return false;
}

/* A repetition stands at `next`: the character before it may be missing. */
static bool is_repeated(enum grep_type type, const char *next, size_t left)
{
	if (!left)
		return false;
	if (*next == '*')
		return true;
	if (type == GREP_BASIC) /* "\?", "\{0,1\}" */
		return left > 1 && *next == '\\' && strchr("?+{", next[1]);
	return *next == '?' || *next == '{' || *next == '+';
}

/* The character behind a backslash ends the escape, which then matches no more in a text than in each of its lines. */
static bool is_simple_escape(char c)
{
	return (unsigned char)c < 0x80 && (!isalnum((unsigned char)c) || strchr("dDwWsSbBhHvV", c));
}

/* "\Q", "\x{41}", "\A", a possessive "++": a search in the whole text must decide. */
static bool is_hard_perl(const char *text, size_t i, size_t len)
{
	return text[i] == '\\' ? i + 1 == len || !is_simple_escape(text[i + 1]) :
				  text[i] == '+' && i && strchr("*+?}", text[i - 1]);
}

/* Where a branch or a group may be, nothing is known. */
static bool is_hard(enum grep_type type, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool escapes = text[i] == '\\' && i + 1 < len;

		if (type == GREP_BASIC ? escapes && strchr("|(", text[i + 1]) : text[i] == '|' || text[i] == '(')
			return true;
		if (type == GREP_PERL && is_hard_perl(text, i, len))
			return true;
		i += type == GREP_PERL && escapes;
	}
	return false;
}

/* As in Git, a search begins with a line: no assertion looks further back, and "\A" is true there. */
static bool sees_begin(const char *text, size_t len)
{
	return memmem(text, len, "\\A", 2) || memmem(text, len, "\\G", 2) || memmem(text, len, "(?<", 3);
}

/* The index behind the class of Perl that goes on at i; `len` where a class in it makes that hard to say. */
static size_t skip_perl_class(const char *text, size_t len, size_t i)
{
	for (; i < len && text[i] != ']'; i++) {
		if (text[i] == '[')
			return len;
		i += text[i] == '\\';
	}
	return i < len ? i + 1 : len;
}

/* The index behind the bracket expression that begins at i. */
static size_t skip_bracket(enum grep_type type, const char *text, size_t len, size_t i)
{
	i++;
	if (i < len && text[i] == '^')
		i++;
	if (i < len && text[i] == ']')
		i++;
	if (type == GREP_PERL)
		return skip_perl_class(text, len, i);
	for (; i < len && text[i] != ']'; i++) {
		char kind = text[i] == '[' && i + 1 < len && strchr(":.=", text[i + 1]) ? text[i + 1] : 0;

		if (!kind)
			continue;
		for (i += 2; i + 1 < len && !(text[i] == kind && text[i + 1] == ']'); i++)
			;
		i++;
	}
	return i < len ? i + 1 : len;
}

/* The index behind an element that is not one plain character: a bracket expression, an escape, an interval. */
static size_t skip_element(enum grep_type type, const char *text, size_t len, size_t i)
{
	bool escaped = text[i] == '\\' && i + 1 < len;
	const char *close = NULL;

	if (text[i] == '[')
		return skip_bracket(type, text, len, i);
	if (type == GREP_BASIC ? escaped && text[i + 1] == '{' : text[i] == '{')
		close = memchr(text + i, '}', len - i);
	if (close)
		return (size_t)(close + 1 - text);
	return i + 1 + escaped;
}

static void keep_longer(struct strbuf *best, struct strbuf *run)
{
	if (run->len > best->len)
		strbuf_swap(run, best);
	strbuf_reset(run);
}

/* A character that only itself matches; with -i, its other case, too. Letters beyond ASCII fold to i, s and k. */
static bool is_plain(enum grep_type type, bool ignore_case, char c)
{
	return !is_special(type, c) && (unsigned char)c < 0x80 && !(ignore_case && strchr("iIsSkK", c));
}

/* The longest run of characters that each match of a regular expression contains. */
static void find_must(enum grep_type type, bool ignore_case, const char *text, size_t len, struct strbuf *best)
{
	struct strbuf run = STRBUF_INIT;
	size_t i = 0;

	if (is_hard(type, text, len))
		return;
	while (i < len) {
		if (is_plain(type, ignore_case, text[i]) && !is_repeated(type, text + i + 1, len - i - 1)) {
			strbuf_addch(&run, text[i++]);
			continue;
		}
		keep_longer(best, &run);
		i = skip_element(type, text, len, i);
	}
	keep_longer(best, &run);
	strbuf_release(&run);
}

/* ---- compiling ---- */

static int refuse(const struct grep_word *w, const char *why, struct err *err)
{
	if (w->line)
		return err_set(err, ERR_INVALID, "In '%s' at %u, '%s': %s", w->origin, w->line, w->text, why);
	return err_set(err, ERR_INVALID, "%s, '%s': %s", w->origin, w->text, why);
}

/* Groups in groups: regcomp(3) goes into them by recursion. Brackets count, too: no matter. */
static bool is_too_deep(const char *text, bool extended)
{
	size_t depth = 0;

	for (; *text; text++) {
		bool escaped = *text == '\\' && text[1];

		text += escaped;
		if (escaped == extended)
			continue;
		if (*text == '(' && ++depth > DEEPEST)
			return true;
		depth -= *text == ')' && depth;
	}
	return false;
}

static int compile_posix(struct grep_atom *a, const struct grep_rules *rules, const char *text, int flags, struct err *err)
{
	char why[200];
	int rc;

	if (rules->ignore_case)
		flags |= REG_ICASE;
	if (is_too_deep(text, flags & REG_EXTENDED))
		return refuse(a->word, "Regular expression too big", err);
	rc = regcomp(&a->regex, text, REG_NEWLINE | flags);
	if (rc) {
		regerror(rc, &a->regex, why, sizeof(why));
		return refuse(a->word, why, err);
	}
	a->engine = ATOM_POSIX;
	return 0;
}

#ifdef NO_PCRE2
static int compile_perl(struct grep_atom *a UNUSED, const struct grep_rules *rules UNUSED, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "cannot use Perl-compatible regexes when not compiled with USE_LIBPCRE");
}

/* -i: the string as a basic expression. */
static int compile_folded(struct grep_atom *a, const struct grep_rules *rules, struct err *err)
{
	struct strbuf quoted = STRBUF_INIT;
	int rc;

	for (size_t i = 0; i < a->word->len; i++) {
		if (is_special(GREP_BASIC, a->word->text[i]))
			strbuf_addch(&quoted, '\\');
		strbuf_addch(&quoted, a->word->text[i]);
	}
	rc = compile_posix(a, rules, quoted.buf, 0, err);
	strbuf_release(&quoted);
	return rc;
}

static int compile_finder(struct grep_atom *a UNUSED, const char *must UNUSED, size_t len UNUSED, bool ignore_case UNUSED,
			  struct err *err UNUSED)
{
	return 0;
}

static void release_pcre(struct grep_pcre *p UNUSED)
{
}

static bool search_pcre(struct grep_atom *a UNUSED, const struct grep_pcre *p UNUSED, const char *text UNUSED, size_t len UNUSED, size_t from UNUSED,
			bool begins_line UNUSED, struct grep_span *span UNUSED)
{
	return false;
}

static void explain_perl(const struct grep_atom *a UNUSED, struct strbuf *why UNUSED)
{
}
#else
static int compile_pcre(struct grep_pcre *p, const struct grep_word *w, const char *text, size_t len, uint32_t flags,
			struct err *err)
{
	PCRE2_UCHAR why[256];
	PCRE2_SIZE at;
	int code;

	p->code = pcre2_compile((PCRE2_SPTR)text, len, flags, &code, &at, NULL);
	if (!p->code) {
		pcre2_get_error_message(code, why, sizeof(why));
		return refuse(w, (const char *)why, err);
	}
	p->is_jit = !pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE); /* without it, matching is slower */
	p->match_data = pcre2_match_data_create_from_pattern(p->code, NULL);
	return p->match_data ? 0 : err_set(err, ERR_GENERIC, "out of memory");
}

static uint32_t utf_flags(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") ? 0 : PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
}

static int compile_perl(struct grep_atom *a, const struct grep_rules *rules, struct err *err)
{
	uint32_t flags = utf_flags();

	flags |= PCRE2_MULTILINE | (rules->ignore_case ? PCRE2_CASELESS : 0) | (flags ? PCRE2_UCP : 0);
	a->engine = ATOM_PCRE;
	return compile_pcre(&a->perl, a->word, a->word->text, a->word->len, flags, err);
}

/* -i: regexec(3) would be slow. */
static int compile_folded(struct grep_atom *a, const struct grep_rules *rules UNUSED, struct err *err)
{
	a->engine = ATOM_PCRE;
	return compile_pcre(&a->perl, a->word, a->word->text, a->word->len, PCRE2_LITERAL | PCRE2_CASELESS | utf_flags(), err);
}

/* `must`, which each match contains, in ASCII if case is ignored. memmem(3) is slow for two or three bytes. */
static int compile_finder(struct grep_atom *a, const char *must, size_t len, bool ignore_case, struct err *err)
{
	if (ignore_case ? !len : len < 2 || len > 3)
		return 0;
	return compile_pcre(&a->finder, a->word, must, len, PCRE2_LITERAL | (ignore_case ? PCRE2_CASELESS : 0), err);
}

static void release_pcre(struct grep_pcre *p)
{
	pcre2_match_data_free(p->match_data);
	pcre2_code_free(p->code);
}

/* As in Git, no look behind goes beyond `from`. */
static bool search_pcre(struct grep_atom *a, const struct grep_pcre *p, const char *text, size_t len, size_t from,
			bool begins_line, struct grep_span *span)
{
	int rc = (p->is_jit ? pcre2_jit_match : pcre2_match)(p->code, (PCRE2_SPTR)text + from, len - from, 0,
							     begins_line ? 0 : PCRE2_NOTBOL, p->match_data, NULL);
	const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(p->match_data);

	if (rc < 0 && rc != PCRE2_ERROR_NOMATCH)
		a->failure = rc;
	if (rc < 0)
		return false;
	*span = (struct grep_span){ from + offsets[0], from + offsets[1] };
	return true;
}

static void explain_perl(const struct grep_atom *a, struct strbuf *why)
{
	PCRE2_UCHAR text[256] = "";

	pcre2_get_error_message(a->failure, text, sizeof(text));
	strbuf_addf(why, "pcre2_%smatch failed with error code %d: %s", a->perl.is_jit ? "jit_" : "", a->failure, (const char *)text);
}
#endif

bool grep_atom_failed(const struct grep_atom *a, struct strbuf *why)
{
	char text[200];

	if (a->failure && a->engine == ATOM_PCRE) {
		explain_perl(a, why);
	} else if (a->failure) {
		regerror(a->failure, &a->regex, text, sizeof(text));
		strbuf_addf(why, "regexec failed with error code %d: %s", a->failure, text);
	}
	return a->failure != 0;
}

/* Notes what each match contains, for grep_atom_candidate(). */
static int keep_must(struct grep_atom *a, const struct grep_rules *rules, struct err *err)
{
	struct strbuf must = STRBUF_INIT;
	int rc;

	find_must(rules->type, rules->ignore_case, a->word->text, a->word->len, &must);
	rc = compile_finder(a, must.buf, must.len, rules->ignore_case, err);
	if (must.len && !rules->ignore_case) {
		a->fixed_len = must.len;
		a->fixed = a->must = strbuf_detach(&must, NULL);
	}
	strbuf_release(&must);
	return rc;
}

int grep_atom_compile(struct grep_atom *a, const struct grep_word *word, const struct grep_rules *rules, struct err *err)
{
	bool plain = rules->type == GREP_FIXED || (rules->type != GREP_PERL && !has_special(rules->type, word->text, word->len));
	int rc;

	*a = (struct grep_atom){ .word = word, .whole_words = rules->whole_words };
	if (rules->type == GREP_PERL) {
		a->sees_begin = sees_begin(word->text, word->len);
		rc = compile_perl(a, rules, err);
		return rc || rules->ignore_case ? rc : keep_must(a, rules, err);
	}
	if (memchr(word->text, '\0', word->len) && (!plain || rules->ignore_case))
		return err_set(err, ERR_INVALID,
			       "given pattern contains NULL byte (via -f <file>). This is only supported with -P under PCRE v2");
	if (plain && !rules->ignore_case) {
		a->engine = ATOM_FIXED;
		a->fixed = word->text;
		a->fixed_len = word->len;
		return compile_finder(a, word->text, word->len, false, err);
	}
	if (plain)
		return compile_folded(a, rules, err);
	rc = compile_posix(a, rules, word->text, rules->type == GREP_EXTENDED ? REG_EXTENDED : 0, err);
	if (rc)
		return rc;
	return keep_must(a, rules, err);
}

void grep_atom_release(struct grep_atom *a)
{
	if (a->engine == ATOM_POSIX)
		regfree(&a->regex);
	release_pcre(&a->perl);
	release_pcre(&a->finder);
	free(a->must);
}

/* ---- searching ---- */

static bool search_posix(struct grep_atom *a, const char *text, size_t len, size_t from, int flags, struct grep_span *span)
{
	regmatch_t m;
	int rc = regexec_range(&a->regex, text + from, len - from, 1, &m, flags);

	if (rc && rc != REG_NOMATCH)
		a->failure = rc;
	if (rc)
		return false;
	*span = (struct grep_span){ from + (size_t)m.rm_so, from + (size_t)m.rm_eo };
	return true;
}

/* Any match, of whole words or not. */
static bool search(struct grep_atom *a, const char *line, size_t len, size_t from, struct grep_span *span)
{
	const char *found;

	switch (a->engine) {
	case ATOM_FIXED:
		found = memmem(line + from, len - from, a->fixed, a->fixed_len);
		if (found)
			*span = (struct grep_span){ (size_t)(found - line), (size_t)(found - line) + a->fixed_len };
		return found != NULL;
	case ATOM_PCRE:
		return search_pcre(a, &a->perl, line, len, from, !from, span);
	default:
		return search_posix(a, line, len, from, from ? REG_NOTBOL : 0, span);
	}
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* As in Git, a match directly behind another one (at `from`) need not begin a word. */
static bool is_whole_word(const char *line, size_t len, size_t from, const struct grep_span *s)
{
	return s->begin < s->end && (s->begin == from || !is_word_char(line[s->begin - 1])) &&
	       (s->end == len || !is_word_char(line[s->end]));
}

bool grep_atom_search(struct grep_atom *a, const char *line, size_t len, size_t from, struct grep_span *span)
{
	while (search(a, line, len, from, span)) {
		if (!a->whole_words || is_whole_word(line, len, from, span))
			return true;
		/* a word may begin behind the next byte that belongs to none */
		from = span->begin + 1;
		while (from < len && is_word_char(line[from - 1]))
			from++;
		if (from >= len)
			return false;
	}
	return false;
}

static size_t line_begin(const char *text, size_t at, size_t from)
{
	const char *newline = memrchr(text + from, '\n', at - from);

	return newline ? (size_t)(newline + 1 - text) : from;
}

/* regexec(3) counts with int. A line that is longer comes out as a candidate, and fails there. */
static size_t find_posix_candidate(struct grep_atom *a, const char *text, size_t len, size_t from)
{
	struct grep_span span;

	while (from < len) {
		size_t end = len;

		if (len - from > LONGEST_RANGE) {
			const char *newline = memrchr(text + from, '\n', LONGEST_RANGE);

			if (!newline)
				return from;
			end = (size_t)(newline - text);
		}
		if (search_posix(a, text, end, from, end == len ? REGEXEC_NUL_ENDED : 0, &span))
			return line_begin(text, span.begin, from);
		from = end + (end < len);
	}
	return len;
}

static size_t find_by_pcre(struct grep_atom *a, const struct grep_pcre *p, const char *text, size_t len, size_t from)
{
	struct grep_span span;

	return search_pcre(a, p, text, len, from, true, &span) ? line_begin(text, span.begin, from) : len;
}

/* A match here may go beyond its line: the caller looks at the line alone. */
static size_t find_candidate(struct grep_atom *a, const char *text, size_t len, size_t from)
{
	const char *found;

	if (a->finder.code)
		return find_by_pcre(a, &a->finder, text, len, from);
	if (a->fixed) {
		found = a->fixed_len ? memmem(text + from, len - from, a->fixed, a->fixed_len) : text + from;
		return found ? line_begin(text, (size_t)(found - text), from) : len;
	}
	if (a->engine == ATOM_PCRE)
		return find_by_pcre(a, &a->perl, text, len, from);
	return find_posix_candidate(a, text, len, from);
}

size_t grep_atom_candidate(struct grep_atom *a, const char *text, size_t len, size_t from)
{
	if (a->sees_begin || !a->has_candidate || from < a->candidate_from || from > a->candidate) {
		a->candidate = find_candidate(a, text, len, from);
		a->candidate_from = from;
		a->has_candidate = true;
	}
	return a->candidate;
}
