/* SPDX-License-Identifier: GPL-2.0-only */
/* Which requests get the same pack? */
#ifndef UPLOAD_SHARE_KEY_H
#define UPLOAD_SHARE_KEY_H

#include "compat/posix.h"
#include "upload/upload.h"

/*
 * The kind of a request that is ready to be answered: a SHA-256 over all that decides what the pack holds and how
 * it is written: repository, object format, namespace, wants, haves, boundaries, grafts, replacements, filter,
 * settings of packs, and, for include-tag, the tags that this client sees. How the pack travels (bands,
 * progress) is not in it. ERR_UNSUPPORTED: cannot be told, so it is not to be shared.
 */
MUST_USE int upload_request_kind(struct upload_server *s, const struct fetch_request *q,
				 struct object_id *out, struct err *err);

#endif
