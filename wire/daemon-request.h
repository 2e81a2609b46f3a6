/* SPDX-License-Identifier: GPL-2.0-only */
/* The request line of git:// (gitprotocol-pack(5), "Git Transport"), which anybody may send. */
#ifndef WIRE_DAEMON_REQUEST_H
#define WIRE_DAEMON_REQUEST_H

#include "compat/posix.h"
#include "util/err.h"

struct daemon_request {
	char *service;	/* "upload-pack": what follows "git-" */
	char *path;	/* as the client wrote it, not empty */
	char *host;	/* lower case, without port, brackets and a dot at its end; NULL: not said */
	char *port;	/* digits, 1 to 65535; NULL: not said */
	char *protocol; /* extra parameters as GIT_PROTOCOL has them, "version=2:x"; NULL: none */
};
#define DAEMON_REQUEST_INIT { NULL, NULL, NULL, NULL, NULL }
void daemon_request_release(struct daemon_request *rq);

/*
 * Parse the payload of the packet, line[0..len): "git-SERVICE PATH", an optional line end, then
 * optionally NUL "host=HOST[:PORT]" NUL, then optionally NUL and extra parameters, each with a NUL
 * behind it. ERR_INVALID for whatever else it is.
 *
 * A host is made of letters, digits, '.', '-', '_' and bytes beyond ASCII, and of ':' where it is
 * an IPv6 address; no name in it begins with a dot, so that it may become part of a path. Extra
 * parameters are printable ASCII without ':'.
 */
MUST_USE int daemon_request_parse(struct daemon_request *out, const void *line, size_t len,
				  struct err *err);

#endif
