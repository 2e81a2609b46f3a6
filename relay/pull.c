/* SPDX-License-Identifier: GPL-2.0-only */
/* A pack from something that is asked for more, and keeping a client waiting. One thread. */
#include "compat/posix.h"
#include "relay/relay-internal.h"
#include "util/alloc.h"
#include "util/clock.h"

/* ---- waiting for a source ---- */

int pack_relay_await(struct pack_relay_options *o, pack_ready_fn ready, void *data,
		     struct err *err)
{
	struct relay_sender s;
	int rc;

	relay_sender_init(&s, o);
	while (!(rc = ready(data, relay_deadline_ms(&s), err))) {
		rc = relay_check_client(&s, err);
		if (!rc && relay_due(&s, 0) == RELAY_KEEPALIVE)
			rc = relay_keepalive(&s, err);
		if (rc < 0)
			break;
	}
	o->sent_ms = s.sent_ms;
	return rc < 0 ? rc : 0;
}

/* ---- pulling ---- */

struct pull {
	struct relay_sender sender;
	pack_pull_fn fn;
	void *data;
	char *buf; /* what has been pulled and not been sent */
	size_t len, alloc;
	uint64_t sent;
};

static int send_pulled(struct pull *p, size_t len, struct err *err)
{
	struct iovec piece = { p->buf, len };
	int rc = relay_send(&p->sender, BAND_PACK, &piece, 1, err);

	p->sent += len;
	p->len -= len;
	memmove(p->buf, p->buf + len, p->len);
	return rc;
}

/* Nothing came: the clock, and the client. */
static int send_due_pulled(struct pull *p, struct err *err)
{
	int rc = relay_check_client(&p->sender, err);

	if (rc < 0)
		return rc;
	switch (relay_due(&p->sender, p->len)) {
	case RELAY_SEND_HELD:
		return send_pulled(p, p->len - 1, err);
	case RELAY_KEEPALIVE:
		return relay_keepalive(&p->sender, err);
	default:
		return 0;
	}
}

/* 1: go on, 0: all of it has been sent, < 0. */
static int pull_once(struct pull *p, struct err *err)
{
	size_t got = 0, full;
	int more = p->fn(p->data, p->buf + p->len, p->alloc - p->len, &got,
			 relay_deadline_ms(&p->sender), err), rc;

	if (more < 0)
		return more;
	p->len += got;
	if (!more)
		return p->len ? send_pulled(p, p->len, err) : 0;
	full = relay_full(&p->sender, p->len);
	rc = full ? send_pulled(p, full, err) : send_due_pulled(p, err);
	return rc < 0 ? rc : 1;
}

int pack_relay_pull(struct pack_relay_options *o, pack_pull_fn pull, void *data, uint64_t *sent,
		    struct err *err)
{
	struct pull p = { .fn = pull, .data = data };
	int rc;

	relay_sender_init(&p.sender, o);
	p.alloc = relay_batch(&p.sender) + 1;
	p.buf = xmalloc(p.alloc);
	while ((rc = pull_once(&p, err)) > 0)
		;
	free(p.buf);
	*sent = p.sent;
	o->sent_ms = p.sender.sent_ms;
	return rc;
}
