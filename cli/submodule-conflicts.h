/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLI_SUBMODULE_CONFLICTS_H
#define CLI_SUBMODULE_CONFLICTS_H

#include "compat/posix.h"
#include "merge/trees.h"
#include "repo/repo.h"

/* After a merge: how conflicts of submodules can be resolved, if it has any (advice.submoduleMergeConflict). */
void advise_on_submodule_conflicts(struct repository *r, const struct merge_result *result);

#endif
