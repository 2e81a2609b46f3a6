/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLI_RENAME_LIMIT_H
#define CLI_RENAME_LIMIT_H

#include "compat/posix.h"
#include "diff/diff.h"

/* Warn that a merge may have missed renames: `needed` would have been enough for merge.renameLimit. 0: it was, no warning. */
void warn_of_merge_limit(size_t needed);
/* "you may want to set your diff.renameLimit variable …", if a rename may have been missed. */
void warn_rename_limit(const struct diff_rename_limit *l);

#endif
