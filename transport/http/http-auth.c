/* SPDX-License-Identifier: GPL-2.0-only */
/* Credentials for servers and proxies: from the URL, from credential helpers, from the user (gitcredentials(7)). */
#include "compat/posix.h"
#include "transport/http/http-internal.h"
#include "credential/secret.h"
#include "util/alloc.h"

/* Methods that need no username: Negotiate and NTLM can use the user's login. */
#define AUTH_WITHOUT_NAME (CURLAUTH_GSSNEGOTIATE | CURLAUTH_NTLM)

static void init_credential(struct http_client *c, struct credential *cred)
{
	credential_init(cred);
	cred->warn = c->o.warn;
	cred->warn_data = c->o.data;
}

static bool has_name(const struct http_client *c)
{
	return c->auth.username && *c->auth.username;
}

static int take_credential_of_url(struct http_client *c, const char *url, struct err *err)
{
	int rc = credential_from_url(&c->auth, url, err);

	if (!has_name(c) && !c->auth.password) /* "http://@host" has an empty user */
		secret_set(&c->auth.username, NULL);
	c->auth.capa_authtype.caller = c->auth.capa_state.caller = true;
	c->auth_filled = false;
	return rc;
}

/* ---- at the beginning ---- */

static int fill_cert(struct http_client *c, struct credential *cred, const char *path, bool wanted, CURLoption option,
		     struct err *err)
{
	int rc;

	init_credential(c, cred);
	if (!path || !wanted)
		return 0;
	secret_set(&cred->protocol, "cert");
	secret_set(&cred->host, "");
	secret_set(&cred->path, path);
	secret_set(&cred->username, "");
	rc = credential_fill(cred, c->o.config, err);
	if (!rc)
		curl_easy_setopt(c->easy, option, cred->password);
	return rc;
}

/* What curl(1) looks at; the setting counts more. */
static const char *proxy_of_environment(const char *url)
{
	static const char *const https[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" };
	static const char *const http[] = { "http_proxy", "all_proxy", "ALL_PROXY" };
	bool tls = starts_with(url, "https:");

	for (size_t i = 0; i < (tls ? ARRAY_SIZE(https) : ARRAY_SIZE(http)); i++) {
		const char *value = getenv(tls ? https[i] : http[i]);

		if (value && *value)
			return value;
	}
	return NULL;
}

static void choose_proxy_method(struct http_client *c)
{
	static const struct {
		const char *name;
		unsigned long method;
	} methods[] = {
		{ "basic", CURLAUTH_BASIC }, { "digest", CURLAUTH_DIGEST }, { "negotiate", CURLAUTH_GSSNEGOTIATE },
		{ "ntlm", CURLAUTH_NTLM }, { "anyauth", CURLAUTH_ANY },
	};
	const char *name = c->set.proxy_auth_method;
	unsigned long method = CURLAUTH_ANY;
	size_t i = 0;

	while (name && i < ARRAY_SIZE(methods) && strcmp(methods[i].name, name))
		i++;
	if (name && i < ARRAY_SIZE(methods)) {
		method = methods[i].method;
	} else if (name && c->o.warn) {
		char *text = xstrfmt("unsupported proxy authentication method %s: using anyauth", name);

		c->o.warn(c->o.data, text);
		free(text);
	}
	curl_easy_setopt(c->easy, CURLOPT_PROXYAUTH, method);
}

static int init_proxy(struct http_client *c, struct err *err)
{
	const char *proxy = c->set.proxy ? c->set.proxy : proxy_of_environment(c->base);
	char *url, *plain;
	int rc;

	init_credential(c, &c->proxy_auth);
	if (c->set.proxy && !*c->set.proxy)
		curl_easy_setopt(c->easy, CURLOPT_PROXY, ""); /* none, whatever the environment says */
	choose_proxy_method(c);
	if (!proxy || !*proxy)
		return 0;
	url = strstr(proxy, "://") ? xstrdup(proxy) : xconcat("http://", proxy);
	rc = credential_from_url(&c->proxy_auth, url, err);
	if (!rc && !c->proxy_auth.host)
		rc = err_set(err, ERR_INVALID, "Invalid proxy URL '%s'", url);
	if (!rc && c->proxy_auth.username) {
		if (!c->proxy_auth.password) {
			rc = credential_fill(&c->proxy_auth, c->o.config, err);
			c->proxy_filled = !rc;
		}
		if (!rc) {
			curl_easy_setopt(c->easy, CURLOPT_PROXYUSERNAME, c->proxy_auth.username);
			curl_easy_setopt(c->easy, CURLOPT_PROXYPASSWORD, c->proxy_auth.password);
		}
	}
	plain = http_url_without_user(url);
	if (!rc && (c->set.proxy || c->proxy_auth.username))
		curl_easy_setopt(c->easy, CURLOPT_PROXY, plain);
	free(url);
	free(plain);
	return rc;
}

/* http.proactiveAuth: authenticate before the server asks for it. */
static int init_proactive(struct http_client *c, struct err *err)
{
	const char *kind = c->set.proactive_auth;
	int rc;

	/* A name in the URL needs its password before the first request, then. */
	if (c->set.empty_auth == HTTP_EMPTY_AUTH_ON && has_name(c) && !c->auth.password)
		kind = "auto";
	else if (!kind || !strcmp(kind, "none") || c->set.empty_auth == HTTP_EMPTY_AUTH_ON)
		return 0;
	if (strcmp(kind, "auto") && strcmp(kind, "basic"))
		return err_set(err, ERR_INVALID, "Unknown value for http.proactiveauth: '%s'", kind);
	if (!strcmp(kind, "basic")) { /* as if the server had asked for it */
		strvec_push(&c->auth.wwwauth, "Basic");
		c->methods = CURLAUTH_BASIC;
	}
	rc = credential_fill(&c->auth, c->o.config, err);
	c->auth_filled = !rc;
	if (!rc && !c->auth.credential)
		c->methods = CURLAUTH_BASIC;
	return rc;
}

int http_auth_init(struct http_client *c, struct err *err)
{
	int rc;

	init_credential(c, &c->auth);
	c->methods = CURLAUTH_ANY;
	rc = take_credential_of_url(c, c->o.url, err);
	if (!rc)
		rc = init_proxy(c, err);
	if (!rc)
		rc = fill_cert(c, &c->cert_auth, c->set.ssl_cert, c->set.cert_password, CURLOPT_KEYPASSWD, err);
	if (!rc)
		rc = fill_cert(c, &c->proxy_cert_auth, c->set.proxy_cert, c->set.proxy_cert_password,
			       CURLOPT_PROXY_KEYPASSWD, err);
	return rc ? rc : init_proactive(c, err);
}

void http_auth_release(struct http_client *c)
{
	credential_release(&c->auth);
	credential_release(&c->proxy_auth);
	credential_release(&c->cert_auth);
	credential_release(&c->proxy_cert_auth);
}

/* ---- for each request ---- */

static bool sends_empty(const struct http_client *c)
{
	if (has_name(c))
		return false;
	if (c->set.empty_auth == HTTP_EMPTY_AUTH_AUTO)
		return c->narrowed && (c->methods & AUTH_WITHOUT_NAME);
	return c->set.empty_auth == HTTP_EMPTY_AUTH_ON;
}

/*
 * http://TOKEN@host: with the name in its URL, libcurl answers a 401 with that name, and with the password that ~/.netrc
 * has for it, or an empty one. As an option of its own, the name would hide ~/.netrc.
 */
static void set_url_with_name(struct http_client *c, const char *url)
{
	CURLU *parts = curl_url();
	char *named = NULL;

	if (!parts || curl_url_set(parts, CURLUPART_URL, url, 0) ||
	    curl_url_set(parts, CURLUPART_USER, c->auth.username, CURLU_URLENCODE) ||
	    curl_url_get(parts, CURLUPART_URL, &named, 0))
		named = NULL;
	curl_easy_setopt(c->easy, CURLOPT_URL, named ? named : url);
	curl_free(named);
	curl_url_cleanup(parts);
}

void http_auth_apply(struct http_client *c, const char *url)
{
	const struct credential *a = &c->auth;
	bool named = !a->credential && a->username && a->password;
	bool empty = !a->credential && !named && sends_empty(c);

	c->auth_sent = a->credential || named;
	c->empty_sent = empty;
	if (!c->auth_sent && has_name(c) && !http_url_leads_away(c->base, url))
		set_url_with_name(c, url);
	else
		curl_easy_setopt(c->easy, CURLOPT_URL, url);
	curl_easy_setopt(c->easy, CURLOPT_USERNAME, named ? a->username : empty ? "" : NULL);
	curl_easy_setopt(c->easy, CURLOPT_PASSWORD, named ? a->password : empty ? "" : NULL);
	curl_easy_setopt(c->easy, CURLOPT_HTTPAUTH, a->credential || !c->methods ? CURLAUTH_ANY : c->methods);
}

char *http_auth_header(const struct http_client *c)
{
	if (!c->auth.credential || !c->auth.authtype)
		return NULL;
	return xstrfmt("Authorization: %s %s", c->auth.authtype, c->auth.credential);
}

/* ---- afterwards ---- */

static int fill(struct http_client *c, struct err *err)
{
	int rc = credential_fill(&c->auth, c->o.config, err);

	c->auth_filled = !rc;
	return rc ? rc : 1;
}

int http_auth_again(struct http_client *c, const struct http_exchange *x, struct err *err)
{
	long offered = 0;
	int rc;

	curl_easy_getinfo(c->easy, CURLINFO_HTTPAUTH_AVAIL, &offered);
	strvec_clear(&c->auth.wwwauth);
	strvec_pushv(&c->auth.wwwauth, x->challenges.values.v);
	if (c->auth_sent && c->auth.credential && c->auth.multistage)
		return fill(c, err);
	if (c->auth_sent) {
		rc = credential_reject(&c->auth, c->o.config, err);
		return rc < 0 ? rc : 0;
	}
	c->methods &= offered;
	c->narrowed = true;
	if (c->empty_sent)
		c->methods &= ~AUTH_WITHOUT_NAME;
	else if (sends_empty(c))
		return 1;
	return fill(c, err);
}

int http_auth_good(struct http_client *c, struct err *err)
{
	int rc = 0;

	if (c->auth_sent && c->auth_filled)
		rc = credential_approve(&c->auth, c->o.config, err);
	if (!rc && c->proxy_filled)
		rc = credential_approve(&c->proxy_auth, c->o.config, err);
	if (!rc && c->cert_auth.password)
		rc = credential_approve(&c->cert_auth, c->o.config, err);
	if (!rc && c->proxy_cert_auth.password)
		rc = credential_approve(&c->proxy_cert_auth, c->o.config, err);
	return rc;
}

int http_proxy_auth_bad(struct http_client *c, struct err *err)
{
	return c->proxy_filled ? credential_reject(&c->proxy_auth, c->o.config, err) : 0;
}

int http_cert_bad(struct http_client *c, struct err *err)
{
	return c->cert_auth.password ? credential_reject(&c->cert_auth, c->o.config, err) : 0;
}

int http_auth_forget(struct http_client *c, struct err *err)
{
	credential_release(&c->auth);
	init_credential(c, &c->auth);
	c->methods = CURLAUTH_ANY;
	c->narrowed = c->auth_sent = c->empty_sent = false;
	return take_credential_of_url(c, c->base, err);
}
