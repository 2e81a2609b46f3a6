/* SPDX-License-Identifier: GPL-2.0-only */
/* Idents: "Name <mail> 1700000000 +0100", as in commits, tags and reflogs. */
#ifndef OBJECT_IDENT_H
#define OBJECT_IDENT_H

#include "compat/posix.h"
#include "util/date.h"
#include "util/err.h"
#include "util/strbuf.h"

/* Pointers into the line. Malformed lines as they exist in old history are accepted. */
struct ident_split {
	const char *name, *mail;
	size_t name_len, mail_len;
	bool has_date; /* a date and a zone with its sign */
	timestamp_t date; /* as written; UINT64_MAX if it is larger. 0 without a date */
	const char *date_text; /* its digits */
	size_t date_len;
	int tz; /* 130 stands for "+0130"; 0 if no int can hold it */
};
/* -1 if there is no "<mail>". */
int ident_split_line(struct ident_split *out, const char *line, size_t len);
/* Append "Signed-off-by: Name <mail>" of an ident line. False: the line is malformed, and nothing is appended. */
bool ident_add_signoff(struct strbuf *out, const char *line);
/* As Git shows it: a date that time_t cannot hold is 1970-01-01 in UTC, and so is none at all. */
void ident_shown_date(const struct ident_split *id, timestamp_t *date, int *tz);
/*
 * The date by which commits are ordered: the number after the last '>', whatever follows it. A negative one
 * wraps around, as in Git; 0 if there is none.
 */
timestamp_t ident_order_date(const char *line, size_t len);
/* The same name and mail. */
bool ident_split_eq(const struct ident_split *a, const struct ident_split *b);
/*
 * Append "Name <mail> date tz". Characters that would break the format are removed: < > LF
 * anywhere, blanks, control characters and , : ; < > " \ ' at both ends. strict: if the name is
 * empty after that, ERR_INVALID.
 */
MUST_USE int ident_format(struct strbuf *out, const char *name, const char *mail,
			  timestamp_t date, int tz, bool strict, struct err *err);
bool ident_is_empty(const char *s); /* a name or mail of which nothing would be left */

#endif
