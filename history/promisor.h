/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a promisor remote has promised: the objects of packs that came from it (pack-*.promisor), and
 * all that these mention. Partial clones, gitglossary(7).
 */
#ifndef HISTORY_PROMISOR_H
#define HISTORY_PROMISOR_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"

/* *out is initialised. Cost: reads every object of such packs. Damaged ones promise nothing. */
MUST_USE int promised_objects(struct oidset *out, struct repository *r, struct err *err);

#endif
