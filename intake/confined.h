/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pack from elsewhere is received by a confined process (core.sandbox, repo/confine.h), which can read this repository
 * and write to a quarantine alone. Then another one checks what it has left (intake/quarantine.h), and the operation
 * gets the objects and packs.
 *
 *   intake_receive(r, op, &in, &dir, err);
 *   rc = repo_operation_end(op, rc, err);
 *   tmp_objdir_destroy(&dir);
 */
#ifndef INTAKE_CONFINED_H
#define INTAKE_CONFINED_H

#include "compat/posix.h"
#include "fs/tmp-objdir.h"
#include "operation.h"
#include "repo/repo.h"
#include "util/err.h"

struct intake {
	/*
	 * Reads the pack and stages it in the batch, for the object directory of `r`. In a process of its own, `r` has the
	 * quarantine there, and the repository as an alternate; what the function changes in memory is lost. promisor_msg: of a .promisor to stage beside the pack; NULL, also in a process
	 * of its own: none.
	 */
	int (*receive)(void *data, struct repository *r, struct fsync_batch *b, const char *promisor_msg, struct err *err);
	void *data;
	const char *promisor_msg; /* of a .promisor beside each new pack; NULL: none */
	const char *name; /* of the process, for messages */
};
/*
 * Stages all that `receive` has made in op. Where nothing can confine a process, or core.sandbox is false, `receive` is called with r
 * itself; also if missing objects may have to be fetched, which a confined process cannot do. Before any thread of this
 * process.
 *
 * Ownership:  *dir is needed until op has ended; the caller destroys it. NULL: there is none.
 * Errors:     those of `receive`; ERR_CORRUPT, ERR_INVALID: it has left what it must not leave; ERR_UNSUPPORTED:
 *             core.sandbox is true, and this cannot be done.
 * Durability: contents are settled by the process that wrote them (D1, D7); op seals.
 * Cost:       two processes, a few milliseconds; the pack is indexed twice. No flush.
 */
MUST_USE int intake_receive(struct repository *r, struct repo_operation *op, const struct intake *in,
			    struct tmp_objdir **dir, struct err *err);

#endif
