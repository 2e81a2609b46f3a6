/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage: deny CALL[,CALL...] COMMAND [ARG...]
 *
 * Runs the command where these system calls fail with EPERM, as in containers and services whose profile forbids them
 * (systemd's SystemCallFilter=~@sync). "list": the names it knows. 125: this system cannot do that, or has no such call.
 */
#include "compat/posix.h"
#if defined(__linux__) && defined(__x86_64__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define CALLS_MAX 32u

static const struct {
	const char *name;
	unsigned nr;
} calls[] = {
	{ "chmod", SYS_chmod }, { "clone3", SYS_clone3 }, { "copy_file_range", SYS_copy_file_range },
	{ "fadvise64", SYS_fadvise64 }, { "fallocate", SYS_fallocate }, { "fchmod", SYS_fchmod }, { "fchmodat", SYS_fchmodat },
	{ "fdatasync", SYS_fdatasync }, { "flock", SYS_flock }, { "fsetxattr", SYS_fsetxattr }, { "fsync", SYS_fsync },
	{ "fgetxattr", SYS_fgetxattr }, { "getrandom", SYS_getrandom }, { "getxattr", SYS_getxattr }, { "ioctl", SYS_ioctl },
	{ "landlock_create_ruleset", SYS_landlock_create_ruleset }, { "lgetxattr", SYS_lgetxattr },
	{ "linkat", SYS_linkat }, { "madvise", SYS_madvise }, { "memfd_create", SYS_memfd_create },
	{ "pidfd_open", SYS_pidfd_open }, { "pipe2", SYS_pipe2 }, { "prlimit64", SYS_prlimit64 }, { "readahead", SYS_readahead },
	{ "renameat2", SYS_renameat2 }, { "sched_getaffinity", SYS_sched_getaffinity }, { "sendfile", SYS_sendfile },
	{ "setsid", SYS_setsid }, { "splice", SYS_splice }, { "statx", SYS_statx }, { "sync", SYS_sync },
	{ "sync_file_range", SYS_sync_file_range }, { "syncfs", SYS_syncfs }, { "sysinfo", SYS_sysinfo },
	{ "umask", SYS_umask }, { "utimensat", SYS_utimensat }, { "vmsplice", SYS_vmsplice },
};

static unsigned number_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].nr;
	fprintf(stderr, "deny: no call '%s'\n", name);
	exit(125);
}

static int deny(unsigned *nrs, unsigned nr)
{
	struct sock_filter f[2 * CALLS_MAX + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog prog = { .len = 1, .filter = f };

	for (unsigned i = 0; i < nr; i++) {
		f[prog.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nrs[i], 0, 1);
		f[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
	f[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	unsigned nrs[CALLS_MAX], nr = 0;

	for (size_t i = 0; argc == 2 && !strcmp(argv[1], "list") && i < ARRAY_SIZE(calls); i++)
		puts(calls[i].name);
	if (argc < 3)
		return argc == 2 ? 0 : 125;
	for (char *name = strtok(argv[1], ","); name && nr < CALLS_MAX; name = strtok(NULL, ","))
		nrs[nr++] = number_of(name);
	if (deny(nrs, nr) < 0)
		return 125;
	execvp(argv[2], argv + 2);
	return 127;
}
#else
int main(void)
{
	return 125;
}
#endif
