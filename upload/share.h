/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uploadpack.shareIdentical: requests of one kind (upload/share-key.h) get one pack. The first one is served as if
 * nothing was shared; when another comes soon after, a process of its own writes the pack into a file, and
 * that client and all later ones get what is in it, as it grows and after that. Documentation/Serving.adoc.
 *
 * The client may have what it asks for: that has been checked. Trouble with the files makes no fetch fail.
 */
#ifndef UPLOAD_SHARE_H
#define UPLOAD_SHARE_H

#include "compat/posix.h"
#include "pack-relay.h"
#include "upload/upload.h"

/* Send the pack, shared or not. The process must not have other threads, and ignores
 * SIGPIPE and SIGXFSZ. Errors: as upload_send_alone. */
MUST_USE int upload_send_shared(struct upload_server *s, struct fetch_request *q,
				struct pack_relay_options *o, struct err *err);

#endif
