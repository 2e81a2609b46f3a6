/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of objects of a new pack, and the data that the steps of writing share. */
#ifndef PACK_WRITE_WRITE_INTERNAL_H
#define PACK_WRITE_WRITE_INTERNAL_H

#include "compat/posix.h"
#include "pack/pack-internal.h"
#include "pack/write/pack-objects.h"
#include "util/strbuf.h"

/* Index of an item, plus one; 0: none. */
typedef uint32_t item_ref;

#define ITEM_PREFERRED_BASE 1u /* never written */
#define ITEM_NO_DELTA 2u
#define ITEM_NO_COPY 4u	       /* the copy in its pack is damaged or cannot be used */
#define ITEM_REUSE_DELTA 8u    /* `base` is the base of the packed copy */
#define ITEM_SIZE_KNOWN 16u    /* `size` is the size of the content */
#define ITEM_ELSEWHERE 32u     /* already written to an earlier one of several packs */

/* One object. Kept small: there may be tens of millions. */
struct pack_item {
	uint64_t in_offset, in_end; /* the entry in its pack */
	uint64_t size;		    /* of the content (ITEM_SIZE_KNOWN) */
	uint64_t in_size;	    /* size in the entry's header; for a delta, of the delta itself */
	uint64_t out_offset;	    /* in the new pack; 0: not written */
	unsigned char *delta;	    /* a new delta, deflated; owned; NULL: computed again when it is written */
	uint32_t delta_size, delta_deflated;
	item_ref base;		    /* base of its delta; a preferred base is referred to by name */
	uint32_t name_hash;
	uint32_t crc;		    /* of the entry in the new pack */
	uint32_t source;	    /* index of the pack plus one; 0: in no pack */
	uint32_t in_pos;	    /* in the index of that pack */
	uint16_t depth;		    /* number of deltas down to an object that is no delta */
	uint16_t height;	    /* longest chain of reused deltas that build on it */
	uint8_t type;		    /* enum object_type */
	uint8_t in_type;	    /* of the entry in its pack */
	uint8_t in_header;	    /* length of the entry's header */
	uint8_t flags;
};

/* A pack from which objects are copied or read. */
struct pack_source {
	struct pack *pack;
	int fd;		    /* -1: not open */
	uint32_t *items;    /* indexes of items, sorted by in_offset */
	uint32_t nr, alloc;
	uint32_t rank;	    /* its place in the order of writing */
	bool copied_from; /* a range was copied from it */
};

/* A range of a pack, copied as it is: `nr` objects in the order of offsets, from `first` on. */
struct pack_range {
	uint32_t source; /* index */
	uint32_t first, nr;
};

/* A piece of a pack in memory, see copy.c. */
struct pack_piece {
	const struct pack_source *source; /* NULL: none */
	uint64_t offset, end;
	unsigned char *buf;
};

/* Objects of one pack that a walk found, see marks.c. */
struct pack_marks {
	struct pack *pack;  /* NULL: no object is marked yet */
	uint8_t *types;	    /* by position in the index; 0: not marked */
	struct mark *v;	    /* in the order in which they were found */
	uint32_t nr;
	size_t alloc;
	bool over; /* objects outside the pack were added: all become items */
};

/* After the writing. */
struct pack_objects_stats {
	uint32_t total, deltas;		/* objects written; deltas outside ranges */
	uint32_t reused, reused_deltas; /* of these, the ones copied from packs */
	uint32_t in_ranges;		/* further objects, in ranges */
	uint32_t packs;			/* number of packs that the ranges came from */
	uint64_t bytes;
};

struct pack_objects {
	struct pack_objects_options o;
	const struct hash_algo *algo;
	size_t raw_len;
	struct pack_item *items;
	unsigned char *names; /* raw_len bytes each */
	uint32_t *path_hashes; /* with by_path: hashes of whole paths; else NULL */
	shared_set *island_set_of; /* the islands of each item; NULL: there are no islands */
	const struct shared_sets *island_sets;
	bool has_core;
	uint32_t core;
	uint32_t nr, alloc;
	uint32_t nr_preferred;
	item_ref *slots; /* hash table by name */
	size_t mask;
	struct pack_source *sources;
	uint32_t nr_sources, alloc_sources;
	uint32_t last_source; /* result of the last look-up */
	uint32_t *source_slots; /* hash table by pack: index plus one; 0: empty */
	uint32_t source_mask;
	struct pack_range *ranges;
	size_t nr_ranges, alloc_ranges;
	uint32_t nr_in_ranges;
	struct pack_marks marks;
	struct pack **excluded;
	size_t nr_excluded, alloc_excluded;
	const struct pack_objects **others; /* lists whose objects are left out */
	size_t nr_others, alloc_others;
	struct pack_piece piece;
	bool prepared;
	uint32_t *order;     /* order of writing, once it has begun */
	uint32_t nr_written; /* number written of these */
	struct pack_objects_stats stats;
	struct object_id checksum;
};

/* ---- list.c ---- */
item_ref pack_list_find(const struct pack_objects *po, const unsigned char *name);
static inline const unsigned char *pack_item_name(const struct pack_objects *po, uint32_t i)
{
	return po->names + (size_t)i * po->raw_len;
}
void pack_item_oid(const struct pack_objects *po, uint32_t i, struct object_id *out);
/* Returns the index plus one of the source for a pack; adds it if it is new. */
uint32_t pack_list_source(struct pack_objects *po, struct pack *pack);
/*
 * Add the objects [first, first + nr) of the pack, in order of their places, one by one.
 * pack_open_rev has succeeded, and the range lies within the pack.
 */
int pack_list_add_items(struct pack_objects *po, struct pack *pack, uint32_t first, uint32_t nr,
			struct err *err);
static inline bool item_is_delta_copy(const struct pack_item *it)
{
	return it->in_type == OBJ_OFS_DELTA || it->in_type == OBJ_REF_DELTA;
}

/* Mark the packed copy as damaged, and with it a reused delta. */
static inline void item_drop_copy(struct pack_item *it)
{
	it->flags |= ITEM_NO_COPY;
	if (it->flags & ITEM_REUSE_DELTA)
		it->base = 0;
	it->flags &= (uint8_t)~ITEM_REUSE_DELTA;
}

/* ---- islands.c ---- */
/* May `base` be the base of `target`, items both? */
bool pack_islands_allow(const struct pack_objects *po, uint32_t base, uint32_t target);
static inline shared_set pack_item_mark(const struct pack_objects *po, uint32_t i)
{
	return po->island_set_of ? po->island_set_of[i] : SHARED_SET_EMPTY;
}
/* Move the items of the core island to the front of the list; the order stays otherwise. */
void pack_islands_put_core_first(const struct pack_objects *po, uint32_t *order, uint32_t nr);

uint32_t pack_list_hash_path(const struct pack_objects *po, const char *path);

/* ---- marks.c ---- */
/* Turns the marked objects into a range, or into items. */
MUST_USE int pack_marks_finish(struct pack_objects *po, struct err *err);

/* ---- select.c ---- */
bool pack_list_leaves_out(const struct pack_objects *po, const struct object_id *oid);

/* ---- locate.c: finds where and how objects are stored ---- */
struct pack_location;
/* In any store. */
bool pack_list_find_packed(const struct pack_objects *po, const struct object_id *oid,
			   struct pack_location *out);
MUST_USE int pack_list_locate(struct pack_objects *po, struct err *err);
/* The size of the content of an item. */
MUST_USE int pack_item_size(struct pack_objects *po, uint32_t i, uint64_t *out, struct err *err);
/* The item of a source whose entry begins at offset; 0: none. */
item_ref pack_source_at(const struct pack_objects *po, const struct pack_source *s,
			uint64_t offset);

/* ---- reuse.c: reused deltas of packs ---- */
MUST_USE int pack_list_reuse(struct pack_objects *po, struct err *err);
/* Compute the longest chain of deltas that builds on each item. */
void pack_list_find_heights(struct pack_objects *po);

/* ---- search.c: new deltas ---- */
MUST_USE int pack_list_search(struct pack_objects *po, struct err *err);

/* ---- order.c ---- */
/*
 * The indexes of all items that are written, po->nr - po->nr_preferred of them, each after its base.
 * Caller frees.
 */
uint32_t *pack_list_order(struct pack_objects *po);

/* ---- output.c: buffered output to the sink ---- */
struct pack_output {
	struct pack_sink sink;
	struct hash_ctx hash;
	unsigned char *buf; /* memory of the sink if it has `room`, else owned */
	size_t len;	  /* in buf */
	uint64_t flushed; /* given to the sink */
};
#define OUTPUT_BYTES PACK_ROOM_MAX
/* Larger entries are copied one by one. */
#define OUTPUT_ENTRY_MAX (OUTPUT_BYTES / 2)
/* The caller releases it, also after an error. */
MUST_USE int pack_output_init(struct pack_output *out, const struct hash_algo *algo,
			      const struct pack_sink *sink, struct err *err);
void pack_output_release(struct pack_output *out);
static inline uint64_t pack_output_at(const struct pack_output *out)
{
	return out->flushed + out->len;
}
MUST_USE int pack_output_add(struct pack_output *out, const void *p, size_t len, struct err *err);
/* Returns room for `len` bytes, at most OUTPUT_ENTRY_MAX; the caller fills and counts them. */
MUST_USE int pack_output_room(struct pack_output *out, size_t len, unsigned char **at,
			      struct err *err);
/* Append the checksum and flush. */
MUST_USE int pack_output_finish(struct pack_output *out, struct object_id *sum, struct err *err);

/* ---- copy.c: bytes of packs ---- */
/* The descriptor of its file, which is opened if necessary; < 0: it cannot be used. */
int pack_source_fd(struct pack_objects *po, struct pack_source *s);
/*
 * Copy consecutive entries of one pack that need no change, from order[0] on. Returns their number,
 * 0 if the first one needs a change, or < 0.
 */
int pack_copy_run(struct pack_objects *po, struct pack_output *out, const uint32_t *order,
		  uint32_t nr, struct err *err);
/*
 * Copy the content of one entry, under another header. Returns 1 when done, 0 if the copy is
 * damaged (nothing is written then), or < 0.
 */
int pack_copy_entry(struct pack_objects *po, struct pack_output *out, uint32_t i,
		    const unsigned char *header, size_t header_len, struct err *err);

/* Read bytes of its file, which is open. */
MUST_USE int pack_source_read(const struct pack_source *s, unsigned char *buf, size_t len,
			      uint64_t offset, struct err *err);
/*
 * The same for at most OUTPUT_ENTRY_MAX bytes, valid until the next call. For a caller that reads a
 * pack in its order, one pread serves many calls.
 */
MUST_USE int pack_source_peek(struct pack_objects *po, const struct pack_source *s, uint64_t offset,
			      size_t len, const unsigned char **out, struct err *err);
/* Compute the crc of bytes that may not fit into memory; copy such bytes. */
MUST_USE int pack_source_crc(struct pack_objects *po, const struct pack_source *s, uint64_t from,
			     uint64_t to, uint32_t *out, struct err *err);
MUST_USE int pack_source_copy(struct pack_objects *po, const struct pack_source *s,
			      struct pack_output *out, uint64_t from, uint64_t to, struct err *err);

/* ---- corrupt-base.c ---- */
/*
 * Read an object whose copy in `pack` does not have the crc of the index, and compare the content with
 * its name. If they differ, read another copy. ERR_CORRUPT names object and pack.
 */
MUST_USE int pack_read_corrupt_base(const struct pack_objects *po, const struct object_id *oid,
				    struct pack *pack, uint64_t offset, struct object_buf *out,
				    struct err *err);

/* ---- mtimes.c ---- */
/* The .mtimes of a pack: a number for each entry of its index. */
MUST_USE int pack_mtimes_write(int fd, const char *name, const struct hash_algo *algo,
			       const uint32_t *mtimes, uint32_t nr, const struct object_id *sum,
			       struct err *err);

/* ---- ranges.c ---- */
/* Write all ranges; `done` gets the number of objects written. */
MUST_USE int pack_ranges_write(struct pack_objects *po, struct pack_output *out,
			       int (*done)(void *data, uint32_t nr, struct err *err), void *data,
			       struct err *err);

/* ---- emit.c: entries, one by one ---- */
/* The entry that a thread has built for an object that is not copied. */
struct pack_made {
	struct strbuf z;   /* deflated: the delta, or the content */
	uint64_t size;	   /* size before it was deflated */
	uint8_t type;	   /* type of the object, if it is stored whole */
	/*
	 * Were the copies of object and base known to be damaged at the start? The flags may
	 * change.
	 */
	bool is_doubtful, is_base_doubtful;
};
/* Call in the thread that writes, before pack_item_make. Release z at the end. */
void pack_made_init(struct pack_made *made, const struct pack_objects *po, uint32_t i);
/* Is its entry copied from a pack (with a new header)? */
bool pack_item_is_copied(const struct pack_objects *po, const struct pack_item *it);
/* Does pack_item_make have work to do for it? */
bool pack_item_is_work(const struct pack_objects *po, const struct pack_item *it);
/*
 * Build the entry of an object in memory; out has been initialised. Thread-safe, also while others
 * are written.
 */
MUST_USE int pack_item_make(const struct pack_objects *po, uint32_t i, struct pack_made *out,
			    struct err *err);
/* Is it too large to be held in memory? */
bool pack_item_is_large(const struct pack_objects *po, const struct pack_item *it);
/* For an item that is no work, or large: the longest possible entry, without its header. */
uint64_t pack_item_bytes_max(const struct pack_objects *po, const struct pack_item *it);
/*
 * Write the entry. made: the result of pack_item_make; NULL: built here if the entry is not copied.
 */
MUST_USE int pack_item_emit(struct pack_objects *po, struct pack_output *out, uint32_t i,
			    const struct pack_made *made, struct err *err);

/* ---- write.c ---- */
/* One of several packs of limited size. */
struct pack_part {
	uint32_t from, to; /* order[from..to) */
	bool wrong_count;  /* the header also counts the objects of later packs */
	uint64_t bytes;
	struct object_id sum;
};
/* Write objects until all are written, or the next one would exceed `limit` bytes (0: no limit). */
MUST_USE int pack_objects_write_part(struct pack_objects *po, uint64_t limit,
				     const struct pack_sink *sink, struct pack_part *out,
				     struct err *err);

#endif
