/* SPDX-License-Identifier: GPL-2.0-only */
/* The index in memory: its life, the memory of its entries, searching. */
#include "compat/posix.h"
#include "index/index-internal.h"
#include "util/alloc.h"

/* ---- arena ---- */

#define ARENA_BLOCK ((size_t)64 * 1024)

struct mem_arena {
	struct mem_arena *next; /* older block */
	size_t used, size;
	_Alignas(max_align_t) unsigned char data[];
};

static void arena_add_block(struct index_state *ix, size_t size)
{
	struct mem_arena *block = xmalloc(st_add(sizeof(*block), size));

	block->next = ix->arena;
	block->used = 0;
	block->size = size;
	ix->arena = block;
}

void arena_reserve(struct index_state *ix, size_t bytes)
{
	if (!ix->arena || ix->arena->size - ix->arena->used < bytes)
		arena_add_block(ix, bytes > ARENA_BLOCK ? bytes : ARENA_BLOCK);
}

void *arena_alloc(struct index_state *ix, size_t len)
{
	void *p;

	len = st_add(len, 7) & ~(size_t)7;
	arena_reserve(ix, len);
	p = ix->arena->data + ix->arena->used;
	ix->arena->used += len;
	return p;
}

void index_arena_adopt(struct index_state *ix, struct index_state *from)
{
	struct mem_arena **end = &ix->arena;

	while (*end)
		end = &(*end)->next;
	*end = from->arena;
	from->arena = NULL;
}

static void arena_free(struct mem_arena **arena)
{
	while (*arena) {
		struct mem_arena *next = (*arena)->next;

		free(*arena);
		*arena = next;
	}
}

/* ---- the index ---- */

void index_init(struct index_state *ix, const struct hash_algo *algo)
{
	memset(ix, 0, sizeof(*ix));
	ix->algo = algo;
	ix->checksum = algo->null_oid;
}

static void free_ext(struct strbuf **ext)
{
	if (*ext)
		strbuf_release(*ext);
	FREE_AND_NULL(*ext);
}

void index_release(struct index_state *ix)
{
	const struct hash_algo *algo = ix->algo;

	free(ix->entries);
	arena_free(&ix->arena);
	cache_tree_free(&ix->cache_tree);
	resolve_undo_free(&ix->resolve_undo);
	free_ext(&ix->untracked_ext);
	free_ext(&ix->fsmonitor_ext);
	free_ext(&ix->link_ext);
	name_hash_drop(ix);
	memset(ix, 0, sizeof(*ix));
	ix->algo = algo;
}

/* ---- searching ---- */

int index_name_cmp(const char *a, size_t alen, unsigned astage,
		   const char *b, size_t blen, unsigned bstage)
{
	int cmp = memcmp(a, b, alen < blen ? alen : blen);

	if (cmp)
		return cmp;
	if (alen != blen)
		return alen < blen ? -1 : 1;
	return astage < bstage ? -1 : astage > bstage;
}

ssize_t index_pos(const struct index_state *ix, const char *name, size_t len, unsigned stage)
{
	size_t lo = 0, hi = ix->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct index_entry *e = ix->entries[mid];
		int cmp = index_name_cmp(name, len, stage, e->name, e->name_len, e->stage);

		if (!cmp)
			return (ssize_t)mid;
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1 - (ssize_t)lo;
}

struct index_entry *index_find(const struct index_state *ix, const char *name, size_t len)
{
	ssize_t pos = index_pos(ix, name, len, 0);

	return pos < 0 ? NULL : ix->entries[pos];
}

struct index_entry *index_find_ours(const struct index_state *ix, const char *name, size_t len)
{
	for (unsigned i = 0; i < 4; i++) {
		static const unsigned char order[] = { 0, 2, 1, 3 };
		ssize_t pos = index_pos(ix, name, len, order[i]);

		if (pos >= 0)
			return ix->entries[pos];
	}
	return NULL;
}

size_t index_dir_start(const struct index_state *ix, const char *name, size_t len)
{
	size_t lo = 0, hi = len ? ix->nr : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct index_entry *e = ix->entries[mid];
		int cmp = memcmp(e->name, name, e->name_len < len ? e->name_len : len);

		if (!cmp)
			cmp = e->name_len <= len ? -1 : (unsigned char)e->name[len] - '/';
		if (cmp < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool index_has_dir(const struct index_state *ix, const char *name, size_t len)
{
	size_t pos = index_dir_start(ix, name, len);

	if (!len)
		return ix->nr > 0;
	return pos < ix->nr && ix->entries[pos]->name_len > len &&
	       !memcmp(ix->entries[pos]->name, name, len) && ix->entries[pos]->name[len] == '/';
}

const struct index_entry *index_gitlink_above(const struct index_state *ix, const char *path,
					      size_t len)
{
	for (size_t n = 1; n + 1 < len; n++) {
		const struct index_entry *e = path[n] == '/' ? index_find(ix, path, n) : NULL;

		if (e && MODE_IS_GITLINK(e->mode))
			return e;
	}
	return NULL;
}

bool index_has_unmerged(const struct index_state *ix)
{
	for (size_t i = 0; i < ix->nr; i++)
		if (ix->entries[i]->stage)
			return true;
	return false;
}
