/* SPDX-License-Identifier: GPL-2.0-only */
/* Where traces go: shared by trace2.c and trace.c, of no use elsewhere. */
#ifndef UTIL_TRACE_SINK_H
#define UTIL_TRACE_SINK_H

#include "compat/posix.h"
#include "util/strbuf.h"

/*
 * The descriptor that a value of GIT_TRACE* stands for: "", "0", "false" none
 * (-1); "1", "true" stderr; 2..9 that descriptor; an absolute path is opened
 * for appending, a directory gets a file called `name` (not if that is NULL).
 * *known is false for any other value.
 */
int trace_open(const char *value, const char *name, bool *known);
/* One line, one write: lines of several processes do not mix. -1: gave up. */
int trace_write(int fd, const struct strbuf *line);
/* "07:15:46.230767 file.c:50", padded to `width` behind the time and a blank. */
void trace_add_time_and_place(struct strbuf *out, const char *file, int line,
			      size_t width);

#endif
