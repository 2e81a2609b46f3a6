/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Appending to a file in place, with a way back: reflogs. The file is made, if it
 * is to be, when the append is staged; the bytes go in when the batch publishes
 * them in their class, so that even a kill cannot leave a line that names what
 * is not there. They stay if the batch publishes what comes after them; else, and on
 * exit or a fatal signal before that, the file is cut back to what it was, or
 * removed if we made it. The caller holds a lock that keeps others from appending
 * meanwhile.
 *
 * The file consists of lines. A power cut can leave a tail that is none (ext4 may
 * commit the new size of a file before the bytes, which are zeros then): it is cut
 * off before the next line is appended.
 */
#ifndef FS_APPEND_H
#define FS_APPEND_H

#include "compat/posix.h"
#include "fs/tempfile.h"
#include "fsync-batch.h"
#include "util/err.h"

#define APPEND_CREATE 1u /* make the file if it is missing (not its directories) */
/*
 * Append buf (copied) to path at its turn: PUBLISH_WRITE under `order`.
 * ERR_NOT_FOUND: missing and not to be made;
 * then, and on every other failure, nothing has changed.
 */
MUST_USE int append_and_stage(const char *path, unsigned flags, int shared_perm,
			      const void *buf, size_t len, struct fsync_batch *b,
			      enum fsync_component component, enum publish_class order,
			      struct err *err);

#endif
