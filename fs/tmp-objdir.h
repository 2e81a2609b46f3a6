/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A temporary object directory, objects/tmp_objdir-PREFIX-OWNER-RANDOM, in which
 * new objects are staged before they are published, or quarantined until a push is
 * accepted (git-receive-pack(1)). Removed on exit and on fatal signals. Its
 * name tells whose it is (fs/owner.h): those left by a dead owner are removed by
 * tmp_objdir_reap. Others, and those that stock Git made, are left alone.
 */
#ifndef FS_TMP_OBJDIR_H
#define FS_TMP_OBJDIR_H

#include "compat/posix.h"
#include "fsync-batch.h"
#include "util/err.h"
#include "util/strvec.h"

struct tmp_objdir;

MUST_USE int tmp_objdir_create(struct tmp_objdir **out, const char *objdir,
			       const char *prefix, int shared_perm, struct err *err);
const char *tmp_objdir_path(const struct tmp_objdir *t);
/* "KEY=VALUE" for children: GIT_OBJECT_DIRECTORY, alternates, GIT_QUARANTINE_PATH. */
void tmp_objdir_env(const struct tmp_objdir *t, struct strvec *env);
/*
 * A process has filled it that a client may have taken over, and has ended: is there anything but loose objects, and
 * packs with their .idx and .rev? Contents are not looked at (intake/quarantine.h). hex_len: of the
 * names. *nr: files of objects and packs.
 *
 * Errors: ERR_INVALID names what is there besides.
 */
MUST_USE int tmp_objdir_check(struct tmp_objdir *t, size_t hex_len, size_t *nr, struct err *err);
/*
 * The loose objects, "ab/cdef…", and the files of packs in it, "pack/pack-HASH.pack", also those that are there already. < 0 of fn
 * stops.
 */
MUST_USE int tmp_objdir_foreach(struct tmp_objdir *t, int (*fn)(void *data, const char *rel, struct err *err), void *data,
				struct err *err);
/*
 * Stage every file in it for its place in the real directory: packs by class
 * order, loose objects after. Objects and packs that are there already stay as they are, and get no
 * other files beside them. settled: by the process that has written
 * them (fsync_staging); else files are opened again here, which is second best (D7). What we wrote
 * ourselves was staged with its descriptor.
 *
 * Errors: ERR_INVALID: there is something that is no plain file, or has no name of an object or of a
 *         pack that is in the directory, too. Half-written files ("tmp_…") are left out.
 */
MUST_USE int tmp_objdir_stage_all(struct tmp_objdir *t, struct fsync_batch *b, bool settled,
				  struct err *err);
/* Remove it with all that is left in it; idempotent, frees. */
void tmp_objdir_destroy(struct tmp_objdir **t);
/* Does the name of such a directory tell whose it is? */
bool tmp_objdir_has_owner(const char *name);
/* Remove leavings of dead owners below objdir; told once each. Cheap. */
void tmp_objdir_reap(const char *objdir);
/* How that is told. Default: standard error. Tests put their own here. */
extern void (*tmp_objdir_reap_report)(const char *path, pid_t pid);

#endif
