/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packs: reading objects from all packs of an object directory, verifying them, and the
 * primitives for writing one. Formats: gitformat-pack(5). Packs and indexes are not trusted:
 * fan-out, offsets, sizes and delta instructions are checked before use.
 */
#ifndef PACK_PACK_H
#define PACK_PACK_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "hash/hash.h"
#include "object/object.h"
#include "util/err.h"
#include "util/map.h"
#include "util/strbuf.h"

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
/* Drop the cache of delta bases. Packs stay open. */
void packs_drop_cache(struct packs *p);
bool packs_reprepare(struct packs *p); /* scan the directory again; true: the set of packs has changed */

bool packs_has(struct packs *p, const struct object_id *oid);
/*
 * The same for a caller that will refer to the object. Sets the mtime of its pack to now (once per
 * pack), so that pruning by age keeps it. Also false if that fails, or if only cruft packs have the
 * object: their .mtimes holds its age, so the caller writes it again.
 */
bool packs_touch(struct packs *p, const struct object_id *oid);
bool packs_can_touch(struct packs *p, const struct object_id *oid); /* as packs_touch, without setting a time */
bool packs_is_cruft(struct packs *p, const struct object_id *oid); /* only cruft packs have it */
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
size_t packs_count_single(struct packs *p); /* packs that no multi-pack-index covers */
size_t packs_object_count(struct packs *p); /* objects in several packs are counted each time */
/* Pack by pack; in each pack in the order of names or of offsets. */
MUST_USE int packs_foreach_object(struct packs *p, bool by_offset,
				  int (*fn)(void *data, const struct object_id *oid),
				  void *data, struct err *err);
/*
 * Calls fn once for each object that is not in `seen`, pack by pack in the order of offsets. `info`
 * has the fields that `want` selects (OBJECT_INFO_…); NULL if want is 0, or if this copy cannot be
 * read. Adds the objects to `seen`; the objects of the last pack only if `more`, since a caller
 * without more stores to visit does not need them. A non-zero return of fn stops and is returned.
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
 * Remove each .pack, .rev and .bitmap that has no .idx and is older than two weeks: its writer was
 * killed between publishing the names. Also removes temporary files of bitmaps of that age. Cost:
 * one readdir.
 */
void packs_remove_incomplete(const char *dir);

/* ---- one pack ---- */
const char *pack_path(const struct pack *p); /* .pack */
uint32_t pack_nr_objects(const struct pack *p);
uint64_t pack_size_bytes(const struct pack *p); /* of the .pack */
uint32_t pack_time(const struct pack *p); /* seconds; mtime of the .pack: written, or touched (packs_touch) */
/* Does the pack have a file of this extension, "keep" or "mtimes"? */
bool pack_has_file(const struct pack *p, const char *extension);
/* A file of the pack was missing when it was to be opened: a repack has removed the pack. */
bool pack_is_gone(struct pack *p);
bool pack_has_object(struct pack *p, const struct object_id *oid); /* also false if its index is damaged */
uint64_t pack_idx_size_bytes(const struct pack *p);

/*
 * Returns 1 if the entry at offset is a delta, with the name of its base in *base (for OFS_DELTA it
 * loads the reverse index); 0 if it is no delta; ERR_CORRUPT. Reads only the header.
 */
MUST_USE int pack_delta_base(struct pack *p, uint64_t offset, struct object_id *base,
			     struct err *err);

/*
 * Size of the entry at offset in the pack. *hint starts as 0 and makes queries in the order of
 * offsets cheap. ERR_CORRUPT: no entry begins there.
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
 * Returns 0 if the multi-pack-index can be read or does not exist. ERR_UNSUPPORTED: Git stops with
 * such an error. ERR_CORRUPT: Git continues without the file.
 */
MUST_USE int packs_parse_midx(struct packs *p, struct err *err);
/* As pack_verify, for the multi-pack-index of the directory; 0 if there is none. */
struct midx_verify_options {
	void (*bad)(void *data, const char *msg);
	void *data;
	struct progress *(*progress)(void *data, const char *title, uint64_t total); /* NULL: no meters */
	void *progress_data;
};
int packs_verify_midx(struct packs *p, const struct midx_verify_options *o);
/* Verify checksum and order of the .rev of a pack, if there is one. */
int pack_verify_rev(struct pack *p, void (*bad)(void *data, const char *msg), void *data);
/* Verify the checksums of the .bitmap files of packs and of the multi-pack-index. */
int packs_verify_bitmaps(struct packs *p, void (*bad)(void *data, const char *msg), void *data);

/*
 * Calls fn for each entry of an index (.idx) in memory, in its order. crc: NULL in version 1.
 * `name` is for messages. A non-zero return of fn stops and is returned.
 */
MUST_USE int pack_index_foreach(const void *p, size_t len, const char *name,
				const struct hash_algo *algo,
				int (*fn)(void *data, const struct object_id *oid, uint64_t offset,
					  const uint32_t *crc),
				void *data, struct err *err);
/* Returns 1 or 0: does an index in memory have the object? ERR_CORRUPT. */
MUST_USE int pack_index_has(const void *p, size_t len, const char *name, const struct hash_algo *algo,
			    const struct object_id *oid, struct err *err);

/* ---- packed copies that make other copies redundant ---- */
struct pack_check;
struct pack_check *pack_check_new(struct packs *packs);
/*
 * Does a pack have the object whole, by the checksums of its entry and of all entries that it
 * builds on? A pack with a damaged entry no longer counts at all. A cruft pack counts only if no
 * other pack has the object. *in: the pack.
 */
bool pack_check_find(struct pack_check *c, const struct object_id *oid, struct pack **in);
/*
 * D2: another process published this file of a pack (.pack, .idx, .rev …). It is sealed with the
 * batch.
 */
MUST_USE int pack_file_adopt(const char *path, struct fsync_batch *b, struct err *err);
/*
 * Call it before publishing a pack as `path` (.pack). If there is a cruft pack of that name, its
 * .mtimes is removed: its objects have been written again, so they are as young as the new pack.
 */
MUST_USE int pack_stage_uncruft(const char *path, struct fsync_batch *b, struct err *err);
/* The packs in which pack_check_find found objects become durable with the batch (PUBLISH_ADOPT). */
MUST_USE int pack_check_adopt(const struct pack_check *c, struct fsync_batch *b, struct err *err);
void pack_check_free(struct pack_check *c); /* NULL is fine */

/* ---- removing packs ---- */
struct packs_removal;
/* Records the present packs and their times. */
struct packs_removal *packs_removal_new(struct packs *packs);
void packs_removal_free(struct packs_removal *x); /* NULL is fine */
/*
 * Remove the packs of these names ("pack-HASH.idx") when the batch publishes, as its last step
 * (PUBLISH_OBJECT_DELETE), the .idx of each first. A pack that was touched since packs_removal_new
 * (packs_touch) stays. The recorded packs that are not named become durable with the batch
 * (PUBLISH_ADOPT).
 * Ownership: takes x on all outcomes; the packs must live as long as the batch.
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
/* The size of the result according to the header, which delta_apply checks. false: malformed. */
bool delta_result_size(const void *delta, size_t delta_size, uint64_t *out);

/* ---- writing: primitives for bulk-checkin and, later, pack-objects ---- */
struct pack_writer;
struct pack_writer_options {
	const char *dir;    /* directory of temporary files: tmp_pack_XXXXXX */
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
 * Add an object as a delta to another one of its type in this pack. The chain of deltas may be as long as the caller
 * likes, up to PACK_WRITER_DEPTH_MAX.
 */
struct pack_delta {
	const struct object_id *base;
	uint64_t size; /* of the delta, before it was deflated */
	const struct strbuf *deflated;
};
#define PACK_WRITER_DEPTH_MAX 4095
MUST_USE int pack_writer_add_delta(struct pack_writer *w, const struct object_id *oid, enum object_type type,
				   uint64_t size, const struct pack_delta *delta, struct err *err);
/* How many deltas lead to the object; 0: it is none; -1: it is not in the pack. */
int pack_writer_depth(struct pack_writer *w, const struct object_id *oid);
/*
 * Add an object in pieces, which are deflated here: begin, any number of pieces, then end
 * with the oid, or cancel, which truncates the pack to its former length.
 */
MUST_USE int pack_writer_stream_begin(struct pack_writer *w, enum object_type type,
				      uint64_t size, int level, struct err *err);
MUST_USE int pack_writer_stream(struct pack_writer *w, const void *p, size_t len, struct err *err);
MUST_USE int pack_writer_stream_end(struct pack_writer *w, const struct object_id *oid, struct err *err);
MUST_USE int pack_writer_stream_cancel(struct pack_writer *w, struct err *err);
/* Does an object of `deflated` bytes fit within the limit? Always true for an empty pack. */
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
void pack_writer_free(struct pack_writer *w); /* removes unstaged files */

#endif
