/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receiving a pack: read it once as it comes, give each object its name, resolve the deltas in
 * threads with bounded memory, and stage pack, index and reverse index in the operation's batch.
 * gitformat-pack(5), git-index-pack(1), git-unpack-objects(1).
 *
 *   rx = pack_receive_new(&options);
 *   pack_receive_stream(rx, fd, ...)    or pack_receive_file(rx, path, ...): read and inflate
 *                                       everything, check the checksum; objects that are
 *                                       not deltas have names then
 *   pack_receive_resolve(rx, err)       deltas, bases of a thin pack
 *   pack_receive_stage(rx, batch, &as)  or not: then nothing stays
 *   pack_receive_free(rx)
 *
 * The pack is not trusted: sizes are not believed before that much has been inflated, names that
 * the database has already are compared byte by byte, and names that belong to a collision
 * attack on SHA-1 are refused.
 *
 * Errors:  ERR_CORRUPT, ERR_TOO_BIG (beyond max_input_bytes, limits, or the machine's memory), ERR_IO,
 *          what a callback returned. After a failure only pack_receive_free may follow, except as
 *          keep_going says.
 * Cost:    each byte of the pack is read and inflated once, deltas far from their bases twice; about 50
 *          bytes of memory per object, base_bytes for contents, and some MiB of buffers.
 */
#ifndef PACK_RECEIVE_RECEIVE_H
#define PACK_RECEIVE_RECEIVE_H

#include "compat/posix.h"
#include "fs/tempfile.h"
#include "fs/tmp-objdir.h"
#include "fsync/batch.h"
#include "hash/hash.h"
#include "object/fsck.h"
#include "object/object.h"
#include "odb/odb.h"
#include "util/err.h"

struct pack_receive;

/* The content of a big object in pieces: up to len bytes; *got is less at its end only. */
struct pack_receive_reader;
MUST_USE int pack_receive_read(struct pack_receive_reader *r, void *buf, size_t len, size_t *got,
			       struct err *err);

/*
 * UNPACKING and DONE are for callers that unpack, or wait for the end: no code here reports them.
 */
enum pack_receive_phase { PACK_RECEIVE_READING, PACK_RECEIVE_UNPACKING, PACK_RECEIVE_RESOLVING, PACK_RECEIVE_DONE };

/* Limits against packs that expand to much more than their size. 0: no limit. */
struct pack_receive_limits {
	/*
	 * Limit of bytes that are inflated or result from deltas, counted again each time; and the
	 * further bytes allowed for each byte of the pack.
	 */
	uint64_t inflated_bytes, inflated_per_input;
	uint64_t tree_bytes;   /* of one tree */
	uint64_t commit_bytes; /* of one commit, one tag */
};

struct pack_receive_options {
	const struct hash_algo *algo;
	/* existing objects, and bases of thin packs; NULL: outside a repository */
	struct odb *odb;
	int threads;		  /* 0: one per processor */
	size_t base_bytes;	  /* memory for the bases of deltas; 0: 48 MiB */
	uint64_t max_input_bytes; /* 0: no limit */
	struct pack_receive_limits limits;
	/* Checks of content; NULL: none. The caller's; `report` is called by one thread at a time. */
	struct fsck_options *fsck;
	/* A tree of this pack may name a .gitmodules of another pack: the caller calls fsck_finish when it has read all packs. */
	bool fsck_finish_later;
	/* Collect the links, for pack_receive_check_links and pack_receive_foreach_foreign. */
	bool note_links;
	/* An object that cannot be parsed refers to nothing; else it is an error. */
	bool skip_bad_links;
	/*
	 * Parents of these commits, the new shallow boundary, are not required. NULL: no boundary.
	 */
	const struct oidset *shallow;
	bool use_bases; /* deltas may have bases that only the database has */
	bool fix_thin;	/* as use_bases, and append those bases to the pack */
	int level;	/* to deflate them; zlib's */
	/*
	 * Report unreadable objects to `broken`; resolve continues without them and without the
	 * deltas that build on them. Reading stops at the first broken entry. A wrong checksum is
	 * reported, too.
	 */
	bool keep_going;
	void (*broken)(void *data, const char *msg);
	/*
	 * Called for each object, bases before their deltas, by one thread at a time, with its
	 * content; for a big blob with a reader. May be NULL both.
	 */
	int (*object)(void *data, const struct object_id *oid, enum object_type type,
		      const void *content, size_t size, struct err *err);
	int (*big_blob)(void *data, const struct object_id *oid, uint64_t size,
			struct pack_receive_reader *r, struct err *err);
	/* From the caller's thread. total: objects, or deltas; bytes: of the input so far. */
	void (*progress)(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total,
			 uint64_t bytes);
	void *data; /* for the callbacks */
};

struct pack_receive *pack_receive_new(const struct pack_receive_options *o);
void pack_receive_free(struct pack_receive *rx); /* removes unstaged files; NULL is fine */

/* ---- reading ---- */
struct pack_receive_stream_options {
	int fd; /* owned by the caller; -1: `read` is called instead */
	/*
	 * Source of a pack inside another stream, such as a sideband. `read` returns up to len
	 * bytes, at least one; *got is 0 at the end. `ready`: would `read` return without waiting?
	 */
	int (*read)(void *data, void *buf, size_t len, size_t *got, struct err *err);
	bool (*ready)(void *data);
	void *read_data;
	const void *head; /* bytes of the pack that the caller has read from fd already */
	size_t head_len;
	/*
	 * The copy is made here: an object directory, where a dead writer's files are found and
	 * removed (fs/tmp-objdir.h), or any other directory; NULL: no copy, which is enough to
	 * check a stream without resolving it.
	 */
	const char *objdir, *dir;
	/* Or to this file, which is empty, and stays the caller's: it stages that itself (pack_receive_stage_files). */
	const struct tempfile *copy;
	int shared_perm;
};
/*
 * Create a directory for a copy of a pack of objdir. Removes leftovers of dead writers first (P5).
 * The caller removes it when the copy has been published. ERR_IO.
 */
MUST_USE int pack_receive_create_dir(struct tmp_objdir **out, const char *objdir, int shared_perm, struct err *err);
/* Reads to the end of the pack and, in the last piece, perhaps beyond: see pack_receive_rest. */
MUST_USE int pack_receive_stream(struct pack_receive *rx, const struct pack_receive_stream_options *s,
				 struct err *err);
/* Read a pack that stays where it is. Bytes after its end are an error. */
MUST_USE int pack_receive_file(struct pack_receive *rx, const char *path, struct err *err);
/* Bytes that were read from the descriptor beyond the end of the pack. */
const void *pack_receive_rest(const struct pack_receive *rx, size_t *len);

/*
 * Starts to write a finished copy to the disk while deltas are resolved. The pack will be staged
 * in b, in a file of this directory.
 */
void pack_receive_start_writeback(struct pack_receive *rx, struct fsync_batch *b, const char *dir);

/* ---- resolving ---- */
MUST_USE int pack_receive_resolve(struct pack_receive *rx, struct err *err);

/* ---- results: known after resolve ---- */
const struct object_id *pack_receive_checksum(const struct pack_receive *rx);
uint32_t pack_receive_count(const struct pack_receive *rx); /* added bases included */
uint32_t pack_receive_added(const struct pack_receive *rx); /* bases of a thin pack */
uint32_t pack_receive_unresolved(const struct pack_receive *rx); /* only with keep_going */
/*
 * Every object that one of the pack refers to must be in the pack or in the database; with note_links. ERR_CORRUPT names the
 * first that is not, or that has another type.
 */
MUST_USE int pack_receive_check_links(struct pack_receive *rx, struct err *err);
/* Number of objects outside of the pack that its objects refer to; known after pack_receive_check_links. */
uint64_t pack_receive_foreign(const struct pack_receive *rx);
/*
 * Calls fn for each such object, with the type that the link requires; with note_links. A non-zero
 * return stops.
 */
MUST_USE int pack_receive_foreach_foreign(struct pack_receive *rx,
					  int (*fn)(void *data, const struct object_id *oid,
						    enum object_type type, struct err *err),
					  void *data, struct err *err);
/* Does the pack have this object? */
bool pack_receive_has(const struct pack_receive *rx, const struct object_id *oid);
/* Read an object of the pack, before other processes can. ERR_NOT_FOUND. */
MUST_USE int pack_receive_object(struct pack_receive *rx, const struct object_id *oid,
				 struct object_buf *out, struct err *err);
/* Does the pack have an object twice? *oid: the first such object. */
bool pack_receive_has_duplicates(const struct pack_receive *rx, struct object_id *oid);

struct received_object {
	struct object_id oid, base; /* base: if depth > 0 */
	enum object_type type;
	uint64_t offset, packed_bytes;
	uint64_t size; /* inflated; for a delta, that of the delta itself */
	uint32_t depth; /* 0: not a delta */
};
/* In the order of offsets. A non-zero return stops. */
MUST_USE int pack_receive_foreach(struct pack_receive *rx,
				  int (*fn)(void *data, const struct received_object *o),
				  void *data, struct err *err);
/* Is this the index, or the reverse index, of the pack? ERR_CORRUPT says where it differs. */
MUST_USE int pack_receive_verify_idx(struct pack_receive *rx, const char *path, struct err *err);
MUST_USE int pack_receive_verify_rev(struct pack_receive *rx, const char *path, struct err *err);

/* ---- staging ---- */
struct pack_receive_names {
	/* pack-HASH.pack and so on in this directory; or the paths below, which may be NULL */
	const char *packdir;
	const char *pack, *idx, *rev, *keep, *promisor;
	bool write_rev;
	const char *keep_msg, *promisor_msg; /* NULL: no such file; "" an empty one */
	unsigned idx_version;	/* 0: 2 */
	uint64_t idx_wide_from; /* offsets beyond it take 8 bytes; 0: 2 GiB */
	int shared_perm;
};
/*
 * Stage .pack, .rev, .promisor and .keep before .idx (D3). *kept: this call created the .keep.
 * Durability: that of the batch. Cost: no flush.
 */
MUST_USE int pack_receive_stage(struct pack_receive *rx, struct fsync_batch *b,
				const struct pack_receive_names *n, bool *kept, struct err *err);
/*
 * The same in two steps, which two processes can do: one receives the pack and writes the tables,
 * the other one stages. The files are open for writing and owned by the process that stages; each
 * pointer becomes NULL when its file is staged.
 */
struct pack_receive_files {
	struct tempfile *pack; /* NULL: not a copy */
	struct tempfile *idx, *rev; /* rev NULL: there is none */
};
MUST_USE int pack_receive_write_tables(struct pack_receive *rx, const struct pack_receive_files *f,
				       const struct pack_receive_names *n, struct err *err);
/* sum: the checksum of the pack. Durability, cost: as pack_receive_stage. */
MUST_USE int pack_receive_stage_files(struct pack_receive_files *f, const struct object_id *sum, struct fsync_batch *b,
				      const struct pack_receive_names *n, bool *kept, struct err *err);
/*
 * Create a .keep or .promisor file before its pack is published. It gets its final name at once,
 * which only one process can do: a process that finds the file must not remove it later as its own.
 * Without a pack it does no harm. *made: this call created it.
 * Durability: that of the batch. Cost: no flush.
 */
MUST_USE int pack_marker_stage(struct fsync_batch *b, const char *path, const char *msg, int shared_perm, bool *made,
			       struct err *err);

#endif
