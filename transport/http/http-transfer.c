/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One exchange with a server. The answer is buffered, and passed to the sink in large pieces: all bytes that libcurl has
 * read so far.
 */
#include "compat/posix.h"
#include "transport/http/http-internal.h"
#include "util/alloc.h"

#define PIECE_BYTES ((size_t)256 * 1024)
#define ERROR_BODY_MAX ((size_t)64 * 1024)
#define POLL_MS 1000
#define HEADER_MAX ((size_t)16 * 1024)

/* ---- what comes ---- */

static void take_wanted(struct http_exchange *x, const char *line, size_t len)
{
	const size_t name = strlen(x->rq->want_header);

	if (len > 5 && !memcmp(line, "HTTP/", 5))
		strbuf_reset(&x->header);
	if (len <= name || strncasecmp(line, x->rq->want_header, name) != 0 || line[name] != ':' ||
	    x->header.len > HEADER_MAX)
		return;
	if (x->header.len)
		strbuf_addstr(&x->header, ", ");
	strbuf_add(&x->header, line + name + 1, len - name - 1);
	strbuf_trim(&x->header);
}

/* Check where a redirect leads. After the first other host, private headers are left out for the rest of the chain. */
static void take_location(struct http_exchange *x, const char *text, size_t len)
{
	struct strbuf to = STRBUF_INIT;
	const char *from = NULL;

	strbuf_add(&to, text, len);
	strbuf_trim(&to);
	curl_easy_getinfo(x->c->easy, CURLINFO_EFFECTIVE_URL, &from);
	if (!from || http_url_leads_away(from, to.buf))
		http_headers_withhold(&x->headers);
	strbuf_release(&to);
}

static size_t on_header(char *p, size_t size, size_t nr, void *data)
{
	struct http_exchange *x = data;

	http_take_header(&x->challenges, p, size * nr);
	if (size * nr > 9 && !strncasecmp(p, "location:", 9))
		take_location(x, p + 9, size * nr - 9);
	if (x->rq->want_header)
		take_wanted(x, p, size * nr);
	return size * nr;
}

static void deliver(struct http_exchange *x)
{
	if (x->buffered.len && !x->rc)
		x->rc = x->rq->sink(x->rq->data, x->buffered.buf, x->buffered.len, x->err);
	strbuf_reset(&x->buffered);
}

static bool has_type(CURL *easy, const char *wanted)
{
	const char *type = NULL;
	size_t len = strlen(wanted);

	curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
	return type && !strncasecmp(type, wanted, len) && (!type[len] || type[len] == ';' || type[len] == ' ');
}

static bool is_good(const struct http_exchange *x)
{
	return x->status >= 200 && x->status < 300;
}

static void begin_answer(struct http_exchange *x)
{
	curl_easy_getinfo(x->c->easy, CURLINFO_RESPONSE_CODE, &x->status);
	x->begun = true;
	x->wrong_type = is_good(x) && x->rq->want_type && !has_type(x->c->easy, x->rq->want_type);
}

static size_t on_data(char *p, size_t size, size_t nr, void *data)
{
	struct http_exchange *x = data;
	size_t len = size * nr;

	if (!x->begun)
		begin_answer(x);
	if (x->wrong_type)
		return 0;
	if (!is_good(x)) {
		if (x->error_body.len < ERROR_BODY_MAX)
			strbuf_add(&x->error_body, p, len);
		return len;
	}
	if (x->buffered.len + len > PIECE_BYTES)
		deliver(x);
	strbuf_add(&x->buffered, p, len);
	return x->rc ? 0 : len;
}

/* ---- what goes ---- */

static size_t on_body_wanted(char *p, size_t size, size_t nr, void *data)
{
	struct http_exchange *x = data;
	const struct http_body *b = x->rq->body;
	size_t len = size * nr, got = 0;

	if (x->body_at < b->len) {
		got = b->len - x->body_at < len ? b->len - x->body_at : len;
		memcpy(p, (const char *)b->buf + x->body_at, got);
		x->body_at += got;
		return got;
	}
	x->rc = b->more(b->data, p, len, &got, x->err);
	return x->rc ? CURL_READFUNC_ABORT : got;
}

/* For a connection that has gone before the answer, and for authentication in steps. */
static int on_rewind(void *data, curl_off_t offset, int origin)
{
	struct http_exchange *x = data;
	const struct http_body *b = x->rq->body;

	if (offset || origin != SEEK_SET || !b->rewind || !b->rewind(b->data))
		return CURL_SEEKFUNC_CANTSEEK;
	x->body_at = 0;
	return CURL_SEEKFUNC_OK;
}

static void set_body(struct http_exchange *x)
{
	const struct http_body *b = x->rq->body;
	CURL *easy = x->c->easy;

	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, x->rq->method);
	if (!b) {
		curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
		return;
	}
	curl_easy_setopt(easy, CURLOPT_POST, 1L);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, b->more ? NULL : b->buf);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, b->more && !b->total ? (curl_off_t)-1 :
			 (curl_off_t)(b->len + b->total));
	curl_easy_setopt(easy, CURLOPT_READFUNCTION, b->more ? on_body_wanted : NULL);
	curl_easy_setopt(easy, CURLOPT_READDATA, x);
	curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, b->rewind ? on_rewind : NULL);
	curl_easy_setopt(easy, CURLOPT_SEEKDATA, x);
}

/* ---- both ---- */

static void set_request(struct http_exchange *x)
{
	const struct http_request *rq = x->rq;
	enum http_follow follow = x->c->set.follow;
	CURL *easy = x->c->easy;

	set_body(x);
	http_auth_apply(x->c, rq->url);
	http_headers_make(&x->headers, x->c, rq);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, x->headers.all);
	curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, rq->compressed ? "" : NULL);
	curl_easy_setopt(easy, CURLOPT_RESUME_FROM_LARGE, (curl_off_t)rq->offset);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION,
			 follow == HTTP_FOLLOW_ALL || (follow == HTTP_FOLLOW_INITIAL && rq->initial) ? 1L : 0L);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, x);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, x);
	x->c->error[0] = 0;
}

static bool is_unwanted(const struct http_exchange *x)
{
	return !x->rq->in_any_case && x->c->o.unwanted && x->c->o.unwanted(x->c->o.data);
}

static CURLcode perform_exchange(struct http_exchange *x)
{
	CURLM *multi = x->c->multi;
	CURLMcode code = curl_multi_add_handle(multi, x->c->easy);
	int running = 1, left;
	CURLMsg *msg;

	while (!code && running) {
		code = curl_multi_perform(multi, &running);
		deliver(x);
		if (!code && running)
			code = curl_multi_poll(multi, NULL, 0, POLL_MS, NULL);
		if (x->rc || (running && is_unwanted(x)))
			break;
	}
	msg = curl_multi_info_read(multi, &left);
	curl_multi_remove_handle(multi, x->c->easy);
	http_trace_end(&x->c->trace);
	if (msg && msg->msg == CURLMSG_DONE)
		return msg->data.result;
	return code ? CURLE_FAILED_INIT : CURLE_ABORTED_BY_CALLBACK;
}

void http_exchange_run(struct http_exchange *x)
{
	http_renew(x->c, x->rq);
	strvec_init(&x->challenges.values);
	strbuf_init(&x->buffered, PIECE_BYTES);
	strbuf_init(&x->error_body, 0);
	strbuf_init(&x->header, 0);
	set_request(x);
	x->code = perform_exchange(x);
	if (!x->begun)
		begin_answer(x);
}

void http_exchange_release(struct http_exchange *x)
{
	curl_easy_setopt(x->c->easy, CURLOPT_HTTPHEADER, NULL);
	http_headers_release(&x->headers);
	strvec_clear(&x->challenges.values);
	strbuf_release(&x->buffered);
	strbuf_release(&x->error_body);
	strbuf_release(&x->header);
}
