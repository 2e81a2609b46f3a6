/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pack from a function. Its thread fills a ring of bytes, and the caller's thread empties it. A thread wakes
 * the other only when there is enough to do, so that a MiB costs few system calls.
 *
 * The waiting bytes lie from `tail` to `head`; once `head` has wrapped around, from `tail` to `lap` and from 0
 * to `head`. `head` wraps when the source reserves more room than is left up to the end of the ring, so that
 * each reserved piece is contiguous and is sent without a copy.
 */
#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include "compat/cond.h"
#include "relay/relay-internal.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/strbuf.h"
#include "util/workers.h"

#define RING_BYTES ((size_t)3 * 1024 * 1024)
/*
 * A waiting source goes on when this many bytes are free. Bytes that are too few to be sent may lie
 * in the middle of the ring, so it must be less than half.
 */
#define ROOM_BYTES (RING_BYTES / 3)
/* Unsent text beyond this size is dropped: it is only progress. */
#define TEXT_MAX ((size_t)64 * 1024)

struct relay_queue {
	pthread_mutex_t lock;
	pthread_cond_t filled, drained;
	unsigned char *ring;
	size_t head, tail, lap;
	bool begun_anew;
	struct strbuf text;
	size_t wake_at; /* the sender waits for so many bytes; 0: it does not wait */
	bool source_waits;
	bool ended;
	atomic_bool unwanted;
	int client; /* its end; < 0: there is none that could be asked */
	/* the source, and its result */
	pack_source_fn source;
	void *data;
	int rc;
	struct err failure;
};

/* ---- the source's side ---- */

static size_t held(const struct relay_queue *out)
{
	return out->begun_anew ? out->lap - out->tail + out->head : out->head - out->tail;
}

/* The longest piece that has room. */
static size_t room(const struct relay_queue *out)
{
	size_t end = RING_BYTES - out->head;

	if (out->begun_anew)
		return out->tail - out->head;
	return end > out->tail ? end : out->tail;
}

bool relay_queue_is_unwanted(const struct relay_queue *out)
{
	return atomic_load_explicit(&out->unwanted, memory_order_relaxed);
}

bool relay_queue_has_lost_client(const struct relay_queue *out)
{
	return relay_queue_is_unwanted(out) || (out->client >= 0 && peer_is_gone(out->client));
}

static int await_room(struct relay_queue *out, size_t len, struct err *err)
{
	while (room(out) < len && !relay_queue_is_unwanted(out)) {
		out->source_waits = true;
		pthread_cond_wait(&out->drained, &out->lock);
	}
	out->source_waits = false;
	return relay_queue_is_unwanted(out) ? err_set(err, ERR_ABORTED, "the client is gone") : 0;
}

/* There is room for len: is it here? */
static void choose_place(struct relay_queue *out, size_t len)
{
	if (out->begun_anew || RING_BYTES - out->head >= len)
		return;
	out->lap = out->head;
	out->head = 0;
	out->begun_anew = true;
}

int relay_queue_reserve(struct relay_queue *out, size_t len, void **p, struct err *err)
{
	int rc;

	if (len > RELAY_ROOM_MAX)
		BUG("%zu bytes of room in a queue", len);
	pthread_mutex_lock(&out->lock);
	rc = await_room(out, len, err);
	if (!rc) {
		choose_place(out, len);
		*p = out->ring + out->head;
	}
	pthread_mutex_unlock(&out->lock);
	return rc;
}

/*
 * Signals after it has unlocked: a thread that is woken under the lock would have to sleep again.
 */
static void commit(struct relay_queue *out, size_t len)
{
	bool enough;

	pthread_mutex_lock(&out->lock);
	out->head += len;
	enough = out->wake_at && held(out) >= out->wake_at;
	if (enough)
		out->wake_at = 0;
	pthread_mutex_unlock(&out->lock);
	if (enough)
		pthread_cond_signal(&out->filled);
}

int relay_queue_write(struct relay_queue *out, const void *p, size_t len, struct err *err)
{
	const unsigned char *at = p;
	void *to;

	/* Only this thread moves the head. */
	if (len && at == out->ring + out->head) {
		commit(out, len);
		return 0;
	}
	while (len) {
		size_t n = len < RELAY_ROOM_MAX ? len : RELAY_ROOM_MAX;
		int rc = relay_queue_reserve(out, n, &to, err);

		if (rc < 0)
			return rc;
		memcpy(to, at, n);
		commit(out, n);
		at += n;
		len -= n;
	}
	return 0;
}

void relay_queue_text(struct relay_queue *out, const char *text, size_t len)
{
	pthread_mutex_lock(&out->lock);
	if (out->text.len + len <= TEXT_MAX) {
		strbuf_add(&out->text, text, len);
		out->wake_at = 0;
		pthread_cond_signal(&out->filled);
	}
	pthread_mutex_unlock(&out->lock);
}

static void *run_source(void *arg)
{
	struct relay_queue *out = arg;
	int rc = out->source(out->data, out, &out->failure);

	pthread_mutex_lock(&out->lock);
	out->rc = rc;
	out->ended = true;
	pthread_cond_signal(&out->filled);
	pthread_mutex_unlock(&out->lock);
	return NULL;
}

/* ---- the sender's side; the lock is held between the calls of these ---- */

/* The oldest bytes are not needed any more. */
static void take_away(struct relay_queue *out, size_t len)
{
	out->tail += len;
	if (!out->begun_anew || out->tail < out->lap)
		return;
	out->tail -= out->lap;
	out->begun_anew = false;
}

/* Send the oldest `len` bytes. The source goes on meanwhile: it does not touch them. */
static int send_oldest(struct relay_sender *s, struct relay_queue *out, size_t len,
		       struct err *err)
{
	size_t first = out->begun_anew ? out->lap - out->tail : len;
	struct iovec pieces[2] = { { out->ring + out->tail, len < first ? len : first },
				   { out->ring, len < first ? 0 : len - first } };
	bool wake;
	int rc;

	pthread_mutex_unlock(&out->lock);
	rc = relay_send(s, BAND_PACK, pieces, 2, err);
	pthread_mutex_lock(&out->lock);
	take_away(out, len);
	wake = out->source_waits && room(out) >= ROOM_BYTES;
	if (wake) {
		out->source_waits = false;
		pthread_mutex_unlock(&out->lock);
		pthread_cond_signal(&out->drained);
		pthread_mutex_lock(&out->lock);
	}
	return rc;
}

static int send_text(struct relay_sender *s, struct relay_queue *out, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_swap(&text, &out->text);
	pthread_mutex_unlock(&out->lock);
	rc = relay_send_text(s, text.buf, text.len, err);
	strbuf_release(&text);
	pthread_mutex_lock(&out->lock);
	return rc;
}

/* Until there are so many bytes, or text, or the end, or this time. */
static void await_source(struct relay_queue *out, size_t bytes, int64_t until_ms)
{
	out->wake_at = bytes;
	(void)os_cond_wait_until(&out->filled, &out->lock, until_ms);
	out->wake_at = 0;
}

/*
 * Full packets that do not make up a batch yet wait a moment for others. While there is nothing, no
 * write would tell that the client has gone.
 */
static int send_or_wait(struct relay_sender *s, struct relay_queue *out, struct err *err)
{
	size_t batch = relay_batch(s), full = relay_full(s, held(out));
	int64_t now = monotonic_ms(), join = now + RELAY_JOIN_MS, deadline = relay_deadline_ms(s);

	if (deadline > now + RELAY_CHECK_MS)
		deadline = now + RELAY_CHECK_MS;

	if (full < batch)
		await_source(out, batch + 1, join < deadline ? join : deadline);
	if (!relay_full(s, held(out)) && !out->ended && !out->text.len)
		await_source(out, relay_payload(s) + 1, deadline);
	full = relay_full(s, held(out));
	if (full)
		return send_oldest(s, out, full < batch ? full : batch, err);
	switch (relay_due(s, held(out))) {
	case RELAY_SEND_HELD:
		return send_oldest(s, out, held(out) - 1, err);
	case RELAY_KEEPALIVE:
		return relay_keepalive(s, err);
	default:
		return monotonic_ms() < deadline ? 0 : relay_check_client(s, err);
	}
}

static int send_all(struct relay_sender *s, struct relay_queue *out, struct err *err)
{
	size_t batch = relay_batch(s);
	int rc = 0;

	while (!rc && !(out->ended && out->rc < 0)) {
		if (out->text.len)
			rc = send_text(s, out, err);
		else if (!out->ended)
			rc = send_or_wait(s, out, err);
		else if (!held(out))
			break;
		else
			rc = send_oldest(s, out, held(out) < batch ? held(out) : batch, err);
	}
	return rc;
}

/* ---- from begin to end ---- */

static void output_init(struct relay_queue *out, pack_source_fn source, void *data)
{
	memset(out, 0, sizeof(*out));
	pthread_mutex_init(&out->lock, NULL);
	os_cond_init_monotonic(&out->filled);
	pthread_cond_init(&out->drained, NULL);
	strbuf_init(&out->text, 0);
	err_init(&out->failure);
	out->ring = xmalloc(RING_BYTES);
	out->source = source;
	out->data = data;
}

static void output_release(struct relay_queue *out)
{
	pthread_cond_destroy(&out->filled);
	pthread_cond_destroy(&out->drained);
	pthread_mutex_destroy(&out->lock);
	strbuf_release(&out->text);
	err_release(&out->failure);
	free(out->ring);
}

int pack_relay_function(const struct pack_relay_options *o, pack_source_fn source, void *data,
			struct err *err)
{
	struct relay_sender s;
	struct relay_queue out;
	pthread_t thread;
	int rc;

	output_init(&out, source, data);
	out.client = o->output ? -1 : o->fd;
	relay_sender_init(&s, o);
	if (!start_thread(&thread, run_source, &out)) {
		rc = err_set(&out.failure, ERR_GENERIC, "cannot start a thread");
		relay_send_error(&s, &out.failure);
		err_move(err, &out.failure);
		output_release(&out);
		return rc;
	}
	pthread_mutex_lock(&out.lock);
	rc = send_all(&s, &out, err);
	if (rc < 0) {
		atomic_store(&out.unwanted, true);
		pthread_cond_signal(&out.drained);
	}
	pthread_mutex_unlock(&out.lock);
	pthread_join(thread, NULL);
	if (!rc && out.rc < 0) {
		rc = out.rc;
		relay_send_error(&s, &out.failure);
		err_move(err, &out.failure);
	}
	output_release(&out);
	return rc;
}
