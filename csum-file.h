/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffered writer that hashes all bytes and appends the checksum. It writes packs,
 * idx, the index, multi-pack-index, commit-graph.
 */
#ifndef CSUM_FILE_H
#define CSUM_FILE_H

#include "compat/posix.h"
#include "hash/hash.h"
#include "util/err.h"

struct csum_file;

/*
 * The caller keeps `fd`. `name` is for messages (copied). skip_hash: no hash is
 * computed, and the trailer is zeros (index.skipHash). buffer_bytes 0: 128 KiB.
 */
struct csum_file *csum_file_new(int fd, const char *name,
				const struct hash_algo *algo, bool skip_hash,
				size_t buffer_bytes);
MUST_USE int csum_write(struct csum_file *f, const void *p, size_t len, struct err *err);
MUST_USE int csum_write_be32(struct csum_file *f, uint32_t v, struct err *err);
MUST_USE int csum_write_be64(struct csum_file *f, uint64_t v, struct err *err);
/* Append the checksum and write all that is buffered. *out: the checksum; may be NULL. f is not freed. */
MUST_USE int csum_finish(struct csum_file *f, struct object_id *out, struct err *err);
void csum_file_free(struct csum_file *f); /* bytes still in the buffer are lost */

#endif
