/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages between a server and its broker (upload/broker.h), some with descriptors. They travel on a
 * stream, each behind four bytes with its length (big endian): macOS has no SOCK_SEQPACKET for AF_UNIX, and
 * its datagrams hold 2 kB and have no end of file. Sent by sendmsg(2) and received by recvmsg(2) alone, as
 * the server's sandbox allows.
 */
#ifndef UPLOAD_BROKER_MESSAGE_H
#define UPLOAD_BROKER_MESSAGE_H

#include "compat/posix.h"
#include "util/err.h"

/* Descriptors that one message may carry. */
#define BROKER_FDS_MAX 2

struct broker_fds {
	int fd[BROKER_FDS_MAX];
	size_t nr;
};
void broker_fds_close(struct broker_fds *fds);

/* Create the two ends, both close-on-exec. */
MUST_USE int broker_message_pair(int pair[2], struct err *err);

/*
 * Send a message of 1 to INT_MAX bytes. `fds` may be NULL; the descriptors stay with the caller.
 * ERR_IO: the other end has been closed.
 */
MUST_USE int broker_message_send(int socket, const void *message, size_t len, const struct broker_fds *fds,
				 struct err *err);
/*
 * Wait for a message. Returns its length; 0: the other end has been closed. ERR_INVALID: an empty message, or
 * one of more than `size` bytes; the connection is of no use then. Descriptors that came along belong to the caller in
 * `fds`; without `fds` they are closed.
 */
MUST_USE int broker_message_receive(int socket, void *message, size_t size, struct broker_fds *fds,
				    struct err *err);

#endif
