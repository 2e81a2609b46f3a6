/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pkt-lines, the framing of Git's protocols (gitprotocol-common(5)): four hex digits give the
 * length including themselves, then comes the payload. 0000 is a flush packet, 0001 a
 * delimiter, 0002 the end of a response.
 */
#ifndef WIRE_PKT_LINE_H
#define WIRE_PKT_LINE_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

#define PKT_MAX 65520	      /* packet with its length */
#define PKT_PAYLOAD_MAX 65516 /* payload */

MUST_USE int pkt_write(int fd, const void *p, size_t len, struct err *err);
MUST_USE int pkt_writef(int fd, struct err *err, const char *fmt, ...) PRINTF_LIKE(3, 4);
MUST_USE int pkt_flush(int fd, struct err *err);
/* In as many packets as necessary, all but the last one full; no flush packet follows. */
MUST_USE int pkt_write_all(int fd, const void *p, size_t len, struct err *err);

/* The number that four hex digits at `head` give; -1: malformed. */
int pkt_parse_length(const char *head);
/* Says that these four bytes at `head` are no length that a packet may have. ERR_CORRUPT. */
int pkt_bad_length(const char *head, struct err *err);

enum pkt_kind { PKT_DATA, PKT_FLUSH, PKT_DELIM, PKT_RESPONSE_END, PKT_EOF };
/*
 * Read one packet; its payload replaces buf. Returns an enum pkt_kind, PKT_EOF if the input
 * ended before it; or < 0: malformed length, or the input ends inside of the packet.
 */
int pkt_read(int fd, struct strbuf *buf, struct err *err);
/* Append the payloads up to a flush packet. More than max bytes (0: no limit): ERR_TOO_BIG. */
MUST_USE int pkt_read_all(int fd, struct strbuf *buf, size_t max, struct err *err);

#endif
