/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <poll.h>
#include "compat/syscalls.h"
#include "util/alloc.h"
#include "wire/pkt-reader.h"
#include "wire/pkt-trace.h"

/* Room for a whole packet and for the NUL behind it. */
#define BUFFER_BYTES ((size_t)64 * 1024)

void pkt_reader_init(struct pkt_reader *r, int fd)
{
	memset(r, 0, sizeof(*r));
	r->fd = fd;
}

void pkt_reader_release(struct pkt_reader *r)
{
	FREE_AND_NULL(r->buf);
	r->start = r->end = r->len = 0;
	r->line = NULL;
}

/* Wait until there is something to read. */
static int await_input(const struct pkt_reader *r, struct err *err)
{
	struct pollfd pfd = { .fd = r->fd, .events = POLLIN };
	int timeout_ms = !r->timeout_s ? -1
		: r->timeout_s > INT_MAX / 1000 ? INT_MAX : (int)r->timeout_s * 1000;
	long rc = RETRY_EINTR(poll(&pfd, 1, timeout_ms));

	if (rc < 0)
		return err_set_errno(err, "cannot wait for a packet");
	if (!rc)
		return err_set(err, ERR_IO, "the client has been silent for %u seconds",
			       r->timeout_s);
	return 0;
}

/* Read more: the number of bytes, 0 at the end of input. */
static ssize_t fill(struct pkt_reader *r, struct err *err)
{
	ssize_t n;
	int rc;

	if (!r->buf)
		r->buf = xmalloc(BUFFER_BYTES + 1);
	if (r->start) {
		memmove(r->buf, r->buf + r->start, r->end - r->start);
		r->end -= r->start;
		r->start = 0;
	}
	for (;;) {
		if (r->timeout_s && (rc = await_input(r, err)) < 0)
			return rc;
		n = RETRY_EINTR(sys->read(r->fd, r->buf + r->end, BUFFER_BYTES - r->end));
		if (n >= 0)
			break;
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			return err_set_errno(err, "cannot read a packet");
		if ((rc = await_input(r, err)) < 0)
			return rc;
	}
	r->end += (size_t)n;
	return n;
}

/* The input has ended, and inside of a packet if `cut`. 0: that is PKT_EOF. */
static int take_eof(struct pkt_reader *r, bool cut, struct err *err)
{
	if (r->on_eof == PKT_EOF_ANYWHERE || (r->on_eof == PKT_EOF_BETWEEN && !cut))
		return 0;
	r->hung_up = true;
	return err_set(err, ERR_CORRUPT, "the remote end hung up unexpectedly");
}

/* Have at least `want` bytes: 1; 0 or < 0 if the input ended before: take_eof. */
static int need(struct pkt_reader *r, size_t want, struct err *err)
{
	while (r->end - r->start < want) {
		ssize_t n = fill(r, err);

		if (n < 0)
			return (int)n;
		if (!n)
			return take_eof(r, r->end != r->start, err);
	}
	return 1;
}

/* Give the byte back that the NUL behind the last payload stands for. */
static void restore_byte(struct pkt_reader *r)
{
	if (r->line)
		r->line[r->len] = r->under_nul;
	r->line = NULL;
	r->len = 0;
}

int pkt_reader_next(struct pkt_reader *r, struct err *err)
{
	int rc, len;

	restore_byte(r);
	if ((rc = need(r, 4, err)) <= 0)
		return rc < 0 ? rc : PKT_EOF;
	len = pkt_parse_length(r->buf + r->start);
	if (len >= 0 && len < 3) {
		pkt_trace('<', r->buf + r->start, 4);
		r->start += 4;
		return PKT_FLUSH + len;
	}
	if (len < 4 || len > PKT_MAX)
		return pkt_bad_length(r->buf + r->start, err);
	if ((rc = need(r, (size_t)len, err)) <= 0)
		return rc < 0 ? rc : PKT_EOF;
	r->line = r->buf + r->start + 4;
	r->len = (size_t)len - 4;
	r->start += (size_t)len;
	r->under_nul = r->line[r->len];
	r->line[r->len] = '\0';
	pkt_trace('<', r->line, r->len);
	return PKT_DATA;
}

int pkt_reader_line(struct pkt_reader *r, struct err *err)
{
	int kind = pkt_reader_next(r, err);

	if (kind == PKT_DATA && r->len && r->line[r->len - 1] == '\n') {
		r->line[r->len] = r->under_nul;
		r->line[--r->len] = '\0';
		r->under_nul = '\n';
	}
	return kind;
}

bool pkt_reader_has_next(const struct pkt_reader *r)
{
	char head[4];
	int len;

	if (r->end - r->start < sizeof(head))
		return false;
	memcpy(head, r->buf + r->start, sizeof(head));
	if (r->line == r->buf + r->start - r->len && r->line)
		head[0] = r->under_nul;
	len = pkt_parse_length(head);
	return len < 4 || r->end - r->start >= (size_t)len;
}

int pkt_reader_raw(struct pkt_reader *r, void *buf, size_t len, size_t *got, struct err *err)
{
	ssize_t n;

	restore_byte(r);
	if (r->end == r->start) {
		n = fill(r, err);
		if (n < 0)
			return (int)n;
	}
	if (len > r->end - r->start)
		len = r->end - r->start;
	memcpy(buf, r->buf + r->start, len);
	r->start += len;
	*got = len;
	return 0;
}
