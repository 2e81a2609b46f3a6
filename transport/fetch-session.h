/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client of upload-pack: gitprotocol-v2(5), gitprotocol-pack(5), versions 0, 1 and 2, over any connection. A bundle
 * is the same to its caller: gitformat-bundle(5).
 *
 *	fetch_session_open_url(&s, url, &connect_options, &options, err)     capabilities; in version 0 the refs, too
 *	fetch_session_refs(s, &prefixes, &refs, err)
 *	fetch_session_get(s, &request, op, &result, err)      negotiates, receives the pack into the operation
 *	rc = fetch_session_end(s, rc, err)                    and only then
 *	repo_operation_end(op, rc, err)
 *	fetch_result_release(&result)
 *
 * The session ends before the operation is committed: a server that fails at last has given nothing.
 *
 * Nothing that comes is trusted. Names of refs and capabilities have caps and are checked; text for the user
 * (band 2, ERR packets, band 3) reaches a terminal without control characters (sideband.allowControlCharacters), each line
 * with "remote: " before it. Whoever is between a promise and the repository checks: the pack is named,
 * resolved, checked (fetch.fsckObjects, transfer.fsckObjects) and found complete before its first name.
 *
 * Durability: the pack, the shallow boundary and all that the caller adds (refs, FETCH_HEAD, configuration) are one
 *             operation; a failure at any byte leaves the repository as it was.
 */
#ifndef TRANSPORT_FETCH_SESSION_H
#define TRANSPORT_FETCH_SESSION_H

#include "compat/posix.h"
#include "history/negotiate.h"
#include "intake/confined.h"
#include "operation/operation.h"
#include "pack/receive/receive.h"
#include "transport/connect.h"
#include "transport/remote-refs.h"
#include "util/strvec.h"
#include "wire/bundle.h"
#include "wire/filter-spec.h"

struct fetch_session;

struct fetch_session_options {
	const struct hash_algo *algo; /* of our repository; NULL: there is none, the server's is taken */
	const struct config_set *config;
	const char *url; /* for sideband.<url>.*; NULL: none */
	const struct strvec *server_options; /* -o; an error if the server cannot take them; NULL: none */
	/* Lines of the other side for the user, "remote: " included; NULL: dropped. */
	void (*tell)(void *data, const char *text, size_t len);
	void *data;
};

/* Reads what the server says of itself. The connection is the session's from now on, in all outcomes. */
MUST_USE int fetch_session_open(struct fetch_session **out, struct connection *c,
				const struct fetch_session_options *o, struct err *err);
/*
 * What is there: a server, which is connected, or the file of a bundle. text is as users write it.
 */
MUST_USE int fetch_session_open_url(struct fetch_session **out, const char *text, const struct connect_options *co,
				    const struct fetch_session_options *o, struct err *err);
/*
 * A bundle, read from fd (which is the session's from now on, in all outcomes) from its beginning; name is for messages.
 * All its objects come, whatever is wanted of them. ERR_NOT_FOUND from fetch_session_get: a prerequisite is not here.
 */
MUST_USE int fetch_session_open_bundle(struct fetch_session **out, int fd, const char *name,
				       const struct fetch_session_options *o, struct err *err);
/* What it says of itself; NULL: a server. */
const struct bundle_header *fetch_session_bundle(const struct fetch_session *s);
/* Ends the connection politely if `rc` is 0; returns rc, or why that failed. NULL is fine. */
MUST_USE int fetch_session_end(struct fetch_session *s, int rc, struct err *err);
/*
 * A remote helper that makes no connection, but lists refs and fetches by itself (gitremote-helpers(7)). Objects can then
 * only be fetched by a session for which the repository was there: connect_options.gitdir.
 */
bool fetch_session_is_helper(const struct fetch_session *s);
/* Could fetch_session_get succeed? ERR_UNSUPPORTED: it is a helper that has other ways, or does not know the values of its refs. */
MUST_USE int fetch_session_check_fetch(const struct fetch_session *s, struct err *err);

int fetch_session_version(const struct fetch_session *s);
const struct hash_algo *fetch_session_algo(const struct fetch_session *s);
/* Does the server know it ("filter", "shallow", "bundle-uri", "ref-in-want", "packfile-uris")? */
bool fetch_session_can(const struct fetch_session *s, const char *feature);

/* Prefixes limit what version 2 sends; NULL or empty: all. With peeled values, symrefs, unborn HEAD. */
MUST_USE int fetch_session_refs(struct fetch_session *s, const struct strvec *prefixes,
				struct remote_refs *out, struct err *err);
/* The key=value lines of the server's bundle list; appended. */
MUST_USE int fetch_session_bundle_uri(struct fetch_session *s, struct strvec *out, struct err *err);

struct fetch_wanted {
	const struct oid_array *oids;	  /* what is missing here; sorted or not, each once */
	const struct strvec *refs;	  /* want-ref, where the server can; NULL: none */
	/* shallow */
	int depth;		/* 0: not said; FETCH_DEPTH_INFINITE: --unshallow */
	bool deepen_relative;
	timestamp_t deepen_since; /* 0: not said */
	const struct strvec *deepen_not; /* names of refs there; NULL: none */
	/*
	 * The server is shallow itself, and nobody asked to deepen: its boundary is taken up as far as what comes ends
	 * there (update_shallow, as for a clone), or that is an error (reject_shallow, ERR_ABORTED); else
	 * what needs it is in result.rejected.
	 */
	bool update_shallow, reject_shallow;
	/* what is left out */
	const struct filter_spec *filter; /* NULL, or no parts: nothing */
	bool filter_auto; /* that of the promisor remotes that the server offers and we accept; `filter` is not looked at */
	bool from_promisor; /* the pack's objects are promised: a .promisor goes beside it */
	const struct remote_refs *sought; /* whose lines "OID NAME" are in that; NULL: none */
	bool refetch;	    /* as if nothing were here */
	/* negotiation */
	enum negotiation_algorithm algorithm;
	const struct oid_array *tips; /* --negotiation-restrict: what haves begin with; NULL: all refs */
	struct oid_array *include; /* --negotiation-include: haves in any case, if they are here; NULL: none */
	/* Refs of repositories that we borrow from: haves begin with them as well, and they are complete. NULL: none. */
	const struct oid_array *borrowed;
	bool negotiate_only;	      /* result.common and no pack; of `tips`, in version 2 */
	/* the pack */
	bool include_tag, thin;
	bool cloning;	    /* for a remote helper: the repository is new */
	bool no_dependents; /* single objects are asked for: no haves, no check of completeness */
	struct fsck_options *fsck; /* fetch.fsckObjects: the caller's; NULL: contents are not checked */
	bool keep, lock_pack; /* never loose; with a file .keep beside it, too */
	const char *keep_msg; /* what is in that; NULL: nothing */
	/* How far it is; may be NULL. */
	void (*meter)(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total, uint64_t bytes);
	void *meter_data;
	bool quiet; /* the server shall show no progress */
};
#define FETCH_DEPTH_INFINITE 0x7fffffff

/* Does it move the boundary? Then even what is here has to be asked for. */
bool fetch_wanted_deepens(const struct fetch_wanted *w);

/*
 * Drop from `wants` what is here and whole: what our refs name; and if the others are here, and all that they lead
 * to, these, too. promised: what a promisor has promised may be missing; complete: as in connected_options. Cost: one check of connectivity.
 */
MUST_USE int fetch_drop_present(struct repository *r, bool promised, const struct oid_array *complete, struct oid_array *wants,
		       struct err *err);

/* Drop what refs name alone: what else is here was checked by nobody, if a remote helper may have put it here. */
MUST_USE int fetch_drop_named(struct repository *r, struct oid_array *wants, struct err *err);

struct fetch_result {
	struct oid_array common;  /* what both have: negotiate_only */
	struct oid_array shallow, unshallow; /* how our boundary has changed; staged in the operation */
	/*
	 * Of what was wanted: no ref may name these, because their history ends at the server's own boundary. "rejected
	 * REF because shallow roots are not allowed to be updated"
	 */
	struct oid_array rejected;
	struct remote_refs wanted_refs; /* what refs of `refs` stand for */
	uint64_t objects, bytes; /* of the pack */
	struct object_id pack;	 /* its checksum; null: nothing was needed */
	struct pack_receive **others; /* internal: packs that came by their URIs; */
	size_t nr_others;
	/* what the operation has still to publish */
	struct pack_receive *received;
	struct intake_result intake;
	struct strvec keeps; /* internal: files .keep of a helper, which go with this */
};
/* Release it after the end of the operation. */
void fetch_result_init(struct fetch_result *r);
void fetch_result_release(struct fetch_result *r);

/*
 * Get what is wanted into the operation, which the caller commits: objects of few packs go loose
 * (fetch.unpackLimit, transfer.unpackLimit), else a pack. All that oids lead to is here then, or the call has failed.
 *
 * Errors: ERR_IO (the connection), ERR_CORRUPT (the pack, the protocol), ERR_ABORTED (the server's own
 *         refusal, with its text), ERR_NOT_FOUND (an object is missing behind what came).
 */
MUST_USE int fetch_session_get(struct fetch_session *s, const struct fetch_wanted *w,
			       struct repo_operation *op, struct repository *r,
			       struct fetch_result *result, struct err *err);

#endif
