/* SPDX-License-Identifier: GPL-2.0-only */
/* Walking the work tree: the names in one directory, and which rules they meet. */
#include "compat/posix.h"
#include "compat/dirscan.h"
#include "compat/sort.h"
#include "util/alloc.h"
#include "util/path.h"
#include "worktree/dir-internal.h"

void dir_names_release(struct names *n)
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

void dir_names_sort(struct names *n)
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

/* The descriptor is closed before subdirectories are read. */
int walker_read_names(struct walker *w, struct names *n,
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

void walker_push(struct walker *w, const struct names *n, const struct name_item *it)
{
	strbuf_add(&w->path, n->text.buf + it->at, it->len);
}

static size_t dir_len(const struct strbuf *path)
{
	return path->len - (path->len && path->buf[path->len - 1] == '/');
}

bool walker_path_matches(const struct walker *w)
{
	return !w->ps || pathspec_match(w->ps, w->path.buf, w->path.len, false, NULL);
}

enum pathspec_match walker_match_below(const struct walker *w)
{
	return w->ps ? pathspec_match_dir(w->ps, w->path.buf, w->path.len) : PATHSPEC_MATCH;
}

bool walker_is_excluded(const struct walker *w)
{
	return w->ps && (pathspec_excludes(w->ps, w->path.buf, w->path.len) ||
			 walker_match_below(w) == PATHSPEC_NO_MATCH);
}

bool walker_is_ignored(const struct walker *w, bool is_dir)
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

bool walker_is_nested_repository(struct walker *w)
{
	return repo_has_nested(w->r, w->path.buf);
}

bool walker_wants_all_ignored(const struct walker *w)
{
	return w->flags & DIRWALK_IGNORED_ONLY && w->flags & DIRWALK_EMPTY_DIRS;
}

int walker_emit(struct walker *w, bool is_dir, enum dirwalk_kind kind)
{
	return w->fn(w->data, w->path.buf, w->path.len, is_dir, kind);
}
