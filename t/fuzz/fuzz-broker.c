/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a server that was taken over sends to its broker: messages, each behind two bytes with its
 * length. What is accepted is what upload-pack can ask for: sent again, it is the same request.
 */
#include "compat/posix.h"
#include <sys/socket.h>
#include "t/fuzz/fuzz.h"
#include "t/fuzz/scratch.h"
#include "upload/broker-message.h"
#include "upload/broker-request.h"

static struct upload_server server;

static bool same_list(const struct oid_array *a, const struct oid_array *b)
{
	for (size_t i = 0; i < a->nr && i < b->nr; i++)
		if (!oid_eq(&a->oid[i], &b->oid[i]))
			return false;
	return a->nr == b->nr;
}

static void check_same(const struct broker_request *x, const struct broker_request *y)
{
	const struct fetch_request *a = &x->q, *b = &y->q;
	struct strbuf f = STRBUF_INIT, g = STRBUF_INIT;

	filter_spec_format(&a->filter, &f);
	filter_spec_format(&b->filter, &g);
	if (strcmp(f.buf, g.buf) != 0 || !same_list(&a->cut, &b->cut) ||
	    !same_list(&a->wants, &b->wants) || !same_list(&a->haves, &b->haves) ||
	    !same_list(&a->unshallowed, &b->unshallowed) || a->thin != b->thin ||
	    a->ofs_delta != b->ofs_delta || a->include_tag != b->include_tag ||
	    a->no_progress != b->no_progress || x->bands != y->bands || !a->wants.nr)
		abort();
	strbuf_release(&f);
	strbuf_release(&g);
}

static void check_again(const struct broker_request *b)
{
	unsigned char message[BROKER_MESSAGE_MAX];
	struct broker_request again;
	int pair[2], rc = 0;

	if (broker_message_pair(pair, NULL) < 0 ||
	    broker_request_send(pair[0], &b->q, b->bands, NULL) < 0 || shutdown(pair[0], SHUT_WR) < 0)
		abort();
	broker_request_init(&again, &server);
	while (!rc) {
		int n = broker_message_receive(pair[1], message, sizeof(message), NULL, NULL);

		rc = n <= 0 ? -1 : broker_request_take(&again, message, (size_t)n, NULL);
	}
	if (rc < 0)
		abort();
	check_same(b, &again);
	broker_request_release(&again);
	close(pair[0]);
	close(pair[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct broker_request b;
	int rc = 0;

	server.repo = scratch_repo();
	server.config.allow_filter = true;
	broker_request_init(&b, &server);
	if (size > 60000)
		size = 60000; /* so that the socket takes all of it */
	while (!rc && size >= 2) {
		size_t len = (size_t)data[0] << 8 | data[1];

		data += 2;
		size -= 2;
		if (len > size)
			len = size;
		rc = broker_request_take(&b, data, len, NULL);
		data += len;
		size -= len;
	}
	if (rc > 0)
		check_again(&b);
	broker_request_release(&b);
	return 0;
}
