/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Refs in tables, gitformat-reftable(5): each transaction adds a file with all its refs and reflog entries to the
 * directory "reftable", and replaces the list of tables by one rename.
 */
#ifndef REFS_REFTABLE_REFTABLE_H
#define REFS_REFTABLE_REFTABLE_H

#include "compat/posix.h"
#include "refs/refs.h"

/* For struct ref_store_options. */
extern const struct ref_backend reftable_ref_backend;

#endif
