/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packs: reading objects out of them, and the primitives for writing one.
 * Formats: gitformat-pack(5). Nothing read from a pack or idx is trusted:
 * fan-out, offsets, sizes and delta instructions are checked against the files.
 */
#ifndef PACK_PACK_H
#define PACK_PACK_H

#include "compat/posix.h"
#include "fsync-batch.h"
#include "hash/hash.h"
#include "object/object.h"
#include "util/err.h"

/* ---- all packs of one object directory ---- */
struct packs;
struct pack;

struct packs_options {
	const char *objdir;
	const struct hash_algo *algo;
	size_t delta_base_cache_limit; /* bytes; core.deltaBaseCacheLimit, 96m */
	size_t window_size, window_limit; /* core.packedGitWindowSize, …Limit; 0 default */
	bool use_midx;
	/* thin bases and corrupt bases with another copy elsewhere; may be NULL */
	const struct object_source *others;
	void (*warn)(void *data, const char *msg);
	void *warn_data;
};

/* Opens lazily; a damaged pack is told by warn and left out. Thread-safe. */
struct packs *packs_new(const struct packs_options *opts);
void packs_free(struct packs *p);
void packs_reprepare(struct packs *p); /* look into the directory again */

bool packs_has(struct packs *p, const struct object_id *oid);
/*
 * The same for one who is going to rely on it: the pack's mtime becomes now (once per
 * pack), so that a prune by age leaves it. False, too, if it cannot be touched.
 */
bool packs_touch(struct packs *p, const struct object_id *oid);
MUST_USE int packs_read(struct packs *p, const struct object_id *oid,
			struct object_buf *out, struct err *err); /* ERR_NOT_FOUND */
MUST_USE int packs_info(struct packs *p, const struct object_id *oid,
			struct object_info *out, struct err *err);
/* Type and size alone: cheaper, as it needs no order of offsets. */
MUST_USE int packs_type(struct packs *p, const struct object_id *oid, enum object_type *type,
			uint64_t *size, struct err *err);
/* Non-delta blobs in pieces without holding them; others are read whole. */
MUST_USE int packs_stream(struct packs *p, const struct object_id *oid,
			  int (*sink)(void *data, const void *p, size_t len, struct err *err),
			  void *data, struct err *err);
MUST_USE int packs_prefix_lookup(struct packs *p, const char *hex, size_t len,
				 struct oid_array *out, struct err *err);
/* Digits needed to tell oid from its neighbours in every idx. */
size_t packs_unique_prefix_len(struct packs *p, const struct object_id *oid);
size_t packs_object_count(struct packs *p); /* estimate for abbreviations: sum */
/* order by pack, within it by idx or by offset. */
MUST_USE int packs_foreach_object(struct packs *p, bool by_offset,
				  int (*fn)(void *data, const struct object_id *oid),
				  void *data, struct err *err);
int packs_foreach(struct packs *p, int (*fn)(void *data, struct pack *pack), void *data);

/* Files in the directory that belong to no whole pack; `why` as count-objects -v says. */
void packs_foreach_garbage(struct packs *p,
			   void (*fn)(void *data, const char *why, const char *path),
			   void *data);

/* ---- one pack ---- */
const char *pack_path(const struct pack *p); /* .pack */
uint32_t pack_nr_objects(const struct pack *p);
uint64_t pack_size_bytes(const struct pack *p); /* .pack, .idx: see below */
uint64_t pack_idx_size_bytes(const struct pack *p);

/*
 * Everything: checksums of .pack, .idx, .rev; crc32 and hash of every object.
 * Works in threads of its own, but `object` (may be NULL; called for each whole
 * object) and `bad` are called in the calling one, in the order of offsets.
 * Big non-delta blobs come without data. `object` stops it by a non-zero return.
 * The number of failures is returned, or < 0.
 */
#define PACK_VERIFY_BLOB_KEEP ((uint64_t)1024 * 1024)
int pack_verify(struct pack *p,
		int (*object)(void *data, const struct object_id *oid, const struct object_buf *buf),
		void (*bad)(void *data, const char *msg), void *data, struct err *err);
/* Same for the multi-pack-index of the directory; 0 if there is none. */
int packs_verify_midx(struct packs *p, void (*bad)(void *data, const char *msg), void *data);

/* ---- deltas ---- */
/* Apply; result_size comes from the delta's header and is capped by max. */
MUST_USE int delta_apply(const void *base, size_t base_size, const void *delta,
			 size_t delta_size, size_t max, void **out, size_t *out_size,
			 struct err *err);

/* ---- writing: primitives for bulk-checkin and, later, pack-objects ---- */
struct pack_writer;
struct pack_writer_options {
	const char *dir;    /* temporary files are made here: tmp_pack_XXXXXX */
	const char *packdir; /* where the result goes */
	const struct hash_algo *algo;
	int shared_perm;
	bool write_rev; /* pack.writeReverseIndex */
};
MUST_USE int pack_writer_new(struct pack_writer **out, const struct pack_writer_options *o,
			     struct err *err);
/* An object whose content has been deflated already (zlib stream). */
MUST_USE int pack_writer_add_deflated(struct pack_writer *w, const struct object_id *oid,
				      enum object_type type, uint64_t size,
				      const void *deflated, size_t len, struct err *err);
/*
 * Stream: begin, any number of pieces of content (deflated here), end with the
 * oid, or cancel: the pack is cut back to where it was.
 */
MUST_USE int pack_writer_stream_begin(struct pack_writer *w, enum object_type type,
				      uint64_t size, int level, struct err *err);
MUST_USE int pack_writer_stream(struct pack_writer *w, const void *p, size_t len, struct err *err);
MUST_USE int pack_writer_stream_end(struct pack_writer *w, const struct object_id *oid, struct err *err);
MUST_USE int pack_writer_stream_cancel(struct pack_writer *w, struct err *err);
uint32_t pack_writer_count(const struct pack_writer *w);
bool pack_writer_has(const struct pack_writer *w, const struct object_id *oid);
/* Read an object back while the pack is still being written. Thread-safe
 * against add. */
MUST_USE int pack_writer_read(struct pack_writer *w, const struct object_id *oid,
			      struct object_buf *out, struct err *err);
MUST_USE int pack_writer_info(struct pack_writer *w, const struct object_id *oid,
			      struct object_info *out, struct err *err);
int pack_writer_foreach(struct pack_writer *w,
			int (*fn)(void *data, const struct object_id *oid), void *data);
/*
 * Fix the header's count, append the checksum, write idx v2 (and .rev), and stage
 * all in the batch: pack-HASH.pack and .rev before .idx (D3). Still
 * readable until it is freed. Without objects: nothing is staged.
 */
MUST_USE int pack_writer_finish(struct pack_writer *w, struct fsync_batch *b, struct err *err);
void pack_writer_free(struct pack_writer *w); /* removes what was not staged */

#endif
