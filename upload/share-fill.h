/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that fills a shared pack. */
#ifndef UPLOAD_SHARE_FILL_H
#define UPLOAD_SHARE_FILL_H

#include "compat/posix.h"
#include "upload/share-dir.h"
#include "upload/upload.h"

/*
 * Start it for the file `fd` (share_dir_create), which is closed here in any case. It belongs to no client, and ends
 * when the pack is done, cannot be made, or nobody follows any more. `followed` is our own descriptor for following:
 * the new process must not seem to be a follower, too.
 */
MUST_USE int upload_filler_start(struct upload_server *s, struct fetch_request *q,
				 const struct share_dir *dir, const struct object_id *kind, int fd,
				 int followed, struct err *err);

#endif
