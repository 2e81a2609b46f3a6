/* SPDX-License-Identifier: GPL-2.0-only */
/* A pack is computed: in this process, or by uploadpack.packObjectsHook. */
#ifndef UPLOAD_PRODUCE_H
#define UPLOAD_PRODUCE_H

#include "compat/posix.h"
#include "pack-relay.h"
#include "upload/upload.h"

/* Make the pack, and relay it. Errors: as pack_relay_function. */
MUST_USE int upload_produce(struct upload_job *j, const struct pack_relay_options *o,
			    struct err *err);
/*
 * The same as one of those that uploadpack.maxConcurrent counts. ERR_LOCKED: there are too many; the client has been
 * told so.
 */
MUST_USE int upload_send_alone(struct upload_job *j, struct pack_relay_options *o,
			       struct err *err);

#endif
