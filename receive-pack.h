/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server of push: git-receive-pack(1), gitprotocol-pack(5), gitprotocol-capabilities(5), versions 0 and 1.
 * How it works: Documentation/Receiving.adoc.
 *
 *   commands       parsed and checked here, the client's pack not yet read
 *   pack           read, checked and found complete by a confined child, which can write a
 *                  quarantine and nothing else (receive/quarantine.h)
 *   hooks          pre-receive sees the quarantine; update and the like see published objects
 *   one operation  objects, refs and reflogs: D1 to D6, one seal (D2)
 *   report         only then
 *   hooks, upkeep  post-receive, post-update; maintenance
 *
 * What a client sends is not trusted. What it can make us keep in memory has a limit.
 */
#ifndef RECEIVE_PACK_H
#define RECEIVE_PACK_H

#include "compat/posix.h"
#include "receive/receive.h"

/*
 * Talk to one client until its push is done, or refused. A client that is gone before its pack is whole has
 * changed nothing; afterwards the push is finished without it.
 *
 * Durability: "ok" is sent after the seal: P1 for each ref that it names.
 * Errors:     ERR_INVALID, ERR_CORRUPT: the client broke the rules; ERR_IO: it is gone, or a disk failed. It
 *             has been told, where the protocol has room for that. That refs were refused is no error.
 *             The caller ignores SIGPIPE.
 * Cost:       one flush, whatever is pushed (P3); none if nothing changes.
 */
MUST_USE int receive_pack_serve(struct repository *r, const struct receive_pack_options *o,
				struct err *err);

#endif
