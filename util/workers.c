/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include "compat/os.h"
#include "compat/seccomp.h"
#include "util/alloc.h"
#include "util/err.h"
#include "util/workers.h"


/* Enough for the files that are written at once: see fsync_batch_options.window. */
#define DESCRIPTORS 512

/*
 * A stack counts in full against a limit for data (RLIMIT_DATA, a service's or a batch job's), used or not. The default is that
 * of the main thread, 8 MB as a rule. Threads hold their buffers on the heap. A sanitizer's frames are some times larger.
 */
#define STACK_BYTES ((size_t)1 << 20)

static void reserve_descriptors(void)
{
	os_reserve_descriptors(DESCRIPTORS);
}

bool start_thread(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	sigset_t all, before;
	pthread_attr_t attr;
	int failed;

	pthread_once(&once, reserve_descriptors);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	failed = pthread_create(thread, &attr, fn, arg);
	if (failed == EPERM && !seccomp_hide_clone3())
		failed = pthread_create(thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failed;
}

/* ---- the pool ---- */

/*
 * A ring of jobs in the order of submission. Jobs are numbered by counters that never wrap;
 * job n is in slot n % bound:
 *
 *     delivered  <=  started  <=  submitted  <=  delivered + bound
 *
 * Jobs below `delivered` are done with, those below `started` are running or finished, those
 * below `submitted` wait for a thread.
 */
struct job {
	workers_fn run, done;
	void *arg;
	bool finished;
};

struct workers {
	pthread_mutex_t lock;
	pthread_cond_t work;	 /* a job is waiting, or the pool is being freed */
	pthread_cond_t progress; /* a job has finished */
	struct job *ring;
	size_t bound;
	uint64_t delivered, started, submitted;
	pthread_t *threads;
	int nr_threads, max_threads, idle;
	bool ending;
	bool draining; /* inside done(), which must not submit */
};

struct workers *workers_new(int threads, size_t bound)
{
	struct workers *w = xcalloc(1, sizeof(*w));

	if (threads <= 0)
		threads = os_cpu_count();
	w->max_threads = threads > 1 ? threads : 0;
	w->bound = bound ? bound : 1;
	if (!w->max_threads)
		return w;
	ALLOC_ARRAY(w->threads, (size_t)w->max_threads);
	CALLOC_ARRAY(w->ring, w->bound);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->progress, NULL);
	return w;
}

static struct job *slot(struct workers *w, uint64_t number)
{
	return &w->ring[number % w->bound];
}

/* Run the next waiting job. The lock is held at entry and exit. */
static void run_next(struct workers *w)
{
	struct job *job = slot(w, w->started++);
	workers_fn run = job->run;
	void *arg = job->arg;

	pthread_mutex_unlock(&w->lock);
	run(arg);
	pthread_mutex_lock(&w->lock);
	job->finished = true;
	pthread_cond_signal(&w->progress);
}

static void *worker(void *pool)
{
	struct workers *w = pool;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (w->started == w->submitted && !w->ending) {
			w->idle++;
			pthread_cond_wait(&w->work, &w->lock);
			w->idle--;
		}
		if (w->started == w->submitted)
			break;
		run_next(w);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/*
 * Call done() for the oldest job. If it has not finished: return false, or wait for it; if no
 * thread has started it, run it here. The lock is held at entry and exit.
 */
static bool deliver_oldest(struct workers *w, bool wait)
{
	struct job job;

	if (w->delivered == w->submitted)
		return false;
	while (!slot(w, w->delivered)->finished) {
		if (!wait)
			return false;
		if (w->started == w->delivered)
			run_next(w);
		else
			pthread_cond_wait(&w->progress, &w->lock);
	}
	job = *slot(w, w->delivered++);
	if (!job.done)
		return true;
	w->draining = true;
	pthread_mutex_unlock(&w->lock);
	job.done(job.arg);
	pthread_mutex_lock(&w->lock);
	w->draining = false;
	return true;
}

void workers_submit(struct workers *w, workers_fn run, workers_fn done, void *arg)
{
	uint64_t waiting;

	if (!w->max_threads) {
		run(arg);
		if (done)
			done(arg);
		return;
	}
	pthread_mutex_lock(&w->lock);
	if (w->draining)
		BUG("workers_submit from within done()");
	while (deliver_oldest(w, w->submitted - w->delivered == w->bound))
		;
	*slot(w, w->submitted++) = (struct job){ run, done, arg, false };
	/*
	 * A thread costs more than a small job, so the first one is started for the second
	 * waiting job. A single job is run by workers_drain.
	 */
	waiting = w->submitted - w->started;
	if (w->idle)
		pthread_cond_signal(&w->work);
	if (waiting > 1 && waiting > (uint64_t)w->idle && w->nr_threads < w->max_threads &&
	    start_thread(&w->threads[w->nr_threads], worker, w))
		w->nr_threads++;
	pthread_mutex_unlock(&w->lock);
}

void workers_drain(struct workers *w)
{
	if (!w->max_threads)
		return;
	pthread_mutex_lock(&w->lock);
	while (deliver_oldest(w, true))
		;
	pthread_mutex_unlock(&w->lock);
}

void workers_free(struct workers *w)
{
	if (!w)
		return;
	if (w->max_threads) {
		workers_drain(w);
		pthread_mutex_lock(&w->lock);
		w->ending = true;
		pthread_cond_broadcast(&w->work);
		pthread_mutex_unlock(&w->lock);
		for (int i = 0; i < w->nr_threads; i++)
			pthread_join(w->threads[i], NULL);
		pthread_mutex_destroy(&w->lock);
		pthread_cond_destroy(&w->work);
		pthread_cond_destroy(&w->progress);
	}
	free(w->threads);
	free(w->ring);
	free(w);
}

/* ---- parallel for ---- */

struct parallel {
	atomic_size_t next;
	size_t nr, chunk;
	void (*fn)(void *data, size_t begin, size_t end);
	void *data;
};

static void *run_chunks(void *arg)
{
	struct parallel *p = arg;
	size_t begin;

	while ((begin = atomic_fetch_add(&p->next, p->chunk)) < p->nr) {
		size_t left = p->nr - begin;

		p->fn(p->data, begin, begin + (left < p->chunk ? left : p->chunk));
	}
	return NULL;
}

#define MAX_PARALLEL 64

void workers_parallel_for(size_t nr, size_t min_chunk, int threads,
			  void (*fn)(void *data, size_t begin, size_t end),
			  void *data)
{
	struct parallel p = { .nr = nr, .fn = fn, .data = data };
	pthread_t started[MAX_PARALLEL];
	int nr_started = 0;

	if (!nr)
		return;
	if (threads <= 0)
		threads = os_cpu_count();
	if (threads > MAX_PARALLEL)
		threads = MAX_PARALLEL;
	/* Four chunks per thread, since chunks may differ in cost. */
	p.chunk = nr / ((size_t)threads * 4) + 1;
	if (p.chunk < min_chunk)
		p.chunk = min_chunk;
	while (nr_started + 1 < threads && p.chunk * (size_t)(nr_started + 1) < nr &&
	       start_thread(&started[nr_started], run_chunks, &p))
		nr_started++;
	run_chunks(&p);
	while (nr_started)
		pthread_join(started[--nr_started], NULL);
}
