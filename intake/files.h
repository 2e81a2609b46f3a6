/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pack that stays in a file, or goes to one, outside of the object database: git index-pack FILE, git index-pack -o. A confined process
 * (core.sandbox, repo/confine.h) reads the pack. It can write to nothing but the files that it gets open, which have
 * temporary names. Then another one checks whether the tables are those of the pack. The caller gives the files their names.
 *
 *   rc = intake_read_files(&in, &result, err);
 *   rc = pack_receive_stage_files(&files, &result.pack, ...);
 *   intake_files_result_release(&result);
 */
#ifndef INTAKE_FILES_H
#define INTAKE_FILES_H

#include "compat/posix.h"
#include "intake/policy.h"
#include "pack/receive/receive.h"
#include "repo/repo.h"
#include "util/err.h"
#include "util/strbuf.h"

struct intake_files {
	/*
	 * Reads the pack and writes the tables (pack_receive_write_tables). What it changes in memory is lost if it runs in a process of its
	 * own: results are written to `answer`, see intake/answer.h.
	 */
	int (*receive)(void *data, struct strbuf *answer, struct err *err);
	void *data;
	struct repository *r; /* may be read; NULL: outside of one */
	const struct hash_algo *algo;
	int fd;		      /* of a stream, stays open for `receive`; -1: none */
	const char *pack;     /* the path of the pack, or of its copy */
	const struct pack_receive_files *files; /* the caller's */
	const struct intake_policy *policy; /* as `receive` has it; the process that checks has its limits */
	const char *name; /* of the process, for messages */
	size_t answer_max;
};

struct intake_files_result {
	struct object_id pack; /* its checksum */
	struct strbuf answer;  /* of `receive`, which may have been taken over */
};
/*
 * Where nothing can confine a process, or core.sandbox is false, `receive` is called in this one. Missing objects are fetched by a third process
 * (intake/fetcher.h). Before any thread of this process.
 *
 * Ownership:  the caller releases *result, on all outcomes.
 * Errors:     as intake_receive; ERR_CORRUPT: the tables are not those of the pack.
 * Durability: none: the caller stages the files, whose descriptors the writer has shared with it (D7).
 * Cost:       two processes, a few milliseconds; the pack is indexed twice. No flush.
 */
MUST_USE int intake_read_files(const struct intake_files *in, struct intake_files_result *result, struct err *err);
void intake_files_result_release(struct intake_files_result *result);

#endif
