/* SPDX-License-Identifier: GPL-2.0-only */
/* The request line of git:// (gitprotocol-pack(5), "Git Transport"), which anybody may send. */
#ifndef WIRE_DAEMON_REQUEST_H
#define WIRE_DAEMON_REQUEST_H

#include "compat/posix.h"
#include "util/err.h"

struct daemon_request {
	char *service;	 /* "upload-pack", "receive-pack" or "upload-archive" */
	char *path;	 /* as the client wrote it; may be empty */
	char *said_host; /* host and port as the client wrote them; NULL: it said none */
	char *host;	 /* lower case, without port and brackets, safe (below); NULL: not said */
	char *port;	 /* safe; NULL: not said. It need not be a number. */
	char *protocol;	 /* extra parameters as GIT_PROTOCOL has them, "version=2:x"; NULL: none */
};
#define DAEMON_REQUEST_INIT { NULL, NULL, NULL, NULL, NULL, NULL }
void daemon_request_release(struct daemon_request *rq);

/*
 * Parse the payload of the packet, line[0..len): "git-SERVICE PATH", an optional line end, then
 * optionally NUL "host=HOST[:PORT]" NUL, then optionally NUL and extra parameters, each with a NUL
 * behind it. ERR_UNSUPPORTED: there is no such service; ERR_INVALID: what follows is malformed, or has control
 * characters in it.
 *
 * Host and port are made safe, so that each may become one part of a path: slashes are left out, and dots at the
 * beginning, at the end and behind another dot.
 */
MUST_USE int daemon_request_parse(struct daemon_request *out, const void *line, size_t len,
				  struct err *err);

#endif
