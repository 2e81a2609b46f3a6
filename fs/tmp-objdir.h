/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A temporary object directory, objects/tmp_objdir-PREFIX-OWNER-RANDOM. New objects are staged in it
 * before they are published, or quarantined in it until a push is accepted (git-receive-pack(1)). It
 * is removed on exit and on fatal signals. Its name holds the mark of its owner (fs/owner.h):
 * tmp_objdir_reap removes the directories of owners that are gone. It leaves all others alone, also
 * those of stock Git.
 */
#ifndef FS_TMP_OBJDIR_H
#define FS_TMP_OBJDIR_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "util/err.h"
#include "util/strvec.h"

struct tmp_objdir;

MUST_USE int tmp_objdir_create(struct tmp_objdir **out, const char *objdir,
			       const char *prefix, int shared_perm, struct err *err);
const char *tmp_objdir_path(const struct tmp_objdir *t);
/* "KEY=VALUE" for children: GIT_OBJECT_DIRECTORY, alternates, GIT_QUARANTINE_PATH. */
void tmp_objdir_env(const struct tmp_objdir *t, struct strvec *env);
/*
 * Check a directory that an untrusted process has filled, after that process has ended: it may hold
 * only loose objects, and packs with their .idx and .rev. Contents are not checked
 * (intake/quarantine.h). hex_len: length of object names. *nr: number of files.
 *
 * Errors: ERR_INVALID names another file that is there.
 */
MUST_USE int tmp_objdir_check(struct tmp_objdir *t, size_t hex_len, size_t *nr, struct err *err);
/*
 * Call fn for each loose object, "ab/cdef…", and each file of a pack, "pack/pack-HASH.pack", in it,
 * also if the real directory already has it. A result < 0 of fn stops.
 */
MUST_USE int tmp_objdir_foreach(struct tmp_objdir *t, int (*fn)(void *data, const char *rel, struct err *err), void *data,
				struct err *err);
/*
 * Stage every file in it for its place in the real directory: packs by class order, then loose
 * objects. Objects and packs that the real directory already has stay as they are, and get no other
 * files beside them. settled: the process that wrote the files has settled them (fsync_staging).
 * Otherwise the files are opened again here, which is second best (D7). Files that this process wrote
 * were staged with their descriptors.
 *
 * Errors: ERR_INVALID: an entry is no plain file, or its name is neither that of an object nor that
 *         of a pack in the directory. Half-written files ("tmp_…") are left out.
 */
MUST_USE int tmp_objdir_stage_all(struct tmp_objdir *t, struct fsync_batch *b, bool settled,
				  struct err *err);
/* Remove the directory with all files that are left in it, and free *t; idempotent. */
void tmp_objdir_destroy(struct tmp_objdir **t);
/* Does the name of such a directory hold the mark of an owner? */
bool tmp_objdir_has_owner(const char *name);
/* Remove the temporary directories below objdir whose owners are gone, and report each once. Cheap. */
void tmp_objdir_reap(const char *objdir);
/* Reports a removed directory. Default: prints to standard error. Tests replace it. */
extern void (*tmp_objdir_reap_report)(const char *path, pid_t pid);

#endif
