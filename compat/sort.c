/* SPDX-License-Identifier: GPL-2.0-only */
/* Heapsort, for platforms without a qsort_r that has the GNU order of arguments. */
#include "compat/posix.h"
#include "compat/sort.h"

struct heap {
	unsigned char *base;
	size_t size; /* of an element */
	int (*cmp)(const void *a, const void *b, void *data);
	void *data;
};

static unsigned char *element(const struct heap *h, size_t i)
{
	return h->base + i * h->size;
}

static void swap_elements(const struct heap *h, size_t i, size_t j)
{
	unsigned char *a = element(h, i), *b = element(h, j);

	for (size_t k = 0; k < h->size; k++) {
		unsigned char c = a[k];

		a[k] = b[k];
		b[k] = c;
	}
}

/* Each of the first nr elements above `top` is at least as large as its children; afterwards `top` is, too. */
static void sift_down(const struct heap *h, size_t top, size_t nr)
{
	while (nr > 1 && top <= (nr - 2) / 2) {
		size_t child = 2 * top + 1;

		if (child + 1 < nr && h->cmp(element(h, child), element(h, child + 1), h->data) < 0)
			child++;
		if (h->cmp(element(h, top), element(h, child), h->data) >= 0)
			return;
		swap_elements(h, top, child);
		top = child;
	}
}

void compat_qsort_r(void *base, size_t nr, size_t size, int (*cmp)(const void *a, const void *b, void *data), void *data)
{
	const struct heap h = { base, size, cmp, data };

	for (size_t i = nr / 2; i-- > 0;)
		sift_down(&h, i, nr);
	while (nr > 1) {
		swap_elements(&h, 0, --nr);
		sift_down(&h, 0, nr);
	}
}
