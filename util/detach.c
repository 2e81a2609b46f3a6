/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/detach.h"
#include <sys/wait.h>
#include "compat/os.h"
#include "compat/syscalls.h"
#include "util/trace2.h"

static bool detach_keeps_none(int fd UNUSED)
{
	return false;
}

/* A program that waits for the end of these streams must not wait for the new process. */
static bool leave_streams(void)
{
	bool ok = true;

	for (int i = 0; i < 3 && ok; i++)
		ok = os_redirect_to_null(i) >= 0;
	return ok;
}

int process_detach(struct err *err)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return err_set_errno(err, "cannot start a process");
	if (!pid) {
		/* Its child is the new process: it has no parent that would have to await it. */
		if (setsid() < 0 || !leave_streams() || (pid = fork()) < 0)
			_exit(1);
		if (pid)
			_exit(0);
		trace2_stop();
		os_close_inherited(detach_keeps_none);
		return 0;
	}
	if (RETRY_EINTR(waitpid(pid, &status, 0)) < 0 || status)
		return err_set(err, ERR_GENERIC, "cannot start a process");
	return 1;
}
