/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/err.h"
#include "util/strbuf.h"

char strbuf_empty[1];

/* ---- memory ---- */

void strbuf_init(struct strbuf *sb, size_t hint)
{
	sb->alloc = sb->len = 0;
	sb->buf = strbuf_empty;
	if (hint)
		strbuf_grow(sb, hint);
}

void strbuf_release(struct strbuf *sb)
{
	if (sb->alloc)
		free(sb->buf);
	strbuf_init(sb, 0);
}

char *strbuf_detach(struct strbuf *sb, size_t *len)
{
	char *out;

	strbuf_grow(sb, 0);
	out = sb->buf;
	if (len)
		*len = sb->len;
	strbuf_init(sb, 0);
	return out;
}

void strbuf_attach(struct strbuf *sb, char *buf, size_t len, size_t alloc)
{
	strbuf_release(sb);
	sb->buf = buf;
	sb->len = len;
	sb->alloc = alloc;
	strbuf_grow(sb, 0);
	sb->buf[len] = '\0';
}

void strbuf_swap(struct strbuf *a, struct strbuf *b)
{
	struct strbuf tmp = *a;

	*a = *b;
	*b = tmp;
}

void strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t want = st_add(st_add(sb->len, extra), 1);
	bool fresh = !sb->alloc;

	if (want <= sb->alloc)
		return;
	if (fresh)
		sb->buf = NULL;
	if (!fresh || want < 64)
		want = alloc_growth(sb->alloc, want < 64 ? 64 : want);
	sb->buf = xrealloc(sb->buf, want);
	sb->alloc = want;
	if (fresh)
		sb->buf[0] = '\0';
}

void strbuf_setlen(struct strbuf *sb, size_t len)
{
	if (len > (sb->alloc ? sb->alloc - 1 : 0))
		BUG("strbuf_setlen beyond the buffer");
	sb->len = len;
	if (sb->alloc) /* the shared empty string is never written */
		sb->buf[len] = '\0';
}

/* ---- adding ---- */

void strbuf_add(struct strbuf *sb, const void *p, size_t len)
{
	if (!len)
		return;
	if (len > strbuf_avail(sb))
		strbuf_grow(sb, len);
	memcpy(sb->buf + sb->len, p, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addbuf(struct strbuf *sb, const struct strbuf *other)
{
	size_t len = other->len;

	strbuf_grow(sb, len); /* first: other may be sb */
	strbuf_add(sb, other->buf, len);
}

void strbuf_addch(struct strbuf *sb, int c)
{
	if (!strbuf_avail(sb))
		strbuf_grow(sb, 1);
	sb->buf[sb->len++] = (char)c;
	sb->buf[sb->len] = '\0';
}

void strbuf_addchars(struct strbuf *sb, int c, size_t n)
{
	if (!n)
		return;
	strbuf_grow(sb, n);
	memset(sb->buf + sb->len, c, n);
	strbuf_setlen(sb, sb->len + n);
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	if (!strbuf_avail(sb))
		strbuf_grow(sb, 64);
	va_copy(again, ap);
	len = vsnprintf(sb->buf + sb->len, sb->alloc - sb->len, fmt, again);
	va_end(again);
	if (len < 0)
		BUG("cannot format '%s'", fmt);
	if ((size_t)len > strbuf_avail(sb)) {
		strbuf_grow(sb, (size_t)len);
		len = vsnprintf(sb->buf + sb->len, sb->alloc - sb->len, fmt, ap);
		if (len < 0 || (size_t)len > strbuf_avail(sb))
			BUG("arguments of '%s' changed", fmt);
	}
	strbuf_setlen(sb, sb->len + (size_t)len);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_insert(struct strbuf *sb, size_t pos, const void *p, size_t len)
{
	if (pos > sb->len)
		BUG("strbuf_insert outside the string");
	if (!len)
		return;
	strbuf_grow(sb, len);
	memmove(sb->buf + pos + len, sb->buf + pos, sb->len - pos);
	memcpy(sb->buf + pos, p, len);
	strbuf_setlen(sb, sb->len + len);
}

void strbuf_insertstr(struct strbuf *sb, size_t pos, const char *s)
{
	strbuf_insert(sb, pos, s, strlen(s));
}

void strbuf_remove(struct strbuf *sb, size_t pos, size_t len)
{
	if (pos > sb->len || len > sb->len - pos)
		BUG("strbuf_remove outside the string");
	if (!len)
		return;
	memmove(sb->buf + pos, sb->buf + pos + len, sb->len - pos - len);
	strbuf_setlen(sb, sb->len - len);
}

/* ---- ends and case ---- */

void strbuf_rtrim(struct strbuf *sb)
{
	size_t len = sb->len;

	while (len && is_git_blank(sb->buf[len - 1]))
		len--;
	strbuf_setlen(sb, len);
}

void strbuf_trim(struct strbuf *sb)
{
	size_t n = 0;

	strbuf_rtrim(sb);
	while (n < sb->len && is_git_blank(sb->buf[n]))
		n++;
	strbuf_remove(sb, 0, n);
}

void strbuf_trim_trailing_newline(struct strbuf *sb)
{
	size_t len = sb->len;

	if (!len || sb->buf[len - 1] != '\n')
		return;
	len--;
	if (len && sb->buf[len - 1] == '\r')
		len--;
	strbuf_setlen(sb, len);
}

void strbuf_complete(struct strbuf *sb, char c)
{
	if (sb->len && sb->buf[sb->len - 1] != c)
		strbuf_addch(sb, c);
}

void strbuf_complete_line(struct strbuf *sb)
{
	strbuf_complete(sb, '\n');
}

bool strbuf_strip_suffix(struct strbuf *sb, const char *suffix)
{
	size_t n = strlen(suffix);

	if (n > sb->len || memcmp(sb->buf + sb->len - n, suffix, n))
		return false;
	strbuf_setlen(sb, sb->len - n);
	return true;
}

void strbuf_tolower(struct strbuf *sb)
{
	for (size_t i = 0; i < sb->len; i++)
		if (sb->buf[i] >= 'A' && sb->buf[i] <= 'Z')
			sb->buf[i] += 'a' - 'A';
}

/* ---- lines ---- */

int strbuf_getdelim(struct strbuf *sb, FILE *fp, int term)
{
	char *line = sb->alloc ? sb->buf : NULL;
	size_t alloc = sb->alloc;
	ssize_t got;

	errno = 0;
	got = getdelim(&line, &alloc, term, fp);
	if (line) { /* getdelim may have moved it even when it failed */
		sb->buf = line;
		sb->alloc = alloc;
	}
	if (got < 0) {
		if (errno == ENOMEM)
			out_of_memory();
		strbuf_setlen(sb, 0);
		return -1;
	}
	if (got && (unsigned char)line[got - 1] == (unsigned char)term)
		got--;
	strbuf_setlen(sb, (size_t)got);
	return 0;
}

int strbuf_getline_lf(struct strbuf *sb, FILE *fp)
{
	return strbuf_getdelim(sb, fp, '\n');
}

int strbuf_getline(struct strbuf *sb, FILE *fp)
{
	if (strbuf_getdelim(sb, fp, '\n') < 0)
		return -1;
	if (sb->len && sb->buf[sb->len - 1] == '\r')
		strbuf_setlen(sb, sb->len - 1);
	return 0;
}

/* ---- formats ---- */

/*
 * Replace %z and %Z by the arguments, %s by tm and the offset, because strftime would use
 * the process's own zone for all three.
 */
static void expand_zone(struct strbuf *out, const char *fmt, const struct tm *tm,
			int tz, const char *tz_name)
{
	int minutes = tz / 100 * 60 + tz % 100;

	for (; *fmt; fmt++) {
		struct tm utc = *tm;

		if (*fmt != '%' || !fmt[1]) {
			strbuf_addch(out, *fmt);
			continue;
		}
		switch (*++fmt) {
		case 'z':
			strbuf_addf(out, "%+05d", tz);
			break;
		case 'Z':
			if (tz_name) {
				for (const char *s = tz_name; *s; s++) {
					if (*s == '%')
						strbuf_addch(out, '%');
					strbuf_addch(out, *s);
				}
			}
			else
				strbuf_addstr(out, "%Z");
			break;
		case 's':
			strbuf_addf(out, "%jd", (intmax_t)timegm(&utc) - (intmax_t)minutes * 60);
			break;
		default:
			strbuf_addch(out, '%');
			strbuf_addch(out, *fmt);
		}
	}
}

void strbuf_addftime(struct strbuf *sb, const char *fmt, const struct tm *tm,
		     int tz, const char *tz_name)
{
	struct strbuf full = STRBUF_INIT;
	size_t room = 128, len;

	if (!*fmt)
		return;
	expand_zone(&full, fmt, tm, tz, tz_name);
	/* strftime returns 0 both for "too small" and for "": a blank makes a difference. */
	strbuf_addch(&full, ' ');
	for (;; room *= 2) {
		strbuf_grow(sb, room);
		len = strftime(sb->buf + sb->len, room, full.buf, tm);
		if (len || room > 1024 * 1024)
			break;
	}
	strbuf_setlen(sb, sb->len + (len ? len - 1 : 0));
	strbuf_release(&full);
}

void strbuf_humanise_bytes(struct strbuf *sb, uint64_t bytes)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB" };
	unsigned shift = 10;
	uint64_t whole, hundredths;

	if (bytes <= 1024) {
		strbuf_addf(sb, "%" PRIu64 " %s", bytes, bytes == 1 ? "byte" : "bytes");
		return;
	}
	/* Exactly one of the next unit is still shown as 1024 of this one, as Git does. */
	while (shift < 30 && bytes > (uint64_t)1 << (shift + 10))
		shift += 10;
	whole = bytes >> shift;
	hundredths = (bytes & (((uint64_t)1 << shift) - 1)) * 100;
	hundredths = (hundredths + ((uint64_t)1 << (shift - 1))) >> shift;
	whole += hundredths / 100;
	strbuf_addf(sb, "%" PRIu64 ".%02" PRIu64 " %s", whole, hundredths % 100,
		    unit[shift / 10 - 1]);
}

/* ---- plain strings ---- */

bool skip_prefix(const char *s, const char *prefix, const char **out)
{
	for (; *prefix; s++, prefix++)
		if (*s != *prefix)
			return false;
	*out = s;
	return true;
}

bool skip_iprefix(const char *s, const char *prefix, const char **out)
{
	for (; *prefix; s++, prefix++)
		if (tolower((unsigned char)*s) != tolower((unsigned char)*prefix))
			return false;
	*out = s;
	return true;
}

bool starts_with(const char *s, const char *prefix)
{
	return skip_prefix(s, prefix, &s);
}

bool strip_suffix(const char *s, const char *suffix, size_t *len)
{
	size_t n = strlen(s), m = strlen(suffix);

	if (m > n || memcmp(s + n - m, suffix, m))
		return false;
	*len = n - m;
	return true;
}

bool ends_with(const char *s, const char *suffix)
{
	size_t len;

	return strip_suffix(s, suffix, &len);
}
