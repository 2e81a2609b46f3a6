/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "compat/os.h"
#include "compat/seccomp.h"
#if defined(__linux__) && __has_include(<linux/seccomp.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

/* Processors whose calls have their arguments where the checks below look. */
#if defined(SYS_seccomp) && defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(SYS_seccomp) && defined(__aarch64__) && defined(__AARCH64EL__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(SYS_seccomp) && defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifdef ARCHITECTURE

/* ---- allowed calls ---- */

/* Allowed with all arguments. The process only has descriptors that were open, and files that it may read. */
static const int allowed[] = {
	/* read and write */
	SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_write, SYS_writev, SYS_pwrite64, SYS_lseek, SYS_close,
	SYS_fadvise64, SYS_readahead,
	/* look at files */
	SYS_fstat, SYS_statx, SYS_fstatfs, SYS_statfs, SYS_faccessat, SYS_readlinkat,
	SYS_getdents64, SYS_getcwd,
#ifdef SYS_newfstatat
	SYS_newfstatat,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
#ifdef SYS_stat /* old names, which newer processors do not have */
	SYS_stat, SYS_lstat, SYS_access, SYS_readlink,
#endif
	/* memory; mmap and mprotect: below */
	SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk,
	/* threads; clone: below */
	SYS_futex, SYS_set_robust_list, SYS_exit, SYS_exit_group, SYS_sched_yield,
	SYS_sched_getaffinity,
#ifdef SYS_rseq
	SYS_rseq,
#endif
	/* signals to oneself; tgkill: below */
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending,
	SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_restart_syscall,
	/* wait */
	SYS_ppoll, SYS_pselect6, SYS_nanosleep, SYS_clock_nanosleep, SYS_wait4,
#ifdef SYS_poll
	SYS_poll, SYS_select, SYS_alarm,
#endif
	SYS_setitimer,
	/* ask */
	SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_getrandom, SYS_getpid,
	SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname,
	SYS_sysinfo, SYS_getrusage,
#ifdef SYS_time
	SYS_time,
#endif
};

/* Also allowed if seccomp_rights.files is set. */
static const int allowed_with_files[] = {
	SYS_linkat, SYS_unlinkat, SYS_renameat2, SYS_dup3, SYS_setsid,
	SYS_set_tid_address,
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_dup2
	SYS_dup2,
#endif
#ifdef SYS_fork
	SYS_fork,
#endif
};

/* Also allowed if seccomp_rights.tree is set. */
static const int allowed_with_tree[] = {
	SYS_linkat, SYS_unlinkat, SYS_renameat2, SYS_mkdirat, SYS_ftruncate, SYS_fallocate,
	SYS_fsync, SYS_fdatasync,
#ifdef SYS_sync_file_range
	SYS_sync_file_range,
#endif
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_rename /* old names */
	SYS_rename, SYS_mkdir, SYS_unlink, SYS_rmdir, SYS_link,
#endif
};

/* Newer calls than this list knows do not exist; neither does one whose flags are in memory. */
#define NEWEST_KNOWN 450

/* ---- the filter ---- */

#define FILTER_MAX 512

struct filter {
	struct sock_filter code[FILTER_MAX];
	unsigned short len;
};

static void add(struct filter *f, struct sock_filter instruction)
{
	if (f->len == FILTER_MAX)
		abort(); /* the lists are longer than they may be */
	f->code[f->len++] = instruction;
}

#define LOAD(offset) \
	(struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(offset))
#define RETURN(action) (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (action))
/* If the value that was loaded is so, go on; else skip `n` instructions. */
#define UNLESS_EQUAL_SKIP(value, n) \
	(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), 0, (n))
#define UNLESS_ABOVE_SKIP(value, n) \
	(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (unsigned)(value), 0, (n))
#define UNLESS_ANY_BIT_SKIP(bits, n) \
	(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (unsigned)(bits), 0, (n))
#define REFUSE(code) RETURN(SECCOMP_RET_ERRNO | (code))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)

/* All arguments that are looked at are ints or flags, in the lower half of 64 bits. */
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + 8 * (n))

/* The call, unless its n-th argument has any of these bits. */
static void allow_without_bits(struct filter *f, int call, unsigned n, unsigned bits, int failure)
{
	add(f, UNLESS_EQUAL_SKIP(call, 4));
	add(f, LOAD(ARGUMENT(n)));
	add(f, UNLESS_ANY_BIT_SKIP(bits, 1));
	add(f, REFUSE((unsigned)failure));
	add(f, ALLOW);
}

/* The call, if its n-th argument is one of these. */
static void allow_values(struct filter *f, int call, unsigned n, const unsigned *values,
			 size_t nr, int failure)
{
	add(f, UNLESS_EQUAL_SKIP(call, 2 + 2 * nr));
	add(f, LOAD(ARGUMENT(n)));
	for (size_t i = 0; i < nr; i++) {
		add(f, UNLESS_EQUAL_SKIP(values[i], 1));
		add(f, ALLOW);
	}
	add(f, REFUSE((unsigned)failure));
}

static void allow_value(struct filter *f, int call, unsigned n, unsigned value, int failure)
{
	allow_values(f, call, n, &value, 1, failure);
}

/*
 * New threads of this process, perhaps processes, never namespaces. clone3 has its flags in memory.
 */
static void allow_threads(struct filter *f, bool processes)
{
	const unsigned never = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
			       CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_PTRACE;

	add(f, UNLESS_EQUAL_SKIP(SYS_clone, 6));
	add(f, LOAD(ARGUMENT(0)));
	add(f, UNLESS_ANY_BIT_SKIP(processes ? ~0u : CLONE_THREAD, 3));
	add(f, UNLESS_ANY_BIT_SKIP(never, 1));
	add(f, REFUSE(EPERM));
	add(f, ALLOW);
	add(f, REFUSE(EPERM));
#ifdef SYS_clone3
	add(f, UNLESS_EQUAL_SKIP(SYS_clone3, 1));
	add(f, REFUSE(ENOSYS));
#endif
}

/* The call, if its n-th argument, a pointer, is none. */
static void allow_without_pointer(struct filter *f, int call, unsigned n)
{
	add(f, UNLESS_EQUAL_SKIP(call, 6));
	add(f, LOAD(ARGUMENT(n)));
	add(f, UNLESS_EQUAL_SKIP(0, 3));
	add(f, LOAD(ARGUMENT(n) + 4));
	add(f, UNLESS_EQUAL_SKIP(0, 1));
	add(f, ALLOW);
	add(f, REFUSE(EPERM));
}

/* Calls that depend on their arguments; before the others, since some are frequent. */
static void add_checked(struct filter *f, const struct seccomp_rights *r)
{
	static const unsigned fcntl_commands[] = { F_GETFD, F_SETFD, F_GETFL, F_SETFL,
						   F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ,
						   /* with locks: */ F_OFD_SETLK, F_OFD_GETLK };
	const size_t nr_fcntl = ARRAY_SIZE(fcntl_commands) - (r->locks ? 0 : 2);
	static const unsigned prctl_options[] = { PR_SET_NAME, PR_GET_NAME,
						  0x53564d41 /* PR_SET_VMA: names of memory */ };
	const unsigned never = O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
	const unsigned refused = never | (r->files || r->tree ? 0 : O_ACCMODE | O_CREAT);

	allow_without_bits(f, SYS_openat, 2, refused, EACCES);
#ifdef SYS_open
	allow_without_bits(f, SYS_open, 1, refused, EACCES);
#endif
	allow_without_bits(f, SYS_mmap, 2, PROT_EXEC, EPERM);
	allow_without_bits(f, SYS_mprotect, 2, PROT_EXEC, EPERM);
	allow_threads(f, r->files);
	allow_values(f, SYS_fcntl, 1, fcntl_commands, nr_fcntl, EPERM);
	allow_values(f, SYS_prctl, 0, prctl_options, ARRAY_SIZE(prctl_options), EPERM);
	allow_value(f, SYS_tgkill, 0, (unsigned)getpid(), EPERM); /* abort(3) */
	allow_without_pointer(f, SYS_prlimit64, 2); /* limits may be read, a new value is none */
	if (r->messages >= 0) {
		allow_value(f, SYS_sendmsg, 0, (unsigned)r->messages, EPERM);
		allow_value(f, SYS_recvmsg, 0, (unsigned)r->messages, EPERM);
	}
}

static void add_calls(struct filter *f, const int *calls, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		add(f, UNLESS_EQUAL_SKIP(calls[i], 1));
		add(f, ALLOW);
	}
}

static void filter_make(struct filter *f, const struct seccomp_rights *r)
{
	f->len = 0;
	add(f, LOAD(offsetof(struct seccomp_data, arch)));
	add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
	add(f, REFUSE(ENOSYS)); /* a call of the 32 bit kind */
	add(f, LOAD(offsetof(struct seccomp_data, nr)));
	add_checked(f, r);
	add_calls(f, allowed, ARRAY_SIZE(allowed));
	if (r->files)
		add_calls(f, allowed_with_files, ARRAY_SIZE(allowed_with_files));
	if (r->tree)
		add_calls(f, allowed_with_tree, ARRAY_SIZE(allowed_with_tree));
	add(f, UNLESS_ABOVE_SKIP(NEWEST_KNOWN, 1));
	add(f, REFUSE(ENOSYS));
	add(f, REFUSE(EPERM));
}

bool seccomp_is_available(void)
{
	const unsigned action = SECCOMP_RET_ERRNO;

	if (!os_has_sanitizer())
		return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
	errno = EOPNOTSUPP;
	return false;
}

int seccomp_enforce(const struct seccomp_rights *r)
{
	struct filter f;
	struct sock_fprog program = { .filter = f.code };
	long rc;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	filter_make(&f, r);
	program.len = f.len;
	rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
	if (rc > 0)
		errno = EBUSY; /* a thread has rules of its own */
	return rc ? -1 : 0;
}

int seccomp_hide_clone3(void)
{
#ifdef SYS_clone3
	/* If several filters refuse a call, the errno of the newest one counts. */
	struct sock_filter code[] = {
		LOAD(offsetof(struct seccomp_data, arch)), UNLESS_EQUAL_SKIP(ARCHITECTURE, 3),
		LOAD(offsetof(struct seccomp_data, nr)),   UNLESS_EQUAL_SKIP(SYS_clone3, 1),
		REFUSE(ENOSYS),				   ALLOW,
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };

	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		return 0;
	if (errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) ? -1 : 0;
#else
	errno = ENOSYS;
	return -1;
#endif
}

#else

bool seccomp_is_available(void)
{
	errno = ENOSYS;
	return false;
}

int seccomp_enforce(const struct seccomp_rights *r UNUSED)
{
	errno = ENOSYS;
	return -1;
}

int seccomp_hide_clone3(void)
{
	errno = ENOSYS;
	return -1;
}

#endif
