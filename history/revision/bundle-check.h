/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the repository have what a bundle needs? git-bundle(1), verify. */
#ifndef HISTORY_REVISION_BUNDLE_CHECK_H
#define HISTORY_REVISION_BUNDLE_CHECK_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"
#include "util/err.h"
#include "wire/bundle.h"

/* The prerequisites that are not there; appended to out. */
void bundle_missing(struct repository *r, const struct bundle_header *h, struct oid_array *out);
/*
 * Is everything there that the prerequisites, which are there, lead to? 1, 0; < 0: objects are
 * damaged. Cost: nothing below them is looked at that refs lead to.
 */
int bundle_is_connected(struct repository *r, const struct bundle_header *h, struct err *err);

#endif
