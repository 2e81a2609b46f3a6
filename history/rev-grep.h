/* SPDX-License-Identifier: GPL-2.0-only */
/* Patterns for messages and people; internal to the walker. */
#ifndef HISTORY_REV_GREP_H
#define HISTORY_REV_GREP_H

#include "compat/posix.h"
#include "history/revision.h"

struct pattern;
struct rev_grep {
	struct pattern *patterns;
	size_t nr, alloc;
	enum rev_pattern_type type;
	bool ignore_case, all_match, invert;
	rev_ident_map_fn map_ident; /* may be NULL */
	const void *map_data;
	const char *encoding;
};
bool rev_has_field(const struct rev_walk *w, enum rev_grep_field field);
struct rev_grep *rev_grep_of(struct rev_walk *w); /* made on first use */

#endif
