/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages from a server to its broker that describe a request for the hook: see upload/broker.h.
 */
#ifndef UPLOAD_BROKER_REQUEST_H
#define UPLOAD_BROKER_REQUEST_H

#include "compat/posix.h"
#include "upload/upload.h"

/* Size limit of a message; a longer list needs several. */
#define BROKER_MESSAGE_MAX ((size_t)32 * 1024)

/* "End", sent without a request before it. Second byte 1: kill the hook at once. */
#define BROKER_END 'E'

/* Send the whole request. ERR_IO: the broker has exited. */
MUST_USE int broker_request_send(int fd, const struct fetch_request *q, bool bands,
				 struct err *err);

/*
 * "Connect", sent in place of a request by a server that shares packs. The answer is a socket on
 * which a new broker listens.
 */
#define BROKER_CONNECT 'C'

struct broker_request {
	const struct upload_server *s; /* its settings limit the request */
	struct fetch_request q;	       /* the part of the request that the hook gets */
	bool bands;
	struct strbuf filter; /* as received so far */
	unsigned list;	      /* the list that the last oids belong to */
	size_t nr_oids;
};
void broker_request_init(struct broker_request *b, const struct upload_server *s);
void broker_request_release(struct broker_request *b);
/*
 * Parse the next message. Returns 1 if the request is complete, 0 if more messages belong to it.
 * ERR_INVALID, ERR_TOO_BIG: the message cannot come from upload-pack.
 */
int broker_request_take(struct broker_request *b, const void *message, size_t len,
			struct err *err);

#endif
