/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "wire/http-framing.h"

int pkt_framing_follow(struct pkt_framing *f, const char *p, size_t len, struct err *err)
{
	while (len) {
		size_t n = f->left < len ? f->left : len;
		int size;

		f->left -= n;
		p += n;
		len -= n;
		while (len && !f->left && f->have < 4) {
			f->head[f->have++] = *p++;
			len--;
		}
		if (f->left || f->have < 4)
			continue;
		size = pkt_parse_length(f->head);
		if (size < 0 || size == 3 || size > PKT_MAX)
			return pkt_bad_length(f->head, err);
		f->have = 0;
		f->left = size > 4 ? (size_t)size - 4 : 0;
		f->flushed = !size;
	}
	return 0;
}

bool pkt_framing_is_whole(const struct pkt_framing *f)
{
	return !f->left && !f->have;
}

/* The length of the packet there, if it is whole and has a payload; 0. */
static size_t line_length(const char *text, size_t len)
{
	int n = len >= 4 ? pkt_parse_length(text) : -1;

	return n > 4 && (size_t)n <= len ? (size_t)n : 0;
}

static bool is_flush(const char *text, size_t len)
{
	return len >= 4 && !memcmp(text, "0000", 4);
}

static bool line_is(const char *text, size_t n, const char *wanted)
{
	size_t len = n - 4;

	if (text[n - 1] == '\n')
		len--;
	return len == strlen(wanted) && !memcmp(text + 4, wanted, len);
}

static int check_first(const char *text, size_t len, size_t n, const char *service, struct err *err)
{
	char *wanted = xstrfmt("# service=%s", service);
	int rc = 0;

	if (!len || is_flush(text, len))
		rc = err_set(err, ERR_CORRUPT, "invalid server response; expected service, got flush packet");
	else if (!n)
		rc = err_set(err, ERR_CORRUPT, "protocol error: bad line length character: %.*s",
			     (int)(len < 4 ? len : 4), text);
	else if (!line_is(text, n, wanted))
		rc = err_set(err, ERR_CORRUPT, "invalid server response; got '%.*s'",
			     (int)(n - 4 - (text[n - 1] == '\n')), text + 4);
	free(wanted);
	return rc;
}

int http_service_lines(const char *text, size_t len, const char *service, size_t *skip, struct err *err)
{
	size_t n = line_length(text, len), at = 0;
	int rc;

	*skip = 0;
	if (n && line_is(text, n, "version 2"))
		return 0;
	rc = check_first(text, len, n, service, err);
	if (rc < 0)
		return rc;
	for (; n; n = line_length(text + at, len - at))
		at += n;
	if (!is_flush(text + at, len - at))
		return err_set(err, ERR_CORRUPT, "protocol error: unexpected end of the service line");
	*skip = at + 4;
	return 0;
}
