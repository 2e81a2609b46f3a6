/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffered reader of pkt-lines (wire/pkt-line.h), for servers that read many small ones: one
 * read(2) takes as much as there is. It may read beyond what has been asked for, so nobody else
 * can read from the descriptor afterwards.
 *
 * Cost: 64 KiB, and one read(2) for what the peer has sent at once.
 */
#ifndef WIRE_PKT_READER_H
#define WIRE_PKT_READER_H

#include "compat/posix.h"
#include "util/err.h"
#include "wire/pkt-line.h"

/* What the end of the input means. */
enum pkt_on_eof {
	PKT_EOF_BETWEEN,  /* PKT_EOF between two packets, an error inside of one */
	PKT_EOF_REFUSED,  /* an error everywhere */
	PKT_EOF_ANYWHERE, /* PKT_EOF everywhere: a cut packet does not count */
};

struct pkt_reader {
	int fd;
	enum pkt_on_eof on_eof;
	bool hung_up;	    /* the input has ended where it may not */
	unsigned timeout_s; /* how long the peer may be silent; 0: for ever */
	char *buf;	    /* owned */
	size_t start, end;  /* what has been read and not been given out */
	char *line;	    /* the last packet's payload, followed by a NUL; in buf */
	size_t len;
	char under_nul;	    /* the byte that the NUL stands for */
};

/* fd stays the caller's. */
void pkt_reader_init(struct pkt_reader *r, int fd);
void pkt_reader_release(struct pkt_reader *r);
/*
 * The next packet: an enum pkt_kind; with PKT_DATA, r->line and r->len are its payload until the
 * next call. Errors: ERR_CORRUPT "the remote end hung up unexpectedly" (on_eof), or a malformed length; ERR_IO, also when the peer has been silent for too long.
 */
int pkt_reader_next(struct pkt_reader *r, struct err *err);
/* Is there a whole packet, for which nothing has to be read? */
bool pkt_reader_has_next(const struct pkt_reader *r);
/* Bytes that are no packets, where the protocol goes on without: up to len, *got 0 at the end. */
MUST_USE int pkt_reader_raw(struct pkt_reader *r, void *buf, size_t len, size_t *got, struct err *err);
/* The same for lines of text: without the line feed at the end, if there is one. */
int pkt_reader_line(struct pkt_reader *r, struct err *err);

#endif
