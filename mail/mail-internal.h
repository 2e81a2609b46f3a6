/* SPDX-License-Identifier: GPL-2.0-only */
/* What mail_read() is made of. */
#ifndef MAIL_MAIL_INTERNAL_H
#define MAIL_MAIL_INTERNAL_H

#include "mail/mail.h"

/* ---- decode.c ---- */

/* Append what base64 or quoted-printable text stands for, up to a NUL; other characters are skipped, or stay. */
void mail_decode_base64(struct strbuf *out, const char *s, size_t len);
/* header: RFC 2047, where "_" is a space; else "=" at the end of a line joins it with the next one. */
void mail_decode_qp(struct strbuf *out, const char *s, size_t len, bool header);
/*
 * Convert to o->charset in place. charset: of the text; empty: unknown, so that it stays as it is. False: it is not
 * possible, has been reported, and the text is as it was.
 */
bool mail_to_charset(const struct mail_options *o, struct strbuf *text, const char *charset);
/* The encoded words of a header, converted. False: one of them cannot be, and the text is as it was. */
bool mail_decode_header(const struct mail_options *o, struct strbuf *text);

/* ---- headers.c ---- */

/* Does the line begin with "NAME:"? *value: behind that and white space. */
bool mail_header_is(const struct strbuf *line, const char *name, const char **value);
/* The parameter NAME= of a header, e.g. of Content-Type. */
bool mail_header_parameter(const char *header, const char *name, struct strbuf *value);
/* Author and address of a From: header, which is changed. */
void mail_parse_from(struct strbuf *from, struct strbuf *name, struct strbuf *email);
/* Take away "Re:", "[PATCH]" and white space, as the options say. */
void mail_clean_subject(const struct mail_options *o, struct strbuf *subject);
void mail_join_spaces(struct strbuf *s);

#endif
