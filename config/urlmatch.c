/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "config/config-internal.h"
#include "config/urlmatch.h"
#include "hash/hash.h"
#include "util/alloc.h"

/* ---- parsing and normalizing ---- */

struct url_parts {
	char *scheme; /* lower case */
	char *user;   /* NULL if none; a password is dropped */
	char *host;   /* lower case; a pattern may have "*" as a label */
	char *port;   /* NULL if it is the scheme's own */
	char *path;   /* begins with '/' */
};

static void url_parts_release(struct url_parts *u)
{
	FREE_AND_NULL(u->scheme);
	FREE_AND_NULL(u->user);
	FREE_AND_NULL(u->host);
	FREE_AND_NULL(u->port);
	FREE_AND_NULL(u->path);
}


static bool is_unreserved(int c)
{
	return config_is_name_char(c) || c == '.' || c == '_' || c == '~';
}

/*
 * Unescape characters that need no escape, escape the others, and write escapes with
 * capital digits. False: malformed escape.
 */
static bool normalize_escapes(struct strbuf *out, const char *s, size_t len, const char *plain)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		bool escaped = c == '%';

		if (escaped) {
			int high = i + 2 < len ? hex_value((unsigned char)s[i + 1]) : -1;
			int low = i + 2 < len ? hex_value((unsigned char)s[i + 2]) : -1;

			if (high < 0 || low < 0)
				return false;
			c = (unsigned char)(high << 4 | low);
			i += 2;
		}
		if (is_unreserved(c) || (!escaped && strchr(plain, c) && c))
			strbuf_addch(out, c);
		else
			strbuf_addf(out, "%%%02X", c);
	}
	return true;
}

static char *normalize(const char *s, size_t len, const char *plain, bool fold)
{
	struct strbuf sb = STRBUF_INIT;

	if (!normalize_escapes(&sb, s, len, plain)) {
		strbuf_release(&sb);
		return NULL;
	}
	if (fold)
		strbuf_tolower(&sb);
	return strbuf_detach(&sb, NULL);
}

/* "/a/./b/../c" to "/a/c"; NULL if ".." leads above the root. */
static char *normalize_path(const char *s, size_t len)
{
	char *path = normalize(s, len, "/!$&'()*+,;=:@", false), *p;
	struct strbuf out = STRBUF_INIT;

	for (p = path; p && *p;) {
		size_t n = strcspn(p, "/");

		if (n == 2 && !strncmp(p, "..", 2)) {
			if (out.len <= 1) {
				FREE_AND_NULL(path);
				break;
			}
			strbuf_setlen(&out, out.len - 1);
			while (out.len && out.buf[out.len - 1] != '/')
				strbuf_setlen(&out, out.len - 1);
		} else if (n != 1 || *p != '.') {
			strbuf_add(&out, p, n + (p[n] == '/'));
		}
		p += n + (p[n] == '/');
	}
	if (!path) {
		strbuf_release(&out);
		return NULL;
	}
	free(path);
	if (!out.len)
		strbuf_addch(&out, '/');
	return strbuf_detach(&out, NULL);
}

static const char *default_port(const char *scheme)
{
	static const char *const ports[][2] = {
		{ "http", "80" }, { "https", "443" }, { "ssh", "22" }, { "git", "9418" },
		{ "ftp", "21" }, { "ftps", "990" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ports); i++)
		if (!strcmp(ports[i][0], scheme))
			return ports[i][1];
	return "";
}

static int bad_url(struct url_parts *u, struct err *err, const char *why)
{
	url_parts_release(u);
	return err_set(err, ERR_INVALID, "%s", why);
}

/* "user:password@host:port" */
static int parse_authority(struct url_parts *u, const char *s, size_t len, struct err *err)
{
	const char *at = memrchr(s, '@', len), *colon, *host = at ? at + 1 : s;
	size_t host_len = len - (host - s), user_len;

	if (at) {
		colon = memchr(s, ':', at - s);
		user_len = (colon ? colon : at) - s;
		u->user = normalize(s, user_len, "!$&'()*+,;=", false);
		if (!u->user)
			return bad_url(u, err, "invalid %XX escape sequence");
	}
	colon = host_len && host[0] == '[' ? memchr(host, ']', host_len) : host;
	if (!colon)
		return bad_url(u, err, "invalid host in URL");
	colon = memrchr(colon, ':', host_len - (colon - host));
	if (colon) {
		const char *port = colon + 1;
		size_t port_len = host_len - (port - host);

		while (port_len > 1 && *port == '0') {
			port++;
			port_len--;
		}
		if (strspn(port, "0123456789") < port_len || port_len > 5)
			return bad_url(u, err, "invalid port number");
		u->port = port_len ? xmemdupz(port, port_len) : NULL;
		if (u->port && !strcmp(u->port, default_port(u->scheme)))
			FREE_AND_NULL(u->port);
		host_len = colon - host;
	}
	u->host = normalize(host, host_len, "[]:*!$&'()+,;=", true);
	if (!u->host)
		return bad_url(u, err, "invalid %XX escape sequence");
	if (!*u->host && strcmp(u->scheme, "file"))
		return bad_url(u, err, "missing host and scheme is not 'file:'");
	return 0;
}

/* Normalizes escapes, dots, case and the default port. ERR_INVALID with the reason. */
static int url_parse(struct url_parts *out, const char *url, struct err *err)
{
	struct url_parts u = { 0 };
	const char *sep = strstr(url, "://"), *rest;
	size_t scheme_len = 0, len;

	while (config_is_name_char((unsigned char)url[scheme_len]) || url[scheme_len] == '+' ||
	       url[scheme_len] == '.')
		scheme_len++;
	if (!sep || url + scheme_len != sep || !config_is_alpha((unsigned char)*url))
		return bad_url(&u, err, "invalid URL scheme name or missing '://' suffix");
	u.scheme = normalize(url, scheme_len, "+", true);
	rest = sep + 3;
	len = strcspn(rest, "/?#");
	if (parse_authority(&u, rest, len, err) < 0)
		return ERR_INVALID;
	rest += len;
	u.path = normalize_path(rest, strcspn(rest, "?#"));
	if (!u.path)
		return bad_url(&u, err, "invalid '..' path segment or %XX escape sequence");
	*out = u;
	return 0;
}

/* ---- matching ---- */

/* How specific a match is: larger is better, earlier fields decide first. */
struct match_rank {
	size_t host_len, path_len;
	bool user;
};

/* Compare label by label; "*" matches exactly one label. */
static bool host_matches(const char *pattern, const char *host)
{
	for (;;) {
		size_t p = strcspn(pattern, "."), h = strcspn(host, ".");

		if (!(p == 1 && *pattern == '*' && h) && (p != h || strncmp(pattern, host, p)))
			return false;
		if (!pattern[p] || !host[h])
			return !pattern[p] && !host[h];
		pattern += p + 1;
		host += h + 1;
	}
}

static bool path_matches(const char *prefix, const char *path, size_t *len)
{
	size_t n = strlen(prefix);

	while (n && prefix[n - 1] == '/')
		n--;
	*len = n + 1;
	return !strncmp(prefix, path, n) && (!path[n] || path[n] == '/');
}

static bool same_or_null(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool url_matches(const struct url_parts *pattern, const struct url_parts *url,
			struct match_rank *rank)
{
	if (strcmp(pattern->scheme, url->scheme) || !same_or_null(pattern->port, url->port) ||
	    !host_matches(pattern->host, url->host) ||
	    !path_matches(pattern->path, url->path, &rank->path_len))
		return false;
	if (pattern->user && !same_or_null(pattern->user, url->user))
		return false;
	rank->user = pattern->user != NULL;
	rank->host_len = strlen(pattern->host);
	return true;
}

/* If ranks are equal, the later entry wins. */
static bool ranks_at_least(const struct match_rank *a, const struct match_rank *b)
{
	if (a->host_len != b->host_len)
		return a->host_len > b->host_len;
	if (a->path_len != b->path_len)
		return a->path_len > b->path_len;
	return a->user >= b->user;
}

bool url_config_pattern_matches(const char *pattern_text, const char *url_text)
{
	struct url_parts pattern = { 0 }, url = { 0 };
	struct match_rank rank;
	bool fits = !url_parse(&pattern, pattern_text, NULL) && !url_parse(&url, url_text, NULL) &&
		    url_matches(&pattern, &url, &rank);

	url_parts_release(&pattern);
	url_parts_release(&url);
	return fits;
}

/* Does the URL in the entry's key match, or has it none? */
static bool entry_matches(const struct config_entry *e, const char *section, const struct url_parts *url,
			  struct match_rank *rank)
{
	const char *name = strrchr(e->key, '.') + 1, *sub = e->key + strlen(section) + 1;
	struct url_parts pattern;
	char *text;
	bool fits;

	*rank = (struct match_rank){ 0, 0, false };
	if (sub >= name)
		return true;
	text = xmemdupz(sub, name - 1 - sub);
	fits = !url_parse(&pattern, text, NULL);
	free(text);
	if (!fits)
		return false;
	fits = url_matches(&pattern, url, rank);
	url_parts_release(&pattern);
	return fits;
}

/* ---- the best for each variable ---- */

struct best {
	struct match_rank rank;
	const struct config_entry *entry;
};

static void consider(struct strmap *found, const struct config_entry *e, const char *section,
		     const char *variable, const struct url_parts *url)
{
	const char *name = strrchr(e->key, '.') + 1;
	struct match_rank rank;
	struct best *b;

	if (variable && strcasecmp(name, variable))
		return;
	if (!entry_matches(e, section, url, &rank))
		return;
	b = strmap_get(found, name);
	if (!b) {
		b = xcalloc(1, sizeof(*b));
		strmap_put(found, name, b);
	} else if (!ranks_at_least(&rank, &b->rank)) {
		return;
	}
	b->rank = rank;
	b->entry = e;
}

int url_config_match(const struct config_set *c, const char *section, const char *variable,
		     const char *url_text, struct url_config_result **out, size_t *nr,
		     struct err *err)
{
	struct strmap found = STRMAP_INIT;
	struct strmap_entry **sorted;
	struct strbuf prefix = STRBUF_INIT;
	struct url_parts url;
	int rc = url_parse(&url, url_text, err);

	if (rc < 0)
		return rc;
	strbuf_addf(&prefix, "%s.", section);
	strbuf_tolower(&prefix);
	for (size_t i = 0; i < config_nr(c); i++)
		if (starts_with(config_at(c, i)->key, prefix.buf))
			consider(&found, config_at(c, i), section, variable, &url);

	*nr = found.nr;
	CALLOC_ARRAY(*out, found.nr + 1);
	sorted = strmap_sorted(&found);
	for (size_t i = 0; i < found.nr; i++) {
		(*out)[i].entry = ((struct best *)sorted[i]->value)->entry;
		(*out)[i].key = xstrfmt("%s%s", prefix.buf, sorted[i]->key);
	}
	free(sorted);
	strmap_clear(&found, free);
	strbuf_release(&prefix);
	url_parts_release(&url);
	return 0;
}

int url_config_match_all(const struct config_set *c, const char *section, const char *variable,
			 const char *url_text, const struct config_entry ***out, size_t *nr, struct err *err)
{
	struct match_rank rank, best = { 0, 0, false };
	char *prefix = xstrfmt("%s.", section);
	struct url_parts url;
	int rc = url_parse(&url, url_text, err);

	*nr = 0;
	if (!rc)
		CALLOC_ARRAY(*out, config_nr(c) + 1);
	for (size_t i = 0; !rc && i < config_nr(c); i++) {
		const struct config_entry *e = config_at(c, i);

		if (!starts_with(e->key, prefix) || strcmp(strrchr(e->key, '.') + 1, variable) ||
		    !entry_matches(e, section, &url, &rank) || !ranks_at_least(&rank, &best))
			continue;
		best = rank;
		(*out)[(*nr)++] = e;
	}
	if (!rc)
		url_parts_release(&url);
	free(prefix);
	return rc;
}

void url_config_result_free(struct url_config_result *r, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(r[i].key);
	free(r);
}
