/* SPDX-License-Identifier: GPL-2.0-only */
/* A request with its redirects, credentials and retries, and the message if it fails. */
#include "compat/posix.h"
#include "transport/http/http-internal.h"
#include "transport/url.h"
#include "util/alloc.h"
#include "util/utf8.h"

#define ROUNDS_MAX 20

void http_answer_release(struct http_answer *a)
{
	FREE_AND_NULL(a->type);
	FREE_AND_NULL(a->url);
	FREE_AND_NULL(a->header);
}

/* ---- failures ---- */

static void print_error_line(const struct http_client *c, const char *text, size_t len)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addstr(&line, "remote: ");
	for (size_t n; len; text += n, len -= n) {
		bool control;

		n = text_char_len(text, len, &control);
		if (!control || *text == '\t')
			strbuf_add(&line, text, n);
	}
	c->o.tell(c->o.data, line.buf);
	strbuf_release(&line);
}

/* Print the error text of the server if it is plain text. */
static void tell_error_body(struct http_exchange *x, const struct http_answer *a)
{
	const char *at;

	if (!x->c->o.tell || !a->type || strcmp(a->type, "text/plain"))
		return;
	strbuf_rtrim(&x->error_body);
	for (at = x->error_body.buf; x->error_body.len && *at;) {
		size_t len = strcspn(at, "\n");

		print_error_line(x->c, at, len);
		at += len + (at[len] == '\n');
	}
}

static const char *reason(struct http_exchange *x)
{
	struct http_client *c = x->c;

	if (x->code == CURLE_OK)
		snprintf(c->error, sizeof(c->error), "The requested URL returned error: %ld", x->status);
	return *c->error ? c->error : curl_easy_strerror(x->code);
}

static int fail_post(struct http_exchange *x, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *why = reason(x);
	int code = x->code ? (int)x->code : (int)CURLE_HTTP_RETURNED_ERROR;

	if (x->wrong_type)
		strbuf_addf(&text, "the answer is none of %s", x->rq->want_type);
	else if (x->status && x->status != 200)
		strbuf_addf(&text, "HTTP %ld curl %d %s", x->status, code, why);
	else
		strbuf_addf(&text, "curl %d %s", code, why);
	err_set(err, x->wrong_type ? ERR_CORRUPT : ERR_IO, "RPC failed; %s", text.buf);
	strbuf_release(&text);
	return x->wrong_type ? ERR_CORRUPT : ERR_IO;
}

/* Errors of WebDAV methods: RFC 4918. */
static int fail_method(struct http_exchange *x, struct err *err)
{
	static const struct {
		long status;
		enum err_code code;
	} codes[] = { { 404, ERR_NOT_FOUND }, { 410, ERR_NOT_FOUND }, { 405, ERR_EXISTS }, { 412, ERR_CONFLICT }, { 423, ERR_LOCKED } };
	char *url = url_for_display(x->rq->url);
	enum err_code code = ERR_IO;

	for (size_t i = 0; x->code == CURLE_OK && i < ARRAY_SIZE(codes); i++)
		if (codes[i].status == x->status)
			code = codes[i].code;
	err_set(err, code, "%s of '%s' failed: %s", x->rq->method, url, reason(x));
	free(url);
	return code;
}

static int set_request_error(struct http_exchange *x, const struct http_answer *a, struct err *err)
{
	const char *shown = x->c->shown;

	tell_error_body(x, a);
	if (x->status == 401)
		return err_set(err, ERR_ABORTED, "Authentication failed for '%s'", shown);
	if (x->rq->method)
		return fail_method(x, err);
	if (x->rq->body)
		return fail_post(x, err);
	if (x->code == CURLE_SSL_PINNEDPUBKEYNOTMATCH)
		return err_set(err, ERR_IO, "unable to access '%s' with http.pinnedPubkey configuration: %s", shown,
			       reason(x));
	if (x->code == CURLE_RANGE_ERROR)
		return err_set(err, ERR_UNSUPPORTED, "unable to access '%s': %s", shown, reason(x));
	if (x->code == CURLE_OK && (x->status == 404 || x->status == 410) && x->rq->tail)
		return err_set(err, ERR_NOT_FOUND, "repository '%s' not found", shown);
	return err_set(err, x->code == CURLE_OK && (x->status == 404 || x->status == 410) ? ERR_NOT_FOUND : ERR_IO,
		       "unable to access '%s': %s", shown, reason(x));
}

/* ---- another try ---- */

/*
 * After status 429: wait as long as the server or http.retryAfter wants. 1: try again; 0: do not try again; < 0: the
 * time is too long, or there were too many retries.
 */
static int wait_for_turn(const struct http_exchange *x, long *retries, struct err *err)
{
	const struct http_settings *s = &x->c->set;
	curl_off_t asked = 0;
	struct timespec left = { 0 };

	curl_easy_getinfo(x->c->easy, CURLINFO_RETRY_AFTER, &asked);
	if (s->max_retries <= 0)
		return 0;
	if (*retries >= s->max_retries)
		return asked > 0 ?
			err_set(err, ERR_IO, "rate limited by '%s', please try again in %ld seconds", x->c->shown, (long)asked) :
			err_set(err, ERR_IO, "rate limited by '%s', please try again later", x->c->shown);
	left.tv_sec = asked > 0 ? (time_t)asked : (time_t)(s->retry_after > 0 ? s->retry_after : 0);
	if (left.tv_sec > s->max_retry_time)
		return err_set(err, ERR_IO, asked > 0 ?
			       "response requested a delay greater than http.maxRetryTime (%ld > %ld seconds)" :
			       "configured http.retryAfter exceeds http.maxRetryTime (%ld > %ld seconds)",
			       (long)left.tv_sec, s->max_retry_time);
	++*retries;
	if (left.tv_sec && x->c->o.warn && x->c->o.verbosity >= 0) {
		char *text = xstrfmt("rate limited, waiting %ld seconds before retry", (long)left.tv_sec);

		x->c->o.warn(x->c->o.data, text);
		free(text);
	}
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
	return 1;
}

static void read_answer_headers(struct http_exchange *x, struct http_answer *a)
{
	const char *type = NULL, *url = NULL;

	http_answer_release(a);
	curl_easy_getinfo(x->c->easy, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(x->c->easy, CURLINFO_EFFECTIVE_URL, &url);
	a->status = x->status;
	if (type) {
		a->type = xstrndup(type, strcspn(type, "; \t"));
		for (char *p = a->type; *p; p++)
			*p = tolower((unsigned char)*p);
	}
	a->url = url ? http_url_without_user(url) : NULL;
	a->header = x->header.len ? xstrdup(x->header.buf) : NULL;
}

/* It answers itself, or the request for a tunnel. */
static bool proxy_wants_other(const struct http_exchange *x)
{
	long tunnel = 0;

	curl_easy_getinfo(x->c->easy, CURLINFO_HTTP_CONNECTCODE, &tunnel);
	return x->status == 407 || (x->code != CURLE_OK && tunnel == 407);
}

/* 1: try again; 0: done; < 0. */
static int judge(struct http_exchange *x, const struct http_answer *a, long *retries, struct err *err)
{
	struct http_client *c = x->c;
	bool again = !x->rq->body || !x->rq->body->more || /* what has come from elsewhere is gone */
		     (x->rq->body->rewind && x->rq->body->rewind(x->rq->body->data));
	bool good = !x->wrong_type && x->status >= 200 && x->status < 300;
	int rc = 0;

	if (x->rc)
		return x->rc;
	/* Also before a credential is asked for: it has to be that host's. */
	if (x->code == CURLE_OK && (good || x->status == 401))
		rc = http_follow_base(c, x->rq, a->url, err);
	if (rc < 0)
		return rc;
	if (x->code == CURLE_OK && good)
		return http_auth_good(c, err);
	if (proxy_wants_other(x))
		rc = http_proxy_auth_bad(c, err);
	else if (x->code == CURLE_SSL_CERTPROBLEM)
		rc = http_cert_bad(c, err);
	else if (x->code == CURLE_OK && x->status == 401 && again)
		rc = http_auth_again(c, x, err);
	else if (x->code == CURLE_OK && x->status == 429 && again)
		rc = wait_for_turn(x, retries, err);
	return rc ? rc : set_request_error(x, a, err);
}

/* After a redirect of the first request the next try goes to where that has led. */
static void move_request(const struct http_client *c, struct http_request *rq, char **url)
{
	if (!rq->tail)
		return;
	free(*url);
	*url = xconcat(c->base, rq->tail);
	rq->url = *url;
}

int http_perform(struct http_client *c, const struct http_request *wanted, struct http_answer *a, struct err *err)
{
	struct http_request rq = *wanted;
	long retries = 0;
	char *url = NULL;
	int rc = 1;

	for (int round = 0; rc > 0; round++) {
		struct http_exchange x = { .c = c, .rq = &rq, .err = err };

		http_exchange_run(&x);
		read_answer_headers(&x, a);
		rc = judge(&x, a, &retries, err);
		if (rc > 0 && round - retries >= ROUNDS_MAX)
			rc = set_request_error(&x, a, err);
		http_exchange_release(&x);
		move_request(c, &rq, &url);
	}
	free(url);
	return rc;
}
