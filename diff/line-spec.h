/* SPDX-License-Identifier: GPL-2.0-only */
/* "start,end" and ":name" of the option -L: git-log(1). */
#ifndef DIFF_LINE_SPEC_H
#define DIFF_LINE_SPEC_H

#include "compat/posix.h"
#include "diff/line-ranges.h"

/*
 * The file that "start,end:file" or ":name:file" names, within `arg`. NULL: it has not that form. What the
 * lines are is checked by line_spec_find.
 */
const char *line_spec_file(const char *arg);

/*
 * The lines of `file` that the beginning of `arg` means. Patterns are searched for from line `anchor` (from 0)
 * on, unless they begin with '^'. The driver of the file in `o` finds the names of functions.
 *
 * ERR_INVALID, ERR_NOT_FOUND, with Git's messages: no such line, a bad pattern, or one that matches nothing.
 */
MUST_USE int line_spec_find(struct line_range *out, const char *arg, struct diff_file *file, size_t anchor,
			    const struct diff_options *o, struct err *err);

#endif
