/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts of http, read without libcurl: header lines, and the user of a URL. */
#include "compat/posix.h"
#include "transport/http/http-internal.h"
#include "util/alloc.h"

#define HEADER_LINES_MAX 1000

static void add_challenge(struct strvec *v, const char *value, bool goes_on)
{
	struct strbuf text = STRBUF_INIT;

	if (v->nr >= HEADER_LINES_MAX)
		return;
	if (goes_on && v->nr) {
		strbuf_addstr(&text, v->v[v->nr - 1]);
		strvec_remove(v, v->nr - 1);
	}
	strbuf_addstr(&text, goes_on && text.len ? " " : "");
	strbuf_addstr(&text, value);
	strvec_push(v, text.buf);
	strbuf_release(&text);
}

void http_take_header(struct http_challenges *c, const char *text, size_t len)
{
	bool goes_on = len && (*text == ' ' || *text == '\t');
	struct strbuf line = STRBUF_INIT;
	const char *value;

	strbuf_add(&line, text, len);
	strbuf_trim(&line);
	if (starts_with(line.buf, "HTTP/"))
		strvec_clear(&c->values);
	if (goes_on && c->open) {
		add_challenge(&c->values, line.buf, true);
	} else {
		c->open = skip_iprefix(line.buf, "www-authenticate:", &value);
		if (c->open)
			add_challenge(&c->values, value + strspn(value, " \t"), false);
	}
	strbuf_release(&line);
}

char *http_url_without_user(const char *url)
{
	const char *host = strstr(url, "://"), *at, *end;

	if (!host)
		return xstrdup(url);
	host += 3;
	end = host + strcspn(host, "/?#");
	at = memrchr(host, '@', end - host);
	return at ? xstrfmt("%.*s%s", (int)(host - url), url, at + 1) : xstrdup(url);
}
