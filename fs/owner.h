/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which process made this? Lock files carry the answer in an extended
 * attribute, temporary object directories in their name. It can be proved that
 * an owner is gone, never guessed: another boot of this machine, or no such process
 * (pid and start time) in the same pid and time namespace.
 */
#ifndef FS_OWNER_H
#define FS_OWNER_H

#include "compat/posix.h"

enum lock_owner { LOCK_OWNER_UNKNOWN, LOCK_OWNER_ALIVE, LOCK_OWNER_GONE };

struct owner {
	uint64_t boot;		  /* first half of the boot id */
	uint64_t pid_ns, time_ns; /* inodes of the namespaces */
	uint64_t start;		  /* clock ticks after boot */
	pid_t pid;
};

/*
 * 64 bytes of text without the NUL fit into an inode of ext4 next to the
 * attribute's name; more would cost a block for each lock.
 */
#define OWNER_TEXT_MAX 64

/* False where the system does not tell enough (no /proc). Cheap after the first call. */
bool owner_self(struct owner *out);
/* Fields joined by `sep`; the length, < OWNER_TEXT_MAX. 0: does not fit. */
size_t owner_format(char out[OWNER_TEXT_MAX + 1], const struct owner *o, char sep);
/* `len` bytes at text; stops at their end. False if it is not ours. */
bool owner_parse(struct owner *out, const char *text, size_t len, char sep);
/* made_at: the ctime of what bears the mark, in seconds; 0: not known. */
enum lock_owner owner_state(const struct owner *o, time_t made_at);
/*
 * Is it one machine that uses this file system? On network file systems the
 * owner may live elsewhere, and another boot id proves nothing.
 */
bool owner_is_provable_on(int fd);

#endif
