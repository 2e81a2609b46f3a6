/* SPDX-License-Identifier: GPL-2.0-only */
/* What asking and making of changed-path filters share with the writer of a commit-graph. */
#ifndef HISTORY_CHANGED_PATHS_INTERNAL_H
#define HISTORY_CHANGED_PATHS_INTERNAL_H

#include "compat/posix.h"
#include "history/changed-paths.h"
#include "history/commit-graph-internal.h"

/* Set the bits of a path. */
void changed_path_add(unsigned char *filter, size_t bytes, const struct path_hashes *h,
		      uint32_t nr_hashes);
/* The filter of that commit, if there is one of that version. */
bool changed_paths_find(const struct commit_graph *g, uint32_t pos, uint32_t version,
			const unsigned char **filter, size_t *bytes, uint32_t *nr_hashes);

#endif
