/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage: confined [--free | --no-landlock | --no-seccomp | --share] REPOSITORY OUTSIDE PORT OBJECT
 *
 * Confines itself to a repository as upload-pack does, and then does what a client could want that has
 * taken the process over. Prints "refused NAME" or "done NAME" for each attempt, and "size N" of
 * the object at last. OUTSIDE: a directory with the files "file" and "socket", on which somebody
 * listens, as on the TCP port PORT of this machine. --free: without being confined; --share: as one that
 * shares packs, in OUTSIDE/cache, where the files "file" and "gone" are; "loose" is beside it.
 *
 * In the repository the files "old", "gone" and the directory "empty" are there to be harmed.
 */
#include "compat/posix.h"
#ifdef __linux__
#include <arpa/inet.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include "repo/confine.h"
#include "repo/enter.h"
#include "util/alloc.h"
#include "util/path.h"

static const char *outside;
static struct sockaddr_in tcp_address = { .sin_family = AF_INET };
static struct sockaddr_un unix_address = { .sun_family = AF_UNIX };
static int tcp, udp, local; /* sockets that are there before */

/* ---- attempts: -1 if it was refused ---- */

static long in_outside(const char *name, int flags)
{
	char *path = path_join(outside, name);
	int fd = open(path, flags, 0600);

	free(path);
	return fd;
}

/* Open, and get a byte of what is in it. */
static long read_from(const char *path)
{
	int fd = open(path, O_RDONLY);
	char c;

	return fd < 0 || read(fd, &c, 1) < 0 ? -1 : 0;
}

static long read_memory(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/mem", (long)pid);
	return open(path, O_RDONLY);
}

static long write_old(void) { return open("old", O_WRONLY); }
static long append_old(void) { return open("old", O_RDWR | O_APPEND); }
static long truncate_old(void) { return truncate("old", 0); }
static long create(void) { return open("new", O_RDWR | O_CREAT, 0600); }
static long create_outside(void) { return in_outside("new", O_WRONLY | O_CREAT); }
static long create_shared(void) { return in_outside("cache/new", O_RDWR | O_CREAT); }
static long write_shared(void) { return in_outside("cache/file", O_RDWR); }
static long remove_shared(void)
{
	char *path = path_join(outside, "cache/gone");
	int rc = unlinkat(AT_FDCWD, path, 0);

	free(path);
	return rc;
}
static long truncate_shared(void) { return in_outside("cache/file", O_RDWR | O_TRUNC); }
static long make_directory_shared(void)
{
	char *path = path_join(outside, "cache/dir");
	int rc = mkdir(path, 0700);

	free(path);
	return rc;
}
/* To where nothing may be made, and from where nothing may be taken. */
static long move_between(const char *from, const char *to)
{
	char *path = path_join(outside, from), *target = path_join(outside, to);
	int rc = renameat(AT_FDCWD, path, AT_FDCWD, target);

	free(path);
	free(target);
	return rc;
}
static long move_out_of_shared(void) { return move_between("cache/file", "moved"); }
static long move_into_shared(void) { return move_between("loose", "cache/moved"); }
static long link_into_shared(void)
{
	char *path = path_join(outside, "cache/linked");
	int rc = linkat(AT_FDCWD, "HEAD", AT_FDCWD, path, 0);

	free(path);
	return rc;
}
static long lock_file(void)
{
	struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1 };
	int fd = open("HEAD", O_RDONLY);

	return fd < 0 ? -1 : fcntl(fd, F_OFD_SETLK, &l);
}
static long create_unnamed(void) { return open(".", O_WRONLY | O_TMPFILE, 0600); }
static long write_outside(void) { return in_outside("file", O_WRONLY); }
static long remove_file(void) { return unlink("gone"); }
static long remove_directory(void) { return rmdir("empty"); }
static long rename_file(void) { return rename("old", "renamed"); }
static long link_file(void) { return link("HEAD", "linked"); }
static long link_symbolically(void) { return symlink("HEAD", "pointing"); }
static long make_directory(void) { return mkdir("made", 0700); }
static long make_fifo(void) { return mkfifo("fifo", 0600); }
static long change_mode(void) { return chmod("HEAD", 0666); }
static long change_owner(void) { return chown("HEAD", getuid(), getgid()); }
static long change_time(void) { return utimensat(AT_FDCWD, "HEAD", NULL, 0); }
/* Landlock knows no right for it: a file that may be read is enough. */
static long change_time_of_open_file(void)
{
	int fd = open("HEAD", O_RDONLY);

	return fd < 0 ? -1 : futimens(fd, NULL);
}
static long change_attribute(void) { return setxattr("HEAD", "user.x", "y", 1, 0); }

static long read_passwd(void) { return read_from("/etc/passwd"); }
static long read_outside(void) { return in_outside("file", O_RDONLY); }
static long list_outside(void) { return open(outside, O_RDONLY | O_DIRECTORY); }
static long list_above(void) { return open("../..", O_RDONLY | O_DIRECTORY); }
static long read_environment(void) { return read_from("/proc/self/environ"); }
static long read_own_memory(void) { return read_memory(getpid()); }
static long read_parents_memory(void) { return read_memory(getppid()); }

static long make_tcp_socket(void) { return socket(AF_INET, SOCK_STREAM, 0); }
static long make_unix_socket(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static long make_socket_pair(void)
{
	int fd[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
}
static long connect_tcp(void)
{
	return connect(tcp, (struct sockaddr *)&tcp_address, sizeof(tcp_address));
}
static long connect_unix(void)
{
	return connect(local, (struct sockaddr *)&unix_address, sizeof(unix_address));
}
static long send_udp(void)
{
	return sendto(udp, "x", 1, 0, (struct sockaddr *)&tcp_address, sizeof(tcp_address));
}
static long send_message(void)
{
	struct iovec piece = { (void *)"x", 1 };
	struct msghdr m = { .msg_name = &tcp_address, .msg_namelen = sizeof(tcp_address),
			    .msg_iov = &piece, .msg_iovlen = 1 };

	return sendmsg(udp, &m, 0);
}

static long fork_off(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}
static long clone_off(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		_exit(0);
	return pid < 0 ? -1 : waitpid((pid_t)pid, NULL, 0);
}
static long signal_parent(void) { return kill(getppid(), 0); }
static long signal_parents_thread(void) { return syscall(SYS_tgkill, getppid(), getppid(), 0); }
static long queue_to_parent(void)
{
	return sigqueue(getppid(), 0, (union sigval){ .sival_int = 0 });
}
static long trace_parent(void) { return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL); }
static long look_into_parent(void)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)unix_address.sun_path, 1 };

	/* its stack and ours are elsewhere: EFAULT is an answer, too */
	return process_vm_readv(getppid(), &here, 1, &there, 1, 0) < 0 && errno != EFAULT ? -1 : 0;
}
static long open_pid(void) { return syscall(434 /* pidfd_open */, getppid(), 0); }
static long raise_limit(void)
{
	struct rlimit l = { 100, 100 };

	return setrlimit(RLIMIT_NOFILE, &l);
}

static long map_executable(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? -1 : 0;
}
static long make_executable(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mprotect(p, 4096, PROT_READ | PROT_EXEC);
}
static long change_root(void) { return chroot("/"); }
static long new_namespace(void) { return unshare(CLONE_NEWUTS); }
static long read_key(void)
{
	return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 1);
}
static long make_memory_file(void) { return memfd_create("x", 0); }
static long make_ring(void)
{
	char params[256] = { 0 };

	return syscall(425 /* io_uring_setup */, 1, params);
}
static long set_owner(void) { return fcntl(udp, F_SETOWN, getpid()); }
static long ask_for_bytes(void)
{
	int n;

	return ioctl(udp, FIONREAD, &n);
}
/* Does not come back, except when it is refused. */
static long execute(void)
{
	fflush(stdout);
	return execl("/bin/sh", "sh", "-c", "echo done execute", NULL);
}

static const struct {
	const char *name;
	long (*attempt)(void);
} attempts[] = {
#define TRY(name) { #name, name }
	TRY(write_old), TRY(append_old), TRY(truncate_old), TRY(create), TRY(create_outside),
	TRY(create_shared), TRY(write_shared), TRY(remove_shared), TRY(truncate_shared),
	TRY(make_directory_shared), TRY(move_out_of_shared), TRY(move_into_shared),
	TRY(link_into_shared), TRY(lock_file),
	TRY(create_unnamed), TRY(write_outside), TRY(remove_file), TRY(remove_directory),
	TRY(rename_file), TRY(link_file), TRY(link_symbolically), TRY(make_directory),
	TRY(make_fifo), TRY(change_mode), TRY(change_owner), TRY(change_time), TRY(change_time_of_open_file),
	TRY(change_attribute),
	TRY(read_passwd), TRY(read_outside), TRY(list_outside), TRY(list_above),
	TRY(read_environment), TRY(read_own_memory), TRY(read_parents_memory),
	TRY(make_tcp_socket), TRY(make_unix_socket), TRY(make_socket_pair), TRY(connect_tcp),
	TRY(connect_unix), TRY(send_udp), TRY(send_message),
	TRY(fork_off), TRY(clone_off), TRY(signal_parent), TRY(signal_parents_thread),
	TRY(queue_to_parent), TRY(trace_parent), TRY(look_into_parent), TRY(open_pid),
	TRY(raise_limit), TRY(map_executable), TRY(make_executable), TRY(change_root),
	TRY(new_namespace), TRY(read_key), TRY(make_memory_file),
	TRY(make_ring), TRY(set_owner), TRY(ask_for_bytes), TRY(execute),
};

/* ---- from begin to end ---- */

static void prepare(const char *port)
{
	tcp_address.sin_port = htons((uint16_t)atoi(port));
	tcp_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	snprintf(unix_address.sun_path, sizeof(unix_address.sun_path), "%s/socket", outside);
	tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int confine(struct repository *r, const char *how, struct err *err)
{
	struct sandbox s;
	char *cache = path_join(outside, "cache");
	int rc = how && !strcmp(how, "--free") ? 0 : sandbox_probe(&s, SANDBOX_AUTO, err);

	if (rc > 0) {
		if (how && !strcmp(how, "--no-landlock"))
			s.landlock = 0;
		if (how && !strcmp(how, "--no-seccomp"))
			s.seccomp = false;
		if (how && !strcmp(how, "--share"))
			s.private_dir = cache;
		printf("landlock %d\nseccomp %d\n", s.landlock, s.seccomp);
		rc = repo_confine(r, &s, -1, err);
	}
	free(cache);
	return rc;
}

static int print_size(struct repository *r, const char *hex, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct object_id oid;
	int rc = oid_from_hex(&oid, hex, r->algo);

	if (!rc)
		rc = odb_read(r->odb, &oid, &buf, err);
	if (!rc)
		printf("size %zu\n", (size_t)buf.size);
	object_buf_release(&buf);
	return rc;
}

int main(int argc, char **argv)
{
	const char *how = argc == 6 ? argv[1] : NULL;
	struct err err = ERR_INIT;
	struct repository *r = NULL;
	int rc;

	argv += argc == 6;
	if (argc != 5 && argc != 6)
		return 129;
	outside = path_real(argv[2], 0);
	prepare(argv[3]);
	rc = repo_enter(argv[1], 0, NULL, &err);
	if (!rc)
		rc = repo_open_at(&r, ".", NULL, &err);
	if (!rc)
		rc = confine(r, how, &err);
	if (!rc)
		rc = print_size(r, argv[4], &err);
	for (size_t i = 0; i < ARRAY_SIZE(attempts) && !rc; i++)
		printf("%s %s\n", attempts[i].attempt() < 0 ? "refused" : "done", attempts[i].name);
	if (rc < 0)
		fprintf(stderr, "error: %s\n", err_message(&err));
	fflush(stdout);
	_exit(rc < 0);
}

#else

int main(void)
{
	fprintf(stderr, "error: there is nothing to confine a process with\n");
	return 1;
}

#endif
