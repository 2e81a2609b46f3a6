/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of blobs that trees refer to as .gitmodules or .gitattributes. */
#include "compat/posix.h"
#include "config/config.h"
#include "object/dotfile.h"
#include "object/fsck-internal.h"
#include "util/alloc.h"

/* Limits of gitattributes(5) files. */
#define ATTRIBUTES_MAX_BYTES ((size_t)100 * 1024 * 1024)
#define ATTRIBUTES_MAX_LINE 2048

/* ---- .gitmodules ---- */

/* An LF, plain or as %0a, could inject lines into the protocol of credential helpers. */
static bool has_newline(const char *url)
{
	for (; *url; url++)
		if (*url == '\n' || (url[0] == '%' && url[1] == '0' && (url[2] | 32) == 'a'))
			return true;
	return false;
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

static bool starts_with_dot(const char *url)
{
	return url[0] == '.' && is_separator(url[1]);
}

static bool starts_with_dotdot(const char *url)
{
	return url[0] == '.' && url[1] == '.' && is_separator(url[2]);
}

/* "../" followed by what would become the host of the resolved URL: "../:x", "..//x". */
static bool climbs_into_host(const char *url)
{
	bool climbed = false;

	for (;;) {
		if (starts_with_dotdot(url)) {
			climbed = true;
			url += 3;
		} else if (starts_with_dot(url)) {
			url += 2;
		} else {
			return climbed && (*url == ':' || *url == '/');
		}
	}
}

/* Is it for libcurl? *rest is what follows "http::", or the URL itself. */
static bool is_curl_url(const char *url, const char **rest)
{
	static const char *const schemes[] = { "http", "https", "ftp", "ftps" };

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		const char *after;

		if (!skip_prefix(url, schemes[i], &after))
			continue;
		*rest = starts_with(after, "::") ? after + 2 : url;
		if (*rest != url || starts_with(after, "://"))
			return true;
	}
	return false;
}

/* "scheme://[user[:password]@]host" with a non-empty host. */
static bool has_host(const char *url)
{
	const char *p = strstr(url, "://"), *at;
	size_t len;

	if (!p || p == url)
		return false;
	p += 3;
	len = strcspn(p, "/?#");
	at = memchr(p, '@', len);
	if (at) {
		len -= (size_t)(at + 1 - p);
		p = at + 1;
	}
	return len > 0;
}

static bool is_module_url(const char *url)
{
	const char *rest;

	if (*url == '-')
		return false;
	if (starts_with_dot(url) || starts_with_dotdot(url))
		return !has_newline(url) && !climbs_into_host(url);
	if (starts_with(url, "git://"))
		return !has_newline(url);
	if (is_curl_url(url, &rest))
		return !has_newline(rest) && has_host(rest);
	return true;
}

static int check_setting(struct fsck_item *it, const char *name, const char *key,
			 const char *value)
{
	int failures = 0;

	if (!submodule_name_is_safe(name))
		failures += fsck_found(it, MSG_GITMODULES_NAME,
				       "disallowed submodule name: %s", name) != 0;
	if (!value)
		return failures;
	if (!strcmp(key, "url") && !is_module_url(value))
		failures += fsck_found(it, MSG_GITMODULES_URL,
				       "disallowed submodule url: %s", value) != 0;
	if (!strcmp(key, "path") && *value == '-')
		failures += fsck_found(it, MSG_GITMODULES_PATH,
				       "disallowed submodule path: %s", value) != 0;
	if (!strcmp(key, "update") && *value == '!')
		failures += fsck_found(it, MSG_GITMODULES_UPDATE,
				       "disallowed submodule update setting: %s", value) != 0;
	return failures;
}

/* "submodule.NAME.key" */
static int check_entry(struct fsck_item *it, const struct config_entry *e)
{
	const char *name, *dot;
	char *copy;
	int failures;

	if (!skip_prefix(e->key, "submodule.", &name))
		return 0;
	dot = strrchr(name, '.');
	if (!dot)
		return 0;
	copy = xmemdupz(name, (size_t)(dot - name));
	failures = check_setting(it, copy, dot + 1, e->value);
	free(copy);
	return failures;
}

static int check_gitmodules(struct fsck_item *it, const char *buf, size_t size)
{
	struct config_set *set;
	int failures = 0, rc;

	if (!buf)
		return fsck_found(it, MSG_GITMODULES_LARGE, ".gitmodules too large to parse") != 0;
	set = config_set_new();
	rc = config_set_read_buf(set, buf, size, ".gitmodules", CONFIG_ORIGIN_BLOB,
				 CONFIG_SCOPE_UNKNOWN, NULL, NULL);
	for (size_t i = 0; i < config_nr(set); i++)
		failures += check_entry(it, config_at(set, i));
	config_set_free(set);
	if (rc < 0)
		failures += fsck_found(it, MSG_GITMODULES_PARSE,
				       "could not parse gitmodules blob") != 0;
	return failures;
}

/* ---- .gitattributes ---- */

static int check_gitattributes(struct fsck_item *it, const char *buf, size_t size)
{
	const char *p = buf, *end;

	if (!buf || size > ATTRIBUTES_MAX_BYTES)
		return fsck_found(it, MSG_GITATTRIBUTES_LARGE,
				  ".gitattributes too large to parse") != 0;
	end = buf + size;
	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((lf ? lf : end) - p);

		if (len >= ATTRIBUTES_MAX_LINE)
			return fsck_found(it, MSG_GITATTRIBUTES_LINE_LENGTH,
					  ".gitattributes has too long lines to parse") != 0;
		p += len + 1;
	}
	return 0;
}

int fsck_blob(struct fsck_item *it, const char *buf, size_t size)
{
	struct fsck_options *o = it->o;
	int failures = 0;

	if (oidset_contains(&o->gitmodules.found, it->oid) &&
	    oidset_insert(&o->gitmodules.done, it->oid))
		failures += check_gitmodules(it, buf, size);
	if (oidset_contains(&o->gitattributes.found, it->oid) &&
	    oidset_insert(&o->gitattributes.done, it->oid))
		failures += check_gitattributes(it, buf, size);
	return failures;
}
