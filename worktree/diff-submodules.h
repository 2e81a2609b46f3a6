/* SPDX-License-Identifier: GPL-2.0-only */
/* diff.ignoreSubmodules and submodule.<name>.ignore for comparisons. */
#ifndef WORKTREE_DIFF_SUBMODULES_H
#define WORKTREE_DIFF_SUBMODULES_H

#include "compat/posix.h"
#include "diff/diff.h"
#include "repo/repo.h"
#include "worktree/status.h"

struct diff_submodules;

/*
 * Which submodules have changes that are not shown: "all"; the other values are about files
 * in their work trees, which trees do not have. Reads .gitmodules of the work tree.
 */
MUST_USE int diff_submodules_new(struct diff_submodules **out, struct repository *r,
				 struct err *err);
/* --ignore-submodules[=WHEN]: 1, and *mode is set; 0: another option; ERR_INVALID: a bad WHEN. */
MUST_USE int diff_submodules_option(const char *arg, enum submodule_mode *mode, struct err *err);
/* Instead of diff.ignoreSubmodules; given: submodule.<name>.ignore does not count either. */
void diff_submodules_set(struct diff_submodules *s, enum submodule_mode mode, bool given);
enum submodule_mode diff_submodules_mode(const struct diff_submodules *s, const char *path);
void diff_submodules_free(struct diff_submodules *s);
/* Let `o` leave them out; they must live as long as it. */
void diff_submodules_use(struct diff_submodules *s, struct diff_options *o);

#endif
