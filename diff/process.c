/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps between filling the queue and showing it; gitdiffcore(7). */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "util/alloc.h"

static void reverse(struct diff_queue *q)
{
	for (size_t i = 0; i < q->nr; i++) {
		struct diff_file *old = q->pairs[i]->old;

		if (q->pairs[i]->unmerged)
			continue;
		q->pairs[i]->old = q->pairs[i]->new;
		q->pairs[i]->new = old;
	}
}

/*
 * A file of the work tree may have been queued because of its stat data alone: the pair is
 * dropped if both sides have the same content. What has been read for this is kept for the next
 * reader, who would warn about line endings again; but not more than KEPT_BYTES of it.
 */
#define KEPT_BYTES ((uint64_t)32 << 20)

static int drop_if_same(struct diff_pair *p, const struct diff_options *o, uint64_t *room, bool *drop,
			struct err *err)
{
	struct diff_file *a = p->old, *b = p->new, *file = a->oid_valid ? b : a;
	int ret;

	*drop = false;
	if (p->unmerged || p->differs || !diff_file_exists(a) || !diff_file_exists(b) || a->mode != b->mode)
		return 0;
	if (a->oid_valid == b->oid_valid || a->dirty != b->dirty)
		return 0;
	ret = diff_file_hash(file, o, err);
	*drop = !ret && oid_eq(&a->oid, &b->oid);
	if (*drop || !file->loaded || file->content.size > *room)
		diff_file_unload(file);
	else
		*room -= file->content.size;
	return ret;
}

static int drop_same_content(struct diff_queue *q, const struct diff_options *o,
			     struct err *err)
{
	bool *keep = xcalloc(q->nr + 1, sizeof(*keep)), drop;
	uint64_t room = KEPT_BYTES;
	int ret = 0;

	for (size_t i = 0; !ret && i < q->nr; i++) {
		ret = drop_if_same(q->pairs[i], o, &room, &drop, err);
		keep[i] = !drop;
	}
	if (!ret)
		diff_queue_filter(q, keep);
	free(keep);
	return ret;
}

/* ---- status ---- */

/* 0: there is no difference. */
static char status_of(struct diff_pair *p)
{
	const struct diff_file *a = p->old, *b = p->new;

	if (p->unmerged)
		return DIFF_STATUS_UNMERGED;
	if (!diff_file_exists(a))
		return diff_file_exists(b) ? DIFF_STATUS_ADDED : 0;
	if (!diff_file_exists(b))
		return DIFF_STATUS_DELETED;
	if (diff_pair_changes_type(p))
		return DIFF_STATUS_TYPE_CHANGED;
	if (p->renamed && strcmp(a->path, b->path)) {
		/* of a deleted source, the last pair is the rename */
		return --p->old->rename_used > 0 ? DIFF_STATUS_COPIED : DIFF_STATUS_RENAMED;
	}
	if (p->renamed || a->mode != b->mode || !a->oid_valid || !b->oid_valid ||
	    a->dirty != b->dirty || !oid_eq(&a->oid, &b->oid))
		return DIFF_STATUS_MODIFIED;
	return 0;
}

static void set_status(struct diff_queue *q)
{
	bool *keep = xcalloc(q->nr + 1, sizeof(*keep));

	for (size_t i = 0; i < q->nr; i++) {
		q->pairs[i]->status = status_of(q->pairs[i]);
		keep[i] = q->pairs[i]->status != 0;
	}
	diff_queue_filter(q, keep);
	free(keep);
}

/* ---- --diff-filter ---- */

/* One of the capital letters, if there are any; none of the small ones. */
static bool passes(const char *filter, const struct diff_pair *p)
{
	char status = p->status == DIFF_STATUS_MODIFIED && p->score ? 'B' : p->status;
	bool selects = false;

	if (strchr(filter, tolower((unsigned char)status)))
		return false;
	for (const char *f = filter; *f; f++)
		selects |= *f == '*' || isupper((unsigned char)*f);
	return !selects || strchr(filter, status);
}

static void filter_status(struct diff_queue *q, const char *filter)
{
	bool *keep, any = false, all_or_none = strchr(filter, '*') != NULL;

	if (!*filter)
		return;
	keep = xcalloc(q->nr + 1, sizeof(*keep));
	for (size_t i = 0; i < q->nr; i++) {
		keep[i] = passes(filter, q->pairs[i]);
		any |= keep[i];
	}
	for (size_t i = 0; all_or_none && any && i < q->nr; i++)
		keep[i] = true;
	diff_queue_filter(q, keep);
	free(keep);
}

/* ---- all steps ---- */

int diff_choose(struct diff_queue *q, const struct diff_options *o, struct err *err)
{
	int ret = 0;

	if (o->pickaxe)
		ret = diff_prefetch(q, o, err);
	if (!ret && (o->pickaxe || o->find_objects.nr))
		ret = diff_pickaxe(q, o, err);
	if (!ret)
		ret = diff_order(q, o, err);
	if (!ret)
		filter_status(q, o->filter);
	return ret;
}

int diff_process(struct diff_queue *q, const struct diff_options *o, struct err *err)
{
	int ret = 0;

	if (o->reverse)
		reverse(q);
	if (o->read && !o->keep_same)
		ret = drop_same_content(q, o, err);
	if (!ret && o->break_rewrites)
		ret = diff_prefetch(q, o, err);
	if (!ret && o->break_rewrites)
		ret = diff_break_rewrites(q, o, err);
	if (!ret && o->detect)
		ret = diff_detect_renames(q, o, err);
	if (!ret && o->break_rewrites)
		diff_merge_broken(q);
	if (ret < 0)
		return ret;
	set_status(q);
	return diff_choose(q, o, err);
}
