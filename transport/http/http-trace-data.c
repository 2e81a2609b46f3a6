/* SPDX-License-Identifier: GPL-2.0-only */
/* Bodies in GIT_TRACE_CURL: passwords of URLs are hidden, also if libcurl hands them over in pieces. */
#include "compat/posix.h"
#include "transport/http/http-internal.h"
#include "util/trace-redact.h"

#define AUTHORITY_MAX 65536u /* bytes that are held back while a URL has no end; longer ones are not shown */

static void add_printable(struct strbuf *out, char c)
{
	strbuf_addch(out, c >= 32 && c < 127 ? c : '.');
}

/* The authority in r->held ends here. Without an '@', `unfinished` tells whether one may still have come. */
static void release_authority(struct http_redactor *r, struct strbuf *out, bool unfinished)
{
	const char *colon = r->held.len > 3 ? strchr(r->held.buf + 3, ':') : NULL;

	if (!r->held.len)
		return;
	if (r->over && trace_redacts()) {
		strbuf_addstr(out, "://<REDACTED>");
	} else if (unfinished && colon && trace_redacts()) {
		strbuf_add(out, r->held.buf, colon + 1 - r->held.buf);
		strbuf_addstr(out, "<REDACTED>");
	} else {
		trace_add_redacted(out, r->held.buf);
	}
	r->over = false;
	strbuf_reset(&r->held);
}

/* r->held is empty, a beginning of "://", or "://" and an authority without end. */
static void redact_byte(struct http_redactor *r, struct strbuf *out, char c)
{
	bool inside = r->held.len >= 3, again;

	if (inside && c != '/' && c != ' ' && c != '\t' && c != '\n') {
		r->over = r->over || r->held.len >= AUTHORITY_MAX;
		if (r->over)
			strbuf_setlen(&r->held, r->held.len - 1); /* the last byte counts, see below */
		add_printable(&r->held, c);
		return;
	}
	/* The authority may end in ':', with which the next URL begins. */
	again = inside && c == '/' && r->held.len > 3 && r->held.buf[r->held.len - 1] == ':';
	if (again)
		strbuf_setlen(&r->held, r->held.len - 1);
	if (inside || c != "://"[r->held.len])
		release_authority(r, out, false);
	if (again)
		strbuf_addch(&r->held, ':');
	if (c == "://"[r->held.len])
		strbuf_addch(&r->held, c);
	else
		add_printable(out, c);
}

/* Is text[0..len) a beginning of CR LF SIZE CR LF, the line between two chunks? *whole: all of it. */
static bool is_chunk_line(const char *text, size_t len, bool *whole)
{
	size_t digits = len > 2 ? len - 2 : 0, n = 0;

	*whole = false;
	if (memcmp(text, "\r\n", len < 2 ? len : 2) != 0)
		return false;
	while (n < digits && isxdigit((unsigned char)text[2 + n]))
		n++;
	if (n == digits)
		return n <= 8;
	*whole = digits - n == 2;
	return n > 0 && digits - n <= 2 && !memcmp(text + 2 + n, "\r\n", digits - n);
}

void http_redactor_add(struct http_redactor *r, struct strbuf *out, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool whole;

		r->line[r->line_len++] = p[i];
		while (r->line_len && !is_chunk_line(r->line, r->line_len, &whole)) {
			redact_byte(r, out, r->line[0]);
			memmove(r->line, r->line + 1, --r->line_len);
		}
		if (r->line_len && whole) {
			for (size_t k = 0; k < r->line_len; k++)
				add_printable(out, r->line[k]);
			r->line_len = 0;
		}
	}
}

void http_redactor_end(struct http_redactor *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->line_len; i++)
		redact_byte(r, out, r->line[i]);
	r->line_len = 0;
	release_authority(r, out, true);
}

void http_redactor_release(struct http_redactor *r)
{
	strbuf_release(&r->held);
}
