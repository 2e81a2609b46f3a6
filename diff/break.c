/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rewrites, gitdiffcore(7) "diffcore-break": a pair whose two sides have little in
 * common is taken apart into a deletion and a creation, so that renames can be found
 * for either; what nobody took is put together again.
 */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

#define SMALLEST 400		/* bytes; smaller files are left alone */
#define DEFAULT_BREAK_SCORE 30000u
#define DEFAULT_MERGE_SCORE 36000u

static unsigned or_default(unsigned score, unsigned otherwise)
{
	return score ? score : otherwise;
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

/* 1: take it apart; *lost: how much of the old file is gone. */
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

	/* CRs and last lines are not counted: keep within the files */
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
	/* much went and little came: that is no rewrite */
	if (a->size * limit < removed * DIFF_MAX_SCORE && added * 20 < removed &&
	    added * 20 < copied)
		return 0;
	return 1;
}

static void take_apart(struct diff_queue *out, struct diff_pair *p, unsigned lost,
		       const struct diff_options *o)
{
	/* Not bad enough to stay a rewrite if its halves meet again. */
	unsigned score = lost < or_default(o->merge_score, DEFAULT_MERGE_SCORE) ? 0 : lost;
	struct diff_pair *gone, *come;

	gone = diff_queue_append(out, diff_file_share(p->old),
				 diff_file_new(p->new->path, 0, NULL));
	come = diff_queue_append(out, diff_file_new(p->old->path, 0, NULL),
				 diff_file_share(p->new));
	gone->score = come->score = score;
	gone->broken = come->broken = true;
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
			/* the queue stays whole: what is left goes over as it is */
			while (i < q->nr)
				diff_queue_push(&out, q->pairs[i++]);
			free(q->pairs);
			*q = out;
			return ret;
		}
		if (!ret) {
			diff_file_forget(p->old);
			diff_file_forget(p->new);
			diff_queue_push(&out, p);
			continue;
		}
		take_apart(&out, p, lost, o);
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
		struct diff_pair *gone = q->pairs[i], *come, *whole;

		/* halves are neighbours, if both are still there */
		come = i + 1 < q->nr ? q->pairs[i + 1] : NULL;
		if (!come || !is_half(gone) || !is_half(come) ||
		    strcmp(gone->old->path, come->old->path)) {
			diff_queue_push(&out, gone);
			continue;
		}
		whole = diff_queue_append(&out, diff_file_share(gone->old),
					  diff_file_share(come->new));
		whole->score = gone->score;
		/* the old path stays: what was made from it are copies */
		whole->old->rename_used++;
		diff_pair_free(gone);
		diff_pair_free(come);
		i++;
	}
	free(q->pairs);
	q->pairs = out.pairs;
	q->nr = out.nr;
	q->alloc = out.alloc;
}
