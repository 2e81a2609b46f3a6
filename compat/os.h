/* SPDX-License-Identifier: GPL-2.0-only */
/* Small services of the operating system whose names differ between systems. */
#ifndef COMPAT_OS_H
#define COMPAT_OS_H

#include "compat/posix.h"
#include <spawn.h>

/* Number of processors that this process may run on; at least 1. */
int os_cpu_count(void);
/* Size of the machine's memory, at most SIZE_MAX / 2. Larger objects are not read. */
uint64_t os_memory_bytes(void);
/*
 * Make room for `nr` descriptors in the kernel's table. If the table of a process with several
 * threads grows later, Linux waits until all processors have noticed that: 10 ms and more.
 */
void os_reserve_descriptors(int nr);
/*
 * The number of seconds after which the kernel has written data and names to the disk by itself. It
 * is twice the kernel's settings (vm.dirty_expire_centisecs and vm.dirty_writeback_centisecs). If
 * the kernel never writes by itself, it is the time since the machine was started. The environment
 * variable GIT_TEST_YOUNG_SECONDS overrides it.
 */
long os_dirty_seconds(void);

/*
 * Can a file be renamed from one of these directories to the other? False for different file
 * systems, and for different mounts of one (a bind mount) if the system can tell them apart.
 */
bool os_same_mount(const char *a, const char *b);

/* When the open file was created, in seconds; -1: not known. */
time_t os_birth_time(int fd);

/* Make reads and writes return EAGAIN instead of waiting. False: they did so before, or fd is no descriptor. */
bool os_set_nonblocking(int fd);
/* pipe(2) with both ends close-on-exec. */
int os_pipe(int fd[2]);

/* A descriptor that can be read once the child has ended; close-on-exec. -1: the system has none. */
int os_open_process(pid_t pid);

/* After its other actions the child closes all descriptors from `first` on, if the system can do that. An errno. */
int os_spawn_close_from(posix_spawn_file_actions_t *actions, int first);
/* The child starts in this directory. An errno; ENOSYS: the system cannot do that. */
int os_spawn_chdir(posix_spawn_file_actions_t *actions, const char *dir);
/* As posix_spawnattr_setflags; new_session: the child calls setsid. An errno; ENOSYS: the system cannot do that. */
int os_spawn_set_flags(posix_spawnattr_t *attr, short flags, bool new_session);

/* Is this the errno of an open with O_NOFOLLOW that found a symbolic link? */
bool os_is_nofollow_error(int errnum);

/*
 * Go on in a child without a terminal. Its standard input, output and error are /dev/null, so that
 * the program that started us does not wait for it. Returns 0 in the child and its process id in the
 * parent; -1: errno. Call it before any thread is started.
 */
pid_t os_detach(void);

/* Open a file without a name, in memory if the system can do that; close-on-exec. -1: errno. */
int os_unnamed_file(void);
/* Let a pipe hold at least so many bytes, if the system can do that and permits it. */
void os_enlarge_pipe(int fd, size_t bytes);

/*
 * Use large pages for memory that has not been touched yet, and that will be read and written at random places.
 * This saves page faults and misses of the page tables. Does nothing for small memory, or if the system has no
 * large pages.
 */
void os_prefer_large_pages(void *p, size_t len);

/* Is this a build with a sanitizer? Its runtime needs more system calls and memory than we do. */
bool os_has_sanitizer(void);
/*
 * Close the descriptors above 2 that this process inherited. These are all that are not
 * close-on-exec, since our own descriptors are. A descriptor for which keep returns true stays open.
 */
void os_close_inherited(bool (*keep)(int fd));
/* After a fork: close all descriptors except `fds` and those for which keep returns true. */
void os_close_others(const int *fds, size_t nr, bool (*keep)(int fd));
/* Redirect fd to /dev/null; -1: errno. */
int os_redirect_to_null(int fd);
/* No dump of memory if the process crashes. */
void os_forbid_core_dumps(void);

/*
 * The id of this boot of the machine: 36 characters and a NUL. False: the system has none.
 */
#define OS_BOOT_ID_LEN 36
bool os_boot_id(char out[OS_BOOT_ID_LEN + 1]);

/*
 * Wait until another process calls os_word_wake for this word, or until the time is over. It returns at once if
 * the word is not `seen`, and sometimes without a reason. The word lies in a page that the processes have mapped
 * MAP_SHARED (NULL: there is none). Only the kernel reads the page, so a page that cannot be read, or lies beyond
 * the end of its file, causes no signal. Without such words (not Linux) it sleeps for at most 20 ms.
 */
void os_word_wait(const uint32_t *word, uint32_t seen, int64_t timeout_ms);
void os_word_wake(const uint32_t *word);

/* Give memory that any thread has freed back to the system now, if that is possible. */
void os_release_memory(void);
/* For a command that ends soon: memory that is freed and allocated again and again stays with the process. */
void os_keep_memory(void);

/*
 * 64 random bits, for hash seeds and names of temporary files; not for keys. Never fails:
 * without an entropy call, time, process id and an address are mixed. Thread-safe.
 */
uint64_t os_random64(void);
/* nr of them, by one system call; at most 32. */
void os_random64_fill(uint64_t *out, size_t nr);

#endif
