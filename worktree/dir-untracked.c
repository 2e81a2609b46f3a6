/* SPDX-License-Identifier: GPL-2.0-only */
/* Walking the work tree: directories without tracked files, shown whole or file by file. */
#include "compat/posix.h"
#include "worktree/dir-internal.h"

/* ---- is there anything in it? ---- */

/*
 * Is there any file (or nested repository) below w->path that matches the pathspec? 1, 0, or
 * the result of fn.
 */
static int has_content(struct walker *w)
{
	struct names n = NAMES_INIT;
	int ret = walker_read_names(w, &n, NULL, NULL);

	if (!ret && n.has_dot_git && walker_is_nested_repository(w))
		ret = 1;
	for (size_t i = 0; i < n.nr && !ret; i++) {
		size_t len = w->path.len;

		walker_push(w, &n, &n.items[i]);
		if (!n.items[i].is_dir)
			ret = walker_path_matches(w);
		else if (!walker_is_excluded(w))
			ret = has_content(w);
		strbuf_setlen(&w->path, len);
	}
	dir_names_release(&n);
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
	int ret = w->matching || walker_wants_all_ignored(w) ? 1 : has_content(w);

	if (ret > 0)
		record_ignored(w, s);
	return ret < 0 ? ret : 0;
}

/* Adds what a subdirectory contains to the summary of the one above it. */
static int summarize_subdir(struct walker *w, struct summary *s)
{
	struct summary sub = { .ignored_paths = STRBUF_INIT };
	int ret;

	if (walker_is_excluded(w))
		return 0;
	if (walker_is_ignored(w, true))
		return w->want_ignored ? summarize_ignored_dir(w, s) : 0;
	ret = summarize(w, &sub);
	if (walker_wants_all_ignored(w) && !sub.ignored)
		sub.untracked = true; /* even if it is empty */
	s->untracked |= sub.untracked;
	s->ignored |= sub.ignored;
	if (!sub.untracked && sub.ignored && !w->matching) {
		record_ignored(w, s);
		if (!walker_wants_all_ignored(w))
			strbuf_reset(&sub.ignored_paths);
	}
	strbuf_addbuf(&s->ignored_paths, &sub.ignored_paths);
	strbuf_release(&sub.ignored_paths);
	return ret;
}

static void summarize_file(struct walker *w, struct summary *s)
{
	if (!walker_path_matches(w))
		return;
	if (walker_is_ignored(w, false))
		record_ignored(w, s);
	else
		s->untracked = true;
}

static int summarize_names(struct walker *w, struct names *n, struct summary *s)
{
	int ret = 0;

	for (size_t i = 0; i < n->nr && !ret; i++) {
		size_t len = w->path.len;

		walker_push(w, n, &n->items[i]);
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
	int ret = walker_read_names(w, &n, NULL, NULL);

	if (!ret && n.has_dot_git && walker_is_nested_repository(w))
		s->untracked = true;
	else if (!ret)
		ret = summarize_names(w, &n, s);
	dir_names_release(&n);
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
		ret = walker_emit(w, true, DIRWALK_UNTRACKED);
	if (!ret && w->want_ignored && s.ignored) {
		bool whole = !s.untracked && !w->matching;

		if (whole)
			ret = walker_emit(w, true, DIRWALK_IS_IGNORED);
		if (!ret && (w->flags & DIRWALK_IGNORED_ONLY ? walker_wants_all_ignored(w) : !whole))
			ret = emit_list(w, &s.ignored_paths);
	}
	strbuf_release(&s.ignored_paths);
	return ret;
}

/* ---- directories without tracked files ---- */

int walker_show_file(struct walker *w, bool in_ignored)
{
	bool ignored = in_ignored || walker_is_ignored(w, false);

	if ((ignored && !w->want_ignored) || !walker_path_matches(w))
		return 0;
	return walker_emit(w, false, ignored ? DIRWALK_IS_IGNORED : DIRWALK_UNTRACKED);
}

static int show_names(struct walker *w, struct names *n, bool in_ignored)
{
	int ret = 0;

	dir_names_sort(n);
	for (size_t i = 0; i < n->nr && !ret; i++) {
		size_t len = w->path.len;

		walker_push(w, n, &n->items[i]);
		ret = n->items[i].is_dir ? walker_show_untracked_dir(w, in_ignored) :
			walker_show_file(w, in_ignored);
		strbuf_setlen(&w->path, len);
	}
	return ret;
}

static int show_ignored_dir(struct walker *w)
{
	int ret = w->matching || walker_wants_all_ignored(w) ? 1 : has_content(w);

	return ret > 0 ? walker_emit(w, true, DIRWALK_IS_IGNORED) : ret;
}

int walker_show_untracked_dir(struct walker *w, bool in_ignored)
{
	bool ignored = in_ignored || walker_is_ignored(w, true);
	struct names n = NAMES_INIT;
	int ret;

	if ((ignored && !w->want_ignored) || walker_is_excluded(w))
		return 0;
	if (ignored && (w->matching || w->mode != UNTRACKED_ALL))
		return show_ignored_dir(w);
	ret = walker_read_names(w, &n, NULL, NULL);
	if (!ret && n.has_dot_git && walker_is_nested_repository(w)) {
		if (walker_path_matches(w))
			ret = walker_emit(w, true, ignored ? DIRWALK_IS_IGNORED : DIRWALK_UNTRACKED);
	} else if (!ret && w->mode == UNTRACKED_NORMAL && walker_path_matches(w)) {
		ret = show_collapsed(w, &n);
	} else if (!ret) {
		ret = show_names(w, &n, ignored);
	}
	dir_names_release(&n);
	return ret;
}
