/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of a file in the format of gitignore(5): ignore files, and specifications of
 * sparse work trees.
 */
#ifndef INDEX_PATTERN_LIST_H
#define INDEX_PATTERN_LIST_H

#include "compat/posix.h"
#include "index/pattern.h"

struct ignore_pattern {
	char *text;	    /* as written, with "!" and trailing "/" */
	const char *source; /* file as git shows it; "" for the command line */
	int line;
	bool negated;
	struct path_pattern pat;
};

struct pattern_list {
	struct ignore_pattern **items;
	size_t nr, alloc;
	char *source; /* owned; that of the patterns */
};
#define PATTERN_LIST_INIT { NULL, 0, 0, NULL }

/* base: the directory for which they hold, "" or "dir/". */
void pattern_list_add(struct pattern_list *l, const char *line, size_t len, const char *base,
		      int line_nr);
void pattern_list_parse(struct pattern_list *l, const char *buf, size_t len, const char *base);
void pattern_list_release(struct pattern_list *l);
/* The last pattern that matches path, or NULL. path[len] is NUL. */
const struct ignore_pattern *pattern_list_match(const struct pattern_list *l, const char *path,
						size_t len, bool is_dir, bool icase);

#endif
