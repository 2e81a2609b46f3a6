/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of a clone share. */
#ifndef PORCELAIN_CLONE_INTERNAL_H
#define PORCELAIN_CLONE_INTERNAL_H

#include <pthread.h>
#include "index/index.h"
#include "operation/operation.h"
#include "porcelain/clone/clone.h"
#include "porcelain/fetch-map.h"
#include "transport/fetch/bundle-uri.h"

struct clone {
	const struct clone_options *o;
	struct remotes *remotes;
	struct remote *remote; /* with the refspecs of this clone */
	bool bare, local;
	/* the other side */
	struct fetch_session *session;
	const struct hash_algo *algo;
	struct remote_refs refs;
	const char *branch_there; /* full name of what HEAD is there, or will be; NULL: not known */
	/* what comes */
	struct fetch_map map;
	struct refspec none; /* nothing was given by hand */
	struct fetch_choice choice;
	const char *branch; /* full name of our branch; NULL: none */
	char *default_branch;
	struct object_id head; /* what HEAD will be; null: unborn */
	bool detached;
	/* our side */
	struct repository *r;
	struct repo_operation *op;
	struct oid_array borrowed; /* refs of the repositories that we borrow from */
	struct bundle_uri_result bundles;
	struct fetch_result result;
	struct fetch_result **more; /* of what the files of a partial clone needed */
	size_t nr_more, alloc_more;
	pthread_t thread; /* that may use the operation */
	struct index_state ix;
	bool has_index;
};

/* ---- clone-choose.c: what comes, and what HEAD will be ---- */
void clone_add_prefixes(const struct clone *c, struct strvec *out);
/* ERR_NOT_FOUND "Remote branch x not found in upstream y". */
MUST_USE int clone_choose(struct clone *c, struct err *err);

/* ---- clone-config.c ---- */
/* The remote as the configuration and the options have it. */
MUST_USE int clone_make_remote(struct clone *c, struct err *err);
struct clone_config {
	struct config_edit *edits;
	size_t nr, alloc;
	struct strvec pool; /* what they point to */
};
#define CLONE_CONFIG_INIT { NULL, 0, 0, STRVEC_INIT }
/* All that goes into the new configuration. */
void clone_config_make(struct clone_config *out, const struct clone *c);
void clone_config_release(struct clone_config *cc);

/* ---- clone-local.c: a repository of this machine ---- */
MUST_USE int clone_copy_objects(struct clone *c, struct err *err);
/* What objects/info/alternates will say; appended. */
MUST_USE int clone_alternates(const struct clone *c, struct strbuf *out, struct err *err);
/* c->borrowed: what the other side need not send. */
MUST_USE int clone_find_borrowed(struct clone *c, struct err *err);
/* Our own copy of what alternates have, and no alternates. An operation of its own. */
MUST_USE int clone_dissociate(struct clone *c, struct err *err);

/* ---- clone-bundles.c: what need not come from the server ---- */
/* Their tips are added to c->borrowed. */
MUST_USE int clone_get_bundles(struct clone *c, struct err *err);
/* Their refs get their names, and the configuration says how to go on with them. */
MUST_USE int clone_stage_bundles(struct clone *c, struct err *err);

/* ---- clone-refs.c ---- */
/* Refs that follow others get their names; HEAD and our branch are in the operation when this returns. */
/* --single-branch, --depth: tags of what comes are taken, too. */
bool clone_follows_tags(const struct clone *c);
MUST_USE int clone_stage_refs(struct clone *c, struct err *err);

/* ---- clone-checkout.c ---- */
/* Writes the files of c->head; the index is the operation's. The cwd becomes the work tree. */
MUST_USE int clone_checkout(struct clone *c, struct err *err);

#endif
