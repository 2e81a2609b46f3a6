/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The broker of a confined server (repo/confine.h): a second process that keeps the rights that the hook
 * needs, and never reads input of the client. It exists only if uploadpack.packObjectsHook is set. The
 * server sends it messages on a socket pair:
 *
 *   server                                  broker
 *   objects, filter, "run"         ->       checks them, starts the hook
 *                                  <-       the hook's pipes, or an error message
 *   "end"                          ->       waits for the hook, or kills it
 *                                  <-       its exit code
 *   "connect"                      ->       forks another broker
 *                                  <-       the socket that it listens on
 *
 * The server may have been taken over by its client. It can make the broker start the hook that the
 * host has configured, with arguments that upload-pack may give it, and nothing else: oids come as
 * numbers, options as bits, the filter is parsed and checked again. The broker reads nothing more after
 * an invalid message.
 */
#ifndef UPLOAD_BROKER_H
#define UPLOAD_BROKER_H

#include "compat/posix.h"
#include "relay/relay.h"
#include "upload/upload.h"

/*
 * Fork the broker, before the process is confined. Returns 0 in the server, 1 in the broker, which
 * calls broker_run and exits, or < 0.
 */
int broker_fork(struct upload_broker *b, struct err *err);
/* Serve requests until the server exits. The broker holds no descriptor of the client. */
MUST_USE int broker_run(struct upload_server *s, struct err *err);

/* ---- the server's side ---- */

/* As upload_hook_start; `out` is for pack_relay_pipe. */
MUST_USE int broker_start_hook(struct upload_broker *b, const struct fetch_request *q, bool bands,
			       struct relay_pipe *out, struct err *err);
/*
 * Make another broker, for a process that outlives this one, such as the filler of a shared pack.
 * *out is its socket. That process passes it to broker_replace before it uses the broker; the other
 * process closes it.
 */
MUST_USE int broker_connect(const struct upload_broker *b, int *out, struct err *err);
MUST_USE int broker_replace(struct upload_broker *b, int socket, struct err *err);
/* Close the connection, and wait until the broker exits. */
void broker_release(struct upload_broker *b);

#endif
