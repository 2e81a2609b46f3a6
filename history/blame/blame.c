/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "diff/text.h"
#include "history/blame/blame-internal.h"
#include "history/revision/revision.h"
#include "object/tree.h"
#include "util/alloc.h"

/* Cut off what begins at line `at` of the file. It goes to its place in the list: likeness may give a line to several. */
static void cut_entry(struct blame_entry *e, size_t at)
{
	struct blame_entry *rest = xmalloc(sizeof(*rest)), **place = &e->next;
	size_t nr = at - e->file_line;

	*rest = *e;
	rest->line += nr;
	rest->file_line = at;
	rest->nr -= nr;
	e->nr = nr;
	while (*place && (*place)->file_line < at)
		place = &(*place)->next;
	rest->next = *place;
	*place = rest;
}

/* The entries in that order; returns how many. */
static size_t sort_entries(struct blame_entry *list, struct blame_entry ***out,
			   int (*compare)(const void *, const void *))
{
	struct blame_entry **all = NULL;
	size_t nr = 0, alloc = 0;

	for (; list; list = list->next) {
		ALLOC_GROW(all, nr + 1, alloc);
		all[nr++] = list;
	}
	if (nr)
		qsort(all, nr, sizeof(*all), compare);
	*out = all;
	return nr;
}

/* The file in the work tree. */
static int read_given(void *data, const struct diff_file *file UNUSED, struct object_buf *out, struct err *err UNUSED)
{
	const struct blame_file *f = data;

	*out = (struct object_buf){ OBJ_BLOB, xmemdupz(f->text.data, f->text.size), f->text.size };
	return 0;
}

/* What the index has of the file gives way to the text that the lines come from. */
static void use_given(struct diff_queue *q, struct blame_file *f)
{
	for (size_t i = 0; i < q->nr; i++)
		if (!strcmp(q->pairs[i]->new->path, f->path) && q->pairs[i]->new->mode)
			q->pairs[i]->new->oid_valid = false;
}

/* No other file takes the one from which this one was renamed. */
static void drop_other_targets(struct diff_queue *q, const char *path)
{
	struct diff_queue others = DIFF_QUEUE_INIT;
	size_t kept = 0;

	for (size_t i = 0; i < q->nr; i++) {
		struct diff_pair *p = q->pairs[i];

		if (p->old->mode || !strcmp(p->new->path, path)) {
			q->pairs[kept++] = p;
			continue;
		}
		ALLOC_GROW(others.pairs, others.nr + 1, others.alloc);
		others.pairs[others.nr++] = p;
	}
	q->nr = kept;
	diff_queue_clear(&others);
}

static int find_rename(struct blame *b, struct blame_file *f, struct commit *parent, struct blame_file **out,
		       struct err *err)
{
	struct diff_options o = diff_options_for_search(b->diff);
	struct diff_queue q = DIFF_QUEUE_INIT;
	int rc;

	o.detect = DIFF_DETECT_RENAMES;
	o.recursive = true;
	o.read = read_given;
	o.read_data = f;
	o.measure = NULL;
	rc = blame_diff(b, f, parent, &q, &o, err);
	drop_other_targets(&q, f->path);
	if (f->given)
		use_given(&q, f);
	if (!rc)
		rc = diff_process(&q, &o, err);
	for (size_t i = 0; !rc && i < q.nr; i++) {
		const struct diff_pair *p = q.pairs[i];

		if ((p->status != 'R' && p->status != 'C') || strcmp(p->new->path, f->path))
			continue;
		*out = blame_file_of(b, parent, p->old->path);
		(*out)->oid = p->old->oid;
		(*out)->mode = p->old->mode;
		break;
	}
	diff_queue_clear(&q);
	return rc;
}

/* ---- the lines that a parent has ---- */

struct handing {
	struct blame_entry *rest, *keep, **keep_tail, *give, **give_tail;
};

/* The next entry goes to one of the lists; its lines in the other file are `shift` further. */
static void take_entry(struct handing *h, bool give, size_t shift)
{
	struct blame_entry *e = h->rest;

	h->rest = e->next;
	e->next = NULL;
	if (give) {
		e->file_line += shift;
		*h->give_tail = e;
		h->give_tail = &e->next;
	} else {
		*h->keep_tail = e;
		h->keep_tail = &e->next;
	}
}

static void take_until(struct handing *h, size_t until, bool give, size_t shift)
{
	while (h->rest && h->rest->file_line < until) {
		if (h->rest->file_line + h->rest->nr > until)
			cut_entry(h->rest, until);
		take_entry(h, give, shift);
	}
}

/*
 * Lines up to `until` go to the old lines that they are like; like[] begins at line `first`. Lines that stay together
 * make one entry.
 */
static void take_by_likeness(struct handing *h, size_t first, size_t until, const ssize_t *like)
{
	while (h->rest && h->rest->file_line < until) {
		struct blame_entry *e = h->rest;
		const ssize_t *l = like + e->file_line - first;
		size_t nr = 1;

		while (nr < e->nr && e->file_line + nr < until && (*l < 0 ? l[nr] < 0 : l[nr] == *l + (ssize_t)nr))
			nr++;
		if (nr < e->nr)
			cut_entry(e, e->file_line + nr);
		if (*l < 0)
			e->unblamable = true;
		else
			e->ignored = true;
		take_entry(h, *l >= 0, *l < 0 ? 0 : (size_t)*l - e->file_line);
	}
}

static int entry_by_file_line(const void *a, const void *b)
{
	const struct blame_entry *const *x = a, *const *y = b;

	if ((*x)->file_line != (*y)->file_line)
		return (*x)->file_line < (*y)->file_line ? -1 : 1;
	return ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

static struct blame_entry *in_file_order(struct blame_entry *list)
{
	struct blame_entry **all;
	size_t nr = sort_entries(list, &all, entry_by_file_line);

	list = NULL;
	while (nr--) {
		all[nr]->next = list;
		list = all[nr];
	}
	free(all);
	return list;
}

/* by_likeness: lines that changed go to the lines that they are like. */
static int pass_common_lines(struct blame *b, struct blame_file *f, struct blame_file *old, bool by_likeness,
			     struct err *err)
{
	struct handing h = { .rest = f->suspects };
	struct likeness *k = NULL;
	struct text_diff d;
	size_t shift = 0;
	int rc = blame_load(b, f, err);

	if (!rc)
		rc = blame_load(b, old, err);
	if (rc < 0)
		return rc;
	b->nr_texts++;
	h.keep_tail = &h.keep;
	h.give_tail = &h.give;
	if (by_likeness)
		k = likeness_new(old, f);
	text_diff(&d, old->text.data, old->text.size, f->text.data, f->text.size, b->diff);
	for (size_t i = 0; i < d.nr && h.rest; i++) {
		const struct text_change *c = &d.changes[i];
		size_t end = c->new_first + c->new_nr;

		take_until(&h, c->new_first, true, shift);
		if (k && c->new_nr) {
			ssize_t *like;

			ALLOC_ARRAY(like, c->new_nr);
			likeness_match(k, c, like);
			take_by_likeness(&h, c->new_first, end, like);
			free(like);
		}
		take_until(&h, end, false, 0);
		shift = c->old_first + c->old_nr - (c->new_first + c->new_nr);
	}
	take_until(&h, SIZE_MAX, true, shift);
	text_diff_release(&d);
	likeness_free(k);
	f->suspects = h.keep;
	if (by_likeness)
		h.give = in_file_order(h.give);
	blame_hand_on(b, old, h.give);
	return 0;
}

static void hand_text(struct blame_file *from, struct blame_file *to)
{
	if (to->loaded || to->given || !from->loaded || from->given)
		return;
	/* Git compares what the textconv of the later path made, but not the first text. */
	if (from->unused && strcmp(from->path, to->path) != 0)
		return;
	to->text = from->text;
	to->loaded = true;
	to->unused = from->unused;
	from->text = (struct object_buf)OBJECT_BUF_INIT;
	from->loaded = false;
}

/* 1: all went to one parent that has the same text. */
static int find_old_files(struct blame *b, struct blame_file *f, struct commit *const *parents, size_t nr,
			  struct blame_file **old, struct err *err)
{
	for (int renames = 0; renames < 2; renames++)
		for (size_t i = 0; i < nr; i++) {
			struct blame_file *found = NULL;
			bool known = false;
			int rc;

			if (old[i])
				continue;
			rc = commit_parse_node(b->pool, parents[i], err);
			if (!rc)
				rc = (renames ? find_rename : blame_find_path)(b, f, parents[i], &found, err);
			if (rc < 0)
				return rc;
			if (!found)
				continue;
			if (oid_eq(&found->oid, &f->oid)) {
				struct blame_entry *all = f->suspects;

				f->suspects = NULL;
				hand_text(f, found);
				blame_hand_on(b, found, all);
				return 1;
			}
			for (size_t j = 0; j < i && !known; j++)
				known = old[j] && oid_eq(&old[j]->oid, &found->oid);
			if (!known)
				old[i] = found;
		}
	return 0;
}

/* The commits that may have the lines as well. */
static size_t find_scapegoats(const struct blame *b, const struct commit *c, struct commit *const **out)
{
	const struct commit_list *children;

	if (b->children) {
		children = b->children(b->children_data, c);
		*out = children ? children->items : NULL;
		return children ? children->nr : 0;
	}
	*out = c->parents;
	return b->first_parent && c->nr_parents ? 1 : c->nr_parents;
}

static int pass_to_parents(struct blame *b, struct blame_file *f, struct err *err)
{
	struct commit *const *parents;
	size_t nr = find_scapegoats(b, f->commit, &parents);
	struct blame_file **old;
	int rc;

	if (!nr)
		return 0;
	CALLOC_ARRAY(old, nr);
	rc = find_old_files(b, f, parents, nr, old, err);
	if (!rc)
		b->nr_commits++;
	for (size_t i = 0; !rc && i < nr && f->suspects; i++) {
		if (!old[i])
			continue;
		if (!f->previous)
			f->previous = old[i];
		rc = pass_common_lines(b, f, old[i], false, err);
	}
	if (b->ignore && oidset_contains(b->ignore, &f->commit->oid))
		for (size_t i = 0; !rc && i < nr && f->suspects; i++)
			if (old[i]) {
				rc = pass_common_lines(b, f, old[i], true, err);
				old[i]->unused = true;
			}
	if (!rc && f->suspects && (b->moves || b->copies))
		rc = blame_find_copies(b, f, parents, old, nr, err);
	for (size_t i = 0; i < nr; i++)
		if (old[i] && !old[i]->suspects)
			blame_unload(old[i]);
	free(old);
	return rc < 0 ? rc : 0;
}

/* ---- the run ---- */

static void keep_rest(struct blame *b, struct blame_file *f)
{
	struct blame_entry *e = f->suspects;

	f->suspects = NULL;
	while (e) {
		struct blame_entry *next = e->next;

		if (b->found)
			b->found(b->found_data, e);
		e->next = b->done;
		b->done = e;
		e = next;
	}
}

static int look_at_file(struct blame *b, struct blame_file *f, struct err *err)
{
	struct commit *c = f->commit;
	int rc = c->parsed ? 0 : commit_parse_node(b->pool, c, err);

	if (rc < 0)
		return rc;
	if (b->children || (!(c->flags & REV_UNINTERESTING) && !(b->since && c->date < b->since)))
		rc = pass_to_parents(b, f, err);
	else
		c->flags |= REV_UNINTERESTING;
	if (!c->nr_parents && !b->show_root)
		c->flags |= REV_UNINTERESTING;
	if (!rc)
		keep_rest(b, f);
	blame_unload(f);
	return rc;
}

static int entry_by_line(const void *a, const void *b)
{
	const struct blame_entry *const *x = a, *const *y = b;

	return ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

/* Put b->done in order, and join what belongs together. */
static void order_results(struct blame *b)
{
	struct blame_entry **all, *last = NULL;
	size_t nr = sort_entries(b->done, &all, entry_by_line);

	b->done = NULL;
	for (size_t i = 0; i < nr; i++) {
		struct blame_entry *e = all[i];

		e->next = NULL;
		if (last && last->suspect == e->suspect && last->line + last->nr == e->line &&
		    last->file_line + last->nr == e->file_line && last->ignored == e->ignored &&
		    last->unblamable == e->unblamable) {
			last->nr += e->nr;
			free(e);
			continue;
		}
		if (last)
			last->next = e;
		else
			b->done = e;
		last = e;
	}
	free(all);
}

static int oldest_first(const void *va, const void *vb, void *data UNUSED)
{
	const struct commit *a = va, *b = vb;

	return a->date < b->date ? -1 : a->date > b->date;
}

int blame_run(struct blame *b, struct err *err)
{
	struct commit *c;
	int rc = 0;

	if (b->children)
		b->queue.compare = oldest_first;
	else
		commit_pool_read_ahead(b->pool);
	while (!rc && (c = prio_queue_get(&b->queue))) {
		struct blame_file *f;

		do {
			for (f = *blame_files_of(b, c); f && !f->suspects;)
				f = f->next;
			if (f)
				rc = look_at_file(b, f, err);
		} while (f && !rc);
	}
	blame_ahead_free(b);
	if (!rc)
		order_results(b);
	return rc;
}

static void refer_to(struct blame_file *f)
{
	for (; f; f = f->previous)
		if (f->references++)
			return;
}

void blame_count_references(struct blame *b)
{
	for (const struct blame_entry *e = b->done; e; e = e->next)
		refer_to(e->suspect);
}

/* ---- start and end ---- */

void blame_init(struct blame *b, struct commit_pool *pool, const struct diff_options *o)
{
	*b = (struct blame){ .pool = pool, .diff = o, .move_score = 20, .copy_score = 40 };
	b->queue.compare = commit_date_cmp;
}

static void find_line_starts(struct blame *b)
{
	const char *text = b->final->text.data;
	size_t size = b->final->text.size, at = 0, alloc = 0;

	for (;;) {
		const char *nl;

		ALLOC_GROW(b->lines, b->nr_lines + 1, alloc);
		b->lines[b->nr_lines] = at;
		if (at >= size)
			return;
		nl = memchr(text + at, '\n', size - at);
		at = nl ? (size_t)(nl + 1 - text) : size;
		b->nr_lines++;
	}
}

/* A second copy stays for the output, whatever becomes of the file. */
static void keep_final(struct blame *b, struct blame_file *f)
{
	struct blame_file *final = xcalloc(1, sizeof(*final));

	*final = *f;
	final->given = true;
	final->path = xstrdup(f->path);
	final->text.data = xmemdupz(f->text.data ? f->text.data : "", f->text.size);
	b->final = final;
	find_line_starts(b);
}

int blame_start(struct blame *b, struct commit *c, const char *path, struct err *err)
{
	struct blame_file *f;
	struct object_id oid;
	unsigned mode;
	int rc = commit_parse_node(b->pool, c, err);

	if (!rc)
		rc = tree_lookup_path(odb_source(b->diff->odb), &c->tree, path, &mode, &oid, err);
	if (rc < 0)
		return rc;
	if (MODE_IS_TREE(mode) || MODE_IS_GITLINK(mode))
		return err_set(err, ERR_NOT_FOUND, "'%s' is no file", path);
	f = blame_file_of(b, c, path);
	f->oid = oid;
	f->mode = mode;
	rc = blame_load(b, f, err);
	f->unused = true;
	if (rc == ERR_NOT_FOUND) {
		err_release(err);
		return err_set(err, ERR_CORRUPT, "cannot read blob %s for path %s", oid_hex(&oid), path);
	}
	if (!rc)
		keep_final(b, f);
	return rc;
}

int blame_start_text(struct blame *b, struct commit *c, const char *path, unsigned mode, struct object_buf *text,
		     struct err *err)
{
	struct blame_file *f = blame_file_of(b, c, path);

	f->mode = mode;
	f->given = f->loaded = true;
	f->text = *text;
	*text = (struct object_buf)OBJECT_BUF_INIT;
	keep_final(b, f);
	return hash_object_buf(b->diff->algo, "blob", f->text.data ? f->text.data : "", f->text.size, &f->oid, err);
}

void blame_add_lines(struct blame *b, size_t begin, size_t end)
{
	struct blame_file *f = blame_file_of(b, b->final->commit, b->final->path);
	struct blame_entry *e = xcalloc(1, sizeof(*e));

	*e = (struct blame_entry){ .line = begin, .nr = end - begin, .file_line = begin };
	blame_hand_on(b, f, e);
}

static void free_blame_entries(struct blame_entry *e)
{
	while (e) {
		struct blame_entry *next = e->next;

		free(e);
		e = next;
	}
}

static void free_blame_file(struct blame_file *f)
{
	free_blame_entries(f->suspects);
	object_buf_release(&f->text);
	free(f->path);
	free(f);
}

void blame_release(struct blame *b)
{
	for (size_t i = 0; i < b->nr_files; i++)
		while (b->files[i]) {
			struct blame_file *f = b->files[i];

			b->files[i] = f->next;
			free_blame_file(f);
		}
	free(b->files);
	if (b->final) {
		b->final->suspects = NULL;
		free_blame_file(b->final);
	}
	free_blame_entries(b->done);
	free(b->lines);
	prio_queue_clear(&b->queue);
	blame_release_paths(b);
	*b = (struct blame){ .pool = NULL };
}
