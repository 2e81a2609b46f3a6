/* SPDX-License-Identifier: GPL-2.0-only */
/* One commit while it is being shown; what the files of formats share. */
#ifndef PRETTY_PRETTY_INTERNAL_H
#define PRETTY_PRETTY_INTERNAL_H

#include "compat/posix.h"
#include "object/commit.h"
#include "pretty/pretty.h"

struct pretty_commit {
	struct pretty *p;
	struct commit_pool *pool;
	struct commit *c;
	/* The object, as a whole in the output's encoding, where that is possible. */
	const char *text;
	size_t text_len;
	struct commit_view v;	 /* of it */
	const char *encoding;	 /* of the object's header; NULL: none */
	size_t encoding_len;
	bool converted;
};
/* Expands p->user_format, in UTF-8. */
MUST_USE int pretty_user_format(struct pretty_commit *pc, struct strbuf *out, struct err *err);

/* ---- headers of email and mboxrd (email.c) ---- */
/* Append "NAME <MAIL>" to the header that `out` ends in: quoted or encoded, and folded. No newline at the end. */
void email_add_address(const struct pretty *p, const char *name, size_t name_len, const char *mail, size_t mail_len,
		       struct strbuf *out);
/* Append Subject:, and what stands below it up to the body; the MIME headers if is_8bit. */
void email_add_subject(const struct pretty *p, const char *subject, size_t len, bool is_8bit, struct strbuf *out);
bool email_is_8bit(const char *s, size_t len);
/* mboxrd: append the '>' that a line needs which a reader would take for the beginning of a message. */
void email_add_quote(struct strbuf *out, const char *line, size_t len);

/* ---- %(describe:…) (describe.c) ---- */
/* The same one each time; NULL: the options are not valid. */
struct commit_description *format_description(struct pretty *p, const char *options, size_t len);
struct format_description;
void format_descriptions_free(struct format_description *list);

/* ---- options of %(trailers:…) and %(decorate:…) (trailers.c) ---- */
/* "name" (then *value is NULL and *value_len 0) or "name=value" within s[0..len). */
bool match_format_option(const char *s, size_t len, const char *name, const char **value,
			 size_t *value_len);
/* Append a value with "%n", "%x2C" and "%%" expanded. */
void add_format_literals(struct strbuf *out, const char *s, size_t len);

#endif
