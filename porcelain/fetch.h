/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fetch from one repository: git-fetch(1). Objects, the boundary of a shallow clone, all refs with their reflogs,
 * FETCH_HEAD and configuration are one operation; the result is printed when it is durable.
 *
 * Errors:     < 0: nothing has changed. 1: some refs could not be updated, the others have been (with `atomic`: none); why
 *             is in the table.
 * Durability: on 0 and 1 what the table says survives a power cut (P1). Cost: one flush call.
 */
#ifndef PORCELAIN_FETCH_H
#define PORCELAIN_FETCH_H

#include "compat/posix.h"
#include "porcelain/fetch-map.h"
#include "repo/remotes.h"
#include "transport/fetch/fetch-session.h"

struct fetch_options {
	struct refspec given;  /* of the command line */
	struct refspec refmap; /* --refmap */
	bool has_refmap;
	enum remote_tags tags; /* DEFAULT: as the remote says */
	int prune, prune_tags; /* -1: as the configuration says */
	bool prefetch, atomic, append, dry_run, force, no_fetch_head, update_head_ok, set_upstream, no_forced_check;
	bool porcelain, compact; /* the form of the table */
	int verbosity;
	const char *reflog_action;
	/* settings of the fetch, without the wanted objects */
	struct fetch_wanted wanted;
	const char *bundle_uri; /* fetch.bundleURI; NULL: none */
	uint64_t bundle_token;	/* fetch.bundleCreationToken */
	const char *new_filter; /* the remote becomes a promisor, with this filter; NULL: as it is */
	const char *gitdir; /* of the repository, for a remote helper */
	struct connect_options connect; /* `program` NULL: the remote's */
	struct fetch_session_options session;
	/* For the user; may be NULL. */
	repo_warn_fn warn, say_error;
	void *data;
};

/* A session with the remote's first URL, as o says. */
MUST_USE int fetch_open_session(struct fetch_session **out, const struct remote *remote, const struct fetch_options *o,
				struct err *err);
/* Only what both have of o->wanted.tips; appended. ERR_UNSUPPORTED: the other side cannot. */
MUST_USE int fetch_negotiate(struct repository *r, const struct remote *remote, const struct fetch_options *o,
			     struct oid_array *common, struct err *err);
int fetch_from(struct repository *r, struct remote *remote, struct fetch_options *o, struct err *err);

#endif
