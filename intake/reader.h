/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine that reads a pack from elsewhere: it applies a policy (intake/policy.h) to one pack, from the first byte to the
 * staged files. It runs in the process that intake/confined.h chooses, mostly a confined one.
 *
 *   intake_take_pack(&rd, &policy, place, &stream, NULL, err)
 *
 * or, if several packs are checked together, step by step:
 *
 *   intake_reader_begin(&rd, &policy, place, algo, err)
 *   intake_reader_read(&rd, &stream, err)       read, resolved, checked
 *   intake_reader_foreign(&rd, &oids, err)
 *   intake_reader_stage(&rd, NULL, NULL, err)   part of place->batch
 *   intake_reader_release(&rd)                  after the batch has ended
 *
 * Ownership:  rd, policy and place stay in their places until the last step. rd->rx may be taken by the caller.
 * Errors:     those of pack/receive/receive.h; ERR_CORRUPT: a check of the policy failed. Nothing is staged then.
 * Durability: that of place->batch: D1, D3. No flush.
 * Cost:       that of pack/receive/receive.h.
 */
#ifndef INTAKE_READER_H
#define INTAKE_READER_H

#include "compat/posix.h"
#include "intake/confined.h"
#include "intake/policy.h"
#include "pack/receive/receive.h"

struct intake_reader {
	struct pack_receive *rx; /* its results */
	/* ---- internal ---- */
	const struct intake_policy *policy;
	const struct intake_place *place;
};

/* What may follow the pack in its input. */
enum intake_end {
	INTAKE_END_ANY,	     /* anything: pack_receive_rest has the beginning */
	INTAKE_END_FILE,     /* if the descriptor is a file, nothing; a pipe may go on */
	INTAKE_END_BUFFERED, /* nothing that came with the last piece */
	INTAKE_END_STREAM,   /* nothing: the source is read to its end */
};

struct intake_stream {
	/* `objdir` and `shared_perm` are filled in: the copy is made in the place, unless `copy` is set or nothing is kept. */
	struct pack_receive_stream_options from;
	const char *path; /* in place of `from`: a pack that stays there */
	enum intake_end end;
	/* Called when the last byte has been read, before deltas are resolved; NULL: not called. */
	int (*read_done)(void *data, struct err *err);
	void *data;
};

/* place->r NULL: outside of a repository. place->batch NULL: the caller stages. */
MUST_USE int intake_reader_begin(struct intake_reader *rd, const struct intake_policy *policy, const struct intake_place *place,
				 const struct hash_algo *algo, struct err *err);
/* Without a copy of a stream deltas cannot be resolved: only the stream is checked then. */
MUST_USE int intake_reader_read(struct intake_reader *rd, const struct intake_stream *s, struct err *err);
/* Appends the objects outside of the pack that it refers to. Not with INTAKE_LINKS_IGNORED. */
MUST_USE int intake_reader_foreign(const struct intake_reader *rd, struct oid_array *out, struct err *err);
/*
 * Stages the pack with its tables, and the files that place names beside it. An empty pack is left out. INTAKE_LOOSE: does
 * nothing. names NULL: those of the object directory, with pack.writeReverseIndex; else an empty pack is staged, too.
 */
MUST_USE int intake_reader_stage(struct intake_reader *rd, const struct pack_receive_names *names, bool *kept, struct err *err);
void intake_reader_release(struct intake_reader *rd);

/* All steps for one pack. place->foreign gets the foreign objects, unless the pack is only read: they become durable with it. */
MUST_USE int intake_take_pack(struct intake_reader *rd, const struct intake_policy *policy, const struct intake_place *place,
			      const struct intake_stream *s, struct err *err);

#endif
