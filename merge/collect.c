/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walk over three trees. Every name in a directory that is read becomes a path, also if it has not changed: the new
 * directory is written from these paths. Directories that only one side has changed wait until it is known whether renames may lead
 * into them (renames.c).
 */
#include "compat/posix.h"
#include "merge/trees-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

struct merge_path *merge_path_find(const struct merge_run *run, const char *path)
{
	return strmap_get(&run->paths, path);
}

struct merge_path *merge_path_get(struct merge_run *run, const char *path)
{
	struct merge_path *p = merge_path_find(run, path);

	if (p)
		return p;
	CALLOC_ARRAY(p, 1);
	p->path = xstrdup(path);
	p->round = run->round;
	for (int i = 0; i < MERGE_STAGES; i++)
		p->from[i] = p->path;
	strmap_put(&run->paths, path, p);
	ALLOC_GROW(run->all, run->nr + 1, run->alloc);
	run->all[run->nr++] = p;
	return p;
}

static bool has_any(const struct merge_version v[MERGE_STAGES])
{
	return v[MERGE_BASE].mode || v[MERGE_OURS].mode || v[MERGE_THEIRS].mode;
}

/* Has the side something other there than the base? */
static bool has_changed(const struct merge_path *p, enum merge_stage side)
{
	return !merge_version_eq(&p->dir[side], &p->dir[MERGE_BASE]) ||
	       !merge_version_eq(&p->version[side], &p->version[MERGE_BASE]);
}

/* A side has a file or a directory; whether it has both need not be asked. */
static const struct merge_version *whole_version(const struct merge_path *p, enum merge_stage s)
{
	return p->dir[s].mode ? &p->dir[s] : &p->version[s];
}

/* ---- the names of one directory ---- */

struct dir_walk {
	struct merge_run *run;
	struct object_buf buf[MERGE_STAGES];
	struct tree_iter iter[MERGE_STAGES];
	struct tree_entry entry[MERGE_STAGES];
	bool left[MERGE_STAGES]; /* entry is the next one of its tree */
};

static int next_entry(struct dir_walk *w, enum merge_stage s)
{
	int rc = tree_iter_next(&w->iter[s], &w->entry[s], w->run->err);

	w->left[s] = rc > 0;
	if (rc > 0 && memchr(w->entry[s].name, '/', w->entry[s].name_len))
		return err_set(w->run->err, ERR_CORRUPT, "tree entry '%s' contains a slash", w->entry[s].name);
	return rc < 0 ? rc : 0;
}

static int open_trees(struct dir_walk *w, const struct merge_version dir[MERGE_STAGES])
{
	for (int s = 0; s < MERGE_STAGES; s++) {
		int rc = dir[s].mode ? odb_read_type(w->run->m->odb, &dir[s].oid, OBJ_TREE, &w->buf[s], w->run->err) : 0;

		if (rc < 0)
			return rc;
		tree_iter_init(&w->iter[s], w->buf[s].data, w->buf[s].size, w->run->algo);
		rc = next_entry(w, (enum merge_stage)s);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int entry_cmp(const struct tree_entry *a, const struct tree_entry *b)
{
	return tree_entry_cmp(a->name, a->name_len, a->mode, b->name, b->name_len, b->mode);
}

/* The first of the next entries in the order of trees; NULL: all have been seen. */
static const struct tree_entry *first_entry(const struct dir_walk *w)
{
	const struct tree_entry *first = NULL;

	for (int s = 0; s < MERGE_STAGES; s++)
		if (w->left[s] && (!first || entry_cmp(&w->entry[s], first) < 0))
			first = &w->entry[s];
	return first;
}

/* A file and a directory of one name come one after the other, and get one entry. */
static int take_name(struct dir_walk *w, struct strbuf *path)
{
	const struct tree_entry first = *first_entry(w);
	size_t len = path->len;
	struct merge_path *p;
	int rc = 0;

	strbuf_add(path, first.name, first.name_len);
	p = merge_path_get(w->run, path->buf);
	for (int s = 0; !rc && s < MERGE_STAGES; s++) {
		struct merge_version *v = MODE_IS_TREE(first.mode) ? &p->dir[s] : &p->version[s];

		if (!w->left[s] || entry_cmp(&w->entry[s], &first))
			continue;
		*v = (struct merge_version){ w->entry[s].mode, w->entry[s].oid };
		rc = next_entry(w, (enum merge_stage)s);
	}
	strbuf_setlen(path, len);
	return rc;
}

/* Did a side remove the directory to which the other one has added this file? */
static bool is_added_to_removed(const struct merge_version dir[MERGE_STAGES], const struct merge_path *p)
{
	if (!dir[MERGE_BASE].mode || p->version[MERGE_BASE].mode)
		return false;
	return (!dir[MERGE_OURS].mode && p->version[MERGE_THEIRS].mode) ||
	       (!dir[MERGE_THEIRS].mode && p->version[MERGE_OURS].mode);
}

/*
 * The names that were read last, from `at` on: may they follow a renamed directory? Then all of them are needed, even if renames
 * are not followed, as Git does it: the order of the walk decides between equally good renames.
 */
static void mark_moved(struct merge_run *run, const struct merge_version dir[MERGE_STAGES], size_t at, bool moved)
{
	for (size_t i = at; i < run->nr && !moved; i++)
		moved = is_added_to_removed(dir, run->all[i]);
	for (size_t i = at; i < run->nr; i++)
		run->all[i]->in_moved_dir = moved;
}

/* moved: the directory is in_moved_dir. */
static int read_names(struct merge_run *run, const struct merge_version dir[MERGE_STAGES], struct strbuf *path, bool moved)
{
	size_t at = run->nr;
	struct dir_walk w = { .run = run, .buf = { OBJECT_BUF_INIT, OBJECT_BUF_INIT, OBJECT_BUF_INIT } };
	int rc = open_trees(&w, dir);

	while (!rc && first_entry(&w))
		rc = take_name(&w, path);
	for (int s = 0; s < MERGE_STAGES; s++)
		object_buf_release(&w.buf[s]);
	mark_moved(run, dir, at, moved);
	return rc;
}

/* ---- directories ---- */

/* True: the names in a directory are needed in any case. */
static bool decide_new(const struct merge_run *run, struct merge_path *p)
{
	bool ours = has_changed(p, MERGE_OURS), theirs = has_changed(p, MERGE_THEIRS);

	if (!ours && !theirs) {
		p->state = PATH_RESOLVED;
		p->result = *whole_version(p, MERGE_BASE);
	} else if (has_any(p->dir)) {
		if ((ours && theirs) || p->in_moved_dir || run->open_all[ours ? MERGE_OURS : MERGE_THEIRS])
			return true;
		p->state = PATH_DEFERRED;
	}
	return false;
}

static int check_depth(struct merge_run *run, const char *path)
{
	unsigned depth = 1, max = object_max_tree_depth(odb_source(run->m->odb));

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++)
		depth++;
	return depth <= max ? 0 : err_set(run->err, ERR_TOO_BIG, "exceeded maximum allowed tree depth at '%s'", path);
}

/* Without recursion: directories that are to be read are among the paths that come later. */
static int open_dir(struct merge_run *run, const char *path, const struct merge_version dir[MERGE_STAGES], bool moved)
{
	struct strbuf prefix = STRBUF_INIT;
	struct merge_version copy[MERGE_STAGES];
	size_t at = run->nr;
	int rc;

	strbuf_addstr(&prefix, path);
	memcpy(copy, dir, sizeof(copy));
	rc = read_names(run, copy, &prefix, moved);
	for (; !rc && at < run->nr; at++) {
		struct merge_path *p = run->all[at];

		if (!decide_new(run, p))
			continue;
		strbuf_reset(&prefix);
		strbuf_addf(&prefix, "%s/", p->path);
		rc = check_depth(run, p->path);
		if (!rc)
			rc = read_names(run, p->dir, &prefix, p->in_moved_dir);
	}
	strbuf_release(&prefix);
	return rc;
}

static int open_path(struct merge_run *run, struct merge_path *p)
{
	char *prefix = xstrfmt("%s/", p->path);
	int rc = open_dir(run, prefix, p->dir, p->in_moved_dir);

	free(prefix);
	p->state = PATH_OPEN;
	p->result = (struct merge_version){ 0 };
	return rc;
}

int merge_collect(struct merge_run *run)
{
	struct merge_version top[MERGE_STAGES];

	for (int s = 0; s < MERGE_STAGES; s++)
		top[s] = (struct merge_version){ MODE_TREE, *run->m->tree[s] };
	return open_dir(run, "", top, false);
}

/* ---- deferred directories ---- */

#define GIT_TABLE_SIZE 64 /* of an empty hash table; it grows to the fourfold when 4/5 are in use */

/* FNV-1, as Git hashes paths. */
static uint32_t path_hash(const char *path)
{
	uint32_t hash = 0x811c9dc5;

	for (; *path; path++)
		hash = (hash * 0x01000193) ^ (unsigned char)*path;
	return hash;
}

struct deferred {
	struct merge_path *path;
	size_t bucket, nr;
};

static int deferred_order(const void *a, const void *b)
{
	const struct deferred *x = a, *y = b;

	if (x->bucket != y->bucket)
		return x->bucket < y->bucket ? -1 : 1;
	return x->nr > y->nr ? -1 : x->nr < y->nr; /* later ones come to the front of their bucket */
}

static size_t list_deferred(const struct merge_run *run, enum merge_stage changed_by, struct deferred *list)
{
	size_t nr = 0, size = GIT_TABLE_SIZE;

	for (size_t i = 0; i < run->nr; i++)
		if (run->all[i]->state == PATH_DEFERRED && has_changed(run->all[i], changed_by))
			list[nr++].path = run->all[i];
	while (nr * 5 > size * 4)
		size *= 4;
	for (size_t i = 0; i < nr; i++) {
		list[i].bucket = path_hash(list[i].path->path) & (size - 1);
		list[i].nr = i;
	}
	if (nr)
		qsort(list, nr, sizeof(*list), deferred_order);
	return nr;
}

int merge_open_deferred(struct merge_run *run, enum merge_stage changed_by)
{
	struct deferred *list;
	size_t nr;
	int rc = 0;

	ALLOC_ARRAY(list, run->nr + 1);
	nr = list_deferred(run, changed_by, list);
	run->open_all[changed_by] = true;
	for (size_t i = 0; !rc && i < nr; i++) {
		run->round++;
		rc = open_path(run, list[i].path);
	}
	free(list);
	return rc;
}

void merge_resolve_deferred(struct merge_run *run)
{
	for (size_t i = 0; i < run->nr; i++) {
		struct merge_path *p = run->all[i];

		if (p->state != PATH_DEFERRED)
			continue;
		p->state = PATH_RESOLVED;
		p->result = *whole_version(p, has_changed(p, MERGE_OURS) ? MERGE_OURS : MERGE_THEIRS);
	}
}

/* ---- paths that renames make ---- */

/* A directory above such a path, or a file that is in its way. */
static int open_above(struct merge_run *run, struct merge_path *p)
{
	if (p->state != PATH_DEFERRED && p->state != PATH_RESOLVED)
		return 0;
	if (has_any(p->dir))
		return open_path(run, p);
	p->state = PATH_OPEN;
	return 0;
}

int merge_path_make(struct merge_run *run, const char *path, struct merge_path **out)
{
	int rc = 0;

	for (const char *slash = strchr(path, '/'); !rc && slash; slash = strchr(slash + 1, '/')) {
		char *above = xmemdupz(path, (size_t)(slash - path));
		struct merge_path *p = merge_path_find(run, above);

		if (p)
			rc = open_above(run, p);
		free(above);
	}
	if (!rc)
		*out = merge_path_get(run, path);
	return rc;
}
