/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one ref transaction of a command, in the batch of its repository.
 *
 *   rc = ref_change_begin(r, 0, &t, &err);
 *   if (!rc)
 *           rc = ref_transaction_update(t, ...);
 *   rc = ref_change_end(r, t, rc, &err);
 */
#ifndef PORCELAIN_REF_CHANGE_H
#define PORCELAIN_REF_CHANGE_H

#include "compat/posix.h"
#include "refs/refs.h"
#include "repo/repo.h"

/* A transaction whose reflog entries are the committer's. On failure *out is untouched. */
MUST_USE int ref_change_begin(struct repository *r, unsigned flags,
			      struct ref_transaction **out, struct err *err);
/*
 * Prepare it and commit the batch; or, where rc tells that what came before has failed,
 * give both up and return rc. t (may be NULL then) is freed in all outcomes.
 */
MUST_USE int ref_change_end(struct repository *r, struct ref_transaction *t, int rc,
			    struct err *err);

#endif
