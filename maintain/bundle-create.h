/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making a bundle of what revisions name. git-bundle(1), gitformat-bundle(5).
 *
 *   struct bundle_plan plan = BUNDLE_PLAN_INIT;
 *   plan.header.version = …, plan.header.algo = …         and filters, if any
 *   bundle_plan_make(&plan, w, err)                        w: a walk with its arguments, not begun
 *   bundle_write(&plan, &c, fd, name, err)
 *   bundle_plan_release(&plan)
 *
 * A bundle needs its prerequisites and everything that they lead to, and nothing else: what its pack
 * leaves out can be reached from them. (Excluded revisions themselves need not be there:
 * their part of the history that matters is below the prerequisites.)
 *
 * Replacements must be off (repo_ignore_replacements): the objects themselves count.
 */
#ifndef MAINTAIN_BUNDLE_CREATE_H
#define MAINTAIN_BUNDLE_CREATE_H

#include "compat/posix.h"
#include "history/revision/revision.h"
#include "packing/pack-collection.h"
#include "util/strvec.h"
#include "wire/bundle.h"

struct bundle_plan {
	struct bundle_header header;
	struct strvec revisions; /* of the pack, for pack_collect_revisions */
};
#define BUNDLE_PLAN_INIT { BUNDLE_HEADER_INIT, STRVEC_INIT }
void bundle_plan_release(struct bundle_plan *p);

/*
 * Walks, and finds prerequisites and refs. Refs that options of the walk have left out are reported
 * through repo_warn. ERR_INVALID: there would be no ref in it. Cost: that of the walk.
 */
MUST_USE int bundle_plan_make(struct bundle_plan *p, struct rev_walk *w, struct err *err);

/*
 * Header and pack, to a file or pipe named `name` in messages. c: begun, with the filter of the
 * header, and nothing collected. Making it durable is left to the caller.
 */
MUST_USE int bundle_write(const struct bundle_plan *p, struct pack_collection *c, int fd,
			  const char *name, struct err *err);

#endif
