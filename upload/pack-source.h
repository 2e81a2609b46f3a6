/* SPDX-License-Identifier: GPL-2.0-only */
/* Build a pack for a request: in this process, or through uploadpack.packObjectsHook. */
#ifndef UPLOAD_PACK_SOURCE_H
#define UPLOAD_PACK_SOURCE_H

#include "compat/posix.h"
#include "relay/relay.h"
#include "upload/upload.h"

/* Build the pack and relay it. Errors: as pack_relay_function. */
MUST_USE int upload_relay_pack(struct upload_job *j, const struct pack_relay_options *o,
			       struct err *err);
/*
 * As upload_relay_pack, in a slot of uploadpack.maxConcurrent. ERR_LOCKED: no slot became free; the
 * client has got the message.
 */
MUST_USE int upload_send_alone(struct upload_job *j, struct pack_relay_options *o,
			       struct err *err);

#endif
