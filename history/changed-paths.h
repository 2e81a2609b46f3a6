/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changed-path filters of a commit-graph: for each commit a Bloom filter of the paths that differ
 * from its first parent, with their directories. It answers "certainly not changed" or
 * "perhaps". gitformat-commit-graph(5).
 */
#ifndef HISTORY_CHANGED_PATHS_H
#define HISTORY_CHANGED_PATHS_H

#include "compat/posix.h"
#include "history/commit-graph.h"
#include "index/pathspec.h"
#include "odb/odb.h"
#include "util/strbuf.h"

/* The two hashes of a path; all bits are made of them. */
struct path_hashes {
	uint32_t one, two;
};
/*
 * Version 1 extends the sign of each byte: as Git on machines where char is signed, which is
 * right for ASCII alone. Version 2 is murmur3.
 */
uint32_t murmur3_seeded(uint32_t seed, const char *p, size_t len, int version);
struct path_hashes path_hashes_of(const char *path, size_t len, int version);

/* ---- asking ---- */

struct changed_paths; /* a pathspec, prepared */
/* NULL: the graph has no filters that can be used, or they do not help with these paths. */
struct changed_paths *changed_paths_new(const struct commit_graph *g, const struct pathspec *ps);
void changed_paths_free(struct changed_paths *q); /* NULL is fine */
/* False: that commit and its first parent (or the empty tree) are the same within the paths. */
bool changed_paths_perhaps(const struct changed_paths *q, uint32_t pos);

/* ---- making ---- */

struct changed_path_settings {
	uint32_t version, nr_hashes, bits_per_entry;
	uint32_t max_paths; /* changed paths and directories; more of them: a filter of one byte, 0xff */
};
/* What Git writes: 7 hashes, 10 bits, at most 512 paths. */
struct changed_path_settings changed_path_settings_default(uint32_t version);
/* Append the filter of a commit. parent: NULL for the empty tree. Thread-safe. */
MUST_USE int changed_paths_make(struct odb *odb, const struct object_id *parent,
				const struct object_id *tree, const struct changed_path_settings *s,
				struct strbuf *out, struct err *err);

#endif
