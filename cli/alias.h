/* SPDX-License-Identifier: GPL-2.0-only */
/* alias.* of git-config(1). */
#ifndef CLI_ALIAS_H
#define CLI_ALIAS_H

#include "compat/posix.h"
#include "util/string-list.h"
#include "util/strvec.h"
#include "cli/git-options.h"

/*
 * Replace args.v[0] by what it is an alias for. Returns false if it is none. A "!shell"
 * alias is run, and *ended set with its exit code in *code. `seen`: the aliases
 * that were expanded before, in order. Ends the program if the alias is broken.
 */
bool alias_expand(struct strvec *args, struct string_list *seen, struct git_options *o,
		  bool *ended, int *code);
/* "name" of every alias, sorted. */
void alias_list(struct strvec *out);

#endif
