/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process of our own that reads a pack from elsewhere, and that the pack may take over (intake/confined.h, intake/files.h). It gives up
 * its rights itself. It can get the pack through a socket, and answer through another one; its failure is in memory that both
 * share. Nothing of that is trusted.
 */
#ifndef INTAKE_PROCESS_H
#define INTAKE_PROCESS_H

#include "compat/posix.h"
#include "fs/tmp-objdir.h"
#include "intake/input.h"
#include "repo/confine.h"
#include "util/err.h"
#include "util/strbuf.h"

struct intake_process {
	/*
	 * What the process does. It ends by _exit when this returns: nothing of the parent's is freed or removed. input, output: its ends of
	 * the sockets; -1: there is no such socket.
	 */
	int (*run)(void *data, int input, int output, struct err *err);
	void *data;
	const char *name;		    /* for messages */
	const struct intake_source *source; /* asked by this process, which passes on what it gets; NULL: none */
	struct strbuf *answer;		    /* what it writes to `output` is appended; NULL: nothing */
	size_t answer_max;		    /* a longer answer is ERR_TOO_BIG */
};
/*
 * Starts the process and awaits it. Before any thread of this process.
 *
 * Errors: those of the source, which come first, and of `run`, by their kind as far as that is ERR_NOT_FOUND, ERR_TOO_BIG or
 *         ERR_IO, else ERR_CORRUPT; ERR_GENERIC: it died.
 * Cost:   a process; what the source gives is copied through a socket.
 */
MUST_USE int intake_process_run(const struct intake_process *p, struct err *err);

/* At the end of `run`. The input is closed first: the parent must not wait until all of it is read. */
MUST_USE int intake_process_answer(int input, int output, const struct strbuf *answer, struct err *err);

/* core.sandbox, as far as the user and the system have a say in it. */
MUST_USE int intake_read_sandbox(enum sandbox_mode *mode, struct err *err);

#endif
