/* SPDX-License-Identifier: GPL-2.0-only */
/* GIT_TRACE_CURL, GIT_TRACE_CURL_NO_DATA, GIT_CURL_VERBOSE: what goes to and fro, without secrets. */
#include "compat/posix.h"
#include "transport/http-internal.h"
#include "util/alloc.h"
#include "util/trace-redact.h"
#include "util/trace2.h"

#define LINE_BYTES 60u /* of data that are shown together */

/* "NAME: Basic c2VjcmV0": the scheme stays. */
static bool hide_authorization(struct strbuf *line)
{
	static const char *const names[] = { "authorization:", "proxy-authorization:" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *rest;

		if (!skip_iprefix(line->buf, names[i], &rest))
			continue;
		rest += strspn(rest, " \t");
		rest += strcspn(rest, " \t");
		strbuf_setlen(line, rest - line->buf);
		strbuf_addstr(line, " <redacted>");
		return true;
	}
	return false;
}

/* Names stay. Of Set-Cookie only the first part is one. */
static void hide_cookies(struct strbuf *line)
{
	struct strbuf out = STRBUF_INIT;
	const char *at = NULL;
	bool sent = skip_iprefix(line->buf, "cookie:", &at);

	if (!sent && !skip_iprefix(line->buf, "set-cookie:", &at))
		return;
	strbuf_add(&out, line->buf, at - line->buf);
	for (bool first = true; *at; first = false) {
		size_t len = strcspn(at, ";"), name = strcspn(at, "=;");

		if (name < len && (sent || first)) {
			strbuf_add(&out, at, name);
			strbuf_addstr(&out, "=<redacted>");
		} else {
			strbuf_add(&out, at, len);
		}
		at += len;
		if (*at == ';') {
			strbuf_addch(&out, ';');
			at++;
		}
	}
	strbuf_swap(line, &out);
	strbuf_release(&out);
}

/* Redacts a header line: credentials, cookies, and the password of a URL such as that of Location. */
static void hide_secrets(struct strbuf *line)
{
	struct strbuf out = STRBUF_INIT;

	if (!hide_authorization(line))
		hide_cookies(line);
	trace_add_redacted(&out, line->buf);
	strbuf_swap(line, &out);
	strbuf_release(&out);
}

static void show_headers(const char *what, const char *p, size_t len, bool secret)
{
	while (len) {
		const char *lf = memchr(p, '\n', len);
		size_t n = lf ? (size_t)(lf - p) + 1 : len;
		struct strbuf line = STRBUF_INIT;

		strbuf_add(&line, p, n);
		strbuf_rtrim(&line);
		if (secret)
			hide_secrets(&line);
		trace_printf("GIT_TRACE_CURL", "%s %s", what, line.buf);
		strbuf_release(&line);
		p += n;
		len -= n;
	}
}

/* A URL in it may stand in two lines, so that passwords go first. */
static void show_data(const char *what, const char *p, size_t len)
{
	struct strbuf plain = STRBUF_INIT, shown = STRBUF_INIT;

	trace_printf("GIT_TRACE_CURL", "%s, %10.10ld bytes (0x%8.8lx)", what, (long)len, (long)len);
	for (size_t i = 0; i < len; i++)
		strbuf_addch(&plain, p[i] >= 32 && p[i] < 127 ? p[i] : p[i] == '\n' ? '\n' : '.');
	trace_add_redacted(&shown, plain.buf);
	for (size_t i = 0; i < shown.len; i++)
		if (shown.buf[i] == '\n')
			shown.buf[i] = '.';
	for (size_t at = 0; at < shown.len; at += LINE_BYTES)
		trace_printf("GIT_TRACE_CURL", "%s: %.*s", what, (int)LINE_BYTES, shown.buf + at);
	strbuf_release(&plain);
	strbuf_release(&shown);
}

/* libcurl tells of headers of HTTP/2 as text, too: "[HTTP/2] [1] [authorization: Basic …]", "h2h3 [cookie: …]". */
static void show_info(const char *p, size_t len, bool secret)
{
	struct strbuf line = STRBUF_INIT;
	const char *bracket;

	strbuf_add(&line, p, len);
	strbuf_rtrim(&line);
	bracket = strrchr(line.buf, '[');
	if (secret && bracket && bracket[strcspn(bracket, ":")]) {
		struct strbuf inner = STRBUF_INIT;

		strbuf_addstr(&inner, bracket + 1);
		hide_secrets(&inner);
		strbuf_setlen(&line, bracket + 1 - line.buf);
		strbuf_addbuf(&line, &inner);
		strbuf_release(&inner);
	} else if (secret) {
		hide_secrets(&line);
	}
	trace_printf("GIT_TRACE_CURL", "== Info: %s", line.buf);
	strbuf_release(&line);
}

struct trace {
	bool data, secret;
};

static int show(CURL *easy UNUSED, curl_infotype type, char *p, size_t len, void *user)
{
	const struct trace *t = user;

	switch (type) {
	case CURLINFO_TEXT:
		show_info(p, len, t->secret);
		break;
	case CURLINFO_HEADER_OUT:
		show_headers("=> Send header:", p, len, t->secret);
		break;
	case CURLINFO_HEADER_IN:
		show_headers("<= Recv header:", p, len, t->secret);
		break;
	case CURLINFO_DATA_OUT:
		if (t->data)
			show_data("=> Send data", p, len);
		break;
	case CURLINFO_DATA_IN:
		if (t->data)
			show_data("<= Recv data", p, len);
		break;
	case CURLINFO_SSL_DATA_OUT:
		if (t->data)
			show_data("=> Send SSL data", p, len);
		break;
	case CURLINFO_SSL_DATA_IN:
		if (t->data)
			show_data("<= Recv SSL data", p, len);
		break;
	default:
		break;
	}
	return 0;
}

void http_trace_setup(CURL *easy)
{
	static struct trace trace; /* trace sinks are the process's, too */
	const char *no_data;

	if (getenv("GIT_CURL_VERBOSE") && !getenv("GIT_TRACE_CURL")) {
		setenv("GIT_TRACE_CURL", "1", 1);
		setenv("GIT_TRACE_CURL_NO_DATA", "1", 1);
	}
	if (!trace_want("GIT_TRACE_CURL"))
		return;
	no_data = getenv("GIT_TRACE_CURL_NO_DATA");
	trace.data = !no_data || config_parse_maybe_bool(no_data) == 0;
	trace.secret = trace_redacts();
	curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
	curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, show);
	curl_easy_setopt(easy, CURLOPT_DEBUGDATA, &trace);
}
