/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Has so much piled up that something should be done about it? For git maintenance run --auto, and the
 * commands that start it. Nothing is read but directories, and the heads of indexes of packs. What git gc
 * asks for: maintain/auto.h.
 */
#ifndef MAINTAIN_COUNTS_H
#define MAINTAIN_COUNTS_H

#include "compat/posix.h"
#include "repo/repo.h"

/* At least `limit`, counted one by one. ERR_IO. Cost: up to 256 readdirs. */
MUST_USE int loose_objects_count_to(struct repository *r, size_t limit, size_t *out, struct err *err);
/*
 * Do the packs that a geometric repack may touch (neither kept nor cruft) lack the progression: is one
 * of them, by objects, smaller than `factor` times the next smaller one?
 */
bool packs_break_progression(struct repository *r, unsigned factor);

/* Do commands start maintenance by themselves? maintenance.auto, else gc.auto is not 0. */
MUST_USE int auto_maintenance_is_on(struct repository *r, bool *out, struct err *err);
#endif
