/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing and verifying commit-graphs. git-commit-graph(1), gitformat-commit-graph(5). */
#ifndef HISTORY_GRAPH_COMMIT_GRAPH_WRITE_H
#define HISTORY_GRAPH_COMMIT_GRAPH_WRITE_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/date.h"
#include "util/err.h"
#include "util/progress.h"
#include "util/strvec.h"

enum graph_source {
	GRAPH_FROM_PACKS,	/* all commits in packs, and what they lead to */
	GRAPH_FROM_REFS,	/* what refs lead to */
	GRAPH_FROM_COMMITS,	/* what `commits` lead to */
	GRAPH_FROM_NAMED_PACKS, /* commits in `packs`, and what they lead to */
};

enum graph_split {
	GRAPH_SINGLE,	      /* one file, instead of a chain */
	GRAPH_SPLIT,	      /* a new layer; lower layers that are small against it are merged into it */
	GRAPH_SPLIT_NO_MERGE, /* a new layer, always */
	GRAPH_SPLIT_REPLACE,  /* a chain of one layer, whatever is there */
};

struct commit_graph_write_options {
	const char *objdir; /* of the repository, or an alternate */
	enum graph_source source;
	const struct oid_array *commits;
	const struct strvec *packs; /* names of .idx files */
	bool append;	    /* commits of the present graph stay in it */
	enum graph_split split;
	unsigned long size_multiple;
	unsigned long max_commits; /* 0: no limit */
	timestamp_t expire_before; /* layers that are not used any more go if they are that old */
	int changed_paths;    /* filters; -1: if commitGraph.changedPaths says so or there are some */
	long max_new_filters; /* < 0: no limit */
	/* May return NULL, as may the pointer itself be. */
	struct progress *(*progress)(void *data, const char *title, uint64_t total);
	void *progress_data;
	void (*warn)(void *data, const char *msg); /* a fault of the present graph */
	void *warn_data;
};

/*
 * Stage a new commit-graph in `b`. Without commits, or without new ones for a chain, nothing is
 * staged, unless a chain is to be replaced. Where a graph may not be used (grafts, a shallow clone, replaced objects) neither.
 *
 * Durability: that of the batch; readers have the old graph or the new one at each moment.
 * Errors:     ERR_LOCKED, ERR_IO, ERR_NOT_FOUND and ERR_CORRUPT for a commit or a tree that
 *             cannot be read, ERR_TOO_BIG
 */
MUST_USE int commit_graph_write(struct repository *r, const struct commit_graph_write_options *o,
				struct fsync_batch *b, struct err *err);

struct commit_graph_verify_options {
	const char *objdir;
	bool shallow; /* only the uppermost layer */
	void (*bad)(void *data, const char *msg); /* a value that is not true */
	void (*unusable)(void *data, const char *msg); /* why a file cannot be used at all */
	void *data;
	struct progress *(*progress)(void *data, const char *title, uint64_t total);
};
/* The exit codes of Git's "commit-graph verify". */
enum commit_graph_state { COMMIT_GRAPH_SOUND, COMMIT_GRAPH_BAD, COMMIT_GRAPH_BAD_CHECKSUM /* and nothing else */ };
/* COMMIT_GRAPH_SOUND also if there is no graph. */
enum commit_graph_state commit_graph_verify(struct repository *r, const struct commit_graph_verify_options *o);

#endif
