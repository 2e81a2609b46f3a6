/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings that all requests of a client have, as libcurl takes them. */
#include "compat/posix.h"
#include "transport/http/http-internal.h"
#include "transport/url.h"
#include "util/alloc.h"
#include "wire/version.h"

#define RECEIVE_BUFFER (256L * 1024)
#define REDIRECTS_MAX 20L

struct word {
	const char *name;
	long value;
};

/* -1: not among them. */
static long find_word(const struct word *words, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(words[i].name, name))
			return words[i].value;
	return -1;
}

static void warn(const struct http_client *c, const char *fmt, const char *value)
{
	char *text = xstrfmt(fmt, value);

	if (c->o.warn)
		c->o.warn(c->o.data, text);
	free(text);
}

static void set_curl_text(CURL *easy, CURLoption option, const char *value)
{
	if (value)
		curl_easy_setopt(easy, option, value);
}

/* ---- TLS ---- */

static void set_ssl_version(struct http_client *c)
{
	static const struct word versions[] = {
		{ "sslv2", CURL_SSLVERSION_SSLv2 }, { "sslv3", CURL_SSLVERSION_SSLv3 },
		{ "tlsv1", CURL_SSLVERSION_TLSv1 }, { "tlsv1.0", CURL_SSLVERSION_TLSv1_0 },
		{ "tlsv1.1", CURL_SSLVERSION_TLSv1_1 }, { "tlsv1.2", CURL_SSLVERSION_TLSv1_2 },
		{ "tlsv1.3", CURL_SSLVERSION_TLSv1_3 },
	};
	const char *name = c->set.ssl_version;
	long version = name && *name ? find_word(versions, ARRAY_SIZE(versions), name) : 0;

	if (version < 0)
		warn(c, "unsupported ssl version %s: using default", name);
	else if (version)
		curl_easy_setopt(c->easy, CURLOPT_SSLVERSION, version);
}

static int set_ssl(struct http_client *c, struct err *err)
{
	const struct http_settings *s = &c->set;

	curl_easy_setopt(c->easy, CURLOPT_SSL_VERIFYPEER, s->ssl_verify ? 1L : 0L);
	curl_easy_setopt(c->easy, CURLOPT_SSL_VERIFYHOST, s->ssl_verify ? 2L : 0L);
	set_ssl_version(c);
	if (s->ssl_ciphers && *s->ssl_ciphers)
		curl_easy_setopt(c->easy, CURLOPT_SSL_CIPHER_LIST, s->ssl_ciphers);
	set_curl_text(c->easy, CURLOPT_SSLCERT, s->ssl_cert);
	set_curl_text(c->easy, CURLOPT_SSLCERTTYPE, s->ssl_cert_type);
	set_curl_text(c->easy, CURLOPT_SSLKEY, s->ssl_key);
	set_curl_text(c->easy, CURLOPT_SSLKEYTYPE, s->ssl_key_type);
	set_curl_text(c->easy, CURLOPT_CAPATH, s->ssl_ca_path);
	set_curl_text(c->easy, CURLOPT_CAINFO, s->ssl_ca_info);
	set_curl_text(c->easy, CURLOPT_PROXY_CAINFO, s->proxy_ca_info ? s->proxy_ca_info : s->ssl_ca_info);
	set_curl_text(c->easy, CURLOPT_PROXY_SSLCERT, s->proxy_cert);
	set_curl_text(c->easy, CURLOPT_PROXY_SSLKEY, s->proxy_key);
	if (s->pinned_key && curl_easy_setopt(c->easy, CURLOPT_PINNEDPUBLICKEY, s->pinned_key) != CURLE_OK)
		return err_set(err, ERR_UNSUPPORTED, "Public key pinning not supported with cURL");
	return 0;
}

/* Before anything else of libcurl. */
static int set_backend(const char *name, struct err *err)
{
	const curl_ssl_backend **known;
	struct strbuf all = STRBUF_INIT;
	int rc = 0;

	if (!name)
		return 0;
	switch (curl_global_sslset(-1, name, &known)) {
	case CURLSSLSET_UNKNOWN_BACKEND:
		for (size_t i = 0; known[i]; i++)
			strbuf_addf(&all, "\n\t%s", known[i]->name);
		rc = err_set(err, ERR_INVALID, "Unsupported SSL backend '%s'. Supported SSL backends:%s", name, all.buf);
		break;
	case CURLSSLSET_NO_BACKENDS:
		rc = err_set(err, ERR_UNSUPPORTED, "Could not set SSL backend to '%s': cURL was built without SSL "
			     "backends", name);
		break;
	case CURLSSLSET_TOO_LATE:
		rc = err_set(err, ERR_UNSUPPORTED, "Could not set SSL backend to '%s': already set", name);
		break;
	default:
		break;
	}
	strbuf_release(&all);
	return rc;
}

/* ---- connections ---- */

static void set_speed(struct http_client *c)
{
	const struct http_settings *s = &c->set;

	if (s->low_speed_limit > 0 && s->low_speed_time > 0) {
		curl_easy_setopt(c->easy, CURLOPT_LOW_SPEED_LIMIT, s->low_speed_limit);
		curl_easy_setopt(c->easy, CURLOPT_LOW_SPEED_TIME, s->low_speed_time);
	}
	curl_easy_setopt(c->easy, CURLOPT_TCP_KEEPALIVE, 1L);
	if (s->keep_idle > 0)
		curl_easy_setopt(c->easy, CURLOPT_TCP_KEEPIDLE, s->keep_idle);
	if (s->keep_interval > 0)
		curl_easy_setopt(c->easy, CURLOPT_TCP_KEEPINTVL, s->keep_interval);
#if LIBCURL_VERSION_NUM >= 0x080900
	if (s->keep_count > 0)
		curl_easy_setopt(c->easy, CURLOPT_TCP_KEEPCNT, s->keep_count);
#endif
	if (c->o.ipv4 || c->o.ipv6)
		curl_easy_setopt(c->easy, CURLOPT_IPRESOLVE,
				 c->o.ipv4 ? (long)CURL_IPRESOLVE_V4 : (long)CURL_IPRESOLVE_V6);
}

static void set_version(struct http_client *c)
{
	static const struct word versions[] = { { "HTTP/1.1", CURL_HTTP_VERSION_1_1 },
						{ "HTTP/2", CURL_HTTP_VERSION_2 } };
	long version = c->set.version ? find_word(versions, ARRAY_SIZE(versions), c->set.version) : 0;

	if (version < 0)
		warn(c, "unknown value given to http.version: '%s'", c->set.version);
	else if (version)
		curl_easy_setopt(c->easy, CURLOPT_HTTP_VERSION, version);
}

static void set_delegation(struct http_client *c)
{
	static const struct word levels[] = {
		{ "none", CURLGSSAPI_DELEGATION_NONE }, { "policy", CURLGSSAPI_DELEGATION_POLICY_FLAG },
		{ "always", CURLGSSAPI_DELEGATION_FLAG },
	};
	long level = c->set.delegation ? find_word(levels, ARRAY_SIZE(levels), c->set.delegation) : 0;

	if (level < 0)
		warn(c, "Unknown delegation method '%s': using default", c->set.delegation);
	else if (level)
		curl_easy_setopt(c->easy, CURLOPT_GSSAPI_DELEGATION, level);
}

static void set_resolve(struct http_client *c)
{
	for (size_t i = 0; i < c->set.resolve.nr; i++) {
		struct curl_slist *longer = curl_slist_append(c->resolve, c->set.resolve.v[i]);

		if (!longer)
			out_of_memory();
		c->resolve = longer;
	}
	if (c->resolve)
		curl_easy_setopt(c->easy, CURLOPT_RESOLVE, c->resolve);
}

/* protocol.<name>.allow, also for redirects. The user has not chosen the target of a redirect. */
static void set_protocols(struct http_client *c)
{
	static const char *const names[] = { "http", "https" };
	struct strbuf first = STRBUF_INIT, later = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct err ignored = ERR_INIT;

		if (!transport_check_allowed(c->o.config, names[i], -1, &ignored))
			strbuf_addf(&first, "%s%s", first.len ? "," : "", names[i]);
		if (!transport_check_allowed(c->o.config, names[i], 0, &ignored))
			strbuf_addf(&later, "%s%s", later.len ? "," : "", names[i]);
		err_release(&ignored);
	}
	curl_easy_setopt(c->easy, CURLOPT_PROTOCOLS_STR, first.buf);
	curl_easy_setopt(c->easy, CURLOPT_REDIR_PROTOCOLS_STR, later.buf);
	strbuf_release(&first);
	strbuf_release(&later);
}

static void set_identity(struct http_client *c)
{
	struct strbuf agent = STRBUF_INIT;

	if (c->set.user_agent)
		strbuf_addstr(&agent, c->set.user_agent);
	else
		append_agent(&agent);
	curl_easy_setopt(c->easy, CURLOPT_USERAGENT, agent.buf);
	strbuf_release(&agent);
	set_curl_text(c->easy, CURLOPT_COOKIEFILE, c->set.cookie_file);
	if (c->set.save_cookies && c->set.cookie_file && *c->set.cookie_file)
		curl_easy_setopt(c->easy, CURLOPT_COOKIEJAR, c->set.cookie_file);
}

static void set_trace(struct http_client *c)
{
	if (!http_trace_start(&c->trace))
		return;
	curl_easy_setopt(c->easy, CURLOPT_VERBOSE, 1L);
	curl_easy_setopt(c->easy, CURLOPT_DEBUGFUNCTION, http_trace_show);
	curl_easy_setopt(c->easy, CURLOPT_DEBUGDATA, &c->trace);
}

/* Its state of authentication is needed. */
static bool needs_handle(const struct http_client *c, const struct http_request *rq)
{
	return rq->body && rq->body->more && c->auth_sent && c->narrowed && (c->methods & ~CURLAUTH_BASIC);
}

void http_renew(struct http_client *c, const struct http_request *rq)
{
	CURL *next;

	if (c->used && !needs_handle(c, rq)) {
		next = curl_easy_duphandle(c->easy);
		if (!next || curl_easy_setopt(next, CURLOPT_SHARE, c->share))
			out_of_memory();
		curl_easy_cleanup(c->easy);
		c->easy = next;
	}
	c->used = true;
}

int http_setup(struct http_client *c, struct err *err)
{
	int rc = set_backend(c->set.ssl_backend, err);

	if (rc < 0)
		return rc;
	if (curl_global_init(CURL_GLOBAL_ALL) || !(c->easy = curl_easy_init()) || !(c->multi = curl_multi_init()) ||
	    !(c->share = curl_share_init()) || curl_share_setopt(c->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) ||
	    curl_easy_setopt(c->easy, CURLOPT_SHARE, c->share))
		return err_set(err, ERR_GENERIC, "libcurl cannot be initialized");
	curl_easy_setopt(c->easy, CURLOPT_ERRORBUFFER, c->error);
	curl_easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->easy, CURLOPT_BUFFERSIZE, RECEIVE_BUFFER);
	curl_easy_setopt(c->easy, CURLOPT_UPLOAD_BUFFERSIZE, RECEIVE_BUFFER);
	curl_easy_setopt(c->easy, CURLOPT_MAXREDIRS, REDIRECTS_MAX);
	/* A POST stays one. */
	curl_easy_setopt(c->easy, CURLOPT_POSTREDIR, (long)CURL_REDIR_POST_ALL);
	curl_easy_setopt(c->easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	set_identity(c);
	set_protocols(c);
	set_speed(c);
	set_version(c);
	set_delegation(c);
	set_resolve(c);
	set_trace(c);
	return set_ssl(c, err);
}
