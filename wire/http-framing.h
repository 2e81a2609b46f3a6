/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Framing of the bodies of gitprotocol-http(5), for code that forwards them without parsing their
 * content.
 */
#ifndef WIRE_HTTP_FRAMING_H
#define WIRE_HTTP_FRAMING_H

#include "compat/posix.h"
#include "util/err.h"
#include "wire/pkt-line.h"

/* Finds packet boundaries in a stream that arrives in pieces of any size. Initialise with zeros. */
struct pkt_framing {
	char head[4];
	unsigned have; /* of head */
	size_t left;   /* of the payload */
	bool flushed;  /* the last one was a flush packet */
};
/* Feed the next piece. ERR_CORRUPT: the stream has an invalid packet length. */
MUST_USE int pkt_framing_follow(struct pkt_framing *f, const char *p, size_t len, struct err *err);
/* Does the stream end at the end of a packet? */
bool pkt_framing_is_whole(const struct pkt_framing *f);

/*
 * Sets *skip to the length of the lines before an advertisement: "# service=NAME" and others up to
 * a flush packet. It is 0 if a version 2 server leaves them out. ERR_CORRUPT: it is another
 * service, or none.
 */
MUST_USE int http_service_lines(const char *text, size_t len, const char *service, size_t *skip, struct err *err);

#endif
