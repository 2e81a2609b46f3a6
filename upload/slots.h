/* SPDX-License-Identifier: GPL-2.0-only */
/* uploadpack.maxConcurrent: how many packs are computed at once for one repository. */
#ifndef UPLOAD_SLOTS_H
#define UPLOAD_SLOTS_H

#include "compat/posix.h"
#include "pack-relay.h"
#include "upload/upload.h"

/*
 * A place among those that compute; the client is kept waiting meanwhile. *out: the caller closes it at the
 * end; -1: there is no limit, or the file system knows no locks. ERR_LOCKED: none became free for
 * uploadpack.maxConcurrentWait seconds.
 *
 * A place is a byte of the repository's directory, on which its holder has a lock that all others can see. Nothing
 * has to be writable for that, and nothing is left behind by a holder that dies.
 */
MUST_USE int upload_slot_take(struct upload_server *s, struct pack_relay_options *o, int *out,
			      struct err *err);

#endif
