/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of refs share: values, and how a transaction is run. */
#ifndef T_UNIT_REFS_AUX_H
#define T_UNIT_REFS_AUX_H

#include "refs/refs.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccc"
#define D "dddddddddddddddddddddddddddddddddddddddd"
#define IDENT "C O Mitter <c@example.com> 1700000000 +0100"
#define HEADER "# pack-refs with: peeled fully-peeled sorted \n"

/*
 * Prepare and commit, in a batch of its own, unless rc says that queueing has failed. The
 * batch takes its file system for `kind` (enum fs_kind; -1: for what it is). t stays.
 */
int run_transaction(struct ref_transaction *t, int kind, int rc, struct err *err);

/* The result of update i, in order of queueing: 0, or its error and its message. msg: may be NULL. */
int update_result(const struct ref_transaction *t, size_t i, const char **msg);

/* The files backend on the bare repository "repo", with SHA-1. */
struct ref_store *open_files_store(void);
/* The ref has that value; want NULL: there is no such ref. */
bool ref_is_at(struct ref_store *rs, const char *name, const struct object_id *want);

#endif
