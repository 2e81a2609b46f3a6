/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <sys/stat.h>
#include "compat/syscalls.h"
#include "transport/http/dav-internal.h"
#include "transport/http/http-internal.h"
#include "transport/url.h"
#include "util/alloc.h"
#include "util/clock.h"

#define LOCK_SECONDS "Second-600"

struct dav_lock {
	char *url, *token;
	uint64_t seconds; /* 0: for ever */
	int64_t taken_ms;
};

/* ---- requests ---- */

static int take_text(void *data, const void *p, size_t len, struct err *err)
{
	struct strbuf *out = data;

	if (len > DAV_ANSWER_MAX - out->len)
		return err_set(err, ERR_TOO_BIG, "the server's answer is too large");
	strbuf_add(out, p, len);
	return 0;
}

/* *out: the body of the answer; NULL: not needed. */
static int request(struct http_client *c, const char *method, const char *url, const struct strvec *headers,
		   const struct http_body *body, const char *type, struct strbuf *out, struct err *err)
{
	const bool takes_back = !strcmp(method, "UNLOCK") || !strcmp(method, "DELETE");
	struct strbuf text = STRBUF_INIT;
	struct http_request rq = { .url = url, .method = method, .headers = headers, .body = body, .content_type = type,
				   .in_any_case = takes_back, .sink = take_text, .data = out ? out : &text };
	struct http_answer a = { 0 };
	int rc = http_perform(c, &rq, &a, err);

	http_answer_release(&a);
	strbuf_release(&text);
	return rc;
}

static void add_lock(struct strvec *headers, const struct dav_lock *lock)
{
	if (lock)
		strvec_pushf(headers, "If: <%s> (<%s>)", lock->url, lock->token);
}

static bool has_class(const char *dav, char class)
{
	for (const char *p = dav; *p; p += strcspn(p, ","), p += *p == ',') {
		p += strspn(p, " \t");
		if (*p == class && (!p[1] || strchr(", \t", p[1])))
			return true;
	}
	return false;
}

int dav_check(struct http_client *c, const char *url, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct http_request rq = { .url = url, .method = "OPTIONS", .want_header = "DAV", .sink = take_text, .data = &text };
	struct http_answer a = { 0 };
	struct err why = ERR_INIT;
	int rc = dav_can_parse(err);

	if (rc < 0)
		return rc;
	rc = http_perform(c, &rq, &a, &why);
	/* The messages for 401 and for a server that cannot be reached are complete. */
	if (rc < 0 && !(a.status >= 400 && a.status != 401))
		err_move(err, &why);
	else if (rc < 0 || !a.header || !has_class(a.header, '1') || !has_class(a.header, '2'))
		rc = err_set(err, ERR_UNSUPPORTED, "no DAV locking support on %s", url);
	err_release(&why);
	http_answer_release(&a);
	strbuf_release(&text);
	return rc;
}

/* ---- folders ---- */

struct listing {
	const char *path; /* of the folder, decoded, with '/' at its end */
	struct string_list *names;
};

/* The path of a href, without "scheme://host" if it has one. */
static const char *path_of(const char *url)
{
	const char *host = strstr(url, "://");

	return host ? host + 3 + strcspn(host + 3, "/") : url;
}

/* Take the entries directly in the folder; skip the folder itself and all other places. */
static int take_listed_entry(void *data, const char *href, bool folder, struct err *err UNUSED)
{
	struct listing *l = data;
	const char *path = path_of(href), *rest;
	char *plain = url_decode(path, strlen(path));
	size_t len;

	if (skip_prefix(plain, l->path, &rest) && *rest) {
		len = strcspn(rest, "/");
		if (!rest[len] || !rest[len + 1]) {
			char *name = xstrfmt("%.*s%s", (int)len, rest, folder ? "/" : "");

			string_list_append(l->names, name);
			free(name);
		}
	}
	free(plain);
	return 0;
}

int dav_list(struct http_client *c, const char *url, struct string_list *names, struct err *err)
{
	static const char text[] = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
				   "<D:propfind xmlns:D=\"DAV:\"><D:prop><D:resourcetype/></D:prop></D:propfind>\n";
	const struct http_body body = { .buf = text, .len = sizeof(text) - 1 };
	struct strvec headers = STRVEC_INIT;
	struct strbuf xml = STRBUF_INIT;
	const char *path = path_of(url);
	char *plain = url_decode(path, strlen(path));
	struct listing l = { plain, names };
	int rc;

	strvec_push(&headers, "Depth: 1");
	rc = request(c, "PROPFIND", url, &headers, &body, "text/xml; charset=\"utf-8\"", &xml, err);
	if (!rc)
		rc = dav_parse_listing(&xml, take_listed_entry, &l, err);
	free(plain);
	strvec_clear(&headers);
	strbuf_release(&xml);
	return rc;
}

int dav_make_folder(struct http_client *c, const char *url, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = request(c, "MKCOL", url, NULL, NULL, NULL, NULL, &why);

	if (rc == ERR_EXISTS)
		rc = 0;
	if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

/* ---- locks ---- */

static int take_lock(struct dav_lock *lock, const struct strbuf *xml, struct err *err)
{
	struct strbuf token = STRBUF_INIT;
	int rc = dav_parse_lock(xml, &token, &lock->seconds, err);

	if (!rc && !lock->token)
		lock->token = strbuf_detach(&token, NULL);
	lock->taken_ms = monotonic_ms();
	strbuf_release(&token);
	return rc;
}

static void free_lock(struct dav_lock *lock)
{
	free(lock->url);
	free(lock->token);
	free(lock);
}

int dav_lock(struct http_client *c, const char *url, struct dav_lock **out, struct err *err)
{
	static const char text[] = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
				   "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope>"
				   "<D:locktype><D:write/></D:locktype><D:owner>git http-push</D:owner></D:lockinfo>\n";
	const struct http_body body = { .buf = text, .len = sizeof(text) - 1 };
	struct strvec headers = STRVEC_INIT;
	struct strbuf xml = STRBUF_INIT;
	struct dav_lock *lock;
	int rc;

	CALLOC_ARRAY(lock, 1);
	lock->url = xstrdup(url);
	strvec_pushl(&headers, "Timeout: " LOCK_SECONDS, "Depth: 0", NULL);
	rc = request(c, "LOCK", url, &headers, &body, "text/xml; charset=\"utf-8\"", &xml, err);
	if (!rc)
		rc = take_lock(lock, &xml, err);
	if (rc < 0)
		free_lock(lock);
	else
		*out = lock;
	strvec_clear(&headers);
	strbuf_release(&xml);
	return rc;
}

int dav_lock_keep(struct http_client *c, struct dav_lock *lock, struct err *err)
{
	struct strvec headers = STRVEC_INIT;
	struct strbuf xml = STRBUF_INIT;
	int rc;

	if (!lock->seconds || (uint64_t)(monotonic_ms() - lock->taken_ms) < lock->seconds * 500)
		return 0;
	strvec_push(&headers, "Timeout: " LOCK_SECONDS);
	add_lock(&headers, lock);
	rc = request(c, "LOCK", lock->url, &headers, NULL, NULL, &xml, err);
	if (!rc)
		rc = take_lock(lock, &xml, err);
	strvec_clear(&headers);
	strbuf_release(&xml);
	return rc;
}

int dav_unlock(struct http_client *c, struct dav_lock *lock, struct err *err)
{
	struct strvec headers = STRVEC_INIT;
	int rc;

	if (!lock)
		return 0;
	strvec_pushf(&headers, "Lock-Token: <%s>", lock->token);
	rc = request(c, "UNLOCK", lock->url, &headers, NULL, NULL, NULL, err);
	strvec_clear(&headers);
	free_lock(lock);
	return rc;
}

/* ---- files ---- */

static int dav_put_body(struct http_client *c, const char *url, const struct http_body *body, const struct dav_lock *lock,
	       struct err *err)
{
	struct strvec headers = STRVEC_INIT;
	int rc;

	add_lock(&headers, lock);
	rc = request(c, "PUT", url, &headers, body, "application/octet-stream", NULL, err);
	strvec_clear(&headers);
	return rc;
}

int dav_put(struct http_client *c, const char *url, const void *p, size_t len, const struct dav_lock *lock, struct err *err)
{
	const struct http_body body = { .buf = p, .len = len, .packed = true };

	return dav_put_body(c, url, &body, lock, err);
}

static int read_more(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	const int *fd = data;
	ssize_t n = RETRY_EINTR(read(*fd, buf, len));

	*got = n > 0 ? (size_t)n : 0;
	return n < 0 ? err_set_errno(err, "cannot read the data to send") : 0;
}

static bool to_beginning(void *data)
{
	const int *fd = data;

	return !lseek(*fd, 0, SEEK_SET);
}

int dav_put_fd(struct http_client *c, const char *url, int fd, struct err *err)
{
	struct http_body body = { .more = read_more, .rewind = to_beginning, .data = &fd, .packed = true };
	struct stat st;

	if (fstat(fd, &st) < 0 || !to_beginning(&fd))
		return err_set_errno(err, "cannot read the data to send");
	body.total = (uint64_t)st.st_size;
	return dav_put_body(c, url, &body, NULL, err);
}

int dav_move(struct http_client *c, const char *from, const char *to, const struct dav_lock *lock, struct err *err)
{
	struct strvec headers = STRVEC_INIT;
	int rc;

	strvec_pushf(&headers, "Destination: %s", to);
	strvec_push(&headers, "Overwrite: T");
	add_lock(&headers, lock);
	rc = request(c, "MOVE", from, &headers, NULL, NULL, NULL, err);
	strvec_clear(&headers);
	return rc;
}

int dav_delete(struct http_client *c, const char *url, const struct dav_lock *lock, struct err *err)
{
	struct strvec headers = STRVEC_INIT;
	int rc;

	add_lock(&headers, lock);
	rc = request(c, "DELETE", url, &headers, NULL, NULL, NULL, err);
	strvec_clear(&headers);
	return rc;
}
