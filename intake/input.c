/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <poll.h>
#include <sys/socket.h>
#include "compat/syscalls.h"
#include "intake/input.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "write-or-die.h"

#define LENGTH_BYTES 4
#define PIECE_MAX ((size_t)64 << 10)

/* ---- who reads packs ---- */

static int read_length(struct intake_input *in, struct err *err)
{
	unsigned char raw[LENGTH_BYTES];
	ssize_t n = read_in_full(in->fd, raw, sizeof(raw));

	if (n < 0)
		return err_set_errno(err, "cannot read the pack");
	if (n < LENGTH_BYTES)
		return err_set(err, ERR_CORRUPT, "early EOF");
	in->left = get_be32(raw);
	in->ended = !in->left;
	return 0;
}

static int read_piece(struct intake_input *in, void *buf, size_t len, size_t *got, struct err *err)
{
	ssize_t n = RETRY_EINTR(read(in->fd, buf, len < in->left ? len : in->left));

	if (n < 0)
		return err_set_errno(err, "cannot read the pack");
	if (!n)
		return err_set(err, ERR_CORRUPT, "early EOF");
	in->left -= (uint32_t)n;
	*got = (size_t)n;
	return 0;
}

int intake_input_read(void *data, void *buf, size_t len, size_t *got, struct err *err)
{
	struct intake_input *in = data;
	int rc = 0;

	if (in->source)
		return in->source->read(in->source->data, buf, len, got, err);
	*got = 0;
	if (!in->left && !in->ended)
		rc = read_length(in, err);
	return rc || in->ended ? rc : read_piece(in, buf, len, got, err);
}

bool intake_input_ready(void *data)
{
	const struct intake_input *in = data;
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	if (in->source)
		return !in->source->ready || in->source->ready(in->source->data);
	return in->left || in->ended || poll(&p, 1, 0) > 0;
}

int intake_input_next(struct intake_input *in, struct err *err)
{
	if (in->source && in->source->next)
		return in->source->next(in->source->data, err);
	in->ended = false;
	return in->source ? !in->nr++ : 1;
}

/* ---- who has the source ---- */

/* 1: the reader is gone; 0: the source has something. Without a descriptor that can be looked at, `read` waits. */
static int wait_for_source(const struct intake_source *s, int fd)
{
	struct pollfd p[] = { { .fd = s->fd, .events = POLLIN }, { .fd = fd } };

	if (s->fd < 0 || (s->ready && s->ready(s->data)))
		return 0;
	while (poll(p, ARRAY_SIZE(p), -1) < 0 && errno == EINTR)
		;
	return p[1].revents && !p[0].revents;
}

/* 1: the reader is gone. */
static int send_piece(int fd, const unsigned char *p, size_t len, struct err *err)
{
	while (len) {
		ssize_t n = RETRY_EINTR(send(fd, p, len, MSG_NOSIGNAL));

		if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
			return 1;
		if (n < 0)
			return err_set_errno(err, "cannot pass on the pack");
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int feed_pack(const struct intake_source *s, int fd, unsigned char *buf, struct err *err)
{
	size_t got = 1;
	int rc = 0;

	while (!rc && got) {
		rc = wait_for_source(s, fd);
		if (!rc)
			rc = s->read(s->data, buf + LENGTH_BYTES, PIECE_MAX, &got, err);
		if (!rc) {
			put_be32(buf, (uint32_t)got);
			rc = send_piece(fd, buf, LENGTH_BYTES + got, err);
		}
	}
	return rc;
}

int intake_feed(const struct intake_source *s, int fd, struct err *err)
{
	unsigned char *buf = xmalloc(LENGTH_BYTES + PIECE_MAX);
	int rc = s->next ? s->next(s->data, err) : 1;

	while (rc > 0) {
		rc = feed_pack(s, fd, buf, err);
		if (rc)
			break;
		rc = s->next ? s->next(s->data, err) : 0;
	}
	free(buf);
	return rc;
}
