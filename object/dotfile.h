/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recognizing ".git", ".gitmodules" and so on by any name that some file system treats as
 * equal: other letter case, HFS+ (ignored code points), NTFS (trailing dots and blanks,
 * streams, 8.3 short names). Such names in trees could overwrite the repository's own files.
 */
#ifndef OBJECT_DOTFILE_H
#define OBJECT_DOTFILE_H

#include "compat/posix.h"

enum dotfile { DOT_GIT, DOT_GITMODULES, DOT_GITATTRIBUTES, DOT_GITIGNORE, DOT_MAILMAP };

/* Bits of `protect`: the file systems to consider (core.protectHFS, core.protectNTFS). */
#define PROTECT_HFS 1u
#define PROTECT_NTFS 2u

/* Is `name` a spelling of this file? The letter case never matters. */
bool dotfile_matches(enum dotfile which, const char *name, size_t len, unsigned protect);

/*
 * May this path component be in a tree or an index? Not "", ".", "..", names with a slash
 * or a NUL, nor any spelling of .git; a symlink (by `mode`) must not be a .gitmodules either.
 */
bool path_component_is_safe(const char *name, size_t len, unsigned mode, unsigned protect);
/* The same for every component of a path; `mode` is that of the last one. */
bool path_is_safe(const char *path, unsigned mode, unsigned protect);
/* May a submodule have this name? A component "..", with either separator, would lead out of modules/. */
bool submodule_name_is_safe(const char *name);

#endif
