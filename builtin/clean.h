/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of git clean. */
#ifndef BUILTIN_CLEAN_H
#define BUILTIN_CLEAN_H

#include "builtin/builtin.h"
#include "util/string-list.h"
#include "worktree/worktree.h"

/* Ask on standard input which items go. The others are removed from the list; none is left if the user quits. */
void clean_interactive(struct repository *r, const char *prefix, struct string_list *items);

#endif
