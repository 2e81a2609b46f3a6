/* SPDX-License-Identifier: GPL-2.0-only */
/* Quoting for shells, for paths in output (core.quotePath), and back. */
#ifndef UTIL_QUOTE_H
#define UTIL_QUOTE_H

#include "compat/posix.h"
#include "util/strbuf.h"

/* 'it'\''s': safe for sh. "!" is escaped too, as in git. */
void sq_quote(struct strbuf *out, const char *s);
void sq_quote_argv(struct strbuf *out, const char *const *argv); /* " 'a' 'b'" */
/* The same, but a word that the shell takes as it is stays bare: for people. */
void sq_quote_pretty(struct strbuf *out, const char *s);
/* Undo sq_quote for one word at s; *end after it. NULL if malformed. Caller frees. */
char *sq_dequote_step(const char *s, const char **end);

/*
 * C-style quoting as core.quotePath describes. Adds s as it is if nothing
 * needs quoting; returns whether it quoted. `quote_high`: bytes >= 0x80 too.
 */
bool quote_c_style(struct strbuf *out, const char *s, size_t len, bool quote_high);
/* `s` starts with '"'; *end after the closing one. -1 if malformed. */
int unquote_c_style(struct strbuf *out, const char *s, const char **end);

void perl_quote_mem(struct strbuf *out, const char *s, size_t len);
void python_quote(struct strbuf *out, const char *s);
void tcl_quote(struct strbuf *out, const char *s);

#endif
