/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Child processes: hooks, filters, editors, pagers, programs that sign, aliases.
 * Uses posix_spawn or fork/exec; every descriptor that is not handed over is
 * closed in the child (all ours are O_CLOEXEC).
 */
#ifndef UTIL_RUN_COMMAND_H
#define UTIL_RUN_COMMAND_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

struct child_process {
	struct strvec args;
	struct strvec env;  /* "KEY=VALUE" sets, "KEY" unsets */
	const char *dir;    /* chdir there first; not owned */
	pid_t pid;
	/* 0: inherit; -1: make a pipe, our end is put here; else: use and close */
	int in, out, err;
	bool no_stdin, no_stdout, no_stderr; /* /dev/null instead */
	bool stdout_to_stderr;
	bool use_shell;	    /* args.v[0] is a shell command line, the rest its "$@" */
	bool silent_exec_failure; /* for the caller: start_command prints nothing */
	int trace2_id;
};
#define CHILD_PROCESS_INIT { .args = STRVEC_INIT, .env = STRVEC_INIT }

void child_process_init(struct child_process *cp);
void child_process_release(struct child_process *cp);
/*
 * ERR_NOT_FOUND if there is no such program ("cannot run NAME: No such file…").
 * The program is searched on our PATH; a file that exec does not know is run by
 * the shell; the child has SIGPIPE at its default and the signal mask that we
 * were started with. Descriptors that were handed over are closed on failure,
 * too; args and env stay until child_process_release.
 */
MUST_USE int start_command(struct child_process *cp, struct err *err);
/* Exit code 0..255; 128 + signal if killed; < 0 if it cannot be awaited. */
int finish_command(struct child_process *cp);
/* start + finish + release. < 0 could not start; else exit code. */
MUST_USE int run_command(struct child_process *cp, struct err *err);
/*
 * Feed `in` (NULL: cp->in as it is), collect stdout (and stderr if errout) without deadlock. Result as
 * run_command. out and errout are appended to, each capped at max_out bytes if that is
 * not 0 (ERR_TOO_BIG then). A child that does not read all of its input is no error.
 */
MUST_USE int pipe_command(struct child_process *cp, const char *in, size_t in_len,
			  struct strbuf *out, struct strbuf *errout,
			  size_t max_out, struct err *err);
/* The file that exec would run for a bare name, by $PATH. */
char *locate_in_path(const char *name); /* caller frees; NULL if none */

#endif
