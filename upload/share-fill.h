/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that fills a shared pack. */
#ifndef UPLOAD_SHARE_FILL_H
#define UPLOAD_SHARE_FILL_H

#include "compat/posix.h"
#include "upload/share-dir.h"
#include "upload/upload.h"

/*
 * Start the filler for the file `fd` (share_dir_create). Closes `fd` on all outcomes. The filler
 * belongs to no client. It exits when the pack is complete, cannot be built, or has no follower any
 * more. `followed` is the caller's own descriptor for following; the filler closes it so that it
 * does not look like a follower.
 */
MUST_USE int upload_filler_start(struct upload_server *s, struct fetch_request *q,
				 const struct share_dir *dir, const struct object_id *kind, int fd,
				 int followed, struct err *err);

#endif
