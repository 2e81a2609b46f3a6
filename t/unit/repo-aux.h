/* SPDX-License-Identifier: GPL-2.0-only */
/* A new repository for a unit test. */
#ifndef UNIT_REPO_AUX_H
#define UNIT_REPO_AUX_H

#include "compat/posix.h"
#include "repo/repo.h"

/*
 * scratch_setup, then open a new repository dir/r/.git, with the work tree dir/r and the unborn branch main.
 * Only the repository's own configuration counts. Fails the test on an error.
 */
void scratch_repo_setup(struct repository **out);
/* Abort the operation that a test has left, free the repository, then scratch_teardown. */
int scratch_repo_teardown(struct repository **repo);

#endif
