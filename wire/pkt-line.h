/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pkt-lines: four hex digits of length (with themselves), then the payload;
 * 0000 flush, 0001 delim, 0002 response end. gitprotocol-common(5).
 */
#ifndef WIRE_PKT_LINE_H
#define WIRE_PKT_LINE_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

#define PKT_MAX 65520	      /* whole packet */
#define PKT_PAYLOAD_MAX 65516 /* payload */

MUST_USE int pkt_write(int fd, const void *p, size_t len, struct err *err);
MUST_USE int pkt_writef(int fd, struct err *err, const char *fmt, ...) PRINTF_LIKE(3, 4);
MUST_USE int pkt_flush(int fd, struct err *err);
/* As many full packets as it takes; no flush after them. */
MUST_USE int pkt_write_all(int fd, const void *p, size_t len, struct err *err);

enum pkt_kind { PKT_DATA, PKT_FLUSH, PKT_DELIM, PKT_RESPONSE_END, PKT_EOF };
/*
 * One packet; payload replaces buf. PKT_EOF (0 bytes read), or < 0: malformed
 * length, or an end in the middle of a packet.
 */
int pkt_read(int fd, struct strbuf *buf, struct err *err);
/* Data packets up to a flush, appended; ERR_TOO_BIG beyond max (0: none). */
MUST_USE int pkt_read_all(int fd, struct strbuf *buf, size_t max, struct err *err);

#endif
