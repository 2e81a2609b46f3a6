/* SPDX-License-Identifier: GPL-2.0-only */
/* Headers of a request. */
#include "compat/posix.h"
#include "transport/http/http-internal.h"
#include "util/alloc.h"

static struct curl_slist *append_header_line(struct curl_slist *list, const char *fmt, const char *value)
{
	char *line = xstrfmt(fmt, value);
	struct curl_slist *longer = curl_slist_append(list, line);

	free(line);
	if (!longer)
		out_of_memory();
	return longer;
}

/* A token can be in a header of any name. */
static struct curl_slist *private_headers(const struct http_client *c)
{
	char *authorization = http_auth_header(c);
	struct curl_slist *list = NULL;

	for (size_t i = 0; i < c->set.headers.nr && !c->moved; i++)
		list = append_header_line(list, "%s", c->set.headers.v[i]);
	if (authorization)
		list = append_header_line(list, "%s", authorization);
	free(authorization);
	return list;
}

static struct curl_slist *own_headers(const struct http_request *rq)
{
	char *language = http_accept_language();
	struct curl_slist *list = NULL;

	list = append_header_line(list, "Pragma: %s", rq->body ? "" : "no-cache");
	if (rq->accept)
		list = append_header_line(list, "Accept: %s", rq->accept);
	if (rq->content_type)
		list = append_header_line(list, "Content-Type: %s", rq->content_type);
	if (rq->content_encoding)
		list = append_header_line(list, "Content-Encoding: %s", rq->content_encoding);
	if (rq->git_protocol)
		list = append_header_line(list, "Git-Protocol: %s", rq->git_protocol);
	if (language)
		list = append_header_line(list, "Accept-Language: %s", language);
	if (rq->body)
		list = append_header_line(list, "Expect:%s", rq->expect ? " 100-continue" : "");
	if (rq->body && rq->body->more && !rq->body->total)
		list = append_header_line(list, "Transfer-Encoding: %s", "chunked");
	for (size_t i = 0; rq->headers && i < rq->headers->nr; i++)
		list = append_header_line(list, "%s", rq->headers->v[i]);
	free(language);
	return list;
}

void http_headers_make(struct http_headers *h, const struct http_client *c, const struct http_request *rq)
{
	h->all = own_headers(rq);
	h->private = private_headers(c);
	h->last_own = h->all;
	while (h->last_own->next)
		h->last_own = h->last_own->next;
	h->last_own->next = h->private;
}

void http_headers_withhold(struct http_headers *h)
{
	h->last_own->next = NULL;
}

void http_headers_release(struct http_headers *h)
{
	if (h->last_own)
		h->last_own->next = NULL;
	curl_slist_free_all(h->all);
	curl_slist_free_all(h->private);
	memset(h, 0, sizeof(*h));
}

/* ---- Accept-Language ---- */

#define LANGUAGES_MAX 1000
#define HEADER_MAX 4000

/* The words of LANGUAGE (a list with ':'), or of the locale. NULL: none is asked for. */
static const char *preferred_languages(void)
{
	static const char *const names[] = { "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return i && (!strcmp(value, "C") || !strcmp(value, "POSIX") || starts_with(value, "C.")) ?
				NULL : value;
	}
	return NULL;
}

/* "de_DE.UTF-8@euro" is de-DE. False: it is no name of a language. */
static bool add_tag(struct strbuf *out, const char *word, size_t len)
{
	size_t n = 0;

	while (n < len && word[n] != '.' && word[n] != '@') {
		if (!isalnum((unsigned char)word[n]) && word[n] != '_' && word[n] != '-')
			return false;
		n++;
	}
	for (size_t i = 0; i < n; i++)
		strbuf_addch(out, word[i] == '_' ? '-' : word[i]);
	return n > 0;
}

static size_t count_words(const char *at)
{
	size_t nr = 0;

	for (; *at; at += *at == ':') {
		nr += *at != ':';
		at += strcspn(at, ":");
	}
	return nr;
}

/* Each is wanted a little less than the one before it; any other one least. */
char *http_accept_language(void)
{
	const char *at = preferred_languages();
	struct strbuf out = STRBUF_INIT;
	size_t nr = 0, all = at ? count_words(at) : 0, scale = 10;
	int places = 1;

	for (; all + 1 >= scale && places < 3; scale *= 10)
		places++;
	for (; at && *at && nr < LANGUAGES_MAX && nr + 1 < scale; at += *at == ':') {
		size_t len = strcspn(at, ":"), before = out.len;

		strbuf_addstr(&out, nr ? ", " : "");
		if (!add_tag(&out, at, len) || out.len > HEADER_MAX) {
			strbuf_setlen(&out, before);
		} else {
			if (nr)
				strbuf_addf(&out, ";q=0.%0*zu", places, scale - nr);
			nr++;
		}
		at += len;
	}
	if (nr)
		strbuf_addf(&out, ", *;q=0.%0*zu", places, nr < scale ? scale - nr : 1);
	if (!nr) {
		strbuf_release(&out);
		return NULL;
	}
	return strbuf_detach(&out, NULL);
}
