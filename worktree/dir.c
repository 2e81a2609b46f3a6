/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walking the work tree for files that the index does not know.
 *
 * A directory with tracked files is always read. One without any is shown as "dir/" in
 * NORMAL mode if the pathspec matches the directory itself and there is an untracked file
 * somewhere inside (or, with --ignored=traditional, only ignored files: then it is an
 * ignored "dir/"); otherwise its files are shown.
 */
#include "compat/posix.h"
#include "util/alloc.h"
#include "worktree/dir-internal.h"

/* ---- directories with tracked files ---- */

/* Entries [begin, end) of the index are those below the directory. */
struct tracked_dir {
	struct walker *w;
	size_t begin, end;
	size_t base_len;
};

/* First entry in the span whose rest, behind the base, is not less than name. */
static size_t lower_bound(const struct tracked_dir *d, const char *name, size_t len)
{
	size_t lo = d->begin, hi = d->end;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct index_entry *e = d->w->ix->entries[mid];
		size_t rest = e->name_len - d->base_len;
		int cmp = memcmp(e->name + d->base_len, name, rest < len ? rest : len);

		if (cmp < 0 || (!cmp && rest < len))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool entry_is(const struct tracked_dir *d, size_t at, const char *name, size_t len)
{
	const struct index_entry *e = at < d->end ? d->w->ix->entries[at] : NULL;

	return e && e->name_len == d->base_len + len &&
	       !memcmp(e->name + d->base_len, name, len);
}

static bool known_without_case(const struct tracked_dir *d, const char *name, size_t len)
{
	struct walker *w = d->w;
	bool found;

	if (!w->r->settings.ignorecase)
		return false;
	strbuf_add(&w->path, name, len);
	found = index_find_icase((struct index_state *)w->ix, w->path.buf, w->path.len) != NULL;
	strbuf_setlen(&w->path, w->path.len - len);
	return found;
}

/* The index has files of a directory that the file system may take for this one. */
static bool dir_known_without_case(const struct tracked_dir *d, const char *name, size_t len)
{
	struct walker *w = d->w;
	bool found;

	if (!w->r->settings.ignorecase)
		return false;
	strbuf_add(&w->path, name, len);
	found = index_has_dir_icase((struct index_state *)w->ix, w->path.buf, w->path.len);
	strbuf_setlen(&w->path, w->path.len - len);
	return found;
}

/* Keep names that are not tracked. */
static bool not_tracked(void *data, const char *name, bool is_dir)
{
	const struct tracked_dir *d = data;
	size_t len = strlen(name), at = lower_bound(d, name, len);

	if (entry_is(d, at, name, len))
		/*
		 * A directory in place of a tracked file is read, but not shown as
		 * "dir/", as in Git; the directory of a gitlink is neither.
		 */
		return is_dir && d->w->mode == UNTRACKED_ALL &&
		       !MODE_IS_GITLINK(d->w->ix->entries[at]->mode);
	return is_dir || !known_without_case(d, name, len);
}

/* The part of the span that is below `name` ("sub/"). */
static struct tracked_dir sub_span(const struct tracked_dir *d, const char *name, size_t len)
{
	struct tracked_dir sub = *d;
	size_t lo, hi = d->end;

	sub.begin = lo = lower_bound(d, name, len);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct index_entry *e = d->w->ix->entries[mid];

		if (e->name_len - d->base_len > len && !memcmp(e->name + d->base_len, name, len))
			lo = mid + 1;
		else
			hi = mid;
	}
	sub.end = lo;
	sub.base_len = d->base_len + len;
	return sub;
}

static int walk_tracked(struct tracked_dir *d);

/* Is the directory itself ignored? Needed only if something untracked is in it. */
static bool dir_is_ignored(const struct tracked_dir *d)
{
	const struct walker *w = d->w;

	return w->ig && d->base_len &&
	       ignore_is_ignored(w->ig, w->path.buf, d->base_len - 1, true);
}

static int walk_item(struct tracked_dir *d, const struct names *n, const struct name_item *it,
		     int *ignored_dir)
{
	struct walker *w = d->w;
	const char *name = n->text.buf + it->at;
	struct tracked_dir sub = { 0 };

	if (it->is_dir)
		sub = sub_span(d, name, it->len);
	if (sub.begin < sub.end || (it->is_dir && dir_known_without_case(d, name, it->len - 1))) {
		walker_push(w, n, it);
		return walker_match_below(w) == PATHSPEC_NO_MATCH ? 0 : walk_tracked(&sub);
	}
	if (*ignored_dir < 0)
		*ignored_dir = dir_is_ignored(d);
	walker_push(w, n, it);
	return it->is_dir ? walker_show_untracked_dir(w, *ignored_dir) : walker_show_file(w, *ignored_dir);
}

static int walk_tracked(struct tracked_dir *d)
{
	struct walker *w = d->w;
	struct names n = NAMES_INIT;
	int ignored_dir = -1; /* not known yet */
	int ret = walker_read_names(w, &n, not_tracked, d);

	dir_names_sort(&n);
	for (size_t i = 0; i < n.nr && !ret; i++) {
		size_t len = w->path.len;

		ret = walk_item(d, &n, &n.items[i], &ignored_dir);
		strbuf_setlen(&w->path, len);
	}
	dir_names_release(&n);
	return ret;
}

int worktree_walk_untracked(struct repository *r, const struct index_state *ix,
			    struct ignore *ig, const struct pathspec *ps,
			    enum untracked_mode mode, unsigned flags,
			    dirwalk_fn fn, void *data, struct err *err)
{
	struct walker w = {
		.r = r,
		.ix = ix,
		.ig = ig,
		.ps = ps && ps->nr ? ps : NULL,
		.mode = mode,
		.flags = flags,
		.want_ignored = flags & (DIRWALK_IGNORED | DIRWALK_IGNORED_MATCHING),
		.matching = flags & DIRWALK_IGNORED_MATCHING,
		.fn = fn,
		.data = data,
		.path = STRBUF_INIT,
	};
	struct tracked_dir top = { &w, 0, ix->nr, 0 };
	int ret;

	(void)err; /* unreadable directories are reported through fn */
	if (mode == UNTRACKED_NO)
		return 0;
	w.dents = xmalloc(DENTS_BYTES);
	ret = walk_tracked(&top);
	free(w.dents);
	strbuf_release(&w.path);
	return ret;
}
