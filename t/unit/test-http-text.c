/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts of http: which challenges belong to the last answer of a transfer; what traces show of bodies. */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "scratch.h"
#include "transport/http/http-internal.h"

static void take(struct http_challenges *c, const char *line)
{
	http_take_header(c, line, strlen(line));
}

/* One transfer has several answers: a redirect, or one before curl has tried what it knows. */
static void test_last_answer_counts(void **state)
{
	struct http_challenges c = { .open = false };

	(void)state;
	strvec_init(&c.values);
	take(&c, "HTTP/1.1 401 Unauthorized\r\n");
	take(&c, "WWW-Authenticate: Basic realm=\"old\"\r\n");
	take(&c, "\r\n");
	take(&c, "HTTP/2 401\r\n");
	take(&c, "www-authenticate:Digest realm=\"new\",\r\n");
	take(&c, "\t nonce=\"1\"\r\n");
	take(&c, "Server: x\r\n");
	take(&c, " Basic realm=\"of another header\"\r\n");
	assert_int_equal(c.values.nr, 1);
	assert_string_equal(c.values.v[0], "Digest realm=\"new\", nonce=\"1\"");
	strvec_clear(&c.values);
}

/* The body in the pieces [0, cut), [cut, len). */
static void check_shown(const char *body, size_t cut, const char *expect)
{
	struct http_redactor r = HTTP_REDACTOR_INIT;
	struct strbuf out = STRBUF_INIT;

	http_redactor_add(&r, &out, body, cut);
	assert_null(strstr(out.buf, "ses"));
	http_redactor_add(&r, &out, body + cut, strlen(body + cut));
	http_redactor_end(&r, &out);
	assert_string_equal(out.buf, expect);
	http_redactor_release(&r);
	strbuf_release(&out);
}

/* libcurl hands over a body in pieces of its own. */
static void test_bodies_in_pieces(void **state)
{
	static const char *const bodies[][2] = {
		{ "http://host:80/x y:z@ ://", "http://host:80/x y:z@ ://" },
		{ "a http://me:sesame@host/b http://host/\n", "a http://me:<REDACTED>@host/b http://host/." },
		{ "ext::http://me:se@sesame@host ", "ext::http://me:<REDACTED>@host " },
		{ "http://:http://me:sesame@h ", "http://:http://me:<REDACTED>@h " },
		{ "http://me:s@sesame", "http://me:<REDACTED>" },
		{ "13\r\nhttp://me:ses\r\n7\r\name@h/x\r\n0\r\n\r\n", "13..http..7..://me:<REDACTED>@h/x..0...." },
		{ "\r\n10\r\nhttp:/\r\n8\r\n/me:sesame@\r\r\n1\r\nh\r\n", "..10..http..8....1..://me:<REDACTED>@.h.." },
		{ "http://me:12\r\nsee@this", "http://me:12..see@this" },
		{ "\001http://m\001e:sesame@\177/", ".http://m.e:<REDACTED>@./" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++)
		for (size_t cut = 0; cut <= strlen(bodies[i][0]); cut++)
			check_shown(bodies[i][0], cut, bodies[i][1]);
}

/* A server cannot make the client hold back more than 64 KiB, nor show what it held back. */
static void test_endless_url(void **state)
{
	struct http_redactor r = HTTP_REDACTOR_INIT;
	struct strbuf out = STRBUF_INIT;

	(void)state;
	http_redactor_add(&r, &out, "http://me:", 10);
	for (int i = 0; i < 100000; i++)
		http_redactor_add(&r, &out, "sesame", 6);
	assert_in_range(r.held.len, 1, 70000);
	http_redactor_add(&r, &out, "@http://me:sesame@host/", 23);
	assert_string_equal(out.buf, "http://<REDACTED>://me:<REDACTED>@host/");
	http_redactor_release(&r);
	strbuf_release(&out);
}

/* libcurl may send a long request in pieces; lines about HTTP/2 hold headers; a long message loses its end. */
static void test_headers_and_messages(void **state)
{
	static const struct piece {
		curl_infotype type;
		const char *text;
	} pieces[] = {
		{ CURLINFO_HEADER_OUT, "GET / HTTP/1.1\r\nAuthorization: Basic ses" },
		{ CURLINFO_HEADER_OUT, "ame\r\nCookie: a=ses" },
		{ CURLINFO_HEADER_OUT, "ame; b=sesame\r\n\r\n" },
		{ CURLINFO_TEXT, "[HTTP/2] [1] [cookie: a=x[y; b=sesame]\n" },
		{ CURLINFO_TEXT, "Issue another request to this URL: 'http://me:sesame" },
		{ CURLINFO_HEADER_IN, "Location: http://me:sesame@host/\r\n" },
	};
	struct http_trace t = HTTP_TRACE_INIT;
	const char *path = at(dir, "trace");
	char *shown;

	(void)state;
	setenv("GIT_TRACE_CURL", path, 1);
	t.secret = true;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		http_trace_show(NULL, pieces[i].type, (char *)pieces[i].text, strlen(pieces[i].text), &t);
	http_trace_end(&t);
	http_trace_release(&t);
	shown = read_text(path);
	assert_null(strstr(shown, "ame"));
	assert_non_null(strstr(shown, "Authorization: Basic <redacted>\n"));
	assert_non_null(strstr(shown, "Cookie: a=<redacted>; b=<redacted>\n"));
	assert_non_null(strstr(shown, "[HTTP/2] [1] [cookie: a=<redacted>; b=<redacted>\n"));
	assert_non_null(strstr(shown, "http://me:<REDACTED>\n"));
	assert_non_null(strstr(shown, "Location: http://me:<REDACTED>@host/\n"));
	unsetenv("GIT_TRACE_CURL");
	free(shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_answer_counts),
		cmocka_unit_test(test_bodies_in_pieces),
		cmocka_unit_test(test_endless_url),
		cmocka_unit_test_setup_teardown(test_headers_and_messages, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
