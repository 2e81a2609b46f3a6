/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * New packs as files: BASE-HASH.pack, .idx and .rev, staged in the operation's batch, which publishes the
 * .idx last (D3) and seals all of it at once.
 */
#ifndef PACK_WRITE_PACK_FILES_H
#define PACK_WRITE_PACK_FILES_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "pack/write/pack-objects.h"

struct idx_entry;
struct pack_files_options {
	const char *base_name; /* "objects/pack/pack" */
	const char *tmp_dir;   /* of temporary files, on the same file system; NULL: where the packs go */
	uint64_t max_bytes;    /* of one pack; one object may be larger; 0: no limit */
	int shared_perm;
	bool write_rev;	       /* pack.writeReverseIndex */
	bool promisor;	       /* with a .promisor, which is empty */
	unsigned index_version; /* 0: 2 */
	uint64_t index_wide_from; /* offsets beyond it take 8 bytes in the index; 0: where they must */
	/* When an object was last of use: a cruft pack with a .mtimes. NULL: none. */
	uint32_t (*mtime_of)(void *data, const struct object_id *oid);
	/*
	 * Called for each pack when its index is known but not staged: files that the callee stages
	 * are published before the index. Entries are sorted by name. Temporary files go to
	 * tmp_dir, where those of a dead process are removed. May be NULL.
	 */
	int (*before_idx)(void *data, const char *tmp_dir, const struct idx_entry *v, uint32_t nr,
			  const struct object_id *sum, struct err *err);
	void *data;
};
/*
 * After pack_objects_prepare. The checksums, which are part of the names, are appended to `sums`; the
 * packs are there once the batch has been committed. On failure nothing stays.
 */
MUST_USE int pack_objects_write_files(struct pack_objects *po, const struct pack_files_options *o,
				      struct fsync_batch *b, struct oid_array *sums, struct err *err);

#endif
