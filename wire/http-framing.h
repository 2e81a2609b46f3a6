/* SPDX-License-Identifier: GPL-2.0-only */
/* What the bodies of gitprotocol-http(5) are made of, for whoever carries them without reading what they mean. */
#ifndef WIRE_HTTP_FRAMING_H
#define WIRE_HTTP_FRAMING_H

#include "compat/posix.h"
#include "util/err.h"
#include "wire/pkt-line.h"

/* Packets that come in pieces of any size; begins with zeros. */
struct pkt_framing {
	char head[4];
	unsigned have; /* of head */
	size_t left;   /* of the payload */
	bool flushed;  /* the last one was a flush packet */
};
/* ERR_CORRUPT: a length that no packet may have. */
MUST_USE int pkt_framing_follow(struct pkt_framing *f, const char *p, size_t len, struct err *err);
/* Has all ended where a packet ends? */
bool pkt_framing_is_whole(const struct pkt_framing *f);

/*
 * The lines before an advertisement, "# service=NAME" and others up to a flush packet: *skip is their length. Servers of
 * version 2 may leave them out: 0. ERR_CORRUPT: it is another service, or none.
 */
MUST_USE int http_service_lines(const char *text, size_t len, const char *service, size_t *skip, struct err *err);

#endif
