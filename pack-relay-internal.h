/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender that both sources of pack-relay.h share: what goes out, and when. */
#ifndef PACK_RELAY_INTERNAL_H
#define PACK_RELAY_INTERNAL_H

#include "compat/posix.h"
#include "pack-relay.h"

/* So many bytes are sent at once if they are there: 16 large packets. */
#define RELAY_BATCH_BYTES ((size_t)16 * 65515)
/*
 * A client's pipe holds that much: each time that it is full, or empty, processes change places. Not more, as
 * what a user's pipes hold in all has a limit (pipe(7)).
 */
#define RELAY_PIPE_BYTES ((size_t)256 * 1024)
/* Full packets do not wait longer than this for others to join them. */
#define RELAY_JOIN_MS 50
/* Held bytes, without a keepalive interval. */
#define RELAY_HOLD_MS 5000

struct relay_sender {
	struct pack_relay_options o;
	int64_t sent_ms; /* when the last byte of any band went out */
	int64_t data_ms; /* when the last pack data did, or there was none to send */
	bool gone;	 /* the client: nothing is sent any more */
};

void relay_sender_init(struct relay_sender *s, const struct pack_relay_options *o);
/* The size of a full packet's payload. */
size_t relay_payload(const struct relay_sender *s);
/* As many full packets as are sent at once, in bytes. */
size_t relay_batch(const struct relay_sender *s);
/* How many of `held` bytes are full packets, when one byte is held back? */
size_t relay_full(const struct relay_sender *s, size_t held);
MUST_USE int relay_send(struct relay_sender *s, enum sideband_band band,
			const struct iovec *pieces, size_t nr, struct err *err);
MUST_USE int relay_send_text(struct relay_sender *s, const char *text, size_t len,
			     struct err *err);
/* Tell the client why there is no pack, if it can be told. */
void relay_send_error(struct relay_sender *s, const struct err *why);
/* When has something to be done, even if nothing comes from the source? */
int64_t relay_deadline_ms(const struct relay_sender *s);

enum relay_due {
	RELAY_NOTHING,	 /* wait on */
	RELAY_SEND_HELD, /* all but the last byte */
	RELAY_KEEPALIVE  /* an empty packet */
};
/* What is due at this time, with so many bytes at hand? */
enum relay_due relay_due(struct relay_sender *s, size_t held);
MUST_USE int relay_keepalive(struct relay_sender *s, struct err *err);
/* Has the client closed its end, as far as the system tells without a write? */
MUST_USE int relay_check_client(struct relay_sender *s, struct err *err);
/* So often is that asked while there is nothing to send. */
#define RELAY_CHECK_MS 1000

#endif
