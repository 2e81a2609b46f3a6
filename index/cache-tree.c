/* SPDX-License-Identifier: GPL-2.0-only */
/* Cached tree ids: the nodes, their extension (TREE), invalidation, look-up. */
#include "compat/posix.h"
#include "index/cache-tree-internal.h"
#include "util/alloc.h"

/* ---- nodes ---- */

struct cache_tree *cache_tree_new(const char *name, size_t len)
{
	struct cache_tree *ct = xcalloc(1, st_add(sizeof(*ct) + 1, len));

	ct->entry_count = -1;
	ct->name_len = len;
	memcpy(ct->name, name, len);
	return ct;
}

static void free_node(struct cache_tree *ct)
{
	for (size_t i = 0; i < ct->nr; i++)
		free_node(ct->sub[i]);
	free(ct->sub);
	free(ct);
}

void cache_tree_free(struct cache_tree **ct)
{
	if (*ct)
		free_node(*ct);
	*ct = NULL;
}

static int name_cmp(const char *a, size_t alen, const char *b, size_t blen)
{
	if (alen != blen)
		return alen < blen ? -1 : 1;
	return memcmp(a, b, alen);
}

/* Position, or -1 - (where it would go). */
static ssize_t child_pos(const struct cache_tree *ct, const char *name, size_t len)
{
	size_t lo = 0, hi = ct->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int cmp = name_cmp(name, len, ct->sub[mid]->name, ct->sub[mid]->name_len);

		if (!cmp)
			return (ssize_t)mid;
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1 - (ssize_t)lo;
}

/* The node of a direct subdirectory, or NULL. */
static struct cache_tree *find_child(const struct cache_tree *ct, const char *name, size_t len)
{
	ssize_t pos = child_pos(ct, name, len);

	return pos < 0 ? NULL : ct->sub[pos];
}

struct cache_tree *cache_tree_make_child(struct cache_tree *ct, const char *name, size_t len)
{
	ssize_t pos = child_pos(ct, name, len);
	size_t at;

	if (pos >= 0)
		return ct->sub[pos];
	at = (size_t)(-1 - pos);
	ALLOC_GROW(ct->sub, st_add(ct->nr, 1), ct->alloc);
	memmove(ct->sub + at + 1, ct->sub + at, (ct->nr - at) * sizeof(*ct->sub));
	ct->sub[at] = cache_tree_new(name, len);
	ct->nr++;
	return ct->sub[at];
}

static void remove_child(struct cache_tree *ct, size_t pos)
{
	free_node(ct->sub[pos]);
	ct->nr--;
	memmove(ct->sub + pos, ct->sub + pos + 1, (ct->nr - pos) * sizeof(*ct->sub));
}

void cache_tree_drop_unused(struct cache_tree *ct)
{
	size_t kept = 0;

	for (size_t i = 0; i < ct->nr; i++) {
		if (ct->sub[i]->used)
			ct->sub[kept++] = ct->sub[i];
		else
			free_node(ct->sub[i]);
	}
	ct->nr = kept;
}

/* ---- enumeration ---- */

struct cache_tree_visit {
	int (*fn)(void *data, const char *path, const struct object_id *oid);
	void *data;
	struct strbuf path;
};

/* Depth is bounded by CACHE_TREE_MAX_DEPTH. */
static int visit_node(struct cache_tree_visit *v, const struct cache_tree *ct)
{
	size_t len = v->path.len;
	int rc = ct->entry_count >= 0 ? v->fn(v->data, v->path.buf, &ct->oid) : 0;

	for (size_t i = 0; i < ct->nr && !rc; i++) {
		strbuf_add(&v->path, ct->sub[i]->name, ct->sub[i]->name_len);
		strbuf_addch(&v->path, '/');
		rc = visit_node(v, ct->sub[i]);
		strbuf_setlen(&v->path, len);
	}
	return rc;
}

int cache_tree_foreach(const struct cache_tree *ct,
		       int (*fn)(void *data, const char *path, const struct object_id *oid),
		       void *data)
{
	struct cache_tree_visit v = { fn, data, STRBUF_INIT };
	int rc = ct ? visit_node(&v, ct) : 0;

	strbuf_release(&v.path);
	return rc;
}

/* ---- invalidation ---- */

void cache_tree_invalidate(struct index_state *ix, const char *path)
{
	struct cache_tree *ct = ix->cache_tree;

	while (ct) {
		const char *slash = strchr(path, '/');
		ssize_t pos;

		ct->entry_count = -1;
		if (!slash) {
			/* a file where a directory was */
			pos = child_pos(ct, path, strlen(path));
			if (pos >= 0)
				remove_child(ct, (size_t)pos);
			return;
		}
		ct = find_child(ct, path, (size_t)(slash - path));
		path = slash + 1;
	}
}

/* ---- reading ---- */

struct ext_reader {
	const char *pos, *end;
	const struct hash_algo *algo;
};

/* A decimal number, maybe negative, that ends in `stop`. */
static int read_number(struct ext_reader *rd, char stop, long *out)
{
	bool negative = rd->pos < rd->end && *rd->pos == '-';
	const char *p = rd->pos + negative, *start = p;
	long v = 0;

	for (; p < rd->end && *p >= '0' && *p <= '9'; p++) {
		if (v > INT32_MAX / 10)
			return -1;
		v = v * 10 + (*p - '0');
	}
	if (p == start || p >= rd->end || *p != stop)
		return -1;
	*out = negative ? -v : v;
	rd->pos = p + 1;
	return 0;
}

static int read_counts(struct ext_reader *rd, struct cache_tree *ct, size_t *nr_sub)
{
	long count, subs;

	if (read_number(rd, ' ', &count) < 0 || read_number(rd, '\n', &subs) < 0 || subs < 0)
		return -1;
	ct->entry_count = count < 0 ? -1 : count;
	*nr_sub = (size_t)subs;
	if (count < 0)
		return 0;
	if ((size_t)(rd->end - rd->pos) < rd->algo->raw_len)
		return -1;
	oid_from_raw(&ct->oid, (const unsigned char *)rd->pos, rd->algo);
	rd->pos += rd->algo->raw_len;
	return 0;
}

static int read_node(struct ext_reader *rd, struct cache_tree *ct, unsigned depth);

static int read_child(struct ext_reader *rd, struct cache_tree *parent, unsigned depth)
{
	const char *name = rd->pos;
	const char *nul = memchr(name, 0, (size_t)(rd->end - name));

	if (!nul || nul == name || memchr(name, '/', (size_t)(nul - name)) ||
	    find_child(parent, name, (size_t)(nul - name)))
		return -1;
	rd->pos = nul + 1;
	return read_node(rd, cache_tree_make_child(parent, name, (size_t)(nul - name)), depth);
}

static int read_node(struct ext_reader *rd, struct cache_tree *ct, unsigned depth)
{
	size_t nr_sub;

	if (depth > CACHE_TREE_MAX_DEPTH || read_counts(rd, ct, &nr_sub) < 0)
		return -1;
	for (size_t i = 0; i < nr_sub; i++)
		if (read_child(rd, ct, depth + 1) < 0)
			return -1;
	return 0;
}

int cache_tree_read(struct cache_tree **out, const void *ext, size_t len,
		    const struct hash_algo *algo, struct err *err)
{
	struct ext_reader rd = { ext, (const char *)ext + len, algo };
	struct cache_tree *root = cache_tree_new("", 0);

	if (!len || *rd.pos++ || read_node(&rd, root, 0) < 0 || rd.pos != rd.end) {
		cache_tree_free(&root);
		return err_set(err, ERR_CORRUPT, "malformed TREE extension");
	}
	*out = root;
	return 0;
}

/* ---- writing ---- */

void cache_tree_write(struct strbuf *out, const struct cache_tree *ct)
{
	strbuf_add(out, ct->name, ct->name_len);
	strbuf_addch(out, 0);
	strbuf_addf(out, "%zd %zu\n", ct->entry_count, ct->nr);
	if (ct->entry_count >= 0)
		strbuf_add(out, ct->oid.hash, oid_raw_len(&ct->oid));
	for (size_t i = 0; i < ct->nr; i++)
		cache_tree_write(out, ct->sub[i]);
}

/* ---- look-up ---- */

static const struct cache_tree *find_node(const struct cache_tree *ct, const char *dir,
					  size_t len)
{
	size_t at = 0;

	while (len && dir[len - 1] == '/')
		len--;
	while (ct && at < len) {
		const char *slash = memchr(dir + at, '/', len - at);
		size_t end = slash ? (size_t)(slash - dir) : len;

		ct = find_child(ct, dir + at, end - at);
		at = end + 1;
	}
	return ct;
}

bool cache_tree_lookup(const struct index_state *ix, const char *dir, size_t len,
		       struct object_id *oid, size_t *entry_count)
{
	const struct cache_tree *ct = find_node(ix->cache_tree, dir, len);

	if (!ct || ct->entry_count < 0)
		return false;
	if (oid)
		*oid = ct->oid;
	if (entry_count)
		*entry_count = (size_t)ct->entry_count;
	return true;
}

bool cache_tree_written(const struct index_state *ix, const char *dir, size_t len,
			struct object_id *oid)
{
	const struct cache_tree *ct = find_node(ix->cache_tree, dir, len);

	if (ct)
		*oid = ct->oid;
	return ct != NULL;
}
