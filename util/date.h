/* SPDX-License-Identifier: GPL-2.0-only */
/* Dates: parsing what Git accepts (git-commit(1), DATE FORMATS), and formatting. */
#ifndef UTIL_DATE_H
#define UTIL_DATE_H

#include "compat/posix.h"
#include "util/strbuf.h"

typedef uint64_t timestamp_t; /* seconds since the epoch */
#define TIME_MAX INT64_MAX

enum date_mode_type {
	DATE_NORMAL, DATE_HUMAN, DATE_RELATIVE, DATE_SHORT, DATE_ISO8601,
	DATE_ISO8601_STRICT, DATE_RFC2822, DATE_STRFTIME, DATE_RAW, DATE_UNIX
};
struct date_mode {
	enum date_mode_type type;
	bool local;
	char *strftime_fmt; /* owned; for DATE_STRFTIME */
};
#define DATE_MODE_INIT { DATE_NORMAL, false, NULL }

/* A value of --date: "iso", "relative-local", "format:%Y", "auto:human"; -1 if unknown. */
int date_mode_parse(struct date_mode *mode, const char *s);
void date_mode_release(struct date_mode *mode);
/* tz as a commit object has it: 530 stands for "+0530". */
void date_format(struct strbuf *out, timestamp_t t, int tz, const struct date_mode *mode);

/* Now, and the local zone (tz may be NULL). GIT_TEST_DATE_NOW overrides it for tests. */
timestamp_t date_now(int *tz);
/*
 * A day and a time of day in any of Git's formats: raw "@N +ZZZZ", RFC 2822, ISO 8601,
 * "7 Apr 2005 22:13 PST". -1 if either of the two is missing. tz may be NULL.
 */
int date_parse(const char *s, timestamp_t *t, int *tz);
/* Any date or approximation: "yesterday", "2 weeks ago". *bad: nothing was recognized. */
timestamp_t date_approxidate(const char *s, bool *bad);
/* For expiry values: "never"/"false" is 0, "all"/"now" is TIME_MAX. -1 if not a date. */
int date_parse_expiry(const char *s, timestamp_t *t);

#endif
