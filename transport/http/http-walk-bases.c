/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The places of objects: the repository itself, and its alternates. The server names alternates in objects/info/http-alternates,
 * for clients such as this one, or in objects/info/alternates, by paths on its disk. A relative path is resolved against the URL;
 * an absolute one is taken as a path of the server's URLs. Another host is used only if http.followRedirects is true.
 */
#include "compat/posix.h"
#include "transport/download.h"
#include "transport/http/http-walk-internal.h"
#include "transport/url.h"
#include "util/alloc.h"

#define BASES_MAX 64
#define DEPTH_MAX 5
#define ALTERNATES_BYTES_MAX ((size_t)64 * 1024)

static void free_base(struct walk_base *b)
{
	for (size_t i = 0; i < b->nr_packs; i++) {
		free(b->packs[i].name);
		mapped_file_release(&b->packs[i].idx);
	}
	free(b->packs);
	if (b->own_client)
		http_client_free(b->client);
	free(b->url);
	free(b);
}

void walk_free_bases(struct http_walk *w)
{
	for (size_t i = 0; i < w->nr_bases; i++)
		free_base(w->bases[i]);
	free(w->bases);
}

/* Takes the URL. Another host gets a client of its own, so that it does not get the credentials of the first one. */
static int add_base(struct http_walk *w, char *url, unsigned depth, struct err *err)
{
	struct walk_base *b;
	int rc = 0;

	CALLOC_ARRAY(b, 1);
	b->url = url;
	b->depth = depth;
	b->client = w->o->client;
	if (!http_url_is_near(w->o->client, url)) {
		b->client = NULL;
		rc = w->o->open(w->o->data, url, &b->client, err);
		b->own_client = true;
	}
	if (rc < 0) {
		free_base(b);
		return rc;
	}
	ALLOC_GROW(w->bases, w->nr_bases + 1, w->alloc_bases);
	w->bases[w->nr_bases++] = b;
	return 0;
}

int walk_add_first_base(struct http_walk *w, struct err *err)
{
	return add_base(w, xstrfmt("%sobjects/", http_base(w->o->client)), 0, err);
}

static bool knows_base(const struct http_walk *w, const char *url)
{
	for (size_t i = 0; i < w->nr_bases; i++)
		if (!strcmp(w->bases[i]->url, url))
			return true;
	return false;
}

static int is_allowed(const struct http_walk *w, const char *url, struct err *err)
{
	bool tls = starts_with(url, "https://");

	if (!tls && !starts_with(url, "http://"))
		return err_set(err, ERR_INVALID, "alternate '%s' is left out: it is neither http nor https", url);
	if (!http_url_is_near(w->o->client, url) && !http_follows_everywhere(w->o->client))
		return err_set(err, ERR_INVALID, "alternate disabled by http.followRedirects: %s", url);
	return transport_check_allowed(w->r->config, tls ? "https" : "http", 0, err);
}

static int add_alternate(struct http_walk *w, const struct walk_base *from, const char *line, struct err *err)
{
	char *plain = uri_resolve(from->url, true, line);
	struct strbuf url = STRBUF_INIT;
	struct err why = ERR_INIT;
	int rc = 0;

	strbuf_addstr(&url, plain);
	strbuf_complete(&url, '/');
	free(plain);
	if (is_allowed(w, url.buf, &why) < 0)
		w->o->warn(w->o->data, err_message(&why));
	else if (!knows_base(w, url.buf) && w->nr_bases < BASES_MAX) {
		walk_say(w, "Also look at %s", url.buf);
		rc = add_base(w, xstrdup(url.buf), from->depth + 1, err);
	}
	err_release(&why);
	strbuf_release(&url);
	return rc;
}

/* Also what a terminal may be shown. */
static bool is_usable(const char *line)
{
	const char *c = line;

	while ((unsigned char)*c > ' ' && *c != 127)
		c++;
	return *line && *line != '#' && !*c;
}

static int add_alternate_lines(struct http_walk *w, const struct walk_base *from, char *text, struct err *err)
{
	int rc = 0;

	for (char *line = text, *end; !rc && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (is_usable(line))
			rc = add_alternate(w, from, line, err);
	}
	return rc;
}

int walk_add_alternates(struct http_walk *w, size_t i, struct err *err)
{
	struct walk_base *b = w->bases[i];
	struct strbuf text = STRBUF_INIT;
	int rc;

	if (b->alternates_known || b->depth >= DEPTH_MAX)
		return 0;
	b->alternates_known = true;
	rc = walk_get_text(b, "info/http-alternates", ALTERNATES_BYTES_MAX, &text, err);
	if (!rc)
		rc = walk_get_text(b, "info/alternates", ALTERNATES_BYTES_MAX, &text, err);
	if (rc > 0)
		rc = add_alternate_lines(w, b, text.buf, err);
	strbuf_release(&text);
	return rc;
}
