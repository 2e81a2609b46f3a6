/* SPDX-License-Identifier: GPL-2.0-only */
/* checkout and restore of hunks that the user chooses: --patch. */
#include "compat/posix.h"
#include "builtin/checkout/checkout.h"
#include "cli/choose/choose.h"

/* A tree named like "A...B" has no name of its own in the prompts. */
int checkout_hunks(struct checkout *co, const char **argv)
{
	struct pathspec ps;
	struct choose_request q = { .repo = co->r, .target = CHOOSE_CHECKOUT, .rev = co->has_tree ? co->arg : NULL,
				    .tree = co->has_tree ? &co->tree : NULL, .ps = &ps, .context = co->context,
				    .auto_advance = co->auto_advance };
	int code;

	if (co->command == RESTORE && !co->staged)
		q.target = CHOOSE_WORKTREE;
	else if (co->command == RESTORE && !co->worktree)
		q.target = CHOOSE_RESET;
	(void)pathspec_args_parse(&co->pathspec_args, &ps, co->r, argv, 0);
	code = choose_hunks(&q);
	pathspec_release(&ps);
	return code ? code : finish_stdout();
}
