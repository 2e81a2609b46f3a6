/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The roots of a repository (history/reach/roots.h), all of its worktrees included, in two lists.
 *
 * strong: refs, the HEAD of each worktree, reflogs. Everything that these lead to has to be there.
 * weak: the others. They are kept with as much of their history as there is: the entries of each
 * index, its cached trees and resolved conflicts; MERGE_HEAD, FETCH_HEAD, ORIG_HEAD and the like;
 * the files of a rebase, a bisection, a cherry-pick or a revert in progress.
 */
#ifndef MAINTAIN_ROOT_LISTS_H
#define MAINTAIN_ROOT_LISTS_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"

struct roots {
	struct oid_array strong, weak; /* sorted, each once, after roots_sort */
};
#define ROOTS_INIT { OID_ARRAY_INIT, OID_ARRAY_INIT }

/*
 * Add the roots of r. An object that a log or a file names is left out if `odb` lacks it. Errors:
 * ERR_CORRUPT, a ref, a HEAD or an index cannot be read; ERR_IO.
 */
MUST_USE int roots_collect(struct roots *out, struct repository *r, struct odb *odb,
			   struct err *err);
/*
 * What --all, --reflog and --indexed-objects of a walk do not list. strong: the HEADs of all worktrees, and the refs that
 * the other worktrees have for themselves (refs/bisect/ and the like). weak: MERGE_HEAD and the like, and
 * operations in progress, in all worktrees. Errors: as above.
 */
MUST_USE int roots_collect_worktrees(struct roots *out, struct repository *r, struct odb *odb,
				     struct err *err);
void roots_sort(struct roots *roots);
void roots_release(struct roots *roots);

/*
 * What the repositories hold that borrow objects from r and that r knows: those of its alternates
 * that have it as an alternate themselves. All of their roots, and what core.alternateRefsCommand
 * prints for them. Errors: as above, also if that command fails.
 */
MUST_USE int roots_collect_borrowers(struct roots *out, struct repository *r, struct err *err);

/*
 * Collects the objects that the commands of gc.recentObjectsHook print: they count as recent.
 * Missing objects are left out. ERR_ABORTED: a command has failed, or has printed something else.
 */
MUST_USE int roots_collect_recent(struct oid_array *out, struct repository *r, struct err *err);

#endif
