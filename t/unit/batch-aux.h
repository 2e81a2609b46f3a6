/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for tests of fsync/batch: batches with files in `dir`, and the recorded calls. */
#ifndef UNIT_BATCH_AUX_H
#define UNIT_BATCH_AUX_H

#include "compat/posix.h"
#include "t/fault.h"
#include "fsync/batch.h"
#include "t/unit/scratch.h"

struct fsync_batch *batch(enum fsync_method method, enum fs_kind kind);
/* A new file of 7 bytes that gets its name, tmp and final as they are; see fsync_batch_stage. */
int stage_as(struct fsync_batch *b, enum publish_class order, const char *tmp,
	     const char *final, struct err *err);
/* The rest takes names below `dir`, and fails the test if it fails. */
void stage(struct fsync_batch *b, enum publish_class order, const char *tmp,
	   const char *final);
void stage_unlink(struct fsync_batch *b, enum publish_class order, const char *name);
void stage_in_place(struct fsync_batch *b, const char *name);
/* A line that is appended when its turn has come; as append_and_stage. */
int append_log(struct fsync_batch *b, const char *name, struct err *err);
/* Frees it, too. */
void commit(struct fsync_batch *b);

/* Record all calls; or let the n-th one of a name fail besides. */
void record(void);
void record_failing(const char *call, size_t n, int fail_errno);
/* The recorded calls without closes, paths from the scratch directory on. */
void assert_calls(const char *expect);
/* Position of a recorded line; fails the test if it is not there. */
size_t where(const char *line);
size_t count_calls(const char *name);
size_t count_flushes(void);
/* The number in the place of %d; one of 4 rotating buffers. */
const char *numbered(const char *fmt, int n);

#endif
