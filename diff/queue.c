/* SPDX-License-Identifier: GPL-2.0-only */
/* Pairs of files, and the queue of them. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

struct diff_file *diff_file_new(const char *path, unsigned mode, const struct object_id *oid)
{
	struct diff_file *f = xcalloc(1, sizeof(*f));

	f->path = xstrdup(path);
	f->mode = mode;
	f->refs = 1;
	f->content = (struct object_buf)OBJECT_BUF_INIT;
	if (oid && mode) {
		f->oid = *oid;
		f->oid_valid = true;
	}
	return f;
}

struct diff_file *diff_file_share(struct diff_file *f)
{
	f->refs++;
	return f;
}

void diff_file_free(struct diff_file *f)
{
	if (!f || --f->refs)
		return;
	object_buf_release(&f->content);
	diff_chunks_free(f->chunks);
	free(f->path);
	free(f);
}

void diff_queue_push(struct diff_queue *q, struct diff_pair *p)
{
	ALLOC_GROW(q->pairs, st_add(q->nr, 1), q->alloc);
	q->pairs[q->nr++] = p;
}

struct diff_pair *diff_queue_append(struct diff_queue *q, struct diff_file *old,
				    struct diff_file *new)
{
	struct diff_pair *p = xcalloc(1, sizeof(*p));

	p->old = old;
	p->new = new;
	diff_queue_push(q, p);
	return p;
}

struct diff_pair *diff_queue_add(struct diff_queue *q,
				 const char *old_path, unsigned old_mode,
				 const struct object_id *old_oid,
				 const char *new_path, unsigned new_mode,
				 const struct object_id *new_oid)
{
	q->has_changes = true;
	return diff_queue_append(q, diff_file_new(old_path, old_mode, old_oid),
				 diff_file_new(new_path, new_mode, new_oid));
}

struct diff_pair *diff_queue_add_unmerged(struct diff_queue *q, const char *path)
{
	struct diff_pair *p = diff_queue_add(q, path, 0, NULL, path, 0, NULL);

	p->unmerged = true;
	p->status = DIFF_STATUS_UNMERGED;
	return p;
}

static const char *name_of_pair(const struct diff_pair *p)
{
	return diff_file_exists(p->new) ? p->new->path : p->old->path;
}

void diff_queue_add_header_only(struct diff_queue *q, const char *path)
{
	struct diff_pair *p;
	size_t at = q->nr;

	for (size_t i = q->nr; i-- > 0;) {
		int cmp = strcmp(name_of_pair(q->pairs[i]), path);

		if (!cmp)
			return;
		if (cmp > 0)
			at = i;
	}
	p = diff_queue_append(q, diff_file_new(path, 0, NULL), diff_file_new(path, 0, NULL));
	p->header_only = true;
	memmove(q->pairs + at + 1, q->pairs + at, (q->nr - 1 - at) * sizeof(*q->pairs));
	q->pairs[at] = p;
}

void diff_pair_free(struct diff_pair *p)
{
	diff_file_free(p->old);
	diff_file_free(p->new);
	free(p);
}

void diff_queue_clear(struct diff_queue *q)
{
	for (size_t i = 0; i < q->nr; i++)
		diff_pair_free(q->pairs[i]);
	free(q->pairs);
	*q = (struct diff_queue)DIFF_QUEUE_INIT;
}

unsigned diff_pair_percent(const struct diff_pair *p)
{
	return p->score * 100 / DIFF_MAX_SCORE;
}

bool diff_pair_changes_type(const struct diff_pair *p)
{
	return diff_file_exists(p->old) && diff_file_exists(p->new) &&
	       mode_object_type(p->old->mode) != OBJ_TREE &&
	       (p->old->mode & 0170000) != (p->new->mode & 0170000);
}

bool diff_pair_is_unmodified(const struct diff_pair *p)
{
	const struct diff_file *a = p->old, *b = p->new;

	if (p->unmerged || diff_file_exists(a) != diff_file_exists(b))
		return false;
	if (!diff_file_exists(a))
		return true;
	return a->mode == b->mode && a->oid_valid && b->oid_valid &&
	       a->dirty == b->dirty && oid_eq(&a->oid, &b->oid) && !strcmp(a->path, b->path);
}

void diff_queue_filter(struct diff_queue *q, const bool *keep)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->nr; i++) {
		if (keep[i])
			q->pairs[kept++] = q->pairs[i];
		else
			diff_pair_free(q->pairs[i]);
	}
	q->nr = kept;
}
