/* SPDX-License-Identifier: GPL-2.0-only */
/* All reflogs of a repository lose what has expired: git reflog expire --all. */
#ifndef MAINTAIN_REFLOG_EXPIRE_H
#define MAINTAIN_REFLOG_EXPIRE_H

#include "compat/posix.h"
#include "operation/operation.h"

/*
 * By the configuration (maintain/reflog-expiry.h), in all worktrees. A log that is locked is reported
 * through the repository's warn, and left. Staged in the operation's batch.
 */
MUST_USE int reflogs_expire(struct repo_operation *op, struct repository *r, struct err *err);

#endif
