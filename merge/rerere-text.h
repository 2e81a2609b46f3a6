/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conflicts in a text, in the form in which git-rerere(1) compares them: without labels and without the version of the
 * base, the two sides in the order of their bytes.
 *
 *   nr = rerere_normalize(&text, 7, algo, &out, &id);
 *
 * The same conflict has the same id, whichever side was merged into the other one, and whatever surrounds it.
 */
#ifndef MERGE_RERERE_TEXT_H
#define MERGE_RERERE_TEXT_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/strbuf.h"

#define RERERE_NO_CONFLICTS 0
#define RERERE_BAD_MARKERS (-1)

/*
 * Appends the normalized text to `out`. *id becomes the hash of all conflicts: of both sides of each one, with a NUL
 * behind each side. Returns the number of conflicts, or RERERE_BAD_MARKERS: a marker is missing or misplaced.
 */
int rerere_normalize(const char *text, size_t len, size_t marker_size, const struct hash_algo *algo, struct strbuf *out,
		     struct object_id *id);

#endif
