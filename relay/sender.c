/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <poll.h>
#include "compat/os.h"
#include "relay/relay-internal.h"
#include "util/clock.h"

void relay_sender_init(struct relay_sender *s, const struct pack_relay_options *o)
{
	s->o = *o;
	s->gone = false;
	if (!o->output)
		os_enlarge_pipe(o->fd, RELAY_PIPE_BYTES);
	if (o->mode == SIDEBAND_NONE && !o->output)
		s->o.keepalive_ms = 0;
	s->data_ms = monotonic_ms();
	s->sent_ms = o->sent_ms ? o->sent_ms : s->data_ms;
}

size_t relay_payload(const struct relay_sender *s)
{
	return sideband_payload_max(s->o.mode);
}

size_t relay_batch(const struct relay_sender *s)
{
	return RELAY_BATCH_BYTES / relay_payload(s) * relay_payload(s);
}

size_t relay_full(const struct relay_sender *s, size_t held)
{
	return held ? (held - 1) / relay_payload(s) * relay_payload(s) : 0;
}

static int send_band(struct relay_sender *s, enum sideband_band band, const struct iovec *pieces, size_t nr,
		struct err *err)
{
	int rc;

	if (s->gone)
		return err_set(err, ERR_IO, "the client is gone");
	if (s->o.output) {
		rc = s->o.output(s->o.output_data, band, pieces, nr, err);
	} else {
		rc = sideband_send(s->o.fd, s->o.timeout_s, s->o.mode, band, pieces, nr, err);
		s->gone = rc < 0;
	}
	s->sent_ms = monotonic_ms();
	return rc;
}

int relay_send(struct relay_sender *s, enum sideband_band band, const struct iovec *pieces,
	       size_t nr, struct err *err)
{
	int rc = send_band(s, band, pieces, nr, err);

	if (band == BAND_PACK)
		s->data_ms = s->sent_ms;
	return rc;
}

bool peer_is_gone(int fd)
{
	struct pollfd pfd = { .fd = fd };

	return poll(&pfd, 1, 0) > 0 && pfd.revents;
}

int relay_check_client(struct relay_sender *s, struct err *err)
{
	if (!peer_is_gone(s->o.fd))
		return 0;
	s->gone = true;
	return err_set(err, ERR_IO, "the client has closed the connection");
}

int relay_send_text(struct relay_sender *s, const char *text, size_t len, struct err *err)
{
	struct iovec piece = { (void *)text, len };

	return len ? relay_send(s, BAND_TEXT, &piece, 1, err) : 0;
}

void relay_send_error(struct relay_sender *s, const struct err *why)
{
	const char *text = err_message(why);
	struct iovec pieces[] = { { (void *)"upload-pack: ", 13 }, { (void *)text, strlen(text) },
				  { (void *)"\n", 1 } };

	(void)!relay_send(s, BAND_ERROR, pieces, 3, NULL);
}

void pack_relay_error(const struct pack_relay_options *o, const struct err *why)
{
	struct relay_sender s;

	relay_sender_init(&s, o);
	relay_send_error(&s, why);
}

static int64_t hold_ms(const struct relay_sender *s)
{
	return s->o.keepalive_ms ? s->o.keepalive_ms : RELAY_HOLD_MS;
}

int64_t relay_deadline_ms(const struct relay_sender *s)
{
	int64_t held = s->data_ms + hold_ms(s), silent = s->sent_ms + s->o.keepalive_ms;

	return s->o.keepalive_ms && silent < held ? silent : held;
}

enum relay_due relay_due(struct relay_sender *s, size_t held)
{
	int64_t now = monotonic_ms();

	if (now < relay_deadline_ms(s))
		return RELAY_NOTHING;
	if (held > 1)
		return RELAY_SEND_HELD;
	s->data_ms = now;
	return s->o.keepalive_ms && now >= s->sent_ms + s->o.keepalive_ms ? RELAY_KEEPALIVE
									  : RELAY_NOTHING;
}

int relay_keepalive(struct relay_sender *s, struct err *err)
{
	return send_band(s, BAND_PACK, NULL, 0, err);
}
