/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The special files of Git, in every disguise under which some file system
 * takes a name for them: other case, HFS+ (ignored code points), NTFS (trailing
 * dots and blanks, streams, 8.3 names).
 */
#ifndef OBJECT_DOTFILE_H
#define OBJECT_DOTFILE_H

#include "compat/posix.h"

enum dotfile { DOT_GIT, DOT_GITMODULES, DOT_GITATTRIBUTES, DOT_GITIGNORE, DOT_MAILMAP };

/* `protect`: PROTECT_HFS, PROTECT_NTFS of object/fsck.h; 0: case only. */
bool dotfile_matches(enum dotfile which, const char *name, size_t len, unsigned protect);

#endif
