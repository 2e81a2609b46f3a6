/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of git-branch(1): branch.c parses and leads, branch-move.c renames and copies,
 * branch-delete.c deletes, branch-list.c lists. New branches are porcelain/branch.h's. A
 * request that cannot be carried out ends in die() before anything is locked.
 */
#ifndef BUILTIN_BRANCH_BRANCH_H
#define BUILTIN_BRANCH_BRANCH_H

#include "builtin/builtin.h"
#include "cli/ref-options.h"
#include "porcelain/branch.h"

/* ---- branch-checks.c ---- */
/* "HEAD" if it is detached; caller frees. */
char *current_branch_or_die(struct repository *r);
/* branch_short_name of porcelain/branch.h */
void short_name_or_die(struct repository *r, const char *name, bool remote,
		       struct strbuf *out);
bool is_checked_out_or_die(struct repository *r, const char *ref);
struct worktree *worktrees_or_die(struct repository *r); /* free with worktrees_free */
/* The error, then what can be done about it, if anything; returns 128. Releases both. */
int report_advised(struct err *err, struct strbuf *advice);
NORETURN void die_advised(struct err *err, struct strbuf *advice);

/* ---- the forms ---- */
/* from NULL: the current branch. */
int branch_move(struct repository *r, const char *from, const char *to, bool copy, bool force);
int branch_delete(struct repository *r, int argc, const char **argv, bool force, bool remotes,
		  bool quiet);

struct branch_list_options {
	struct ref_options *refs;
	const char *format; /* NULL: the usual one */
	bool ignore_case, omit_empty;
	int verbose, abbrev; /* -1: automatic */
	int color;	     /* enum color_when */
	unsigned columns;    /* cli/column.h */
};
int branch_list(struct repository *r, struct branch_list_options *o);

#endif
