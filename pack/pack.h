/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packs: reading objects from all packs of an object directory, verifying them, and the
 * primitives for writing one. Formats: gitformat-pack(5). Packs and indexes are not trusted:
 * fan-out, offsets, sizes and delta instructions are checked before use.
 */
#ifndef PACK_PACK_H
#define PACK_PACK_H

#include "compat/posix.h"
#include "fsync-batch.h"
#include "hash/hash.h"
#include "object/object.h"
#include "util/err.h"
#include "util/map.h"

/* ---- all packs of one object directory ---- */
struct packs;
struct pack;

struct packs_options {
	const char *objdir;
	const struct hash_algo *algo;
	size_t delta_base_cache_limit; /* bytes; core.deltaBaseCacheLimit, 96m */
	size_t window_size, window_limit; /* core.packedGitWindowSize, ...Limit; 0: default */
	bool use_midx;
	/* for delta bases that are missing or corrupt in the packs; may be NULL */
	const struct object_source *others;
	void (*warn)(void *data, const char *msg);
	void *warn_data;
};

/* Packs are opened when needed; damaged ones are reported to `warn` and skipped. Thread-safe. */
struct packs *packs_new(const struct packs_options *opts);
void packs_free(struct packs *p);
/* Forget objects that are kept because others are deltas of them. Packs stay open. */
void packs_drop_cache(struct packs *p);
bool packs_reprepare(struct packs *p); /* scan the directory again; true: something has changed */

bool packs_has(struct packs *p, const struct object_id *oid);
/*
 * The same for a caller who relies on the object: sets the pack's mtime to now (once per
 * pack), so that pruning by age keeps it. Also false if that fails, and if only cruft packs have
 * the object: their .mtimes says how old it is, so the caller writes it again.
 */
bool packs_touch(struct packs *p, const struct object_id *oid);
bool packs_can_touch(struct packs *p, const struct object_id *oid); /* nothing is changed */
bool packs_is_cruft(struct packs *p, const struct object_id *oid); /* cruft packs have it, and no other */
MUST_USE int packs_read(struct packs *p, const struct object_id *oid,
			struct object_buf *out, struct err *err); /* ERR_NOT_FOUND */
MUST_USE int packs_info(struct packs *p, const struct object_id *oid,
			struct object_info *out, struct err *err);
/* Type and size only: cheaper, since no reverse index is needed. */
MUST_USE int packs_type(struct packs *p, const struct object_id *oid, enum object_type *type,
			uint64_t *size, struct err *err);
/* Passes large non-delta objects to `sink` in pieces; others are read into memory first. */
MUST_USE int packs_stream(struct packs *p, const struct object_id *oid,
			  int (*sink)(void *data, const void *p, size_t len, struct err *err),
			  void *data, struct err *err);
MUST_USE int packs_prefix_lookup(struct packs *p, const char *hex, size_t len,
				 struct oid_array *out, struct err *err);
/* Number of hex digits that distinguish oid from every other object in the packs. */
size_t packs_unique_prefix_len(struct packs *p, const struct object_id *oid);
size_t packs_count(struct packs *p);
size_t packs_count_single(struct packs *p); /* those that no multi-pack-index covers */
size_t packs_object_count(struct packs *p); /* objects in several packs are counted each time */
/* Pack by pack, in each of them in the order of names or of offsets. */
MUST_USE int packs_foreach_object(struct packs *p, bool by_offset,
				  int (*fn)(void *data, const struct object_id *oid),
				  void *data, struct err *err);
/*
 * Each object of the packs that is not in `seen`, once, pack by pack in the order of offsets, with what
 * is wanted of it (OBJECT_INFO_…). info: NULL if nothing is wanted, or if this copy cannot be read. What is
 * met is added to `seen`, but if it is in the last pack only if `more` is to come. A non-zero return
 * of fn stops and is returned.
 */
MUST_USE int packs_foreach_new(struct packs *p, unsigned want, struct oidset *seen, bool more,
			       int (*fn)(void *data, const struct object_id *oid,
					 const struct object_info *info),
			       void *data);
int packs_foreach(struct packs *p, int (*fn)(void *data, struct pack *pack), void *data);

/* Files in the directory without a complete pack; `why` is what count-objects -v prints. */
void packs_foreach_garbage(struct packs *p,
			   void (*fn)(void *data, const char *why, const char *path),
			   void *data);

/*
 * Remove each .pack, .rev and .bitmap without an .idx that is older than two weeks: left by a writer
 * that was killed between the names; and temporary files of bitmaps of that age. One readdir.
 */
void packs_remove_incomplete(const char *dir);

/* ---- one pack ---- */
const char *pack_path(const struct pack *p); /* .pack */
uint32_t pack_nr_objects(const struct pack *p);
uint64_t pack_size_bytes(const struct pack *p); /* of the .pack */
uint32_t pack_time(const struct pack *p); /* when the .pack was written, or relied upon; seconds */
/* Is there a file beside it, "keep" or "mtimes"? */
bool pack_has_file(const struct pack *p, const char *extension);
/* One of its files was not there when it was to be opened: a repack has removed it. */
bool pack_is_gone(struct pack *p);
bool pack_has_object(struct pack *p, const struct object_id *oid); /* false, too, if its index is bad */
uint64_t pack_idx_size_bytes(const struct pack *p);

/*
 * 1: the entry at offset is a delta; *base is the name of its base, which for OFS_DELTA takes the
 * reverse index. 0: it is none. ERR_CORRUPT. Only the header is read.
 */
MUST_USE int pack_delta_base(struct pack *p, uint64_t offset, struct object_id *base,
			     struct err *err);

/*
 * How many bytes the entry at offset takes. *hint begins at 0 and helps where entries are asked for in
 * the order of their offsets. ERR_CORRUPT if none begins there.
 */
MUST_USE int pack_entry_bytes(struct pack *p, uint64_t offset, uint32_t *hint, uint64_t *bytes,
			      struct err *err);

/* A non-zero return of fn stops and is returned. */
MUST_USE int pack_foreach_object(struct pack *p, bool by_offset,
				 int (*fn)(void *data, const struct object_id *oid), void *data,
				 struct err *err);

/*
 * Verify the checksums of .pack and .idx, and the crc32 and hash of every object.
 * Returns the number of failures, or < 0. Uses threads, but `object` (for each valid object;
 * may be NULL) and `bad` (for each failure) are called in the caller's thread, in the order
 * of offsets. Non-delta blobs larger than PACK_VERIFY_BLOB_KEEP come without data. A non-zero
 * return of `object` stops the verification.
 */
#define PACK_VERIFY_BLOB_KEEP ((uint64_t)1024 * 1024)
int pack_verify(struct pack *p,
		int (*object)(void *data, const struct object_id *oid, const struct object_buf *buf),
		void (*bad)(void *data, const char *msg), void *data, struct err *err);
/*
 * Can the multi-pack-index be read? 0 also if there is none. ERR_UNSUPPORTED: Git ends with such an error; ERR_CORRUPT:
 * it goes on without the file.
 */
MUST_USE int packs_parse_midx(struct packs *p, struct err *err);
/* As pack_verify for the multi-pack-index of the directory; 0 if there is none. */
int packs_verify_midx(struct packs *p, void (*bad)(void *data, const char *msg), void *data);
/* Checksum and order of the .rev of a pack, if there is one. */
int pack_verify_rev(struct pack *p, void (*bad)(void *data, const char *msg), void *data);
/* The checksums of the .bitmap of packs, and of the multi-pack-index. */
int packs_verify_bitmaps(struct packs *p, void (*bad)(void *data, const char *msg), void *data);

/*
 * The entries of an index (.idx) in memory, in its order. crc: NULL in version 1. `name` is for
 * messages. A non-zero return of fn stops and is returned.
 */
MUST_USE int pack_index_foreach(const void *p, size_t len, const char *name,
				const struct hash_algo *algo,
				int (*fn)(void *data, const struct object_id *oid, uint64_t offset,
					  const uint32_t *crc),
				void *data, struct err *err);
/* 1, 0; of an index in memory. ERR_CORRUPT. */
MUST_USE int pack_index_has(const void *p, size_t len, const char *name, const struct hash_algo *algo,
			    const struct object_id *oid, struct err *err);

/* ---- copies that others can go for ---- */
struct pack_check;
struct pack_check *pack_check_new(struct packs *packs);
/*
 * Is the object in a pack, and whole there by the checksums of its entry and of all that it builds on? A
 * pack in which something is not is not relied upon for any more. A copy in a cruft pack is taken only if there is no other.
 * *in: the pack.
 */
bool pack_check_find(struct pack_check *c, const struct object_id *oid, struct pack **in);
/* The packs that were found good become durable with the batch (PUBLISH_ADOPT). */
/* D2: a file of a pack (.pack, .idx, .rev …) that somebody else has published is sealed with what b has. */
MUST_USE int pack_file_adopt(const char *path, struct fsync_batch *b, struct err *err);
/*
 * A pack is about to be published as `path` (.pack). If there is a cruft pack of that name, its .mtimes goes: the
 * objects have been written again, so they are as young as the pack.
 */
MUST_USE int pack_stage_uncruft(const char *path, struct fsync_batch *b, struct err *err);
MUST_USE int pack_check_adopt(const struct pack_check *c, struct fsync_batch *b, struct err *err);
void pack_check_free(struct pack_check *c); /* NULL is fine */

/* ---- removing packs ---- */
struct packs_removal;
/* The packs that there are now, with their times. */
struct packs_removal *packs_removal_new(struct packs *packs);
void packs_removal_free(struct packs_removal *x); /* NULL is fine */
/*
 * Remove those of these names ("pack-HASH.idx") at publication, after all else of the operation
 * (PUBLISH_OBJECT_DELETE): of each the .idx first. One that somebody has touched since
 * packs_removal_new (packs_touch) stays. The others of that time become durable with the batch
 * (PUBLISH_ADOPT). Takes x over in all outcomes; the packs live as long as the batch.
 */
MUST_USE int packs_removal_stage(struct packs_removal *x, const struct strset *names,
				 struct fsync_batch *b, struct err *err);

/* ---- deltas ---- */
/*
 * Apply a delta to its base. The result is at most max bytes (ERR_TOO_BIG) and is followed by
 * a NUL; the caller frees it. ERR_CORRUPT: malformed, or for another base.
 */
MUST_USE int delta_apply(const void *base, size_t base_size, const void *delta,
			 size_t delta_size, size_t max, void **out, size_t *out_size,
			 struct err *err);
/* The size of the result as its header states it, which delta_apply checks. false: malformed. */
bool delta_result_size(const void *delta, size_t delta_size, uint64_t *out);

/* ---- writing: primitives for bulk-checkin and, later, pack-objects ---- */
struct pack_writer;
struct pack_writer_options {
	const char *dir;    /* temporary files are made here: tmp_pack_XXXXXX */
	const char *packdir; /* directory of the finished pack */
	const struct hash_algo *algo;
	int shared_perm;
	bool write_rev; /* pack.writeReverseIndex */
};
MUST_USE int pack_writer_new(struct pack_writer **out, const struct pack_writer_options *o,
			     struct err *err);
/* Add an object whose content is already deflated (a zlib stream). */
MUST_USE int pack_writer_add_deflated(struct pack_writer *w, const struct object_id *oid,
				      enum object_type type, uint64_t size,
				      const void *deflated, size_t len, struct err *err);
/*
 * Add an object in pieces, which are deflated here: begin, any number of pieces, then end
 * with the oid, or cancel, which truncates the pack to its former length.
 */
MUST_USE int pack_writer_stream_begin(struct pack_writer *w, enum object_type type,
				      uint64_t size, int level, struct err *err);
MUST_USE int pack_writer_stream(struct pack_writer *w, const void *p, size_t len, struct err *err);
MUST_USE int pack_writer_stream_end(struct pack_writer *w, const struct object_id *oid, struct err *err);
MUST_USE int pack_writer_stream_cancel(struct pack_writer *w, struct err *err);
/* May `deflated` more bytes be added as one object? Into an empty pack always. */
bool pack_writer_has_room(const struct pack_writer *w, uint64_t deflated, uint64_t limit);
uint32_t pack_writer_count(const struct pack_writer *w);
bool pack_writer_has(const struct pack_writer *w, const struct object_id *oid);
/* Read an object back while the pack is being written; other threads may add at that time. */
MUST_USE int pack_writer_read(struct pack_writer *w, const struct object_id *oid,
			      struct object_buf *out, struct err *err);
MUST_USE int pack_writer_info(struct pack_writer *w, const struct object_id *oid,
			      struct object_info *out, struct err *err);
int pack_writer_foreach(struct pack_writer *w,
			int (*fn)(void *data, const struct object_id *oid), void *data);
/*
 * Write the count into the header, append the checksum, write the idx (version 2) and the
 * .rev, and stage all of them in the batch: pack-HASH.pack and .rev before .idx (D3). Without
 * objects nothing is staged. Objects can be read until pack_writer_free.
 */
MUST_USE int pack_writer_finish(struct pack_writer *w, struct fsync_batch *b, struct err *err);
void pack_writer_free(struct pack_writer *w); /* removes what was not staged */

#endif
