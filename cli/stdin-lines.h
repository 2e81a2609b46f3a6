/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of standard input for commands that serve another program: they must
 * know whether it waits for an answer, and so read without stdio.
 */
#ifndef CLI_STDIN_LINES_H
#define CLI_STDIN_LINES_H

#include "compat/posix.h"
#include "util/strbuf.h"

struct stdin_lines {
	struct strbuf buf;
	size_t at;
	char term; /* '\n' or '\0' */
	bool eof;
};
#define STDIN_LINES_INIT { STRBUF_INIT, 0, '\n', false }

/* Without the terminator; false at the end. Ends the program if it cannot be read. */
bool stdin_lines_next(struct stdin_lines *in, struct strbuf *line);
/* A whole line, or the end, is there already. */
bool stdin_lines_ready(const struct stdin_lines *in);
/* A whole line has been read already. */
bool stdin_lines_buffered(const struct stdin_lines *in);
void stdin_lines_release(struct stdin_lines *in);

#endif
