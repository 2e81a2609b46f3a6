/* SPDX-License-Identifier: GPL-2.0-only */
/* What git archive and git upload-archive share. */
#ifndef BUILTIN_ARCHIVE_H
#define BUILTIN_ARCHIVE_H

#include "compat/posix.h"
#include "builtin/builtin.h"

/*
 * Make an archive as the arguments, argv[1..], say, on standard output or where they say. remote:
 * a client has sent them: nothing of this machine but the repository may be read, only what refs
 * name unless uploadArchive.allowUnreachable is set. r NULL: only --list. Dies, or returns the exit
 * code.
 */
int archive_command(int argc, const char **argv, struct repository *r, const char *prefix, bool remote);

#endif
