/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A commit by the nearest tag below it: "v1.0-14-g2414721"; a blob by the commit that brought
 * it: "v1.0-3-gdeadbee:path". git-describe(1); %(describe) of git-log(1) and
 * git-for-each-ref(1).
 *
 *	describer_new(&d, pool, repo, &options, err)
 *	describe_commit(d, commit, &out, err)        as often as you like
 *	describer_free(d)
 *
 * Cost: describer_new reads the names of refs; tag objects are read when they are needed. A
 * commit without a tag of its own costs a walk down to the nearest tags, and from there down to
 * where only ancestors of the best one are left.
 */
#ifndef HISTORY_DESCRIBE_DESCRIBE_H
#define HISTORY_DESCRIBE_DESCRIBE_H

#include "compat/posix.h"
#include "history/history.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct describer;

struct describe_options {
	bool all;		      /* --all: any ref */
	bool tags;		      /* --tags: lightweight tags as well */
	bool long_format;
	bool first_parent;
	bool always;		      /* else the object's abbreviated name is no answer */
	int abbrev;		      /* digits; -1: automatic, 0: just the name of the tag */
	int candidates;		      /* 0: exact matches only */
	const struct strvec *match, *exclude; /* patterns; NULL: none */
	void (*trace)(void *data, const char *line); /* --debug; may be NULL */
	void *trace_data;
	bool quiet; /* no warnings */
};
#define DESCRIBE_CANDIDATES 10 /* the usual number */

/* Reads the refs. Pool and repository must outlive it. */
MUST_USE int describer_new(struct describer **out, struct commit_pool *pool,
			   struct repository *r, const struct describe_options *o,
			   struct err *err);
void describer_free(struct describer *d);
/* How many objects have a name that may be used. */
size_t describer_nr_names(const struct describer *d);

/*
 * Append the description. ERR_NOT_FOUND "no tag exactly matches …", "No tags can describe …"
 * and the like; others: the history cannot be read. Tags that know themselves by another name
 * than their ref has are reported to r->warn, unless `quiet`.
 */
MUST_USE int describe_commit(struct describer *d, struct commit *c, struct strbuf *out,
			     struct err *err);
/*
 * The same for a blob, with its path: the oldest commit on the way to HEAD that has it.
 * ERR_NOT_FOUND: none has. Cost: every tree from the root commits on, until it is found.
 */
MUST_USE int describe_blob(struct describer *d, const struct object_id *blob,
			   struct strbuf *out, struct err *err);

#endif
