/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has to be kept: all that the roots of a repository lead to (maintain/root-lists.h), the objects
 * that its borrowers hold, objects named by the caller, and recent objects with all that these lead to.
 *
 *   reachable_new(&x, r, &o, &err)       nothing has been looked at yet
 *   reachable_mark(x, &err)
 *   reachable_has(x, &oid)
 *   reachable_update(x, &err)            before anything is removed: add new roots
 *   reachable_free(x)
 *
 * Bitmaps are used where there are some. Where the history from a strong root is not complete,
 * nothing can be said: ERR_NOT_FOUND or ERR_CORRUPT names the missing or damaged object. Objects that a
 * promisor remote has promised may be missing.
 *
 * Cost: reading refs, reflogs and indexes; one walk of the history, or, with bitmaps, of the objects
 * outside of the bitmapped packs. Memory: without bitmaps, 50 bytes for each object that is reachable.
 */
#ifndef MAINTAIN_REACHABLE_H
#define MAINTAIN_REACHABLE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/date.h"

struct reachable;

struct reachable_options {
	/* Objects of our own with a later time are recent; in a pack, that of the pack. TIME_MAX: none */
	timestamp_t recent_after;
	const struct oid_array *heads; /* that have been named; may be NULL */
	/* Called now and then with the number of objects so far; may be NULL. */
	void (*progress)(void *data, uint64_t nr);
	void *data;
};

/* The options are copied, heads are not. */
struct reachable *reachable_new(struct repository *r, const struct reachable_options *o);
MUST_USE int reachable_mark(struct reachable *x, struct err *err);
/* After reachable_mark. For one thread. */
bool reachable_has(struct reachable *x, const struct object_id *oid);
/* Reads all roots once more, and walks from the new ones, until there are no new ones. */
MUST_USE int reachable_update(struct reachable *x, struct err *err);
void reachable_free(struct reachable *x);

#endif
