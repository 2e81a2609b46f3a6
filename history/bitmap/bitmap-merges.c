/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which commits have a bitmap together (pseudo-merges): gitpacking(7). A query that names all of them
 * needs that bitmap alone, and it stays of use as long as none of their refs moves. So commits are
 * grouped by the names of their refs and, as old ones are less likely to be given up, by age: those older
 * than one limit in lists of a fixed size, which are the same next time; the rest, which have no bitmap of
 * their own, in lists that get shorter the younger the commits are.
 */
#include "compat/posix.h"
#include "history/bitmap/bitmap-internal.h"
#include "util/alloc.h"

#define CAPTURES_MAX 16

struct collecting {
	const struct merge_choosing *m;
	const struct merge_rules *rules;
	struct strmap *groups; /* for each rule: maps the captured text to a list of commits */
	struct err *err;
};

/* ---- groups of refs ---- */

/* What the parentheses of the pattern hold, joined by '-'. False: it does not match. */
static bool capture(const struct merge_rule *r, const char *refname, struct strbuf *out)
{
	regmatch_t match[CAPTURES_MAX];

	strbuf_reset(out);
	if (regexec(&r->pattern, refname, ARRAY_SIZE(match), match, 0) || match[0].rm_so)
		return false;
	for (size_t i = 1; i < ARRAY_SIZE(match) && i <= r->pattern.re_nsub; i++) {
		if (match[i].rm_so < 0)
			continue;
		if (out->len)
			strbuf_addstr(out, "-");
		strbuf_add(out, refname + match[i].rm_so, (size_t)(match[i].rm_eo - match[i].rm_so));
	}
	return true;
}

static struct commit_list *group_of(struct strmap *groups, const char *name)
{
	struct commit_list *l = strmap_get(groups, name);

	if (!l) {
		CALLOC_ARRAY(l, 1);
		strmap_put(groups, name, l);
	}
	return l;
}

/* *out NULL: it is not for them. */
static int find_commit(const struct merge_choosing *m, const struct object_id *tip, struct commit **out,
		       struct err *err)
{
	struct object_id oid;
	int rc;

	*out = NULL;
	if (object_peel(odb_source(m->repo->odb), tip, OBJ_COMMIT, &oid, NULL, NULL) < 0)
		return 0;
	rc = m->is_own(m->data, &oid, err);
	if (rc <= 0)
		return rc;
	*out = commit_lookup(m->pool, &oid);
	return commit_parse_node(m->pool, *out, err);
}

static int bitmap_merges_add_ref(void *data, const struct ref *ref)
{
	struct collecting *c = data;
	struct strbuf name = STRBUF_INIT;
	struct commit *commit = NULL;
	bool looked = false;
	int rc = 0;

	for (size_t i = 0; i < c->rules->nr && !rc; i++) {
		if (!capture(&c->rules->v[i], ref->name, &name))
			continue;
		if (!looked)
			rc = find_commit(c->m, &ref->oid, &commit, c->err);
		looked = true;
		if (!rc && commit)
			commit_list_add(group_of(&c->groups[i], name.buf), commit);
	}
	strbuf_release(&name);
	return rc;
}

/* ---- lists of commits ---- */

static int oldest_first(const void *va, const void *vb)
{
	const struct commit *a = *(struct commit *const *)va, *b = *(struct commit *const *)vb;

	if (a->date != b->date)
		return a->date < b->date ? -1 : 1;
	return oid_cmp(&a->oid, &b->oid);
}

/* Several refs can name one. */
static void sort_and_unite(struct commit_list *l)
{
	size_t kept = 0;

	if (l->nr)
		qsort(l->items, l->nr, sizeof(*l->items), oldest_first);
	for (size_t i = 0; i < l->nr; i++)
		if (!i || l->items[i] != l->items[i - 1])
			l->items[kept++] = l->items[i];
	l->nr = kept;
}

static void add_list(struct merge_lists *out, struct commit *const *v, size_t nr)
{
	struct commit_list *l;

	if (!nr)
		return;
	ALLOC_GROW(out->v, out->nr + 1, out->alloc);
	l = &out->v[out->nr++];
	*l = (struct commit_list)COMMIT_LIST_INIT;
	for (size_t i = 0; i < nr; i++)
		commit_list_add(l, v[i]);
}

/* Newton's method; x >= 1. */
static double square_root(double x)
{
	double root = x, before;

	do {
		before = root;
		root = (root + x / root) / 2;
	} while (root < before);
	return before;
}

/*
 * x to the power of e, for x >= 1 and e >= 0: powers for the whole part of e, roots for the digits of the rest. pow() would be the
 * one function of libm, which each start of a command would then have to load.
 */
static double to_the_power(double x, double e)
{
	double power = 1, factor = x;
	uint64_t whole = e > 1100 ? 1100 : (uint64_t)e; /* 2 to the power of -1100 is 0 */
	double rest = e > 1100 ? 0 : e - (double)whole;

	for (; whole; whole >>= 1, factor *= factor)
		if (whole & 1)
			power *= factor;
	factor = x;
	for (int digit = 0; digit < 53 && rest > 0; digit++) {
		factor = square_root(factor);
		rest *= 2;
		if (rest >= 1) {
			power *= factor;
			rest -= 1;
		}
	}
	return power;
}

/* The n-th has a share that goes with n to the power of -decay. */
static void add_decaying(struct merge_lists *out, const struct merge_rule *r, const struct commit_list *l)
{
	size_t lists = (size_t)r->max_merges < l->nr ? (size_t)r->max_merges : l->nr, from = 0;
	double all = 0, sum = 0;

	for (size_t n = 1; n <= lists; n++)
		all += 1 / to_the_power((double)n, r->decay);
	for (size_t n = 1; n <= lists; n++) {
		size_t to;

		sum += 1 / to_the_power((double)n, r->decay);
		to = n == lists ? l->nr : (size_t)((double)l->nr * (sum / all) + 0.5);
		if (to > l->nr)
			to = l->nr;
		add_list(out, l->items + from, to - from);
		from = to;
	}
}

/* Is the i-th of them in the sample? They are spread evenly. */
static bool is_in_sample(const struct merge_rule *r, size_t i)
{
	return (size_t)((double)(i + 1) * r->sample_rate) > (size_t)((double)i * r->sample_rate);
}

static void add_lists(struct merge_lists *out, const struct merge_choosing *m, const struct merge_rule *r,
		      struct commit_list *l)
{
	struct commit_list rest = COMMIT_LIST_INIT;
	size_t stable = 0, candidates = 0;

	sort_and_unite(l);
	while (stable < l->nr && l->items[stable]->date <= r->stable_threshold)
		stable++;
	for (size_t i = 0, n; i < stable; i += n) {
		n = stable - i < (size_t)r->stable_size ? stable - i : (size_t)r->stable_size;
		add_list(out, l->items + i, n);
	}
	for (size_t i = stable; i < l->nr && l->items[i]->date <= r->threshold; i++)
		if (!m->has_bitmap(m->data, l->items[i]) && is_in_sample(r, candidates++))
			commit_list_add(&rest, l->items[i]);
	add_decaying(out, r, &rest);
	commit_list_clear(&rest);
}

static void free_list(void *list)
{
	commit_list_clear(list);
	free(list);
}

int bitmap_choose_merges(struct merge_lists *out, const struct merge_choosing *m, const struct merge_rules *rules,
			 struct err *err)
{
	struct collecting c = { .m = m, .rules = rules, .err = err };
	int rc = 0;

	CALLOC_ARRAY(c.groups, rules->nr + 1);
	for (size_t i = 0; i < rules->nr; i++)
		strmap_init(&c.groups[i]);
	if (rules->nr)
		rc = refs_foreach(m->repo->refs, "refs/", REFS_NO_PEEL, bitmap_merges_add_ref, &c,
				  err);
	for (size_t i = 0; i < rules->nr; i++) {
		struct strmap_entry **sorted = strmap_sorted(&c.groups[i]);

		for (size_t k = 0; !rc && k < c.groups[i].nr; k++)
			add_lists(out, m, &rules->v[i], sorted[k]->value);
		free(sorted);
		strmap_clear(&c.groups[i], free_list);
	}
	free(c.groups);
	return rc;
}

void merge_lists_release(struct merge_lists *m)
{
	for (size_t i = 0; i < m->nr; i++)
		commit_list_clear(&m->v[i]);
	free(m->v);
	memset(m, 0, sizeof(*m));
}
