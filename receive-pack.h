/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server of push: git-receive-pack(1), gitprotocol-pack(5), gitprotocol-capabilities(5), versions 0 and 1.
 * How it works: Documentation/Receiving.adoc.
 *
 *   commands       parsed and checked here, before the pack is read
 *   pack           read, checked and found complete by a confined child, which can write a
 *                  quarantine and nothing else (receive/quarantine.h)
 *   hooks          pre-receive sees the quarantine; update and the like see published objects
 *   one operation  objects, refs and reflogs: D1 to D6, one seal (D2)
 *   report         only then
 *   hooks, upkeep  post-receive, post-update; maintenance
 *
 * Input of the client is not trusted. The memory that it can make the server use has a limit.
 */
#ifndef RECEIVE_PACK_H
#define RECEIVE_PACK_H

#include "compat/posix.h"
#include "receive/receive.h"

/*
 * Serve one client until its push is done or refused. If the client goes away before its pack has arrived,
 * nothing changes; if it goes away later, the push is completed without it.
 *
 * Durability: "ok" is sent after the seal: P1 holds for each ref in it.
 * Errors:     ERR_INVALID, ERR_CORRUPT: the client broke the protocol; ERR_IO: it is gone, or a disk failed. The
 *             client has got the message, if the protocol has room for it. A refused ref is no error.
 *             The caller ignores SIGPIPE.
 * Cost:       one flush, whatever the size of the push (P3); none if nothing changes.
 */
MUST_USE int receive_pack_serve(struct repository *r, const struct receive_pack_options *o,
				struct err *err);

#endif
