/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "sideband.h"
#include "wire/pkt-line.h"
#include "write-or-die.h"

#define SMALL_PACKET_MAX 1000
#define HEAD_BYTES 5 /* four digits and the band */

/* Packets of one writev, and pieces that they consist of. */
#define PACKETS_AT_ONCE 64
#define IOVS_AT_ONCE (3 * PACKETS_AT_ONCE)

size_t sideband_payload_max(enum sideband_mode mode)
{
	return (mode == SIDEBAND_SMALL ? SMALL_PACKET_MAX : PKT_MAX) - HEAD_BYTES;
}

/* Packets that wait for their writev. */
struct framer {
	int fd;
	unsigned timeout_s;
	struct iovec iov[IOVS_AT_ONCE];
	int nr_iov;
	char heads[PACKETS_AT_ONCE][HEAD_BYTES + 1];
	int nr_heads;
};

static int framer_send(struct framer *f, struct err *err)
{
	int rc = f->nr_iov ? writev_to_peer(f->fd, f->iov, f->nr_iov, f->timeout_s, "pack data", err) : 0;

	f->nr_iov = f->nr_heads = 0;
	return rc;
}

static void framer_add(struct framer *f, const void *p, size_t len)
{
	f->iov[f->nr_iov++] = (struct iovec){ (void *)p, len };
}

static void framer_open_packet(struct framer *f, enum sideband_band band, size_t len)
{
	char *head = f->heads[f->nr_heads++];

	snprintf(head, HEAD_BYTES + 1, "%04x%c", (unsigned)(len + HEAD_BYTES) & 0xffff, band);
	framer_add(f, head, HEAD_BYTES);
}

/* Where the bytes that have not been framed begin. */
struct cursor {
	const struct iovec *piece;
	size_t offset;
};

/* Put `len` bytes into the packet that is open; a packet of more pieces than fit goes out in parts. */
static int framer_fill(struct framer *f, struct cursor *c, size_t len, struct err *err)
{
	while (len) {
		size_t have = c->piece->iov_len - c->offset, n = have < len ? have : len;
		int rc;

		if (f->nr_iov == IOVS_AT_ONCE && (rc = framer_send(f, err)) < 0)
			return rc;
		if (n)
			framer_add(f, (const char *)c->piece->iov_base + c->offset, n);
		len -= n;
		c->offset += n;
		if (c->offset == c->piece->iov_len) {
			c->piece++;
			c->offset = 0;
		}
	}
	return 0;
}

static int send_framed(struct framer *f, enum sideband_mode mode, enum sideband_band band,
		       struct cursor *c, size_t left, struct err *err)
{
	size_t max = sideband_payload_max(mode);
	int rc;

	do {
		size_t len = left < max ? left : max;

		if ((f->nr_heads == PACKETS_AT_ONCE || f->nr_iov == IOVS_AT_ONCE) &&
		    (rc = framer_send(f, err)) < 0)
			return rc;
		framer_open_packet(f, band, len);
		if ((rc = framer_fill(f, c, len, err)) < 0)
			return rc;
		left -= len;
	} while (left);
	return framer_send(f, err);
}

static int send_plain(struct framer *f, struct cursor *c, size_t left, struct err *err)
{
	int rc = framer_fill(f, c, left, err);

	return rc < 0 ? rc : framer_send(f, err);
}

int sideband_send(int fd, unsigned timeout_s, enum sideband_mode mode, enum sideband_band band,
		  const struct iovec *pieces, size_t nr, struct err *err)
{
	struct cursor c = { pieces, 0 };
	struct framer f;
	size_t len = 0;

	for (size_t i = 0; i < nr; i++)
		len += pieces[i].iov_len;
	f.fd = fd;
	f.timeout_s = timeout_s;
	f.nr_iov = f.nr_heads = 0;
	if (mode != SIDEBAND_NONE)
		return send_framed(&f, mode, band, &c, len, err);
	return band == BAND_PACK ? send_plain(&f, &c, len, err) : 0;
}
