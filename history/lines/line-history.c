/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "diff/line-spec.h"
#include "object/tree.h"
#include "history/lines/line-history.h"
#include "history/lines/line-tracks.h"
#include "util/alloc.h"

/* The pairs in which a commit changes followed lines; pair i has lines[i]. */
struct line_changes {
	struct diff_queue pairs;
	struct line_ranges *lines;
	size_t nr;
};

struct line_history {
	struct rev_walk *walk;
	const struct diff_options *diff;
	struct path_sets sets;
	struct commit_lines { /* by commit->index */
		struct tracks tracks; /* until the commit is looked at */
		struct line_changes changes;
	} *commits;
	size_t nr_commits;
	struct line_anchor { /* where the next search in a file begins */
		char *path;
		size_t line;
	} *anchors;
	size_t nr_anchors, alloc_anchors;
};

static struct commit_lines *lines_of(struct line_history *h, const struct commit *c)
{
	if (c->index >= h->nr_commits) {
		size_t nr = commit_pool_nr(h->walk->pool) * 2;

		h->commits = xreallocarray(h->commits, nr, sizeof(*h->commits));
		memset(h->commits + h->nr_commits, 0, (nr - h->nr_commits) * sizeof(*h->commits));
		h->nr_commits = nr;
	}
	return &h->commits[c->index];
}

/* They are followed at that commit too. */
static int hand_on(struct line_history *h, const struct commit *to, struct tracks *t, struct err *err)
{
	return tracks_join(&h->sets, &lines_of(h, to)->tracks, t, err);
}

/* ---- a commit and one of its parents ---- */

/* What has become of the tracks of a commit at its parent. */
struct comparison {
	struct tracks back;
	struct line_changes changes;
};

static void line_changes_release(struct line_changes *ch)
{
	diff_queue_clear(&ch->pairs);
	for (size_t i = 0; i < ch->nr; i++)
		line_ranges_release(&ch->lines[i]);
	free(ch->lines);
	*ch = (struct line_changes){ .pairs = DIFF_QUEUE_INIT };
}

static void comparison_release(struct comparison *cmp)
{
	tracks_release(&cmp->back);
	line_changes_release(&cmp->changes);
}

/* Is any of the files another one in the parent (NULL: there is none)? 1, 0, < 0. */
static int files_differ(struct line_history *h, const struct commit *c, const struct commit *parent,
			const struct path_set *set, struct err *err)
{
	bool first = parent ? parent == c->parents[0] : !c->nr_parents;

	if (first && set->filters && c->graph_pos != GRAPH_POS_NONE &&
	    !changed_paths_perhaps(set->filters, c->graph_pos))
		return 0;
	return rev_trees_differ(h->walk, &set->spec, parent ? &parent->tree : NULL, &c->tree, err);
}

static struct diff_pair *pair_of(const struct diff_queue *q, const char *path)
{
	for (size_t i = 0; i < q->nr; i++)
		if (q->pairs[i]->new->mode && !strcmp(q->pairs[i]->new->path, path))
			return q->pairs[i];
	return NULL;
}

static void queue_again(struct diff_queue *q, const struct diff_pair *p)
{
	const struct diff_file *old = p->old, *new = p->new;

	diff_queue_add(q, old->path, old->mode, &old->oid, new->path, new->mode, &new->oid);
}

/* Only followed files can be the result of a rename, and all that are deleted the source. */
static int find_renames(const struct line_history *h, const struct path_set *set, const struct object_id *old,
			const struct object_id *new, struct diff_queue *out, struct err *err)
{
	struct diff_options o = diff_options_for_search(h->diff);
	struct diff_queue all = DIFF_QUEUE_INIT;
	int rc;

	o.reverse = o.find_copies_harder = false;
	rc = diff_trees(&all, &o, old, new, err);
	for (size_t i = 0; !rc && i < all.nr; i++)
		if (!all.pairs[i]->new->mode || path_set_has(set, all.pairs[i]->new->path))
			queue_again(out, all.pairs[i]);
	diff_queue_clear(&all);
	return rc ? rc : diff_process(out, &o, err);
}

/* Those of the followed files that differ. If the parent lacks one of them, and renames count: with renames. */
static int find_pairs(struct line_history *h, const struct path_set *set, const struct object_id *old,
		      const struct object_id *new, struct diff_queue *out, struct err *err)
{
	struct diff_options o = diff_options_for_search(h->diff);
	bool created = false;
	int rc;

	o.reverse = o.find_copies_harder = false;
	o.pathspec = &set->spec;
	o.relative = h->diff->relative; /* files elsewhere never change */
	rc = diff_trees(out, &o, old, new, err);
	for (size_t i = 0; !rc && i < out->nr; i++)
		created |= !out->pairs[i]->old->mode;
	if (rc || !created || !old || !h->diff->detect)
		return rc;
	diff_queue_clear(out);
	return find_renames(h, set, old, new, out, err);
}

static void add_change(struct line_changes *ch, const struct diff_pair *p, const struct line_ranges *lines)
{
	struct line_ranges copy = LINE_RANGES_INIT;

	line_ranges_add_all(&copy, lines);
	ch->lines = xreallocarray(ch->lines, ch->nr + 1, sizeof(*ch->lines));
	ch->lines[ch->nr++] = copy;
	queue_again(&ch->pairs, p);
}

/* p: NULL if the file is the same in the parent. */
static int compare_file(const struct line_history *h, const char *path, const struct line_ranges *lines,
			struct diff_pair *p, struct gathering *g, struct line_changes *changes, struct err *err)
{
	struct line_ranges back = LINE_RANGES_INIT;
	bool touched;
	int rc;

	if (!p || (p->old->mode && oid_eq(&p->old->oid, &p->new->oid))) {
		gather(g, p ? p->old->path : path, lines);
		return 0;
	}
	rc = diff_lines_back(&back, &touched, p, lines, h->diff, err);
	if (!rc) {
		gather(g, p->old->path, &back);
		if (touched)
			add_change(changes, p, lines);
	}
	line_ranges_release(&back);
	return rc;
}

/* The caller releases *out, also after a failure. */
static int compare(struct line_history *h, struct commit *c, struct commit *parent, const struct tracks *t,
		   struct comparison *out, struct err *err)
{
	struct diff_queue pairs = DIFF_QUEUE_INIT;
	struct gathering g = GATHERING_INIT;
	int rc = parent ? commit_parse_node(h->walk->pool, parent, err) : 0, end;
	bool differ;

	*out = (struct comparison){ .changes = { .pairs = DIFF_QUEUE_INIT } };
	if (!rc)
		rc = files_differ(h, c, parent, t->set, err);
	differ = rc > 0;
	if (!rc)
		gather_tracks(&g, t);
	if (differ)
		rc = find_pairs(h, t->set, parent ? &parent->tree : NULL, &c->tree, &pairs, err);
	for (size_t i = 0; !rc && differ && i < t->set->nr; i++) {
		const char *path = t->set->paths[i];

		rc = compare_file(h, path, &t->lines[i], pair_of(&pairs, path), &g, &out->changes, err);
	}
	end = gathering_end(&g, &h->sets, &out->back, err);
	diff_queue_clear(&pairs);
	return rc ? rc : end;
}

/* ---- a commit ---- */

/* 1: it changes lines; 0: not. */
static int visit_single(struct line_history *h, struct commit *c, struct commit *parent, const struct tracks *t,
			struct err *err)
{
	struct comparison cmp;
	int rc = compare(h, c, parent, t, &cmp, err);
	bool changes = cmp.changes.nr;

	if (!rc && parent)
		rc = hand_on(h, parent, &cmp.back, err);
	if (!rc && c->nr_parents < 2) {
		lines_of(h, c)->changes = cmp.changes;
		cmp.changes = (struct line_changes){ .pairs = DIFF_QUEUE_INIT };
	}
	if (!rc && c->nr_parents > 1 && !changes)
		commit_set_parents(h->walk->pool, c, &parent, 1);
	comparison_release(&cmp);
	return rc ? rc : changes;
}

/*
 * If a parent has all lines unchanged, it alone gets them; else each parent gets the lines that it
 * has.
 */
static int visit_merge(struct line_history *h, struct commit *c, const struct tracks *t, struct err *err)
{
	struct comparison *all = xcalloc(c->nr_parents, sizeof(*all));
	uint32_t nr = 0, i;
	bool same = false;
	int rc = 0;

	while (!rc && !same && nr < c->nr_parents) {
		rc = compare(h, c, c->parents[nr], t, &all[nr], err);
		same = !rc && !all[nr].changes.nr;
		nr++;
	}
	for (i = same ? nr - 1 : 0; !rc && i < nr; i++)
		rc = hand_on(h, c->parents[i], &all[i].back, err);
	if (!rc && same) {
		struct commit *parent = c->parents[nr - 1];

		commit_set_parents(h->walk->pool, c, &parent, 1);
	}
	for (i = 0; i < nr; i++)
		comparison_release(&all[i]);
	free(all);
	return rc ? rc : !same;
}

static int visit(void *data, struct commit *c, struct err *err)
{
	struct line_history *h = data;
	struct tracks t = lines_of(h, c)->tracks;
	int rc = 0;

	lines_of(h, c)->tracks = (struct tracks)TRACKS_INIT;
	if (!t.set && c->nr_parents > 1) /* nothing is followed: the same as any parent */
		commit_set_parents(h->walk->pool, c, c->parents, 1);
	if (t.set && h->walk->no_walk) /* as if there was nothing before it */
		rc = visit_single(h, c, NULL, &t, err);
	else if (t.set && (c->nr_parents < 2 || h->walk->first_parent))
		rc = visit_single(h, c, c->nr_parents ? c->parents[0] : NULL, &t, err);
	else if (t.set)
		rc = visit_merge(h, c, &t, err);
	tracks_release(&t);
	return rc;
}

void line_history_changes(struct line_history *h, const struct commit *c, struct diff_queue *q)
{
	struct line_changes *ch = &lines_of(h, c)->changes;

	*q = ch->pairs;
	ch->pairs = (struct diff_queue)DIFF_QUEUE_INIT;
	for (size_t i = 0; i < q->nr; i++)
		q->pairs[i]->lines = &ch->lines[i];
}

/* ---- beginning and end ---- */

static struct line_anchor *anchor_of(struct line_history *h, const char *path)
{
	for (size_t i = 0; i < h->nr_anchors; i++)
		if (!strcmp(h->anchors[i].path, path))
			return &h->anchors[i];
	ALLOC_GROW(h->anchors, h->nr_anchors + 1, h->alloc_anchors);
	h->anchors[h->nr_anchors] = (struct line_anchor){ xstrdup(path), 0 };
	return &h->anchors[h->nr_anchors++];
}

static int find_lines(struct line_history *h, const struct commit *c, const char *arg, const char *path,
		      struct line_ranges *out, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct line_anchor *anchor;
	struct line_range found;
	struct err why = ERR_INIT;
	struct object_id oid;
	unsigned mode;
	int rc = tree_lookup_path(odb_source(h->walk->repo->odb), &c->tree, path, &mode, &oid, &why);

	if (rc == ERR_NOT_FOUND || (!rc && (MODE_IS_TREE(mode) || MODE_IS_GITLINK(mode)))) {
		err_release(&why);
		return err_set(err, ERR_NOT_FOUND, "There is no path %s in the commit", path);
	}
	err_move(err, &why);
	if (rc < 0)
		return rc;
	anchor = anchor_of(h, path);
	diff_queue_add(&q, path, 0, NULL, path, mode, &oid);
	rc = line_spec_find(&found, arg, q.pairs[0]->new, anchor->line, h->diff, err);
	if (!rc) {
		line_ranges_add(out, found.begin, found.end);
		anchor->line = found.end;
	}
	diff_queue_clear(&q);
	return rc;
}

int line_history_add(struct line_history *h, const char *arg, const char *prefix, struct err *err)
{
	const char *names[] = { line_spec_file(arg), NULL };
	struct line_ranges lines = LINE_RANGES_INIT;
	struct gathering g = GATHERING_INIT;
	struct tracks t = TRACKS_INIT;
	struct pathspec file;
	struct commit *c;
	int rc;

	rc = rev_walk_only_start(h->walk, &c, err);
	if (!rc && !names[0])
		rc = err_set(err, ERR_INVALID, "-L argument not 'start,end:file' or ':funcname:file': %s",
			     arg);
	if (!rc)
		rc = pathspec_parse(&file, prefix, h->walk->repo->worktree, names, PATHSPEC_LITERAL, err);
	if (rc < 0)
		return rc;
	rc = find_lines(h, c, arg, file.items[0].match, &lines, err);
	if (!rc) {
		gather(&g, file.items[0].match, &lines);
		rc = gathering_end(&g, &h->sets, &t, err);
	}
	if (!rc)
		rc = hand_on(h, c, &t, err);
	tracks_release(&t);
	line_ranges_release(&lines);
	pathspec_release(&file);
	return rc;
}

struct line_history *line_history_new(struct rev_walk *w, const struct diff_options *o)
{
	struct line_history *h = xcalloc(1, sizeof(*h));

	h->walk = w;
	h->diff = o;
	h->sets.graph = commit_pool_graph(w->pool);
	rev_walk_select(w, (struct rev_selection){ visit, h });
	return h;
}

void line_history_free(struct line_history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nr_commits; i++) {
		tracks_release(&h->commits[i].tracks);
		line_changes_release(&h->commits[i].changes);
	}
	free(h->commits);
	path_sets_release(&h->sets);
	for (size_t i = 0; i < h->nr_anchors; i++)
		free(h->anchors[i].path);
	free(h->anchors);
	free(h);
}
