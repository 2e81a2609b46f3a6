/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pack as it comes from a descriptor: a buffer from which entries are inflated. What has
 * been used is hashed and copied to the file in large pieces, when the buffer is filled again.
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

void rx_input_open(struct rx_input *in, int fd, const void *head, size_t head_len, uint64_t max,
		   const struct hash_algo *algo)
{
	memset(in, 0, sizeof(*in));
	in->fd = fd;
	in->out_fd = -1;
	in->max = max;
	in->cap = st_add(BUFFER_BYTES, head_len);
	in->buf = xmalloc(in->cap);
	if (head_len)
		memcpy(in->buf, head, head_len);
	in->len = head_len;
	hash_init(&in->hash, algo);
}

void rx_input_release(struct rx_input *in)
{
	if (in->buf)
		hash_release(&in->hash);
	FREE_AND_NULL(in->buf);
}

int rx_input_flush(struct rx_input *in, struct err *err)
{
	size_t left = in->len - in->pos;
	int rc = 0;

	if (!in->pos)
		return 0;
	hash_update(&in->hash, in->buf, in->pos);
	if (in->out_fd >= 0)
		rc = write_in_full(in->out_fd, in->buf, in->pos, in->out_name, err);
	if (rc < 0)
		return rc;
	memmove(in->buf, in->buf + in->pos, left);
	in->pos = 0;
	in->len = left;
	return 0;
}

static bool is_ready(const struct rx_input *in)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* One read, which may wait. */
static int read_some(struct rx_input *in, struct err *err)
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

int rx_input_need(struct rx_input *in, size_t n, struct err *err)
{
	int rc = 0;

	if (rx_input_available(in) < n && in->cap - in->pos < n)
		rc = rx_input_flush(in, err);
	while (!rc && rx_input_available(in) < n) {
		if (in->ended)
			return err_set(err, ERR_CORRUPT, "early EOF");
		if (in->len == in->cap)
			rc = rx_input_flush(in, err);
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
	rc = rx_input_flush(in, err);
	/* As much as there is, so that this is done once for many entries. */
	do {
		if (!rc && in->len < in->cap)
			rc = read_some(in, err);
	} while (!rc && in->len < in->cap && !in->ended && is_ready(in));
	return rc;
}

int rx_input_use(struct rx_input *in, size_t n, struct err *err)
{
	in->crc = libdeflate_crc32(in->crc, in->buf + in->pos, n);
	in->pos += n;
	in->offset += n;
	if (in->max && in->offset > in->max)
		return err_set(err, ERR_TOO_BIG, "pack exceeds maximum allowed size (%" PRIu64 " bytes)",
			       in->max);
	return 0;
}
