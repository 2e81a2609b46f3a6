/* SPDX-License-Identifier: GPL-2.0-only */
/* Three versions of a file, merged by a program: gitattributes(5), "Defining a custom merge driver". */
#ifndef MERGE_DRIVER_H
#define MERGE_DRIVER_H

#include "compat/posix.h"
#include "merge/contents.h"

struct merge_driver_call {
	const char *command; /* for the shell, with placeholders: %O %A %B %L %P %S %X %Y and %% */
	const char *path;
	const struct object_buf *version; /* MERGE_STAGES of them; a missing one is empty */
	const char *const *label;	  /* MERGE_STAGES of them */
	size_t marker_size;
};

/*
 * Runs the program. It gets the versions as temporary files in the current directory, and leaves the result in that of ours.
 * *clean false: the program says that there are conflicts.
 *
 * Durability: none is needed; the files are removed before this returns, and on a fatal signal.
 * Errors:     ERR_ABORTED (an exit code above 128, a signal, no result), ERR_IO.
 */
MUST_USE int merge_driver_run(const struct merge_driver_call *call, struct strbuf *out, bool *clean, struct err *err);

#endif
