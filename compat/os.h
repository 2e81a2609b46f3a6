/* SPDX-License-Identifier: GPL-2.0-only */
/* Small services of the operating system whose names differ between systems. */
#ifndef COMPAT_OS_H
#define COMPAT_OS_H

#include "compat/posix.h"
#include <spawn.h>

/* Number of processors that this process may run on; at least 1. */
int os_cpu_count(void);
/* Of the machine; objects larger than that are not read. At most SIZE_MAX / 2. */
uint64_t os_memory_bytes(void);
/*
 * Make room for `nr` descriptors in the kernel's table. When the table of a process that has
 * several threads grows later, Linux waits until all processors have noticed: 10 ms and more.
 */
void os_reserve_descriptors(int nr);
/*
 * What was written to a file so many seconds ago, or earlier, has been written to the disk by the
 * kernel itself by now, names included: its settings (vm.dirty_expire_centisecs and
 * vm.dirty_writeback_centisecs), and as much again. All since the machine was started, if it
 * never does. GIT_TEST_YOUNG_SECONDS overrides it.
 */
long os_dirty_seconds(void);

/*
 * Can a file be renamed from one of these directories to the other? Not across file systems, and
 * not across mounts of one (a bind mount), where the system tells them apart.
 */
bool os_same_mount(const char *a, const char *b);

/* When an open file was made, in seconds; -1: that is not known. */
time_t os_birth_time(int fd);

/* Reads and writes of it do not wait (EAGAIN). False: they did not before either, or it is no descriptor. */
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
 * Go on in a child that belongs to no terminal and has nothing open that whoever started us might wait
 * for: standard input, output and error are /dev/null there. 0 in the child; its process id in the
 * parent; -1: errno. Before any thread is started.
 */
pid_t os_detach(void);

/* A file without a name, in memory where the system can do that; close-on-exec. -1: errno. */
int os_unnamed_file(void);
/* Let a pipe hold at least so many bytes, if the system can do that and permits it. Others stay as they are. */
void os_enlarge_pipe(int fd, size_t bytes);

/*
 * Memory that is read and written here and there, and has not been touched yet, is better in large pages,
 * where the system has them: fewer faults, and its tables of pages are at hand. Of small memory nothing is done.
 */
void os_prefer_large_pages(void *p, size_t len);

/* Is this a build with a sanitizer, whose runtime needs more than we do? */
bool os_has_sanitizer(void);
/*
 * Close the descriptors above 2 that this process was started with: those that are not
 * close-on-exec, since all of ours are. keep (of one of them) says which stay.
 */
void os_close_inherited(bool (*keep)(int fd));
/* All of them but these, after a fork: what the other process has open is not for this one. */
void os_close_others(const int *fds, size_t nr, bool (*keep)(int fd));
/* Read and write nothing there from now on; -1: errno. */
int os_redirect_to_null(int fd);
/* No dump of memory if the process crashes. */
void os_forbid_core_dumps(void);

/*
 * This boot of the machine: 36 characters and a NUL. False where the system does not tell.
 */
#define OS_BOOT_ID_LEN 36
bool os_boot_id(char out[OS_BOOT_ID_LEN + 1]);

/*
 * Wait until another process wakes those who wait for this word, or for the time; also returns at
 * once if the word is not `seen`, and now and then for no reason. It lies in a page that processes have mapped
 * MAP_SHARED (NULL: none). The page is read by the kernel alone, so one that cannot be read, or is beyond the
 * end of its file, is no signal. Without such words (not Linux) it sleeps for at most 20 ms.
 */
void os_word_wait(const uint32_t *word, uint32_t seen, int64_t timeout_ms);
void os_word_wake(const uint32_t *word);

/* Memory that has been freed, by any thread, goes back to the system now, where that is possible. */
void os_release_memory(void);

/*
 * 64 random bits, for hash seeds and names of temporary files; not for keys. Never fails:
 * without an entropy call, time, process id and an address are mixed. Thread-safe.
 */
uint64_t os_random64(void);
/* nr of them, by one system call; at most 32. */
void os_random64_fill(uint64_t *out, size_t nr);

#endif
