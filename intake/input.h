/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How packs reach the function that reads them (intake/confined.h). They come from a source: a session, files, downloads.
 * A confined process cannot ask a source. Then its parent does, and passes on what it gets through a socket: for each
 * piece its length (4 bytes, big-endian) and its bytes; a piece of length 0 ends a pack. The function sees no difference.
 */
#ifndef INTAKE_INPUT_H
#define INTAKE_INPUT_H

#include "compat/posix.h"
#include "util/err.h"

struct intake_source {
	/* Goes to the next pack: 1; 0: there is none. NULL: there is one, and `read` begins with it. */
	int (*next)(void *data, struct err *err);
	/* Up to len bytes of that pack; *got 0 at its end, and from then on. */
	int (*read)(void *data, void *buf, size_t len, size_t *got, struct err *err);
	/* Has `read` something for which it does not wait? NULL: always. */
	bool (*ready)(void *data);
	/* What `read` waits for when it waits; -1: none. */
	int fd;
	void *data;
};

struct intake_input {
	const struct intake_source *source; /* NULL: */
	int fd;				    /* our end of the socket */
	uint32_t left;			    /* bytes of this piece */
	bool ended;			    /* the pack has */
	unsigned nr;			    /* packs that were begun */
};
#define INTAKE_INPUT_INIT { .fd = -1 }

/* The next pack, after the end of the one before; 1; 0: there is none. A reader of the socket knows itself how many there are. */
MUST_USE int intake_input_next(struct intake_input *in, struct err *err);
/* For pack_receive_stream_options. ERR_CORRUPT ("early EOF"): the other process has given up. */
MUST_USE int intake_input_read(void *in, void *buf, size_t len, size_t *got, struct err *err);
bool intake_input_ready(void *in);

/*
 * All packs of the source go to fd, a socket. 0; 1: its reader has closed it, and need not have read all. Errors: those of
 * the source.
 */
MUST_USE int intake_feed(const struct intake_source *source, int fd, struct err *err);

#endif
