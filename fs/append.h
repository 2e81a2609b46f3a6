/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Appends to a file in place (a reflog), and can undo it. A missing file is made when the append is
 * staged, if the caller wants that. The bytes are written when the batch publishes their class, so
 * that even a kill cannot leave a line that names a missing object. They stay if the batch publishes
 * the classes after them. Otherwise, and on exit or a fatal signal before that, the file is cut back
 * to its old size, or removed if we made it. The caller holds a lock, so that no other process
 * appends meanwhile.
 *
 * The file consists of lines. A power cut can leave a tail that is no line: ext4 may commit the new
 * size of a file before its bytes, which are zeros then. The tail is cut off before the next line is
 * appended.
 */
#ifndef FS_APPEND_H
#define FS_APPEND_H

#include "compat/posix.h"
#include "fs/tempfile.h"
#include "fsync/batch.h"
#include "util/err.h"

#define APPEND_CREATE 1u /* make the file if it is missing (not its directories) */
/*
 * Stage an append of buf (copied) to path: PUBLISH_WRITE in the class `order`.
 * ERR_NOT_FOUND: the file is missing, and APPEND_CREATE is not set. On every failure nothing has
 * changed.
 */
MUST_USE int append_and_stage(const char *path, unsigned flags, int shared_perm,
			      const void *buf, size_t len, struct fsync_batch *b,
			      enum fsync_component component, enum publish_class order,
			      struct err *err);

#endif
