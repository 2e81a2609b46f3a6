/* SPDX-License-Identifier: GPL-2.0-only */
/* The http client: gets files and advertisements, and posts requests of the smart protocol (gitprotocol-http(5)). */
#include "compat/posix.h"
#include <sys/statvfs.h>
#include <zlib.h>
#include "transport/http/http-internal.h"
#include "transport/url.h"
#include "util/alloc.h"
#include "wire/http-framing.h"
#include "write-or-die.h"

#define COMPRESS_FROM 1024 /* smaller bodies are sent as they are */
#define NOT_SMART_MAX ((size_t)64 * 1024)
#define GZIP_WINDOW (15 + 16)

/* ---- the client ---- */

int http_client_new(struct http_client **out, const struct http_client_options *o, struct err *err)
{
	struct http_client *c;
	struct strbuf base = STRBUF_INIT;
	int rc;

	CALLOC_ARRAY(c, 1);
	c->o = *o;
	c->trace = (struct http_trace)HTTP_TRACE_INIT;
	c->base = http_url_without_user(o->url);
	strbuf_addstr(&base, c->base);
	strbuf_complete(&base, '/');
	free(c->base);
	c->base = strbuf_detach(&base, NULL);
	c->shown = xstrdup(c->base);
	rc = http_settings_read(&c->set, o, err);
	if (!rc)
		rc = http_setup(c, err);
	if (!rc)
		rc = http_auth_init(c, err);
	if (rc < 0)
		http_client_free(c);
	else
		*out = c;
	return rc;
}

void http_client_free(struct http_client *c)
{
	if (!c)
		return;
	http_auth_release(c);
	curl_easy_cleanup(c->easy);
	curl_multi_cleanup(c->multi);
	curl_share_cleanup(c->share);
	curl_slist_free_all(c->resolve);
	http_trace_release(&c->trace);
	http_settings_release(&c->set);
	free(c->base);
	free(c->shown);
	free(c);
}

size_t http_post_buffer(const struct http_client *c)
{
	return (size_t)c->set.post_buffer;
}

/* ---- files ---- */

struct file {
	int fd;
	uint64_t got, max;
	const char *url;
};

static int write_file(void *data, const void *p, size_t len, struct err *err)
{
	struct file *f = data;
	int rc;

	if (f->max && len > f->max - f->got)
		return err_set(err, ERR_TOO_BIG, "'%s' has more than %" PRIu64 " bytes", f->url, f->max);
	rc = write_in_full(f->fd, p, len, f->url, err);
	if (!rc)
		f->got += len;
	return rc;
}

int http_get_to_fd(struct http_client *c, const char *url, int fd, uint64_t offset, uint64_t max_bytes, uint64_t *got,
		   struct err *err)
{
	char *shown = url_for_display(url), *plain = http_url_without_user(url), *before = c->shown;
	struct file f = { .fd = fd, .max = max_bytes, .url = shown };
	struct http_request rq = { .url = plain, .offset = offset, .sink = write_file, .data = &f };
	struct http_answer a = { 0 };
	int rc;

	c->shown = shown;
	rc = http_perform(c, &rq, &a, err);
	c->shown = before;
	*got = f.got;
	http_answer_release(&a);
	free(shown);
	free(plain);
	return rc;
}

struct text {
	struct strbuf *out;
	size_t before, max;
	const char *url;
};

static int append_text(void *data, const void *p, size_t len, struct err *err)
{
	struct text *t = data;

	if (len > t->max - (t->out->len - t->before))
		return err_set(err, ERR_TOO_BIG, "'%s' has more than %zu bytes", t->url, t->max);
	strbuf_add(t->out, p, len);
	return 0;
}

int http_get_text(struct http_client *c, const char *url, size_t max_bytes, struct strbuf *out, struct err *err)
{
	struct text t = { out, out->len, max_bytes, url };
	struct http_request rq = { .url = url, .compressed = true, .sink = append_text, .data = &t };
	struct http_answer a = { 0 };
	int rc = http_perform(c, &rq, &a, err);

	http_answer_release(&a);
	return rc;
}

uint64_t http_most_bytes(int fd)
{
	struct statvfs fs;
	uint64_t half;

	if (fstatvfs(fd, &fs) < 0)
		return 0;
	half = (uint64_t)fs.f_bavail * fs.f_frsize / 2;
	return half ? half : 1;
}

const char *http_base(const struct http_client *c)
{
	return c->base;
}

bool http_url_is_near(const struct http_client *c, const char *url)
{
	return http_url_same_origin(c->base, url);
}

bool http_follows_everywhere(const struct http_client *c)
{
	return c->set.follow == HTTP_FOLLOW_ALL;
}

/* ---- the advertisement ---- */

struct discovery {
	struct http_client *c;
	struct strbuf *out;
	size_t before;
	char *wanted; /* the content type */
	bool smart, begun;
};

/* "OID TAB NAME": info/refs as it is in a repository. */
static bool is_dumb(const struct discovery *d)
{
	const char *text = d->out->buf + d->before;
	size_t len = d->out->len - d->before, hex = strspn(text, "0123456789abcdef");

	return !len || ((hex == 40 || hex == 64) && text[hex] == '\t');
}

static int take_discovery(void *data, const void *p, size_t len, struct err *err)
{
	struct discovery *d = data;
	const char *type = NULL;
	size_t have = d->out->len - d->before;

	if (!d->begun) {
		curl_easy_getinfo(d->c->easy, CURLINFO_CONTENT_TYPE, &type);
		d->smart = type && !strcasecmp(type, d->wanted);
		d->begun = true;
	}
	if (len > HTTP_ADVERTISEMENT_MAX - have)
		return err_set(err, ERR_TOO_BIG, "the server's advertisement is too large");
	/* A web page, perhaps: keep enough of it to recognise it. */
	if (d->smart || have < NOT_SMART_MAX || is_dumb(d))
		strbuf_add(d->out, p, len);
	return 0;
}

/* GIT_SMART_HTTP=0 asks for the plain file, as clients did that know no service. */
static char *discovery_tail(const struct http_client *c, const char *service)
{
	const char *smart = getenv("GIT_SMART_HTTP");

	if (smart && !config_parse_maybe_bool(smart))
		return xstrdup("info/refs");
	return xstrfmt("info/refs%cservice=%s", strchr(c->base, '?') ? '&' : '?', service);
}

int http_smart_discover(struct http_client *c, const char *service, const char *git_protocol, struct strbuf *out,
			bool *dumb, struct err *err)
{
	struct discovery d = { .c = c, .out = out, .before = out->len,
			       .wanted = xstrfmt("application/x-%s-advertisement", service) };
	char *tail = discovery_tail(c, service);
	char *url = xconcat(c->base, tail);
	struct http_request rq = { .url = url, .tail = tail, .git_protocol = git_protocol, .compressed = true,
				   .initial = true, .sink = take_discovery, .data = &d };
	struct http_answer a = { 0 };
	size_t skip = 0;
	int rc = http_perform(c, &rq, &a, err);
	bool smart = a.type && !strcmp(a.type, d.wanted);

	*dumb = !rc && !smart;
	if (*dumb && !is_dumb(&d))
		rc = err_set(err, ERR_CORRUPT, "%sinfo/refs not valid: is this a git repository?", c->shown);
	else if (!rc && smart)
		rc = http_service_lines(out->buf + d.before, out->len - d.before, service, &skip, err);
	if (!rc)
		strbuf_remove(out, d.before, skip);
	http_answer_release(&a);
	free(d.wanted);
	free(tail);
	free(url);
	return rc;
}

/* ---- requests ---- */

static bool compress_body(const struct http_body *body, struct strbuf *out)
{
	z_stream z = { 0 };
	bool good;

	if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	strbuf_grow(out, deflateBound(&z, body->len));
	z.next_in = (void *)(uintptr_t)body->buf;
	z.avail_in = (uInt)body->len;
	z.next_out = (void *)out->buf;
	z.avail_out = (uInt)strbuf_avail(out);
	good = deflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out < body->len;
	if (good)
		strbuf_setlen(out, z.total_out);
	deflateEnd(&z);
	return good;
}

static int drop_body(void *data UNUSED, const void *p UNUSED, size_t len UNUSED, struct err *err UNUSED)
{
	return 0;
}

/* Streamed bytes cannot be sent again: a request without content gets the credential first. */
static int probe(struct http_client *c, const struct http_request *wanted, struct err *err)
{
	static const struct http_body nothing = { .buf = "0000", .len = 4 };
	struct http_request rq = *wanted;
	struct http_answer a = { 0 };
	int rc;

	rq.body = &nothing;
	rq.sink = drop_body;
	rc = http_perform(c, &rq, &a, err);
	http_answer_release(&a);
	return rc;
}

/* Where a connection or each request is authenticated anew, a 401 can come once more. */
static bool may_be_asked_again(const struct http_client *c)
{
	long offered = 0;

	curl_easy_getinfo(c->easy, CURLINFO_HTTPAUTH_AVAIL, &offered);
	if (c->narrowed)
		offered |= (long)c->methods;
	return (offered & (long)CURLAUTH_GSSNEGOTIATE) || c->auth.credential;
}

int http_smart_post(struct http_client *c, const char *service, const char *git_protocol, const struct http_body *body,
		    http_sink_fn sink, void *data, struct err *err)
{
	char *url = xconcat(c->base, service), *type = xstrfmt("application/x-%s-request", service);
	char *accept = xstrfmt("application/x-%s-result", service);
	struct strbuf small = STRBUF_INIT;
	struct http_body compressed;
	struct http_request rq = { .url = url, .accept = accept, .want_type = accept, .content_type = type,
				   .git_protocol = git_protocol, .compressed = true, .body = body, .sink = sink,
				   .data = data };
	struct http_answer a = { 0 };
	int rc = body->more ? probe(c, &rq, err) : 0;

	rq.expect = body->more && may_be_asked_again(c);
	if (!body->more && !body->packed && body->len > COMPRESS_FROM && body->len < UINT_MAX && compress_body(body, &small)) {
		compressed = (struct http_body){ .buf = small.buf, .len = small.len };
		rq.body = &compressed;
		rq.content_encoding = "gzip";
	}
	if (!rc)
		rc = http_perform(c, &rq, &a, err);
	http_answer_release(&a);
	strbuf_release(&small);
	free(url);
	free(type);
	free(accept);
	return rc;
}
