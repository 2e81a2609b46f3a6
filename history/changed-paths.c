/* SPDX-License-Identifier: GPL-2.0-only */
/* Changed-path filters: hashes of paths, and questions to the filters of a commit-graph. */
#include "compat/posix.h"
#include "history/changed-paths-internal.h"
#include "util/alloc.h"
#include "util/bytes.h"

#define SEED_ONE 0x293ae76fu
#define SEED_TWO 0x7e646e2cu
/* A file that asks for more hashes of a path is not worth it. */
#define HASHES_MAX 64

/* ---- murmur3, 32 bits ---- */

static uint32_t rotate(uint32_t v, int by)
{
	return v << by | v >> (32 - by);
}

static uint32_t byte_at(const char *p, size_t i, int version)
{
	return version == 1 ? (uint32_t)(int32_t)(signed char)p[i] : (unsigned char)p[i];
}

static uint32_t mix(uint32_t k)
{
	return rotate(k * 0xcc9e2d51u, 15) * 0x1b873593u;
}

uint32_t murmur3_seeded(uint32_t seed, const char *p, size_t len, int version)
{
	uint32_t h = seed, k = 0;
	size_t i;

	for (i = 0; i + 4 <= len; i += 4) {
		k = byte_at(p, i, version) | byte_at(p, i + 1, version) << 8 |
		    byte_at(p, i + 2, version) << 16 | byte_at(p, i + 3, version) << 24;
		h = rotate(h ^ mix(k), 13) * 5 + 0xe6546b64u;
	}
	k = 0;
	for (size_t j = len; j-- > i;)
		k ^= byte_at(p, j, version) << (8 * (j - i));
	if (i < len)
		h ^= mix(k);
	h ^= (uint32_t)len;
	h = (h ^ h >> 16) * 0x85ebca6bu;
	h = (h ^ h >> 13) * 0xc2b2ae35u;
	return h ^ h >> 16;
}

struct path_hashes path_hashes_of(const char *path, size_t len, int version)
{
	return (struct path_hashes){ murmur3_seeded(SEED_ONE, path, len, version),
				     murmur3_seeded(SEED_TWO, path, len, version) };
}

/* ---- bits ---- */

static uint32_t nth_bit(const struct path_hashes *h, uint32_t i, size_t bytes)
{
	return (h->one + i * h->two) % (uint64_t)(bytes * 8);
}

void changed_path_add(unsigned char *filter, size_t bytes, const struct path_hashes *h,
		      uint32_t nr_hashes)
{
	for (uint32_t i = 0; i < nr_hashes; i++) {
		uint64_t bit = nth_bit(h, i, bytes);

		filter[bit / 8] |= (unsigned char)(1u << bit % 8);
	}
}

static bool has_path(const unsigned char *filter, size_t bytes, const struct path_hashes *h,
		     uint32_t nr_hashes)
{
	for (uint32_t i = 0; i < nr_hashes; i++) {
		uint64_t bit = nth_bit(h, i, bytes);

		if (!(filter[bit / 8] & 1u << bit % 8))
			return false;
	}
	return true;
}

/* ---- a pathspec ---- */

/* A path with all its directories. */
struct path_query {
	struct path_hashes *hashes;
	size_t nr;
};

struct changed_paths {
	const struct commit_graph *graph;
	struct path_query *paths;
	size_t nr;
};

void changed_paths_free(struct changed_paths *q)
{
	if (!q)
		return;
	for (size_t i = 0; i < q->nr; i++)
		free(q->paths[i].hashes);
	free(q->paths);
	free(q);
}

/*
 * How much of an item every matching path begins with, as a path. 0: nothing. Other magic only
 * leaves out more.
 */
static size_t fixed_part(const struct pathspec_item *item)
{
	size_t len = item->len;

	if (item->icase)
		return 0;
	if (!item->literal && item->nowildcard_len < len) {
		len = item->nowildcard_len;
		while (len && item->match[len - 1] != '/')
			len--;
	}
	while (len && item->match[len - 1] == '/')
		len--;
	return len;
}

/* Hashes of bytes above 127 in version 1 depend on the machine that wrote the file. */
static bool is_hashed_alike(const char *path, size_t len, uint32_t version)
{
	for (size_t i = 0; version == 1 && i < len; i++)
		if ((unsigned char)path[i] >= 0x80)
			return false;
	return true;
}

static void add_hashes(struct path_query *q, const char *path, size_t len, uint32_t version)
{
	size_t nr = 1;

	for (size_t i = 0; i < len; i++)
		nr += path[i] == '/';
	ALLOC_ARRAY(q->hashes, nr);
	q->hashes[q->nr++] = path_hashes_of(path, len, (int)version);
	for (size_t i = len; i-- > 0;)
		if (path[i] == '/')
			q->hashes[q->nr++] = path_hashes_of(path, i, (int)version);
}

struct changed_paths *changed_paths_new(const struct commit_graph *g, const struct pathspec *ps)
{
	struct changed_paths *q;
	bool useful = false;

	if (!g->filter_version)
		return NULL;
	CALLOC_ARRAY(q, 1);
	q->graph = g;
	CALLOC_ARRAY(q->paths, ps->nr);
	for (size_t i = 0; i < ps->nr; i++) {
		const struct pathspec_item *item = &ps->items[i];
		size_t len = fixed_part(item);

		if (item->exclude)
			continue;
		useful = len && is_hashed_alike(item->match, len, g->filter_version);
		if (!useful)
			break;
		add_hashes(&q->paths[q->nr++], item->match, len, g->filter_version);
	}
	if (useful)
		return q;
	changed_paths_free(q);
	return NULL;
}

/* NULL: there is none, or it cannot be used. */
static const unsigned char *filter_at(const struct graph_layer *l, uint32_t i, size_t *bytes)
{
	uint32_t from = i ? get_be32(l->filter_ends + (size_t)4 * (i - 1)) : 0;
	uint32_t to = get_be32(l->filter_ends + (size_t)4 * i);

	if (from >= to || to > l->filters_len)
		return NULL;
	*bytes = to - from;
	return l->filters + from;
}

bool changed_paths_find(const struct commit_graph *g, uint32_t pos, uint32_t version,
			const unsigned char **filter, size_t *bytes, uint32_t *nr_hashes)
{
	uint32_t i;
	const struct graph_layer *l = graph_layer_at(g, pos, &i);

	if (!version || l->filter_settings.version != version ||
	    l->filter_settings.nr_hashes > HASHES_MAX)
		return false;
	*nr_hashes = l->filter_settings.nr_hashes;
	*filter = filter_at(l, i, bytes);
	return *filter != NULL;
}

bool changed_paths_perhaps(const struct changed_paths *q, uint32_t pos)
{
	const unsigned char *filter;
	uint32_t nr_hashes;
	size_t bytes;

	if (!changed_paths_find(q->graph, pos, q->graph->filter_version, &filter, &bytes,
				&nr_hashes))
		return true;
	for (size_t i = 0; i < q->nr; i++) {
		const struct path_query *p = &q->paths[i];
		size_t n = 0;

		while (n < p->nr && has_path(filter, bytes, &p->hashes[n], nr_hashes))
			n++;
		if (n == p->nr)
			return true;
	}
	return false;
}
