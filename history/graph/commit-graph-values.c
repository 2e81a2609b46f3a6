/* SPDX-License-Identifier: GPL-2.0-only */
/* What a new commit-graph says about its commits: positions, generations, filters. */
#include "compat/posix.h"
#include "compat/sort.h"
#include "history/graph/commit-graph-write-internal.h"
#include "util/alloc.h"
#include "util/workers.h"

static struct graph_value *commit_graph_values_value_of(const struct graph_writer *w,
							const struct commit *c)
{
	return &w->values[c->index];
}

static int by_name(const void *a, const void *b)
{
	return oid_cmp(&(*(struct commit *const *)a)->oid, &(*(struct commit *const *)b)->oid);
}

/* ---- positions ---- */

/* Reads the value of a commit in a lower layer. */
static int read_base_value(struct graph_writer *w, const struct commit *c, struct err *err)
{
	struct graph_value *v = commit_graph_values_value_of(w, c);
	struct graph_commit gc;
	int rc;

	if (!w->base.nr || !commit_graph_find(&w->base, &c->oid, &v->pos))
		return err_set(err, ERR_CORRUPT, "missing parent %s for commit-graph",
			       oid_hex(&c->oid));
	rc = commit_graph_read(&w->base, v->pos, &gc, err);
	if (rc < 0)
		return rc;
	v->level = gc.level;
	v->corrected_date = w->base.corrected_dates ? gc.generation : gc.date;
	return 0;
}

static int find_positions(struct graph_writer *w, struct err *err)
{
	struct commit_list *l = &w->commits;

	w->nr_values = commit_pool_nr(w->pool);
	CALLOC_ARRAY(w->values, w->nr_values ? w->nr_values : 1);
	for (size_t i = 0; i < w->nr_values; i++)
		strbuf_init(&w->values[i].filter, 0);
	for (size_t i = 0; i < l->nr; i++)
		commit_graph_values_value_of(w, l->items[i])->rank = (uint32_t)i;
	if (l->nr)
		qsort(l->items, l->nr, sizeof(*l->items), by_name);
	for (size_t i = 0; i < l->nr; i++)
		commit_graph_values_value_of(w, l->items[i])->pos = w->base.nr + (uint32_t)i;
	for (size_t i = 0; i < l->nr; i++)
		for (uint32_t j = 0; j < l->items[i]->nr_parents; j++) {
			struct commit *p = l->items[i]->parents[j];
			int rc = 0;

			if (!(p->flags & GRAPH_IN_LAYER) && !commit_graph_values_value_of(w,
											  p)->level)
				rc = read_base_value(w, p, err);
			if (rc < 0)
				return rc;
		}
	return 0;
}

/* ---- generations ---- */

/* False: a parent, which is now on the stack, has to come first. */
static bool compute_generation(struct graph_writer *w, const struct commit *c,
			       struct commit_list *stack)
{
	struct graph_value *v = commit_graph_values_value_of(w, c);
	uint32_t level = 0;
	uint64_t date = 0;
	size_t before = stack->nr;

	for (uint32_t i = 0; i < c->nr_parents; i++) {
		const struct graph_value *p = commit_graph_values_value_of(w, c->parents[i]);

		if (!p->level)
			commit_list_add(stack, c->parents[i]);
		level = p->level > level ? p->level : level;
		date = p->corrected_date > date ? p->corrected_date : date;
	}
	if (stack->nr > before)
		return false;
	v->level = level < GRAPH_LEVEL_MAX ? level + 1 : GRAPH_LEVEL_MAX;
	v->corrected_date = c->date > date ? c->date : date + (date < UINT64_MAX);
	return true;
}

static void compute_generations(struct graph_writer *w)
{
	struct commit_list stack = COMMIT_LIST_INIT;

	for (size_t i = 0; i < w->commits.nr; i++) {
		commit_list_add(&stack, w->commits.items[i]);
		while (stack.nr) {
			const struct commit *c = stack.items[stack.nr - 1];

			if (commit_graph_values_value_of(w, c)->level || compute_generation(w, c,
											    &stack))
				stack.nr--;
		}
	}
	commit_list_clear(&stack);
}

int graph_compute_values(struct graph_writer *w, struct err *err)
{
	int rc = find_positions(w, err);

	if (!rc)
		compute_generations(w);
	return rc;
}

/* ---- filters ---- */

struct filter_job {
	struct graph_writer *w;
	struct commit **todo;
	size_t from; /* the parallel part begins there */
	struct progress *progress;
	pthread_mutex_t lock; /* of the result */
	struct err *err;
	int rc;
};

/* Filters that are there already, with the same settings, stay as they are. */
static bool reuse_filter(struct graph_writer *w, const struct commit *c)
{
	const unsigned char *filter;
	uint32_t pos, nr_hashes;
	size_t bytes;

	if (!w->old || !commit_graph_find(w->old, &c->oid, &pos) ||
	    !changed_paths_find(w->old, pos, w->filters.version, &filter, &bytes, &nr_hashes) ||
	    nr_hashes != w->filters.nr_hashes)
		return false;
	strbuf_add(&commit_graph_values_value_of(w, c)->filter, filter, bytes);
	return true;
}

static void compute_some(void *data, size_t begin, size_t end)
{
	struct filter_job *job = data;
	struct graph_writer *w = job->w;
	struct err err = ERR_INIT;
	int rc = 0;

	for (size_t i = begin; !rc && i < end; i++) {
		const struct commit *c = job->todo[job->from + i];

		rc = changed_paths_make(w->repo->odb, c->nr_parents ? &c->parents[0]->tree : NULL,
					&c->tree, &w->filters, &commit_graph_values_value_of(w,
											     c)->filter, &err);
		if (rc < 0)
			err_prefix(&err, "unable to compute changed paths of commit %s",
				   oid_hex(&c->oid));
	}
	pthread_mutex_lock(&job->lock);
	if (rc < 0 && !job->rc) {
		job->rc = rc;
		err_move(job->err, &err);
	}
	pthread_mutex_unlock(&job->lock);
	err_release(&err);
}

static int by_generation(const void *va, const void *vb, void *data)
{
	const struct commit *a = *(struct commit *const *)va, *b = *(struct commit *const *)vb;
	const struct graph_writer *w = data;
	const struct graph_value *x = commit_graph_values_value_of(w,
								   a), *y = commit_graph_values_value_of(w, b);
	uint64_t one = w->with_dates ? x->corrected_date : x->level;
	uint64_t two = w->with_dates ? y->corrected_date : y->level;

	if (w->o->source == GRAPH_FROM_PACKS || w->o->source == GRAPH_FROM_NAMED_PACKS)
		return x->rank < y->rank ? -1 : x->rank > y->rank;
	if (one != two)
		return one < two ? -1 : 1;
	return a->date < b->date ? -1 : a->date > b->date;
}

/* The trees of first parents in lower layers are needed. */
static int parse_parents(struct graph_writer *w, struct commit **todo, size_t nr, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++)
		if (todo[i]->nr_parents)
			rc = commit_parse_node(w->pool, todo[i]->parents[0], err);
	return rc;
}

#define COMMITS_PER_JOB 1024
#define COMMITS_PER_STEP 8192 /* from one look at the clock to the next */

int graph_compute_filters(struct graph_writer *w, struct err *err)
{
	struct filter_job job = { .w = w, .err = err };
	size_t nr = 0;

	ALLOC_ARRAY(job.todo, w->commits.nr ? w->commits.nr : 1);
	for (size_t i = 0; i < w->commits.nr; i++)
		if (!reuse_filter(w, w->commits.items[i]))
			job.todo[nr++] = w->commits.items[i];
	/* Commits that are near each other in the history have trees in common, which are cached. */
	qsort_r(job.todo, nr, sizeof(*job.todo), by_generation, w);
	if (w->o->max_new_filters >= 0 && nr > (size_t)w->o->max_new_filters)
		nr = (size_t)w->o->max_new_filters;
	if (w->o->progress)
		job.progress = w->o->progress(w->o->progress_data,
					      "Computing commit changed paths Bloom filters", nr);
	pthread_mutex_init(&job.lock, NULL);
	job.rc = parse_parents(w, job.todo, nr, err);
	while (!job.rc && job.from < nr) {
		size_t some = nr - job.from < COMMITS_PER_STEP ? nr - job.from : COMMITS_PER_STEP;

		workers_parallel_for(some, COMMITS_PER_JOB, 0, compute_some, &job);
		job.from += some;
		progress_update(job.progress, job.from);
	}
	pthread_mutex_destroy(&job.lock);
	progress_stop(&job.progress);
	free(job.todo);
	return job.rc;
}
