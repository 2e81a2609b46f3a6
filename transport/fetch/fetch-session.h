/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The client of upload-pack: gitprotocol-v2(5), gitprotocol-pack(5), versions 0, 1 and 2, over any connection. A session
 * can also read a bundle (gitformat-bundle(5)) through the same functions.
 *
 *	fetch_session_open_url(&s, url, &connect_options, &options, err)     capabilities; in version 0 the refs, too
 *	fetch_session_refs(s, &prefixes, &refs, err)
 *	fetch_session_get(s, &request, op, &result, err)      negotiates, receives the pack into the operation
 *	rc = fetch_session_end(s, rc, err)                    and only then
 *	repo_operation_end(op, rc, err)
 *	fetch_result_release(&result)
 *
 * The session ends before the operation is committed: if the server fails at the end, nothing is published.
 *
 * No input from the server is trusted. Names of refs and capabilities have caps and are checked. Text for the user (band 2,
 * ERR packets, band 3) reaches a terminal without control characters (sideband.allowControlCharacters), and "remote: "
 * precedes each line. The pack is hashed, resolved, checked (fetch.fsckObjects, transfer.fsckObjects) and found complete
 * before it gets its first name in the repository.
 *
 * Durability: the pack, the shallow boundary and all changes of the caller (refs, FETCH_HEAD, configuration) are one
 *             operation. A failure at any byte leaves the repository as it was.
 */
#ifndef TRANSPORT_FETCH_FETCH_SESSION_H
#define TRANSPORT_FETCH_FETCH_SESSION_H

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
	const struct hash_algo *algo; /* of our repository; NULL: there is no repository, use the server's */
	const struct config_set *config;
	const char *url; /* for sideband.<url>.*; NULL: none */
	const struct strvec *server_options; /* -o; an error if the server does not support them; NULL: none */
	/* remote.<name>.serverOption, where there is no -o; protocols before version 2 are used without; NULL: none */
	const struct strvec *configured_options;
	/* Lines of the other side for the user, "remote: " included; NULL: dropped. */
	void (*tell)(void *data, const char *text, size_t len);
	void *data;
};

/* Open a session and read the server's capabilities. The session owns the connection from now on, on all outcomes. */
MUST_USE int fetch_session_open(struct fetch_session **out, struct connection *c,
				const struct fetch_session_options *o, struct err *err);
/*
 * Open a session with the repository or bundle at `text`, a URL or path as users write it. Connects to a server.
 */
MUST_USE int fetch_session_open_url(struct fetch_session **out, const char *text, const struct connect_options *co,
				    const struct fetch_session_options *o, struct err *err);
/*
 * Open a bundle and read it from fd, from the beginning. The session owns fd from now on, on all outcomes. name is for
 * messages. fetch_session_get takes all objects of the bundle; it returns ERR_NOT_FOUND if a prerequisite is missing.
 */
MUST_USE int fetch_session_open_bundle(struct fetch_session **out, int fd, const char *name,
				       const struct fetch_session_options *o, struct err *err);
/* The header of the bundle; NULL: the session has a server. */
const struct bundle_header *fetch_session_bundle(const struct fetch_session *s);
/* End the connection, in the way the protocol wants it if `rc` is 0. Returns rc, or the error of that end. NULL is fine. */
MUST_USE int fetch_session_end(struct fetch_session *s, int rc, struct err *err);
/*
 * True: a remote helper lists refs and fetches by itself, without a connection (gitremote-helpers(7)). Such a session can
 * fetch objects only if the repository existed when it was opened: connect_options.gitdir.
 */
bool fetch_session_is_helper(const struct fetch_session *s);
/* For such a session: the repository is there now. False: the helper takes no other one; end the session. */
bool fetch_session_use_gitdir(struct fetch_session *s, const char *gitdir);
/* ERR_UNSUPPORTED: fetch_session_get would fail: the helper has no "fetch", or does not know the values of its refs. */
MUST_USE int fetch_session_check_fetch(const struct fetch_session *s, struct err *err);

int fetch_session_version(const struct fetch_session *s);
const struct hash_algo *fetch_session_algo(const struct fetch_session *s);
/* Does the server support a feature ("filter", "shallow", "bundle-uri", "ref-in-want", "packfile-uris")? */
bool fetch_session_can(const struct fetch_session *s, const char *feature);

/* List the refs, with peeled values, symrefs and unborn HEAD. Version 2 sends only names with a prefix; NULL or empty: all. */
MUST_USE int fetch_session_refs(struct fetch_session *s, const struct strvec *prefixes,
				struct remote_refs *out, struct err *err);
/* The key=value lines of the server's bundle list; appended. */
MUST_USE int fetch_session_bundle_uri(struct fetch_session *s, struct strvec *out, struct err *err);

struct fetch_wanted {
	const struct oid_array *oids;	  /* objects missing here; in any order, each once */
	const struct strvec *refs;	  /* want-ref, if the server supports it; NULL: none */
	/* shallow */
	int depth;		/* 0: not set; FETCH_DEPTH_INFINITE: --unshallow */
	bool deepen_relative;
	timestamp_t deepen_since; /* 0: not set */
	const struct strvec *deepen_not; /* names of refs of the server; NULL: none */
	/*
	 * If the server is shallow itself and the request does not deepen. update_shallow (as in a clone): commits of the
	 * server's boundary that the fetched history reaches join our boundary. reject_shallow: ERR_ABORTED. Neither:
	 * result.rejected gets the wanted ids that need the server's boundary.
	 */
	bool update_shallow, reject_shallow;
	/* omitted objects */
	const struct filter_spec *filter; /* NULL, or no parts: no filter */
	bool filter_auto; /* use the filters of the offered promisor remotes that we accept, not `filter` */
	bool from_promisor; /* the pack's objects are promised: a .promisor file is written beside it */
	const struct remote_refs *sought; /* refs whose lines "OID NAME" the .promisor file gets; NULL: none */
	bool refetch;	    /* as if no object were here */
	/* negotiation */
	enum negotiation_algorithm algorithm;
	const struct oid_array *tips; /* --negotiation-restrict: the haves begin at these; NULL: at all refs */
	struct oid_array *include; /* --negotiation-include: always sent as haves, if they are here; NULL: none */
	/* Refs of our alternates: the haves begin at them, too, and their objects are complete. NULL: none. */
	const struct oid_array *borrowed;
	bool negotiate_only;	      /* find result.common among `tips`, fetch no pack; version 2 */
	/* the pack */
	bool include_tag, thin;
	bool cloning;	    /* for a remote helper: the repository is new */
	bool no_dependents; /* fetch single objects: no haves, no check of completeness */
	struct fsck_options *fsck; /* fetch.fsckObjects; the caller owns it; NULL: contents are not checked */
	bool keep, lock_pack; /* keep: never unpack to loose objects; lock_pack: also write a .keep file */
	const char *keep_msg; /* the content of the .keep file; NULL: empty */
	/* Progress; may be NULL. */
	void (*meter)(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total, uint64_t bytes);
	void *meter_data;
	bool quiet; /* the server shall show no progress */
};
#define FETCH_DEPTH_INFINITE 0x7fffffff

/* Does the request move the shallow boundary? Then objects must be requested even if they are here. */
bool fetch_wanted_deepens(const struct fetch_wanted *w);

/*
 * Drop the objects from `wants` that our refs name. If all other objects are here, complete with all that they lead to,
 * drop them, too. promised: objects that a promisor has promised may be missing. complete: see connected_options.
 * Cost: one check of connectivity.
 */
MUST_USE int fetch_drop_present(struct repository *r, bool promised, const struct oid_array *complete, struct oid_array *wants,
		       struct err *err);

/* Drop only the objects that our refs name. Other objects here may come from a remote helper, unchecked. */
MUST_USE int fetch_drop_named(struct repository *r, struct oid_array *wants, struct err *err);

struct fetch_result {
	struct oid_array common;  /* commits on both sides: negotiate_only */
	struct oid_array shallow, unshallow; /* changes of our boundary; staged in the operation */
	/*
	 * Wanted ids that no ref may name, because their history ends at the server's own boundary. "rejected
	 * REF because shallow roots are not allowed to be updated"
	 */
	struct oid_array rejected;
	struct remote_refs wanted_refs; /* values of the refs in fetch_wanted.refs */
	uint64_t objects, bytes; /* of the pack */
	struct object_id pack;	 /* its checksum; null: no pack was needed */
	struct pack_receive **others; /* internal: packs downloaded by URI */
	size_t nr_others;
	/* packs that the operation has still to publish */
	struct pack_receive *received;
	struct intake_result intake;
	struct strvec keeps; /* internal: .keep files of a helper; removed with the operation, or after a failure */
};
/* Release it after the end of the operation. */
void fetch_result_init(struct fetch_result *r);
void fetch_result_release(struct fetch_result *r);

/*
 * Fetch the wanted objects into the operation, which the caller commits. A small pack is unpacked to loose objects
 * (fetch.unpackLimit, transfer.unpackLimit), a larger one is kept. On 0, every object that oids lead to is here.
 *
 * Errors: ERR_IO (the connection), ERR_CORRUPT (the pack, the protocol), ERR_ABORTED (the server refuses; its text),
 *         ERR_NOT_FOUND (an object is missing that the fetched ones lead to).
 */
MUST_USE int fetch_session_get(struct fetch_session *s, const struct fetch_wanted *w,
			       struct repo_operation *op, struct repository *r,
			       struct fetch_result *result, struct err *err);

#endif
