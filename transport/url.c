/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "hash/hash.h"
#include "transport/url.h"
#include "util/alloc.h"

void remote_url_release(struct remote_url *u)
{
	free(u->scheme);
	free(u->user_host);
	free(u->host_port);
	free(u->port);
	free(u->path);
	free(u->address);
	*u = (struct remote_url)REMOTE_URL_INIT;
}

/* ---- what kind of text it is ---- */

/* Letters of a scheme, or of the name of a helper. */
static size_t scheme_length(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || (text[len] && strchr("+-.", text[len])))
		len++;
	return len;
}

bool url_has_scheme(const char *text)
{
	size_t len = scheme_length(text);

	return len && starts_with(text + len, "://");
}

/* "helper::address": the length of the helper's name; -1: it is none. */
static ssize_t helper_length(const char *text)
{
	size_t len = scheme_length(text);

	return starts_with(text + len, "::") ? (ssize_t)len : -1;
}

bool url_is_local_path(const char *text)
{
	const char *colon = strchr(text, ':'), *slash = strchr(text, '/');

	return !colon || (slash && slash < colon);
}

/* ---- parts ---- */

/* Decode %XX. %00 and malformed escapes stay as they are, because no string can hold a NUL. */
char *url_decode(const char *s, size_t len)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < len; i++) {
		int high = -1, low = -1;

		if (s[i] == '%' && i + 2 < len) {
			high = hex_value(s[i + 1]);
			low = hex_value(s[i + 2]);
		}
		if (high >= 0 && low >= 0 && (high || low)) {
			strbuf_addch(&out, high * 16 + low);
			i += 2;
		} else {
			strbuf_addch(&out, s[i]);
		}
	}
	return strbuf_detach(&out, NULL);
}

/* The colon of ":PORT" at the end of s[0..len), PORT a number that can be one; NULL. */
static const char *find_port(const char *s, size_t len)
{
	const char *colon = memchr(s, ':', len);
	unsigned long n = 0;

	if (!colon || colon + 1 == s + len)
		return NULL;
	for (const char *p = colon + 1; p < s + len; p++) {
		if (!isdigit((unsigned char)*p) || n > 65535)
			return NULL;
		n = n * 10 + (*p - '0');
	}
	return n && n <= 65535 ? colon : NULL;
}

/*
 * "me@host:22", "me@[::1]:22", "[me@::1]", "[me@host:22]": brackets go, a user before them stays, a port is cut
 * off.
 */
static void split_host(struct remote_url *u, const char *text)
{
	const char *open = strchr(text, '['), *at = strchr(text, '@'), *close = NULL, *colon;
	size_t user = 0, len;

	if (open && (open == text || (at && open == at + 1)))
		close = strchr(open, ']');
	if (close) {
		user = open - text;
		text = xstrfmt("%.*s", (int)user, text);
		u->user_host = xstrfmt("%s%.*s", text, (int)(close - open - 1), open + 1);
		free((char *)text);
		text = close + 1;
		if (*text == ':' && find_port(text, strlen(text)))
			u->port = xstrdup(text + 1);
	} else {
		u->user_host = xstrdup(text);
		len = strlen(text);
		if (len && text[len - 1] == ':')
			u->user_host[len - 1] = '\0';
	}
	colon = u->port ? NULL : find_port(u->user_host, strlen(u->user_host));
	if (colon) {
		u->port = xstrdup(colon + 1);
		u->user_host[colon - u->user_host] = '\0';
	}
}

/* The other side expands "~user"; "/~user" is the only way that a URL has to say it. */
static void set_path(struct remote_url *u, char *path)
{
	bool is_home = u->kind != URL_LOCAL && path[0] == '/' && path[1] == '~';

	u->path = xstrdup(path + is_home);
	free(path);
}

static int no_path(struct err *err)
{
	return err_set(err, ERR_INVALID, "no path specified; see 'git help pull' for valid url syntax");
}

/* ---- each form ---- */

static int parse_url(struct remote_url *u, const char *text, struct err *err)
{
	static const struct {
		const char *scheme;
		enum url_kind kind;
		const char *is;
	} known[] = {
		{ "ssh", URL_SSH, "ssh" }, { "git+ssh", URL_SSH, "ssh" }, { "ssh+git", URL_SSH, "ssh" },
		{ "git", URL_GIT, "git" }, { "file", URL_LOCAL, "file" },
	};
	size_t len = scheme_length(text);
	const char *host = text + len + 3, *slash = strchr(host, '/');

	u->kind = URL_HELPER;
	u->scheme = xstrndup(text, len);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(u->scheme, known[i].scheme)) {
			u->kind = known[i].kind;
			free(u->scheme);
			u->scheme = xstrdup(known[i].is);
			break;
		}
	if (u->kind == URL_HELPER) {
		u->address = xstrdup(text);
		return 0;
	}
	if (!slash)
		return no_path(err);
	u->host_port = url_decode(host, slash - host);
	if (u->kind != URL_LOCAL)
		split_host(u, u->host_port);
	set_path(u, url_decode(slash, strlen(slash)));
	return 0;
}

/* "host:path": the first colon parts them; one in brackets does not. */
static int parse_short(struct remote_url *u, const char *text)
{
	const char *open = strchr(text, '['), *colon = strchr(text, ':'), *close = NULL;
	char *host;

	u->kind = URL_SSH;
	u->scheme = xstrdup("ssh");
	if (open && open < colon)
		close = strchr(open, ']');
	if (close && close[1] == ':')
		colon = close + 1;
	host = xstrndup(text, colon - text);
	if (close && close + 1 == colon) {
		split_host(u, host);
	} else {
		u->user_host = xstrdup(host);
	}
	free(host);
	set_path(u, xstrdup(colon + 1));
	return 0;
}

int remote_url_parse(struct remote_url *out, const char *text, struct err *err)
{
	struct remote_url u = REMOTE_URL_INIT;
	ssize_t helper = helper_length(text);
	int rc = 0;

	if (helper >= 0) {
		u.kind = URL_HELPER;
		u.scheme = xstrndup(text, helper);
		u.address = xstrdup(text + helper + 2);
	} else if (url_has_scheme(text)) {
		rc = parse_url(&u, text, err);
	} else if (url_is_local_path(text)) {
		u.scheme = xstrdup("file");
		u.host_port = xstrdup("");
		u.path = xstrdup(text);
		u.plain_path = true;
	} else {
		rc = parse_short(&u, text);
	}
	if (rc)
		remote_url_release(&u);
	else
		*out = u;
	return rc;
}

int remote_url_check(const struct remote_url *u, struct err *err)
{
	if (u->kind == URL_HELPER)
		return 0;
	if (u->user_host && *u->user_host == '-')
		return err_set(err, ERR_INVALID, "strange hostname '%s' blocked", u->user_host);
	if (u->kind != URL_LOCAL && *u->path == '-')
		return err_set(err, ERR_INVALID, "strange pathname '%s' blocked", u->path);
	if (u->kind == URL_GIT && (strchr(u->host_port, '\n') || strchr(u->path, '\n')))
		return err_set(err, ERR_INVALID, "newline is forbidden in git:// hosts and repo paths");
	return 0;
}

/* ---- secrets ---- */

/* "//user:password@" of a URL; false: there is none. */
static bool find_userinfo(const char *text, const char **begin, const char **end)
{
	const char *host, *slash;

	if (!url_has_scheme(text))
		return false;
	host = strstr(text, "://") + 3;
	slash = host + strcspn(host, "/?#");
	*begin = host;
	*end = memrchr(host, '@', slash - host);
	return *end != NULL;
}

char *url_for_display(const char *text)
{
	const char *begin, *end;

	if (!find_userinfo(text, &begin, &end))
		return xstrdup(text);
	return xstrfmt("%.*s%s", (int)(begin - text), text, end + 1);
}

enum credentials_policy { CREDENTIALS_ALLOW, CREDENTIALS_WARN, CREDENTIALS_DIE };

static int read_credentials_policy(const struct config_set *c, enum credentials_policy *out, struct err *err)
{
	static const char *const words[] = { "allow", "warn", "die" };
	const char *how = "allow";
	int rc = config_get_string(c, "transfer.credentialsinurl", &how, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(how, words[i])) {
			*out = (enum credentials_policy)i;
			return 0;
		}
	return err_set(err, ERR_INVALID, "unrecognized value transfer.credentialsInUrl: '%s'", how);
}

int url_check_credentials(const struct config_set *c, const char *text, char **warning, struct err *err)
{
	enum credentials_policy policy = CREDENTIALS_ALLOW;
	const char *begin, *end, *colon;
	char *message;
	int rc = read_credentials_policy(c, &policy, err);

	if (rc < 0 || policy == CREDENTIALS_ALLOW)
		return rc;
	colon = find_userinfo(text, &begin, &end) ? memchr(begin, ':', end - begin) : NULL;
	if (!colon)
		return 0;
	message = xstrfmt("URL '%.*s:<redacted>%s' uses plaintext credentials", (int)(colon - text), text, end);
	if (policy == CREDENTIALS_WARN) {
		*warning = message;
		return 0;
	}
	rc = err_set(err, ERR_INVALID, "%s", message);
	free(message);
	return rc;
}

/* ---- what may be used ---- */

static bool is_in_list(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (;; list++) {
		size_t part = strcspn(list, ":");

		if (part == len && !memcmp(list, word, len))
			return true;
		list += part;
		if (!*list)
			return false;
	}
}

/* The default of protocol.<name>.allow (git-config(1)). An ext:// URL is a command to run, so it is never allowed. */
static const char *default_policy(const char *scheme)
{
	if (!strcmp(scheme, "http") || !strcmp(scheme, "https") || !strcmp(scheme, "git") ||
	    !strcmp(scheme, "ssh"))
		return "always";
	return strcmp(scheme, "ext") ? "user" : "never";
}

static int allowed_by_user(int from_user)
{
	const char *env = getenv("GIT_PROTOCOL_FROM_USER");

	if (from_user >= 0)
		return from_user;
	return !env || config_parse_maybe_bool(env) != 0;
}

int transport_check_allowed(const struct config_set *c, const char *scheme, int from_user, struct err *err)
{
	const char *list = getenv("GIT_ALLOW_PROTOCOL"), *policy = NULL;
	char *key = xstrfmt("protocol.%s.allow", scheme);
	const char *named = key;
	bool allowed = false;
	int rc = 0;

	if (list) {
		allowed = is_in_list(list, scheme);
	} else {
		rc = config_get_string(c, key, &policy, err);
		if (!rc) {
			named = "protocol.allow";
			rc = config_get_string(c, named, &policy, err);
		}
		if (!rc)
			policy = default_policy(scheme);
		if (rc >= 0 && !strcasecmp(policy, "always"))
			allowed = true;
		else if (rc >= 0 && !strcasecmp(policy, "user"))
			allowed = allowed_by_user(from_user);
		else if (rc >= 0 && strcasecmp(policy, "never"))
			rc = err_set(err, ERR_INVALID, "unknown value for config '%s': %s", named, policy);
	}
	free(key);
	if (rc < 0)
		return rc;
	return allowed ? 0 : err_set(err, ERR_ABORTED, "transport '%s' not allowed", scheme);
}
