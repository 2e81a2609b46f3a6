/* SPDX-License-Identifier: GPL-2.0-only */
/* One pack, and the set of all packs of a directory. */
#ifndef PACK_PACK_INTERNAL_H
#define PACK_PACK_INTERNAL_H

#include "compat/posix.h"
#include <pthread.h>
#include <stdatomic.h>
#include "pack/idx-internal.h"
#include "pack/pack.h"
#include "util/map.h"

#define PACK_SIGNATURE 0x5041434bu /* "PACK" */
#define PACK_HEADER_BYTES 12
/* type and size (10 bytes), then the offset of the base (10) or its name */
#define PACK_ENTRY_HEADER_MAX (10 + HASH_MAX_RAW)

/* ---- one pack ---- */
/* PART_GONE: the file was removed, probably by a repack. */
enum part_state { PART_UNOPENED = 0, PART_OPEN, PART_GONE, PART_BAD };

struct pack {
	struct packs *owner;
	char *base;	/* path without ".pack" */
	char *path;	/* with ".pack" */
	time_t mtime;
	uint64_t size;	/* when the directory was scanned */
	dev_t dev;
	ino_t ino;
	pthread_mutex_t lock; /* for opening parts */
	_Atomic(int) idx_state, data_state, rev_state;
	struct pack_idx idx;
	struct window_file *file;
	uint64_t end; /* of the entries, where the checksum begins */
	struct revindex rev;
	/* Offsets of entries that turned out to be corrupt. */
	_Atomic(uint32_t) nr_bad;
	struct oidset bad;
	_Atomic(bool) touched; /* mtime has been set to now */
	_Atomic(int) cruft;    /* 1: there is a .mtimes; 0: there is none; -1: not looked up yet */
	_Atomic(struct type_table *) types; /* NULL until a long chain was followed */
};

/* Report through opts.warn. */
void packs_warn(struct packs *ps, const char *fmt, ...) PRINTF_LIKE(2, 3);
struct pack *pack_new(struct packs *owner, const char *base, size_t base_len,
		      const struct stat *st);
void pack_free(struct pack *p);
/* Is this the file for which the pack was created, without a change since? */
bool pack_is_current(struct pack *p, const struct stat *st);
/* Each opens its file once. After a failure, which is reported once, every further call fails. */
MUST_USE int pack_open_idx(struct pack *p, struct err *err);
MUST_USE int pack_open_data(struct pack *p, struct err *err); /* idx too */
MUST_USE int pack_open_rev(struct pack *p, struct err *err);  /* idx too */
bool pack_mark_bad(struct pack *p, uint64_t offset); /* true if it was not marked before */
bool pack_is_marked_bad(struct pack *p, uint64_t offset);
/* Position in the idx of the i-th object by offset; rev must be open. */
uint32_t pack_rev_at(const struct pack *p, uint32_t i);
/* The offset of that object; UINT64_MAX if the reverse index is wrong. */
uint64_t pack_rev_offset(const struct pack *p, uint32_t i);
/*
 * Sets *place to the number, by offset, of the object among `from` to `to` - 1 that begins at
 * offset; false: there is none.
 */
bool pack_rev_find(const struct pack *p, uint32_t from, uint32_t to, uint64_t offset, uint32_t *place);
/* Does the reverse index list every object once, in order? */
bool pack_rev_is_sound(const struct pack *p);
/* The object that begins exactly at offset: its position in the idx, and the end of its entry.
 * ERR_CORRUPT if there is none. */
MUST_USE int pack_locate(struct pack *p, uint64_t offset, uint32_t *pos, uint64_t *end,
			 struct err *err);
MUST_USE int pack_offset_to_oid(struct pack *p, uint64_t offset, struct object_id *out,
				struct err *err);

/* ---- packs.c ---- */
/* A delta base that is being read from another pack or store, to detect cycles across packs. */
struct fetching {
	pthread_t thread;
	const struct object_id *oid;
	struct fetching *next;
};

struct pack_set {
	size_t nr;
	struct pack **all; /* newest first */
	struct midx *midx; /* may be NULL */
	/* Packs that the midx does not cover; mru: the same, most recently used first (see
	 * find_in_packs). */
	struct pack **single;
	size_t nr_single;
	_Atomic(struct pack *) *mru;
	_Atomic(unsigned) mru_moves;
	struct pack_set *older; /* kept, since readers may still use it */
};

/* A thread finds the tables of its last reader in its processor's cache. Each slot has a cache line. */
struct reader_slot {
	_Atomic(struct reader *) idle;
	char rest[64 - sizeof(void *)];
};

struct packs {
	struct packs_options opts;
	char *objdir, *dir;
	struct window_pool *pool;
	struct base_cache *cache;
	uint64_t max_object_bytes; /* larger objects do not fit in memory */
	pthread_mutex_t lock; /* scanning, mru, fetching */
	_Atomic(struct pack_set *) set;
	char dir_view; /* fs_lock_view of dir, once dir_view_known */
	bool dir_view_known;
	struct stat dir_seen; /* status before the scan; st_ino 0: it may have changed since */
	struct strmap by_base; /* the latest pack of each name, owned */
	struct pack **replaced; /* earlier packs of these names, owned, since readers may still use them */
	size_t nr_replaced, alloc_replaced;
	struct reader_slot readers[16];
	struct fetching *fetching;
	_Atomic(uint64_t) type_steps; /* number of links followed to find types; for tests */
	/*
	 * Read a delta base of `p` from any other pack or store. Set by packs.c, since the code
	 * that reads one pack does not know the others.
	 */
	int (*read_elsewhere)(struct packs *ps, struct pack *p, const struct object_id *oid,
			      struct object_buf *out, struct err *err);
	int (*info_elsewhere)(struct packs *ps, struct pack *p, const struct object_id *oid,
			      struct object_info *out, struct err *err);
};

struct reader *reader_get(struct packs *ps);
void reader_put(struct packs *ps, struct reader *r);
/* The current set of packs; the first call scans the directory. */
struct pack_set *packs_set(struct packs *ps);
/*
 * For a caller that visits all packs: their indexes are open (except damaged ones), so that a
 * concurrent repack cannot remove one unnoticed. Scans the directory again while packs have
 * disappeared.
 */
struct pack_set *packs_set_held(struct packs *ps);
struct pack_location {
	struct pack *pack;
	uint64_t offset;
};
/* A copy of the object that is not known to be bad, and not in pack `not_in` (may be NULL). */
bool packs_find(struct packs *ps, const struct object_id *oid, const struct pack *not_in,
		struct pack_location *out);
/* As packs_find without not_in; takes a copy in a cruft pack only if there is no other. */
bool packs_find_not_cruft(struct packs *ps, const struct object_id *oid, struct pack_location *out);
/* Does the pack have a .mtimes? Looks it up once. */
bool pack_is_cruft(struct pack *p);

#endif
