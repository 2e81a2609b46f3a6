/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of index/ share with each other. */
#ifndef INDEX_INDEX_INTERNAL_H
#define INDEX_INDEX_INTERNAL_H

#include "compat/posix.h"
#include "index/cache-tree.h"
#include "index/index.h"
#include "util/strbuf.h"

/* ---- memory of entries: freed all at once by index_release ---- */
void *arena_alloc(struct index_state *ix, size_t len);
/* Room for `bytes` in one piece, so that reading allocates once. */
void arena_reserve(struct index_state *ix, size_t bytes);
/* The entries of `from` live as long as ix. */
void index_arena_adopt(struct index_state *ix, struct index_state *from);

/* ---- resolve-undo.c: the stages that a path had before its conflict was resolved ---- */
MUST_USE int resolve_undo_read(struct resolve_undo **out, const void *ext, size_t len,
			       const struct hash_algo *algo, struct err *err);
void resolve_undo_write(struct strbuf *out, const struct resolve_undo *ru);
void resolve_undo_free(struct resolve_undo **ru);
/* Remember an entry of stage 1 to 3 that is about to go; stage 0 is ignored. */
void resolve_undo_record(struct index_state *ix, const struct index_entry *e);
/* NULL if none is recorded. */
const struct resolve_undo_info *resolve_undo_find(const struct index_state *ix,
						  const char *path);
void resolve_undo_remove(struct index_state *ix, const char *path);

/* ---- read.c: the bytes of an index file; `path` is for messages. ix: as index_init
 * leaves it; to be released in all outcomes ---- */
MUST_USE int index_parse(struct index_state *ix, const void *bytes, size_t size,
			 const char *path, struct err *err);
/* Map and parse one file. optional: a missing one is an empty index. */
MUST_USE int index_read_file(struct index_state *ix, const char *path, bool optional, struct err *err);

/* ---- order.c: ERR_CORRUPT unless entries have names, and names and stages are in order. a: the one before, or NULL ---- */
MUST_USE int index_entry_check_order(const struct index_entry *a, const struct index_entry *b, const char *path,
				     struct err *err);
MUST_USE int index_check_order(const struct index_state *ix, const char *path, struct err *err);

/* ---- split.c: with ix->link_ext, the entries are changes to those of a shared index ---- */
MUST_USE int index_read_base(struct index_state *ix, const char *path, const char *gitdir, struct err *err);
/* Merges the base into the index. Afterwards `base` may only be passed to index_release. */
MUST_USE int index_merge_base(struct index_state *ix, struct index_state *base, const char *path, struct err *err);

/* ---- sparse-dirs.c: the files of its tree take the place of each sparse directory ---- */
MUST_USE int index_expand_sparse_dirs(struct index_state *ix, const struct object_source *src, const char *path,
				      struct err *err);

/* ---- present.c: files that are there although their entries say that they are not checked out ---- */
MUST_USE int index_notice_present_files(struct index_state *ix, const struct repository *r, struct err *err);

/* ---- order: bytes of the name, then stage ---- */
int index_name_cmp(const char *a, size_t alen, unsigned astage,
		   const char *b, size_t blen, unsigned bstage);

/* ---- name-hash.c: the hash table is rebuilt on the next look-up after a drop ---- */
void name_hash_drop(struct index_state *ix);
void name_hash_added(struct index_state *ix, struct index_entry *e);

/* ---- on-disk numbers (gitformat-index(5)) ---- */
#define INDEX_SIGNATURE 0x44495243u /* "DIRC" */
#define INDEX_HEADER_LEN 12
#define ENTRY_FIXED_LEN 40 /* stat data and mode, in front of the object name */
#define FLAG_ASSUME_VALID 0x8000u
#define FLAG_EXTENDED 0x4000u
#define FLAG_STAGE_SHIFT 12
#define FLAG_NAME_MASK 0x0fffu
#define FLAG2_SKIP_WORKTREE 0x4000u
#define FLAG2_INTENT_TO_ADD 0x2000u
#define EXT_TREE 0x54524545u /* "TREE" */
#define EXT_REUC 0x52455543u
#define EXT_UNTR 0x554e5452u
#define EXT_FSMN 0x46534d4eu
#define EXT_LINK 0x6c696e6bu
#define EXT_SDIR 0x73646972u

static inline uint32_t load_be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void store_be32(unsigned char *p, uint32_t v)
{
	p[0] = (unsigned char)(v >> 24);
	p[1] = (unsigned char)(v >> 16);
	p[2] = (unsigned char)(v >> 8);
	p[3] = (unsigned char)v;
}

/* Was the entry's file written in the same tick as the index, or later? */
bool index_entry_is_racy(const struct index_state *ix, const struct index_entry *e);

#endif
