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
	b->nr_texts++;
	for (size_t i = 0; i < d.nr; i++) {
		consider_run(b, e, from, at, d.changes[i].new_first, old_at, best);
		at = d.changes[i].new_first + d.changes[i].new_nr;
		old_at = d.changes[i].old_first + d.changes[i].old_nr;
	}
	consider_run(b, e, from, at, e->nr, old_at, best);
	text_diff_release(&d);
}

static struct blame_entry *part_of(const struct blame_entry *e, size_t first, size_t nr, struct blame_entry *next)
{
	struct blame_entry *part = xmalloc(sizeof(*part));

	*part = *e;
	part->line += first;
	part->file_line += first;
	part->nr = nr;
	part->next = next;
	return part;
}

/* The run goes to its file; what stands before and behind it comes into *rest. Frees e. */
static void give_run(struct blame *b, struct blame_entry *e, const struct found_run *run, struct blame_entry **rest)
{
	struct blame_entry *moved = part_of(e, run->first, run->nr, NULL);
	size_t end = run->first + run->nr;

	moved->file_line = run->old_line;
	blame_hand_on(b, run->from, moved);
	if (run->first)
		*rest = part_of(e, 0, run->first, *rest);
	if (end < e->nr)
		*rest = part_of(e, end, e->nr - end, *rest);
	free(e);
}

/* Entries of too few letters are moved to *small. */
static void drop_small(const struct blame *b, struct blame_entry **list, struct blame_entry **small, unsigned least)
{
	while (*list) {
		struct blame_entry *e = *list;

		if (blame_score(b, e) > least) {
			list = &e->next;
			continue;
		}
		*list = e->next;
		e->next = *small;
		*small = e;
	}
}

/* Look for the entries of *list in all those files, again and again as long as anything is found. */
static int search_files(struct blame *b, struct blame_entry **list, struct blame_file *const *files, size_t nr,
			unsigned least, struct blame_entry **small, struct err *err)
{
	struct blame_entry *left = NULL;

	while (*list) {
		struct blame_entry *rest = NULL, *next;
		struct found_run *best;
		size_t count = 0, at = 0;

		for (next = *list; next; next = next->next)
			count++;
		CALLOC_ARRAY(best, count);
		for (size_t i = 0; i < nr; i++) {
			int rc = blame_load(b, files[i], err);

			if (rc < 0) {
				free(best);
				return rc;
			}
			at = 0;
			for (struct blame_entry *e = *list; e; e = e->next)
				search_text(b, e, files[i], &best[at++]);
			if (nr > 1 && !files[i]->suspects)
				blame_unload(files[i]);
		}
		at = 0;
		for (struct blame_entry *e = *list; e; e = next, at++) {
			next = e->next;
			if (best[at].from && best[at].score > least) {
				give_run(b, e, &best[at], &rest);
			} else {
				e->next = left;
				left = e;
			}
		}
		free(best);
		drop_small(b, &rest, small, least);
		*list = blame_sort(rest);
	}
	*list = blame_sort(left);
	return 0;
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
	rc = f->given ? 0 : diff_trees(&q, &o, &parent->tree, &f->commit->tree, err);
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
		rc = search_files(b, &f->suspects, files, nr, b->copy_score, small, err);
	free(files);
	return rc;
}

int blame_find_copies(struct blame *b, struct blame_file *f, struct commit *const *parents,
		      struct blame_file *const *old, size_t nr, struct err *err)
{
	struct blame_entry *small = NULL;
	int rc = 0;

	drop_small(b, &f->suspects, &small, b->move_score);
	for (size_t i = 0; !rc && i < nr && f->suspects; i++)
		if (old[i])
			rc = search_files(b, &f->suspects, &old[i], 1, b->move_score, &small, err);
	if (b->copies) {
		f->suspects = blame_merge(f->suspects, blame_sort(small));
		small = NULL;
		drop_small(b, &f->suspects, &small, b->copy_score);
	}
	for (size_t i = 0; b->copies && !rc && i < nr && f->suspects; i++)
		rc = search_other_files(b, f, parents[i], old[i], &small, err);
	f->suspects = blame_merge(f->suspects, blame_sort(small));
	return rc;
}
