/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that the lists of the menu show. */
#include "compat/posix.h"
#include "cli/choose/menu.h"
#include "history/names/revparse.h"
#include "refs/refs.h"
#include "util/alloc.h"
#include "worktree/worktree.h"

/* ---- lists of files ---- */

static void changed_file_release(struct changed_file *f)
{
	free(f->path);
}

void changed_files_clear(struct changed_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		changed_file_release(&files->items[i]);
	FREE_AND_NULL(files->items);
	files->nr = files->alloc = 0;
}

void changed_files_keep(struct changed_files *files, const bool *marked)
{
	size_t to = 0;

	for (size_t i = 0; i < files->nr; i++) {
		if (marked[i])
			files->items[to++] = files->items[i];
		else
			changed_file_release(&files->items[i]);
	}
	files->nr = to;
}

static struct changed_file *add_changed_file(struct changed_files *files, const char *path)
{
	ALLOC_GROW(files->items, files->nr + 1, files->alloc);
	files->items[files->nr] = (struct changed_file){ .path = xstrdup(path) };
	return &files->items[files->nr++];
}

static int by_path(const void *a, const void *b)
{
	const struct changed_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static void sort_files(struct changed_files *files)
{
	if (files->nr)
		qsort(files->items, files->nr, sizeof(*files->items), by_path);
}

void changed_files_as_pathspec(const struct menu *m, const struct changed_files *files, struct pathspec *ps)
{
	struct strvec args = STRVEC_INIT;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < files->nr; i++)
		strvec_pushf(&args, ":(top,literal)%s", files->items[i].path);
	if (pathspec_parse(ps, NULL, m->repo->worktree, args.v, 0, &err) < 0)
		die_err(&err);
	strvec_clear(&args);
}

/* ---- the session ---- */

int menu_begin(struct menu *m, struct err *err)
{
	struct object_id head;

	choose_read_colors(&m->colors, m->repo);
	if (ref_resolve(m->repo->refs, "HEAD", &head, NULL, NULL, NULL) == ERR_NOT_FOUND) {
		m->head_tree = m->repo->algo->empty_tree;
		return 0;
	}
	return revparse_tree(m->repo, "HEAD", &m->head_tree, err);
}

void menu_release(struct menu *m)
{
	strbuf_release(&m->answer);
}

static int open_menu_index(struct menu *m, struct err *err)
{
	int rc = 0;

	index_init(&m->own_ix, m->repo->algo);
	m->ix = m->q->into ? m->q->into : &m->own_ix;
	if (!m->q->into)
		rc = index_read_repo(m->ix, m->repo, err);
	if (!rc)
		rc = converter_new(&m->conv, m->repo, m->ix, ATTR_CHECKIN, err);
	if (!rc && m->q->ps) {
		m->q->ps->match_attr = attrs_match_spec;
		m->q->ps->match_attr_data = converter_attrs(m->conv);
	}
	return rc;
}

static void close_menu_index(struct menu *m)
{
	converter_free(m->conv);
	m->conv = NULL;
	index_release(&m->own_ix);
}

/* ---- changes ---- */

/* "12\t3\tpath", "-\t-\tpath" */
static void take_numbers(struct changed_lines *lines, const char *text)
{
	lines->seen = true;
	lines->binary = *text == '-';
	(void)sscanf(text, "%23[^\t]\t%23[^\t]\t", lines->added, lines->deleted);
}

static struct changed_file *find_changed_file(struct changed_files *files, size_t known, const char *path)
{
	struct changed_file key = { .path = (char *)path };
	struct changed_file *f = known ? bsearch(&key, files->items, known, sizeof(key), by_path) : NULL;

	return f;
}

/* One side of all files. Files of which the other side has nothing are added, unless it must be there. */
static int take_side(struct menu *m, struct changed_files *files, bool in_index, bool add, struct err *err)
{
	struct choose_comparison cmp = { .repo = m->repo, .ix = m->ix, .conv = m->conv, .ps = m->q->ps,
					 .tree = in_index ? &m->head_tree : NULL, .cached = in_index, .stage = 2,
					 .ita_is_entry = true, .formats = DIFF_FORMAT_NUMSTAT, .context = CONTEXT_OPTION_INIT };
	struct strbuf text = STRBUF_INIT;
	size_t known = files->nr;
	int rc = choose_compare(&cmp, &text, NULL, err);

	for (size_t pos = 0; !rc && pos < text.len; pos += strlen(text.buf + pos) + 1) {
		const char *line = text.buf + pos, *tab = strchr(line, '\t'), *path = tab ? strchr(tab + 1, '\t') : NULL;
		struct changed_file *f;

		if (!path)
			continue;
		f = find_changed_file(files, known, path + 1);
		if (!f && add && !(files->nr > known && !strcmp(files->items[files->nr - 1].path, path + 1)))
			f = add_changed_file(files, path + 1);
		else if (!f && add)
			f = &files->items[files->nr - 1];
		if (f)
			take_numbers(in_index ? &f->index : &f->files, line);
	}
	strbuf_release(&text);
	sort_files(files);
	return rc;
}

static void mark_unmerged(const struct menu *m, struct changed_files *files)
{
	for (size_t i = 0; i < m->ix->nr; i++) {
		const struct index_entry *e = m->ix->entries[i];
		struct changed_file *f = e->stage ? find_changed_file(files, files->nr, e->name) : NULL;

		if (f)
			f->unmerged = true;
	}
}

/* The side that decides which files are in the list comes first. */
static int find_changes(struct menu *m, enum changed_where where, struct changed_files *out, struct err *err)
{
	int rc = open_menu_index(m, err);

	if (!rc && !m->told_conflicts)
		choose_print_conflicts(m->ix);
	m->told_conflicts = true;
	if (!rc)
		rc = choose_refresh(m->repo, m->ix, m->conv, err);
	if (!rc)
		rc = take_side(m, out, where != CHANGED_IN_FILES, true, err);
	if (!rc)
		rc = take_side(m, out, where == CHANGED_IN_FILES, where == CHANGED_ANYWHERE, err);
	if (!rc)
		mark_unmerged(m, out);
	close_menu_index(m);
	return rc;
}

static bool report_menu_failure(int rc, struct err *err)
{
	if (rc < 0)
		report_error(err);
	return rc >= 0;
}

bool menu_find_changes(struct menu *m, enum changed_where where, struct changed_files *out)
{
	struct err err = ERR_INIT;

	return report_menu_failure(find_changes(m, where, out, &err), &err);
}

static int note_untracked_file(void *data, const char *path, size_t len UNUSED, bool is_dir UNUSED, enum dirwalk_kind kind)
{
	if (kind == DIRWALK_UNTRACKED)
		add_changed_file(data, path)->untracked = true;
	return 0;
}

static int find_untracked_files(struct menu *m, struct changed_files *out, struct err *err)
{
	struct ignore *ignore = NULL;
	int rc = open_menu_index(m, err);

	if (!rc)
		rc = ignore_new(&ignore, m->repo, m->ix, err);
	if (!rc)
		rc = worktree_walk_untracked(m->repo, m->ix, ignore, m->q->ps && m->q->ps->nr ? m->q->ps : NULL, UNTRACKED_ALL, 0,
					     note_untracked_file, out, err);
	ignore_free(ignore);
	close_menu_index(m);
	sort_files(out);
	return rc;
}

bool menu_find_untracked(struct menu *m, struct changed_files *out)
{
	struct err err = ERR_INIT;

	return report_menu_failure(find_untracked_files(m, out, &err), &err);
}

/* ---- diff ---- */

static int format_staged(struct menu *m, const struct pathspec *ps, struct strbuf *out, struct err *err)
{
	bool color = want_color(m->repo, "color.diff", STDOUT_FILENO);
	struct choose_comparison cmp = { .repo = m->repo, .ps = ps, .tree = &m->head_tree, .cached = true,
					 .for_people = true, .formats = DIFF_FORMAT_PATCH, .context = m->q->context };
	int rc = open_menu_index(m, err);

	cmp.ix = m->ix;
	cmp.conv = m->conv;
	if (!rc)
		rc = choose_compare(&cmp, color ? NULL : out, color ? out : NULL, err);
	close_menu_index(m);
	return rc;
}

void menu_show_diff(struct menu *m, const struct changed_files *files)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct pathspec ps;

	changed_files_as_pathspec(m, files, &ps);
	if (report_menu_failure(format_staged(m, &ps, &out, &err), &err))
		fwrite(out.buf, 1, out.len, stdout);
	pathspec_release(&ps);
	strbuf_release(&out);
}
