/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pool of threads that runs jobs and delivers their results in the order of submission.
 *
 *   pool = workers_new(0, 64);
 *   workers_submit(pool, run, done, job);   blocks while `bound` jobs are in flight
 *   ...                                     done() runs in the caller's thread
 *   workers_drain(pool);                    from within submit and drain
 *   workers_free(pool);
 *
 * `run` is called in a worker thread. It may use only its job and functions documented as
 * thread-safe. `done` is called in the submitting thread, in the order of submission; it must
 * not submit. If there is one processor (or threads == 1), submit calls run directly. Threads
 * are started only when several jobs wait. If no thread has started a job that the submitter
 * waits for, the submitter runs it itself, so a single job costs no thread.
 * Worker threads block all signals.
 */
#ifndef UTIL_WORKERS_H
#define UTIL_WORKERS_H

#include "compat/posix.h"
#include <pthread.h>

struct workers;
typedef void (*workers_fn)(void *job);

/* threads == 0: one per processor. bound: jobs in flight, at least 1. */
struct workers *workers_new(int threads, size_t bound);
void workers_submit(struct workers *w, workers_fn run, workers_fn done, void *job);
void workers_drain(struct workers *w);
void workers_free(struct workers *w); /* drains first */

/*
 * Start a thread, to be joined, with all signals blocked: signal handlers (which remove lock
 * files) run in the main thread. False if it cannot be created.
 */
bool start_thread(pthread_t *thread, void *(*fn)(void *), void *arg);

/*
 * Call fn(data, begin, end) for consecutive chunks of [0, nr), in parallel. Returns when all
 * are done. threads 0: one per processor.
 */
void workers_parallel_for(size_t nr, size_t min_chunk, int threads,
			  void (*fn)(void *data, size_t begin, size_t end),
			  void *data);

#endif
