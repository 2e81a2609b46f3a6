/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A priority queue (binary heap) of pointers. prio_queue_get returns the smallest element by
 * `compare`; equal ones leave in the order in which they came. Elements are not owned.
 */
#ifndef UTIL_PRIO_QUEUE_H
#define UTIL_PRIO_QUEUE_H

#include "compat/posix.h"

typedef int (*prio_compare_fn)(const void *a, const void *b, void *data);

struct prio_queue {
	prio_compare_fn compare; /* NULL: last in, first out */
	void *data;
	uint64_t insertion_ctr;
	size_t nr, alloc;
	struct prio_entry {
		uint64_t ctr;
		void *item;
	} *array;
};

void prio_queue_put(struct prio_queue *q, void *item);
void *prio_queue_get(struct prio_queue *q);	   /* NULL if empty */
void *prio_queue_peek(const struct prio_queue *q);
void prio_queue_reverse(struct prio_queue *q); /* LIFO queues only */
void prio_queue_clear(struct prio_queue *q);

#endif
