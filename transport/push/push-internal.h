/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files of the client of receive-pack share. */
#ifndef TRANSPORT_PUSH_PUSH_INTERNAL_H
#define TRANSPORT_PUSH_PUSH_INTERNAL_H

#include "transport/fetch/fetch-session-state.h"
#include "transport/push/push-pack.h"
#include "transport/push/push.h"

struct push_session {
	struct fetch_session *f; /* the part shared with fetch: the advertisement, text for the user */
	struct push_session_options o;
};

/* ---- push-report.c: the answer of the server ---- */
struct push_answer {
	struct push_session *s;
	bool bands;
	struct strbuf report; /* pkt-lines */
	size_t max_bytes;
	struct err err;
	int rc;
};
/* Read up to the flush packet at the end. Text for the user is printed at once. */
void push_answer_read(struct push_answer *a);
/* Set statuses and results of the updates. ERR_ABORTED: "remote unpack failed: …"; ERR_CORRUPT. */
MUST_USE int push_answer_take(struct push_answer *a, struct push_list *l, struct err *err);

/* ---- push-helper.c: a remote helper that pushes by itself ---- */
MUST_USE int push_by_helper(struct push_session *s, const struct push_request_options *o, struct push_list *l,
			    struct err *err);

/* ---- push-cert.c ---- */
/* The signed certificate of these commands ("OLD NEW NAME\n" each) for a server with that nonce. */
MUST_USE int push_cert_make(struct push_session *s, struct repository *r, const struct push_request_options *o,
			    const char *nonce, const struct strbuf *commands, struct strbuf *out, struct err *err);

#endif
