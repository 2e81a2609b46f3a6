/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remotes: what remote.<name>.* says, url.<base>.insteadOf, and the files remotes/ and branches/ of old
 * repositories. git-config(1), git-remote(1), gitrepository-layout(5).
 *
 *	repo_remotes(r, &rs, err)            the first time it reads them, then it costs nothing
 *	remote = remotes_get(rs, "origin")
 */
#ifndef REPO_REMOTES_H
#define REPO_REMOTES_H

#include "compat/posix.h"
#include "config/config.h"
#include "refs/refspec.h"
#include "repo/repo.h"
#include "util/strvec.h"

enum remote_origin { REMOTE_UNCONFIGURED, REMOTE_CONFIG, REMOTE_REMOTES_FILE, REMOTE_BRANCHES_FILE };
enum remote_tags { REMOTE_TAGS_DEFAULT, REMOTE_TAGS_ALL, REMOTE_TAGS_NONE };
/* remote.<name>.followRemoteHEAD */
enum remote_follow_head {
	FOLLOW_HEAD_CREATE,
	FOLLOW_HEAD_WARN,
	FOLLOW_HEAD_WARN_IF_NOT, /* follow_head_branch */
	FOLLOW_HEAD_ALWAYS,
	FOLLOW_HEAD_NEVER,
};

struct remote {
	char *name; /* of an unconfigured one its URL, as it was given */
	enum remote_origin origin;
	struct strvec raw_urls, raw_push_urls; /* as configured */
	struct strvec urls;		       /* insteadOf applied */
	struct strvec push_urls; /* pushInsteadOf applied; where nothing says otherwise those of `urls` */
	struct refspec fetch, push;
	enum remote_tags tags;
	int prune, prune_tags; /* -1: not said */
	bool mirror, skip_default_update, promisor;
	char *proxy, *proxy_auth, *upload_pack, *receive_pack, *vcs, *filter; /* NULL: not said */
	enum remote_follow_head follow_head;
	char *follow_head_branch;
	struct strvec server_options;
	struct strvec negotiation_restrict, negotiation_include; /* refs, patterns, objects */
};

struct remotes;

/*
 * Those of the repository; they belong to it, and are as they were when it was opened. ERR_INVALID: a malformed
 * refspec or value, with Git's message.
 */
MUST_USE int repo_remotes(struct repository *r, struct remotes **out, struct err *err);
/* Read the remotes of a configuration, without the files of old repositories. warn may be NULL. */
MUST_USE int remotes_read(struct remotes **out, const struct config_set *c, const struct hash_algo *algo,
			  repo_warn_fn warn, void *warn_data, struct err *err);
void remotes_free(struct remotes *rs); /* NULL is fine */

/* All that the configuration has, in its order. */
size_t remotes_nr(const struct remotes *rs);
struct remote *remotes_at(struct remotes *rs, size_t i);
/* Find a remote by its name in the configuration; NULL: there is none. */
struct remote *remotes_find(struct remotes *rs, const char *name);
/*
 * Get a remote by its name, also from the files of old repositories; a URL or path that is no name gives one that is not configured.
 * NULL: remotes_default. Only a name that was given, and is not empty, stands for a URL where none is configured:
 * without one the remote has no URLs. Belongs to rs. ERR_INVALID: such a file is malformed.
 */
MUST_USE int remotes_get(struct remotes *rs, const char *name, struct remote **out, struct err *err);
/* The same, of a repository. NULL: branch.<current>.remote, or else remotes_default. */
MUST_USE int repo_remote(struct repository *r, const char *name, struct remote **out, struct err *err);
/* The only remote that there is, or "origin": where branch.<name>.* do not say. */
const char *remotes_default(const struct remotes *rs);
/* insteadOf, or for pushing pushInsteadOf, applied to a URL. Caller frees. */
char *remotes_rewrite_url(const struct remotes *rs, const char *url, bool push);
/* May a remote be called so? What git remote add takes. */
bool remote_name_is_valid(const char *name);

#endif
