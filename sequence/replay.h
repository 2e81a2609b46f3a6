/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commits that are made again on other parents, in memory: no index, no working tree. For git-replay(1) and git-history(1).
 *
 *   struct replay p = { .r = r, .op = op, .pool = pool };
 *
 *   rc = replay_begin(&p, err)
 *   rc = replay_commit(&p, commit, &tip, err)     parents before children; 1: conflict
 *   replay_branches_at(&branches, &commit->oid, …)    replay_add_update(&p, name, old, new)
 *   rc = replay_queue_updates(&p, log, err)       or replay_print_updates()
 *   rc = replay_commit_updates(&p, err)
 *   replay_end(&p)
 *
 * What a commit has become is remembered: a commit follows its parent.
 *
 * Durability: new commits and trees are objects of the operation, updates are in its ref transaction: it is committed once.
 * Cost:       a merge of trees for each commit.
 * Tests:      t/t3650-replay.sh, t/t3451-history.sh, t/interop/replay.py
 */
#ifndef SEQUENCE_REPLAY_H
#define SEQUENCE_REPLAY_H

#include "compat/posix.h"
#include "history/history.h"
#include "history/revision/revision.h"
#include "operation/operation.h"
#include "sequence/pick.h"
#include "worktree/content-merge.h"

/* What becomes of a commit whose change is there already. */
enum replay_empty { REPLAY_EMPTY_DROP, REPLAY_EMPTY_KEEP, REPLAY_EMPTY_ABORT };

struct replay_tip {
	struct object_id commit, tree;
	bool is_set;
};

struct replay_update {
	char *name;
	struct object_id old, new;
};

struct replay {
	struct repository *r;
	struct repo_operation *op;
	struct commit_pool *pool;
	bool revert;		 /* undo the commits */
	enum replay_empty empty;
	struct replay_update *updates;
	size_t nr_updates, alloc_updates;
	/* ---- internal ---- */
	bool has_queued;
	struct strbuf committer;
	struct merge_trees merge;
	struct content_merge attributes;
	struct index_state no_index;
	struct replay_tip *became; /* by index of the commit */
	size_t nr_became;
};

/* Opens the objects of the operation. Errors: settings, the committer. */
MUST_USE int replay_begin(struct replay *p, struct err *err);
void replay_end(struct replay *p);

/* A commit of the walk becomes that one. */
void replay_set(struct replay *p, const struct commit *c, const struct replay_tip *tip);
/* NULL: it has not been made again. */
const struct replay_tip *replay_of(const struct replay *p, const struct commit *c);
/* The commit as it is. */
MUST_USE int replay_tip_of(struct replay *p, const struct object_id *commit, struct replay_tip *out, struct err *err);

/*
 * Make the commit again on what its parent has become, else on *tip; a revert always on *tip. *tip becomes the new commit, or
 * what it stands on if it is dropped. Returns 1 for a conflict; ERR_UNSUPPORTED: it is a merge; ERR_CONFLICT: it is empty, and
 * p->empty is ABORT.
 */
int replay_commit(struct replay *p, struct commit *c, struct replay_tip *tip, struct err *err);

/* A commit with the author and further headers of c. message NULL: also with its message. */
MUST_USE int replay_write(struct replay *p, struct commit *c, const struct object_id *tree, const struct object_id *parents,
			  size_t nr_parents, const struct strbuf *message, struct object_id *out, struct err *err);
/* Three trees merged. 1: conflict. */
int replay_merge(struct replay *p, const struct object_id *base, const struct object_id *ours,
		 const struct object_id *theirs, struct object_id *out, struct err *err);

/* ---- refs ---- */

/* Branches, and HEAD if it is detached, in the order in which their updates are shown. */
struct replay_branches {
	struct replay_update *items; /* old is set */
	size_t nr, alloc;
};
MUST_USE int replay_read_branches(struct replay_branches *b, struct repository *r, struct err *err);
void replay_add_branch(struct replay_branches *b, const char *name, const struct object_id *oid);
void replay_release_branches(struct replay_branches *b);

void replay_add_update(struct replay *p, const char *name, const struct object_id *old, const struct object_id *new);
/* In the ref transaction of the operation. */
MUST_USE int replay_queue_updates(struct replay *p, const char *log, struct err *err);
/* End the operation: new commits, and refs if they are queued. ERR_ABORTED: a hook does not want that. */
MUST_USE int replay_commit_updates(struct replay *p, struct err *err);
/* Append lines for `git update-ref --stdin`. */
void replay_print_updates(const struct replay *p, struct strbuf *out);

#endif
