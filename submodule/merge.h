/* SPDX-License-Identifier: GPL-2.0-only */
/* A submodule that both sides of a merge have changed: if one commit contains the other, that one is the result. */
#ifndef SUBMODULE_MERGE_H
#define SUBMODULE_MERGE_H

#include "compat/posix.h"
#include "merge/contents.h"
#include "repo/repo.h"

/*
 * For merge_rules.submodule, with the struct repository as data. Runs git in the submodule, where it is checked out or
 * where its repository is kept.
 */
MUST_USE int submodule_merge(void *repo, const struct merge_submodule_call *call, struct merge_submodule *out,
			     struct err *err);

#endif
