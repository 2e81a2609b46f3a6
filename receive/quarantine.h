/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The quarantine: a temporary object directory that gets the objects of a push, and the confined children that fill
 * and check it. git-receive-pack(1), "Quarantine environment"; Documentation/Receiving.adoc.
 *
 *   quarantine_receive(s, &q, err)    a child reads the pack and checks it, another checks
 *                                     the files; commands get their errors
 *   ... hooks that see it (s->hook_env) ...
 *   quarantine_stage(q, op, err)      its files become part of the operation
 *   quarantine_free(&q)               after the operation has ended
 *
 * A client may have taken over the child. Such a child can fill the quarantine and report false results for
 * commands, but no more. The parent continues only if the quarantine has objects and packs alone, and another
 * confined child has found that each of them has the right name (intake/quarantine.h).
 *
 * Durability: the child settles its files (D1, D7) before it reports success.
 */
#ifndef RECEIVE_QUARANTINE_H
#define RECEIVE_QUARANTINE_H

#include "compat/posix.h"
#include "intake/confined.h"
#include "receive/receive.h"

struct quarantine;

/*
 * Returns 0 if the pack was unpacked; commands whose new values are not connected then have their
 * error. Returns < 0 if the pack could not be unpacked, with the reason in err; nothing of it is
 * kept. Call it before this process starts a thread.
 */
MUST_USE int quarantine_receive(struct receive_server *s, struct quarantine **out, struct err *err);
/* New commits of the shallow boundary: the client's history ends there. */
const struct oid_array *quarantine_new_shallow(const struct quarantine *q);
/*
 * In the child (unpack.c): reads the pack from s->in up to its end, and puts its objects into place->r. Messages for the
 * user go to standard error. place->foreign gets the objects outside of the pack that it refers to.
 */
MUST_USE int receive_take_pack(struct receive_server *s, const struct intake_place *place, struct err *err);
MUST_USE int quarantine_stage(struct quarantine *q, struct repo_operation *op, struct err *err);
void quarantine_free(struct quarantine **q); /* removes unpublished files; NULL is fine */

#endif
