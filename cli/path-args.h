/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths and pathspecs that come from files and standard input, for many commands. */
#ifndef CLI_PATH_ARGS_H
#define CLI_PATH_ARGS_H

#include "cli/cli.h"
#include "index/pathspec.h"

/* --pathspec-from-file and --pathspec-file-nul; for OPT_PATHSPEC_FILE. */
struct pathspec_args {
	const char *file;
	int nul;
};
#define OPT_PATHSPEC_FILE(a)                                                              \
	OPT_STRING(0, "pathspec-from-file", &(a)->file, "file", "read pathspec from file"), \
	OPT_BOOL(0, "pathspec-file-nul", &(a)->nul,                                       \
		 "with --pathspec-from-file, pathspec elements are separated with NUL character")

/*
 * The arguments, or the file's lines. Dies of both at once and of what pathspec_parse
 * refuses. Returns how many there were; none: *ps is empty unless flags say what none
 * stands for.
 */
size_t pathspec_args_parse(const struct pathspec_args *a, struct pathspec *ps,
			   struct repository *r, const char **argv, unsigned flags);

/* Each line of standard input, quoted names undone; NUL-separated ones as they are. */
void each_stdin_path(bool nul, void (*fn)(void *data, const char *path), void *data);

#endif
