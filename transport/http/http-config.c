/* SPDX-License-Identifier: GPL-2.0-only */
/* http.*, http.<url>.* of git-config(1) for one URL; environment variables count more. */
#include "compat/posix.h"
#include "config/urlmatch.h"
#include "transport/http/http-internal.h"
#include "util/alloc.h"
#include "util/path.h"

#define POST_BUFFER_DEFAULT (1024 * 1024)
#define POST_BUFFER_MIN 65520 /* a packet */
#define MAX_RETRY_TIME_DEFAULT 300

enum kind { TEXT, PATH, BOOL, NUMBER };
struct setting {
	const char *name; /* in lower case */
	const char *env;  /* NULL: none */
	enum kind kind;
	size_t at; /* in struct http_settings */
};
#define AT(field) offsetof(struct http_settings, field)

static const struct setting settings[] = {
	{ "sslcert", "GIT_SSL_CERT", PATH, AT(ssl_cert) },
	{ "sslcerttype", "GIT_SSL_CERT_TYPE", TEXT, AT(ssl_cert_type) },
	{ "sslkey", "GIT_SSL_KEY", PATH, AT(ssl_key) },
	{ "sslkeytype", "GIT_SSL_KEY_TYPE", TEXT, AT(ssl_key_type) },
	{ "sslcainfo", "GIT_SSL_CAINFO", PATH, AT(ssl_ca_info) },
	{ "sslcapath", "GIT_SSL_CAPATH", PATH, AT(ssl_ca_path) },
	{ "sslversion", "GIT_SSL_VERSION", TEXT, AT(ssl_version) },
	{ "sslcipherlist", "GIT_SSL_CIPHER_LIST", TEXT, AT(ssl_ciphers) },
	{ "sslbackend", NULL, TEXT, AT(ssl_backend) },
	{ "pinnedpubkey", NULL, PATH, AT(pinned_key) },
	{ "sslverify", NULL, BOOL, AT(ssl_verify) },
	{ "sslcertpasswordprotected", "GIT_SSL_CERT_PASSWORD_PROTECTED", BOOL, AT(cert_password) },
	{ "proxy", NULL, TEXT, AT(proxy) },
	{ "proxyauthmethod", NULL, TEXT, AT(proxy_auth_method) },
	{ "proxysslcert", "GIT_PROXY_SSL_CERT", PATH, AT(proxy_cert) },
	{ "proxysslkey", "GIT_PROXY_SSL_KEY", PATH, AT(proxy_key) },
	{ "proxysslcainfo", "GIT_PROXY_SSL_CAINFO", PATH, AT(proxy_ca_info) },
	{ "proxysslcertpasswordprotected", "GIT_PROXY_SSL_CERT_PASSWORD_PROTECTED", BOOL,
	  AT(proxy_cert_password) },
	{ "cookiefile", NULL, PATH, AT(cookie_file) },
	{ "savecookies", NULL, BOOL, AT(save_cookies) },
	{ "useragent", "GIT_HTTP_USER_AGENT", TEXT, AT(user_agent) },
	{ "version", NULL, TEXT, AT(version) },
	{ "delegation", NULL, TEXT, AT(delegation) },
	{ "emptyauth", NULL, TEXT, AT(empty_auth_word) },
	{ "proactiveauth", NULL, TEXT, AT(proactive_auth) },
	{ "followredirects", NULL, TEXT, AT(follow_word) },
	{ "lowspeedlimit", "GIT_HTTP_LOW_SPEED_LIMIT", NUMBER, AT(low_speed_limit) },
	{ "lowspeedtime", "GIT_HTTP_LOW_SPEED_TIME", NUMBER, AT(low_speed_time) },
	{ "keepaliveidle", "GIT_HTTP_KEEPALIVE_IDLE", NUMBER, AT(keep_idle) },
	{ "keepaliveinterval", "GIT_HTTP_KEEPALIVE_INTERVAL", NUMBER, AT(keep_interval) },
	{ "keepalivecount", "GIT_HTTP_KEEPALIVE_COUNT", NUMBER, AT(keep_count) },
	{ "maxrequests", "GIT_HTTP_MAX_REQUESTS", NUMBER, AT(max_requests) },
	{ "maxretries", "GIT_HTTP_MAX_RETRIES", NUMBER, AT(max_retries) },
	{ "retryafter", "GIT_HTTP_RETRY_AFTER", NUMBER, AT(retry_after) },
	{ "maxretrytime", "GIT_HTTP_MAX_RETRY_TIME", NUMBER, AT(max_retry_time) },
	{ "postbuffer", NULL, NUMBER, AT(post_buffer) },
};

/* ---- one value ---- */

static void set_config_text(struct http_settings *s, const struct setting *k, char *value)
{
	char **to = (char **)((char *)s + k->at);

	free(*to);
	*to = value;
}

static int take_config_entry(struct http_settings *s, const struct setting *k, const struct config_entry *e, struct err *err)
{
	int64_t number;
	char *path;
	int rc = 0;

	if (k->kind == BOOL)
		return config_entry_bool(e, (bool *)((char *)s + k->at), err);
	if (k->kind == NUMBER) {
		rc = config_entry_int64(e, LONG_MIN, LONG_MAX, &number, err);
		if (!rc)
			*(long *)((char *)s + k->at) = (long)number;
		return rc;
	}
	/* "true" may be written without "=". */
	if (!e->value && k->at != AT(follow_word) && k->at != AT(empty_auth_word))
		return config_entry_bad(e, err, "missing value");
	/* A pinned key may also be its hash. */
	if (k->kind == PATH && *e->value && !starts_with(e->value, "sha256//")) {
		rc = config_entry_path(e, &path, err);
		if (!rc)
			set_config_text(s, k, path);
		return rc < 0 ? rc : 0;
	}
	set_config_text(s, k, xstrdup(e->value ? e->value : "true"));
	return 0;
}

static int take_env(struct http_settings *s, const struct setting *k, const char *value, struct err *err)
{
	int64_t number;
	int truth;

	switch (k->kind) {
	case BOOL:
		truth = config_parse_maybe_bool(value);
		if (truth < 0)
			return err_set(err, ERR_INVALID, "bad boolean environment value '%s' for '%s'", value, k->env);
		*(bool *)((char *)s + k->at) = truth;
		return 0;
	case NUMBER:
		if (config_parse_int64(value, &number, NULL) < 0)
			return err_set(err, ERR_INVALID, "bad numeric environment value '%s' for '%s'", value, k->env);
		*(long *)((char *)s + k->at) = (long)number;
		return 0;
	default:
		set_config_text(s, k, xstrdup(value));
		return 0;
	}
}

/* ---- all ---- */

static int take_config(struct http_settings *s, const struct http_client_options *o, struct err *err)
{
	struct url_config_result *found = NULL;
	size_t nr = 0;
	int rc = url_config_match(o->config, "http", NULL, o->url, &found, &nr, err);

	for (size_t i = 0; !rc && i < nr; i++)
		for (size_t k = 0; !rc && k < ARRAY_SIZE(settings); k++)
			if (!strcmp(found[i].key + strlen("http."), settings[k].name))
				rc = take_config_entry(s, &settings[k], found[i].entry, err);
	url_config_result_free(found, nr);
	for (size_t k = 0; !rc && k < ARRAY_SIZE(settings); k++)
		if (settings[k].env && getenv(settings[k].env))
			rc = take_env(s, &settings[k], getenv(settings[k].env), err);
	return rc;
}

/* An empty value forgets those before it. */
static int take_list(struct strvec *out, const struct http_client_options *o, const char *name, struct err *err)
{
	const struct config_entry **found = NULL;
	size_t nr = 0;
	int rc = url_config_match_all(o->config, "http", name, o->url, &found, &nr, err);

	for (size_t i = 0; !rc && i < nr; i++) {
		if (!found[i]->value)
			rc = config_entry_bad(found[i], err, "missing value");
		else if (!*found[i]->value)
			strvec_clear(out);
		else if (strpbrk(found[i]->value, "\r\n"))
			rc = config_entry_bad(found[i], err, "it has a line end");
		else
			strvec_push(out, found[i]->value);
	}
	free(found);
	return rc;
}

static int take_remote(struct http_settings *s, const struct http_client_options *o, struct err *err)
{
	static const struct {
		const char *name;
		size_t at;
	} keys[] = { { "proxy", AT(proxy) }, { "proxyauthmethod", AT(proxy_auth_method) } };
	const char *value, *env = getenv("GIT_HTTP_PROXY_AUTHMETHOD");
	int rc = 0;

	for (size_t i = 0; rc >= 0 && o->remote_name && i < ARRAY_SIZE(keys); i++) {
		char *key = xstrfmt("remote.%s.%s", o->remote_name, keys[i].name);
		char **to = (char **)((char *)s + keys[i].at);

		rc = config_get_string(o->config, key, &value, err);
		if (rc > 0) {
			free(*to);
			*to = xstrdup(value);
		}
		free(key);
	}
	if (env) {
		free(s->proxy_auth_method);
		s->proxy_auth_method = xstrdup(env);
	}
	return rc < 0 ? rc : 0;
}

static int understand(struct http_settings *s, struct err *err)
{
	int truth = s->follow_word ? config_parse_maybe_bool(s->follow_word) : -1;

	s->follow = HTTP_FOLLOW_INITIAL;
	if (truth >= 0)
		s->follow = truth ? HTTP_FOLLOW_ALL : HTTP_FOLLOW_NONE;
	else if (s->follow_word && strcmp(s->follow_word, "initial"))
		return err_set(err, ERR_INVALID, "bad boolean config value '%s' for 'http.followredirects'",
			       s->follow_word);
	truth = s->empty_auth_word ? config_parse_maybe_bool(s->empty_auth_word) : -1;
	s->empty_auth = HTTP_EMPTY_AUTH_AUTO;
	if (truth >= 0)
		s->empty_auth = truth ? HTTP_EMPTY_AUTH_ON : HTTP_EMPTY_AUTH_OFF;
	else if (s->empty_auth_word && strcmp(s->empty_auth_word, "auto"))
		return err_set(err, ERR_INVALID, "bad boolean config value '%s' for 'http.emptyauth'",
			       s->empty_auth_word);
	if (s->no_verify)
		s->ssl_verify = false;
	if (s->post_buffer < POST_BUFFER_MIN)
		s->post_buffer = POST_BUFFER_MIN;
	return 0;
}

int http_settings_read(struct http_settings *s, const struct http_client_options *o, struct err *err)
{
	int rc;

	*s = (struct http_settings){
		.ssl_verify = true, .low_speed_limit = -1, .low_speed_time = -1, .keep_idle = -1, .keep_interval = -1,
		.keep_count = -1, .max_requests = -1, .max_retry_time = MAX_RETRY_TIME_DEFAULT,
		.post_buffer = POST_BUFFER_DEFAULT, .no_verify = getenv("GIT_SSL_NO_VERIFY") != NULL,
	};
	strvec_init(&s->headers);
	strvec_init(&s->resolve);
	rc = take_config(s, o, err);
	if (!rc)
		rc = take_list(&s->headers, o, "extraheader", err);
	if (!rc)
		rc = take_list(&s->resolve, o, "curloptresolve", err);
	if (!rc)
		rc = take_remote(s, o, err);
	return rc ? rc : understand(s, err);
}

void http_settings_release(struct http_settings *s)
{
	for (size_t k = 0; k < ARRAY_SIZE(settings); k++)
		if (settings[k].kind == TEXT || settings[k].kind == PATH)
			set_config_text(s, &settings[k], NULL);
	strvec_clear(&s->headers);
	strvec_clear(&s->resolve);
}
