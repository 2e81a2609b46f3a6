/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growable byte string. It may contain NULs, and a NUL always follows its `len` bytes.
 * STRBUF_INIT allocates nothing; strbuf_release frees the contents and leaves it as
 * STRBUF_INIT. Out of memory ends the program.
 */
#ifndef UTIL_STRBUF_H
#define UTIL_STRBUF_H

#include "compat/posix.h"

struct strbuf {
	size_t alloc; /* 0: buf is the shared empty string */
	size_t len;
	char *buf;    /* never NULL */
};

extern char strbuf_empty[1];
#define STRBUF_INIT { 0, 0, strbuf_empty }

void strbuf_init(struct strbuf *sb, size_t hint);
void strbuf_release(struct strbuf *sb);
char *strbuf_detach(struct strbuf *sb, size_t *len); /* caller frees; len may be NULL */
/* buf (from malloc, `alloc` bytes) now belongs to sb. */
void strbuf_attach(struct strbuf *sb, char *buf, size_t len, size_t alloc);
void strbuf_swap(struct strbuf *a, struct strbuf *b);

void strbuf_grow(struct strbuf *sb, size_t extra);
void strbuf_setlen(struct strbuf *sb, size_t len); /* len < alloc */
#define strbuf_reset(sb) strbuf_setlen((sb), 0)
static inline size_t strbuf_avail(const struct strbuf *sb)
{
	return sb->alloc ? sb->alloc - sb->len - 1 : 0;
}

void strbuf_add(struct strbuf *sb, const void *p, size_t len);
void strbuf_addstr(struct strbuf *sb, const char *s);
void strbuf_addbuf(struct strbuf *sb, const struct strbuf *other);
void strbuf_addch(struct strbuf *sb, int c);
void strbuf_addchars(struct strbuf *sb, int c, size_t n);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap);
void strbuf_insert(struct strbuf *sb, size_t pos, const void *p, size_t len);
void strbuf_insertstr(struct strbuf *sb, size_t pos, const char *s);
void strbuf_remove(struct strbuf *sb, size_t pos, size_t len);

void strbuf_trim(struct strbuf *sb);

void strbuf_rtrim(struct strbuf *sb);
void strbuf_trim_trailing_newline(struct strbuf *sb);
void strbuf_complete(struct strbuf *sb, char c); /* end in c unless empty */
void strbuf_complete_line(struct strbuf *sb);
bool strbuf_strip_suffix(struct strbuf *sb, const char *suffix);

void strbuf_tolower(struct strbuf *sb);

/* Replace sb by the next line, without its terminator; -1 at the end of the file. */
int strbuf_getdelim(struct strbuf *sb, FILE *fp, int term);
int strbuf_getline_lf(struct strbuf *sb, FILE *fp);
int strbuf_getline(struct strbuf *sb, FILE *fp); /* drops a CR before LF too */

/* Append strftime(3). tz (530 means "+0530") is for %z and %s, tz_name (NULL: the local one) for %Z. */
void strbuf_addftime(struct strbuf *sb, const char *fmt, const struct tm *tm,
		     int tz, const char *tz_name);

/* Append a size like "1.50 MiB". */
void strbuf_humanise_bytes(struct strbuf *sb, uint64_t bytes);

bool starts_with(const char *s, const char *prefix);

bool ends_with(const char *s, const char *suffix);
/* If s starts with prefix: true, and *out is the rest. Otherwise *out is untouched. */
bool skip_prefix(const char *s, const char *prefix, const char **out);
bool skip_iprefix(const char *s, const char *prefix, const char **out);

/* If s ends in suffix: true, and *len is the length without it. */
bool strip_suffix(const char *s, const char *suffix, size_t *len);

/* White space as Git defines it: no vertical tab, no form feed. */
static inline bool is_git_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

#endif
