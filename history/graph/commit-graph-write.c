/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing a commit-graph, from the choice of commits to the staged files. */
#include "compat/posix.h"
#include "history/graph/commit-graph-write-internal.h"
#include "util/alloc.h"

/* The uppermost layer tells whether they are wanted. */
static bool has_filters(const struct commit_graph *g, struct filter_settings *out)
{
	if (!g || !g->layers[g->nr_layers - 1]->filter_settings.version)
		return false;
	*out = g->layers[g->nr_layers - 1]->filter_settings;
	return true;
}

/* Uses the settings of the present filters, unless another version is configured. */
static int choose_filters(struct graph_writer *w, struct err *err)
{
	struct filter_settings present = { .version = 0 };
	bool had = has_filters(w->old, &present), wanted = false; /* false means the same as not set */
	int version = -1;

	if (config_get_bool(w->repo->config, "commitgraph.changedpaths", &wanted, err) < 0 ||
	    config_get_int(w->repo->config, "commitgraph.changedpathsversion", &version, err) < 0)
		return ERR_INVALID;
	w->with_filters = w->o->changed_paths < 0 ? had || wanted : w->o->changed_paths;
	if (version < 0)
		version = present.version == 2 ? 2 : 1;
	if (!version)
		version = 1;
	w->filters = changed_path_settings_default((uint32_t)version);
	if (present.version == (uint32_t)version && present.nr_hashes && present.nr_hashes <= 64 &&
	    present.bits_per_entry && present.bits_per_entry <= 1024) {
		w->filters.nr_hashes = present.nr_hashes;
		w->filters.bits_per_entry = present.bits_per_entry;
	}
	return 0;
}

/* Corrected dates, unless a lower layer has none. */
static int choose_generations(struct graph_writer *w, struct err *err)
{
	int version = 2;

	if (config_get_int(w->repo->config, "commitgraph.generationversion", &version, err) < 0)
		return ERR_INVALID;
	w->with_dates = version == 2;
	for (size_t i = 0; i < w->base.nr_layers; i++)
		w->with_dates &= w->base.layers[i]->dates != NULL;
	return 0;
}

static bool is_chain_mode(const struct graph_writer *w)
{
	return w->o->split != GRAPH_SINGLE;
}

/*
 * Loads the present graph. The layers of a chain stay as they are until the new commits are known.
 */
static void load_old(struct graph_writer *w)
{
	struct odb *odb = w->repo->odb;

	graph_load(&w->old, w->repo, w->o->objdir, w->o->warn, w->o->warn_data);
	for (size_t i = 0; !w->old && is_chain_mode(w) && i < odb_nr_alternates(odb); i++) {
		graph_load(&w->old, w->repo, odb_alternate(odb, i), w->o->warn, w->o->warn_data);
		if (w->old && !w->old->is_chain) {
			commit_graph_free(w->old);
			w->old = NULL;
		}
	}
	if (w->old && is_chain_mode(w) && w->o->split != GRAPH_SPLIT_REPLACE)
		w->base = *w->old;
}

/* Without commits a graph stays as it is, unless it is to be replaced by one that has none. */
static bool is_of_use(const struct graph_writer *w)
{
	return w->commits.nr || w->o->split == GRAPH_SPLIT_REPLACE;
}

static int collect(struct graph_writer *w, struct err *err)
{
	size_t kept;
	int rc = graph_collect(w, err);

	if (rc < 0 || !is_of_use(w))
		return rc;
	kept = w->base.nr_layers;
	graph_choose_base(w);
	for (size_t i = w->base.nr_layers; !rc && i < kept; i++)
		rc = graph_collect_layer(w, w->old->layers[i], err);
	return rc;
}

static int write_graph(struct graph_writer *w, struct fsync_batch *b, struct err *err)
{
	int rc;

	load_old(w);
	rc = choose_filters(w, err);
	if (!rc)
		rc = collect(w, err);
	if (rc < 0 || !is_of_use(w))
		return rc;
	if ((rc = choose_generations(w, err)) < 0 || (rc = graph_compute_values(w, err)) < 0)
		return rc;
	if (w->with_filters)
		rc = graph_compute_filters(w, err);
	if (rc < 0)
		return rc;
	return is_chain_mode(w) ? graph_stage_chain(w, b, err) : graph_stage_single(w, b, err);
}

static void release(struct graph_writer *w)
{
	for (size_t i = 0; i < w->nr_values; i++)
		strbuf_release(&w->values[i].filter);
	free(w->values);
	commit_list_clear(&w->commits);
	commit_pool_free(w->pool);
	commit_graph_free(w->old);
}

int commit_graph_write(struct repository *r, const struct commit_graph_write_options *o,
		       struct fsync_batch *b, struct err *err)
{
	struct graph_writer w = { .repo = r, .o = o };
	struct grafts grafts;
	bool applies;
	int rc = grafts_read(&grafts, r, err);

	if (rc < 0)
		return rc;
	applies = commit_graph_applies(r, &grafts);
	grafts_clear(&grafts);
	if (!applies)
		return 0;
	rc = commit_pool_new(&w.pool, r, err);
	if (!rc) {
		commit_pool_ignore_graph(w.pool);
		rc = write_graph(&w, b, err);
	}
	release(&w);
	return rc;
}
