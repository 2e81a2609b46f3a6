/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files about commit-graphs share. gitformat-commit-graph(5). */
#ifndef HISTORY_COMMIT_GRAPH_INTERNAL_H
#define HISTORY_COMMIT_GRAPH_INTERNAL_H

#include "compat/posix.h"
#include "fs/mmap-window.h"
#include "history/commit-graph.h"

#define GRAPH_SIGNATURE 0x43475048u /* "CGPH" */
#define GRAPH_HEADER_BYTES 8
#define GRAPH_TABLE_ENTRY_BYTES 12
#define GRAPH_FANOUT_BYTES 1024
#define GRAPH_NO_PARENT 0x70000000u
#define GRAPH_MSB 0x80000000u
#define GRAPH_LEVEL_MAX 0x3fffffffu
#define GRAPH_DATE_MAX UINT64_C(0x3ffffffff)
#define GRAPH_OFFSET_MAX 0x7fffffffu /* greater ones are in the table of overflows */
#define GRAPH_FILTER_HEADER_BYTES 12

#define GRAPH_CHUNK_FANOUT 0x4f494446u	   /* OIDF */
#define GRAPH_CHUNK_NAMES 0x4f49444cu	   /* OIDL */
#define GRAPH_CHUNK_COMMITS 0x43444154u	   /* CDAT */
#define GRAPH_CHUNK_DATES 0x47444132u	   /* GDA2 */
#define GRAPH_CHUNK_WIDE_DATES 0x47444f32u /* GDO2 */
#define GRAPH_CHUNK_PARENTS 0x45444745u	   /* EDGE */
#define GRAPH_CHUNK_FILTER_ENDS 0x42494458u /* BIDX */
#define GRAPH_CHUNK_FILTERS 0x42444154u	   /* BDAT */
#define GRAPH_CHUNK_BASES 0x42415345u	   /* BASE */

struct filter_settings {
	uint32_t version; /* 1, 2; 0: there are no filters */
	uint32_t nr_hashes, bits_per_entry;
};

/* One file. Tables that are not there are NULL. */
struct graph_layer {
	struct mapped_file map;
	char *path;
	const struct hash_algo *algo;
	uint32_t nr;   /* commits in it */
	uint32_t base; /* in the layers below */
	const unsigned char *fanout, *names, *commits;
	const unsigned char *dates;	 /* offsets to dates, 4 bytes each */
	const unsigned char *wide_dates; /* 8 bytes each */
	const unsigned char *parents;	 /* 4 bytes each */
	const unsigned char *filter_ends, *filters;
	const unsigned char *bases;
	uint64_t nr_wide_dates, nr_parents, filters_len;
	unsigned nr_bases;
	struct filter_settings filter_settings;
};

struct commit_graph {
	const struct hash_algo *algo;
	char *objdir;		    /* where it was found */
	struct graph_layer **layers; /* the lowest first */
	size_t nr_layers;
	uint32_t nr;
	bool is_chain; /* from info/commit-graphs, also if it has one layer only */
	bool corrected_dates, levels;
	uint32_t filter_version; /* to be used; 0: none */
};

/* ---- commit-graph-file.c ---- */
/*
 * ERR_NOT_FOUND, ERR_IO, ERR_CORRUPT, ERR_UNSUPPORTED with Git's messages. Sizes of tables are
 * checked, their content and the checksum are not. warn (may be NULL): the filters are unusable.
 */
MUST_USE int graph_layer_open(struct graph_layer **out, const char *path,
			      const struct hash_algo *algo, repo_warn_fn warn, void *warn_data,
			      struct err *err);
void graph_layer_free(struct graph_layer *l);
/* The checksum at the end of the file: its name in a chain. */
void graph_layer_checksum(const struct graph_layer *l, struct object_id *out);
static inline const unsigned char *graph_layer_name(const struct graph_layer *l, uint32_t i)
{
	return l->names + (size_t)i * l->algo->raw_len;
}
static inline const unsigned char *graph_layer_commit(const struct graph_layer *l, uint32_t i)
{
	return l->commits + (size_t)i * (l->algo->raw_len + 16);
}
/* The position in this layer, or where the name would stand (false). */
bool graph_layer_find(const struct graph_layer *l, const unsigned char *name, uint32_t *pos);

/* ---- commit-graph.c ---- */
char *graph_path(const char *objdir); /* of the single file; caller frees, as all of these */
char *graph_chain_path(const char *objdir);
char *graph_layer_path(const char *objdir, const struct object_id *checksum);
/*
 * Loads the graph of one object directory, regardless of the settings. *out is NULL if there is
 * none. Each fault of the files is passed to `complain` and counted in *complaints. Layers may lie
 * in alternates.
 */
void graph_load(struct commit_graph **out, struct repository *r, const char *objdir,
		void (*complain)(void *data, const char *msg), void *data);
/* Set corrected_dates and levels, by the layers. */
void graph_find_generations(struct commit_graph *g);
/* The layer in which that position is; *i: the position there. */
const struct graph_layer *graph_layer_at(const struct commit_graph *g, uint32_t pos, uint32_t *i);

#endif
