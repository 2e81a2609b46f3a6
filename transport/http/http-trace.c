/* SPDX-License-Identifier: GPL-2.0-only */
/* GIT_TRACE_CURL, GIT_TRACE_CURL_NO_DATA, GIT_CURL_VERBOSE: traces requests and answers, without secrets. */
#include "compat/posix.h"
#include "transport/http/http-internal.h"
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

/* Hide the values of cookies; names stay. In Set-Cookie only the first part is a cookie. */
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

static void show_header(const struct http_trace *t, const char *what, struct strbuf *line)
{
	strbuf_rtrim(line);
	if (t->secret)
		hide_secrets(line);
	trace_printf("GIT_TRACE_CURL", "%s %s", what, line->buf);
	strbuf_reset(line);
}

/* `line` holds the beginning of a line that came before, and the rest of one whose end is missing. libcurl cuts long requests. */
static void show_headers(const struct http_trace *t, const char *what, struct strbuf *line, const char *p, size_t len)
{
	while (len) {
		const char *lf = memchr(p, '\n', len);
		size_t n = lf ? (size_t)(lf - p) + 1 : len;

		strbuf_add(line, p, n);
		if (lf)
			show_header(t, what, line);
		p += n;
		len -= n;
	}
}

static void show_received_header(const struct http_trace *t, const char *p, size_t len)
{
	struct strbuf line = STRBUF_INIT;

	show_headers(t, "<= Recv header:", &line, p, len);
	if (line.len)
		show_header(t, "<= Recv header:", &line);
	strbuf_release(&line);
}

static void show_text(const char *what, const struct strbuf *text)
{
	for (size_t at = 0; at < text->len; at += LINE_BYTES)
		trace_printf("GIT_TRACE_CURL", "%s: %.*s", what, (int)LINE_BYTES, text->buf + at);
}

static void show_data(struct http_redactor *r, const char *what, const char *p, size_t len)
{
	struct strbuf shown = STRBUF_INIT;

	trace_printf("GIT_TRACE_CURL", "%s, %10.10ld bytes (0x%8.8lx)", what, (long)len, (long)len);
	http_redactor_add(r, &shown, p, len);
	show_text(what, &shown);
	strbuf_release(&shown);
}

/* What goes through TLS is encrypted: nothing of it waits for the next piece. */
static void show_tls(const char *what, const char *p, size_t len)
{
	struct http_redactor r = HTTP_REDACTOR_INIT;

	show_data(&r, what, p, len);
	http_redactor_release(&r);
}

static void end_body(struct http_redactor *r, const char *what)
{
	struct strbuf shown = STRBUF_INIT;

	http_redactor_end(r, &shown);
	show_text(what, &shown);
	strbuf_release(&shown);
}

/* Where a header of HTTP/2 with a secret begins: libcurl writes "[HTTP/2] [1] [authorization: Basic …]", "h2h3 [cookie: …]". */
static const char *find_secret_header(const char *text)
{
	static const char *const names[] = { "authorization:", "proxy-authorization:", "cookie:", "set-cookie:" };
	const char *rest;

	for (const char *p = strchr(text, '['); p; p = strchr(p + 1, '['))
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (skip_iprefix(p + 1, names[i], &rest))
				return p + 1;
	return NULL;
}

/* libcurl cuts long messages. A URL at the end of one may have lost its '@'. */
static void hide_in_info(struct strbuf *line)
{
	struct http_redactor r = HTTP_REDACTOR_INIT;
	struct strbuf shown = STRBUF_INIT, header = STRBUF_INIT;
	const char *secret = find_secret_header(line->buf);

	if (secret) {
		strbuf_addstr(&header, secret);
		hide_secrets(&header);
		strbuf_setlen(line, secret - line->buf);
		strbuf_addbuf(line, &header);
	} else {
		hide_secrets(line);
		http_redactor_add(&r, &shown, line->buf, line->len);
		http_redactor_end(&r, &shown);
		strbuf_swap(line, &shown);
	}
	http_redactor_release(&r);
	strbuf_release(&shown);
	strbuf_release(&header);
}

static void show_info(const char *p, size_t len, bool secret)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_add(&line, p, len);
	strbuf_rtrim(&line);
	if (secret)
		hide_in_info(&line);
	trace_printf("GIT_TRACE_CURL", "== Info: %s", line.buf);
	strbuf_release(&line);
}

int http_trace_show(CURL *easy UNUSED, curl_infotype type, char *p, size_t len, void *user)
{
	struct http_trace *t = user;

	switch (type) {
	case CURLINFO_TEXT:
		show_info(p, len, t->secret);
		break;
	case CURLINFO_HEADER_OUT:
		end_body(&t->sent, "=> Send data");
		show_headers(t, "=> Send header:", &t->sent_line, p, len);
		break;
	case CURLINFO_HEADER_IN:
		end_body(&t->received, "<= Recv data");
		show_received_header(t, p, len);
		break;
	case CURLINFO_DATA_OUT:
		if (t->data)
			show_data(&t->sent, "=> Send data", p, len);
		break;
	case CURLINFO_DATA_IN:
		if (t->data)
			show_data(&t->received, "<= Recv data", p, len);
		break;
	case CURLINFO_SSL_DATA_OUT:
		if (t->data)
			show_tls("=> Send SSL data", p, len);
		break;
	case CURLINFO_SSL_DATA_IN:
		if (t->data)
			show_tls("<= Recv SSL data", p, len);
		break;
	default:
		break;
	}
	return 0;
}

void http_trace_end(struct http_trace *t)
{
	end_body(&t->sent, "=> Send data");
	end_body(&t->received, "<= Recv data");
	if (t->sent_line.len)
		show_header(t, "=> Send header:", &t->sent_line);
}

void http_trace_release(struct http_trace *t)
{
	http_redactor_release(&t->sent);
	http_redactor_release(&t->received);
	strbuf_release(&t->sent_line);
}

bool http_trace_start(struct http_trace *t)
{
	const char *no_data;

	if (getenv("GIT_CURL_VERBOSE") && !getenv("GIT_TRACE_CURL")) {
		setenv("GIT_TRACE_CURL", "1", 1);
		setenv("GIT_TRACE_CURL_NO_DATA", "1", 1);
	}
	if (!trace_want("GIT_TRACE_CURL"))
		return false;
	no_data = getenv("GIT_TRACE_CURL_NO_DATA");
	t->data = !no_data || config_parse_maybe_bool(no_data) == 0;
	t->secret = trace_redacts();
	return true;
}
