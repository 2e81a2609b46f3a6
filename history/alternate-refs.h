/* SPDX-License-Identifier: GPL-2.0-only */
/* The refs of a repository that is an alternate of ours: core.alternateRefs* of git-config(1). */
#ifndef HISTORY_ALTERNATE_REFS_H
#define HISTORY_ALTERNATE_REFS_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "repo/repo.h"

/*
 * Call fn for each object name that core.alternateRefsCommand prints for the repository of the
 * object directory `objdir`, or for the refs below core.alternateRefsPrefixes. fn: 0 to go on. A
 * line that is no object name is reported to the repository's warn, and ends the list. Returns 0,
 * also if the directory belongs to no repository; > 0: the exit code of the command, which has
 * failed; < 0: it could not be run.
 */
MUST_USE int alternate_refs_list(struct repository *r, const char *objdir,
				 int (*fn)(void *data, const struct object_id *oid), void *data,
				 struct err *err);

/*
 * Append those of all our alternates, which a server need not send, sorted and each once. A command that fails costs more
 * objects, no more.
 */
MUST_USE int alternate_refs_collect(struct repository *r, struct oid_array *out, struct err *err);

#endif
