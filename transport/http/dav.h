/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes to a web server: WebDAV, RFC 4918, as far as a push needs it. Requests go through an http_client (transport/http/http.h) with
 * its credentials, proxies and TLS settings. URLs are complete and encoded, and lie below the URL of the client.
 *
 * Errors: errors of transport/http/http.h, "METHOD of 'URL' failed: …"; ERR_NOT_FOUND (404), ERR_LOCKED (423), ERR_CONFLICT (412),
 *         ERR_CORRUPT: a malformed answer; ERR_UNSUPPORTED: the server does not support the method.
 * Durability: depends on the server: the protocol has no request to flush.
 */
#ifndef TRANSPORT_HTTP_DAV_H
#define TRANSPORT_HTTP_DAV_H

#include "compat/posix.h"
#include "transport/http/http.h"
#include "util/string-list.h"

/* ERR_UNSUPPORTED if the server does not support WebDAV with locks (classes 1 and 2). */
MUST_USE int dav_check(struct http_client *c, const char *url, struct err *err);
/* The decoded names in a folder (url ends in '/'); a name of a folder ends in '/'. */
MUST_USE int dav_list(struct http_client *c, const char *url, struct string_list *names, struct err *err);
/* Returns 0 also if the folder exists. */
MUST_USE int dav_make_folder(struct http_client *c, const char *url, struct err *err);

/* ---- locks: exclusive, for writing ---- */
struct dav_lock;
/* Lock an existing file. Do not call it for a missing one: the server might create an empty file. */
MUST_USE int dav_lock(struct http_client *c, const char *url, struct dav_lock **out, struct err *err);
/* Extends it, if less than half of its time is left. */
MUST_USE int dav_lock_keep(struct http_client *c, struct dav_lock *lock, struct err *err);
/* Release the lock; it is freed on all outcomes. NULL is fine. */
MUST_USE int dav_unlock(struct http_client *c, struct dav_lock *lock, struct err *err);

/* ---- files; lock: of that file, NULL: none ---- */
MUST_USE int dav_put(struct http_client *c, const char *url, const void *p, size_t len, const struct dav_lock *lock,
		     struct err *err);
/* All of a regular file, from its beginning. */
MUST_USE int dav_put_fd(struct http_client *c, const char *url, int fd, struct err *err);
/* `to` is replaced if it is there; lock: of `to`. */
MUST_USE int dav_move(struct http_client *c, const char *from, const char *to, const struct dav_lock *lock,
		      struct err *err);
MUST_USE int dav_delete(struct http_client *c, const char *url, const struct dav_lock *lock, struct err *err);

#endif
