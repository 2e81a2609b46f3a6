/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gets objects from bundles at URIs, before the server sends the rest: git-clone(1), --bundle-uri; fetch.bundleURI;
 * gitprotocol-v2(5), bundle-uri.
 *
 *	bundle_uri_result_init(&result)
 *	bundle_uri_get(r, op, uri, &options, &result, err)
 *	… result.tips are here, with all that they lead to; result.refs get their names with the operation …
 *	bundle_uri_result_release(&result)             after the end of the operation
 *
 * A bundle is checked like a pack from a server: objects are named and resolved, and found complete. A bundle that cannot
 * be read or used is skipped with a warning, because the server has all objects. The mode of a list decides which of its
 * bundles are read. A list may contain lists, up to a depth; each URI is read once.
 *
 * Durability: the packs belong to the operation. They get their names at once, since later objects depend on them; the
 *             operation seals them. If the operation fails, no ref names their objects.
 * Cost:       no flush if one flush seals all names; else one for each bundle.
 */
#ifndef TRANSPORT_FETCH_BUNDLE_URI_H
#define TRANSPORT_FETCH_BUNDLE_URI_H

#include "compat/posix.h"
#include "transport/bundle-list.h"
#include "transport/download.h"
#include "transport/fetch/fetch-session.h"

#define BUNDLE_URI_DEPTH_MAX 4u	    /* lists in lists */
#define BUNDLE_URI_DOWNLOADS_MAX 1000u
#define BUNDLE_URI_WAITING_MAX 200u /* bundles that wait for others; each is an open file */

struct bundle_uri_options {
	struct download_options download;
	struct fetch_wanted wanted; /* fsck, from_promisor, meter, borrowed: as in a fetch */
	uint64_t after; /* fetch.bundleCreationToken: in a list by token only bundles with a greater one; 0: all */
};

struct bundle_uri_result {
	struct oid_array tips;	 /* sorted */
	struct remote_refs refs; /* "refs/bundles/…", each name once */
	bool by_token; /* the list is for incremental fetches */
	uint64_t token; /* all bundles up to this creationToken are here; 0: none */
	size_t nr; /* number of bundles that were used */
	struct fetch_result *results; /* internal */
	size_t nr_results, alloc;
};
void bundle_uri_result_init(struct bundle_uri_result *out);
void bundle_uri_result_release(struct bundle_uri_result *out);

/* Returns only errors of the operation, which has then failed. Every other fault is a warning (repo_warn). */
MUST_USE int bundle_uri_get(struct repository *r, struct repo_operation *op, const char *uri,
			    const struct bundle_uri_options *o, struct bundle_uri_result *out, struct err *err);
/* The same for a list that the caller has read already. */
MUST_USE int bundle_uri_get_list(struct repository *r, struct repo_operation *op, const struct bundle_list *list,
				 const struct bundle_uri_options *o, struct bundle_uri_result *out, struct err *err);

#endif
