/* SPDX-License-Identifier: GPL-2.0-only */
/* A sliding window over the sorted list of objects, in which deltas are searched. */
#ifndef PACK_WRITE_WINDOW_INTERNAL_H
#define PACK_WRITE_WINDOW_INTERNAL_H

#include "compat/posix.h"
#include <stdatomic.h>
#include "pack/write/write-internal.h"

/* What the windows of all threads share. */
struct search_shared {
	struct pack_objects *po;
	bool across_islands;	    /* only pairs that are not in the same islands; else only such that are */
	atomic_size_t cached_bytes; /* of new deltas that are held */
	atomic_uint done;	    /* items that have been tried */
	atomic_bool stop;
};

struct delta_window;
struct delta_window *delta_window_new(struct search_shared *shared);
void delta_window_free(struct delta_window *w);
/* Forget all objects: the next ones are of another kind. */
void delta_window_clear(struct delta_window *w);
/* Look for a delta of the item among the last ones; then it is one of them. */
MUST_USE int delta_window_try(struct delta_window *w, uint32_t item, struct err *err);

#endif
