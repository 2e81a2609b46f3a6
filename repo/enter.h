/* SPDX-License-Identifier: GPL-2.0-only */
/* Entering the repository that a client of a server has named. git-upload-pack(1), --strict. */
#ifndef REPO_ENTER_H
#define REPO_ENTER_H

#include "compat/posix.h"
#include "util/err.h"

#define REPO_ENTER_STRICT 1u /* that directory and no other; "~" means nothing */
/*
 * The owner does not matter. Only for a command that runs no program that the repository names, writes nothing, and reads every setting
 * that could do either from files of the system and the user (config_set_read_protected).
 */
#define REPO_ENTER_ANY_OWNER 2u

/*
 * Change to the gitdir that `name` stands for, and let GIT_DIR say so (".", for repo_open and
 * children). Unless it is strict, "~user" is expanded, and NAME/.git, NAME, NAME.git/.git and
 * NAME.git are tried in this order. A .git file is followed. *path (may be NULL) is the name that
 * was found, absolute if `name` was; caller frees. The caller checks the characters of `name`: see
 * path_is_plain.
 *
 * Errors: ERR_NOT_FOUND  "'NAME' does not appear to be a git repository"
 *         ERR_ABORTED    another user owns it (safe.directory)
 *         ERR_CORRUPT    it looks like one but cannot be read
 *         The cwd may have changed.
 */
MUST_USE int repo_enter(const char *name, unsigned flags, char **path, struct err *err);

/*
 * Resolve such a name without entering the repository: 1 and the gitdir and its common directory, absolute, which the caller
 * frees; 0: there is none. The owner is not checked.
 */
MUST_USE int repo_locate(const char *name, char **gitdir, char **commondir, struct err *err);

#endif
