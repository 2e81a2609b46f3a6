/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing to a web server: WebDAV, RFC 4918, as far as a push over it needs. Requests go through an http_client (transport/http.h) with
 * its credentials, proxies and TLS settings. URLs are whole ones, encoded, below the client's.
 *
 * Errors: those of transport/http.h, "METHOD of 'URL' failed: …"; ERR_NOT_FOUND (404), ERR_LOCKED (423), ERR_CONFLICT (412),
 *         ERR_CORRUPT: an answer that is none; ERR_UNSUPPORTED: the server cannot do it.
 * Durability: whatever the server makes of it: the protocol has no word for it.
 */
#ifndef TRANSPORT_DAV_H
#define TRANSPORT_DAV_H

#include "compat/posix.h"
#include "transport/http.h"
#include "util/string-list.h"

/* Does it speak WebDAV with locks (classes 1 and 2)? ERR_UNSUPPORTED. */
MUST_USE int dav_check(struct http_client *c, const char *url, struct err *err);
/* The names in a folder (url ends in '/'), decoded; those of folders end in '/'. */
MUST_USE int dav_list(struct http_client *c, const char *url, struct string_list *names, struct err *err);
/* 0 also if it is there. */
MUST_USE int dav_make_folder(struct http_client *c, const char *url, struct err *err);

/* ---- locks: exclusive, for writing ---- */
struct dav_lock;
/* What is there is locked; what is not must not be (a server might make an empty file). */
MUST_USE int dav_lock(struct http_client *c, const char *url, struct dav_lock **out, struct err *err);
/* Extends it, if less than half of its time is left. */
MUST_USE int dav_lock_keep(struct http_client *c, struct dav_lock *lock, struct err *err);
/* Given back and freed in all outcomes; NULL is fine. */
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
