/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of writing files share. */
#ifndef WORKTREE_WRITE_FILES_INTERNAL_H
#define WORKTREE_WRITE_FILES_INTERNAL_H

#include "compat/posix.h"
#include <stdatomic.h>
#include "worktree/write-files.h"

/* The file of one entry. */
struct write_job {
	struct index_entry *e;
	struct conversion cv; /* of files */
	enum { BY_THREAD, BY_FILTER, BY_LINK, BY_GITLINK } kind;
	enum {
		TO_CLEAR, /* there may be something in its place; then it is */
		TO_WRITE, /* a thread leaves what it cannot write to the main thread, which can tell why */
		WRITTEN,
		DELAYED,  /* by a filter */
		GIVEN_UP, /* failed, with an error message; or another of this call's files is there */
	} state;
	struct strbuf warn;
	struct stat_data stat;
};

struct writer {
	struct repository *r;
	struct index_state *ix;
	struct converter *c;
	const struct write_files_options *o;
	struct fsync_batch *batch; /* of the operation, if it awaits the contents; or NULL */
	struct progress *progress;
	struct write_job *jobs; /* in the order of the index */
	size_t nr;
	/* those BY_THREAD: threads look at no others; and BY_FILTER: nor does what runs meanwhile */
	struct write_job **threaded, **filtered;
	size_t nr_threaded, nr_filtered;
	atomic_size_t written;	/* by threads */
	size_t done;		/* other files */
	struct strbuf dir;	/* "a/b/": known to be a directory; empty: none */
	struct string_list delayed; /* paths; util: the job, until it is written */
};

/* ---- write-threads.c ---- */

/* For so many files, as the settings say. 0: one for each processor. */
int write_thread_count(const struct repository *r, size_t nr, int *threads, struct err *err);

/*
 * Find out the kinds of all jobs, and remove files that are in their places: the directories are
 * there. What else is in the place of a job, which stays TO_CLEAR, is for the main thread.
 */
void write_clear_places(struct writer *w, int threads);
/*
 * The jobs BY_THREAD; `meanwhile` (may be NULL) runs in the caller's thread at the same time.
 * The entries are touched only when all have ended.
 */
int write_jobs(struct writer *w, void (*meanwhile)(void *data), void *data, struct err *err);

/* ---- write-collisions.c ---- */

/*
 * Places were cleared before anything was written. A file in the place of a job, or of one of its
 * directories, that this very call has written has another name for the index, but not
 * for the file system (case, Unicode). The later of the two in the index wins, as in Git. 0: go on;
 * 1: the job was given up; < 0: the other file could not be removed.
 */
int write_job_make_way(struct writer *w, struct write_job *j, struct err *err);

#endif
