/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rewrites, gitdiffcore(7) "diffcore-break": a pair whose two sides have little in common
 * is broken into a deletion and a creation, so that renames can be found for either.
 * Halves without a rename are merged again.
 */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

#define SMALLEST 400		/* bytes; smaller files are left alone */
#define DEFAULT_BREAK_SCORE 30000u
#define DEFAULT_MERGE_SCORE 36000u

static unsigned or_default(unsigned score, unsigned fallback)
{
	return score ? score : fallback;
}

static bool is_in_place_edit(const struct diff_pair *p)
{
	return !p->unmerged && diff_file_exists(p->old) && diff_file_exists(p->new) &&
	       mode_object_type(p->old->mode) == OBJ_BLOB &&
	       mode_object_type(p->new->mode) == OBJ_BLOB &&
	       !strcmp(p->old->path, p->new->path);
}

/* a * DIFF_MAX_SCORE / b */
static uint64_t share_of(uint64_t a, uint64_t b)
{
	return b ? a * DIFF_MAX_SCORE / b : 0;
}

/* 1: break it; *lost: how much of the old file is gone, of DIFF_MAX_SCORE. */
static int is_rewrite(struct diff_pair *p, const struct diff_options *o, unsigned *lost,
		      struct err *err)
{
	unsigned limit = or_default(o->break_score, DEFAULT_BREAK_SCORE);
	struct diff_file *a = p->old, *b = p->new;
	uint64_t larger, copied, added, removed;
	int ret;

	*lost = 0;
	if (MODE_IS_FILE(a->mode) != MODE_IS_FILE(b->mode)) {
		*lost = DIFF_MAX_SCORE;
		return 1;
	}
	if (a->oid_valid && b->oid_valid && oid_eq(&a->oid, &b->oid))
		return 0;
	ret = diff_file_size(a, o, err);
	if (!ret)
		ret = diff_file_size(b, o, err);
	if (ret < 0)
		return ret;
	larger = a->size > b->size ? a->size : b->size;
	if (larger < SMALLEST || !a->size || larger > o->big_file_threshold)
		return 0;
	ret = diff_count_copied(a, b, o, &copied, &added, err);
	if (ret < 0)
		return ret;

	/* CRs and last lines are not counted: stay within the file sizes */
	if (copied > a->size)
		copied = a->size;
	if (b->size < added + copied)
		added = copied < b->size ? b->size - copied : 0;
	removed = a->size - copied;
	*lost = (unsigned)share_of(removed, a->size);
	if (*lost > limit)
		return 1;
	if (share_of(removed + added, larger) < limit)
		return 0;
	/* much was deleted and little added: that is no rewrite */
	if (a->size * limit < removed * DIFF_MAX_SCORE && added * 20 < removed &&
	    added * 20 < copied)
		return 0;
	return 1;
}

static void break_pair(struct diff_queue *out, struct diff_pair *p, unsigned lost,
		       const struct diff_options *o)
{
	/* 0: not a rewrite if the halves are merged again. */
	unsigned score = lost < or_default(o->merge_score, DEFAULT_MERGE_SCORE) ? 0 : lost;
	struct diff_pair *deletion, *creation;

	deletion = diff_queue_append(out, diff_file_share(p->old),
				 diff_file_new(p->new->path, 0, NULL));
	creation = diff_queue_append(out, diff_file_new(p->old->path, 0, NULL),
				 diff_file_share(p->new));
	deletion->score = creation->score = score;
	deletion->broken = creation->broken = true;
	diff_pair_free(p);
}

int diff_break_rewrites(struct diff_queue *q, const struct diff_options *o, struct err *err)
{
	struct diff_queue out = DIFF_QUEUE_INIT;

	for (size_t i = 0; i < q->nr; i++) {
		struct diff_pair *p = q->pairs[i];
		unsigned lost;
		int ret = is_in_place_edit(p) ? is_rewrite(p, o, &lost, err) : 0;

		if (ret < 0) {
			/* the queue must stay complete */
			while (i < q->nr)
				diff_queue_push(&out, q->pairs[i++]);
			free(q->pairs);
			*q = out;
			return ret;
		}
		if (!ret) {
			diff_file_drop(p->old);
			diff_file_drop(p->new);
			diff_queue_push(&out, p);
			continue;
		}
		break_pair(&out, p, lost, o);
	}
	free(q->pairs);
	q->pairs = out.pairs;
	q->nr = out.nr;
	q->alloc = out.alloc;
	return 0;
}

static bool is_half(const struct diff_pair *p)
{
	return p->broken && !strcmp(p->old->path, p->new->path);
}

void diff_merge_broken(struct diff_queue *q)
{
	struct diff_queue out = DIFF_QUEUE_INIT;

	for (size_t i = 0; i < q->nr; i++) {
		struct diff_pair *deletion = q->pairs[i], *creation, *merged;

		/* the halves are neighbours if neither became part of a rename */
		creation = i + 1 < q->nr ? q->pairs[i + 1] : NULL;
		if (!creation || !is_half(deletion) || !is_half(creation) ||
		    strcmp(deletion->old->path, creation->old->path)) {
			diff_queue_push(&out, deletion);
			continue;
		}
		merged = diff_queue_append(&out, diff_file_share(deletion->old),
					  diff_file_share(creation->new));
		merged->score = deletion->score;
		/* the old path still exists: files made from it are copies */
		merged->old->rename_used++;
		diff_pair_free(deletion);
		diff_pair_free(creation);
		i++;
	}
	free(q->pairs);
	q->pairs = out.pairs;
	q->nr = out.nr;
	q->alloc = out.alloc;
}
