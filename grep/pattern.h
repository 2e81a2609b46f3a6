/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patterns of git-grep(1), combined by --and, --or, --not and parentheses.
 *
 *	struct grep_words words = GREP_WORDS_INIT;
 *	grep_words_add(&words, GREP_PATTERN, text, len)      as they stand on the command line
 *	grep_matcher_new(&m, &words, &rules, &err)           compiles them
 *	grep_line_matches(m, line, len, &column)
 *	grep_matcher_free(m), grep_words_clear(&words)
 *
 * Ownership: a matcher borrows the texts of `words`. Threads: a matcher is used by one thread at a time.
 */
#ifndef GREP_PATTERN_H
#define GREP_PATTERN_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

enum grep_word_kind { GREP_PATTERN, GREP_AND, GREP_OR, GREP_NOT, GREP_OPEN, GREP_CLOSE };

struct grep_word {
	enum grep_word_kind kind;
	char *text; /* of a pattern; it may hold NULs */
	size_t len;
	char *origin; /* "-e option", or the name of a file; for errors */
	unsigned line; /* of the file; 0: none */
};
struct grep_words {
	struct grep_word *list;
	size_t nr, alloc;
	bool has_operators;
};
#define GREP_WORDS_INIT { NULL, 0, 0, false }

enum grep_type { GREP_BASIC, GREP_EXTENDED, GREP_FIXED, GREP_PERL };

struct grep_rules {
	enum grep_type type;
	bool ignore_case, whole_words;
};

/* Lines of `text` are patterns of their own, if it is a pattern. */
void grep_words_add(struct grep_words *w, enum grep_word_kind kind, const char *text, size_t len, const char *origin,
		    unsigned line);
void grep_words_clear(struct grep_words *w);

struct grep_matcher;
/* ERR_INVALID: a bad expression or pattern; Git's message. ERR_UNSUPPORTED: this program was built without PCRE2. */
MUST_USE int grep_matcher_new(struct grep_matcher **out, const struct grep_words *w, const struct grep_rules *rules,
			      struct err *err);
void grep_matcher_free(struct grep_matcher *m);
/* Some search ended in an error (too many ways to match, no memory) and found nothing. Appends the reason. */
bool grep_matcher_failed(const struct grep_matcher *m, struct strbuf *why);

/* The first byte of the match in a line, and of what --not has kept from matching; -1: none. */
struct grep_column {
	ssize_t match, inverted;
};
/* The line has no newline. column: may be NULL. */
bool grep_line_matches(struct grep_matcher *m, const char *line, size_t len, struct grep_column *column);

/*
 * Does some line match? text[len] is NUL. As in Git, there is an empty line behind the last newline: `^$` matches each text
 * that ends with one.
 */
bool grep_text_matches(struct grep_matcher *m, const char *text, size_t len);

struct grep_span {
	size_t begin, end;
};
/* The first match of any pattern, whatever the operators say, at `from` or behind; the longest that begins there. */
bool grep_next_span(struct grep_matcher *m, const char *line, size_t len, size_t from, struct grep_span *span);

/*
 * The beginning of the first line at `from` or behind that may match; `len` if none does. `from` begins a line, text[len] is
 * NUL. Cost: one search of the text for each pattern; without a search where an operator or an empty pattern stands.
 */
size_t grep_next_candidate(struct grep_matcher *m, const char *text, size_t len, size_t from);
/* A new text comes: forget all of the one before. */
void grep_begin_text(struct grep_matcher *m);

/* --all-match: the terms that stand between the outermost ORs. Note each that the line matches. */
void grep_note_terms(struct grep_matcher *m, const char *line, size_t len);
/* Since grep_begin_text: has each of them matched a line? */
bool grep_all_terms_matched(const struct grep_matcher *m);

#endif
