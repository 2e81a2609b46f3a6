/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of git http-backend. */
#ifndef BUILTIN_HTTP_BACKEND_HTTP_BACKEND_H
#define BUILTIN_HTTP_BACKEND_HTTP_BACKEND_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/strbuf.h"

/* ---- http-reply.c: what the web server gets ---- */

struct http_reply {
	struct strbuf head; /* lines, not sent yet */
};
#define HTTP_REPLY_INIT { STRBUF_INIT }
void http_reply_release(struct http_reply *reply);
void http_header(struct http_reply *reply, const char *name, const char *value);
void http_date(struct http_reply *reply, const char *name, timestamp_t t);
void http_no_cache(struct http_reply *reply);
void http_cache_for_ever(struct http_reply *reply);
/* Send the header lines. False: the web server has gone. */
bool http_send_head(struct http_reply *reply);
bool http_send(const void *p, size_t len);
/*
 * Replaces the prepared reply by one without a body. why: for the server's log. Both return
 * the exit code: 0, unless the web server has gone.
 */
int http_refuse(struct http_reply *reply, const char *status, const char *why, ...) PRINTF_LIKE(3, 4);
/* 500, for a failure of ours; releases err. */
int http_fail(struct http_reply *reply, struct err *err);
int http_refuse_method(struct http_reply *reply, const char *allow);

/* ---- http-body.c: the request's body ---- */

struct http_body;
/*
 * From standard input: CONTENT_LENGTH bytes, or all, and inflated if it is gzip'd. ERR_INVALID: it
 * says what cannot be.
 */
MUST_USE int http_body_open(struct http_body **out, struct err *err);
void http_body_free(struct http_body *b);
/*
 * Reads the unused body of a request after the reply: CONTENT_LENGTH bytes of it, up to 1 MiB, as long as they come within a
 * second. A web server that cannot get rid of the body takes the reply for a failure (502).
 */
void http_body_drop(void);
/* Read all that comes over the wire into memory; more than max bytes are ERR_TOO_BIG. */
MUST_USE int http_body_read_all(struct http_body *b, size_t max, struct err *err);
/* Write it, inflated, to fd as it comes. ERR_CORRUPT: it is malformed, or ends too early. */
MUST_USE int http_body_copy(struct http_body *b, int fd, struct err *err);

/* ---- the request ---- */

struct http_request {
	const struct command_ctx *ctx; /* which commands there are */
	struct repository *repo;
	const char *path; /* in the repository, "objects/info/packs" */
	bool head_only;	  /* HEAD */
	struct http_reply reply;
	bool reads_body; /* the service has it, or has had it */
};

/* http-files.c: the dumb protocol. Each returns the exit code. */
int http_send_HEAD(struct http_request *rq);
int http_send_info_refs(struct http_request *rq);
int http_send_info_packs(struct http_request *rq);
int http_send_text(struct http_request *rq);   /* objects/info/alternates */
int http_send_object(struct http_request *rq); /* loose */
int http_send_pack(struct http_request *rq);
int http_send_idx(struct http_request *rq);

/* http-service.c: the smart protocol. */
int http_advertise(struct http_request *rq, const char *service); /* "git-upload-pack" */
int http_serve(struct http_request *rq);		      /* path is the service */

#endif
