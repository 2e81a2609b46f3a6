/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fetches from a server that only has files: gitprotocol-http(5), "Dumb Clients"; gitrepository-layout(5). The refs are in
 * info/refs and HEAD. The walk begins at the wanted objects, and gets each missing object: as a loose object, or in a pack of
 * objects/info/packs whose index lists it, or from the repositories that objects/info/alternates names.
 *
 * No input is trusted: each object is hashed; a confined process receives each pack (intake/confined.h) like any other pack; no
 * size is believed. The walk also follows objects that are here already, unless refs lead to them.
 *
 * Errors:     ERR_NOT_FOUND: no place has an object; ERR_CORRUPT; errors of transport/http/http.h. After an error nothing is kept.
 * Durability: none of its own: all objects are staged in the operation.
 * Cost:       a request for each loose object, one after the other. A pack is downloaded whole, even for one object, and takes
 *             two processes.
 *             Memory: 50 bytes for each object, and contents up to core.bigFileThreshold. Indexes of packs are mapped files.
 */
#ifndef TRANSPORT_HTTP_HTTP_WALK_H
#define TRANSPORT_HTTP_HTTP_WALK_H

#include "compat/posix.h"
#include "operation/operation.h"
#include "transport/http/http.h"
#include "transport/remote-refs.h"

struct http_walk_options {
	struct repository *r;
	struct http_client *client; /* of the repository, after its first request: see http_base */
	/* A client for another place. It becomes the walk's. */
	int (*open)(void *data, const char *url, struct http_client **out, struct err *err);
	void (*warn)(void *data, const char *msg);
	void (*say)(void *data, const char *line); /* called for each step; NULL: not needed */
	void *data;
	uint64_t max_idx_bytes; /* of all indexes of packs together; 0: 4 GiB */
	bool thorough; /* do not stop at objects that refs lead to: git-http-fetch(1), --recover */
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
 * Read the refs from info/refs, whose content is given, and HEAD. ERR_CORRUPT: a malformed line or name, or a name that comes
 * twice. *algo: found by the length of the ids; unchanged if there is no ref.
 */
MUST_USE int http_walk_refs(struct http_client *c, const struct strbuf *info_refs, struct remote_refs *out,
			    const struct hash_algo **algo, struct err *err);

#endif
