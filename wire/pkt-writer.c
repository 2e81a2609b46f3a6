/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "wire/pkt-trace.h"
#include "wire/pkt-writer.h"
#include "write-or-die.h"

/* Sent when it has grown beyond this. */
#define BUFFER_BYTES ((size_t)64 * 1024)

void pkt_writer_init(struct pkt_writer *w, int fd)
{
	memset(w, 0, sizeof(*w));
	w->fd = fd;
	strbuf_init(&w->buf, 0);
	err_init(&w->failure);
}

void pkt_writer_release(struct pkt_writer *w)
{
	strbuf_release(&w->buf);
	err_release(&w->failure);
}

static void send_buffer(struct pkt_writer *w)
{
	if (!pkt_writer_failed(w))
		w->failed = write_to_peer(w->fd, w->buf.buf, w->buf.len, w->timeout_s, "packets",
					  &w->failure);
	strbuf_reset(&w->buf);
}

/* Names of refs have no limit where they are packed, packets have: those before this one may be sent. */
static void refuse_packet(struct pkt_writer *w, size_t start)
{
	const char *text = w->buf.buf + start + 4 + (w->band != 0);

	if (!w->failed)
		w->failed = err_set(&w->failure, ERR_TOO_BIG, "line of %zu bytes does not fit in a "
				    "packet: '%.100s...'", w->buf.len - start - 4, text);
	strbuf_setlen(&w->buf, start);
}

/* The length of the packet that began at `start` is known now. */
static void close_packet(struct pkt_writer *w, size_t start)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = w->buf.len - start;
	char *head = w->buf.buf + start;

	if (len > PKT_MAX) {
		refuse_packet(w, start);
		return;
	}
	for (int i = 0; i < 4; i++)
		head[i] = digits[len >> (12 - 4 * i) & 15];
	pkt_trace('>', head + 4, len - 4);
	if (w->fd >= 0 && w->buf.len >= BUFFER_BYTES)
		send_buffer(w);
}

static size_t open_packet(struct pkt_writer *w)
{
	size_t start = w->buf.len;

	/* At once: what would be left behind while it grows is as much again. */
	if (!w->buf.alloc)
		strbuf_grow(&w->buf, BUFFER_BYTES + 4096);
	strbuf_add(&w->buf, "0000", 4);
	if (w->band)
		strbuf_addch(&w->buf, w->band);
	return start;
}

struct strbuf *pkt_writer_begin(struct pkt_writer *w)
{
	w->begun = open_packet(w);
	return &w->buf;
}

void pkt_writer_end(struct pkt_writer *w)
{
	close_packet(w, w->begun);
}

void pkt_writer_add(struct pkt_writer *w, const void *p, size_t len)
{
	size_t start = open_packet(w);

	strbuf_add(&w->buf, p, len);
	close_packet(w, start);
}

void pkt_writer_addf(struct pkt_writer *w, const char *fmt, ...)
{
	size_t start = open_packet(w);
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&w->buf, fmt, ap);
	va_end(ap);
	close_packet(w, start);
}

static void add_special(struct pkt_writer *w, const char *packet)
{
	pkt_trace('>', packet, 4);
	strbuf_add(&w->buf, packet, 4);
}

void pkt_writer_flush(struct pkt_writer *w)
{
	add_special(w, "0000");
}

void pkt_writer_delim(struct pkt_writer *w)
{
	add_special(w, "0001");
}

void pkt_writer_response_end(struct pkt_writer *w)
{
	add_special(w, "0002");
}

void pkt_writer_reset(struct pkt_writer *w)
{
	strbuf_reset(&w->buf);
	if (w->failed == ERR_TOO_BIG) {
		w->failed = 0;
		err_release(&w->failure);
	}
}

int pkt_writer_send(struct pkt_writer *w, struct err *err)
{
	if (w->buf.len)
		send_buffer(w);
	err_move(err, &w->failure);
	return w->failed;
}
