/* SPDX-License-Identifier: GPL-2.0-only */
/* A credential in memory: init, parse of a URL, release. */
#include "compat/posix.h"
#include "hash/hash.h"
#include "credential/credential-internal.h"
#include "credential/secret.h"
#include "util/alloc.h"

void credential_init(struct credential *c)
{
	*c = (struct credential){ .password_expiry = TIME_MAX };
	strvec_init(&c->wwwauth);
	strvec_init(&c->state);
	strvec_init(&c->helpers);
}

/* State can be a secret too. */
void credential_clear_list(struct strvec *list)
{
	for (size_t i = 0; i < list->nr; i++)
		secret_wipe((char *)list->v[i], strlen(list->v[i]));
	strvec_clear(list);
}

void credential_release(struct credential *c)
{
	char **const texts[] = { &c->protocol, &c->host, &c->path, &c->username, &c->password, &c->authtype,
		&c->credential, &c->oauth_refresh_token, &c->default_username };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		secret_free(texts[i]);
	credential_clear_list(&c->wwwauth);
	credential_clear_list(&c->state);
	strvec_clear(&c->helpers);
	credential_init(c);
}

bool credential_is_complete(const struct credential *c)
{
	return (c->username && c->password) || (c->authtype && c->credential);
}

static bool credential_value_fits(const char *wanted, const char *kept)
{
	return !wanted || (kept && !strcmp(wanted, kept));
}

bool credential_matches(const struct credential *wanted, const struct credential *kept, bool with_secret)
{
	return credential_value_fits(wanted->protocol, kept->protocol) && credential_value_fits(wanted->host, kept->host) &&
	       credential_value_fits(wanted->path, kept->path) && credential_value_fits(wanted->username, kept->username) &&
	       (!with_secret || (credential_value_fits(wanted->password, kept->password) &&
				 credential_value_fits(wanted->credential, kept->credential)));
}

void credential_drop_expired(struct credential *c)
{
	if (c->password_expiry >= date_now(NULL))
		return;
	secret_free(&c->password);
	c->password_expiry = TIME_MAX;
}

/* ---- of a URL ---- */

/* Decode %XX. A malformed escape stays as it is, and so does %00, because no string can hold a NUL. */
static void set_decoded(char **out, const char *s, size_t len)
{
	char *text = xmalloc(st_add(len, 1));
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int high = -1, low = -1;

		if (s[i] == '%' && i + 2 < len) {
			high = hex_value((unsigned char)s[i + 1]);
			low = hex_value((unsigned char)s[i + 2]);
		}
		if (high >= 0 && low >= 0 && (high || low)) {
			text[n++] = (char)(high * 16 + low);
			i += 2;
		} else {
			text[n++] = s[i];
		}
	}
	text[n] = '\0';
	secret_free(out);
	*out = text;
}

/* "user:password@host" */
static void split_authority(struct credential *c, const char *s, size_t len)
{
	const char *at = memchr(s, '@', len), *colon;

	if (at) {
		colon = memchr(s, ':', at - s);
		set_decoded(&c->username, s, (colon ? colon : at) - s);
		if (colon)
			set_decoded(&c->password, colon + 1, at - colon - 1);
		len -= at + 1 - s;
		s = at + 1;
	}
	set_decoded(&c->host, s, len);
}

static void split_path(struct credential *c, const char *path)
{
	size_t len;

	while (*path == '/')
		path++;
	len = strlen(path);
	while (len && path[len - 1] == '/')
		len--;
	if (len)
		set_decoded(&c->path, path, len);
}

/* It would end the line in which a helper gets it. */
static int check_newlines(const struct credential *c, const char *url, struct err *err)
{
	const struct {
		const char *name, *value;
	} parts[] = {
		{ "username", c->username }, { "password", c->password }, { "protocol", c->protocol },
		{ "host", c->host }, { "path", c->path },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].value && strchr(parts[i].value, '\n'))
			return err_set(err, ERR_INVALID, "url contains a newline in its %s component: %s",
				       parts[i].name, url);
	return 0;
}

int credential_from_url(struct credential *c, const char *url, struct err *err)
{
	const char *separator = strstr(url, "://"), *authority;
	void (*warn)(void *, const char *) = c->warn;
	void *warn_data = c->warn_data;
	size_t len;
	int rc;

	credential_release(c);
	c->warn = warn;
	c->warn_data = warn_data;
	if (!separator || separator == url)
		return err_set(err, ERR_INVALID, "url has no scheme: %s", url);
	authority = separator + 3;
	len = strcspn(authority, "/?#");
	c->protocol = xmemdupz(url, separator - url);
	split_authority(c, authority, len);
	split_path(c, authority + len);
	rc = check_newlines(c, url, err);
	if (rc < 0)
		credential_release(c);
	return rc;
}

/* ---- for people ---- */

/* Append s. Escape all characters except letters, digits and `plain`, so that URLs and terminals take it. */
static void add_encoded(struct strbuf *out, const char *s, const char *plain)
{
	for (; *s; s++) {
		if (isalnum((unsigned char)*s) || strchr(plain, *s))
			strbuf_addch(out, *s);
		else
			strbuf_addf(out, "%%%02X", (unsigned char)*s);
	}
}

static void add_part(const struct credential *c, struct strbuf *out, const char *s, const char *plain)
{
	if (c->raw_prompt)
		strbuf_addstr(out, s);
	else
		add_encoded(out, s, plain);
}

void credential_describe(const struct credential *c, struct strbuf *out)
{
	if (!c->protocol)
		return;
	add_part(c, out, c->protocol, "-._~+");
	strbuf_addstr(out, "://");
	if (c->username && *c->username) {
		add_part(c, out, c->username, "-._~");
		strbuf_addch(out, '@');
	}
	if (c->host)
		add_part(c, out, c->host, "-._~:[]");
	if (c->path) {
		strbuf_addch(out, '/');
		add_part(c, out, c->path, "-._~/");
	}
}
