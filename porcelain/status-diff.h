/* SPDX-License-Identifier: GPL-2.0-only */
/* The patches of "git status -v" and "git commit -v". */
#ifndef PORCELAIN_STATUS_DIFF_H
#define PORCELAIN_STATUS_DIFF_H

#include "cli/cli.h"
#include "worktree/status.h"

/*
 * verbose 1: staged changes; 2: with headings, and unstaged changes, too. Nothing is
 * added where nothing changed. comment_char: in front of headings, in a template; or NUL.
 */
MUST_USE int status_add_diffs(struct repository *r, struct converter *c, const struct status *s,
			      int verbose, bool color, char comment_char, struct strbuf *out,
			      struct err *err);

#endif
