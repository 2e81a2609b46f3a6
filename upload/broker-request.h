/* SPDX-License-Identifier: GPL-2.0-only */
/* A request for the hook as messages from a server to its broker: see upload/broker.h. */
#ifndef UPLOAD_BROKER_REQUEST_H
#define UPLOAD_BROKER_REQUEST_H

#include "compat/posix.h"
#include "upload/upload.h"

/* The largest message; longer lists take several. */
#define BROKER_MESSAGE_MAX ((size_t)32 * 1024)

/* "End": without a request before it. The second byte: 1: at once. */
#define BROKER_END 'E'

/* Send all of it. ERR_IO: the broker has gone. */
MUST_USE int broker_request_send(int fd, const struct fetch_request *q, bool bands,
				 struct err *err);

/*
 * "Connect": instead of a request, by a server that shares packs. The answer is a socket, on which a
 * broker of its own listens.
 */
#define BROKER_CONNECT 'C'

struct broker_request {
	const struct upload_server *s; /* whose settings say what may be asked for */
	struct fetch_request q;	       /* the part of it that the hook gets */
	bool bands;
	struct strbuf filter; /* as it comes */
	unsigned list;	      /* the last one that oids came for */
	size_t nr_oids;
};
void broker_request_init(struct broker_request *b, const struct upload_server *s);
void broker_request_release(struct broker_request *b);
/*
 * The next message. 1: the request is complete; 0: more belong to it. ERR_INVALID, ERR_TOO_BIG:
 * upload-pack does not send that.
 */
int broker_request_take(struct broker_request *b, const void *message, size_t len,
			struct err *err);

#endif
