/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in which git-fast-import(1) and git-fast-export(1) keep marks from run to run: lines ":MARK OBJECT". */
#ifndef FASTIMPORT_MARKS_FILE_H
#define FASTIMPORT_MARKS_FILE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "operation/operation.h"
#include "util/err.h"
#include "util/strbuf.h"

typedef int (*mark_fn)(void *data, uint64_t id, const struct object_id *oid, struct err *err);
/*
 * Line by line. algo NULL: the length of each name tells. may_miss: no file counts as an empty one. ERR_INVALID: "corrupt
 * mark line". A failure of fn ends it.
 */
MUST_USE int marks_file_read(const struct hash_algo *algo, const char *path, bool may_miss, mark_fn fn, void *data,
			     struct err *err);
/*
 * Published by the operation, after its refs. A place that is no file (a pipe) is written at once. flags: LOCK_MAKE_DIRS, or
 * the directory has to be there.
 */
MUST_USE int marks_file_stage(struct repo_operation *op, const char *path, unsigned flags, const struct strbuf *text,
			      struct err *err);

#endif
