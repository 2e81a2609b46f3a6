/* SPDX-License-Identifier: GPL-2.0-only */
/* --filter=<spec>: what git-rev-list(1) names so, for commands that make or get packs. */
#ifndef CLI_FILTER_OPTION_H
#define CLI_FILTER_OPTION_H

#include "util/parse-options.h"
#include "wire/filter-spec.h"

/* Into the option's value, a struct filter_spec; several are all heeded, --no-filter forgets them. Dies of a bad one. */
int filter_option(const struct option *opt, const char *arg, int unset);

#endif
