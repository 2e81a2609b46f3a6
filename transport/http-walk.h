/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fetching from a server that knows only files: gitprotocol-http(5), "Dumb Clients"; gitrepository-layout(5). Its refs are in
 * info/refs and HEAD. From the wanted objects on, what is not there yet is taken: as a loose object, or with a pack that an index
 * listed in objects/info/packs has it in, or from the repositories that objects/info/alternates names.
 *
 * Nothing that comes is trusted: each object is hashed, each pack received as any other, by a confined process
 * (intake/confined.h), and no size is believed. What an object of ours leads to is walked, too, unless refs lead to it.
 *
 * Errors:     ERR_NOT_FOUND: an object is nowhere; ERR_CORRUPT; those of transport/http.h. Nothing is kept after any of them.
 * Durability: none of its own: all is staged in the operation.
 * Cost:       a request for each loose object, one after the other; a pack comes whole, for one object as for all of them, and
 *             takes two processes.
 *             Memory: 50 bytes for each object, and contents up to core.bigFileThreshold. Indexes of packs are mapped files.
 */
#ifndef TRANSPORT_HTTP_WALK_H
#define TRANSPORT_HTTP_WALK_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "transport/http.h"
#include "transport/remote-refs.h"

struct http_walk_options {
	struct repository *r;
	struct http_client *client; /* of the repository, after its first request: see http_base */
	/* A client for another place. It becomes the walk's. */
	int (*open)(void *data, const char *url, struct http_client **out, struct err *err);
	void (*warn)(void *data, const char *msg);
	void (*say)(void *data, const char *line); /* each step; NULL: nobody wants to know */
	void *data;
	uint64_t max_idx_bytes; /* of all indexes of packs together; 0: 4 GiB */
	bool thorough; /* nothing counts as complete: git-http-fetch(1), --recover */
};
struct http_walk;
/* The operation's objects are open. o stays the caller's, and is needed as long as the walk. */
struct http_walk *http_walk_new(struct repo_operation *op, const struct http_walk_options *o);
MUST_USE int http_walk_run(struct http_walk *w, const struct oid_array *wants, struct err *err);
/* For ref_transaction_know_value, before the objects are published: the type, and what a tag leads to in the end (else null). */
MUST_USE int http_walk_peel(struct http_walk *w, const struct object_id *oid, enum object_type *type,
			    struct object_id *peeled, struct err *err);
void http_walk_free(struct http_walk *w); /* after the end of the operation; NULL is fine */

/*
 * The refs: info/refs, whose content is given, and HEAD. ERR_CORRUPT: a line is none, a name is none, or comes twice. *algo:
 * by the length of the ids; as it was if there is none.
 */
MUST_USE int http_walk_refs(struct http_client *c, const struct strbuf *info_refs, struct remote_refs *out,
			    const struct hash_algo **algo, struct err *err);

#endif
