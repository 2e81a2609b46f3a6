/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include "compat/cpus.h"
#include "util/alloc.h"
#include "util/err.h"
#include "util/workers.h"

int online_cpus(void)
{
	return os_cpu_count();
}

/* Fewer threads than asked for are no failure. */
bool start_thread(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failed;
}

/* ---- the pool ---- */

/*
 * A ring of jobs in the order of submission. Three counters run up for ever,
 * a job with number n is in slot n % bound:
 *
 *     retired  <=  taken  <=  submitted  <=  retired + bound
 *
 * Jobs below `retired` have been handed back, those below `taken` are running
 * or finished, those below `submitted` wait for a thread.
 */
struct job {
	workers_fn run, done;
	void *arg;
	bool finished;
};

struct workers {
	pthread_mutex_t lock;
	pthread_cond_t work;	 /* a job waits, or the pool ends */
	pthread_cond_t progress; /* a job has finished */
	struct job *ring;
	size_t bound;
	uint64_t retired, taken, submitted;
	pthread_t *threads;
	int nr_threads, max_threads, idle;
	bool ending;
	bool draining; /* a done() that submits must not hand back, too */
};

struct workers *workers_new(int threads, size_t bound)
{
	struct workers *w = xcalloc(1, sizeof(*w));

	if (threads <= 0)
		threads = online_cpus();
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

/* Take the next waiting job and run it. Called and left with the lock held. */
static void run_next(struct workers *w)
{
	struct job *job = slot(w, w->taken++);
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
		while (w->taken == w->submitted && !w->ending) {
			w->idle++;
			pthread_cond_wait(&w->work, &w->lock);
			w->idle--;
		}
		if (w->taken == w->submitted)
			break;
		run_next(w);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/*
 * Hand back the oldest job. If it is not ready: false, or wait for it; when no
 * thread has taken it yet, run it here. Called and left with the lock held.
 */
static bool retire_oldest(struct workers *w, bool wait)
{
	struct job job;

	if (w->retired == w->submitted)
		return false;
	while (!slot(w, w->retired)->finished) {
		if (!wait)
			return false;
		if (w->taken == w->retired)
			run_next(w);
		else
			pthread_cond_wait(&w->progress, &w->lock);
	}
	job = *slot(w, w->retired++);
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
	while (retire_oldest(w, w->submitted - w->retired == w->bound))
		;
	*slot(w, w->submitted++) = (struct job){ run, done, arg, false };
	/*
	 * A thread costs more than a small job: the first job alone waits for
	 * the second or for the drain.
	 */
	waiting = w->submitted - w->taken;
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
	while (retire_oldest(w, true))
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
		threads = online_cpus();
	if (threads > MAX_PARALLEL)
		threads = MAX_PARALLEL;
	/* Several chunks per thread even out chunks of unequal cost. */
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
