/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files of the client of receive-pack share. */
#ifndef TRANSPORT_PUSH_INTERNAL_H
#define TRANSPORT_PUSH_INTERNAL_H

#include "pack/write/pack-objects.h"
#include "transport/fetch-internal.h"
#include "transport/push.h"

struct push_session {
	struct fetch_session *f; /* the part shared with fetch: the advertisement, text for the user */
	struct push_session_options o;
};

/* ---- push-pack.c ---- */
struct push_pack {
	struct repository *r;
	const struct push_request_options *o;
	const struct oid_array *wants, *haves;
	bool ofs_delta;
};
MUST_USE int push_pack_write(const struct push_pack *p, const struct pack_sink *sink, struct err *err);
/* Stage pack-HASH.pack and .idx for dir. sums: their hashes; none if there is nothing to send. */
MUST_USE int push_pack_write_files(const struct push_pack *p, const char *dir, struct fsync_batch *b, struct oid_array *sums,
				   struct err *err);

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
