/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server of clone and fetch: git-upload-pack(1), gitprotocol-v2(5), gitprotocol-pack(5).
 * How it works: Documentation/Serving.adoc.
 *
 * What a client sends is not trusted: names, numbers, sizes and the order of lines are checked,
 * and what it can make us keep in memory has a limit.
 */
#ifndef UPLOAD_PACK_H
#define UPLOAD_PACK_H

#include "compat/posix.h"
#include "repo/repo.h"
#include "upload/upload.h"
#include "util/err.h"

/* This process was the server's broker (upload/broker.h). It has to end now, quietly. */
#define UPLOAD_PACK_BROKER 1

/*
 * Talk to one client until it is served. On a failure it has been told why, where the protocol
 * has room for it. With o->confine this process gives up all other rights, for good; it may have to
 * fork before, and then this function returns in both processes.
 *
 * Errors: ERR_INVALID, ERR_CORRUPT: the client broke the rules, or asked for what it may not
 *         have; ERR_IO: it is gone, or a disk failed. The caller ignores SIGPIPE.
 */
MUST_USE int upload_pack_serve(struct repository *r, const struct upload_pack_options *o,
			       struct err *err);

#endif
