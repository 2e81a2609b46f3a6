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
	bool has_date;
	timestamp_t date;
	int tz; /* 130 stands for "+0130" */
};
/* -1 if there is no "<mail>". */
int ident_split_line(struct ident_split *out, const char *line, size_t len);
/* The same name and mail. */
bool ident_split_eq(const struct ident_split *a, const struct ident_split *b);
/*
 * Append "Name <mail> date tz". Characters that would break the format are removed: < > LF
 * anywhere, blanks, control characters and , : ; < > " \ ' at both ends. With `strict`, a name that is empty
 * then is ERR_INVALID.
 */
MUST_USE int ident_format(struct strbuf *out, const char *name, const char *mail,
			  timestamp_t date, int tz, bool strict, struct err *err);
bool ident_is_empty(const char *s); /* a name or mail of which nothing would be left */

#endif
