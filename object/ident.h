/* SPDX-License-Identifier: GPL-2.0-only */
/* "Name <mail> 1700000000 +0100" lines in commits, tags and reflogs. */
#ifndef OBJECT_IDENT_H
#define OBJECT_IDENT_H

#include "compat/posix.h"
#include "util/date.h"
#include "util/err.h"
#include "util/strbuf.h"

/* Points into the line; tolerant of the broken lines that exist in history. */
struct ident_split {
	const char *name, *mail;
	size_t name_len, mail_len;
	bool has_date;
	timestamp_t date;
	int tz; /* as written: +0130 is 130 */
};
/* -1 if there is no mail part at all. */
int ident_split_line(struct ident_split *out, const char *line, size_t len);
/*
 * Append "Name <mail> date tz" with characters that would break the format
 * (< > LF, leading and trailing crud) removed. ERR_INVALID if the name
 * is empty after that and strict.
 */
MUST_USE int ident_format(struct strbuf *out, const char *name, const char *mail,
			  timestamp_t date, int tz, bool strict, struct err *err);

#endif
