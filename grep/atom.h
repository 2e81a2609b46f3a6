/* SPDX-License-Identifier: GPL-2.0-only */
/* One pattern of git-grep(1): a fixed string, a POSIX expression, or one of PCRE2. */
#ifndef GREP_ATOM_H
#define GREP_ATOM_H

#include "grep/pattern.h"
#include "util/strbuf.h"
#include <regex.h>

/* A pattern of PCRE2. code NULL: none. */
struct grep_pcre {
	void *code, *match_data;
	bool is_jit;
};

struct grep_atom {
	const struct grep_word *word;
	bool whole_words;
	enum { ATOM_FIXED, ATOM_POSIX, ATOM_PCRE } engine;
	const char *fixed; /* ATOM_FIXED; else bytes that are in each match, or NULL */
	size_t fixed_len;
	char *must; /* owner of `fixed`, if it is not the pattern itself */
	regex_t regex;
	struct grep_pcre perl;	 /* ATOM_PCRE */
	struct grep_pcre finder; /* of bytes that are in each match, where it beats memmem(3) */
	int failure;		 /* of regexec(3) or PCRE2; 0: none */
	bool sees_begin; /* where the search begins matters: candidates are not kept */
	/* the last candidate that was found in this text */
	bool has_candidate;
	size_t candidate_from, candidate;
};

/* Errors: as grep_matcher_new. */
MUST_USE int grep_atom_compile(struct grep_atom *a, const struct grep_word *word, const struct grep_rules *rules,
			       struct err *err);
void grep_atom_release(struct grep_atom *a);
/* The first match at `from` or behind, as a whole word if that is asked for. */
bool grep_atom_search(struct grep_atom *a, const char *line, size_t len, size_t from, struct grep_span *span);
/* As grep_matcher_failed. */
bool grep_atom_failed(const struct grep_atom *a, struct strbuf *why);
/* As grep_next_candidate. */
size_t grep_atom_candidate(struct grep_atom *a, const char *text, size_t len, size_t from);

#endif
