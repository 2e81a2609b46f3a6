/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender that all sources of relay/relay.h share. It decides which bytes to send, and when. */
#ifndef RELAY_RELAY_INTERNAL_H
#define RELAY_RELAY_INTERNAL_H

#include "compat/posix.h"
#include "relay/relay.h"

/* Bytes that one call sends if they are there: 16 large packets. */
#define RELAY_BATCH_BYTES ((size_t)16 * 65515)
/*
 * Size of the pipe to a client. Each time that it is full or empty, the processes switch. A larger
 * one could exceed the limit for all pipes of a user (pipe(7)).
 */
#define RELAY_PIPE_BYTES ((size_t)256 * 1024)
/* Longest time that full packets wait for more of them. */
#define RELAY_JOIN_MS 50
/* Longest time that bytes wait if there is no keepalive interval. */
#define RELAY_HOLD_MS 5000

struct relay_sender {
	struct pack_relay_options o;
	int64_t sent_ms; /* time of the last byte on any band */
	int64_t data_ms; /* time of the last pack byte, or of the last moment without one to send */
	bool gone;	 /* the client is gone: nothing more is sent */
};

void relay_sender_init(struct relay_sender *s, const struct pack_relay_options *o);
/* Payload of a full packet, in bytes. */
size_t relay_payload(const struct relay_sender *s);
/* Bytes of the full packets that one call sends. */
size_t relay_batch(const struct relay_sender *s);
/* How many of `held` bytes fill whole packets, if one byte is held back? */
size_t relay_full(const struct relay_sender *s, size_t held);
MUST_USE int relay_send(struct relay_sender *s, enum sideband_band band,
			const struct iovec *pieces, size_t nr, struct err *err);
MUST_USE int relay_send_text(struct relay_sender *s, const char *text, size_t len,
			     struct err *err);
/* Send the client the reason why there is no pack, if possible. */
void relay_send_error(struct relay_sender *s, const struct err *why);
/* When must the sender act, even if the source sends nothing? */
int64_t relay_deadline_ms(const struct relay_sender *s);

enum relay_due {
	RELAY_NOTHING,	 /* keep waiting */
	RELAY_SEND_HELD, /* send all but the last byte */
	RELAY_KEEPALIVE  /* send an empty packet */
};
/* The action that is due now, with `held` bytes waiting. */
enum relay_due relay_due(struct relay_sender *s, size_t held);
MUST_USE int relay_keepalive(struct relay_sender *s, struct err *err);
/* Has the client closed its end, as far as the system tells without a write? */
MUST_USE int relay_check_client(struct relay_sender *s, struct err *err);
/* Interval of relay_check_client while there is nothing to send. */
#define RELAY_CHECK_MS 1000

#endif
