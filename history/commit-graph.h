/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commit-graphs: tree, parents, date and generation of commits in a file that is mapped, so that
 * walks need not read the commits themselves. One file, or a chain of files (layers).
 * gitformat-commit-graph(5), git-commit-graph(1).
 *
 * A commit is known by its position, from 0 to commit_graph_nr(): those of the lowest layer come
 * first. The files are not trusted: tables are checked when they are opened, positions and
 * offsets when they are used. A commit in a file may be missing as an object.
 *
 * Generations: that of a commit is greater than that of each of its parents, and commits that are in no
 * file have GENERATION_INFINITY. So what has a lower generation cannot reach what has a
 * higher one.
 */
#ifndef HISTORY_COMMIT_GRAPH_H
#define HISTORY_COMMIT_GRAPH_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "hash/hash.h"
#include "history/grafts.h"
#include "repo/repo.h"
#include "util/date.h"
#include "util/err.h"

#define GRAPH_POS_NONE UINT32_MAX
#define GENERATION_INFINITY UINT64_MAX
#define GRAPH_COMMITS_MAX 0x6fffffffu /* positions have to differ from "no parent" */

struct commit_graph;

/*
 * The graph of the repository, or of the first of its alternates that has one. NULL: there
 * is none, or it may not be used (core.commitGraph, grafts, a shallow clone, replaced objects). A file
 * that is damaged is reported to r->report_error, once in a process; then it counts as absent.
 */
struct commit_graph *commit_graph_open(struct repository *r, const struct grafts *grafts);
/* May a graph be used at all, whether or not there is one? Settings apart. */
bool commit_graph_applies(struct repository *r, const struct grafts *grafts);
void commit_graph_free(struct commit_graph *g); /* NULL is fine */

uint32_t commit_graph_nr(const struct commit_graph *g);
/* Are there generations that can be relied upon? */
bool commit_graph_has_generations(const struct commit_graph *g);
/* Are they corrected dates (version 2), or levels (version 1)? */
bool commit_graph_has_corrected_dates(const struct commit_graph *g);
bool commit_graph_find(const struct commit_graph *g, const struct object_id *oid, uint32_t *pos);
void commit_graph_oid(const struct commit_graph *g, uint32_t pos, struct object_id *out);

struct graph_commit {
	const unsigned char *tree; /* raw */
	timestamp_t date;
	uint64_t generation; /* GENERATION_INFINITY: there are none */
	uint32_t level;	     /* generation, version 1 */
	uint32_t nr_parents;
	uint32_t parents[2];	    /* positions, of the first two */
	const unsigned char *extra; /* of the second and later ones, if there are more than two */
};
/* ERR_CORRUPT: its parents are not in the graph. */
MUST_USE int commit_graph_read(const struct commit_graph *g, uint32_t pos, struct graph_commit *out,
			       struct err *err);
uint32_t graph_commit_parent(const struct graph_commit *c, uint32_t i);
/* Position of the first parent, GRAPH_POS_NONE if there is none, and if it is out of range. */
uint32_t commit_graph_first_parent(const struct commit_graph *g, uint32_t pos);

#endif
