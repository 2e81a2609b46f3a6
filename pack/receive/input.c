/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pack as it comes from a descriptor: a buffer from which entries are inflated. What has
 * been used goes to the sink in large pieces, when the buffer is full.
 * Nothing waits for more than the caller needs: behind a socket there may be a peer who waits
 * for our answer.
 */
#include "compat/posix.h"
#include <poll.h>
#include "compat/syscalls.h"
#include "pack/receive/receive-internal.h"
#include "util/alloc.h"
#include "write-or-die.h"

#define BUFFER_BYTES ((size_t)1024 * 1024)
/* No read is for less, if there can be more. */
#define READ_MIN ((size_t)64 * 1024)

void rx_input_open(struct rx_input *in, const struct pack_receive_stream_options *s, uint64_t max,
		   struct rx_sink *sink)
{
	memset(in, 0, sizeof(*in));
	in->fd = s->fd;
	in->read = s->read;
	in->ready = s->ready;
	in->read_data = s->read_data;
	in->sink = sink;
	in->max = max;
	in->cap = st_add(BUFFER_BYTES, s->head_len);
	in->buf = xmalloc(in->cap);
	if (s->head_len)
		memcpy(in->buf, s->head, s->head_len);
	in->len = s->head_len;
}

void rx_input_release(struct rx_input *in)
{
	FREE_AND_NULL(in->buf);
}

/* What has been used makes room for more. */
static int make_input_room(struct rx_input *in, struct err *err)
{
	size_t left = in->len - in->pos;
	unsigned char *next;
	int rc;

	if (!in->pos)
		return 0;
	next = rx_sink_spare(in->sink, in->cap);
	if (next) {
		memcpy(next, in->buf + in->pos, left);
		rc = rx_sink_give(in->sink, in->buf, in->pos, err);
		in->buf = next;
	} else {
		rc = rx_sink_put(in->sink, in->buf, in->pos, err);
		memmove(in->buf, in->buf + in->pos, left);
	}
	in->pos = 0;
	in->len = left;
	return rc;
}

int rx_input_flush(struct rx_input *in, struct err *err)
{
	int rc = make_input_room(in, err);

	return rc ? rc : rx_sink_wait(in->sink, err);
}

static bool is_ready(const struct rx_input *in)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	return in->fd < 0 ? in->ready(in->read_data) : poll(&p, 1, 0) > 0;
}

static int ask_for_some(struct rx_input *in, struct err *err)
{
	size_t got = 0;
	int rc = in->read(in->read_data, in->buf + in->len, in->cap - in->len, &got, err);

	if (rc < 0)
		return rc;
	in->ended = !got;
	in->len += got;
	return 0;
}

/* One read, which may wait. */
static int read_fd(struct rx_input *in, struct err *err)
{
	ssize_t n = RETRY_EINTR(sys->read(in->fd, in->buf + in->len, in->cap - in->len));

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
		struct pollfd p = { .fd = in->fd, .events = POLLIN };

		(void)poll(&p, 1, -1);
		return 0;
	}
	if (n < 0)
		return err_set_errno(err, "read error on input");
	if (!n)
		in->ended = true;
	in->len += (size_t)n;
	return 0;
}

static int read_some(struct rx_input *in, struct err *err)
{
	return in->fd < 0 ? ask_for_some(in, err) : read_fd(in, err);
}

int rx_input_need(struct rx_input *in, size_t n, struct err *err)
{
	int rc = 0;

	if (rx_input_available(in) < n && in->cap - in->pos < n)
		rc = make_input_room(in, err);
	while (!rc && rx_input_available(in) < n) {
		if (in->ended)
			return err_set(err, ERR_CORRUPT, "early EOF");
		if (in->cap - in->len < READ_MIN)
			rc = make_input_room(in, err);
		if (!rc)
			rc = read_some(in, err);
	}
	return rc;
}

int rx_input_prefer(struct rx_input *in, size_t want, struct err *err)
{
	int rc = 0;

	if (rx_input_available(in) >= want || in->ended || !is_ready(in))
		return 0;
	if (in->cap - in->pos < want || in->cap - in->len < READ_MIN)
		rc = make_input_room(in, err);
	/* As much as there is, so that this is done once for many entries. */
	do {
		if (!rc && in->len < in->cap)
			rc = read_some(in, err);
	} while (!rc && in->len < in->cap && !in->ended && is_ready(in));
	return rc;
}

static int too_large(const struct rx_input *in, struct err *err)
{
	struct strbuf size = STRBUF_INIT;

	strbuf_humanise_bytes(&size, in->max);
	err_set(err, ERR_TOO_BIG, "pack exceeds maximum allowed size (%s)", size.buf);
	strbuf_release(&size);
	return ERR_TOO_BIG;
}

int rx_input_use(struct rx_input *in, size_t n, struct err *err)
{
	in->crc = libdeflate_crc32(in->crc, in->buf + in->pos, n);
	in->pos += n;
	in->offset += n;
	return in->max && in->offset > in->max ? too_large(in, err) : 0;
}
