/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that a confined process has put into a quarantine (fs/tmp-objdir.h), after a pack that came from elsewhere. The
 * pack may have taken that process over. So another process, which has nothing from it but the files, finds out
 * whether each object has the name that it bears.
 *
 *   tmp_objdir_check(dir, 40, &nr, err)        the first process has ended: the parent looks at the names alone
 *   if (nr && fork() == 0)
 *           intake_check_objects(...)      the second one: at the contents
 *
 * What a pack can do to the first process it may do to the second one, too. But that reads no protocol, parses no
 * commits, trees and tags, and can write nothing.
 */
#ifndef INTAKE_QUARANTINE_H
#define INTAKE_QUARANTINE_H

#include "compat/posix.h"
#include "fs/tmp-objdir.h"
#include "pack/receive/receive.h"
#include "repo/confine.h"
#include "util/err.h"

struct intake_check {
	struct repository *repo; /* may be read */
	const char *dir; /* the quarantine */
	enum sandbox_mode sandbox;
	int threads; /* 0: one per processor */
	struct pack_receive_limits limits; /* of the first process, for each pack */
};
/*
 * Confines this process, for good, and reads each loose object and pack of the directory: loose objects, and all that a
 * pack's .idx and .rev say, must be as the contents have it, and the pack's name must be its checksum. Nothing stays open but standard
 * error and the traces.
 *
 * Errors: ERR_CORRUPT says what differs; ERR_UNSUPPORTED, as sandbox_probe.
 * Cost:   of index-pack: each byte is read, inflated and hashed once more. No flush, nothing is written.
 */
MUST_USE int intake_check_objects(const struct intake_check *c, struct err *err);
/*
 * The same for the tables of one pack, each in a file that is named (c->dir is not looked at, c->repo can be NULL); rev NULL: there is none.
 * They are all that this process can read.
 */
MUST_USE int intake_check_tables(const struct intake_check *c, const struct hash_algo *algo, const char *pack, const char *idx,
				 const char *rev, struct err *err);

/* ---- the first process ---- */

/* The repository of that gitdir as it is in the quarantine: new objects go into dir, the others are its alternates. */
MUST_USE int intake_open_quarantine(const struct tmp_objdir *dir, const char *gitdir, struct repository **out, struct err *err);
/* From now on this process can write to dir alone, for good; r: from intake_open_quarantine. Errors: ERR_UNSUPPORTED, as sandbox_probe. */
MUST_USE int intake_confine_writer(const struct tmp_objdir *dir, struct repository *r, enum sandbox_mode mode, struct err *err);
/*
 * D1, D7: this process awaits what it has written itself, so that its failure is reported; its parent only moves the files. It flushes if
 * the file system takes more than that.
 */
MUST_USE int intake_publish(struct repository *r, struct fsync_batch *batch, struct err *err);

/*
 * For a process that can be taken over, before it is confined: nothing stays open but these, standard error and the traces. It shall not
 * talk to the server, nor to the user's programs.
 */
MUST_USE int intake_close_all_but(const int *fds, size_t nr, struct err *err);

/*
 * Objects that were here before. The first process leaves files that name them (it cannot change what is outside of the quarantine), and
 * the process that stages sees to them. What is named wrongly does no harm.
 */
struct intake_old {
	struct oid_array foreign; /* new ones refer to these, which are perhaps not on the disk: they become durable, too (odb_depend_on) */
	struct oid_array used;	  /* they came, and were not written again: they get the present time (odb_freshen) */
};
#define INTAKE_OLD_INIT { OID_ARRAY_INIT, OID_ARRAY_INIT }
void intake_old_release(struct intake_old *old);
MUST_USE int intake_leave_old(const char *dir, const struct intake_old *old, const struct hash_algo *algo, struct err *err);
/* In r's operation. ERR_NOT_FOUND: one of `used` has gone meanwhile. */
MUST_USE int intake_use_old(struct repository *r, const struct intake_old *old, struct err *err);
/* The same for those that were left, and all of the quarantine goes into that batch. Durability: as tmp_objdir_stage_all. */
MUST_USE int intake_stage(struct tmp_objdir *dir, struct repository *r, struct fsync_batch *batch, struct err *err);

#endif
