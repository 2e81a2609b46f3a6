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
#include "compat/dirscan.h"
#include "compat/os.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/strbuf.h"
#include "util/workers.h"
#include "worktree/worktree.h"

#define DENTS_BYTES ((size_t)32 * 1024)

struct walker {
	struct repository *r;
	const struct index_state *ix;
	struct ignore *ig;
	const struct pathspec *ps;
	enum untracked_mode mode;
	unsigned flags;
	bool want_ignored, matching;
	dirwalk_fn fn;
	void *data;
	struct strbuf path; /* of the directory: "" or "a/b/"; names are appended */
	char *dents; /* buffer for reading one directory at a time */
};

/* ---- one directory's names ---- */

struct name_item {
	size_t at, len; /* in `text`; directories with '/' */
	bool is_dir;
};
struct names {
	struct strbuf text;
	struct name_item *items;
	size_t nr, alloc;
	bool has_dot_git;
};
#define NAMES_INIT { STRBUF_INIT, NULL, 0, 0, false }

static void names_release(struct names *n)
{
	strbuf_release(&n->text);
	free(n->items);
}

static void add_name(struct names *n, const char *name, bool is_dir)
{
	struct name_item *it;

	ALLOC_GROW(n->items, n->nr + 1, n->alloc);
	it = &n->items[n->nr++];
	it->at = n->text.len;
	it->len = strlen(name) + is_dir;
	it->is_dir = is_dir;
	strbuf_addstr(&n->text, name);
	strbuf_add(&n->text, is_dir ? "/" : "", (size_t)is_dir + 1);
}

static int name_item_cmp(const void *a, const void *b, void *text)
{
	const struct name_item *x = a, *y = b;

	return strcmp((char *)text + x->at, (char *)text + y->at);
}

static void sort_names(struct names *n)
{
	if (n->nr > 1)
		qsort_r(n->items, n->nr, sizeof(*n->items), name_item_cmp, n->text.buf);
}

enum file_kind { KIND_OTHER, KIND_FILE, KIND_DIR };

static enum file_kind kind_of(int dir_fd, const char *name, unsigned char type)
{
	struct stat st;

	switch (type) {
	case DT_REG:
	case DT_LNK:
		return KIND_FILE;
	case DT_DIR:
		return KIND_DIR;
	case DT_UNKNOWN:
		if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return KIND_OTHER;
		return S_ISDIR(st.st_mode) ? KIND_DIR :
		       S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) ? KIND_FILE : KIND_OTHER;
	default:
		return KIND_OTHER; /* sockets, devices, fifos */
	}
}

static bool is_dot_git(const struct walker *w, const char *name)
{
	return w->r->settings.ignorecase ? !strcasecmp(name, ".git") : !strcmp(name, ".git");
}

static int report_unreadable(struct walker *w, int why)
{
	if (!(w->flags & DIRWALK_REPORT_UNREADABLE) || why == ENOENT || why == ENOTDIR)
		return 0;
	errno = why;
	return w->fn(w->data, w->path.buf, w->path.len, true, DIRWALK_UNREADABLE);
}

/* "a/b/" without its slash: with it, a symlink would be followed. */
static int open_current(struct walker *w, struct dir_scan *d)
{
	size_t len = w->path.len;
	int ret;

	if (!len)
		return dir_scan_open(d, ".", w->dents, DENTS_BYTES);
	w->path.buf[len - 1] = '\0';
	ret = dir_scan_open(d, w->path.buf, w->dents, DENTS_BYTES);
	w->path.buf[len - 1] = '/';
	return ret;
}

/*
 * The names in the directory w->path, not sorted; keep (may be NULL) selects names. The
 * descriptor is closed before subdirectories are read.
 */
static int read_names(struct walker *w, struct names *n,
		      bool (*keep)(void *data, const char *name, bool is_dir), void *data)
{
	struct dir_scan d;
	const char *name;
	unsigned char type;
	int more, why;

	if (open_current(w, &d) < 0)
		return report_unreadable(w, errno);
	while ((more = dir_scan_next(&d, &name, &type)) > 0) {
		enum file_kind kind;

		if (is_dot_git(w, name)) {
			n->has_dot_git = true;
			continue;
		}
		kind = kind_of(d.fd, name, type);
		if (kind != KIND_OTHER && (!keep || keep(data, name, kind == KIND_DIR)))
			add_name(n, name, kind == KIND_DIR);
	}
	why = errno;
	dir_scan_close(&d);
	return more < 0 ? report_unreadable(w, why) : 0;
}

/* ---- names and rules ---- */

static void push(struct walker *w, const struct names *n, const struct name_item *it)
{
	strbuf_add(&w->path, n->text.buf + it->at, it->len);
}

static size_t dir_len(const struct strbuf *path)
{
	return path->len - (path->len && path->buf[path->len - 1] == '/');
}

/* A directory is matched as "dir/": globs must match the slash as well. */
static bool path_matches(const struct walker *w)
{
	return !w->ps || pathspec_match(w->ps, w->path.buf, w->path.len, false, NULL);
}

static enum pathspec_match match_below(const struct walker *w)
{
	return w->ps ? pathspec_match_dir(w->ps, w->path.buf, w->path.len) : PATHSPEC_MATCH;
}

/* Can a directory without tracked files be skipped because of the pathspec? */
static bool is_excluded(const struct walker *w)
{
	return w->ps && (pathspec_excludes(w->ps, w->path.buf, w->path.len) ||
			 match_below(w) == PATHSPEC_NO_MATCH);
}

static bool is_ignored(const struct walker *w, bool is_dir)
{
	const struct ignore_pattern *p;
	struct strbuf *path = (struct strbuf *)&w->path;
	size_t len = dir_len(path);

	if (!w->ig)
		return false;
	if (is_dir)
		path->buf[len] = '\0';
	p = ignore_match_last(w->ig, path->buf, len, is_dir);
	if (is_dir)
		path->buf[len] = '/';
	return p && !p->negated;
}

/* With GIT_DIR or GIT_WORK_TREE, the gitdir can be that of a directory below the top. */
static bool is_own_gitdir(const struct walker *w, const char *path)
{
	char *real = path_real(path, 0);
	bool ret = real && !strcmp(real, w->r->gitdir_abs);

	free(real);
	return ret;
}

/* The directory w->path, of which ".git" has been seen: a repository of its own? */
static bool is_nested_repository(struct walker *w)
{
	size_t len = w->path.len;
	char *file;
	bool ret;

	strbuf_addstr(&w->path, ".git");
	ret = is_git_directory(w->path.buf);
	if (ret) {
		ret = !is_own_gitdir(w, w->path.buf);
	} else {
		file = read_gitfile(w->path.buf, NULL);
		ret = file != NULL;
		free(file);
	}
	strbuf_setlen(&w->path, len);
	return ret;
}

/* ls-files -i without --no-empty-directory lists all that is ignored, empty or not. */
static bool wants_all_ignored(const struct walker *w)
{
	return w->flags & DIRWALK_IGNORED_ONLY && w->flags & DIRWALK_EMPTY_DIRS;
}

static int emit(struct walker *w, bool is_dir, enum dirwalk_kind kind)
{
	return w->fn(w->data, w->path.buf, w->path.len, is_dir, kind);
}

/* ---- is there anything in it? ---- */

/*
 * Is there any file (or nested repository) below w->path that matches the pathspec? 1, 0, or
 * the result of fn.
 */
static int has_content(struct walker *w)
{
	struct names n = NAMES_INIT;
	int ret = read_names(w, &n, NULL, NULL);

	if (!ret && n.has_dot_git && is_nested_repository(w))
		ret = 1;
	for (size_t i = 0; i < n.nr && !ret; i++) {
		size_t len = w->path.len;

		push(w, &n, &n.items[i]);
		if (!n.items[i].is_dir)
			ret = path_matches(w);
		else if (!is_excluded(w))
			ret = has_content(w);
		strbuf_setlen(&w->path, len);
	}
	names_release(&n);
	return ret;
}

/* ---- a directory that is shown as one line ---- */

struct summary {
	bool untracked, ignored;
	struct strbuf ignored_paths; /* to be reported; each ends in a NUL */
};

static void record_ignored(struct walker *w, struct summary *s)
{
	s->ignored = true;
	if (w->want_ignored)
		strbuf_add(&s->ignored_paths, w->path.buf, w->path.len + 1);
}

static int summarize(struct walker *w, struct summary *s);

static int summarize_ignored_dir(struct walker *w, struct summary *s)
{
	int ret = w->matching || wants_all_ignored(w) ? 1 : has_content(w);

	if (ret > 0)
		record_ignored(w, s);
	return ret < 0 ? ret : 0;
}

/* Adds what a subdirectory contains to the summary of the one above it. */
static int summarize_subdir(struct walker *w, struct summary *s)
{
	struct summary sub = { .ignored_paths = STRBUF_INIT };
	int ret;

	if (is_excluded(w))
		return 0;
	if (is_ignored(w, true))
		return w->want_ignored ? summarize_ignored_dir(w, s) : 0;
	ret = summarize(w, &sub);
	if (wants_all_ignored(w) && !sub.ignored)
		sub.untracked = true; /* even if it is empty */
	s->untracked |= sub.untracked;
	s->ignored |= sub.ignored;
	if (!sub.untracked && sub.ignored && !w->matching) {
		record_ignored(w, s);
		if (!wants_all_ignored(w))
			strbuf_reset(&sub.ignored_paths);
	}
	strbuf_addbuf(&s->ignored_paths, &sub.ignored_paths);
	strbuf_release(&sub.ignored_paths);
	return ret;
}

static void summarize_file(struct walker *w, struct summary *s)
{
	if (!path_matches(w))
		return;
	if (is_ignored(w, false))
		record_ignored(w, s);
	else
		s->untracked = true;
}

static int summarize_names(struct walker *w, struct names *n, struct summary *s)
{
	int ret = 0;

	for (size_t i = 0; i < n->nr && !ret; i++) {
		size_t len = w->path.len;

		push(w, n, &n->items[i]);
		if (n->items[i].is_dir)
			ret = summarize_subdir(w, s);
		else
			summarize_file(w, s);
		strbuf_setlen(&w->path, len);
		if (s->untracked && !w->want_ignored)
			break; /* nothing more to find out */
	}
	return ret;
}

static int summarize(struct walker *w, struct summary *s)
{
	struct names n = NAMES_INIT;
	int ret = read_names(w, &n, NULL, NULL);

	if (!ret && n.has_dot_git && is_nested_repository(w))
		s->untracked = true;
	else if (!ret)
		ret = summarize_names(w, &n, s);
	names_release(&n);
	return ret;
}

static int emit_list(struct walker *w, const struct strbuf *list)
{
	const char *p = list->buf, *end = p + list->len;
	int ret = 0;

	for (; p < end && !ret; p += strlen(p) + 1) {
		size_t len = strlen(p);

		ret = w->fn(w->data, p, len, p[len - 1] == '/', DIRWALK_IS_IGNORED);
	}
	return ret;
}

static int show_collapsed(struct walker *w, struct names *n)
{
	struct summary s = { .ignored_paths = STRBUF_INIT };
	int ret = 0;

	if (w->flags & DIRWALK_EMPTY_DIRS && !w->want_ignored)
		s.untracked = true;
	else
		ret = summarize_names(w, n, &s);
	if (!ret && s.untracked)
		ret = emit(w, true, DIRWALK_UNTRACKED);
	if (!ret && w->want_ignored && s.ignored) {
		bool whole = !s.untracked && !w->matching;

		if (whole)
			ret = emit(w, true, DIRWALK_IS_IGNORED);
		if (!ret && (w->flags & DIRWALK_IGNORED_ONLY ? wants_all_ignored(w) : !whole))
			ret = emit_list(w, &s.ignored_paths);
	}
	strbuf_release(&s.ignored_paths);
	return ret;
}

/* ---- directories without tracked files ---- */

static int show_untracked_dir(struct walker *w, bool in_ignored);

static int show_file(struct walker *w, bool in_ignored)
{
	bool ignored = in_ignored || is_ignored(w, false);

	if ((ignored && !w->want_ignored) || !path_matches(w))
		return 0;
	return emit(w, false, ignored ? DIRWALK_IS_IGNORED : DIRWALK_UNTRACKED);
}

static int show_names(struct walker *w, struct names *n, bool in_ignored)
{
	int ret = 0;

	sort_names(n);
	for (size_t i = 0; i < n->nr && !ret; i++) {
		size_t len = w->path.len;

		push(w, n, &n->items[i]);
		ret = n->items[i].is_dir ? show_untracked_dir(w, in_ignored) :
			show_file(w, in_ignored);
		strbuf_setlen(&w->path, len);
	}
	return ret;
}

static int show_ignored_dir(struct walker *w)
{
	int ret = w->matching || wants_all_ignored(w) ? 1 : has_content(w);

	return ret > 0 ? emit(w, true, DIRWALK_IS_IGNORED) : ret;
}

static int show_untracked_dir(struct walker *w, bool in_ignored)
{
	bool ignored = in_ignored || is_ignored(w, true);
	struct names n = NAMES_INIT;
	int ret;

	if ((ignored && !w->want_ignored) || is_excluded(w))
		return 0;
	if (ignored && (w->matching || w->mode != UNTRACKED_ALL))
		return show_ignored_dir(w);
	ret = read_names(w, &n, NULL, NULL);
	if (!ret && n.has_dot_git && is_nested_repository(w)) {
		if (path_matches(w))
			ret = emit(w, true, ignored ? DIRWALK_IS_IGNORED : DIRWALK_UNTRACKED);
	} else if (!ret && w->mode == UNTRACKED_NORMAL && path_matches(w)) {
		ret = show_collapsed(w, &n);
	} else if (!ret) {
		ret = show_names(w, &n, ignored);
	}
	names_release(&n);
	return ret;
}

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
	if (sub.begin < sub.end) {
		push(w, n, it);
		return match_below(w) == PATHSPEC_NO_MATCH ? 0 : walk_tracked(&sub);
	}
	if (*ignored_dir < 0)
		*ignored_dir = dir_is_ignored(d);
	push(w, n, it);
	return it->is_dir ? show_untracked_dir(w, *ignored_dir) : show_file(w, *ignored_dir);
}

static int walk_tracked(struct tracked_dir *d)
{
	struct walker *w = d->w;
	struct names n = NAMES_INIT;
	int ignored_dir = -1; /* not known yet */
	int ret = read_names(w, &n, not_tracked, d);

	sort_names(&n);
	for (size_t i = 0; i < n.nr && !ret; i++) {
		size_t len = w->path.len;

		ret = walk_item(d, &n, &n.items[i], &ignored_dir);
		strbuf_setlen(&w->path, len);
	}
	names_release(&n);
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

/* ---- in a thread ---- */

struct found_path {
	size_t at, len;
	int why; /* errno of what cannot be read */
	bool is_dir;
	enum dirwalk_kind kind;
};

struct untracked_scan {
	struct repository *r;
	const struct index_state *ix;
	const struct pathspec *ps;
	struct ignore *ig;
	enum untracked_mode mode;
	unsigned flags;
	pthread_t thread;
	bool running;
	struct strbuf text;
	struct found_path *found;
	size_t nr, alloc;
	int ret;
	struct err err;
};

static int add_found(void *data, const char *path, size_t len, bool is_dir,
		     enum dirwalk_kind kind)
{
	struct untracked_scan *s = data;
	int why = errno;

	ALLOC_GROW(s->found, s->nr + 1, s->alloc);
	s->found[s->nr++] = (struct found_path){ s->text.len, len, why, is_dir, kind };
	strbuf_add(&s->text, path, len);
	strbuf_addch(&s->text, '\0');
	return 0;
}

static void *run_scan(void *data)
{
	struct untracked_scan *s = data;

	s->ret = worktree_walk_untracked(s->r, s->ix, s->ig, s->ps, s->mode, s->flags, add_found,
					 s, &s->err);
	return NULL;
}

int untracked_scan_start(struct untracked_scan **out, struct repository *r,
			 const struct index_state *ix, const struct pathspec *ps,
			 enum untracked_mode mode, unsigned flags, struct err *err)
{
	struct untracked_scan *s = xcalloc(1, sizeof(*s));
	int ret = ignore_new(&s->ig, r, ix, err);

	if (ret) {
		free(s);
		return ret;
	}
	s->r = r;
	s->ix = ix;
	s->ps = ps;
	s->mode = mode;
	s->flags = flags;
	strbuf_init(&s->text, 0);
	if (os_cpu_count() > 1)
		s->running = start_thread(&s->thread, run_scan, s);
	*out = s;
	return 0;
}

int untracked_scan_finish(struct untracked_scan *s, dirwalk_fn fn, void *data, struct err *err)
{
	int ret;

	if (s->running)
		pthread_join(s->thread, NULL);
	else if (fn)
		run_scan(s);
	ret = s->ret;
	if (ret)
		err_move(err, &s->err);
	for (size_t i = 0; i < s->nr && !ret && fn; i++) {
		const struct found_path *f = &s->found[i];

		errno = f->why;
		ret = fn(data, s->text.buf + f->at, f->len, f->is_dir, f->kind);
	}
	err_release(&s->err);
	ignore_free(s->ig);
	strbuf_release(&s->text);
	free(s->found);
	free(s);
	return ret;
}
