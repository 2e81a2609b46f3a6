/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A queue by date of commits to name. Commits known to be common, and their ancestors, are not named;
 * when only such commits are left, the list is complete.
 */
#include "compat/posix.h"
#include "history/history.h"
#include "history/negotiate.h"
#include "util/alloc.h"
#include "util/prio-queue.h"

#define SEEN 1u	  /* it is in the queue, or has been */
#define COMMON 2u /* both sides have it */
#define TELL 4u   /* common once it is met, but send it once: the server does not know that we have it */
#define DONE 8u	  /* it has left the queue */

/* State of the skipping algorithm, for each commit by its index. */
struct stride {
	uint32_t size, left; /* commits to skip between two that are sent, and until the next */
};

struct negotiator {
	struct repository *repo;
	struct commit_pool *pool;
	enum negotiation_algorithm algorithm;
	struct prio_queue queue;
	size_t nr_open; /* in the queue and not common */
	struct stride *strides;
	size_t nr_strides;
};

int negotiation_algorithm_parse(const char *word, enum negotiation_algorithm *out, struct err *err)
{
	if (!strcmp(word, "skipping"))
		*out = NEGOTIATE_SKIPPING;
	else if (!strcmp(word, "noop"))
		*out = NEGOTIATE_NOOP;
	else if (!strcmp(word, "consecutive") || !strcmp(word, "default"))
		*out = NEGOTIATE_CONSECUTIVE;
	else
		return err_set(err, ERR_INVALID, "unknown fetch negotiation algorithm '%s'", word);
	return 0;
}

int negotiator_new(struct negotiator **out, struct repository *r, enum negotiation_algorithm a,
		   struct err *err)
{
	struct negotiator *n;
	int rc;

	CALLOC_ARRAY(n, 1);
	n->repo = r;
	n->algorithm = a;
	n->queue.compare = commit_date_cmp;
	rc = commit_pool_new(&n->pool, r, err);
	if (rc < 0)
		negotiator_free(n);
	else
		*out = n;
	return rc;
}

void negotiator_free(struct negotiator *n)
{
	if (!n)
		return;
	commit_pool_free(n->pool);
	prio_queue_clear(&n->queue);
	free(n->strides);
	free(n);
}

static struct stride *stride_of(struct negotiator *n, const struct commit *c)
{
	if (c->index >= n->nr_strides) {
		size_t nr = n->nr_strides * 2 > c->index ? n->nr_strides * 2 : (size_t)c->index + 1024;

		n->strides = xrealloc(n->strides, st_mult(nr, sizeof(*n->strides)));
		memset(n->strides + n->nr_strides, 0, (nr - n->nr_strides) * sizeof(*n->strides));
		n->nr_strides = nr;
	}
	return &n->strides[c->index];
}

static int enqueue(struct negotiator *n, struct commit *c, uint32_t flags, struct err *err)
{
	int rc = commit_parse_node(n->pool, c, err);

	if (rc < 0)
		return rc;
	c->flags |= flags | SEEN;
	if (!(c->flags & COMMON))
		n->nr_open++;
	prio_queue_put(&n->queue, c);
	return 0;
}

/* It is common, and so are commits behind it that were sent or skipped. */
static int mark_common(struct negotiator *n, struct commit *c, struct err *err)
{
	struct commit_list todo = COMMIT_LIST_INIT;
	int rc = 0;

	commit_list_add(&todo, c);
	while (!rc && todo.nr) {
		c = todo.items[--todo.nr];
		if (c->flags & COMMON)
			continue;
		c->flags |= COMMON;
		if (!(c->flags & SEEN))
			rc = enqueue(n, c, 0, err);
		else if (!(c->flags & DONE))
			n->nr_open--;
		for (uint32_t i = 0; c->flags & DONE && i < c->nr_parents; i++)
			commit_list_add(&todo, c->parents[i]);
	}
	commit_list_clear(&todo);
	return rc;
}

/* NULL: it is not here, or no commit. */
static struct commit *find_commit(struct negotiator *n, const struct object_id *oid)
{
	struct object_id peeled;

	if (!odb_has_quick(n->repo->odb, oid) ||
	    object_peel(odb_source(n->repo->odb), oid, OBJ_COMMIT, &peeled, NULL, NULL) < 0)
		return NULL;
	return commit_lookup(n->pool, &peeled);
}

int negotiator_add_tip(struct negotiator *n, const struct object_id *oid, struct err *err)
{
	struct commit *c = n->algorithm == NEGOTIATE_NOOP ? NULL : find_commit(n, oid);

	return !c || c->flags & SEEN ? 0 : enqueue(n, c, 0, err);
}

void negotiator_add_known(struct negotiator *n, const struct object_id *oid)
{
	struct commit *c = n->algorithm == NEGOTIATE_NOOP ? NULL : find_commit(n, oid);

	/* Without a ref of ours that leads there it may not be whole. */
	if (c)
		c->flags |= TELL;
}

/* Move on from c, now that it is known whether c is sent. */
static int enqueue_parents(struct negotiator *n, struct commit *c, bool told, struct err *err)
{
	bool common = (c->flags & (COMMON | TELL)) != 0;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < c->nr_parents; i++) {
		struct commit *p = c->parents[i];

		if (common) {
			rc = mark_common(n, p, err);
			continue;
		}
		if (p->flags & SEEN)
			continue;
		rc = enqueue(n, p, 0, err);
		if (!rc && n->algorithm == NEGOTIATE_SKIPPING) {
			struct stride from = *stride_of(n, c), *to = stride_of(n, p);

			to->size = told ? from.size * 3 / 2 + 1 : from.size;
			to->left = told ? to->size : from.left - 1;
			if (to->size > 100000)
				to->size = 100000;
		}
	}
	return rc;
}

int negotiator_next(struct negotiator *n, struct object_id *out, struct err *err)
{
	struct commit *c;
	int rc;

	while (n->nr_open && (c = prio_queue_get(&n->queue))) {
		bool told = !(c->flags & COMMON);

		c->flags |= DONE;
		n->nr_open -= told;
		if (told && n->algorithm == NEGOTIATE_SKIPPING && !(c->flags & TELL))
			told = !stride_of(n, c)->left || !c->nr_parents;
		rc = enqueue_parents(n, c, told, err);
		if (c->flags & TELL)
			c->flags |= COMMON;
		if (rc < 0)
			return rc;
		if (told) {
			*out = c->oid;
			return 1;
		}
	}
	return 0;
}

int negotiator_ack(struct negotiator *n, const struct object_id *oid, struct err *err)
{
	struct commit *c = find_commit(n, oid);
	int rc;

	if (!c)
		return 0;
	if (c->flags & COMMON)
		return 1;
	rc = mark_common(n, c, err);
	return rc < 0 ? rc : 0;
}
