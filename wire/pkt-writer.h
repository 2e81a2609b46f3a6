/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffered writer of pkt-lines: many small packets leave in one write(2). Nothing is sent
 * before the buffer is full or pkt_writer_send is called, so a program that waits for an answer
 * sends first.
 *
 * Errors: the first failure stays in the writer; what is added afterwards is dropped, and
 * pkt_writer_send returns it. ERR_TOO_BIG: a payload does not fit in a packet; the connection is
 * whole then, and pkt_writer_reset makes it usable to say so.
 */
#ifndef WIRE_PKT_WRITER_H
#define WIRE_PKT_WRITER_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "wire/pkt-line.h"

struct pkt_writer {
	int fd;
	unsigned timeout_s; /* how long the peer may read nothing (writev_to_peer); 0: for ever */
	/* > 0: each payload begins with this byte and counts as text of that band (sideband-all) */
	unsigned char band;
	struct strbuf buf;
	size_t begun; /* where in it the packet of pkt_writer_begin is */
	int failed; /* the code of the first failure; 0: none */
	struct err failure;
};

/* fd stays the caller's; -1: all packets stay in w->buf, for the caller. */
void pkt_writer_init(struct pkt_writer *w, int fd);
void pkt_writer_release(struct pkt_writer *w); /* what was not sent is dropped */
void pkt_writer_add(struct pkt_writer *w, const void *p, size_t len);
void pkt_writer_addf(struct pkt_writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A packet in pieces: what is appended to the buffer before pkt_writer_end, and nothing else is done. */
struct strbuf *pkt_writer_begin(struct pkt_writer *w);
void pkt_writer_end(struct pkt_writer *w);
void pkt_writer_flush(struct pkt_writer *w); /* 0000 */
void pkt_writer_delim(struct pkt_writer *w); /* 0001 */
void pkt_writer_response_end(struct pkt_writer *w); /* 0002 */
static inline bool pkt_writer_failed(const struct pkt_writer *w)
{
	return w->failed != 0;
}
/* Drop what was not sent, and forget that something did not fit; another failure stays. */
void pkt_writer_reset(struct pkt_writer *w);
MUST_USE int pkt_writer_send(struct pkt_writer *w, struct err *err);

#endif
