/* SPDX-License-Identifier: GPL-2.0-only */
/* What `git pack-refs` and `git refs optimize` share: all but the name. */
#ifndef BUILTIN_PACK_REFS_H
#define BUILTIN_PACK_REFS_H

#include "compat/posix.h"
#include "builtin/builtin.h"

/* argv[0] is the command's or subcommand's name; the exit code. */
int pack_refs_run(struct repository *r, int argc, const char **argv, const char *const *usage);

#endif
