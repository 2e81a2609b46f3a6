/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffered writer of pkt-lines: one write(2) sends many small packets. Nothing is sent
 * until the buffer is full or pkt_writer_send is called, so call it before waiting for an answer.
 *
 * Errors: the writer keeps its first failure; it drops later packets, and pkt_writer_send returns the
 * failure. ERR_TOO_BIG: a payload does not fit in a packet. The stream is still intact then, and after
 * pkt_writer_reset the caller can send an error message.
 */
#ifndef WIRE_PKT_WRITER_H
#define WIRE_PKT_WRITER_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "wire/pkt-line.h"

struct pkt_writer {
	int fd;
	unsigned timeout_s; /* longest time without reading by the peer (writev_to_peer); 0: no limit */
	/* > 0: each payload begins with this byte and counts as text of that band (sideband-all) */
	unsigned char band;
	struct strbuf buf;
	size_t begun; /* where in it the packet of pkt_writer_begin is */
	int failed; /* the code of the first failure; 0: none */
	struct err failure;
};

/* The caller keeps ownership of fd. -1: all packets stay in w->buf, for the caller. */
void pkt_writer_init(struct pkt_writer *w, int fd);
void pkt_writer_release(struct pkt_writer *w); /* drops unsent packets */
void pkt_writer_add(struct pkt_writer *w, const void *p, size_t len);
void pkt_writer_addf(struct pkt_writer *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
/*
 * Write one packet in pieces: append to the returned buffer, then call pkt_writer_end; call nothing
 * else in between.
 */
struct strbuf *pkt_writer_begin(struct pkt_writer *w);
void pkt_writer_end(struct pkt_writer *w);
void pkt_writer_flush(struct pkt_writer *w); /* 0000 */
void pkt_writer_delim(struct pkt_writer *w); /* 0001 */
void pkt_writer_response_end(struct pkt_writer *w); /* 0002 */
static inline bool pkt_writer_failed(const struct pkt_writer *w)
{
	return w->failed != 0;
}
/* Drop unsent packets and a failure of ERR_TOO_BIG; another failure stays. */
void pkt_writer_reset(struct pkt_writer *w);
MUST_USE int pkt_writer_send(struct pkt_writer *w, struct err *err);

#endif
