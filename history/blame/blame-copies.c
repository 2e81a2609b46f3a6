/* SPDX-License-Identifier: GPL-2.0-only */
/* -M and -C of git blame: lines that came from elsewhere in the file, or from other files. */
#include "compat/posix.h"
#include "diff/text.h"
#include "history/blame/blame-internal.h"
#include "object/tree.h"
#include "util/alloc.h"

/* The longest run of an entry's lines that was found in another text. */
struct found_run {
	struct blame_file *from; /* NULL: none */
	size_t first, nr;	 /* lines of the entry */
	size_t old_line;
	unsigned score;
};

static void consider_run(const struct blame *b, const struct blame_entry *e, struct blame_file *from, size_t first,
			 size_t end, size_t old_line, struct found_run *best)
{
	struct blame_entry part = { .line = e->line + first, .nr = end - first };
	unsigned score;

	if (end <= first)
		return;
	score = blame_score(b, &part);
	if (best->from && score < best->score)
		return;
	*best = (struct found_run){ from, first, end - first, old_line, score };
}

static void search_text(struct blame *b, const struct blame_entry *e, struct blame_file *from, struct found_run *best)
{
	const char *text = (const char *)b->final->text.data + b->lines[e->line];
	size_t len = b->lines[e->line + e->nr] - b->lines[e->line], at = 0, old_at = 0;
	struct text_diff d;

	text_diff(&d, from->text.data, from->text.size, text, len, b->diff);
	for (size_t i = 0; i < d.nr; i++) {
		consider_run(b, e, from, at, d.changes[i].new_first, old_at, best);
		at = d.changes[i].new_first + d.changes[i].new_nr;
		old_at = d.changes[i].old_first + d.changes[i].old_nr;
	}
	consider_run(b, e, from, at, e->nr, old_at, best);
	text_diff_release(&d);
}

/* A list to which entries are appended: *tail is NULL, or what comes behind the new ones. */
static void append_part(struct blame_entry ***tail, const struct blame_entry *e, size_t first, size_t nr)
{
	struct blame_entry *part;

	if (!nr)
		return;
	part = xmalloc(sizeof(*part));
	*part = *e;
	part->line += first;
	part->file_line += first;
	part->nr = nr;
	part->next = NULL;
	**tail = part;
	*tail = &part->next;
}

/* The run goes to its file; what stands before and behind it is appended to the rest. Frees e. */
static void give_run(struct blame *b, struct blame_entry *e, const struct found_run *run, struct blame_entry ***rest)
{
	struct blame_entry *moved = NULL, **tail = &moved;
	size_t end = run->first + run->nr;

	append_part(&tail, e, run->first, run->nr);
	moved->file_line = run->old_line;
	blame_hand_on(b, run->from, moved);
	append_part(rest, e, 0, run->first);
	append_part(rest, e, end, e->nr - end);
	free(e);
}

/* Entries of too few letters are moved to the place `small`. Returns the place behind them. */
static struct blame_entry **drop_small(const struct blame *b, struct blame_entry **list, struct blame_entry **small,
				       unsigned least)
{
	struct blame_entry *behind = *small;

	while (*list) {
		struct blame_entry *e = *list;

		if (blame_score(b, e) > least) {
			list = &e->next;
			continue;
		}
		*list = e->next;
		*small = e;
		small = &e->next;
	}
	*small = behind;
	return small;
}

static size_t count_entries(const struct blame_entry *list)
{
	size_t nr = 0;

	for (; list; list = list->next)
		nr++;
	return nr;
}

/* The runs that are best so far, one for each entry. */
struct best_runs {
	struct found_run *v;
	size_t nr;
	bool keep; /* the texts are of use later */
};

/* A file's own lines, or a run that was found in it, need its text. */
static void unload_unused(struct blame_file *f, const struct best_runs *best)
{
	bool used = best->keep || !f || f->suspects;

	for (size_t i = 0; !used && i < best->nr; i++)
		used = best->v[i].from == f;
	if (!used)
		blame_unload(f);
}

static int search_file(struct blame *b, const struct blame_entry *list, struct blame_file *from, struct best_runs *best,
		       struct err *err)
{
	size_t at = 0;
	int rc = blame_load(b, from, err);

	if (rc < 0)
		return rc;
	for (const struct blame_entry *e = list; e; e = e->next, at++) {
		struct blame_file *before = best->v[at].from;

		search_text(b, e, from, &best->v[at]);
		unload_unused(before, best);
	}
	return 0;
}

static int search_each(struct blame *b, const struct blame_entry *list, struct blame_file *const *files, size_t nr,
		       struct best_runs *best, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++) {
		rc = search_file(b, list, files[i], best, err);
		unload_unused(files[i], best);
	}
	return rc;
}

/*
 * Look for the entries of *list in all those files, again and again as long as anything is found. *list keeps the entries that are
 * left, in the order of the rounds in which it was left.
 */
static int search_files(struct blame *b, struct blame_entry **list, struct blame_file *const *files, size_t nr,
			bool keep, unsigned least, struct blame_entry **small, struct err *err)
{
	struct blame_entry *left = NULL, **left_tail = &left;
	int rc = 0;

	while (!rc && *list) {
		struct blame_entry *rest = NULL, **rest_tail = &rest, *next;
		struct best_runs best = { NULL, count_entries(*list), keep };
		size_t at = 0;

		CALLOC_ARRAY(best.v, best.nr);
		rc = search_each(b, *list, files, nr, &best, err);
		for (struct blame_entry *e = *list; e; e = next, at++) {
			struct blame_file *from = best.v[at].from;

			next = e->next;
			if (from && best.v[at].score > least) {
				give_run(b, e, &best.v[at], &rest_tail);
				continue;
			}
			best.v[at].from = NULL;
			unload_unused(from, &best);
			e->next = NULL;
			*left_tail = e;
			left_tail = &e->next;
		}
		free(best.v);
		small = drop_small(b, &rest, small, least);
		*list = rest;
	}
	*left_tail = *list;
	*list = left;
	return rc;
}

static int copy_sources(struct blame *b, struct blame_file *f, struct commit *parent, const struct blame_file *old,
			struct blame_file ***out, size_t *nr, struct err *err)
{
	struct diff_options o = diff_options_for_search(b->diff);
	struct diff_queue q = DIFF_QUEUE_INIT;
	size_t alloc = 0;
	int rc;

	o.detect = DIFF_DETECT_NONE;
	o.recursive = true;
	o.find_copies_harder = b->copies > 2 || (b->copies > 1 && (!old || strcmp(f->path, old->path)));
	rc = blame_diff(b, f, parent, &q, &o, err);
	for (size_t i = 0; !rc && i < q.nr; i++) {
		const struct diff_file *side = q.pairs[i]->old;

		if (!side->mode || MODE_IS_GITLINK(side->mode) || (old && !strcmp(side->path, old->path)))
			continue;
		ALLOC_GROW(*out, *nr + 1, alloc);
		(*out)[*nr] = blame_file_of(b, parent, side->path);
		(*out)[*nr]->oid = side->oid;
		(*out)[(*nr)++]->mode = side->mode;
	}
	diff_queue_clear(&q);
	return rc;
}

static int search_other_files(struct blame *b, struct blame_file *f, struct commit *parent,
			      const struct blame_file *old, struct blame_entry **small, struct err *err)
{
	struct blame_file **files = NULL;
	size_t nr = 0;
	int rc = copy_sources(b, f, parent, old, &files, &nr, err);

	if (!rc && nr)
		rc = search_files(b, &f->suspects, files, nr, false, b->copy_score, small, err);
	free(files);
	return rc;
}

int blame_find_copies(struct blame *b, struct blame_file *f, struct commit *const *parents,
		      struct blame_file *const *old, size_t nr, struct err *err)
{
	struct blame_entry *small = NULL, **tail;
	int rc = 0;

	drop_small(b, &f->suspects, &small, b->move_score);
	for (size_t i = 0; !rc && i < nr && f->suspects; i++)
		if (old[i])
			rc = search_files(b, &f->suspects, &old[i], 1, true, b->move_score, &small, err);
	if (b->copies && b->copy_score < b->move_score) {
		f->suspects = blame_merge(f->suspects, small);
		small = NULL;
	}
	if (b->copies && b->copy_score != b->move_score)
		drop_small(b, &f->suspects, &small, b->copy_score);
	for (size_t i = 0; b->copies && !rc && i < nr && f->suspects; i++)
		rc = search_other_files(b, f, parents[i], old[i], &small, err);
	for (tail = &small; *tail; tail = &(*tail)->next)
		;
	*tail = f->suspects;
	f->suspects = small;
	return rc;
}
