/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remotes: what remote.<name>.* and branch.<name>.* say, url.<base>.insteadOf, and the files remotes/ and
 * branches/ of old repositories. git-config(1), git-remote(1), gitrepository-layout(5).
 */
#ifndef TRANSPORT_REMOTE_H
#define TRANSPORT_REMOTE_H

#include "compat/posix.h"
#include "config/config.h"
#include "repo/repo.h"
#include "transport/refspec.h"
#include "util/strvec.h"

enum remote_origin { REMOTE_UNCONFIGURED, REMOTE_CONFIG, REMOTE_REMOTES_FILE, REMOTE_BRANCHES_FILE };
enum remote_tags { REMOTE_TAGS_DEFAULT, REMOTE_TAGS_ALL, REMOTE_TAGS_NONE };
/* remote.<name>.followRemoteHEAD */
enum remote_follow_head { FOLLOW_HEAD_CREATE, FOLLOW_HEAD_WARN, FOLLOW_HEAD_WARN_IF_NOT,
			  FOLLOW_HEAD_ALWAYS, FOLLOW_HEAD_NEVER };

struct remote {
	char *name; /* of an unconfigured one its URL */
	enum remote_origin origin;
	struct strvec urls, push_urls; /* insteadOf and pushInsteadOf applied; push_urls: empty: urls */
	struct strvec raw_urls, raw_push_urls; /* as configured */
	struct refspec fetch, push;
	enum remote_tags tags;
	int prune, prune_tags; /* -1: not said */
	bool mirror, skip_default_update, promisor;
	char *proxy, *proxy_auth, *upload_pack, *receive_pack, *vcs, *filter; /* NULL: not said */
	enum remote_follow_head follow_head;
	char *follow_head_branch; /* of "warn-if-not-<branch>" */
	struct strvec server_options;
};

struct remotes; /* all that are configured; made once per command */
/* ERR_INVALID: a malformed refspec or value, with Git's message. repo NULL: outside of a repository. */
MUST_USE int remotes_read(struct remotes **out, struct repository *repo, const struct config_set *c,
			  struct err *err);
void remotes_free(struct remotes *rs);
size_t remotes_nr(const struct remotes *rs);
struct remote *remotes_at(struct remotes *rs, size_t i); /* in the order of the configuration */
/*
 * By name; a URL or path that is no name gives one that is not configured. NULL or "": the default, see
 * remotes_default. Never NULL; a remote without URL has none in urls. Belongs to rs.
 */
struct remote *remotes_get(struct remotes *rs, const char *name);
/* NULL: there is no remote of that name in the configuration. */
struct remote *remotes_find(struct remotes *rs, const char *name);
/* branch.<current>.remote, the only remote, or "origin". push: the push keys before them. */
const char *remotes_default(struct remotes *rs, bool push);
/* insteadOf, or for pushing pushInsteadOf, applied to a URL. Caller frees. */
char *remotes_rewrite_url(struct remotes *rs, const char *url, bool push);
/* Is it a name that a remote may have? */
bool remote_name_is_valid(const char *name);

/* branch.<name>.merge, all of them, as full names there. */
MUST_USE int branch_merge_names(struct remotes *rs, const char *branch, struct strvec *out,
				struct err *err);

#endif
