/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking up a path along a chain of first parents, ahead of the blame. The blame reads the commits of the chain; a thread
 * looks up the path in their trees, and so does the blame instead of waiting. Where lines go another way, the blame looks up
 * that path by itself; if that goes on, a new chain begins there.
 */
#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include "compat/os.h"
#include "history/blame/blame-internal.h"
#include "history/revision/revision.h"
#include "odb/odb.h"
#include "util/alloc.h"
#include "util/workers.h"

#define STEPS_MAX 512	  /* how far ahead, in a long chain */
#define STEPS_AT_FIRST 64
#define STEPS_AT_ONCE 8	  /* where commits follow each other; with filters they are far apart, and a step takes longer */
#define PORTION_MAX 64	  /* the larger, the fewer turns of the threads */
#define SKIPPED_MAX 64	  /* steps that lines went around */
#define COMMITS_AT_ONCE 2 /* read for each one that the blame looks at: the lead grows with the chain */
#define FILTERED_AT_ONCE 4
#define ALONE_MAX 4	  /* look-ups by the blame itself, before a chain begins */
#define NOT_BUSY UINT64_MAX

/* A commit of the chain. */
struct step {
	const struct commit *commit;
	const char *path; /* one string for a chain */
	struct object_id tree;
	struct blame_place place; /* in the tree, with rc; before that, in another one */
	int rc;
	bool done;
};

/* The last result of the thread, or of the blame, and its chain. */
struct finder {
	const char *path;
	struct blame_place place;
};

struct blame_ahead {
	struct odb *odb;
	pthread_t thread;
	/* The blame's: the chain. */
	const char *path;
	struct commit *last; /* NULL: it has ended */
	struct blame_place first; /* in another tree */
	unsigned at_once, commits_at_once;
	struct finder finder;
	uint64_t filled, nr_used; /* nr_used: of this chain */
	/* Step n is in slot n % STEPS_MAX. Those below `taken` are of no use. taken <= filled, started <= told <= filled */
	struct step steps[STEPS_MAX];
	pthread_mutex_t lock;
	pthread_cond_t work, progress;
	uint64_t taken, started, told;
	_Atomic(uint64_t) busy; /* the first step that the thread is looking up */
	bool idle, awaited, ending;
};

static struct step *step_at(struct blame_ahead *a, uint64_t nr)
{
	return &a->steps[nr % STEPS_MAX];
}

static uint64_t next_step(const struct blame_ahead *a)
{
	return a->started > a->taken ? a->started : a->taken;
}

/* An eighth of the lead: none waits for long, and few turns are needed. */
static uint64_t portion(const struct blame_ahead *a, uint64_t lead)
{
	uint64_t nr = lead / 8 < PORTION_MAX ? lead / 8 : PORTION_MAX;

	return nr > a->at_once ? nr : a->at_once;
}

/* Look up the next steps, at least one. The lock is held at entry and exit. */
static void look_up_some(struct blame_ahead *a, struct finder *finder)
{
	uint64_t begin = next_step(a), nr_steps = portion(a, a->told - a->taken);
	uint64_t end = a->told - begin < nr_steps ? a->told : begin + nr_steps;

	a->started = end;
	pthread_mutex_unlock(&a->lock);
	for (uint64_t nr = begin; nr < end; nr++) {
		struct step *s = step_at(a, nr);

		if (finder->path != s->path)
			*finder = (struct finder){ s->path, s->place };
		s->rc = blame_look_up(a->odb, s->path, &s->tree, &finder->place, &s->place, NULL);
		if (!s->rc)
			finder->place = s->place;
	}
	pthread_mutex_lock(&a->lock);
	for (uint64_t nr = begin; nr < end; nr++)
		step_at(a, nr)->done = true;
}

static void *run(void *ahead)
{
	struct finder finder = { NULL, { .mode = 0 } };
	struct blame_ahead *a = ahead;

	pthread_mutex_lock(&a->lock);
	while (!a->ending) {
		if (next_step(a) >= a->told) {
			a->idle = true;
			pthread_cond_wait(&a->work, &a->lock);
			a->idle = false;
			continue;
		}
		atomic_store(&a->busy, next_step(a));
		look_up_some(a, &finder);
		atomic_store(&a->busy, NOT_BUSY);
		if (a->awaited)
			pthread_cond_signal(&a->progress);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* ---- the chain ---- */

static struct blame_ahead *start(struct odb *odb)
{
	struct blame_ahead *a = xcalloc(1, sizeof(*a));

	a->odb = odb;
	a->busy = NOT_BUSY;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->work, NULL);
	pthread_cond_init(&a->progress, NULL);
	if (!start_thread(&a->thread, run, a))
		FREE_AND_NULL(a);
	return a;
}

/*
 * A missing object is fetched only for the blame itself. Where commits are read from objects, another thread does that
 * (history/commits-ahead.h), which is as much work.
 */
static void begin_chain(struct blame *b, const struct blame_file *f, struct commit *c)
{
	struct blame_ahead *a;
	bool is_filtered;

	if (c->graph_pos == GRAPH_POS_NONE)
		return;
	if (!b->ahead && !b->children && os_cpu_count() > 1 && !odb_can_fetch(b->diff->odb))
		b->ahead = start(b->diff->odb);
	a = b->ahead;
	if (!a)
		return;
	a->path = f->path;
	a->last = c;
	a->first = blame_place_of(f);
	a->nr_used = 0;
	is_filtered = blame_has_filters(b, f->path);
	a->commits_at_once = is_filtered ? FILTERED_AT_ONCE : COMMITS_AT_ONCE;
	pthread_mutex_lock(&a->lock);
	a->taken = a->filled;
	a->at_once = is_filtered ? 1 : STEPS_AT_ONCE;
	pthread_mutex_unlock(&a->lock);
}

/* Most steps of a chain are used: one that has served long may be further ahead. */
static bool has_room(struct blame_ahead *a)
{
	uint64_t busy = atomic_load(&a->busy), most = STEPS_AT_FIRST + a->nr_used / 4;

	return a->filled - (busy < a->taken ? busy : a->taken) < (most < STEPS_MAX ? most : STEPS_MAX);
}

static void add_step(struct blame *b, struct blame_ahead *a, const struct commit *c)
{
	struct step *s = step_at(a, a->filled);
	bool idle;

	blame_keep_trail(b, &s->place);
	*s = (struct step){ .commit = c, .path = a->path, .tree = c->tree, .place = a->first };
	a->filled++;
	if (a->filled - a->told < portion(a, a->filled - a->taken))
		return;
	pthread_mutex_lock(&a->lock);
	a->told = a->filled;
	idle = a->idle;
	pthread_mutex_unlock(&a->lock);
	if (idle)
		pthread_cond_signal(&a->work);
}

/* Whatever is wrong with a commit, the blame finds out when it comes there. */
static struct commit *next_in_chain(struct blame *b, const struct commit *c)
{
	struct err ignored = ERR_INIT;
	int rc;

	if (!c->nr_parents || c->flags & REV_UNINTERESTING || (b->since && c->date < b->since))
		return NULL;
	rc = commit_parse_node(b->pool, c->parents[0], &ignored);
	err_release(&ignored);
	return rc < 0 ? NULL : c->parents[0];
}

static void follow_chain(struct blame *b, const struct blame_file *f)
{
	struct blame_ahead *a = b->ahead;

	if (!a || strcmp(a->path, f->path))
		return;
	for (unsigned i = 0; i < a->commits_at_once && a->last && has_room(a); i++) {
		struct commit *c = a->last;

		a->last = next_in_chain(b, c);
		if (a->last && !blame_is_certainly_same(b, a->path, c, a->last))
			add_step(b, a, a->last);
	}
}

/* ---- results ---- */

/* NULL: there is no such step. */
static struct step *find_step(struct blame_ahead *a, const char *path, const struct commit *c, uint64_t *nr)
{
	for (*nr = a->taken; *nr < a->filled && *nr - a->taken < SKIPPED_MAX; ++*nr) {
		struct step *s = step_at(a, *nr);

		if (s->commit == c && !strcmp(s->path, path))
			return s;
	}
	return NULL;
}

/* False: the step has not been told. */
static bool await_step(struct blame_ahead *a, uint64_t nr)
{
	bool is_told;

	pthread_mutex_lock(&a->lock);
	is_told = nr < a->told;
	while (is_told && !step_at(a, nr)->done) {
		if (next_step(a) < a->told) {
			look_up_some(a, &a->finder);
			continue;
		}
		a->awaited = true;
		pthread_cond_wait(&a->progress, &a->lock);
		a->awaited = false;
	}
	a->taken = nr + 1;
	pthread_mutex_unlock(&a->lock);
	return is_told;
}

/* 0: *out is the path of f in `other`, a parent; ERR_NOT_FOUND: it is not there; 1: not known, look it up. */
static int take_result(struct blame *b, const struct blame_file *f, struct commit *other, struct blame_place *out)
{
	struct blame_ahead *a = b->ahead;
	uint64_t nr;
	struct step *s = a ? find_step(a, f->path, other, &nr) : NULL;

	if (!s) {
		if (++b->nr_alone > ALONE_MAX) {
			b->nr_alone = 0;
			begin_chain(b, f, other);
		}
		return 1;
	}
	b->nr_alone = 0;
	if (!await_step(a, nr))
		return 1;
	a->nr_used++;
	blame_keep_trail(b, &s->place);
	*out = s->place;
	return !s->rc || s->rc == ERR_NOT_FOUND ? s->rc : 1;
}

/* ---- the path ---- */

static int find_place(struct blame *b, struct blame_file *f, struct commit *other, struct blame_place *out, struct err *err)
{
	struct blame_place near = blame_place_of(f);
	int rc;

	*out = near;
	follow_chain(b, f);
	if (blame_is_certainly_same(b, f->path, f->commit, other))
		return 0;
	rc = take_result(b, f, other, out);
	if (rc <= 0)
		return rc;
	rc = blame_look_up(b->diff->odb, f->path, &other->tree, &near, out, err);
	blame_keep_trail(b, out);
	return rc;
}

int blame_find_path(struct blame *b, struct blame_file *f, struct commit *other, struct blame_file **out, struct err *err)
{
	struct blame_place place;
	struct blame_file *old;
	int rc;

	for (old = *blame_files_of(b, other); old; old = old->next)
		if (!strcmp(old->path, f->path)) {
			*out = old;
			return 0;
		}
	rc = find_place(b, f, other, &place, err);
	if (rc == ERR_NOT_FOUND) {
		err_release(err);
		return 0;
	}
	if (rc < 0)
		return rc;
	if ((place.mode & S_IFMT) != (f->mode & S_IFMT))
		return 0;
	*out = blame_file_of(b, other, f->path);
	(*out)->oid = place.oid;
	(*out)->mode = place.mode;
	(*out)->trail = place.trail;
	return 0;
}

void blame_ahead_free(struct blame *b)
{
	struct blame_ahead *a = b->ahead;

	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->ending = true;
	pthread_cond_signal(&a->work);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	for (size_t i = 0; i < STEPS_MAX; i++)
		blame_keep_trail(b, &a->steps[i].place);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->work);
	pthread_cond_destroy(&a->progress);
	free(a);
	b->ahead = NULL;
}
