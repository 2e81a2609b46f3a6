/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of writing files share. */
#ifndef WORKTREE_WRITE_FILES_INTERNAL_H
#define WORKTREE_WRITE_FILES_INTERNAL_H

#include "compat/posix.h"
#include <stdatomic.h>
#include "worktree/write-files.h"

/* The file of one entry, written by a thread. */
struct write_job {
	struct index_entry *e;
	bool written; /* else it is left to the main thread, which can tell why */
	struct strbuf warn;
	struct stat_data stat;
};

struct writer {
	struct repository *r;
	struct index_state *ix;
	struct converter *c;
	const struct write_files_meters *meters;
	struct progress *progress;
	struct write_job *jobs;
	size_t nr;
	atomic_size_t written; /* jobs */
	size_t done;	       /* other files */
	struct strbuf dir;     /* "a/b/": known to be a directory; empty: none */
	struct string_list delayed; /* paths; util: the entry, until it is written */
};

/*
 * The jobs in threads; `meanwhile` (may be NULL) runs in the caller's thread at the same time.
 * The entries are touched only when all have ended.
 */
int write_jobs(struct writer *w, void (*meanwhile)(void *data), void *data, struct err *err);

#endif
