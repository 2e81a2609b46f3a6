/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a fetch brings, and where it goes: the refs of the other side that refspecs choose, each with its name here.
 * git-fetch(1), "CONFIGURED REMOTE-TRACKING BRANCHES".
 *
 *	fetch_map_make(&map, &refs, &choice, err)
 *	fetch_map_backfill_tags(&map, &refs, r)     after the objects have come
 *	fetch_map_release(&map)
 */
#ifndef PORCELAIN_FETCH_MAP_H
#define PORCELAIN_FETCH_MAP_H

#include "compat/posix.h"
#include "refs/refspec.h"
#include "repo/remotes.h"
#include "repo/repo.h"
#include "transport/remote-refs.h"

/* In the order in which FETCH_HEAD and the table have them. */
enum fetch_head_status { FETCH_HEAD_MERGE, FETCH_HEAD_NOT_FOR_MERGE, FETCH_HEAD_IGNORE, FETCH_HEAD_STATUS_NR };

struct fetch_item {
	char *src; /* its full name there, "HEAD", or an object's */
	char *dst; /* its full name here; NULL: none */
	struct object_id oid;
	bool force;
	enum fetch_head_status status;
};
struct fetch_map {
	struct fetch_item *items;
	size_t nr, alloc;
	struct oid_array left_out; /* what a negative refspec has taken away; as in Git, tags follow it */
};
#define FETCH_MAP_INIT { NULL, 0, 0, OID_ARRAY_INIT }
void fetch_map_release(struct fetch_map *map);

struct fetch_choice {
	const struct remote *remote;
	const struct refspec *given;  /* of the command line; without items: those of the remote count */
	const struct refspec *refmap; /* where these are put as well; NULL: as the remote says */
	const struct strvec *merge;   /* branch.<name>.merge of the current branch, if that is the remote's; NULL */
	bool merges_elsewhere;	      /* the current branch merges from another remote: nothing of this one is for merge */
	enum remote_tags tags;
	struct repository *here;   /* into which refs are fetched; NULL: a new one */
	struct repository *follow; /* tags that it lacks follow, see fetch_choice_follows_tags(); NULL: none do */
	bool prefetch; /* everything goes below refs/prefetch/ */
};
/*
 * ERR_NOT_FOUND "couldn't find remote ref x"; ERR_CONFLICT "Cannot fetch both x and y to z". `warn`
 * (may be NULL) is called for each ref that is left out.
 */
MUST_USE int fetch_map_make(struct fetch_map *map, const struct remote_refs *refs, const struct fetch_choice *c,
			    repo_warn_fn warn, void *data, struct err *err);
/* Do tags follow automatically? They do if a ref is stored here and no option decides otherwise. */
bool fetch_choice_follows_tags(const struct fetch_choice *c);
/* Tags that are missing from `r` and from the map, and whose objects are in `r` or are wanted by the map. */
void fetch_map_backfill_tags(struct fetch_map *map, const struct remote_refs *refs, struct repository *r);
/* What has to be asked for; sorted, each once. */
void fetch_map_wants(const struct fetch_map *map, struct oid_array *out);
/* Which refs the other side has to tell for it; appended. Nothing is appended: all. */
void fetch_choice_prefixes(const struct fetch_choice *c, struct strvec *out);

#endif
