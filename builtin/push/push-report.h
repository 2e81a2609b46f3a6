/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of a push, which git push and git send-pack show. */
#ifndef BUILTIN_PUSH_PUSH_REPORT_H
#define BUILTIN_PUSH_PUSH_REPORT_H

#include "compat/posix.h"
#include "transport/push/push.h"

/* The other side has no refs, and nothing of ours was chosen. */
#define PUSH_NOTHING_TEXT "No refs in common and none specified; doing nothing.\nPerhaps you should specify a branch."

struct push_table {
	struct repository *r;
	const char *url; /* as the user may see it */
	bool verbose;	 /* also print refs that are up to date */
	bool porcelain;	 /* for scripts, on standard output */
};
/* Lines for all updates: what has been done, then what has not. */
void push_table_print(const struct push_table *t, const struct push_list *l);
/* --atomic: on standard error, the first update that was refused here, with Git's number of the reason. */
void push_tell_atomic(const struct push_list *l);
/* Has any been refused, or not been answered? */
bool push_has_errors(const struct push_list *l);

#endif
