/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests over http and https, with libcurl. They follow git-config(1): http.*, http.<url>.*, remote.<name>.proxy, and
 * their environment variables. Only git-remote-http links libcurl; other programs start it (gitremote-helpers(7), "get",
 * "stateless-connect").
 *
 *	http_client_new(&c, &options, err)
 *	http_get_to_fd(c, url, fd, offset, max_bytes, &got, err)   a file
 *	http_smart_discover(c, "git-upload-pack", …, err)          or a repository: its advertisement,
 *	http_smart_post(c, "git-upload-pack", …, err)              then its answers to requests
 *	http_client_free(c)
 *
 * After a 401 the client gets a credential (credential/credential.h), and sends it with all later requests. It follows
 * redirects according to http.followRedirects, and only to http and https. It sends a credential only to the host, scheme
 * and port for which the credential was given. A client has one connection at a time and belongs to one thread.
 *
 * Errors of all functions: ERR_IO "unable to access 'URL': …" with libcurl's reason; ERR_NOT_FOUND (404, 410); ERR_ABORTED
 * "Authentication failed for 'URL'", or the user cannot be asked; ERR_TOO_BIG; errors of the sink.
 */
#ifndef TRANSPORT_HTTP_HTTP_H
#define TRANSPORT_HTTP_HTTP_H

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
	/* Called for each line of the text (text/plain) that the server sends with a failure. */
	void (*tell)(void *data, const char *line);
	/* Called now and then while a request runs; true ends the request. May be NULL. */
	bool (*unwanted)(void *data);
	void *data;
};
/* ERR_INVALID: a bad setting. The caller owns the strings of o; they must live as long as the client. */
MUST_USE int http_client_new(struct http_client **out, const struct http_client_options *o, struct err *err);
void http_client_free(struct http_client *c); /* http.saveCookies: written now */

/* Takes the body of an answer, in large pieces. */
typedef int (*http_sink_fn)(void *data, const void *p, size_t len, struct err *err);

/* ---- files ---- */
/*
 * Get a file. Redirects are followed only if http.followRedirects is true: files lie below a base that a first request
 * (http_smart_discover) has found, and a redirect must not lead into another network.
 *
 * The bytes after the first `offset` go to fd. ERR_UNSUPPORTED: the server cannot begin there. ERR_TOO_BIG: more than
 * max_bytes in this call (0: no limit). *got: the number of bytes written, also on failure.
 */
MUST_USE int http_get_to_fd(struct http_client *c, const char *url, int fd, uint64_t offset, uint64_t max_bytes,
			    uint64_t *got, struct err *err);

/* The same into memory: appended to out. */
MUST_USE int http_get_text(struct http_client *c, const char *url, size_t max_bytes, struct strbuf *out, struct err *err);
/*
 * How many bytes a server may send into this file: half of the free disk space, since the bytes are copied when they are
 * checked. So a server that sends without end does not fill the disk. 0: not known.
 */
uint64_t http_most_bytes(int fd);
/* The URL of the repository after redirects, with '/' at its end, without user and password. */
const char *http_base(const struct http_client *c);
/* Does the URL have the scheme, host and port of the base? */
bool http_url_is_near(const struct http_client *c, const char *url);
bool http_follows_everywhere(const struct http_client *c); /* http.followRedirects is true */

/* ---- repositories: gitprotocol-http(5) ---- */
#define HTTP_ADVERTISEMENT_MAX ((size_t)512 << 20) /* of versions 0 and 1: some millions of refs */
/*
 * GET info/refs. The body behind "# service=…" and its flush packet is appended to out; at most
 * HTTP_ADVERTISEMENT_MAX bytes. git_protocol: for the header Git-Protocol, NULL: none. A redirect becomes the base of
 * later requests. *dumb: the server knows only files (transport/http/http-walk.h), and out has all of info/refs.
 */
MUST_USE int http_smart_discover(struct http_client *c, const char *service, const char *git_protocol,
				 struct strbuf *out, bool *dumb, struct err *err);

struct http_body {
	const void *buf; /* the first bytes */
	size_t len;
	/* Reads the rest: up to len bytes, *got 0 at the end. NULL: there is no rest. */
	int (*more)(void *data, void *buf, size_t len, size_t *got, struct err *err);
	/* Makes `more` begin again, for another try. NULL: not possible. */
	bool (*rewind)(void *data);
	void *data;
	uint64_t total; /* bytes of `more`, if they are known and sent as Content-Length; 0: chunks */
	bool packed; /* a pack is in it, so it is not compressed */
};
size_t http_post_buffer(const struct http_client *c); /* http.postBuffer */
/*
 * POST a request. A body with `more` is sent chunked, after a small request that does the authentication, because streamed
 * bytes cannot be sent again. Any other body is sent with its length, and compressed if that makes it smaller.
 */
MUST_USE int http_smart_post(struct http_client *c, const char *service, const char *git_protocol,
			     const struct http_body *body, http_sink_fn sink, void *data, struct err *err);

#endif
