/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking names up without regard to case, for core.ignoreCase. */
#include "compat/posix.h"
#include "index/index-internal.h"
#include "util/alloc.h"
#include "util/map.h"

/* A directory: the first bytes of the name of an entry in it. */
struct dir_slot {
	const struct index_entry *e;
	size_t len;
};

struct index_name_hash {
	struct index_entry **slots; /* open addressing, NULL: free */
	size_t nr, mask;
	struct dir_slot *dirs; /* likewise; NULL: not built yet */
	size_t dirs_mask;
};

static void put(struct index_name_hash *h, struct index_entry *e)
{
	size_t i = mem_ihash(e->name, e->name_len) & h->mask;

	while (h->slots[i])
		i = (i + 1) & h->mask;
	h->slots[i] = e;
	h->nr++;
}

static struct index_name_hash *build(const struct index_state *ix)
{
	struct index_name_hash *h = xcalloc(1, sizeof(*h));
	size_t size = 64;

	while (size / 2 < ix->nr)
		size = st_mult(size, 2);
	h->mask = size - 1;
	CALLOC_ARRAY(h->slots, size);
	for (size_t i = 0; i < ix->nr; i++)
		put(h, ix->entries[i]);
	return h;
}

void name_hash_drop(struct index_state *ix)
{
	if (ix->name_hash) {
		free(ix->name_hash->slots);
		free(ix->name_hash->dirs);
	}
	FREE_AND_NULL(ix->name_hash);
}

void name_hash_added(struct index_state *ix, struct index_entry *e)
{
	if (!ix->name_hash)
		return;
	FREE_AND_NULL(ix->name_hash->dirs);
	if (ix->name_hash->nr >= ix->name_hash->mask / 4 * 3)
		name_hash_drop(ix);
	else
		put(ix->name_hash, e);
}

struct index_entry *index_find_icase(struct index_state *ix, const char *name, size_t len)
{
	struct index_name_hash *h;

	if (!ix->name_hash)
		ix->name_hash = build(ix);
	h = ix->name_hash;
	for (size_t i = mem_ihash(name, len) & h->mask; h->slots[i]; i = (i + 1) & h->mask) {
		struct index_entry *e = h->slots[i];

		if (e->name_len == len && !strncasecmp(e->name, name, len))
			return e;
	}
	return NULL;
}

/* Is it a directory that the entry before also has? */
static bool dir_is_of(const struct index_entry *before, const struct index_entry *e, size_t len)
{
	return before && before->name_len > len && before->name[len] == '/' &&
	       !memcmp(before->name, e->name, len);
}

static struct dir_slot *find_dir(const struct index_name_hash *h, const char *name, size_t len)
{
	size_t i = mem_ihash(name, len) & h->dirs_mask;

	while (h->dirs[i].e && (h->dirs[i].len != len || strncasecmp(h->dirs[i].e->name, name, len)))
		i = (i + 1) & h->dirs_mask;
	return &h->dirs[i];
}

static size_t each_dir(const struct index_state *ix, struct index_name_hash *put_into)
{
	size_t nr = 0;

	for (size_t i = 0; i < ix->nr; i++) {
		const struct index_entry *e = ix->entries[i], *before = i ? ix->entries[i - 1] : NULL;

		for (size_t n = 1; n < e->name_len; n++) {
			if (e->name[n] != '/' || dir_is_of(before, e, n))
				continue;
			nr++;
			if (put_into)
				*find_dir(put_into, e->name, n) = (struct dir_slot){ e, n };
		}
	}
	return nr;
}

bool index_has_dir_icase(struct index_state *ix, const char *name, size_t len)
{
	size_t size = 64, nr;

	if (!ix->name_hash)
		ix->name_hash = build(ix);
	if (!ix->name_hash->dirs) {
		nr = each_dir(ix, NULL);
		while (size / 2 < nr)
			size = st_mult(size, 2);
		ix->name_hash->dirs_mask = size - 1;
		CALLOC_ARRAY(ix->name_hash->dirs, size);
		each_dir(ix, ix->name_hash);
	}
	return find_dir(ix->name_hash, name, len)->e != NULL;
}
