/* SPDX-License-Identifier: GPL-2.0-only */
/* What transaction.c does for update.c. */
#ifndef REFS_REFS_INTERNAL_H
#define REFS_REFS_INTERNAL_H

#include "compat/posix.h"
#include "refs/refs-backend.h"

/* A copy of `from` (may be NULL) under another name, at the end of t->updates. */
struct ref_update *transaction_add_update(struct ref_transaction *t, const char *name,
					  const struct ref_update *from);

#endif
