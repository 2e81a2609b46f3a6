/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The history of lines: log -L.
 *
 *   h = line_history_new(walk, &diff_options)
 *   line_history_add(h, "10,20:file", prefix, &err)      for each -L, before rev_walk_begin
 *   while (rev_walk_next(walk, &c, &err) > 0)             only commits that change one of the lines
 *           line_history_changes(h, c, &queue)
 *   line_history_free(h)
 *
 * Each commit has, by path, the ranges of lines that are followed there. They come from its children, through
 * the changes between the two. A merge in which one parent has all lines as they are hands them to that
 * parent alone. A file that is not in the parent is followed to the one from which it was renamed, unless the
 * options say that renames do not count; to one of which it is a copy only with -C, if that one is followed as well.
 *
 * Cost: texts are compared only where the object of a followed path changes; trees are read only where the
 * changed-path filters of a commit-graph, if there are any, leave that open.
 */
#ifndef HISTORY_LINES_LINE_HISTORY_H
#define HISTORY_LINES_LINE_HISTORY_H

#include "compat/posix.h"
#include "diff/diff.h"
#include "history/revision/revision.h"

struct line_history;

/* Makes the walk show only what the history chooses. Both must live longer, and the walk begins after it. */
struct line_history *line_history_new(struct rev_walk *w, const struct diff_options *o);
void line_history_free(struct line_history *h);

/*
 * "start,end:file" or ":name:file": lines of the file in the one commit at which the walk starts. Searches begin behind
 * the lines that the file's last call found. ERR_INVALID, ERR_NOT_FOUND with Git's messages.
 */
MUST_USE int line_history_add(struct line_history *h, const char *arg, const char *prefix, struct err *err);

/*
 * The files of a commit, delivered by the walk, in which it changes followed lines: compared with its parent, and with
 * those lines in the pairs. Once for each commit. None for a merge. The lines live as long as the history.
 */
void line_history_changes(struct line_history *h, const struct commit *c, struct diff_queue *q);

#endif
