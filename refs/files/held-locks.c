/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks that outlive the function that took them, and perhaps the transaction. */
#include "compat/posix.h"
#include "refs/files/update-internal.h"
#include "util/alloc.h"

struct held_locks *held_locks_new(void)
{
	struct held_locks *h;

	CALLOC_ARRAY(h, 1);
	h->refcount = 1;
	return h;
}

/* The last one first: packed-refs.lock, which unrelated transactions wait for. */
void held_locks_release(struct held_locks *h)
{
	while (h->nr)
		lockfile_release(&h->locks[--h->nr]);
}

void held_locks_put(struct held_locks *h)
{
	if (!h || --h->refcount)
		return;
	held_locks_release(h);
	free(h->locks);
	free(h);
}

void held_locks_add(struct held_locks *h, struct lockfile *lk)
{
	ALLOC_GROW(h->locks, h->nr + 1, h->alloc);
	h->locks[h->nr++] = *lk;
	*lk = (struct lockfile)LOCKFILE_INIT;
}
