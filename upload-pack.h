/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server of clone and fetch: git-upload-pack(1), gitprotocol-v2(5), gitprotocol-pack(5).
 * How it works: Documentation/Serving.adoc.
 *
 * Input of the client is not trusted: names, numbers, sizes and the order of lines are checked, and
 * the memory that a client can make the server use has a limit.
 */
#ifndef UPLOAD_PACK_H
#define UPLOAD_PACK_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "upload/upload.h"
#include "util/err.h"

/*
 * The process has been the server's broker (upload/broker.h). The caller ends it now, without a
 * message.
 */
#define UPLOAD_PACK_BROKER 1

/*
 * Serve one client to the end of its connection. On failure the client has got the message, if the
 * protocol has room for it. If o->confine is set, this process gives up all other rights for good;
 * it may fork before that, and then this function returns in both processes.
 *
 * Errors: ERR_INVALID, ERR_CORRUPT: the client broke the protocol, or asked for objects that it may
 * not have. ERR_IO: the client is gone, or a disk failed. The caller ignores SIGPIPE.
 */
MUST_USE int upload_pack_serve(struct repository *r, const struct upload_pack_options *o,
			       struct err *err);

#endif
