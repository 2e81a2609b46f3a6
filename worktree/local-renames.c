/* SPDX-License-Identifier: GPL-2.0-only */
/* Merging local changes: which files the new commit, or the user, has renamed. */
#include "compat/posix.h"
#include "config/config.h"
#include "diff/diff.h"
#include "util/alloc.h"
#include "worktree/local-merge-internal.h"

bool local_merge_same(const struct index_entry *a, const struct index_entry *b)
{
	if (!a || !b)
		return a == b;
	return a->mode == b->mode && oid_eq(&a->oid, &b->oid);
}

static const struct index_entry *same_path(const struct index_state *ix, const struct index_entry *e)
{
	return index_find(ix, e->name, e->name_len);
}

/* ---- settings ---- */

/* merge.renames and diff.renames: booleans, or "copies", which is no less. */
static int are_wanted(const struct config_set *c, bool *wanted, struct err *err)
{
	const struct config_entry *e = config_get(c, "merge.renames");

	*wanted = true;
	if (!e)
		e = config_get(c, "diff.renames");
	if (!e || (e->value && (!strcasecmp(e->value, "copies") || !strcasecmp(e->value, "copy"))))
		return 0;
	return config_entry_bool(e, wanted, err);
}

/* ---- one side ---- */

/* Does one side lack a file that the other has changed? Then where it went matters. */
static bool may_matter(const struct local_merge *m, const struct index_state *side)
{
	const struct index_state *other = side == m->ours ? m->theirs : m->ours;

	for (size_t i = 0; i < m->base->nr; i++) {
		const struct index_entry *e = m->base->entries[i];

		if (!same_path(side, e) && !local_merge_same(same_path(other, e), e))
			return true;
	}
	return false;
}

static void queue_sides(struct diff_queue *q, const struct index_state *old,
			const struct index_state *new)
{
	for (size_t i = 0; i < old->nr; i++) {
		const struct index_entry *e = old->entries[i];

		if (!same_path(new, e))
			diff_queue_add(q, e->name, e->mode, &e->oid, e->name, 0, NULL);
	}
	for (size_t i = 0; i < new->nr; i++) {
		const struct index_entry *e = new->entries[i];

		if (!same_path(old, e))
			diff_queue_add(q, e->name, 0, NULL, e->name, e->mode, &e->oid);
	}
}

static int find_side(const struct local_merge *m, struct repository *r,
		     const struct index_state *side, struct side_renames *out, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct diff_options o;
	int rc;

	if (!may_matter(m, side))
		return 0;
	diff_options_init(&o, r->odb);
	rc = diff_options_config_plumbing(&o, r->config, err);
	if (!rc)
		rc = config_get_int(r->config, "merge.renamelimit", &o.rename_limit, err);
	o.detect = DIFF_DETECT_RENAMES;
	queue_sides(&q, m->base, side);
	if (rc >= 0)
		rc = diff_process(&q, &o, err);
	for (size_t i = 0; i < q.nr && rc >= 0; i++) {
		const struct diff_pair *p = q.pairs[i];

		if (p->status != DIFF_STATUS_RENAMED)
			continue;
		strmap_put(&out->to, p->old->path, xstrdup(p->new->path));
		strmap_put(&out->from, p->new->path, xstrdup(p->old->path));
	}
	diff_queue_clear(&q);
	diff_options_release(&o);
	return rc < 0 ? rc : 0;
}

void side_renames_release(struct side_renames *s)
{
	strmap_clear(&s->to, free);
	strmap_clear(&s->from, free);
}

/* ---- both ---- */

/* The other side has a version of the old file which is not the base's, or has renamed it alike. */
static bool matters(const struct local_merge *m, const struct index_state *other,
		    const struct side_renames *renamed_there, const char *from, const char *to)
{
	const struct index_entry *base = index_find(m->base, from, strlen(from));
	const struct index_entry *there = index_find(other, from, strlen(from));
	const char *same = strmap_get(&renamed_there->to, from);

	return there ? !local_merge_same(there, base) : same && !strcmp(same, to);
}

static void keep_what_matters(const struct local_merge *m, const struct index_state *other,
			      const struct side_renames *all, const struct side_renames *there,
			      struct side_renames *out)
{
	struct strmap_entry **list = strmap_sorted(&all->to);

	for (size_t i = 0; i < all->to.nr; i++) {
		const char *from = list[i]->key, *to = list[i]->value;

		if (!matters(m, other, there, from, to))
			continue;
		strmap_put(&out->to, from, xstrdup(to));
		strmap_put(&out->from, to, xstrdup(from));
	}
	free(list);
}

int local_merge_find_renames(const struct local_merge *m, struct repository *r,
			     struct side_renames *ours, struct side_renames *theirs,
			     struct err *err)
{
	struct side_renames our_all = SIDE_RENAMES_INIT, their_all = SIDE_RENAMES_INIT;
	bool wanted;
	int rc = are_wanted(r->config, &wanted, err);

	if (!rc && wanted)
		rc = find_side(m, r, m->ours, &our_all, err);
	if (!rc && wanted)
		rc = find_side(m, r, m->theirs, &their_all, err);
	if (!rc) {
		keep_what_matters(m, m->theirs, &our_all, &their_all, ours);
		keep_what_matters(m, m->ours, &their_all, &our_all, theirs);
	}
	side_renames_release(&our_all);
	side_renames_release(&their_all);
	return rc;
}
