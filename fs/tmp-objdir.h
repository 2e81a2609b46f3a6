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
 * ---- objects that are staged, shown to children ----
 *
 * The owner of a batch links the files that it has staged into a directory of this kind
 * (prefix TMP_OBJDIR_SHOWN), which its children read as an alternate. They must
 * not rest on it: it goes away with its owner, or with the power (at exit and on a signal that
 * can be caught its content gets names in the object directory first). A child of ours that
 * makes something durable therefore takes all that it is shown into its own batch.
 */
#define TMP_OBJDIR_SHOWN "shown"
/* `from` becomes t/rel as well; fine if that is there. Makes directories. */
MUST_USE int tmp_objdir_link(struct tmp_objdir *t, const char *from, const char *rel,
			     struct err *err);
/* "GIT_ALTERNATE_OBJECT_DIRECTORIES=...": this one, and those of our environment. */
void tmp_objdir_alternate_env(const struct tmp_objdir *t, struct strvec *env);
/* Is `path` such a directory? And of a process that writes to objdir? */
bool tmp_objdir_is_shown(const char *path);
bool tmp_objdir_is_below(const char *path, const char *objdir);
/* Link into t what is in `shown` and not in t's object directory. */
MUST_USE int tmp_objdir_take(struct tmp_objdir *t, const char *shown, struct err *err);

/*
 * Stage every file in it for its place in the real directory: packs by class
 * order, loose objects after. Files are opened again here, so use it for what
 * other programs wrote; what we wrote ourselves was staged with its descriptor.
 */
MUST_USE int tmp_objdir_stage_all(struct tmp_objdir *t, struct fsync_batch *b, struct err *err);
/* Remove it with all that is left in it; idempotent, frees. */
void tmp_objdir_destroy(struct tmp_objdir **t);
/* Remove leavings of dead owners below objdir; told once each. Cheap. */
void tmp_objdir_reap(const char *objdir);
/* How that is told. Default: standard error. Tests put their own here. */
extern void (*tmp_objdir_reap_report)(const char *path, pid_t pid);

#endif
