/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many sets of small numbers that have most members in common. A number stands for each set and never changes its
 * meaning; equal sets have the same number.
 *
 *   struct shared_sets *s = shared_sets_new(nr);
 *   shared_set a = shared_sets_add(s, SHARED_SET_EMPTY, 7), b = shared_sets_union(s, a, c);
 *   shared_sets_includes(s, b, a)
 *   shared_sets_free(s);
 *
 * Memory: 40 bytes for each block of 256 numbers (or of 8 smaller blocks) that no other set has in the same
 * way: a set that differs from another one in a single number costs 160 bytes if there are 100,000 numbers.
 * Cost: each function visits only the blocks in which the two sets differ.
 * Threads: several threads may call a function with a const pointer at a time.
 */
#ifndef UTIL_SHARED_SETS_H
#define UTIL_SHARED_SETS_H

#include "compat/posix.h"

typedef uint32_t shared_set;
#define SHARED_SET_EMPTY 0u
/* There are never more: users may keep a flag in the bits above. */
#define SHARED_SET_MAX 0x3fffffffu

struct shared_sets;
/* Members will be 0, 1, ..., nr - 1. */
struct shared_sets *shared_sets_new(uint32_t nr);
void shared_sets_free(struct shared_sets *s); /* NULL is fine */

shared_set shared_sets_add(struct shared_sets *s, shared_set set, uint32_t member);
shared_set shared_sets_union(struct shared_sets *s, shared_set a, shared_set b);

/* Has `all` every member of `some`? */
bool shared_sets_includes(const struct shared_sets *s, shared_set all, shared_set some);
bool shared_sets_has(const struct shared_sets *s, shared_set set, uint32_t member);
uint32_t shared_sets_count(const struct shared_sets *s, shared_set set);

#endif
