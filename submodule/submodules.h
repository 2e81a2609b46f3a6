/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The submodules of a repository: their names, which of them are active, and where their repositories are.
 * gitmodules(5), gitsubmodules(7).
 *
 *   struct submodules *s;
 *   rc = submodules_read(&s, r, NULL, err);
 *   if (!rc && !(rc = submodules_is_active(s, "lib", &active, err)) && active)
 *           rc = submodules_open(&sub, s, "lib", err);
 *
 * Errors: ERR_CORRUPT for a bad .gitmodules file, ERR_INVALID for bad settings. Nothing is written.
 */
#ifndef SUBMODULE_SUBMODULES_H
#define SUBMODULE_SUBMODULES_H

#include "compat/posix.h"
#include "repo/repo.h"

/* Submodules in each other may be so deep; what leads in a circle ends there. */
#define SUBMODULE_DEPTH_MAX 16

struct submodules;

/*
 * The .gitmodules of the work tree; without that file the one of the index, or else of HEAD; none while it is in conflict.
 * If `tree` is given: the one of that tree or commit alone. A bad one that is no file counts up to its fault, which is
 * reported. Names that could lead out of modules/ are ignored, with a warning. r must live longer.
 */
MUST_USE int submodules_read(struct submodules **out, struct repository *r, const struct object_id *tree, struct err *err);
void submodules_free(struct submodules *s);
/* The name of the submodule at that path; NULL: .gitmodules has none. */
const char *submodules_name(const struct submodules *s, const char *path);
/* By submodule.<name>.active, else submodule.active, else submodule.<name>.url. */
MUST_USE int submodules_is_active(const struct submodules *s, const char *path, bool *active, struct err *err);
/*
 * The gitdir: of the repository that is checked out there, or else $GIT_DIR/modules/NAME. *out NULL: there is none, or another
 * user owns it (safe.directory); then there is a warning. Caller frees.
 */
MUST_USE int submodules_find_gitdir(char **out, const struct submodules *s, const char *path, struct err *err);
/* The repository; its work tree is at that path, whether it is there or not. *out NULL: as submodules_find_gitdir. */
MUST_USE int submodules_open(struct repository **out, const struct submodules *s, const char *path, struct err *err);
/* Is .gitmodules in conflict? */
bool gitmodules_is_unmerged(const struct index_state *ix);
/* Key "submodule.NAME.VARIABLE": NAME, which the caller frees; NULL: another key. */
char *submodule_of_key(const char *key, const char *variable);
/* submodules_find_gitdir() for one submodule. Cost: .gitmodules is read. */
MUST_USE int submodule_find_gitdir(char **out, struct repository *r, const char *path, struct err *err);

#endif
