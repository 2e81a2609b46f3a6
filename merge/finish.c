/* SPDX-License-Identifier: GPL-2.0-only */
/* The last step: each path is decided, each directory written, the deepest ones first. */
#include "compat/posix.h"
#include "merge/trees-internal.h"
#include "object/tree.h"
#include "util/alloc.h"
#include "util/path.h"

struct finish {
	struct merge_run *run;
	struct merge_path **sorted; /* a directory comes before the paths below it */
	size_t nr, at;
};

/* The entries of a directory that is being made. */
struct new_dir {
	struct new_entry {
		const char *name;
		size_t len;
		struct merge_version v;
	} *entries;
	size_t nr, alloc;
};

/* '/' before every other byte. */
static int path_order(const void *a, const void *b)
{
	const unsigned char *x = (const unsigned char *)(*(struct merge_path *const *)a)->path;
	const unsigned char *y = (const unsigned char *)(*(struct merge_path *const *)b)->path;

	while (*x && *x == *y)
		x++, y++;
	if (*x == *y)
		return 0;
	if (!*x || !*y)
		return *x ? 1 : -1;
	return (*x == '/' ? 0 : *x) - (*y == '/' ? 0 : *y);
}

/* The name ends at a '/', or at the end. */
static void add_new_entry(struct new_dir *d, const char *name, const struct merge_version *v)
{
	if (!v->mode)
		return;
	ALLOC_GROW(d->entries, d->nr + 1, d->alloc);
	d->entries[d->nr++] = (struct new_entry){ name, strcspn(name, "/"), *v };
}

static int new_entry_order(const void *a, const void *b)
{
	const struct new_entry *x = a, *y = b;

	return tree_entry_cmp(x->name, x->len, x->v.mode, y->name, y->len, y->v.mode);
}

/* As a rule the entries are in order already: paths are in that of trees, but for names like "a" and "a.c". */
static void sort_entries(struct new_dir *d)
{
	for (size_t i = 1; i < d->nr; i++) {
		if (new_entry_order(&d->entries[i - 1], &d->entries[i]) <= 0)
			continue;
		qsort(d->entries, d->nr, sizeof(*d->entries), new_entry_order);
		return;
	}
}

static int write_dir(struct finish *f, struct new_dir *d, struct object_id *oid)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	sort_entries(d);
	for (size_t i = 0; i < d->nr; i++)
		tree_append(&text, d->entries[i].v.mode, d->entries[i].name, d->entries[i].len, &d->entries[i].v.oid);
	rc = odb_write(f->run->m->odb, OBJ_TREE, text.buf, text.len, oid, f->run->err);
	strbuf_release(&text);
	return rc;
}

static bool is_below(const struct finish *f, const char *path, size_t len)
{
	const char *p = f->at < f->nr ? f->sorted[f->at]->path : NULL;

	return p && !strncmp(p, path, len) && p[len] == '/';
}

/* Files that were moved aside have come into being in the same directory. */
static int finish_path(struct finish *f, struct merge_path *p, bool in_the_way, struct new_dir *d)
{
	struct merge_run *run = f->run;
	size_t at = run->nr;
	int rc = p->state == PATH_OPEN ? merge_resolve(run, p, in_the_way) : 0;

	add_new_entry(d, path_basename(p->path), &p->result);
	for (; at < run->nr; at++)
		add_new_entry(d, path_basename(run->all[at]->path), &run->all[at]->result);
	return rc;
}

/* All paths that begin with the first len bytes of `path` (which end in '/', or are none). */
static int finish_dir(struct finish *f, const char *path, size_t len, struct merge_version *out)
{
	struct new_dir d = { 0 };
	int rc = 0;

	while (!rc && f->at < f->nr && !strncmp(f->sorted[f->at]->path, path, len)) {
		struct merge_path *p = f->sorted[f->at];
		size_t name_len = strcspn(p->path + len, "/");
		struct merge_version below = { 0 };

		if (!p->path[len + name_len])
			f->at++;
		if (is_below(f, p->path, len + name_len))
			rc = finish_dir(f, f->sorted[f->at]->path, len + name_len + 1, &below);
		add_new_entry(&d, p->path + len, &below);
		if (!rc && !p->path[len + name_len])
			rc = finish_path(f, p, below.mode != 0, &d);
	}
	if (!rc && (d.nr || !len)) {
		out->mode = MODE_TREE;
		rc = write_dir(f, &d, &out->oid);
	}
	free(d.entries);
	return rc;
}

int merge_finish(struct merge_run *run, struct object_id *tree)
{
	struct finish f = { .run = run, .nr = run->nr };
	struct merge_version top = { 0 };
	int rc;

	ALLOC_ARRAY(f.sorted, run->nr + 1);
	if (f.nr) {
		memcpy(f.sorted, run->all, f.nr * sizeof(*f.sorted));
		qsort(f.sorted, f.nr, sizeof(*f.sorted), path_order);
	}
	rc = finish_dir(&f, "", 0, &top);
	if (!rc)
		*tree = top.oid;
	free(f.sorted);
	return rc;
}
