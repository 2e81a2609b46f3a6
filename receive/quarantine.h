/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The quarantine: a temporary object directory that gets the objects of a push, and the confined children that fill
 * and check it. git-receive-pack(1), "Quarantine environment"; Documentation/Receiving.adoc.
 *
 *   quarantine_receive(s, &q, err)    a child reads, checks and connects, another checks
 *                                     the files; commands get their errors
 *   ... hooks that see it (s->hook_env) ...
 *   quarantine_stage(q, op, err)      its files become part of the operation
 *   quarantine_free(&q)               after the operation has ended
 *
 * The child may have been taken over by its client. Whatever it does, it can only fill the quarantine, and say of
 * commands what it likes: its parent goes on only if there are objects and packs alone in the quarantine, and if another
 * confined child has found each of them under its own name (intake/quarantine.h).
 *
 * Durability: the child has settled what it has written (D1, D7) when it says that all is well.
 */
#ifndef RECEIVE_QUARANTINE_H
#define RECEIVE_QUARANTINE_H

#include "compat/posix.h"
#include "receive/receive.h"

struct quarantine;

/*
 * 0: all that was sent is there, and what is not connected has its error. < 0: it could not be unpacked, for the
 * reason in err: nothing is kept. Before any thread of this process.
 */
MUST_USE int quarantine_receive(struct receive_server *s, struct quarantine **out, struct err *err);
/* Commits that have no parents here from now on, because the client's history ends there. */
const struct oid_array *quarantine_new_shallow(const struct quarantine *q);
MUST_USE int quarantine_stage(struct quarantine *q, struct repo_operation *op, struct err *err);
void quarantine_free(struct quarantine **q); /* removes what was not published; NULL is fine */

#endif
