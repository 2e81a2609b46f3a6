/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --recurse-submodules: there is nothing to do for it where there are no submodules. Tools give it always. Where
 * there are some it is refused, for nothing works in them yet.
 */
#ifndef CLI_SUBMODULE_OPTION_H
#define CLI_SUBMODULE_OPTION_H

#include "cli/cli.h"
#include "repo/repo.h"
#include "util/parse-options.h"

/* Into an int, 0 or 1; its value may be a boolean. */
int opt_recurse_submodules(const struct option *opt, const char *arg, int unset);
#define OPT_RECURSE_SUBMODULES(v, h)                                                                    \
	OPT_CALLBACK_F(0, "recurse-submodules", OPT_VALUE(int, v), "when", (h), PARSE_OPT_OPTARG, opt_recurse_submodules)

/*
 * Does the index have a submodule, or is there a .gitmodules in the work tree or in `tree` (NULL: not looked at)?
 * Dies where that cannot be read. Cost: the index is read.
 */
bool has_submodules(struct repository *r, const struct object_id *tree);
/* Dies with "WHAT is not available yet" if there are submodules. */
void refuse_submodules(struct repository *r, const struct object_id *tree, const char *what);

#endif
