/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of making a repository that commands ask for; see repository.h. */
#ifndef REPO_INIT_H
#define REPO_INIT_H

#include "compat/posix.h"
#include "config/config.h"
#include "util/err.h"

/*
 * The first branch of new repositories: GIT_TEST_DEFAULT_INITIAL_BRANCH_NAME,
 * init.defaultBranch, else "master"; *is_fallback (may be NULL) tells the last.
 * Caller frees *out.
 */
MUST_USE int init_default_branch(const struct config_set *c, char **out, bool *is_fallback,
				 struct err *err);

#endif
