/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uploadpack.shareIdentical: requests of one kind (upload/share-key.h) get one pack. The first
 * request is served without sharing. When another one comes soon after, a separate process writes
 * the pack into a file. That client and all later ones get the bytes of the file, while it grows
 * and after it is complete. See Documentation/Serving.adoc.
 *
 * The caller has checked that the client may have the objects it wants. No failure with the files
 * makes a fetch fail.
 */
#ifndef UPLOAD_SHARE_H
#define UPLOAD_SHARE_H

#include "compat/posix.h"
#include "relay/relay.h"
#include "upload/upload.h"

/*
 * Send the pack, shared or not. The process must have no other thread, and must ignore SIGPIPE and
 * SIGXFSZ. Errors: as upload_send_alone.
 */
MUST_USE int upload_send_shared(struct upload_server *s, struct fetch_request *q,
				struct pack_relay_options *o, struct err *err);

#endif
