/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the function that reads packs tells its caller (intake/confined.h): pieces, for each its length (4 bytes, big-endian) and its
 * bytes. If a process of its own has read the packs, they may have taken it over: lengths are checked, and the caller
 * checks what is in the pieces.
 */
#ifndef INTAKE_ANSWER_H
#define INTAKE_ANSWER_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"
#include "util/strbuf.h"

void intake_answer_add(struct strbuf *answer, const void *p, size_t len);
void intake_answer_add_oids(struct strbuf *answer, const struct oid_array *oids, const struct hash_algo *algo);

/* The next piece, from *at on, which begins with 0; it points into the answer. ERR_CORRUPT: there is none. */
MUST_USE int intake_answer_take(const struct strbuf *answer, size_t *at, const void **p, size_t *len, struct err *err);
/* A piece of one byte, 0 or 1. */
MUST_USE int intake_answer_take_bool(const struct strbuf *answer, size_t *at, bool *out, struct err *err);
/* Appends to out. */
MUST_USE int intake_answer_take_oids(const struct strbuf *answer, size_t *at, const struct hash_algo *algo,
				     struct oid_array *out, struct err *err);

#endif
