/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "hash/hash.h"
#include "wire/pkt-line.h"
#include "write-or-die.h"

int pkt_write(int fd, const void *p, size_t len, struct err *err)
{
	char head[5];
	struct iovec iov[2] = { { head, 4 }, { (void *)p, len } };

	if (len > PKT_PAYLOAD_MAX)
		BUG("packet of %zu bytes", len);
	snprintf(head, sizeof(head), "%04x", (unsigned)(len + 4) & 0xffff);
	return writev_in_full(fd, iov, 2, "packet", err);
}

int pkt_writef(int fd, struct err *err, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	if (sb.len > PKT_PAYLOAD_MAX)
		rc = err_set(err, ERR_TOO_BIG, "line of %zu bytes does not fit in a packet",
			     sb.len);
	else
		rc = pkt_write(fd, sb.buf, sb.len, err);
	strbuf_release(&sb);
	return rc;
}

int pkt_flush(int fd, struct err *err)
{
	return write_in_full(fd, "0000", 4, "flush packet", err);
}

int pkt_write_all(int fd, const void *p, size_t len, struct err *err)
{
	const char *s = p;

	while (len) {
		size_t n = len < PKT_PAYLOAD_MAX ? len : PKT_PAYLOAD_MAX;
		int rc = pkt_write(fd, s, n, err);

		if (rc < 0)
			return rc;
		s += n;
		len -= n;
	}
	return 0;
}

int pkt_parse_length(const char *head)
{
	int len = 0;

	for (int i = 0; i < 4; i++) {
		int v = hex_value((unsigned char)head[i]);

		if (v < 0)
			return -1;
		len = len * 16 + v;
	}
	return len;
}

/* Without the four bytes themselves, where there are as many. */
int pkt_bad_length(const char *head, struct err *err)
{
	int len = pkt_parse_length(head);

	if (len < 0)
		return err_set(err, ERR_CORRUPT, "protocol error: bad line length character: %.4s", head);
	return err_set(err, ERR_CORRUPT, "protocol error: bad line length %d", len < 4 ? len : len - 4);
}

int pkt_read(int fd, struct strbuf *buf, struct err *err)
{
	char head[4];
	ssize_t n = read_in_full(fd, head, 4);
	int len;

	if (n < 0)
		return err_set_errno(err, "cannot read a packet");
	if (!n)
		return PKT_EOF;
	if (n < 4)
		return err_set(err, ERR_CORRUPT, "the remote end hung up unexpectedly");
	len = pkt_parse_length(head);
	if (len >= 0 && len < 3)
		return PKT_FLUSH + len;
	if (len < 4 || len > PKT_MAX)
		return pkt_bad_length(head, err);
	len -= 4;
	strbuf_reset(buf);
	strbuf_grow(buf, (size_t)len);
	n = read_in_full(fd, buf->buf, (size_t)len);
	if (n < 0)
		return err_set_errno(err, "cannot read a packet");
	if (n < len)
		return err_set(err, ERR_CORRUPT, "the remote end hung up unexpectedly");
	strbuf_setlen(buf, (size_t)len);
	return PKT_DATA;
}

int pkt_read_all(int fd, struct strbuf *buf, size_t max, struct err *err)
{
	struct strbuf one = STRBUF_INIT;
	int rc;

	while ((rc = pkt_read(fd, &one, err)) == PKT_DATA) {
		if (max && buf->len + one.len > max) {
			rc = err_set(err, ERR_TOO_BIG, "response of more than %zu bytes", max);
			break;
		}
		strbuf_addbuf(buf, &one);
	}
	strbuf_release(&one);
	if (rc == PKT_FLUSH)
		return 0;
	return rc < 0 ? rc : err_set(err, ERR_CORRUPT, "unexpected packet or end of input");
}
