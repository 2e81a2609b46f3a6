/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Full writes, and the values of core.fsync and core.fsyncMethod. Git developers look for the name
 * of this file, but no function in it dies: each returns its error.
 */
#ifndef WRITE_OR_DIE_H
#define WRITE_OR_DIE_H

#include "compat/posix.h"
#include "util/err.h"
#include "util/strbuf.h"

/* Components of core.fsync (git-config(1)). */
enum fsync_component {
	FSYNC_LOOSE_OBJECT = 1 << 0,
	FSYNC_PACK = 1 << 1,
	FSYNC_PACK_METADATA = 1 << 2,
	FSYNC_COMMIT_GRAPH = 1 << 3,
	FSYNC_INDEX = 1 << 4,
	FSYNC_REFERENCE = 1 << 5,
	FSYNC_OBJECT_MAP = 1 << 6,
	/*
	 * Files that no word of core.fsync covers: config files, HEAD and description
	 * of a new repository, info/… Durable unless core.fsync is "none".
	 */
	FSYNC_OTHER = 1 << 7,
	/*
	 * Contents of files of the working tree. core.fsync has no word for them: they are covered where both the
	 * index and the refs are, which name them.
	 */
	FSYNC_WORKTREE = FSYNC_INDEX | FSYNC_REFERENCE,
};
#define FSYNC_OBJECTS (FSYNC_LOOSE_OBJECT | FSYNC_PACK)
#define FSYNC_DERIVED_METADATA (FSYNC_PACK_METADATA | FSYNC_COMMIT_GRAPH)
#define FSYNC_COMMITTED FSYNC_OBJECTS
#define FSYNC_ADDED (FSYNC_COMMITTED | FSYNC_INDEX)
#define FSYNC_ALL 0xffu
/* Durable by default: Git's own default is smaller. The word "default" in a
 * value keeps Git's meaning. */
#define FSYNC_SLUICE_DEFAULT FSYNC_ALL

enum fsync_method {
	FSYNC_METHOD_BATCH = 0, /* our default */
	FSYNC_METHOD_FSYNC,
	FSYNC_METHOD_WRITEOUT_ONLY,
};

struct fsync_policy {
	unsigned components; /* set of enum fsync_component */
	enum fsync_method method;
};
#define FSYNC_POLICY_DEFAULT { FSYNC_SLUICE_DEFAULT, FSYNC_METHOD_BATCH }

/*
 * Parse a value of core.fsync, left to right, into *components. As in Git the
 * set starts from Git's default ("pack,pack-metadata,commit-graph"), "none"
 * empties it, and an empty value means the default of the program, here
 * FSYNC_SLUICE_DEFAULT. FSYNC_OTHER is in the set unless the set ends up empty. An
 * unknown word is ignored, and reported by one call of warn(data, word).
 */
void fsync_components_parse(const char *value, unsigned *components,
			    void (*warn)(void *data, const char *word), void *data);
/* "fsync", "writeout-only", "batch"; -1 if unknown. */
int fsync_method_parse(const char *value, enum fsync_method *out);
/* GIT_TEST_FSYNC=0 in the environment: no flush, no writeout at all. */
bool fsync_disabled_by_environment(void);

/*
 * Write all of buf, across short writes and EINTR. After EAGAIN it waits with poll. `what`: the
 * path or description for the message.
 */
MUST_USE int write_in_full(int fd, const void *buf, size_t len, const char *what,
			   struct err *err);
/*
 * The same for a vector; honours IOV_MAX and MAX_IO_SIZE. `iov` is scratch
 * afterwards.
 */
MUST_USE int writev_in_full(int fd, struct iovec *iov, int iovcnt, const char *what,
			    struct err *err);
/*
 * The same to a peer that may have stopped reading: ERR_IO "...: nothing has been read for N seconds" if no
 * byte can be written for timeout_s seconds (0: wait for ever). The descriptor must not block (os_set_nonblocking).
 */
MUST_USE int write_to_peer(int fd, const void *buf, size_t len, unsigned timeout_s, const char *what,
			   struct err *err);
MUST_USE int writev_to_peer(int fd, struct iovec *iov, int iovcnt, unsigned timeout_s,
			    const char *what, struct err *err);
/* All of buf at that offset, in the same way; the descriptor's own position stays. */
MUST_USE int pwrite_in_full(int fd, const void *buf, size_t len, off_t off, const char *what,
			    struct err *err);
/* Up to len bytes, across short reads; the count, or -1 with errno. */
ssize_t read_in_full(int fd, void *buf, size_t len);
ssize_t pread_in_full(int fd, void *buf, size_t len, off_t off);

#endif
