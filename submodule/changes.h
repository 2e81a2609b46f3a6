/* SPDX-License-Identifier: GPL-2.0-only */
/* diff --submodule=log and =diff: what lies between two commits of a submodule. */
#ifndef SUBMODULE_CHANGES_H
#define SUBMODULE_CHANGES_H

#include "compat/posix.h"
#include "diff/diff.h"
#include "repo/repo.h"

/* For diff_options.submodule_changes, with the struct repository as data. Runs git in the submodule. */
MUST_USE int submodule_add_changes(void *repo, const struct diff_options *o, const struct diff_file *old,
				   const struct diff_file *new, struct strbuf *out, struct err *err);

#endif
