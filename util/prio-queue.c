/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/err.h"
#include "util/prio-queue.h"

static bool before(const struct prio_queue *q, size_t a, size_t b)
{
	int cmp = q->compare(q->array[a].item, q->array[b].item, q->data);

	return cmp ? cmp < 0 : q->array[a].ctr < q->array[b].ctr;
}

static void swap(struct prio_queue *q, size_t a, size_t b)
{
	struct prio_entry tmp = q->array[a];

	q->array[a] = q->array[b];
	q->array[b] = tmp;
}

void prio_queue_put(struct prio_queue *q, void *item)
{
	size_t i = q->nr;

	ALLOC_GROW(q->array, st_add(q->nr, 1), q->alloc);
	q->array[i].item = item;
	q->array[i].ctr = q->insertion_ctr++;
	q->nr++;
	if (!q->compare)
		return;
	for (; i && before(q, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(q, i, (i - 1) / 2);
}

void *prio_queue_get(struct prio_queue *q)
{
	void *top;
	size_t i = 0;

	if (!q->nr)
		return NULL;
	if (!q->compare)
		return q->array[--q->nr].item;
	top = q->array[0].item;
	q->array[0] = q->array[--q->nr];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= q->nr)
			break;
		if (child + 1 < q->nr && before(q, child + 1, child))
			child++;
		if (!before(q, child, i))
			break;
		swap(q, child, i);
		i = child;
	}
	return top;
}

void *prio_queue_peek(const struct prio_queue *q)
{
	if (!q->nr)
		return NULL;
	return q->array[q->compare ? 0 : q->nr - 1].item;
}

void prio_queue_reverse(struct prio_queue *q)
{
	if (q->compare)
		BUG("prio_queue_reverse on a sorted queue");
	for (size_t i = 0, j = q->nr; i + 1 < j; i++)
		swap(q, i, --j);
}

void prio_queue_clear(struct prio_queue *q)
{
	FREE_AND_NULL(q->array);
	q->nr = q->alloc = 0;
	q->insertion_ctr = 0;
}
