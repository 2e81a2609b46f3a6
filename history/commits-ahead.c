/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include "compat/os.h"
#include "history/commits-ahead.h"
#include "object/commit.h"
#include "odb/odb.h"
#include "util/alloc.h"
#include "util/workers.h"

#define BATCH_MAX 32	 /* commits that are handed over together: the threads take turns less often */
#define BATCHES_MAX 4	 /* how far ahead */
/* Commits in a row that the walk reads by itself, before a new chain begins. */
#define PATIENCE_AT_FIRST 16
#define PATIENCE_MIN 4 /* after a chain that was of use, */
#define PATIENCE_MAX 1024
#define HITS_MIN 32 /* which has had so many hits */

struct batch {
	size_t nr, at; /* those before `at` are taken */
	struct object_id oid[BATCH_MAX];
	struct object_buf text[BATCH_MAX];
};

struct commits_ahead {
	struct odb *odb;
	const struct hash_algo *algo;
	/* The walk's. */
	struct batch now;
	unsigned hits, misses, patience;
	bool started; /* there is a thread */
	pthread_t thread;
	/* Both: with the lock. Batch n of a chain is in slot n % BATCHES_MAX. taken <= filled */
	pthread_mutex_t lock;
	pthread_cond_t work, progress;
	struct batch batches[BATCHES_MAX];
	uint64_t taken, filled;
	struct object_id begin; /* of the chain, */
	bool is_new;		/* which the thread has not seen */
	bool ended;		/* nothing comes after `filled` */
	bool idle, awaited;
	_Atomic(bool) ending, stale; /* stale: there is a new chain */
};

static void release_batch(struct batch *b)
{
	while (b->at < b->nr)
		object_buf_release(&b->text[b->at++]);
	b->nr = b->at = 0;
}

/* ---- the thread ---- */

/* The commit, and where the chain goes on; false: it ends before this commit. */
static bool read_one(struct commits_ahead *a, struct object_id *next, bool *goes_on, struct object_buf *text)
{
	struct oid_array parents = OID_ARRAY_INIT;
	struct err ignored = ERR_INIT;
	int rc = odb_read(a->odb, next, text, &ignored);

	if (!rc)
		rc = text->type == OBJ_COMMIT ? commit_parse_links(text->data, text->size, a->algo, NULL, &parents, NULL, &ignored) : -1;
	if (rc < 0)
		object_buf_release(text);
	*goes_on = rc >= 0 && parents.nr;
	if (*goes_on)
		*next = parents.oid[0];
	oid_array_clear(&parents);
	err_release(&ignored);
	return rc >= 0;
}

/* True: the chain goes on. */
static bool fill_batch(struct commits_ahead *a, struct batch *b, size_t most, struct object_id *next)
{
	bool goes_on = true;

	while (goes_on && b->nr < most && !atomic_load(&a->ending) && !atomic_load(&a->stale)) {
		b->oid[b->nr] = *next;
		b->nr += read_one(a, next, &goes_on, &b->text[b->nr]);
	}
	return goes_on;
}

/* The lock is held at entry and exit. */
static void read_batch(struct commits_ahead *a, struct object_id *next)
{
	struct batch b = { .nr = 0 };
	size_t most = a->filled ? BATCH_MAX : BATCH_MAX / 4;
	bool goes_on;

	pthread_mutex_unlock(&a->lock);
	goes_on = fill_batch(a, &b, most, next);
	pthread_mutex_lock(&a->lock);
	if (a->is_new) {
		release_batch(&b);
		return;
	}
	a->batches[a->filled++ % BATCHES_MAX] = b;
	a->ended = !goes_on;
	if (a->awaited)
		pthread_cond_signal(&a->progress);
}

static void *run(void *ahead)
{
	struct commits_ahead *a = ahead;
	struct object_id next;

	pthread_mutex_lock(&a->lock);
	while (!atomic_load(&a->ending)) {
		if (a->is_new) {
			next = a->begin;
			a->is_new = a->ended = false;
			atomic_store(&a->stale, false);
		}
		if (a->ended || a->filled - a->taken == BATCHES_MAX) {
			a->idle = true;
			pthread_cond_wait(&a->work, &a->lock);
			a->idle = false;
			continue;
		}
		read_batch(a, &next);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* ---- the walk ---- */

struct commits_ahead *commits_ahead_new(struct odb *odb, const struct hash_algo *algo)
{
	struct commits_ahead *a;

	/* A missing object is fetched only for the walk itself. */
	if (os_cpu_count() < 2 || odb_can_fetch(odb))
		return NULL;
	a = xcalloc(1, sizeof(*a));
	a->odb = odb;
	a->algo = algo;
	a->ended = true;
	a->patience = PATIENCE_AT_FIRST;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->work, NULL);
	pthread_cond_init(&a->progress, NULL);
	return a;
}

void commits_ahead_free(struct commits_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	atomic_store(&a->ending, true);
	pthread_cond_signal(&a->work);
	pthread_mutex_unlock(&a->lock);
	if (a->started)
		pthread_join(a->thread, NULL);
	release_batch(&a->now);
	for (size_t i = 0; i < BATCHES_MAX; i++)
		release_batch(&a->batches[i]);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->work);
	pthread_cond_destroy(&a->progress);
	free(a);
}

/* False: the chain has ended. */
static bool next_batch(struct commits_ahead *a)
{
	bool wakes = false, found;

	release_batch(&a->now);
	pthread_mutex_lock(&a->lock);
	while (a->taken == a->filled && !a->ended) {
		a->awaited = true;
		pthread_cond_wait(&a->progress, &a->lock);
		a->awaited = false;
	}
	found = a->taken < a->filled;
	if (found) {
		struct batch *b = &a->batches[a->taken++ % BATCHES_MAX];

		a->now = *b;
		b->nr = b->at = 0;
		wakes = a->idle && !a->ended && a->filled - a->taken <= BATCHES_MAX / 2;
	}
	pthread_mutex_unlock(&a->lock);
	if (wakes)
		pthread_cond_signal(&a->work);
	return found;
}

bool commits_ahead_take(struct commits_ahead *a, const struct object_id *oid, struct object_buf *out)
{
	if (!a->started || (a->now.at == a->now.nr && !next_batch(a)))
		return false;
	for (size_t i = a->now.at; i < a->now.nr; i++) {
		if (!oid_eq(oid, &a->now.oid[i]))
			continue;
		while (a->now.at < i)
			object_buf_release(&a->now.text[a->now.at++]);
		*out = a->now.text[a->now.at++];
		a->misses = 0;
		a->hits++;
		return true;
	}
	return false;
}

static void begin_chain(struct commits_ahead *a, const struct object_id *oid)
{
	release_batch(&a->now);
	pthread_mutex_lock(&a->lock);
	for (; a->taken < a->filled; a->taken++)
		release_batch(&a->batches[a->taken % BATCHES_MAX]);
	a->taken = a->filled = 0;
	a->begin = *oid;
	a->is_new = true;
	a->ended = false;
	atomic_store(&a->stale, true);
	pthread_cond_signal(&a->work);
	pthread_mutex_unlock(&a->lock);
}

void commits_ahead_missed(struct commits_ahead *a, const struct object_id *first_parent)
{
	if (!first_parent || ++a->misses < a->patience)
		return;
	if (a->hits >= HITS_MIN)
		a->patience = PATIENCE_MIN;
	else if (a->started && a->patience < PATIENCE_MAX)
		a->patience *= 2;
	a->hits = a->misses = 0;
	begin_chain(a, first_parent);
	if (!a->started)
		a->started = start_thread(&a->thread, run, a);
}
