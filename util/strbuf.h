/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growable byte string; always NUL-terminated after its `len` bytes, may
 * hold NULs. `STRBUF_INIT` needs no allocation.
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
char *strbuf_detach(struct strbuf *sb, size_t *len); /* caller frees */
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

/* Read lines; the terminator is dropped. EOF (-1) when nothing was left. */
int strbuf_getdelim(struct strbuf *sb, FILE *fp, int term);
int strbuf_getline_lf(struct strbuf *sb, FILE *fp);
int strbuf_getline(struct strbuf *sb, FILE *fp); /* drops a CR before LF too */

/* strftime with `z_offset_min` for %z; "" format gives "". */
void strbuf_addftime(struct strbuf *sb, const char *fmt, const struct tm *tm,
		     int z_offset_min, const char *tz_name);

/* "1.50 MiB" and "1.50 MiB/s" style. */
void strbuf_humanise_bytes(struct strbuf *sb, uint64_t bytes);

bool starts_with(const char *s, const char *prefix);

bool ends_with(const char *s, const char *suffix);
/* If s starts with prefix: *out = rest, true. *out is untouched otherwise. */
bool skip_prefix(const char *s, const char *prefix, const char **out);
bool skip_iprefix(const char *s, const char *prefix, const char **out);

bool strip_suffix(const char *s, const char *suffix, size_t *len);

#endif
