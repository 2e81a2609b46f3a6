/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is everything there that some objects lead to? The check before a ref may name what has come from elsewhere; what
 * refs lead to already counts as complete. git-fetch(1), git-receive-pack(1).
 */
#ifndef HISTORY_REVISION_CONNECTED_H
#define HISTORY_REVISION_CONNECTED_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/hidden-refs.h"
#include "repo/repo.h"
#include "util/err.h"

struct connected_options {
	/* The commits of a boundary that does not hold yet: their parents need not be there. NULL: none. */
	const struct oid_array *shallow;
	/* What these lead to is there, too: refs of repositories that we borrow from. NULL: none. */
	const struct oid_array *complete;
	bool promised; /* what a promisor has promised may be missing */
	/*
	 * Called for each object that was looked at and exists; < 0 ends the walk. NULL: no call.
	 */
	int (*found)(void *data, const struct object_id *oid, struct err *err);
	/* Called now and then with the number of objects seen; may be NULL. */
	void (*progress)(void *data, uint64_t seen);
	void *data;
};
/*
 * 1, 0 (*missing is the first missing object), < 0: damaged. Cost: new objects are walked, commits by
 * date until refs have covered them. Behind refs only the edge is read.
 */
MUST_USE int objects_are_connected(struct repository *r, const struct oid_array *tips,
				   const struct connected_options *o, struct object_id *missing,
				   struct err *err);

/*
 * The check that comes before: refs count as complete, so all of them must be readable. Every ref, and the HEAD of each
 * worktree, names an object that is here or promised; but for refs that are hidden (hidden: may be NULL; their names
 * begin with `prefix` in the namespace). 1: not so, and *err says "bad object NAME". < 0: the list of refs cannot be
 * read. Cost: a look-up for each different value.
 */
MUST_USE int refs_check_readable(struct repository *r, const struct hidden_refs *hidden, const char *prefix,
				 struct err *err);

#endif
