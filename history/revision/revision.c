/* SPDX-License-Identifier: GPL-2.0-only */
/* A walk from its starts to its end. Its parts are in the files revision-*.c. */
#include "compat/posix.h"
#include "history/revision/revision-internal.h"
#include "util/alloc.h"
#include "history/names/revparse.h"

int rev_walk_new(struct rev_walk **out, struct repository *r, struct err *err)
{
	struct rev_walk *w;
	int rc;

	CALLOC_ARRAY(w, 1);
	w->repo = r;
	w->max_count = w->skip = w->max_parents = -1;
	CALLOC_ARRAY(w->state, 1);
	w->state->queue.compare = commit_date_cmp;
	w->exclusions = (struct ref_exclusions)REF_EXCLUSIONS_INIT;
	rc = commit_pool_new(&w->pool, r, err);
	if (rc < 0)
		rev_walk_free(w);
	else
		*out = w;
	return rc;
}

static void free_start(struct rev_start *s)
{
	free(s->name);
	free(s->ref);
	free(s->path);
}

void rev_walk_free(struct rev_walk *w)
{
	size_t i;

	if (!w)
		return;
	for (i = 0; i < w->nr_starts; i++)
		free_start(&w->starts[i]);
	free(w->starts);
	rev_free_objects(w);
	rev_free_children(w);
	rev_free_same(w);
	prio_queue_clear(&w->state->queue);
	commit_list_clear(&w->state->list);
	commit_list_clear(&w->state->boundary);
	commit_list_clear(&w->state->last);
	commit_list_clear(&w->ancestry_bottoms);
	free(w->state->sources);
	tree_cache_free(w->state->trees);
	rev_topo_free(w->state->topo);
	changed_paths_free(w->state->changed_paths);
	free(w->state);
	rev_grep_free(w->grep);
	rev_reflog_free(w);
	ref_exclusions_clear(&w->exclusions);
	if (w->has_pathspec)
		pathspec_release(&w->pathspec);
	commit_pool_free(w->pool);
	free(w);
}

void rev_walk_add_commit(struct rev_walk *w, const struct object_id *oid, const char *name,
			 uint32_t flags)
{
	struct rev_start *s;

	ALLOC_GROW(w->starts, w->nr_starts + 1, w->alloc_starts);
	s = &w->starts[w->nr_starts++];
	memset(s, 0, sizeof(*s));
	s->oid = *oid;
	s->name = xstrdup(name);
	s->flags = flags;
	if (flags & REV_UNINTERESTING)
		w->no_walk = false; /* a range is walked, unless --no-walk comes after it */
}

void rev_walk_only_reflogs(struct rev_walk *w)
{
	size_t i, nr = 0;

	for (i = 0; i < w->nr_starts; i++)
		if (w->starts[i].flags & REV_UNINTERESTING)
			w->starts[nr++] = w->starts[i];
		else
			free_start(&w->starts[i]);
	w->input_given |= nr < w->nr_starts;
	w->nr_starts = nr;
	w->reflogs = true;
}

/* ---- beginning ---- */

static int no_commits_yet(struct rev_walk *w, struct err *err)
{
	struct object_id oid;
	char *final = NULL;
	const char *branch;
	int rc;

	rc = ref_resolve(w->repo->refs, w->default_rev, &oid, &final, NULL, NULL);
	if (rc == ERR_NOT_FOUND && skip_prefix(final, "refs/heads/", &branch))
		rc = err_set(err, ERR_NOT_FOUND,
			     "your current branch '%s' does not have any commits yet", branch);
	else if (rc == ERR_CORRUPT)
		rc = err_set(err, ERR_CORRUPT, "your current branch appears to be broken");
	else
		rc = err_set(err, ERR_NOT_FOUND, "bad default revision '%s'", w->default_rev);
	free(final);
	return rc;
}

int rev_add_default(struct rev_walk *w, struct err *err)
{
	struct revparse_result res;
	int rc;

	if (w->nr_starts || w->input_given || !w->default_rev)
		return 0;
	rc = revparse_quietly(w->repo, w->default_rev, OBJ_COMMIT, &res, NULL);
	if (rc < 0)
		return no_commits_yet(w, err);
	rev_walk_add_commit(w, &res.oid, w->default_rev, 0);
	revparse_result_release(&res);
	return 0;
}

static int add_start(struct rev_walk *w, struct rev_start *s, struct err *err)
{
	struct object_id oid;
	struct commit *c;
	int rc = rev_peel_start(w, s, &oid, err);

	if (rc <= 0)
		return rc;
	c = s->commit = commit_lookup(w->pool, &oid);
	rc = commit_parse_node(w->pool, c, err);
	if (rc < 0)
		return rc;
	c->flags |= s->flags & ~REV_UNINTERESTING;
	if (s->flags & REV_UNINTERESTING) {
		rev_mark_uninteresting(w, c);
		rev_mark_parents_uninteresting(w, c);
		w->limited = true;
	} else {
		c->flags |= REV_GIVEN;
	}
	if (!w->reflogs)
		rev_set_source(w, c, s->name);
	return 0;
}

static int start_date_cmp(const void *va, const void *vb)
{
	const struct rev_start *const *a = va, *const *b = vb;

	if ((*a)->commit->date != (*b)->commit->date)
		return (*a)->commit->date > (*b)->commit->date ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

/* git show: only the starts, the youngest first unless --no-walk=unsorted. */
static void begin_no_walk(struct rev_walk *w)
{
	struct rev_start **order;
	size_t i, nr = 0;

	ALLOC_ARRAY(order, w->nr_starts ? w->nr_starts : 1);
	for (i = 0; i < w->nr_starts; i++)
		if (w->starts[i].commit && !(w->starts[i].commit->flags & REV_UNINTERESTING))
			order[nr++] = &w->starts[i];
	if (!w->unsorted)
		qsort(order, nr, sizeof(*order), start_date_cmp);
	for (i = 0; i < nr; i++) {
		struct commit *c = order[i]->commit;

		if (c->flags & REV_SEEN)
			continue;
		c->flags |= REV_SEEN;
		commit_list_add(&w->state->list, c);
	}
	w->state->use_list = true;
	free(order);
}

static int enqueue_starts(struct rev_walk *w, struct err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < w->nr_starts; i++) {
		struct commit *c = w->starts[i].commit;

		if (!c || (c->flags & REV_SEEN))
			continue;
		c->flags |= REV_SEEN;
		rc = rev_enqueue(w, c, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int find_ancestry_bottoms(struct rev_walk *w, struct err *err)
{
	size_t i;

	if (!w->ancestry_of_range)
		return 0;
	for (i = 0; i < w->nr_starts; i++)
		if (w->starts[i].commit && (w->starts[i].flags & REV_UNINTERESTING))
			commit_list_add(&w->ancestry_bottoms, w->starts[i].commit);
	if (!w->ancestry_bottoms.nr)
		return err_set(err, ERR_INVALID, "--ancestry-path given but there are no bottom commits");
	return 0;
}

/* Are parents replaced by their nearest shown ancestors? */
static bool rewrites(const struct rev_walk *w)
{
	return w->want_parents || w->want_children;
}

/* Can it say what to show only after a look at much of the history? */
static bool limits_history(const struct rev_walk *w)
{
	return w->left_only || w->right_only || w->ancestry_path || w->cherry_pick || w->cherry_mark || w->want_children;
}

int rev_walk_begin(struct rev_walk *w, struct err *err)
{
	size_t i;
	int rc = rev_grep_compile(w, err);

	if (!rc)
		rc = rev_add_default(w, err);
	for (i = 0; !rc && i < w->nr_starts; i++)
		rc = add_start(w, &w->starts[i], err);
	if (rc < 0)
		return rc;
	if (rev_prunes(w) && !w->reflogs && commit_pool_graph(w->pool))
		w->state->changed_paths = changed_paths_new(commit_pool_graph(w->pool),
							    &w->pathspec);
	if (w->reflogs && (w->order != REV_ORDER_DEFAULT || w->simplify_merges || w->simplify_by_decoration ||
			   limits_history(w)))
		return err_set(err, ERR_INVALID, "cannot combine --walk-reflogs with "
			       "history-limiting options");
	if (w->reflogs)
		return rev_reflog_begin(w, err);
	if (w->no_walk) {
		begin_no_walk(w);
		return 0;
	}
	if (w->simplify_merges && w->order == REV_ORDER_DEFAULT)
		w->order = REV_ORDER_TOPO;
	if (rev_topo_is_possible(w)) {
		w->limited = false;
		return rev_topo_begin(w, err);
	}
	if (w->order != REV_ORDER_DEFAULT || limits_history(w) || w->maximal_only || w->excluded)
		w->limited = true;
	if (w->ancestry_path) {
		w->full_history = true; /* the way may lead through any parent */
		rc = find_ancestry_bottoms(w, err);
	}
	if (!rc)
		rc = enqueue_starts(w, err);
	if (!rc && w->limited)
		rc = rev_limit(w, err);
	if (!rc && w->order != REV_ORDER_DEFAULT)
		rev_sort_topologically(w, &w->state->list);
	if (!rc && w->select.chooses && (rewrites(w) || w->simplify_merges))
		rc = rev_choose_all(w, err);
	if (!rc && w->simplify_merges)
		rc = rev_simplify_merges(w, err);
	if (!rc && w->want_children)
		rev_find_children(w);
	return rc;
}

/* ---- one commit after the other ---- */

static bool has_wanted_parents(const struct rev_walk *w, const struct commit *c)
{
	int nr = (int)c->nr_parents;

	return nr >= w->min_parents && (w->max_parents < 0 || nr <= w->max_parents);
}

/* A TREESAME commit is shown only if it joins lines of history. */
static bool joins_history(const struct rev_walk *w, const struct commit *c)
{
	unsigned relevant = 0;
	uint32_t i;

	if (!rewrites(w))
		return false;
	for (i = 0; i < c->nr_parents; i++)
		relevant += rev_is_relevant(c->parents[i]);
	return relevant > 1;
}

static timestamp_t date_of(const struct rev_walk *w, const struct commit *c)
{
	struct rev_reflog_info info;

	return w->reflogs && rev_reflog_info(w, &info) ? info.date : c->date;
}

/* 1: show, 0: skip, < 0: failure */
static int is_shown(struct rev_walk *w, struct commit *c, struct err *err)
{
	timestamp_t date = date_of(w, c);
	int rc;

	if (c->flags & (REV_UNINTERESTING | REV_SHOWN | REV_NOT_MAXIMAL))
		return 0;
	if (w->select.chooses && (c->flags & REV_TREESAME))
		return 0;
	if (w->unpacked && odb_is_packed(w->repo->odb, &c->oid))
		return 0;
	if (w->until && date > w->until)
		return 0;
	if (w->since_filter && date < w->since_filter)
		return 0;
	if (!has_wanted_parents(w, c))
		return 0;
	rc = rev_grep_matches(w, c, err);
	if (rc <= 0)
		return rc;
	if (rev_prunes(w) && !w->sparse && (c->flags & REV_TREESAME))
		return (w->show_pulls && rewrites(w) && (c->flags & REV_PULL)) ||
		       joins_history(w, c);
	return 1;
}

int rev_will_show(struct rev_walk *w, struct commit *c, struct err *err)
{
	int rc;

	if (w->boundary && (c->flags & REV_CHILD_SHOWN))
		return 1;
	rc = commit_parse_node(w->pool, c, err);
	return rc < 0 ? rc : is_shown(w, c, err);
}

/* The next of the walk, shown or not. 0: no more. */
static int next_candidate(struct rev_walk *w, struct commit **out, struct err *err)
{
	struct rev_state *s = w->state;
	struct commit *c;
	int rc;

	if (w->reflogs)
		return rev_reflog_next(w, out, err);
	if (s->topo)
		return rev_topo_next(w, out, err);
	while (s->use_list) {
		if (s->next == s->list.nr)
			return 0;
		c = s->list.items[s->next++];
		/* If --no-walk is given, the date has not been checked yet. */
		if (w->no_walk && w->since && c->date < w->since)
			continue;
		*out = c;
		return 1;
	}
	for (;;) {
		c = rev_dequeue(w);
		if (!c)
			return 0;
		/* Too old: its parents are older still. */
		if (w->since && c->date < w->since)
			continue;
		rc = rev_process_parents(w, c, err);
		if (rc < 0)
			return rc;
		*out = c;
		return 1;
	}
}

static int next_shown(struct rev_walk *w, struct commit **out, struct err *err)
{
	struct commit *c;
	int rc;

	while ((rc = next_candidate(w, &c, err)) > 0) {
		if (w->reflogs) {
			if (w->since && date_of(w, c) < w->since)
				continue;
			rc = rev_simplify(w, c, err);
			if (rc < 0)
				return rc;
		}
		rc = w->select.chooses && !w->state->chosen ? rev_choose(w, c, err) : 0;
		if (!rc)
			rc = is_shown(w, c, err);
		if (rc < 0)
			return rc;
		if (!rc) {
			commit_release_buffer(c);
			continue;
		}
		if (rewrites(w) && rev_prunes(w) && !w->sparse) {
			rc = rev_rewrite_parents(w, c, err);
			if (rc < 0)
				return rc;
		}
		*out = c;
		return 1;
	}
	return rc;
}

/* Within --skip and --max-count. */
static int next_counted(struct rev_walk *w, struct commit **out, struct err *err)
{
	int rc;

	if (!w->max_count)
		return 0;
	while (w->skip > 0) {
		w->skip--;
		rc = next_shown(w, out, err);
		if (rc <= 0)
			return rc;
		commit_release_buffer(*out);
	}
	rc = next_shown(w, out, err);
	if (rc > 0 && w->max_count > 0)
		w->max_count--;
	return rc;
}

/* Parents of what has been shown, that have not been shown themselves. */
static int find_boundary(struct rev_walk *w, struct commit_list *out, struct err *err)
{
	struct commit_list *candidates = &w->state->boundary;
	size_t i;
	int rc;

	for (i = candidates->nr; i-- > 0;) {
		struct commit *c = candidates->items[i];

		if (c->flags & (REV_SHOWN | REV_BOUNDARY))
			continue;
		rc = commit_parse_node(w->pool, c, err);
		if (rc == ERR_NOT_FOUND && w->missing_ok)
			continue;
		if (rc < 0)
			return rc;
		c->flags |= REV_BOUNDARY;
		commit_list_add(out, c);
	}
	rev_sort_topologically(w, out);
	return 0;
}

static void add_boundary_candidates(struct rev_walk *w, struct commit *c)
{
	uint32_t i;

	for (i = 0; i < c->nr_parents; i++) {
		struct commit *p = c->parents[i];

		if (p->flags & (REV_CHILD_SHOWN | REV_SHOWN))
			continue;
		p->flags |= REV_CHILD_SHOWN;
		commit_list_add(&w->state->boundary, p);
	}
}

/* In walking order, the boundary at the end. */
static int next_forward(struct rev_walk *w, struct commit **out, struct err *err)
{
	struct rev_state *s = w->state;
	int rc;

	if (!s->use_last) {
		rc = next_counted(w, out, err);
		if (rc < 0)
			return rc;
		if (rc > 0) {
			if (!w->reflogs)
				(*out)->flags |= REV_SHOWN;
			if (w->boundary)
				add_boundary_candidates(w, *out);
			return 1;
		}
		s->use_last = true;
		if (w->boundary) {
			rc = find_boundary(w, &s->last, err);
			if (rc < 0)
				return rc;
		}
	}
	if (s->next_last == s->last.nr)
		return 0;
	*out = s->last.items[s->next_last++];
	return 1;
}

/* --max-count-oldest: keeps the last commits that would be shown. */
static int keep_oldest(struct rev_walk *w, struct err *err)
{
	struct commit_list kept = COMMIT_LIST_INIT;
	struct rev_state *s = w->state;
	size_t keep = w->max_count > 0 ? (size_t)w->max_count : 0;
	struct commit *c;
	int rc;

	w->max_count = -1;
	while ((rc = next_counted(w, &c, err)) > 0) {
		commit_release_buffer(c);
		commit_list_add(&kept, c);
	}
	if (kept.nr > keep)
		memmove(kept.items, kept.items + (kept.nr - keep), keep * sizeof(*kept.items));
	if (kept.nr > keep)
		kept.nr = keep;
	commit_list_clear(&s->list);
	s->list = kept;
	s->next = 0;
	s->use_list = s->chosen = true;
	w->oldest = false;
	return rc;
}

static int collect_reversed(struct rev_walk *w, struct err *err)
{
	struct commit_list all = COMMIT_LIST_INIT;
	struct rev_state *s = w->state;
	struct commit *c;
	int rc;

	while ((rc = next_forward(w, &c, err)) > 0) {
		commit_release_buffer(c);
		commit_list_add(&all, c);
	}
	commit_list_clear(&s->last);
	for (size_t i = all.nr; i-- > 0;)
		commit_list_add(&s->last, all.items[i]);
	commit_list_clear(&all);
	s->next_last = 0;
	s->use_last = true;
	w->reverse = false;
	return rc;
}

int rev_walk_next(struct rev_walk *w, struct commit **out, struct err *err)
{
	int rc = w->oldest ? keep_oldest(w, err) : 0;

	if (!rc && w->reverse)
		rc = collect_reversed(w, err);
	return rc < 0 ? rc : next_forward(w, out, err);
}

void rev_walk_uncount(struct rev_walk *w)
{
	if (!w->state->use_last && w->max_count >= 0)
		w->max_count++;
}

/* ---- marks ---- */

char rev_mark(const struct rev_walk *w, const struct commit *c)
{
	if (c->flags & REV_BOUNDARY)
		return '-';
	if (c->flags & REV_UNINTERESTING)
		return '^';
	if (c->flags & REV_PATCH_SAME)
		return '=';
	if (w->left_right)
		return c->flags & REV_LEFT ? '<' : '>';
	return w->cherry_mark ? '+' : 0;
}
