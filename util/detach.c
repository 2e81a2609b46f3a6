/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/detach.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include "compat/syscalls.h"
#include "util/trace2.h"

/* What we have opened ourselves is O_CLOEXEC; anything else came from whoever started us. */
static void leave_inherited(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *de;

	while (d && (de = readdir(d))) {
		int fd = atoi(de->d_name), flags = fd > 2 ? fcntl(fd, F_GETFD) : -1;

		if (flags >= 0 && !(flags & FD_CLOEXEC))
			close(fd);
	}
	if (d)
		closedir(d);
}

/* Whoever waits for the end of these must not wait for us. */
static bool leave_streams(void)
{
	int fd = open("/dev/null", O_RDWR /* check-calls: a device */ | O_CLOEXEC);
	bool ok = fd >= 0;

	for (int i = 0; i < 3 && ok; i++)
		ok = dup2(fd, i) == i;
	if (fd > 2)
		close(fd);
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
		leave_inherited();
		return 0;
	}
	if (RETRY_EINTR(waitpid(pid, &status, 0)) < 0 || status)
		return err_set(err, ERR_GENERIC, "cannot start a process");
	return 1;
}
