/* SPDX-License-Identifier: GPL-2.0-only */
/* Quoting and unquoting: for the shell, for paths in output (core.quotePath), for languages. */
#ifndef UTIL_QUOTE_H
#define UTIL_QUOTE_H

#include "compat/posix.h"
#include "util/strbuf.h"

/* Append s as one shell word: 'it'\''s'. "!" is escaped too, for csh. */
void sq_quote(struct strbuf *out, const char *s);
void sq_quote_argv(struct strbuf *out, const char *const *argv); /* " 'a' 'b'" */
/* The same for human readers: a word that needs no quotes gets none. */
void sq_quote_pretty(struct strbuf *out, const char *s);
/* Undo sq_quote for one word at s; *end after it. NULL if malformed. Caller frees. */
char *sq_dequote_step(const char *s, const char **end);

/*
 * C-style quoting as core.quotePath describes: s is appended unchanged if nothing needs
 * quoting. Returns whether it was quoted. `quote_high`: escape bytes >= 0x80 too.
 */
bool quote_c_style(struct strbuf *out, const char *s, size_t len, bool quote_high);
/* `s` starts with '"'; *end after the closing one. -1 if malformed. */
int unquote_c_style(struct strbuf *out, const char *s, const char **end);

void perl_quote_mem(struct strbuf *out, const char *s, size_t len);
void python_quote(struct strbuf *out, const char *s);
void tcl_quote(struct strbuf *out, const char *s);

#endif
