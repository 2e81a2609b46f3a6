/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks of a commit that a command makes by itself, without an editor and without git commit: githooks(5). They get
 * GIT_INDEX_FILE, and ":" as GIT_EDITOR. What they are to see has to be published before.
 */
#ifndef CLI_PICK_HOOKS_H
#define CLI_PICK_HOOKS_H

#include "repo/repo.h"
#include "util/err.h"
#include "util/strbuf.h"

/*
 * prepare-commit-msg: the message goes to COMMIT_EDITMSG, and becomes what the hook left there. ERR_ABORTED, with a message:
 * the hook refuses.
 */
MUST_USE int pick_prepare_message(struct repository *r, struct strbuf *message, struct err *err);
/* post-commit. Its result does not count. */
void pick_run_post_commit(struct repository *r);

#endif
