/* SPDX-License-Identifier: GPL-2.0-only */
/* Additions and deletions that are renames, staged and in the work tree. */
#include "compat/posix.h"
#include "diff/diff.h"
#include "util/alloc.h"
#include "util/map.h"
#include "worktree/diff-attr.h"
#include "worktree/status-internal.h"

struct matcher {
	struct collector *c;
	bool worktree;	    /* the unstaged side */
	struct strmap items; /* path to index + 1 of the item of this side */
	struct diff_queue queue;
};

static char letter_of(const struct matcher *m, const struct status_item *it)
{
	if (it->stages)
		return ' ';
	return m->worktree ? it->unstaged : it->staged;
}

static void queue_item(struct matcher *m, size_t i)
{
	const struct status_item *it = &m->c->s->items[i];
	const char *path = it->path;

	switch (letter_of(m, it)) {
	case 'A':
		diff_queue_add(&m->queue, path, 0, NULL, path,
			       m->worktree ? it->mode_worktree : it->mode_index,
			       m->worktree ? NULL : &it->oid_index);
		break;
	case 'D':
		diff_queue_add(&m->queue, path, m->worktree ? it->mode_index : it->mode_head,
			       m->worktree ? &it->oid_index : &it->oid_head, path, 0, NULL);
		break;
	case 'M':
		if (m->worktree || m->c->o->renames < 2)
			return;
		diff_queue_add(&m->queue, path, it->mode_head, &it->oid_head, path,
			       it->mode_index, &it->oid_index);
		break;
	default:
		return;
	}
	strmap_put(&m->items, path, (void *)(uintptr_t)(i + 1));
}

static struct status_item *item_at(struct matcher *m, const char *path)
{
	uintptr_t i = (uintptr_t)strmap_get(&m->items, path);

	return i ? &m->c->s->items[i - 1] : NULL;
}

static void set_staged_rename(struct status_item *it, struct status_item *old,
			      const struct diff_pair *p)
{
	it->staged = p->status;
	it->old_path = xstrdup(old->path);
	it->score = (int)diff_pair_percent(p);
	it->mode_head = p->old->mode;
	it->oid_head = p->old->oid;
	if (p->status == 'R')
		old->staged = ' ';
}

static void set_unstaged_rename(struct status_item *it, struct status_item *old,
				const struct diff_pair *p)
{
	it->unstaged = p->status;
	it->wt_old_path = xstrdup(old->path);
	it->wt_score = (int)diff_pair_percent(p);
	it->mode_index = p->old->mode;
	it->oid_index = p->old->oid;
	if (p->status == 'R')
		old->unstaged = ' ';
}

static void apply_pairs(struct matcher *m)
{
	for (size_t i = 0; i < m->queue.nr; i++) {
		const struct diff_pair *p = m->queue.pairs[i];
		struct status_item *it, *old;

		if (p->status != 'R' && p->status != 'C')
			continue;
		it = item_at(m, p->new->path);
		old = item_at(m, p->old->path);
		if (!it || !old)
			continue;
		if (m->worktree)
			set_unstaged_rename(it, old, p);
		else
			set_staged_rename(it, old, p);
	}
}

static int match(struct collector *c, bool worktree, struct err *err)
{
	struct matcher m = { .c = c, .worktree = worktree, .items = STRMAP_INIT,
			     .queue = DIFF_QUEUE_INIT };
	struct diff_options o;
	bool added = false, deleted = false;
	int limit = -1, rc = config_get_int(c->r->config, "diff.renamelimit", &limit, err);

	if (rc >= 0)
		rc = config_get_int(c->r->config, "status.renamelimit", &limit, err);
	for (size_t i = 0; i < c->s->nr; i++) {
		char letter = letter_of(&m, &c->s->items[i]);

		added |= letter == 'A';
		deleted |= letter == 'D' || (letter == 'M' && c->o->renames > 1);
	}
	if (rc < 0 || !added || !deleted)
		return rc < 0 ? rc : 0;
	diff_options_init(&o, c->r->odb);
	o.detect = c->o->renames > 1 ? DIFF_DETECT_COPIES : DIFF_DETECT_RENAMES;
	o.rename_score = c->o->rename_score;
	o.read = worktree_read_diff_side;
	o.measure = worktree_measure_diff_side;
	o.read_data = c->conv;
	o.rename_limit = limit;
	for (size_t i = 0; i < c->s->nr; i++)
		queue_item(&m, i);
	rc = diff_process(&m.queue, &o, err);
	if (rc >= 0)
		apply_pairs(&m);
	diff_queue_clear(&m.queue);
	strmap_clear(&m.items, NULL);
	diff_options_release(&o);
	return rc < 0 ? rc : 0;
}

int status_detect_renames(struct collector *c, struct err *err)
{
	int rc = match(c, false, err);

	return rc < 0 ? rc : match(c, true, err);
}
