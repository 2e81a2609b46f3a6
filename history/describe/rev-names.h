/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of commits by the refs that lead to them: "main~3", "tags/v1.0~2^2~5". git-name-rev(1).
 *
 *	rev_names_new(&n, pool, repo, &options, err)
 *	rev_names_want(n, commit)            only for these; or rev_names_want_all(n)
 *	rev_names_build(n, err)              once
 *	rev_names_get(n, &oid, &out)         as often as you like
 *	rev_names_free(n)
 *
 * Cost: rev_names_build walks from every ref that is used down to the lowest generation that is
 * wanted (commit-graph.h), or, where that is not known, to a day before the oldest commit that
 * is wanted. Texts are made when they are asked for.
 */
#ifndef HISTORY_DESCRIBE_REV_NAMES_H
#define HISTORY_DESCRIBE_REV_NAMES_H

#include "compat/posix.h"
#include "history/history.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct rev_names;

struct rev_names_options {
	bool tags_only;		      /* --tags */
	bool short_names;	      /* --name-only: tags without "tags/" where that is clear */
	const struct strvec *refs;    /* --refs: any of these; empty: all */
	const struct strvec *exclude; /* --exclude: none of these */
};

/* Reads the refs; their commits become part of the pool, which must outlive the names. */
MUST_USE int rev_names_new(struct rev_names **out, struct commit_pool *pool,
			   struct repository *r, const struct rev_names_options *o,
			   struct err *err);
void rev_names_free(struct rev_names *n);

/* A parsed commit that is to be named. */
void rev_names_want(struct rev_names *n, const struct commit *c);
/* Every commit, however old. */
void rev_names_want_all(struct rev_names *n);
MUST_USE int rev_names_build(struct rev_names *n, struct err *err);

/* Append the name of a commit. False: it has none. */
bool rev_names_commit(const struct rev_names *n, const struct commit *c, struct strbuf *out);
/* Append the name of the ref that names that very object, which is no commit. */
bool rev_names_object(const struct rev_names *n, const struct object_id *oid,
		      struct strbuf *out);
/* Every commit that has a name, in the order in which they got one. */
MUST_USE int rev_names_foreach(const struct rev_names *n, int (*fn)(void *data, struct commit *c),
		      void *data);
/* Either, by its id; what the walk has not met has no name. */
bool rev_names_get(const struct rev_names *n, const struct object_id *oid, struct strbuf *out);

#endif
