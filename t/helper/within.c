/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * within SECONDS CMD...: run CMD, and end it if it hangs. Exit code: that of CMD, 128 + N if signal N ended it,
 * 124 if it was ended here.
 *
 * The limit is no time on a clock: a test takes longer on a loaded machine, and must not fail for that. A second
 * counts as the part of it that a process could have had of a processor: 1 / 10 where twenty processes want to run
 * on two processors. What hangs reaches the limit on each machine.
 */
#include "compat/posix.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define GRACE 10 /* seconds between SIGTERM and SIGKILL */

/* The part of a processor that a process gets now; 1 if unknown. */
static double share(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	double load;

	if (processors < 1 || getloadavg(&load, 1) != 1 || load <= (double)processors)
		return 1;
	return (double)processors / load;
}

/* Wait for the child, until the limit: false. */
static bool wait_within(pid_t pid, double limit, int *status)
{
	const struct timespec second = { 1, 0 };
	sigset_t child;
	double used = 0;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (waitpid(pid, status, WNOHANG) == 0) {
		if (used >= limit)
			return false;
		if (sigtimedwait(&child, NULL, &second) < 0)
			used += share();
	}
	return true;
}

int main(int argc, char **argv)
{
	double limit = argc > 2 ? strtod(argv[1], NULL) : 0;
	sigset_t child, before;
	int status = 0;
	pid_t pid;

	if (limit <= 0) {
		fputs("usage: within SECONDS CMD...\n", stderr);
		return 125;
	}
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	pid = fork();
	if (!pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0) {
		perror("fork");
		return 125;
	}
	if (!wait_within(pid, limit, &status)) {
		kill(pid, SIGTERM);
		if (!wait_within(pid, GRACE, &status))
			kill(pid, SIGKILL);
		return 124;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
