/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of writing a commit-graph. */
#ifndef HISTORY_GRAPH_COMMIT_GRAPH_WRITE_INTERNAL_H
#define HISTORY_GRAPH_COMMIT_GRAPH_WRITE_INTERNAL_H

#include "compat/posix.h"
#include "history/changed-paths-internal.h"
#include "history/commit-graph-internal.h"
#include "history/graph/commit-graph-write.h"
#include "history/history.h"

struct graph_value {
	uint32_t pos; /* in the new graph, all layers */
	uint32_t level;
	uint64_t corrected_date;
	uint32_t rank;	      /* in which it was found, for --max-new-filters */
	struct strbuf filter; /* empty: not computed */
};

struct graph_writer {
	struct repository *repo;
	const struct commit_graph_write_options *o;
	struct commit_graph *old; /* the present graph; NULL: none */
	struct commit_graph base; /* the layers of it that stay; they belong to `old` */
	struct commit_pool *pool; /* reads the commits themselves */
	struct commit_list commits; /* of the new layer */
	struct graph_value *values; /* by commit->index */
	size_t nr_values;
	bool with_dates, with_filters;
	struct changed_path_settings filters;
};
#define GRAPH_IN_LAYER 1u /* flag of a commit: it is in the new layer */

/* ---- commit-graph-collect.c ---- */
/*
 * Collect the commits that the options ask for, and their ancestors, except the commits in w->base.
 */
MUST_USE int graph_collect(struct graph_writer *w, struct err *err);
/* Add commits of a layer, as far as they are still there, and what they lead to. */
MUST_USE int graph_collect_layer(struct graph_writer *w, const struct graph_layer *l,
				 struct err *err);

/* ---- commit-graph-values.c ---- */
/* Sort by name; positions and generations of the new layer, and of what it rests on. */
MUST_USE int graph_compute_values(struct graph_writer *w, struct err *err);
MUST_USE int graph_compute_filters(struct graph_writer *w, struct err *err);

/* ---- commit-graph-chunks.c ---- */
/* Write the new layer; *checksum is its name in a chain. */
MUST_USE int graph_write_file(const struct graph_writer *w, int fd, const char *path,
			      struct object_id *checksum, struct err *err);

/* ---- commit-graph-layers.c ---- */
/* Which layers stay: sets w->base, after the new commits are known. */
void graph_choose_base(struct graph_writer *w);
/* Is the layer one of the object directory that is written to? */
bool graph_layer_is_local(const struct graph_writer *w, const struct graph_layer *l);
MUST_USE int graph_stage_single(struct graph_writer *w, struct fsync_batch *b, struct err *err);
MUST_USE int graph_stage_chain(struct graph_writer *w, struct fsync_batch *b, struct err *err);

#endif
