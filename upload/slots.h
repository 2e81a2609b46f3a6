/* SPDX-License-Identifier: GPL-2.0-only */
/* uploadpack.maxConcurrent: how many packs are computed at once for one repository. */
#ifndef UPLOAD_SLOTS_H
#define UPLOAD_SLOTS_H

#include "compat/posix.h"
#include "relay/relay.h"
#include "upload/upload.h"

/*
 * Take one of the uploadpack.maxConcurrent slots; the client gets keepalives while it waits. The
 * caller closes *out at the end. *out is -1 if there is no limit, or the file system has no locks.
 * ERR_LOCKED: no slot became free for uploadpack.maxConcurrentWait seconds.
 *
 * A slot is a byte of the repository's directory that its holder has locked, which all processes
 * see. So no file has to be writable, and a holder that dies leaves nothing behind.
 */
MUST_USE int upload_slot_take(struct upload_server *s, struct pack_relay_options *o, int *out,
			      struct err *err);

#endif
