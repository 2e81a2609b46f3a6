/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffered reader of pkt-lines (wire/pkt-line.h), for servers that read many small ones. One
 * read(2) takes all available bytes. The reader may read ahead, so other code cannot read from the
 * descriptor afterwards.
 *
 * Cost: 64 KiB, and one read(2) for all bytes that have arrived.
 */
#ifndef WIRE_PKT_READER_H
#define WIRE_PKT_READER_H

#include "compat/posix.h"
#include "util/err.h"
#include "wire/pkt-line.h"

/* Meaning of the end of the input. */
enum pkt_on_eof {
	PKT_EOF_BETWEEN,  /* PKT_EOF between two packets, an error inside of one */
	PKT_EOF_REFUSED,  /* an error everywhere */
	PKT_EOF_ANYWHERE, /* PKT_EOF everywhere: a cut packet does not count */
};

struct pkt_reader {
	int fd;
	enum pkt_on_eof on_eof;
	bool hung_up;	    /* the input ended where on_eof does not allow it */
	unsigned timeout_s; /* longest silence of the peer; 0: no limit */
	char *buf;	    /* owned */
	size_t start, end;  /* bytes that were read and not yet returned */
	char *line;	    /* the last packet's payload, followed by a NUL; in buf */
	size_t len;
	char under_nul;	    /* the byte that the NUL stands for */
};

/* fd stays the caller's. */
void pkt_reader_init(struct pkt_reader *r, int fd);
void pkt_reader_release(struct pkt_reader *r);
/*
 * Read the next packet and return its enum pkt_kind. For PKT_DATA, r->line and r->len are its
 * payload until the next call. Errors: ERR_CORRUPT "the remote end hung up unexpectedly" (see
 * on_eof), or a malformed length; ERR_IO, also after timeout_s of silence.
 */
int pkt_reader_next(struct pkt_reader *r, struct err *err);
/* Is a whole packet in the buffer, so that the next call reads nothing? */
bool pkt_reader_has_next(const struct pkt_reader *r);
/*
 * Read raw bytes, after the last packet of a protocol that goes on without them: up to len; *got is
 * 0 at the end.
 */
MUST_USE int pkt_reader_raw(struct pkt_reader *r, void *buf, size_t len, size_t *got, struct err *err);
/* As pkt_reader_next, for lines of text: removes the line feed at the end, if there is one. */
int pkt_reader_line(struct pkt_reader *r, struct err *err);

#endif
