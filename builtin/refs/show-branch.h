/* SPDX-License-Identifier: GPL-2.0-only */
/* git show-branch: which commits are shown side by side (show-branch-refs.c). */
#ifndef BUILTIN_REFS_SHOW_BRANCH_H
#define BUILTIN_REFS_SHOW_BRANCH_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "history/revision/tip-bits.h"

struct shown_ref {
	char *name;
	char *log;	       /* of an entry of a reflog: when, and its message; else NULL */
	struct object_id oid;  /* a commit */
};

struct shown_refs {
	struct repository *repo;
	struct shown_ref items[TIP_BITS_MAX];
	size_t nr;
};
void shown_refs_release(struct shown_refs *l);

/*
 * Adds a revision, or the refs that match a pattern. Refs beyond the limit are left out, with a
 * warning.
 */
MUST_USE int shown_refs_add(struct shown_refs *l, const char *arg, struct err *err);
/* Those below refs/heads/ or refs/remotes/. */
MUST_USE int shown_refs_add_below(struct shown_refs *l, const char *prefix, struct err *err);
/* The current branch, unless it is there. */
MUST_USE int shown_refs_add_current(struct shown_refs *l, struct err *err);
/* nr entries of the reflog that argv[0] means (default: HEAD), from base on: a number or date. */
MUST_USE int shown_refs_add_log(struct shown_refs *l, int argc, const char **argv, int nr,
				const char *base, struct err *err);
/* Is it the current branch, by its name and its commit? */
bool shown_ref_is_head(const struct shown_refs *l, size_t i);

#endif
