/* SPDX-License-Identifier: GPL-2.0-only */
/* Making the changed-path filter of a commit: which paths differ from its first parent. */
#include "compat/posix.h"
#include "history/changed-paths-internal.h"
#include "object/tree-compare.h"
#include "util/alloc.h"

struct changed_path_settings changed_path_settings_default(uint32_t version)
{
	return (struct changed_path_settings){ version, 7, 10, 512 };
}

struct maker {
	struct odb *odb;
	const struct changed_path_settings *s;
	struct path_hashes *hashes;
	size_t nr, alloc;
	struct strset dirs;
	size_t nr_files;
};

/* ---- collecting ---- */

static int open_tree(void *data, const struct object_id *oid, struct compared_tree *out,
		     struct err *err)
{
	struct maker *m = data;

	if (oid_eq(oid, &odb_algo(m->odb)->empty_tree))
		return 0;
	return odb_read_type(m->odb, oid, OBJ_TREE, &out->buf, err);
}

static void close_tree(void *data UNUSED, struct compared_tree *t)
{
	object_buf_release(&t->buf);
}

static void add_path(struct maker *m, const char *path, size_t len)
{
	ALLOC_GROW(m->hashes, m->nr + 1, m->alloc);
	m->hashes[m->nr++] = path_hashes_of(path, len, (int)m->s->version);
}

/* A directory counts once, however much has changed below it. */
static void add_dirs_of(struct maker *m, const char *path, size_t len)
{
	char *dir = xmemdupz(path, len);

	while (len) {
		while (len && dir[len - 1] != '/')
			len--;
		if (!len)
			break;
		dir[--len] = '\0';
		if (!strset_add(&m->dirs, dir))
			break; /* those above have been added with it */
		add_path(m, dir, len);
	}
	free(dir);
}

static int differ(void *data, const struct strbuf *path, const struct tree_entry *old,
		  const struct tree_entry *new, struct err *err UNUSED)
{
	struct maker *m = data;

	if (MODE_IS_TREE((old ? old : new)->mode))
		return TREE_COMPARE_DESCEND;
	if (++m->nr_files > m->s->max_paths)
		return TREE_COMPARE_STOP;
	add_dirs_of(m, path->buf, path->len);
	if (!strset_contains(&m->dirs, path->buf)) {
		strset_add(&m->dirs, path->buf);
		add_path(m, path->buf, path->len);
	}
	return TREE_COMPARE_NEXT;
}

/* ---- the filter ---- */

static void add_filter(const struct maker *m, struct strbuf *out)
{
	size_t bytes = (m->nr * m->s->bits_per_entry + 7) / 8, at = out->len;

	if (m->nr_files > m->s->max_paths || m->nr > m->s->max_paths) {
		strbuf_addch(out, '\xff');
		return;
	}
	if (!bytes)
		bytes = 1;
	strbuf_grow(out, bytes);
	memset(out->buf + at, 0, bytes);
	strbuf_setlen(out, at + bytes);
	for (size_t i = 0; i < m->nr; i++)
		changed_path_add((unsigned char *)out->buf + at, bytes, &m->hashes[i],
				 m->s->nr_hashes);
}

int changed_paths_make(struct odb *odb, const struct object_id *parent,
		       const struct object_id *tree, const struct changed_path_settings *s,
		       struct strbuf *out, struct err *err)
{
	struct maker m = { .odb = odb, .s = s, .dirs = STRSET_INIT };
	const struct tree_comparer c = {
		.algo = odb_algo(odb), .open = open_tree, .close = close_tree, .differ = differ,
		.data = &m, .max_depth = object_max_tree_depth(odb_source(odb)),
	};
	int rc = tree_compare(&c, parent, tree, err);

	if (rc >= 0)
		add_filter(&m, out);
	strset_clear(&m.dirs);
	free(m.hashes);
	return rc < 0 ? rc : 0;
}
