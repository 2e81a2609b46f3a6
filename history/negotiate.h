/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses the commits that a client names to a server as `have`, so that little is sent twice:
 * fetch.negotiationAlgorithm of git-config(1). Commits come in an order in which the first common
 * ones are met soon.
 *
 *         negotiator_new(&n, r, NEGOTIATE_CONSECUTIVE, err)
 *         negotiator_add_tip(n, &oid, err)            of each ref
 *         negotiator_add_known(n, &oid)               an object that the server has
 *         while (negotiator_next(n, &oid, err) > 0)   the next `have` line
 *             negotiator_ack(n, &oid, err)            whenever the server has it
 *         negotiator_free(n)
 *
 * Cost: reads the commits that it names, and those on the way to them.
 */
#ifndef HISTORY_NEGOTIATE_H
#define HISTORY_NEGOTIATE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/err.h"

enum negotiation_algorithm {
	NEGOTIATE_CONSECUTIVE, /* one after the other */
	NEGOTIATE_SKIPPING,    /* ever larger steps back: soon done, but more may be sent */
	NEGOTIATE_NOOP,	       /* send no commits */
};
/* "consecutive", "default", "skipping", "noop". ERR_INVALID. */
MUST_USE int negotiation_algorithm_parse(const char *word, enum negotiation_algorithm *out, struct err *err);

struct negotiator;
MUST_USE int negotiator_new(struct negotiator **out, struct repository *r, enum negotiation_algorithm a,
			    struct err *err);
void negotiator_free(struct negotiator *n); /* NULL is fine */
/* What leads to no commit, or is not here, is passed over. */
MUST_USE int negotiator_add_tip(struct negotiator *n, const struct object_id *oid, struct err *err);
/* The walk goes no further than to these. An object that no tip leads to is never told: it may not be whole. */
void negotiator_add_known(struct negotiator *n, const struct object_id *oid);
/* 1: *out is the next one; 0: there are no more, < 0. */
int negotiator_next(struct negotiator *n, struct object_id *out, struct err *err);
/* 1: that was known before; 0, < 0. */
int negotiator_ack(struct negotiator *n, const struct object_id *oid, struct err *err);

#endif
