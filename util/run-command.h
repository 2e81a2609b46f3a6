/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Child processes: hooks, filters, editors, pagers, signing programs, aliases. Started by
 * posix_spawn. Apart from stdin, stdout and stderr the child inherits no descriptors, since
 * all of ours are O_CLOEXEC.
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
	/* 0: inherit; -1: create a pipe and store our end here; else: give the descriptor to the child and close ours */
	int in, out, err;
	bool no_stdin; /* /dev/null instead */
	bool stdout_to_stderr;
	/*
	 * Run in a session of its own, with /dev/null as stdin, stdout and stderr and no other descriptor,
	 * as far as the system can do that. Neither we nor our parent wait for it.
	 */
	bool detach;
	bool use_shell;	    /* args.v[0] is a shell command line, the rest its "$@" */

	int trace2_id;
};
#define CHILD_PROCESS_INIT { .args = STRVEC_INIT, .env = STRVEC_INIT }

void child_process_init(struct child_process *cp);
void child_process_release(struct child_process *cp);
/*
 * ERR_NOT_FOUND if there is no such program ("cannot run NAME: No such file..."). The program
 * is searched in our PATH; a file that exec cannot handle is run by the shell. The child has
 * the default action for SIGPIPE and the signal mask that we were started with. Descriptors
 * in `in`, `out` and `err` are closed even on failure; args and env stay allocated until
 * child_process_release. ERR_ABORTED if 100 of our processes have started each other: an alias,
 * a helper or a hook that leads back to itself must not fill the machine with processes. The
 * environment variable SLUICE_NESTING carries the count.
 */
MUST_USE int start_command(struct child_process *cp, struct err *err);
/* Waits. Exit code 0..255; 128 + signal if killed; < 0 if waiting failed. */
int finish_command(struct child_process *cp);
/* start + finish + release. < 0: could not be started; else the exit code. */
MUST_USE int run_command(struct child_process *cp, struct err *err);
/*
 * Write `in` to the child (NULL: cp->in is used), append its stdout to `out` and its stderr
 * to `errout` (each may be NULL), without deadlock. Returns what run_command does. More than
 * max_out bytes (0: no limit) in either is ERR_TOO_BIG. A child that does not read all of its
 * input is not an error.
 */
MUST_USE int pipe_command(struct child_process *cp, const char *in, size_t in_len,
			  struct strbuf *out, struct strbuf *errout,
			  size_t max_out, struct err *err);
/* The same limit for a program that replaces this process: call it before exec. */
MUST_USE int nesting_before_exec(const char *name, struct err *err);
/* The path of a program in $PATH. Caller frees; NULL: there is none. */
char *locate_in_path(const char *name);

#endif
