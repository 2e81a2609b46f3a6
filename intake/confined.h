/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pack from elsewhere is received by a confined process (core.sandbox, repo/confine.h), which can read this repository
 * and write to a quarantine alone. Then another one checks what it has left (intake/quarantine.h), and the operation
 * gets the objects and packs.
 *
 *   rc = intake_receive(r, op, &in, &result, err);     `receive` calls intake_take_pack: intake/reader.h
 *   rc = repo_operation_end(op, rc, err);
 *   intake_result_release(&result);
 */
#ifndef INTAKE_CONFINED_H
#define INTAKE_CONFINED_H

#include "compat/posix.h"
#include "fs/tmp-objdir.h"
#include "intake/input.h"
#include "intake/policy.h"
#include "operation/operation.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/strbuf.h"

/* Where a pack goes. */
struct intake_place {
	/*
	 * The repository, and the batch in which all is staged. In a process of its own, its object directory is the quarantine,
	 * and the repository's an alternate of that.
	 */
	struct repository *r;
	struct fsync_batch *batch;
	struct intake_input *input; /* of the source; NULL: there is none */
	struct strbuf *answer;	    /* for the caller: see intake/answer.h */
	/* `receive` adds objects that were here before, and that the new ones refer to: they become durable with these. */
	struct oid_array *foreign;
	/* Of files .promisor and .keep to stage beside the pack; NULL, also in a process of its own: none. */
	const char *promisor_msg, *keep_msg;
};

struct intake {
	/*
	 * Reads the packs and stages them. What it changes in memory is lost if it runs in a process of its own: results are
	 * written to place->answer, or to memory that is shared. Nothing that comes back is trusted.
	 */
	int (*receive)(void *data, const struct intake_place *place, struct err *err);
	void *data;
	/* Asked by this process. NULL: `receive` reads `fd` itself, which stays open for it. */
	const struct intake_source *source;
	int fd;
	/*
	 * The policy that `receive` applies, too. INTAKE_LOOSE: a batch of the database is open for it. The process that checks the
	 * quarantine has the same limits. The caller makes the files beside each new pack.
	 */
	const struct intake_policy *policy;
	const char *name; /* of the process, for messages */
	size_t answer_max; /* a longer answer is ERR_TOO_BIG; 0: there is none */
};

struct intake_result {
	struct tmp_objdir *dir;	/* NULL: `receive` ran in this process */
	struct object_id pack;	/* then: the checksum in the name of the pack, of one of them; null: there is none */
	bool kept;		/* then: a .keep was made that was not there */
	struct strbuf answer;	/* of `receive`, which may have been taken over, if dir is not NULL */
};
/*
 * Stages all that `receive` has made in op. Where nothing can confine a process, or core.sandbox is false, `receive` is called with r
 * itself. The process has no other descriptors of this one than the source's, or fd. Missing objects are fetched by a third process
 * (intake/fetcher.h). Before any thread of this process.
 *
 * Ownership:  *result is needed until op has ended; then the caller releases it.
 * Errors:     those of the source, which come first, and of `receive`, by their kind as far as that is ERR_NOT_FOUND,
 *             ERR_TOO_BIG or ERR_IO, else ERR_CORRUPT; ERR_CORRUPT, ERR_INVALID: it has left what it must not leave;
 *             ERR_UNSUPPORTED: core.sandbox is true, and this cannot be done.
 * Durability: contents are settled by the process that wrote them (D1, D7); op seals.
 * Cost:       two processes, a few milliseconds; what a source gives is copied through a socket; the pack is indexed
 *             twice. No flush.
 */
MUST_USE int intake_receive(struct repository *r, struct repo_operation *op, const struct intake *in,
			    struct intake_result *result, struct err *err);
void intake_result_release(struct intake_result *result);

/*
 * A process that only looks at a pack confines itself, for good: it can read this repository (NULL: none) and these files, which end with
 * NULL; r fetches no missing objects any more. Not where core.sandbox is false. Errors: as intake_receive.
 */
MUST_USE int intake_confine_reader(struct repository *r, const char *const *files, struct err *err);

#endif
