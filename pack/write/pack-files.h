/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * New packs as files: BASE-HASH.pack, .idx and .rev, staged in the operation's batch, which publishes the
 * .idx last (D3) and seals all of it at once.
 */
#ifndef PACK_WRITE_PACK_FILES_H
#define PACK_WRITE_PACK_FILES_H

#include "compat/posix.h"
#include "fsync-batch.h"
#include "pack/write/pack-objects.h"

struct pack_files_options {
	const char *base_name; /* "objects/pack/pack" */
	uint64_t max_bytes;    /* of one pack; one object may be larger; 0: no limit */
	int shared_perm;
	bool write_rev;	       /* pack.writeReverseIndex */
};
/*
 * After pack_objects_prepare. The checksums, which are part of the names, are appended to `sums`; the
 * packs are there once the batch has been committed. On failure nothing stays.
 */
MUST_USE int pack_objects_write_files(struct pack_objects *po, const struct pack_files_options *o,
				      struct fsync_batch *b, struct oid_array *sums, struct err *err);

#endif
