/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The backends of refs by the names that extensions.refStorage gives them, git-config(1). This is the one place that
 * knows which backends exist.
 */
#ifndef REPO_REF_STORAGE_H
#define REPO_REF_STORAGE_H

#include "compat/posix.h"
#include "config/config.h"
#include "refs/refs.h"

/* The backend of a repository whose configuration names none. */
const struct ref_backend *ref_storage_default(void);
/*
 * The backend of the format `name`.
 * ERR_INVALID      Git knows no such format
 * ERR_UNSUPPORTED  Git knows the format, but it does not exist here
 */
MUST_USE int ref_storage_by_name(const struct ref_backend **out, const char *name, struct err *err);
/*
 * As ref_storage_by_name, for a value of extensions.refStorage or GIT_REFERENCE_BACKEND: "NAME" or "NAME://DIR". *dir: NULL
 * if refs are in the repository. The caller frees it.
 */
MUST_USE int ref_storage_find(const struct ref_backend **out, char **dir, const char *value, struct err *err);
/*
 * The directory where the backend finds shared refs, or (own) those of the worktree whose gitdir is given. dir: as above; a
 * relative one begins at the common directory. In another directory, linked worktrees have theirs in
 * "worktrees/ID". The caller frees it.
 */
char *ref_storage_dir(const char *dir, const char *gitdir, const char *commondir, bool own);

/* Adds reftable.* to the options, unless their backend has no use for it. ERR_INVALID: a bad value. */
MUST_USE int ref_storage_read_options(struct ref_store_options *o, const struct config_set *c, struct err *err);

#endif
