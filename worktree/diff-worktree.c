/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "worktree/diff-attr.h"
#include "worktree/diff-worktree.h"
#include "worktree/status-internal.h"

/* ---- one file ---- */

/* What stands in the work tree for an entry. */
struct file_side {
	bool changed;
	unsigned mode;	      /* 0: missing */
	struct object_id oid; /* known for submodules and unchanged files */
	bool dirty, modified, untracked;
	bool missing; /* though it has a mode: that of the entry */
};

static bool is_selected(const struct worktree_diff *d, const char *path, unsigned mode)
{
	struct strbuf name = STRBUF_INIT;
	bool selected;

	if (!d->o->relative && (!d->o->pathspec || !d->o->pathspec->nr))
		return true;
	strbuf_addstr(&name, path);
	selected = diff_selects(d->o, &name, false);
	if (!selected && MODE_IS_GITLINK(mode) && !d->o->relative) /* "sub/" means a submodule, too */
		selected = pathspec_match(d->o->pathspec, name.buf, name.len, true, NULL);
	strbuf_release(&name);
	return selected;
}

static bool is_ignored_submodule(const struct worktree_diff *d, unsigned a, unsigned b,
				 const char *path)
{
	return (!a || MODE_IS_GITLINK(a)) && (!b || MODE_IS_GITLINK(b)) && d->submodules &&
	       diff_submodules_mode(d->submodules, path) == SUBMODULES_NONE;
}

/* Stat data decide; only where they cannot (a racy entry), content is read. */
static enum worktree_change compare(struct worktree_diff *d, struct index_entry *e,
				    struct lstat_cursor *cur, unsigned *mode)
{
	struct converter *c = NULL;
	struct stat st;

	if (!(e->flags & CE_UPTODATE) && !MODE_IS_GITLINK(e->mode) &&
	    !lstat_cursor_stat(cur, e->name, e->name_len, &st) &&
	    index_entry_stat_match(d->ix, e, &st, &d->repo->settings) == MATCH_RACY)
		c = d->conv;
	return worktree_compare(d->repo, d->ix, e, cur, c, &st, mode);
}

/* Changes inside count as one, unless they are not asked for. */
static int look_into(struct worktree_diff *d, struct index_entry *e, struct file_side *out,
		     struct err *err)
{
	enum submodule_mode mode = d->submodules ? diff_submodules_mode(d->submodules, e->name) :
						   SUBMODULES_ALL;
	bool modified = false, untracked = false;
	int rc = 0;

	if (out->changed && gitlink_resolve_head(e->name, d->repo->algo, &out->oid, NULL) < 0)
		out->oid = d->repo->algo->null_oid;
	if (mode != SUBMODULES_NONE && mode != SUBMODULES_COMMITS)
		rc = submodule_inspect(d->repo, e->name, mode == SUBMODULES_ALL, &modified,
				       &untracked, err);
	out->modified = modified;
	out->untracked = untracked;
	out->dirty = modified || untracked;
	return rc;
}

static int file_of(struct worktree_diff *d, struct index_entry *e, struct lstat_cursor *cur,
		   struct file_side *out, struct err *err)
{
	enum worktree_change change;

	*out = (struct file_side){ .mode = e->mode, .oid = e->oid };
	change = compare(d, e, cur, &out->mode);
	if (change == WT_DELETED) {
		out->mode = d->missing_is_same ? e->mode : 0;
		out->missing = d->missing_is_same;
		return 0;
	}
	out->changed = change != WT_UNCHANGED;
	if (MODE_IS_GITLINK(out->mode) && MODE_IS_GITLINK(e->mode) &&
	    !(e->flags & (CE_ASSUME_VALID | CE_SKIP_WORKTREE)))
		return look_into(d, e, out, err);
	if (out->changed && MODE_IS_GITLINK(out->mode))
		return gitlink_resolve_head(e->name, d->repo->algo, &out->oid, err);
	if (out->changed)
		out->oid = d->repo->algo->null_oid;
	return 0;
}

/* ---- pairs ---- */

static void queue_same(struct worktree_diff *d, struct diff_queue *q, const struct index_entry *e)
{
	bool had = q->has_changes;

	if (!d->o->find_copies_harder)
		return;
	diff_queue_add(q, e->name, e->mode, &e->oid, e->name, e->mode, &e->oid);
	q->has_changes = had;
}

/* Against the file; one that is the same, object and mode, is left out. */
static struct diff_pair *queue_file(struct worktree_diff *d, struct diff_queue *q, const char *path,
		       unsigned mode, const struct object_id *oid, const struct file_side *f)
{
	struct diff_pair *p;

	if (is_ignored_submodule(d, mode, f->mode, path))
		return NULL;
	if (!f->changed && !f->dirty && mode == f->mode && oid && oid_eq(oid, &f->oid) &&
	    !d->o->find_copies_harder)
		return NULL;
	p = diff_queue_add(q, path, mode, oid, path, f->mode,
			   f->mode && !f->changed ? &f->oid : NULL);
	if (f->mode && f->changed)
		p->new->oid = f->oid;
	p->new->dirty = f->dirty;
	p->new->dirty_modified = f->modified;
	p->new->dirty_untracked = f->untracked;
	return p;
}

/* The work tree's side of a path that has no entry of stage 0. */
static void file_without_entry(struct worktree_diff *d, const struct index_entry *e,
			       struct lstat_cursor *cur, struct file_side *out)
{
	struct stat st;

	*out = (struct file_side){ .changed = true, .oid = d->repo->algo->null_oid };
	if (lstat_cursor_stat(cur, e->name, e->name_len, &st) < 0 || S_ISDIR(st.st_mode))
		return;
	out->mode = worktree_mode(&d->repo->settings, st.st_mode, e);
}

static size_t end_of_stages(const struct index_state *ix, size_t i)
{
	const struct index_entry *e = ix->entries[i];

	while (i < ix->nr && ix->entries[i]->name_len == e->name_len &&
	       !memcmp(ix->entries[i]->name, e->name, e->name_len))
		i++;
	return i;
}

/* Both sides with the file; false: one of them is missing. */
static bool combine_unmerged(struct worktree_diff *d, struct index_entry *const *e, size_t nr,
			     const struct file_side *f)
{
	struct diff_queue sides[2] = { DIFF_QUEUE_INIT, DIFF_QUEUE_INIT };
	bool both;

	for (size_t i = 0; i < nr; i++) {
		if (e[i]->stage < 2)
			continue;
		diff_queue_add(&sides[e[i]->stage - 2], e[i]->name, e[i]->mode, &e[i]->oid, e[i]->name,
			       f->mode, NULL)->status = DIFF_STATUS_MODIFIED;
	}
	both = sides[0].nr && sides[1].nr;
	if (both && diff_combine(d->combined, sides, 2, NULL) < 0)
		BUG("two sides are too many");
	diff_queue_clear(&sides[0]);
	diff_queue_clear(&sides[1]);
	return both;
}

static void queue_unmerged(struct worktree_diff *d, struct diff_queue *q, size_t at, size_t end,
			   struct lstat_cursor *cur)
{
	struct index_entry *const *e = d->ix->entries + at;
	struct file_side f;

	file_without_entry(d, index_find_ours(d->ix, e[0]->name, e[0]->name_len), cur, &f);
	if (d->combined && combine_unmerged(d, e, end - at, &f))
		return;
	file_without_entry(d, e[0], cur, &f);
	diff_queue_add_unmerged(q, e[0]->name)->new->mode = f.mode;
	for (size_t i = 0; d->stage && i < end - at; i++) {
		if (e[i]->stage != d->stage || e[i]->flags & (CE_ASSUME_VALID | CE_SKIP_WORKTREE))
			continue;
		file_without_entry(d, e[i], cur, &f); /* its mode may be that of the entry */
		queue_file(d, q, e[i]->name, e[i]->mode, &e[i]->oid, &f);
	}
}

/* 1: its file is in *f, to be compared; 0: there is nothing to be said of it, or that has been done. */
static int look_at_entry(struct worktree_diff *d, struct diff_queue *q, struct index_entry *e,
			 struct lstat_cursor *cur, struct file_side *f, struct err *err)
{
	int rc;

	if (e->flags & CE_UPTODATE && !MODE_IS_GITLINK(e->mode)) {
		queue_same(d, q, e);
		return 0;
	}
	if (is_ignored_submodule(d, e->mode, e->mode, e->name))
		return 0;
	rc = file_of(d, e, cur, f, err);
	return rc < 0 ? rc : 1;
}

/* Once the index is refreshed. Another size alone says nothing of a file that is converted. */
static bool differs_surely(const struct worktree_diff *d, const struct index_entry *e)
{
	struct conversion cv;

	if (e->flags & CE_MODIFIED)
		return true;
	converter_lookup(d->conv, e->name, &cv);
	return conversion_is_noop_to_git(d->conv, &cv);
}

static int queue_entry(struct worktree_diff *d, struct diff_queue *q, struct index_entry *e,
		       struct lstat_cursor *cur, struct err *err)
{
	struct diff_pair *p;
	struct file_side f;
	int rc = look_at_entry(d, q, e, cur, &f, err);

	if (rc <= 0)
		return rc;
	if (e->flags & CE_INTENT_TO_ADD && f.mode && !d->ita_is_entry)
		p = queue_file(d, q, e->name, 0, NULL, &f);
	else
		p = queue_file(d, q, e->name, e->mode, &e->oid, &f);
	if (p && f.changed && !(e->flags & CE_INTENT_TO_ADD))
		p->differs = d->refreshed && differs_surely(d, e);
	return 0;
}

int worktree_diff_files(struct worktree_diff *d, struct diff_queue *q, struct err *err)
{
	struct index_state *ix = d->ix;
	struct lstat_cursor cur;
	size_t next;
	int rc = 0;

	worktree_preload_index(d->repo, ix, d->o->pathspec);
	lstat_cursor_init(&cur);
	for (size_t i = 0; rc >= 0 && i < ix->nr; i = next) {
		struct index_entry *e = ix->entries[i];

		next = e->stage ? end_of_stages(ix, i) : i + 1;
		if (e->flags & CE_REMOVE || !is_selected(d, e->name, e->mode))
			continue;
		if (e->stage)
			queue_unmerged(d, q, i, next, &cur);
		else
			rc = queue_entry(d, q, e, &cur, err);
		if (d->o->quick && q->has_changes)
			break;
	}
	lstat_cursor_release(&cur);
	return rc;
}

/* ---- a tree ---- */

struct tree_run {
	struct worktree_diff *d;
	struct diff_queue *q; /* where the tree and the index differ */
	struct lstat_cursor cur;
	bool cached;
};

/* The index and the tree with the file; false: that is not asked for, or they are all the same. */
static bool combine_modified(struct worktree_diff *d, const char *path, unsigned mode,
			     const struct object_id *oid, const struct index_entry *e,
			     const struct file_side *f)
{
	struct diff_queue sides[2] = { DIFF_QUEUE_INIT, DIFF_QUEUE_INIT };
	struct diff_pair *p;

	if (!d->combined || !mode || !f->mode || e->flags & (CE_ASSUME_VALID | CE_SKIP_WORKTREE) ||
	    (!f->changed && oid_eq(&f->oid, oid) && oid_eq(&e->oid, oid)))
		return false;
	p = diff_queue_add(&sides[0], path, e->mode, &e->oid, path, f->mode, NULL);
	p->status = DIFF_STATUS_MODIFIED;
	p->new->oid = f->oid; /* of a submodule */
	p->new->gone = f->missing;
	diff_queue_add(&sides[1], path, mode, oid, path, f->mode, NULL)->status = DIFF_STATUS_MODIFIED;
	if (diff_combine(d->combined, sides, 2, NULL) < 0)
		BUG("two sides are too many");
	diff_queue_clear(&sides[0]);
	diff_queue_clear(&sides[1]);
	return true;
}

/* The same entry, to be marked: the index is the caller's. */
static struct index_entry *own_entry(const struct tree_run *t, const struct index_entry *e)
{
	return t->d->ix->entries[index_pos(t->d->ix, e->name, e->name_len, e->stage)];
}

/* Unmerged: the file against the tree; against the index alone there is nothing to say. */
static void differ_unmerged(struct tree_run *t, const char *path, unsigned mode,
			    const struct object_id *oid, const struct index_entry *e)
{
	struct file_side f;
	struct diff_pair *p;

	if (!t->cached && !(e->flags & (CE_ASSUME_VALID | CE_SKIP_WORKTREE))) {
		file_without_entry(t->d, e, &t->cur, &f);
		if (!f.mode && t->d->missing_is_same)
			f = (struct file_side){ .mode = e->mode, .oid = e->oid, .missing = true };
		if (!combine_modified(t->d, path, mode, oid, e, &f) && (mode || f.mode))
			queue_file(t->d, t->q, path, mode, mode ? oid : NULL, &f);
		return;
	}
	p = diff_queue_add_unmerged(t->q, path);
	p->old->mode = mode;
	p->old->oid_valid = mode != 0;
	if (mode)
		p->old->oid = *oid;
}

static int differ_file(struct tree_run *t, const char *path, unsigned mode,
		       const struct object_id *oid, struct index_entry *e, struct err *err)
{
	struct file_side f;
	int rc = file_of(t->d, e, &t->cur, &f, err);

	e->flags |= CE_MATCHED;
	if (rc < 0 || (!mode && !f.mode) || combine_modified(t->d, path, mode, oid, e, &f))
		return rc < 0 ? rc : 0;
	queue_file(t->d, t->q, path, mode, mode ? oid : NULL, &f);
	return 0;
}

static int on_differ(void *data, const char *path, unsigned mode, const struct object_id *oid,
		     const struct index_entry *e, struct err *err)
{
	struct tree_run *t = data;

	if (!is_selected(t->d, path, e ? e->mode : mode) ||
	    is_ignored_submodule(t->d, mode, e ? e->mode : 0, path))
		return 0;
	if (e && e->stage) {
		differ_unmerged(t, path, mode, oid, e);
		return 0;
	}
	if (!e) /* intended to be added, perhaps */
		e = index_find(t->d->ix, path, strlen(path));
	if (e && !t->cached)
		return differ_file(t, path, mode, oid, own_entry(t, e), err);
	if (e)
		own_entry(t, e)->flags |= CE_MATCHED;
	if (e && e->flags & CE_INTENT_TO_ADD && !t->d->ita_is_entry)
		e = NULL;
	diff_queue_add(t->q, path, mode, mode ? oid : NULL, path, e ? e->mode : 0,
		       e ? &e->oid : NULL);
	return 0;
}

/* An entry that is as in the tree, or intended to be added, against the index. */
static void queue_cached(struct worktree_diff *d, struct diff_queue *q,
			 const struct index_entry *e)
{
	if (!(e->flags & CE_INTENT_TO_ADD))
		queue_same(d, q, e);
	else if (d->ita_is_entry)
		diff_queue_add(q, e->name, 0, NULL, e->name, e->mode, &e->oid);
}

static int queue_against_file(struct tree_run *t, struct diff_queue *q, struct index_entry *e,
			      struct err *err)
{
	struct worktree_diff *d = t->d;
	struct file_side f;
	int rc = look_at_entry(d, q, e, &t->cur, &f, err);

	if (rc <= 0)
		return rc;
	if (e->flags & CE_INTENT_TO_ADD) {
		if (f.mode)
			queue_file(d, q, e->name, 0, NULL, &f);
	} else if (!combine_modified(d, e->name, e->mode, &e->oid, e, &f)) {
		queue_file(d, q, e->name, e->mode, &e->oid, &f);
	}
	return 0;
}

/* Queues entries that equal the tree, and intent-to-add entries. */
static int queue_rest(struct tree_run *t, struct diff_queue *q, struct err *err)
{
	struct worktree_diff *d = t->d;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < d->ix->nr; i++) {
		struct index_entry *e = d->ix->entries[i];

		if (e->stage || e->flags & (CE_MATCHED | CE_REMOVE) || !is_selected(d, e->name, e->mode))
			continue;
		if (t->cached)
			queue_cached(d, q, e);
		else
			rc = queue_against_file(t, q, e, err);
	}
	return rc;
}

static void push(struct diff_queue *q, struct diff_pair *p)
{
	ALLOC_GROW(q->pairs, q->nr + 1, q->alloc);
	q->pairs[q->nr++] = p;
}

/* Both are sorted by path. */
static void merge_queues(struct diff_queue *out, struct diff_queue *a, struct diff_queue *b)
{
	size_t i = 0, k = 0;

	while (i < a->nr || k < b->nr) {
		bool first = k == b->nr || (i < a->nr && strcmp(a->pairs[i]->new->path,
								b->pairs[k]->new->path) <= 0);

		push(out, first ? a->pairs[i++] : b->pairs[k++]);
	}
	out->has_changes |= a->has_changes || b->has_changes;
	free(a->pairs);
	free(b->pairs);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct diff_combined *)a)->new->path,
		      ((const struct diff_combined *)b)->new->path);
}

int worktree_diff_index(struct worktree_diff *d, struct diff_queue *q,
			const struct object_id *tree, bool cached, struct err *err)
{
	struct diff_queue staged = DIFF_QUEUE_INIT, rest = DIFF_QUEUE_INIT;
	struct tree_run t = { .d = d, .q = &staged, .cached = cached };
	int rc;

	if (!cached)
		worktree_preload_index(d->repo, d->ix, d->o->pathspec);
	lstat_cursor_init(&t.cur);
	rc = index_diff_tree(d->ix, odb_source(d->repo->odb), tree, on_differ, &t, err);
	if (rc >= 0)
		rc = queue_rest(&t, &rest, err);
	lstat_cursor_release(&t.cur);
	for (size_t i = 0; i < d->ix->nr; i++)
		d->ix->entries[i]->flags &= ~CE_MATCHED;
	merge_queues(q, &staged, &rest);
	if (d->combined && d->combined->nr)
		qsort(d->combined->items, d->combined->nr, sizeof(*d->combined->items), by_path);
	return rc < 0 ? rc : 0;
}

/* ---- content ---- */

int worktree_diff_read(void *data, const struct diff_file *file, struct object_buf *out,
		       struct err *err)
{
	struct worktree_diff *d = data;
	struct strbuf warn = STRBUF_INIT;
	int rc;

	if (MODE_IS_GITLINK(file->mode)) {
		out->type = OBJ_BLOB;
		out->data = xstrfmt("Subproject commit %s%s\n", oid_hex(&file->oid),
				    file->dirty ? "-dirty" : "");
		out->size = strlen(out->data);
		return 0;
	}
	rc = worktree_read_side(d->conv, file->path, CONVERT_WARN, out, &warn, err);
	repo_report_lines(d->repo, warn.buf);
	strbuf_release(&warn);
	return rc;
}

int worktree_diff_measure(void *data, const struct diff_file *file, uint64_t *size, struct object_id *oid, struct err *err)
{
	struct worktree_diff *d = data;

	return MODE_IS_GITLINK(file->mode) ? 0 : worktree_measure_side(d->conv, file->path, size, oid, err);
}
