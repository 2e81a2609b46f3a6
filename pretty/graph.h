/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The picture of the history on the left of git log --graph.
 *
 * Every line of history that is still open is a lane, two cells wide, that leads to a
 * commit which has not been shown. A commit takes its lane, its parents get lanes in
 * its place, and the lanes to the right move over to where they belong.
 *
 *	graph_begin_commit(g, c, parents, nr)
 *	while (!graph_next_row(g, out))  out is a row above the commit's own
 *	…                                then a row for each line of text
 *	while (graph_has_rows(g))        rows that must be drawn before the next commit
 */
#ifndef PRETTY_GRAPH_H
#define PRETTY_GRAPH_H

#include "compat/posix.h"
#include "util/color.h"
#include "util/strbuf.h"
#include "history/commits.h"

struct graph;
/* colors: escape sequences, cycled through; nr_colors 0: none. They are not copied. */
struct graph *graph_new(const char (*colors)[COLOR_MAXLEN], size_t nr_colors);
void graph_free(struct graph *g);

/* parents: those that will be shown. mark: '*', or '<', '>', 'o', … */
void graph_begin_commit(struct graph *g, struct commit *c, struct commit *const *parents,
			size_t nr, char mark);
/* Append the next row, padded to its width. True: it was the commit's own. */
bool graph_next_row(struct graph *g, struct strbuf *out);
/* Are there rows that belong to this commit still? */
bool graph_has_rows(const struct graph *g);
/* For a line of text before the commit's row: a row that leads to it. */
void graph_padding(struct graph *g, struct strbuf *out);
int graph_width(const struct graph *g); /* cells of each row of this commit */

#endif
