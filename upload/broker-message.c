/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <limits.h>
#include <sys/socket.h>
#include "compat/socket.h"
#include "compat/syscalls.h"
#include "upload/broker-message.h"
#include "util/bytes.h"

union fds_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(BROKER_FDS_MAX * sizeof(int))];
};

int broker_message_pair(int pair[2], struct err *err)
{
	if (os_socketpair(AF_UNIX, SOCK_STREAM, pair) < 0)
		return err_set_errno(err, "cannot create a socket pair");
	return 0;
}

/* ---- sending ---- */

static void attach_fds(struct msghdr *m, union fds_control *control, const struct broker_fds *fds)
{
	struct cmsghdr *c;

	m->msg_control = control->bytes;
	m->msg_controllen = CMSG_SPACE(fds->nr * sizeof(int));
	c = CMSG_FIRSTHDR(m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(fds->nr * sizeof(int));
	memcpy(CMSG_DATA(c), fds->fd, fds->nr * sizeof(int));
}

/* Take `n` bytes that were sent off the front of the pieces. */
static void drop_sent(struct iovec *pieces, size_t nr, size_t n)
{
	for (size_t i = 0; i < nr; i++) {
		size_t part = n < pieces[i].iov_len ? n : pieces[i].iov_len;

		pieces[i].iov_base = (char *)pieces[i].iov_base + part;
		pieces[i].iov_len -= part;
		n -= part;
	}
}

int broker_message_send(int socket, const void *message, size_t len, const struct broker_fds *fds,
			struct err *err)
{
	union fds_control control = { .bytes = { 0 } };
	unsigned char head[4];
	struct iovec pieces[2] = { { head, sizeof(head) }, { (void *)message, len } };
	struct msghdr m = { .msg_iov = pieces, .msg_iovlen = 2 };

	put_be32(head, (uint32_t)len);
	if (fds && fds->nr)
		attach_fds(&m, &control, fds);
	while (pieces[0].iov_len + pieces[1].iov_len) {
		ssize_t n = RETRY_EINTR(sendmsg(socket, &m, MSG_NOSIGNAL));

		if (n < 0)
			return err_set_errno(err, "cannot talk to the process that runs hooks");
		drop_sent(pieces, 2, (size_t)n);
		m.msg_control = NULL; /* with the first byte they have been sent */
		m.msg_controllen = 0;
	}
	return 0;
}

/* ---- receiving ---- */

void broker_fds_close(struct broker_fds *fds)
{
	for (size_t i = 0; i < fds->nr; i++)
		close(fds->fd[i]);
	fds->nr = 0;
}

static void take_fds(struct msghdr *m, struct broker_fds *fds)
{
	struct cmsghdr *c = m->msg_controllen ? CMSG_FIRSTHDR(m) : NULL;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	broker_fds_close(fds);
	fds->nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds->fd, CMSG_DATA(c), fds->nr * sizeof(int));
}

/* All `len` bytes: 1. The other end was closed before: 0. */
static int receive_bytes(int socket, void *buf, size_t len, struct broker_fds *fds, struct err *err)
{
	for (size_t at = 0; at < len;) {
		union fds_control control;
		struct iovec piece = { (char *)buf + at, len - at };
		struct msghdr m = { .msg_iov = &piece, .msg_iovlen = 1 };
		ssize_t n;

		if (fds) {
			m.msg_control = control.bytes;
			m.msg_controllen = sizeof(control.bytes);
		}
		n = RETRY_EINTR(os_recvmsg(socket, &m));
		if (n < 0 && errno != ECONNRESET)
			return err_set_errno(err, "cannot receive from the other process");
		if (n <= 0)
			return 0;
		if (fds)
			take_fds(&m, fds);
		at += (size_t)n;
	}
	return 1;
}

int broker_message_receive(int socket, void *message, size_t size, struct broker_fds *fds, struct err *err)
{
	unsigned char head[4];
	uint32_t len = 0;
	int rc;

	if (fds)
		fds->nr = 0;
	rc = receive_bytes(socket, head, sizeof(head), fds, err);
	if (rc > 0) {
		len = get_be32(head);
		rc = len && len <= size && len <= INT_MAX ? receive_bytes(socket, message, len, fds, err) :
			err_set(err, ERR_INVALID, "broker: a message of an impossible length");
	}
	if (rc <= 0 && fds)
		broker_fds_close(fds);
	return rc > 0 ? (int)len : rc;
}
