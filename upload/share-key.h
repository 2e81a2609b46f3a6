/* SPDX-License-Identifier: GPL-2.0-only */
/* The kind of a request: requests of one kind get the same pack. */
#ifndef UPLOAD_SHARE_KEY_H
#define UPLOAD_SHARE_KEY_H

#include "compat/posix.h"
#include "upload/upload.h"

/*
 * Compute the kind of a complete request: a SHA-256 over all that determines the pack's content and
 * encoding. These are repository, object format, namespace, wants, haves, boundaries, grafts,
 * replacements, filter, settings of packs and, for include-tag, the tags that this client sees. The
 * transport (sideband, progress) is not part of it. ERR_UNSUPPORTED: the kind cannot be computed,
 * so the request is not shared.
 */
MUST_USE int upload_request_kind(struct upload_server *s, const struct fetch_request *q,
				 struct object_id *out, struct err *err);

#endif
