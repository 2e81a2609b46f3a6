/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests by http and https, over libcurl, with all that git-config(1) has for them: http.*, http.<url>.*,
 * remote.<name>.proxy, and their environment variables. Only programs that call this link libcurl: git-remote-http does;
 * others start that (gitremote-helpers(7), "get", "stateless-connect").
 *
 *	http_client_new(&c, &options, err)
 *	http_get_to_fd(c, url, fd, offset, max_bytes, &got, err)   a file
 *	http_smart_discover(c, "git-upload-pack", …, err)          or a repository: its advertisement,
 *	http_smart_post(c, "git-upload-pack", …, err)              then its answers to requests
 *	http_client_free(c)
 *
 * A 401 asks for a credential (transport/credential.h), which later requests have from the beginning. Redirects are
 * followed as http.followRedirects says, and to http and https alone; no credential goes to another host, scheme or
 * port than it was asked for. A client has one connection at a time and belongs to one thread.
 *
 * Errors of all: ERR_IO "unable to access 'URL': …" with libcurl's reason; ERR_NOT_FOUND (404, 410); ERR_ABORTED
 * "Authentication failed for 'URL'", or nobody can be asked; ERR_TOO_BIG; what the sink returns.
 */
#ifndef TRANSPORT_HTTP_H
#define TRANSPORT_HTTP_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/err.h"
#include "util/strbuf.h"

struct http_client;

struct http_client_options {
	const struct config_set *config;
	const char *url;	 /* of the repository or file: settings are matched against it; user and password are used */
	const char *remote_name; /* remote.<name>.proxy; NULL: none */
	int verbosity;		 /* < 0: quiet */
	bool ipv4, ipv6;
	/* "redirecting to …", odd settings. */
	void (*warn)(void *data, const char *msg);
	/* What the server says of a failure (text/plain), a line each. */
	void (*tell)(void *data, const char *line);
	/* Asked now and then while a request runs: shall it end? May be NULL. */
	bool (*unwanted)(void *data);
	void *data;
};
/* ERR_INVALID: a setting cannot be used. Strings of o stay the caller's, and are needed as long as the client. */
MUST_USE int http_client_new(struct http_client **out, const struct http_client_options *o, struct err *err);
void http_client_free(struct http_client *c); /* http.saveCookies: written now */

/* Takes what comes, in large pieces. */
typedef int (*http_sink_fn)(void *data, const void *p, size_t len, struct err *err);

/* ---- files ---- */
/*
 * No redirect is followed unless http.followRedirects is true: what asks for files does so below a place that a first
 * request (http_smart_discover) has found, and must not be led into another network.
 *
 * What follows the first `offset` bytes goes to fd; a server that cannot begin there is an error (ERR_UNSUPPORTED).
 * More than max_bytes in this call (0: no limit) is ERR_TOO_BIG. *got: how much has been written, also on failure.
 */
MUST_USE int http_get_to_fd(struct http_client *c, const char *url, int fd, uint64_t offset, uint64_t max_bytes,
			    uint64_t *got, struct err *err);

/* The same into memory: appended to out. */
MUST_USE int http_get_text(struct http_client *c, const char *url, size_t max_bytes, struct strbuf *out, struct err *err);
/*
 * How much a server may be let write to this file: half of what is free there, since what comes is copied while it is
 * checked. So one that sends without end fills no disk. 0: not known.
 */
uint64_t http_most_bytes(int fd);
/* The URL of the repository, with '/' at its end, as redirects have left it; without user and password. */
const char *http_base(const struct http_client *c);
/* Of the same scheme, host and port? */
bool http_url_is_near(const struct http_client *c, const char *url);
bool http_follows_everywhere(const struct http_client *c); /* http.followRedirects is true */

/* ---- repositories: gitprotocol-http(5) ---- */
#define HTTP_ADVERTISEMENT_MAX ((size_t)512 << 20) /* of versions 0 and 1: some millions of refs */
/*
 * GET info/refs. The body behind "# service=…" and its flush packet is appended to out; at most
 * HTTP_ADVERTISEMENT_MAX bytes. git_protocol: for the header Git-Protocol, NULL: none. A redirect becomes the base of
 * later requests. *dumb: the server knows only files (transport/http-walk.h), and out has all of info/refs.
 */
MUST_USE int http_smart_discover(struct http_client *c, const char *service, const char *git_protocol,
				 struct strbuf *out, bool *dumb, struct err *err);

struct http_body {
	const void *buf; /* what is there at once */
	size_t len;
	/* NULL: that is all. Else the rest: up to len bytes, *got 0 at the end. */
	int (*more)(void *data, void *buf, size_t len, size_t *got, struct err *err);
	/* Begin again, for another try; NULL: what has come from `more` cannot come once more. */
	bool (*rewind)(void *data);
	void *data;
	uint64_t total; /* bytes of `more`, if they are known and sent as Content-Length; 0: chunks */
	bool packed; /* a pack is in it, so it is not compressed */
};
size_t http_post_buffer(const struct http_client *c); /* http.postBuffer */
/*
 * POST a request. A body with more to come is sent chunked, after a small request that settles authentication (what has
 * been streamed cannot be sent again); another one with its length, compressed if that pays.
 */
MUST_USE int http_smart_post(struct http_client *c, const char *service, const char *git_protocol,
			     const struct http_body *body, http_sink_fn sink, void *data, struct err *err);

#endif
