/* SPDX-License-Identifier: GPL-2.0-only */
/* UTF-8: validity, display width, conversion (iconv). */
#ifndef UTIL_UTF8_H
#define UTIL_UTF8_H

#include "compat/posix.h"
#include "util/strbuf.h"

bool utf8_is_valid(const char *s, size_t len);
/* Next code point; advances *s, shrinks *len. -1 on malformed input. */
int32_t utf8_next(const char **s, size_t *len);
/*
 * Length of the character at s (len > 0); a byte that begins no UTF-8 character counts alone. *control: it could drive a
 * terminal: C0, DEL, C1 as UTF-8 (U+0080 to U+009F), or a stray byte that is C1 to a terminal of 8 bits.
 */
size_t text_char_len(const char *s, size_t len, bool *control);
/* Append text for a terminal: '?' for each control character that is not in `keep`. */
void strbuf_add_printable(struct strbuf *out, const char *text, size_t len, const char *keep);
/*
 * Columns on a terminal; ANSI colour sequences are skipped if skip_ansi. Text that is not
 * UTF-8 has one column per byte.
 */
int utf8_width(const char *s, size_t len, bool skip_ansi);
/* Length of the colour sequence at s: ESC [ digits and ; m. 0 if there is none. */
size_t ansi_sequence_len(const char *s, size_t len);
void utf8_append(struct strbuf *sb, uint32_t code_point);
bool is_encoding_utf8(const char *name); /* NULL counts as UTF-8 */
bool same_encoding(const char *a, const char *b);
/*
 * Convert between encodings. NULL if one is unknown, or the text is not valid in `from` or
 * cannot be expressed in `to`. The result is NUL-terminated, and `*out_len` does not count
 * that NUL. Caller frees.
 */
char *reencode_string(const char *in, size_t len, const char *to,
		      const char *from, size_t *out_len);
/* Does UTF-16 or UTF-32 text lack the byte order mark that its encoding's name requires? */
bool has_missing_utf_bom(const char *enc, const char *data, size_t len);
/* Does it have one although the name gives the byte order (UTF-16BE and so on)? */
bool has_prohibited_utf_bom(const char *enc, const char *data, size_t len);
/*
 * Wrap text at `width` columns, for %w() and shortlog. The first line is indented by indent1
 * columns, others by indent2. width <= 0: indent only. indent1 < 0: -indent1 columns of the
 * first line are already there.
 */
void strbuf_add_wrapped_text(struct strbuf *sb, const char *text, int indent1,
			     int indent2, int width);

#endif
