/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "object/tree.h"
#include "util/alloc.h"

unsigned object_max_tree_depth(const struct object_source *src)
{
	if (src->max_tree_depth > TREE_DEPTH_LIMIT)
		return TREE_DEPTH_LIMIT;
	if (src->max_tree_depth < 0)
		return 0;
	return src->max_tree_depth ? (unsigned)src->max_tree_depth : TREE_DEPTH_DEFAULT;
}

unsigned canonical_mode(unsigned st_mode)
{
	if (MODE_IS_FILE(st_mode))
		return st_mode & 0100u ? MODE_EXEC : MODE_FILE;
	if (MODE_IS_SYMLINK(st_mode))
		return MODE_SYMLINK;
	if (MODE_IS_TREE(st_mode))
		return MODE_TREE;
	return MODE_GITLINK;
}

enum object_type mode_object_type(unsigned mode)
{
	return MODE_IS_TREE(mode) ? OBJ_TREE : MODE_IS_GITLINK(mode) ? OBJ_COMMIT : OBJ_BLOB;
}

void tree_iter_init(struct tree_iter *it, const void *buf, size_t size,
		    const struct hash_algo *algo)
{
	it->pos = buf;
	it->end = size ? it->pos + size : it->pos; /* an empty tree may be NULL */
	it->algo = algo;
}

/* Octal digits and a blank; returns the position after them, NULL if malformed. */
static const unsigned char *parse_mode(const unsigned char *p, const unsigned char *end,
				       unsigned *mode)
{
	unsigned m = 0;

	if (p == end || *p == ' ')
		return NULL;
	for (; p < end && *p != ' '; p++) {
		if (*p < '0' || *p > '7' || m > 07777777u)
			return NULL;
		m = m << 3 | (unsigned)(*p - '0');
	}
	if (p == end)
		return NULL;
	*mode = m;
	return p + 1;
}

int tree_iter_next_raw(struct tree_iter *it, struct raw_tree_entry *out, struct err *err)
{
	size_t raw = it->algo->raw_len;
	const unsigned char *name, *nul;
	unsigned mode;

	if (it->pos == it->end)
		return 0;
	name = parse_mode(it->pos, it->end, &mode);
	if (!name)
		return err_set(err, ERR_CORRUPT, (size_t)(it->end - it->pos) < raw + 3 || it->end[-(ptrdiff_t)raw - 1] ?
			       "too-short tree object" : "malformed mode in tree entry");
	nul = memchr(name, 0, (size_t)(it->end - name));
	if (!nul || (size_t)(it->end - nul) < raw + 1)
		return err_set(err, ERR_CORRUPT, "too-short tree object");
	if (nul == name)
		return err_set(err, ERR_CORRUPT, "empty filename in tree entry");
	out->raw_mode = mode;
	out->name = (const char *)name;
	out->name_len = (size_t)(nul - name);
	out->oid = nul + 1;
	it->pos = nul + 1 + raw;
	return 1;
}

int tree_iter_next(struct tree_iter *it, struct tree_entry *out, struct err *err)
{
	struct raw_tree_entry e;
	int rc = tree_iter_next_raw(it, &e, err);

	if (rc <= 0)
		return rc;
	out->mode = canonical_mode(e.raw_mode);
	out->raw_mode = e.raw_mode;
	out->name = e.name;
	out->name_len = e.name_len;
	oid_from_raw(&out->oid, e.oid, it->algo);
	return 1;
}

int tree_entry_cmp(const char *a, size_t alen, unsigned amode,
		   const char *b, size_t blen, unsigned bmode)
{
	size_t min = alen < blen ? alen : blen;
	int cmp = memcmp(a, b, min);
	unsigned char ca, cb;

	if (cmp)
		return cmp;
	ca = alen > min ? (unsigned char)a[min] : MODE_IS_TREE(amode) ? '/' : 0;
	cb = blen > min ? (unsigned char)b[min] : MODE_IS_TREE(bmode) ? '/' : 0;
	return (ca > cb) - (ca < cb);
}

/* In octal. strbuf_addf would take more time than all the rest of an entry. */
static void add_mode(struct strbuf *out, unsigned mode)
{
	char digits[sizeof(mode) * 3];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + (mode & 7));
	while (mode >>= 3);
	strbuf_add(out, digits + at, sizeof(digits) - at);
}

void tree_append(struct strbuf *out, unsigned mode, const char *name, size_t len,
		 const struct object_id *oid)
{
	strbuf_grow(out, sizeof(mode) * 3 + len + oid_raw_len(oid) + 2);
	add_mode(out, mode);
	strbuf_addch(out, ' ');
	strbuf_add(out, name, len);
	strbuf_addch(out, '\0');
	strbuf_add(out, oid->hash, oid_raw_len(oid));
}

static int read_tree(const struct object_source *src, const struct object_id *oid,
		     struct object_buf *out, struct err *err)
{
	int rc = src->read(src->data, oid, out, err);

	if (rc < 0 || out->type == OBJ_TREE)
		return rc;
	rc = err_set(err, ERR_INVALID, "object %s is a %s, not a tree", oid_hex(oid),
		     object_type_name(out->type));
	object_buf_release(out);
	return rc;
}

/* ---- look-up ---- */

static int find_in_tree(const struct object_source *src, const struct object_id *tree,
			const char *name, size_t len, unsigned *mode, struct object_id *oid,
			struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct raw_tree_entry e;
	struct tree_iter it;
	int rc = read_tree(src, tree, &buf, err);

	if (rc < 0)
		return rc;
	tree_iter_init(&it, buf.data, buf.size, src->algo);
	while ((rc = tree_iter_next_raw(&it, &e, err)) > 0)
		if (e.name_len == len && !memcmp(e.name, name, len))
			break;
	if (rc < 0)
		err_prefix(err, "tree %s", oid_hex(tree));
	if (rc > 0) {
		*mode = canonical_mode(e.raw_mode);
		oid_from_raw(oid, e.oid, src->algo);
	}
	object_buf_release(&buf);
	return rc;
}

int tree_lookup_path(const struct object_source *src, const struct object_id *tree,
		     const char *path, unsigned *mode, struct object_id *oid,
		     struct err *err)
{
	struct object_id at = *tree;
	unsigned at_mode = MODE_TREE;
	const char *p = path;

	while (*p) {
		const char *slash = strchrnul(p, '/');
		int rc = 0;

		if (MODE_IS_TREE(at_mode))
			rc = find_in_tree(src, &at, p, (size_t)(slash - p), &at_mode, &at, err);
		if (rc < 0)
			return rc;
		if (!rc)
			return err_set(err, ERR_NOT_FOUND, "path '%s' does not exist in tree %s",
				       path, oid_hex(tree));
		p = *slash ? slash + 1 : slash;
		if (*slash && !*p && !MODE_IS_TREE(at_mode)) /* "file/" */
			return err_set(err, ERR_NOT_FOUND, "path '%s' does not exist in tree %s",
				       path, oid_hex(tree));
	}
	if (mode)
		*mode = at_mode;
	if (oid)
		*oid = at;
	return 0;
}

/* ---- walk ---- */

/* A directory that is being walked; a stack of them replaces recursion. */
struct level {
	struct object_buf buf;
	struct tree_iter it;
	struct object_id oid;
	size_t path_len; /* of the directory's path, with its '/' */
};

struct tree_walker {
	const struct object_source *src;
	struct level *levels;
	size_t nr, alloc;
	struct strbuf path;
};

static int push_level(struct tree_walker *w, const struct object_id *oid, struct err *err)
{
	struct level *l;
	int rc;

	if (w->nr > object_max_tree_depth(w->src))
		return err_set(err, ERR_TOO_BIG, "exceeded maximum allowed tree depth at '%s'",
			       w->path.buf);
	ALLOC_GROW(w->levels, w->nr + 1, w->alloc);
	l = &w->levels[w->nr];
	l->buf = (struct object_buf)OBJECT_BUF_INIT;
	rc = read_tree(w->src, oid, &l->buf, err);
	if (rc < 0)
		return rc;
	tree_iter_init(&l->it, l->buf.data, l->buf.size, w->src->algo);
	l->oid = *oid;
	l->path_len = w->path.len;
	w->nr++;
	return 0;
}

static int visit(struct tree_walker *w, const struct tree_entry *e, tree_walk_fn fn,
		 void *data, struct err *err)
{
	int rc;

	strbuf_add(&w->path, e->name, e->name_len);
	rc = fn(data, w->path.buf, w->path.len, e, err);
	if (rc != TREE_WALK_DESCEND || !MODE_IS_TREE(e->mode))
		return rc < 0 ? rc : 0;
	strbuf_addch(&w->path, '/');
	return push_level(w, &e->oid, err);
}

int tree_walk(const struct object_source *src, const struct object_id *tree,
	      const char *prefix, tree_walk_fn fn, void *data, struct err *err)
{
	struct tree_walker w = { .src = src, .path = STRBUF_INIT };
	int rc;

	strbuf_addstr(&w.path, prefix);
	rc = push_level(&w, tree, err);
	while (rc >= 0 && w.nr) {
		struct level *top = &w.levels[w.nr - 1];
		struct tree_entry e;

		strbuf_setlen(&w.path, top->path_len);
		rc = tree_iter_next(&top->it, &e, err);
		if (rc < 0)
			err_prefix(err, "tree %s", oid_hex(&top->oid));
		else if (!rc)
			object_buf_release(&w.levels[--w.nr].buf);
		else
			rc = visit(&w, &e, fn, data, err);
	}
	while (w.nr)
		object_buf_release(&w.levels[--w.nr].buf);
	free(w.levels);
	strbuf_release(&w.path);
	return rc < 0 ? rc : 0;
}
