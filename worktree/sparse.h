/* SPDX-License-Identifier: GPL-2.0-only */
/* Sparse checkouts: which paths are to have files; git-sparse-checkout(1), info/sparse-checkout. */
#ifndef WORKTREE_SPARSE_H
#define WORKTREE_SPARSE_H

#include "repo/repo.h"

struct sparse;

/*
 * The patterns of info/sparse-checkout; *out is NULL without core.sparseCheckout or without that
 * file: every path is to have its file then. Patterns of cone mode are read as what they are,
 * patterns. Free with sparse_free.
 */
MUST_USE int sparse_new(struct sparse **out, struct repository *r, struct err *err);
/* Is the path of a file part of the checkout? The innermost directory that a pattern matches decides. */
bool sparse_has(struct sparse *s, const char *path, size_t len);
void sparse_free(struct sparse *s);

#endif
