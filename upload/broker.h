/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The broker of a server that is confined (repo/confine.h): a second process, which never sees a byte of
 * the client's and keeps the rights that the hook needs. It is there only if
 * uploadpack.packObjectsHook is set. The server asks it by messages on a socket pair:
 *
 *   server                                  broker
 *   objects, filter, "run"         ->       checks them, starts the hook
 *                                  <-       the hook's pipes, or why there are none
 *   "end"                          ->       awaits it, or ends it
 *                                  <-       its exit code
 *   "connect"                      ->       forks another broker
 *                                  <-       the socket that it listens on
 *
 * The server may have been taken over by its client. It can make the broker start the hook that the
 * host has configured, with arguments that upload-pack may give it, and nothing else: oids come as
 * numbers, options as bits, the filter is parsed and checked again. The first message that breaks the
 * rules is the last one.
 */
#ifndef UPLOAD_BROKER_H
#define UPLOAD_BROKER_H

#include "compat/posix.h"
#include "pack-relay.h"
#include "upload/upload.h"

/*
 * Make it, before the process is confined. 0: this is the server; 1: this is the broker, which has to
 * call broker_run and to end; < 0.
 */
int broker_fork(struct upload_broker *b, struct err *err);
/* Until the server goes. It holds neither of the client's ends. */
MUST_USE int broker_run(struct upload_server *s, struct err *err);

/* ---- the server's side ---- */

/* As upload_hook_start; `out` is for pack_relay_pipe. */
MUST_USE int broker_start_hook(struct upload_broker *b, const struct fetch_request *q, bool bands,
			       struct relay_pipe *out, struct err *err);
/*
 * A broker for a process that outlives this one, as the filler of a shared pack does: its socket. That
 * process takes it with broker_replace, before it uses the broker; the other one closes it.
 */
MUST_USE int broker_connect(const struct upload_broker *b, int *out, struct err *err);
MUST_USE int broker_replace(struct upload_broker *b, int socket, struct err *err);
/* Let it end, and await it. */
void broker_release(struct upload_broker *b);

#endif
