/* SPDX-License-Identifier: GPL-2.0-only */
/* What commits add to a bitmap: by stored bitmaps, and by a walk where there are none. */
#include "compat/posix.h"
#include "history/bitmap/bitmap-internal.h"
#include "util/prio-queue.h"

struct walk {
	struct bitmap_making *m;
	struct prio_queue queue;   /* the youngest first */
	struct commit_list opened; /* commits whose trees are to be walked */
};

/* Unless it is reached already. */
static int queue_commit(struct walk *w, struct commit *c, struct err *err)
{
	size_t bit;
	int rc = bit_space_get(w->m->space, &c->oid, OBJ_COMMIT, NULL, &bit, err);

	if (rc < 0 || bitmap_reaches(w->m, bit))
		return rc;
	rc = commit_parse_node(w->m->pool, c, err);
	if (!rc)
		prio_queue_put(&w->queue, c);
	return rc;
}

static int open_commit(struct walk *w, struct commit *c, struct err *err)
{
	struct bitmap_making *m = w->m;
	size_t bit;
	int rc = bit_space_get(m->space, &c->oid, OBJ_COMMIT, NULL, &bit, err);

	if (rc < 0 || bitmap_reaches(m, bit))
		return rc;
	rc = m->stored(m->data, &c->oid, bit, m->to, err);
	if (rc)
		return rc < 0 ? rc : 0;
	bitset_add(m->to, bit);
	commit_list_add(&w->opened, c);
	for (uint32_t i = 0; !rc && i < c->nr_parents; i++)
		rc = queue_commit(w, c->parents[i], err);
	return rc;
}

int bitmap_add_commits(struct bitmap_making *m, struct commit *const *starts, size_t nr,
		       struct err *err)
{
	struct walk w = { .m = m, .queue = { .compare = commit_date_cmp } };
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++)
		rc = queue_commit(&w, starts[i], err);
	while (!rc && w.queue.nr)
		rc = open_commit(&w, prio_queue_get(&w.queue), err);
	/* Trees of old commits first: most of them is in those of younger ones. */
	for (size_t i = w.opened.nr; i-- && !rc;)
		rc = bitmap_add_tree(m->space, &w.opened.items[i]->tree, m->to, m->done, err);
	prio_queue_clear(&w.queue);
	commit_list_clear(&w.opened);
	return rc;
}
