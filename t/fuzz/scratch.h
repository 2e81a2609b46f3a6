/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory and a repository for fuzz targets that need files. Failures abort. */
#ifndef T_FUZZ_SCRATCH_H
#define T_FUZZ_SCRATCH_H

#include "compat/posix.h"
#include "repo/repo.h"

/* In memory where there is /dev/shm; made by the first call, removed at exit. */
const char *scratch_dir(void);
/* The file scratch_dir()/name and the directories above it. */
void scratch_write(const char *name, const void *p, size_t len);
/* scratch_dir()/NAME in one of 4 rotating buffers. */
const char *scratch_path(const char *name);
/*
 * A repository in scratch_dir(), its gitdir "repo/.git", made by the first call: two
 * commits on main (with signature, encoding, trailers), the annotated tag v1, the branch topic
 * and a remote-tracking one. The configuration and the environment of the user have no effect.
 */
struct repository *scratch_repo(void);
/* The commit at its HEAD. */
extern struct object_id scratch_head;

/*
 * A descriptor to read packets from: raw, these bytes; else each line is one. In lines "%0" to "%4" stand for names of
 * objects (HEAD, topic, v1, o/main, the tree of HEAD), "%5" for the null id; "0000", "0001", "0002" are the packets
 * without a payload, and "PACK" is a pack without objects on band 1.
 */
int scratch_packets(const uint8_t *p, size_t len, bool raw);

#endif
