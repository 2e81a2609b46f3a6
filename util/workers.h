/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pool of threads that runs jobs and hands the results back in the order
 * in which the jobs were submitted.
 *
 *   pool = workers_new(0, 64);
 *   workers_submit(pool, run, done, job);   blocks while the bound is reached
 *   ...                                     done() runs in the caller's thread
 *   workers_drain(pool);                    from within submit and drain
 *   workers_free(pool);
 *
 * `run` is called in a worker thread and touches only its job and what is
 * documented as thread-safe. `done` is called in the submitting thread, in
 * submission order; it must not submit. With one processor (or threads == 1)
 * run is called directly by submit: same order, no thread. A submitter that
 * would wait for a job that no thread has taken yet runs it itself; threads are
 * started when work piles up, so a pool for a single job costs none.
 * Worker threads have all signals blocked.
 */
#ifndef UTIL_WORKERS_H
#define UTIL_WORKERS_H

#include "compat/posix.h"
#include <pthread.h>

struct workers;
typedef void (*workers_fn)(void *job);

int online_cpus(void);
/* threads == 0: one per processor. bound: jobs in flight, at least 1. */
struct workers *workers_new(int threads, size_t bound);
void workers_submit(struct workers *w, workers_fn run, workers_fn done, void *job);
void workers_drain(struct workers *w);
void workers_free(struct workers *w); /* drains first */

/*
 * A thread of its own, to be joined. It takes no signals: handlers (the clean-up
 * of lock files) run in the main thread. False: there is none to be had.
 */
bool start_thread(pthread_t *thread, void *(*fn)(void *), void *arg);

/* Run fn(data, i) for 0 <= i < nr in parallel chunks; returns when all ran. */
void workers_parallel_for(size_t nr, size_t min_chunk, int threads,
			  void (*fn)(void *data, size_t begin, size_t end),
			  void *data);

#endif
