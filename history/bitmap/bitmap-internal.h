/* SPDX-License-Identifier: GPL-2.0-only */
/* What walking with bitmaps and making them share: bits of objects, and objects of trees. */
#ifndef HISTORY_BITMAP_BITMAP_INTERNAL_H
#define HISTORY_BITMAP_BITMAP_INTERNAL_H

#include "compat/posix.h"
#include <regex.h>
#include "hash/hash.h"
#include "history/history.h"
#include "object/object.h"
#include "odb/odb.h"
#include "pack/bitset.h"
#include "util/date.h"
#include "util/err.h"
#include "util/map.h"

/* An object that has no bit in the packs and got one behind theirs. */
struct bit_extra {
	struct object_id oid;
	enum object_type type;
	uint32_t name_hash;
};

/* Which bit each object has. */
struct bit_space {
	struct repository *repo;
	const struct hash_algo *algo;
	/* 1: *bit is that of the object; 0: it has none; < 0. */
	int (*find)(void *data, const struct object_id *oid, uint32_t *bit, struct err *err);
	void *data;
	size_t nr_fixed; /* bits below it are found so */
	bool closed;	 /* an object without a bit is ERR_NOT_FOUND, else it gets the next one */
	/*
	 * Name hashes by fixed bit, filled in from the bitmaps for the objects that a walk meets;
	 * NULL: not wanted.
	 */
	uint32_t *name_hashes;
	struct bitset *types; /* 4 of them, from OBJ_COMMIT on */

	struct oidmap by_oid; /* to the number of the extra object, plus 1 */
	struct bit_extra *extra;
	size_t nr_extra, alloc_extra;

	struct strmap last_trees; /* what bitmap_add_tree read last, by path */
	size_t last_trees_bytes;
};
/* ---- bitmap-space.c ---- */
/* The bit of an object; path NULL: it has none. */
MUST_USE int bit_space_get(struct bit_space *s, const struct object_id *oid, enum object_type type,
			   const char *path, size_t *bit, struct err *err);
void bit_space_release(struct bit_space *s);

/* ---- bitmap-trees.c ---- */
/*
 * Adds a tree, and every object reachable from it, to `to`. Objects that are in `to` or in `done`
 * (may be NULL) already are skipped, with all that is reachable from them.
 */
MUST_USE int bitmap_add_tree(struct bit_space *s, const struct object_id *tree, struct bitset *to,
			     const struct bitset *done, struct err *err);
void bitmap_forget_trees(struct bit_space *s);

/* ---- bitmap-commits.c ---- */
/*
 * A bitmap that is being made. A bit in it, or in `done`, stands for all that its object reaches.
 */
struct bitmap_making {
	struct bit_space *space;
	struct commit_pool *pool;
	struct bitset *to;
	const struct bitset *done; /* may be NULL */
	/* 1: the stored bitmap of that commit was added to `to`; 0: there is none; < 0 */
	int (*stored)(void *data, const struct object_id *commit, size_t bit, struct bitset *to,
		      struct err *err);
	void *data;
};
static inline bool bitmap_reaches(const struct bitmap_making *m, size_t bit)
{
	return bitset_has(m->to, bit) || (m->done && bitset_has(m->done, bit));
}
/* Add commits and all that they reach, by stored bitmaps as far as there are some. */
MUST_USE int bitmap_add_commits(struct bitmap_making *m, struct commit *const *starts, size_t nr,
				struct err *err);

/* ---- bitmap-choose.c ---- */
/* Flags of commits that it uses, and clears again. */
#define BITMAP_FLAG_SEEN 1u
#define BITMAP_FLAG_CHAIN 2u
enum bitmap_choice { BITMAP_NOT_CHOSEN, BITMAP_TEMPORARY, BITMAP_KEPT };
/*
 * Append the commits that a bitmap is to be made for, the oldest first. *choices, by index of the
 * commit, tells which of them are for the file; the caller frees it. Tips: the most important first.
 */
MUST_USE int bitmap_choose(struct commit_pool *pool, const struct commit_list *tips,
			   struct commit_list *out, enum bitmap_choice **choices, struct err *err);

/* ---- bitmap-merge-rules.c: the configuration bitmapPseudoMerge.<name>.* ---- */
struct merge_rule {
	char *name;
	regex_t pattern; /* of refs, from their start on */
	bool has_pattern;
	double decay, sample_rate;
	timestamp_t threshold, stable_threshold; /* commits that are not younger */
	int max_merges, stable_size;
};
struct merge_rules {
	struct merge_rule *v; /* by name */
	size_t nr, alloc;
};
/* Warns about values out of range, and uses the default. ERR_INVALID: others that are bad. */
MUST_USE int merge_rules_read(struct merge_rules *out, struct repository *r, struct err *err);
void merge_rules_release(struct merge_rules *m);

/* ---- bitmap-merges.c: which commits have a bitmap together, gitpacking(7) ---- */
struct merge_choosing {
	struct repository *repo;
	struct commit_pool *pool;
	/* 1: it can be in one; 0: not; < 0 */
	int (*is_own)(void *data, const struct object_id *commit, struct err *err);
	bool (*has_bitmap)(void *data, const struct commit *c); /* one of its own */
	void *data;
};
struct merge_lists {
	struct commit_list *v; /* parsed commits, each once in a list */
	size_t nr, alloc;
};
MUST_USE int bitmap_choose_merges(struct merge_lists *out, const struct merge_choosing *m,
				  const struct merge_rules *rules, struct err *err);
void merge_lists_release(struct merge_lists *m);

#endif
