/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are suspected of lines, their texts, and lists of entries. */
#include "compat/posix.h"
#include "history/blame/blame-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

/* ---- files ---- */

struct blame_file **blame_files_of(struct blame *b, const struct commit *c)
{
	if (c->index >= b->nr_files) {
		size_t nr = commit_pool_nr(b->pool) * 2 + 1;

		b->files = xreallocarray(b->files, nr, sizeof(*b->files));
		memset(b->files + b->nr_files, 0, (nr - b->nr_files) * sizeof(*b->files));
		b->nr_files = nr;
	}
	return &b->files[c->index];
}

struct blame_file *blame_file_of(struct blame *b, struct commit *c, const char *path)
{
	struct blame_file **at = blame_files_of(b, c), *f;

	for (f = *at; f; f = f->next)
		if (!strcmp(f->path, path))
			return f;
	f = xcalloc(1, sizeof(*f));
	f->commit = c;
	f->path = xstrdup(path);
	f->next = *at;
	*at = f;
	return f;
}

static int read_text(struct blame *b, struct blame_file *f, struct err *err)
{
	int rc;

	b->nr_blobs++;
	rc = odb_read_type(b->diff->odb, &f->oid, OBJ_BLOB, &f->text, err);
	if (!rc && MODE_IS_FILE(f->mode))
		rc = diff_textconv_object(b->diff, f->path, &f->oid, &f->text, err);
	return rc < 0 ? rc : 0;
}

int blame_load(struct blame *b, struct blame_file *f, struct err *err)
{
	int rc = 0;

	if (!f->loaded && !f->given)
		rc = read_text(b, f, err);
	else if (f->unused)
		b->nr_blobs++;
	f->unused = false;
	f->loaded = !rc;
	return rc;
}

void blame_unload(struct blame_file *f)
{
	if (!f->loaded || f->given)
		return;
	object_buf_release(&f->text);
	f->text = (struct object_buf)OBJECT_BUF_INIT;
	f->loaded = false;
}

/* ---- changed files ---- */

static int add_staged_change(void *data, const char *path, unsigned old_mode, const struct object_id *old_oid,
			     const struct index_entry *e, struct err *err UNUSED)
{
	bool has_new = e && !e->stage;

	diff_queue_add(data, path, old_mode, old_mode ? old_oid : NULL, path, has_new ? e->mode : 0, has_new ? &e->oid : NULL);
	return 0;
}

int blame_diff(struct blame *b, struct blame_file *f, const struct commit *parent, struct diff_queue *q,
	       const struct diff_options *o, struct err *err)
{
	if (!oid_is_null(&f->commit->oid))
		return diff_trees(q, o, &parent->tree, &f->commit->tree, err);
	if (!b->index)
		return 0;
	/* All files of the parent may be sources of copies. */
	if (o->find_copies_harder)
		return diff_trees(q, o, &parent->tree, NULL, err);
	return index_diff_tree(b->index, odb_source(b->diff->odb), &parent->tree, add_staged_change, q, err);
}

/* ---- lists of entries ---- */

struct blame_entry *blame_merge(struct blame_entry *a, struct blame_entry *b)
{
	struct blame_entry *list = NULL, **tail = &list;

	while (a && b) {
		struct blame_entry **least = b->file_line < a->file_line ? &b : &a;

		*tail = *least;
		tail = &(*least)->next;
		*least = *tail;
	}
	*tail = a ? a : b;
	return list;
}

static bool is_suspected(struct blame *b, const struct commit *c)
{
	for (const struct blame_file *f = *blame_files_of(b, c); f; f = f->next)
		if (f->suspects)
			return true;
	return false;
}

void blame_hand_on(struct blame *b, struct blame_file *to, struct blame_entry *list)
{
	if (!list)
		return;
	for (struct blame_entry *e = list; e; e = e->next)
		e->suspect = to;
	if (!is_suspected(b, to->commit))
		prio_queue_put(&b->queue, to->commit);
	to->suspects = blame_merge(to->suspects, list);
}

unsigned blame_score(const struct blame *b, const struct blame_entry *e)
{
	const char *text = b->final->text.data;
	unsigned score = 1;

	for (size_t i = b->lines[e->line]; i < b->lines[e->line + e->nr]; i++)
		score += isalnum((unsigned char)text[i]) != 0;
	return score;
}
