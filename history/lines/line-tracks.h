/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines followed at a commit, by path; for line-history.c. */
#ifndef HISTORY_LINES_LINE_TRACKS_H
#define HISTORY_LINES_LINE_TRACKS_H

#include "compat/posix.h"
#include "diff/line-ranges.h"
#include "history/changed-paths.h"

/* The files that are followed at some commits. Most commits share one. */
struct path_set {
	char **paths; /* sorted */
	size_t nr;
	struct pathspec spec;
	struct changed_paths *filters; /* NULL: none */
};

/* All sets of a history. */
struct path_sets {
	const struct commit_graph *graph; /* NULL: none */
	struct path_set **items;
	size_t nr, alloc;
};
void path_sets_release(struct path_sets *s);
bool path_set_has(const struct path_set *set, const char *path);

/* lines[i] of set->paths[i]. */
struct tracks {
	const struct path_set *set; /* NULL: nothing */
	struct line_ranges *lines;
};
#define TRACKS_INIT { NULL, NULL }
void tracks_release(struct tracks *t);
/* Both together are in *to; *from is empty. */
MUST_USE int tracks_join(struct path_sets *sets, struct tracks *to, struct tracks *from, struct err *err);

/* Tracks that are put together. Paths live until the end: it frees all, also when it fails. */
struct gathering {
	struct gathered {
		const char *path;
		struct line_ranges lines;
	} *items; /* sorted by path */
	size_t nr, alloc;
};
#define GATHERING_INIT { NULL, 0, 0 }
void gather(struct gathering *g, const char *path, const struct line_ranges *lines);
void gather_tracks(struct gathering *g, const struct tracks *t);
MUST_USE int gathering_end(struct gathering *g, struct path_sets *sets, struct tracks *out, struct err *err);

#endif
