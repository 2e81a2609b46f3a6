/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Renames and copies, gitdiffcore(7) "diffcore-rename". Created files (targets) are matched
 * with deleted ones (sources; for copies, with files that still exist as well):
 *
 *   1. those of the same content, preferably with the same base name;
 *   2. for renames only: those whose base name is unique on both sides, if they are
 *      similar enough;
 *   3. all others, every source with every target, best pairs first. This step is what
 *      rename_limit limits.
 */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/path.h"

#define DEFAULT_SCORE 30000u
#define DEFAULT_LIMIT 1000
#define CANDIDATES 4	    /* sources kept for each target */
#define MOST_IDENTICAL 10000 /* files with the same content that are compared */

struct source {
	struct diff_file *file;
	unsigned broken_score; /* of the half that it is */
	bool modified;	       /* or deleted */
};

struct target {
	struct diff_pair *pair;
	bool found;
};

struct renames {
	const struct diff_options *o;
	struct source *sources;
	size_t nr_sources, alloc_sources;
	struct target *targets;
	size_t nr_targets, alloc_targets;
	size_t nr_found;
	unsigned least; /* score */
	bool copies;
	bool has_broken_sources;
};

/* ---- sources and targets ---- */

static void add_source(struct renames *r, struct diff_pair *p, bool modified)
{
	ALLOC_GROW(r->sources, r->nr_sources + 1, r->alloc_sources);
	r->sources[r->nr_sources++] = (struct source){ p->old, p->score, modified };
	r->has_broken_sources |= p->broken;
}

/* --no-rename-empty: such a file is neither source nor target. */
static bool is_empty_side(const struct diff_options *o, const struct diff_pair *p)
{
	const struct diff_file *f = diff_file_exists(p->old) ? p->old : p->new;

	return f->oid_valid && oid_eq(&f->oid, &o->algo->empty_blob);
}

static void rename_collect(struct renames *r, const struct diff_queue *q)
{
	for (size_t i = 0; i < q->nr; i++) {
		struct diff_pair *p = q->pairs[i];

		if (!r->o->rename_empty && is_empty_side(r->o, p))
			continue;
		if (!diff_file_exists(p->old)) {
			if (!diff_file_exists(p->new))
				continue;
			ALLOC_GROW(r->targets, r->nr_targets + 1, r->alloc_targets);
			r->targets[r->nr_targets++] = (struct target){ p, false };
		} else if (!p->unmerged && !diff_file_exists(p->new)) {
			/* a half that will be merged again: the file still exists */
			if (p->broken && !p->score)
				p->old->rename_used++;
			add_source(r, p, true);
		} else if (r->copies) {
			p->old->rename_used++;
			add_source(r, p, !diff_pair_is_unmodified(p));
		}
	}
}

static void record(struct renames *r, size_t target, size_t source, unsigned score)
{
	struct target *t = &r->targets[target];
	struct source *s = &r->sources[source];

	s->file->rename_used++;
	diff_file_free(t->pair->old);
	t->pair->old = diff_file_share(s->file);
	t->pair->renamed = true;
	/* both halves of a broken pair: the rewrite is back */
	t->pair->score = strcmp(s->file->path, t->pair->new->path) ? score : s->broken_score;
	t->found = true;
	r->nr_found++;
}

static bool same_basename(const struct diff_file *a, const struct diff_file *b)
{
	return !strcmp(path_basename(a->path), path_basename(b->path));
}

/* ---- 1. the same content ---- */

/* Sources of one content, in order; `next` counts from 1, 0 ends. */
struct same_content {
	size_t *next;	    /* by source */
	struct oidmap first; /* oid to index + 1 */
};

static int hash_all(struct renames *r, struct same_content *sc, struct err *err)
{
	CALLOC_ARRAY(sc->next, r->nr_sources + 1);
	sc->first = (struct oidmap)OIDMAP_INIT;
	for (size_t i = r->nr_sources; i-- > 0;) {
		struct diff_file *f = r->sources[i].file;
		int ret = diff_file_show_oid(f, r->o, err);

		if (ret < 0)
			return ret;
		sc->next[i] = (size_t)(uintptr_t)oidmap_put(&sc->first, &f->oid,
							    (void *)(uintptr_t)(i + 1));
	}
	for (size_t i = 0; i < r->nr_targets; i++) {
		int ret = diff_file_show_oid(r->targets[i].pair->new, r->o, err);

		if (ret < 0)
			return ret;
	}
	return 0;
}

static void match_identical(struct renames *r, const struct same_content *sc, size_t target)
{
	struct diff_file *to = r->targets[target].pair->new;
	size_t i = (size_t)(uintptr_t)oidmap_get(&sc->first, &to->oid), best = 0;
	int best_score = -1, looked_at = 0;

	for (; i; i = sc->next[i - 1]) {
		struct diff_file *from = r->sources[i - 1].file;
		int score;

		if ((!MODE_IS_FILE(from->mode) || !MODE_IS_FILE(to->mode)) &&
		    from->mode != to->mode)
			continue;
		if (from->rename_used && !r->copies)
			continue;
		score = !from->rename_used + same_basename(from, to);
		if (score > best_score) {
			best = i;
			best_score = score;
			if (score == 2)
				break;
		}
		if (looked_at++ >= MOST_IDENTICAL)
			break;
	}
	if (best)
		record(r, target, best - 1, DIFF_MAX_SCORE);
}

static int find_identical(struct renames *r, struct err *err)
{
	struct same_content sc;
	int ret = hash_all(r, &sc, err);

	for (size_t i = 0; !ret && i < r->nr_targets; i++)
		match_identical(r, &sc, i);
	free(sc.next);
	oidmap_clear(&sc.first, NULL);
	return ret;
}

/* ---- similarity ---- */

/* *score stays 0 below `least`. */
static int similarity(struct renames *r, struct diff_file *from, struct diff_file *to,
		      unsigned least, unsigned *score, struct err *err)
{
	uint64_t larger, smaller, copied, added;
	int ret;

	*score = 0;
	if (!MODE_IS_FILE(from->mode) || !MODE_IS_FILE(to->mode))
		return 0;
	ret = diff_file_size(from, r->o, err);
	if (!ret)
		ret = diff_file_size(to, r->o, err);
	if (ret < 0)
		return ret;
	larger = from->size > to->size ? from->size : to->size;
	smaller = from->size > to->size ? to->size : from->size;
	if (larger > r->o->big_file_threshold)
		return 0; /* never held in memory */
	/* not similar enough, by the sizes alone */
	if (larger * (DIFF_MAX_SCORE - least) < (larger - smaller) * DIFF_MAX_SCORE)
		return 0;
	if (!to->size)
		return 0;
	ret = diff_count_copied(from, to, r->o, &copied, &added, err);
	if (ret < 0)
		return ret;
	*score = (unsigned)(copied * DIFF_MAX_SCORE / larger);
	return 0;
}

/* ---- 2. unique base names ---- */

static void drop_used_sources(struct renames *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->nr_sources; i++)
		if (!r->sources[i].file->rename_used)
			r->sources[kept++] = r->sources[i];
	r->nr_sources = kept;
}

#define SEVERAL SIZE_MAX

/* Base name to index + 1, or to SEVERAL. */
static void note_name(struct strmap *names, const struct diff_file *f, size_t i)
{
	const char *name = path_basename(f->path);
	size_t value = strmap_contains(names, name) ? SEVERAL : i + 1;

	strmap_put(names, name, (void *)(uintptr_t)value);
}

static size_t unique(const struct strmap *names, const char *name)
{
	size_t i = (size_t)(uintptr_t)strmap_get(names, name);

	return i == SEVERAL ? 0 : i;
}

/* The only source and target of a name; false: there are none, or they are settled. */
static bool is_only_pair(const struct renames *r, const struct strmap *from, const struct strmap *to, size_t source,
			 size_t *target)
{
	const char *name = path_basename(r->sources[source].file->path);

	*target = unique(to, name) - 1;
	return unique(from, name) && unique(to, name) && !r->targets[*target].found;
}

static bool is_wanted(const struct renames *r, size_t source)
{
	return !r->o->wants_rename || r->o->wants_rename(r->o->wants_rename_data, r->sources[source].file->path);
}

static int prefetch_pairs(const struct renames *r, const struct strmap *from, const struct strmap *to,
			  struct err *err)
{
	struct oid_array wanted = OID_ARRAY_INIT;
	size_t target;
	int ret;

	if (!odb_can_fetch(r->o->odb))
		return 0;
	for (size_t i = 0; i < r->nr_sources; i++)
		if (is_only_pair(r, from, to, i, &target) && is_wanted(r, i)) {
			diff_want_file(&wanted, r->sources[i].file);
			diff_want_file(&wanted, r->targets[target].pair->new);
		}
	ret = odb_prefetch(r->o->odb, &wanted, err);
	oid_array_clear(&wanted);
	return ret;
}

/* A source that is not wanted still makes its name ambiguous. */
static int find_by_basename(struct renames *r, struct err *err)
{
	unsigned least = r->least + (DIFF_MAX_SCORE - r->least) / 2;
	struct strmap from = STRMAP_INIT, to = STRMAP_INIT;
	int ret = 0;

	for (size_t i = 0; i < r->nr_sources; i++)
		note_name(&from, r->sources[i].file, i);
	for (size_t i = 0; i < r->nr_targets; i++)
		if (!r->targets[i].found)
			note_name(&to, r->targets[i].pair->new, i);
	ret = prefetch_pairs(r, &from, &to, err);
	for (size_t i = 0; !ret && i < r->nr_sources; i++) {
		size_t target;
		unsigned score;

		if (!is_only_pair(r, &from, &to, i, &target) || !is_wanted(r, i))
			continue;
		ret = similarity(r, r->sources[i].file, r->targets[target].pair->new, least, &score, err);
		if (!ret && score >= least)
			record(r, target, i, score);
		diff_file_unload(r->sources[i].file);
		diff_file_unload(r->targets[target].pair->new);
	}
	strmap_clear(&from, NULL);
	strmap_clear(&to, NULL);
	return ret;
}

/* ---- 3. every one with every one ---- */

struct candidate {
	size_t source, target;
	unsigned score;
	bool same_name, used;
};

/* Best first; unused places last. */
static int rename_compare(const struct candidate *a, const struct candidate *b)
{
	if (a->used != b->used)
		return a->used ? -1 : 1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (int)b->same_name - (int)a->same_name;
}

/* Into the list if it is better than the worst there. */
static void keep_if_better(struct candidate list[CANDIDATES], const struct candidate *c)
{
	int worst = 0;

	for (int i = 1; i < CANDIDATES; i++)
		if (rename_compare(&list[i], &list[worst]) > 0)
			worst = i;
	if (rename_compare(&list[worst], c) > 0)
		list[worst] = *c;
}

/* Stable: equal ones stay in order of targets. */
static void sort_candidates(struct candidate *list, size_t nr)
{
	struct candidate *space;
	size_t width;

	ALLOC_ARRAY(space, nr);
	for (width = 1; width < nr; width *= 2) {
		for (size_t lo = 0; lo < nr; lo += 2 * width) {
			size_t mid = lo + width < nr ? lo + width : nr;
			size_t hi = mid + width < nr ? mid + width : nr;
			size_t i = lo, j = mid;

			for (size_t k = lo; k < hi; k++)
				space[k] = i < mid && (j == hi || rename_compare(&list[i],
										 &list[j]) <= 0) ?
						   list[i++] : list[j++];
		}
		memcpy(list, space, nr * sizeof(*list));
	}
	free(space);
}

static void apply_best(struct renames *r, const struct candidate *list, size_t nr, bool copies)
{
	for (size_t i = 0; i < nr; i++) {
		const struct candidate *c = &list[i];

		if (!c->used || c->score < r->least)
			break;
		if (r->targets[c->target].found)
			continue;
		if (!copies && r->sources[c->source].file->rename_used)
			continue;
		record(r, c->target, c->source, c->score);
	}
}

/* 0: compare all; 1: compare nothing; 2: modified sources only. */
static int over_limit(const struct renames *r)
{
	uint64_t targets = r->nr_targets - r->nr_found, sources = r->nr_sources, changed = 0;
	uint64_t limit = r->o->rename_limit < 0 ? DEFAULT_LIMIT : (uint64_t)r->o->rename_limit;

	if (!limit || targets * sources <= limit * limit)
		return 0;
	if (!r->o->find_copies_harder)
		return 1;
	for (size_t i = 0; i < r->nr_sources; i++)
		changed += r->sources[i].modified;
	return targets * changed <= limit * limit ? 2 : 1;
}

static void note_limit(const struct renames *r, int limited)
{
	size_t targets = r->nr_targets - r->nr_found, needed = targets > r->nr_sources ? targets : r->nr_sources;
	struct diff_rename_limit *l = r->o->limited;

	if (!limited || !l)
		return;
	if (needed > l->needed)
		l->needed = needed;
	l->copies |= limited == 2;
}

static int rate_target(struct renames *r, size_t target, bool modified_only,
		       struct candidate list[CANDIDATES], struct err *err)
{
	struct diff_file *to = r->targets[target].pair->new;

	for (size_t i = 0; i < r->nr_sources; i++) {
		struct diff_file *from = r->sources[i].file;
		struct candidate c = { i, target, 0, false, true };
		int ret;

		if (modified_only && !r->sources[i].modified)
			continue;
		ret = similarity(r, from, to, r->least, &c.score, err);
		diff_file_unload(from);
		if (ret < 0)
			return ret;
		c.same_name = same_basename(from, to);
		keep_if_better(list, &c);
	}
	diff_file_drop(to);
	return 0;
}

static int prefetch_all(const struct renames *r, bool modified_only, struct err *err)
{
	struct oid_array wanted = OID_ARRAY_INIT;
	int ret;

	if (!odb_can_fetch(r->o->odb))
		return 0;
	for (size_t i = 0; i < r->nr_sources; i++)
		if (!modified_only || r->sources[i].modified)
			diff_want_file(&wanted, r->sources[i].file);
	for (size_t i = 0; i < r->nr_targets; i++)
		if (!r->targets[i].found)
			diff_want_file(&wanted, r->targets[i].pair->new);
	ret = odb_prefetch(r->o->odb, &wanted, err);
	oid_array_clear(&wanted);
	return ret;
}

static int find_similar(struct renames *r, struct err *err)
{
	size_t left = r->nr_targets - r->nr_found, nr = 0;
	struct candidate *list;
	int limited, ret = 0;

	if (!left || !r->nr_sources)
		return 0;
	limited = over_limit(r);
	note_limit(r, limited);
	if (limited == 1)
		return 0;
	ret = prefetch_all(r, limited == 2, err);
	CALLOC_ARRAY(list, st_mult(left, CANDIDATES));
	for (size_t i = 0; !ret && i < r->nr_targets; i++) {
		if (r->targets[i].found)
			continue;
		ret = rate_target(r, i, limited == 2, list + nr, err);
		nr += CANDIDATES;
	}
	if (!ret) {
		sort_candidates(list, nr);
		apply_best(r, list, nr, false);
		if (r->copies)
			apply_best(r, list, nr, true);
	}
	free(list);
	return ret;
}

/* ---- the queue afterwards ---- */

/*
 * Half of a broken pair is dropped if the other half, its neighbour, became part of a rename;
 * a deletion is dropped if it is the source of a rename.
 */
static bool must_keep(const struct diff_queue *q, size_t i)
{
	const struct diff_pair *p = q->pairs[i];

	if (p->unmerged || !diff_file_exists(p->old))
		return true;
	if (diff_file_exists(p->new)) /* a rename that was found just now is modified */
		return p->renamed || !diff_pair_is_unmodified(p);
	if (p->broken)
		return !(i + 1 < q->nr && q->pairs[i + 1]->broken && q->pairs[i + 1]->renamed);
	return !p->old->rename_used;
}

static void rebuild(struct diff_queue *q)
{
	/* decided first: freeing a pair may free what others refer to */
	bool *keep = xcalloc(q->nr + 1, sizeof(*keep));

	for (size_t i = 0; i < q->nr; i++)
		keep[i] = must_keep(q, i);
	diff_queue_filter(q, keep);
	free(keep);
}

static void drop_unwanted_sources(struct renames *r)
{
	const struct diff_options *o = r->o;
	size_t kept = 0;

	for (size_t i = 0; o->wants_rename && i < r->nr_sources; i++)
		if (o->wants_rename(o->wants_rename_data, r->sources[i].file->path))
			r->sources[kept++] = r->sources[i];
	if (o->wants_rename)
		r->nr_sources = kept;
}

/* May make more sources unwanted. */
static void report_found(const struct renames *r)
{
	const struct diff_options *o = r->o;

	if (!o->found_rename)
		return;
	for (size_t i = 0; i < r->nr_targets; i++)
		if (r->targets[i].found)
			o->found_rename(o->wants_rename_data, r->targets[i].pair->old->path, r->targets[i].pair->new->path);
}

int diff_detect_renames(struct diff_queue *q, const struct diff_options *o, struct err *err)
{
	struct renames r = {
		.o = o,
		.least = o->rename_score ? o->rename_score : DEFAULT_SCORE,
		.copies = o->detect == DIFF_DETECT_COPIES,
	};
	int ret = 0;

	rename_collect(&r, q);
	if (!r.nr_targets || !r.nr_sources)
		goto out;
	ret = find_identical(&r, err);
	if (ret < 0 || r.least == DIFF_MAX_SCORE)
		goto out;
	if (!r.copies)
		drop_used_sources(&r);
	if (!r.copies && !r.has_broken_sources) {
		ret = find_by_basename(&r, err);
		if (ret < 0)
			goto out;
		drop_used_sources(&r);
		report_found(&r);
	}
	drop_unwanted_sources(&r);
	ret = find_similar(&r, err);
out:
	if (!ret)
		rebuild(q);
	free(r.sources);
	free(r.targets);
	return ret;
}
