/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * New objects until they are published: held in memory, then staged as loose files, or in a
 * pack. For bulk-checkin.h, which schedules the work; these functions run in the caller's thread.
 *
 * Ownership:  the stage owns its temporary object directory and its packs.
 * Durability: none of its own: everything is staged in the fsync_batch; D3.
 */
#ifndef ODB_STAGE_OBJECT_STAGE_H
#define ODB_STAGE_OBJECT_STAGE_H

#include "compat/posix.h"
#include "fsync/batch.h"
#include "object/object.h"
#include "pack/pack.h"
#include "util/strbuf.h"

struct object_stage;

struct object_stage_options {
	const char *objdir; /* the primary object directory */
	const struct hash_algo *algo;
	struct fsync_batch *batch; /* not owned */
	int shared_perm;
	int loose_level, pack_level;   /* zlib levels; -1: what zlib calls default, 6 */
	unsigned unpack_limit;	       /* 0: never make a pack of small objects */
	/* bytes, after which another pack begins; one object may be larger; 0: no limit */
	uint64_t pack_size_limit;
	uint64_t big_file_threshold;   /* bytes */
	/* does the database have it already? thread-safe */
	bool (*exists)(void *data, const struct object_id *oid);
	void *exists_data;
};

struct object_stage *object_stage_new(const struct object_stage_options *opts);
void object_stage_keep_loose(struct object_stage *s); /* unpack_limit becomes 0 */
void object_stage_set_limits(struct object_stage *s, unsigned unpack_limit, uint64_t pack_size_limit, int pack_level);
/* As pack_writer_depth, in the pack that is open; -1 also if there is none. */
int object_stage_delta_depth(struct object_stage *s, const struct object_id *oid);
/* Removes the staging directories, with the files that were not staged. */
void object_stage_free(struct object_stage *s);
/* Objects have been added that are not staged. */
bool object_stage_is_pending(const struct object_stage *s);

/* A failure (a full disk) is final: it is returned from then on. 0: none so far. */
int object_stage_failure(const struct object_stage *s, struct err *err);
/* Is it here, or in the database already? Thread-safe. */
bool object_stage_knows(struct object_stage *s, const struct object_id *oid);
/* Do small objects go into a pack now? Then they are wanted deflated. Thread-safe. */
bool object_stage_is_packing(const struct object_stage *s);

struct new_object {
	const struct object_id *oid;
	enum object_type type;
	size_t size;
	void *data;		 /* owned by the caller; NULL afterwards if it is held */
	const struct strbuf *deflated; /* for the pack; NULL if not done yet */
	/* in its place a delta, if the pack that is open has the base; NULL: none */
	const struct pack_delta *delta;
};

/* Nothing happens to an object that has been added before. */
MUST_USE int object_stage_add(struct object_stage *s, struct new_object *a, struct err *err);
/* Content that is read in pieces: up to len bytes; *got is 0 only at the end. */
struct object_stream {
	int (*read)(void *data, void *buf, size_t len, size_t *got, struct err *err);
	void *data;
	const char *path; /* for messages */
};
/* As bulk_checkin_stream. */
MUST_USE int object_stage_stream(struct object_stage *s, enum object_type type,
				 const struct object_stream *in, uint64_t size, struct object_id *oid,
				 struct err *err);
/* Stage all that is left; more may be added afterwards. */
MUST_USE int object_stage_all(struct object_stage *s, struct err *err);

/* Read back objects that are not published yet, as in bulk-checkin.h. Thread-safe. */
bool object_stage_has(struct object_stage *s, const struct object_id *oid);
MUST_USE int object_stage_read(struct object_stage *s, const struct object_id *oid,
			       struct object_buf *out, struct err *err);
MUST_USE int object_stage_info(struct object_stage *s, const struct object_id *oid,
			       struct object_info *out, struct err *err);
size_t object_stage_count(const struct object_stage *s);
bool object_stage_has_pack(const struct object_stage *s);
int object_stage_foreach(struct object_stage *s,
			 int (*fn)(void *data, const struct object_id *oid), void *data);

#endif
