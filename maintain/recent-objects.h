/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects that are too young to go. */
#ifndef MAINTAIN_RECENT_OBJECTS_H
#define MAINTAIN_RECENT_OBJECTS_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/date.h"

/*
 * Add our objects, packed or loose, that were of use at `since` or later (the time of the file, or what the .mtimes of
 * the pack says, if it is later), what gc.recentObjectsHook names, and all that these lead to: a commit
 * that another process is about to use is no good without its old trees. is_safe: the object itself stays in any case, as in a kept pack, but
 * what it leads to need not. is_closed: neither it nor what it leads to is any matter here. Missing
 * objects are skipped.
 */
MUST_USE int young_objects(struct oidset *out, struct repository *r, timestamp_t since,
			   bool (*is_safe)(void *data, const struct object_id *oid),
			   bool (*is_closed)(void *data, const struct object_id *oid), void *data,
			   struct err *err);

#endif
