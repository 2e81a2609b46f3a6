/* SPDX-License-Identifier: GPL-2.0-only */
/* include.path and includeIf: what one reading knows, and its conditions. */
#ifndef CONFIG_INCLUDE_H
#define CONFIG_INCLUDE_H

#include "compat/posix.h"
#include "config/config-internal.h"
#include "util/string-list.h"

struct include_state {
	struct config_set *set;
	const struct config_include_ctx *ctx; /* NULL: do not follow */
	const struct config_source *sources;
	size_t nr_sources;
	int depth;
	int below_remote_url; /* > 0 inside of a file included by hasconfig */
	/* for hasconfig: all remote.*.url, collected when first asked for */
	bool collecting, have_remote_urls;
	struct string_list remote_urls;
};

/*
 * Does the condition ("gitdir:~/work/", "onbranch:main", …) hold? Unknown ones do
 * not. file: the config file it stands in, NULL if none. *by_remote_url: it is of
 * the hasconfig kind.
 */
MUST_USE int include_condition(struct include_state *st, const char *cond, const char *file,
			       bool *holds, bool *by_remote_url, struct err *err);
MUST_USE int include_collect_remote_urls(struct include_state *st, struct err *err);

#endif
