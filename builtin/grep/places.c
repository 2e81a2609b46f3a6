/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the work tree, of a directory, entries of the index, blobs of trees. */
#include "compat/posix.h"
#include "attr/ignore.h"
#include "builtin/grep/grep-cmd.h"
#include "index/index.h"
#include "object/tree.h"
#include "odb/odb.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/string-list.h"
#include "worktree/worktree.h"
#include <dirent.h>

/* ---- --max-depth ---- */

static size_t count_slashes(const char *path)
{
	size_t nr = 0;

	for (; *path; path++)
		nr += *path == '/';
	return nr;
}

static bool is_within(const char *path, const char *dir, size_t len, size_t depth)
{
	if (len && dir[len - 1] == '/')
		len--;
	if (strncmp(path, dir, len))
		return false;
	if (!path[len])
		return true;
	if (len && path[len] != '/')
		return false;
	return count_slashes(path + len + (len > 0)) <= depth;
}

/* Some pathspec leads to the path without going too deep. */
static bool is_shallow(const struct grep_cmd *c, const char *path)
{
	size_t depth = (size_t)c->o.max_depth;

	if (c->o.max_depth < 0 || c->ps.has_wildcard)
		return true;
	for (size_t i = 0; i < c->ps.nr; i++)
		if (!c->ps.items[i].exclude && is_within(path, c->ps.items[i].match, c->ps.items[i].len, depth))
			return true;
	return !c->ps.nr && is_within(path, "", 0, depth);
}

static bool is_wanted(const struct grep_cmd *c, const char *path)
{
	return pathspec_match(&c->ps, path, strlen(path), false, NULL) && is_shallow(c, path);
}

/* ---- trees ---- */

struct tree_search {
	struct grep_cmd *c;
	const char *prefix; /* "HEAD:" */
};

static int take_entry(void *data, const char *path, size_t len, const struct tree_entry *e, struct err *err UNUSED)
{
	struct tree_search *s = data;

	if (MODE_IS_TREE(e->mode))
		return pathspec_match_dir(&s->c->ps, path, len) == PATHSPEC_NO_MATCH ? TREE_WALK_SKIP : TREE_WALK_DESCEND;
	if (MODE_IS_FILE(e->mode) && is_wanted(s->c, path))
		grep_add_blob(s->c, s->prefix, path, &e->oid);
	return TREE_WALK_SKIP;
}

int grep_object(struct grep_cmd *c, const char *name, const struct object_id *oid, struct err *err)
{
	struct tree_search s = { .c = c };
	struct object_id tree;
	enum object_type type;
	char *prefix;
	int rc;

	rc = object_peel(odb_source(c->r->odb), oid, OBJ_ANY, &tree, &type, err);
	if (!rc && type == OBJ_BLOB) {
		grep_add_blob(c, "", name, &tree);
		return 0;
	}
	if (!rc && type == OBJ_COMMIT)
		rc = object_peel(odb_source(c->r->odb), &tree, OBJ_TREE, &tree, NULL, err);
	if (rc) {
		err_reword(err, "unable to read tree (%s)", oid_hex(oid));
		return rc;
	}
	prefix = xstrfmt("%s:", name);
	s.prefix = prefix;
	rc = tree_walk(odb_source(c->r->odb), &tree, "", take_entry, &s, err);
	free(prefix);
	return rc;
}

/* ---- the index, and the files that it names ---- */

int grep_index(struct grep_cmd *c, struct err *err)
{
	struct index_state ix;
	int rc = index_read_repo(&ix, c->r, err);
	const char *last = NULL;

	if (rc)
		return rc;
	for (size_t i = 0; i < ix.nr; i++) {
		const struct index_entry *e = ix.entries[i];
		bool from_odb = c->o.cached || (e->flags & CE_ASSUME_VALID);

		if (!MODE_IS_FILE(e->mode) || (last && !strcmp(last, e->name)) || !is_wanted(c, e->name))
			continue;
		if (from_odb && (e->stage || (e->flags & CE_INTENT_TO_ADD)))
			continue;
		if (!c->o.cached && (e->flags & CE_SKIP_WORKTREE))
			continue;
		if (from_odb)
			grep_add_blob(c, "", e->name, &e->oid);
		else
			grep_add_file(c, e->name, e->stat.size);
		last = e->name;
	}
	index_release(&ix);
	return 0;
}

/* ---- directories ---- */

static int note_file(void *data, const char *path, size_t len UNUSED, bool is_dir, enum dirwalk_kind kind)
{
	if (kind == DIRWALK_UNTRACKED && !is_dir)
		string_list_append(data, path);
	return 0;
}

/* Files that no pattern ignores, tracked or not: an empty index makes all of them untracked. */
static int find_by_walk(struct grep_cmd *c, struct string_list *out, struct err *err)
{
	struct index_state empty;
	struct ignore *ig;
	int rc = ignore_new(&ig, c->r, NULL, err);

	if (rc)
		return rc;
	index_init(&empty, c->r->algo);
	rc = worktree_walk_untracked(c->r, &empty, ig, &c->ps, UNTRACKED_ALL, 0, note_file, out, err);
	index_release(&empty);
	ignore_free(ig);
	return rc;
}

/* Every file but those of Git; ig: NULL, or its patterns ignore files. */
static void find_below(struct grep_cmd *c, struct ignore *ig, struct strbuf *path, struct string_list *out)
{
	DIR *dir = opendir(path->len ? path->buf : ".");
	size_t len = path->len;
	struct dirent *e;
	struct stat st;

	while (dir && (e = readdir(dir)) != NULL) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strcmp(e->d_name, ".git"))
			continue;
		strbuf_addstr(path, e->d_name);
		if (!lstat(path->buf, &st) && !(ig && ignore_is_ignored(ig, path->buf, path->len, S_ISDIR(st.st_mode)))) {
			if (S_ISREG(st.st_mode) && is_wanted(c, path->buf))
				string_list_append(out, path->buf);
			if (S_ISDIR(st.st_mode) && pathspec_match_dir(&c->ps, path->buf, path->len) != PATHSPEC_NO_MATCH) {
				strbuf_addch(path, '/');
				find_below(c, ig, path, out);
			}
		}
		strbuf_setlen(path, len);
	}
	if (dir)
		closedir(dir);
}

static int find_by_readdir(struct grep_cmd *c, struct string_list *out, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct ignore *ig = NULL;
	int rc = 0;

	if (c->o.exclude_standard > 0 || (c->o.untracked && c->o.exclude_standard < 0)) {
		ig = ignore_new_empty(c->r, ".gitignore");
		rc = c->r ? ignore_add_standard(ig, NULL, err) : 0;
	}
	if (!rc)
		find_below(c, ig, &path, out);
	ignore_free(ig);
	strbuf_release(&path);
	return rc;
}

int grep_directory(struct grep_cmd *c, struct err *err)
{
	struct string_list files = STRING_LIST_INIT;
	bool ignores = c->o.untracked && c->o.exclude_standard != 0;
	int rc = ignores ? find_by_walk(c, &files, err) : find_by_readdir(c, &files, err);

	string_list_sort(&files);
	for (size_t i = 0; !rc && i < files.nr; i++)
		if (is_wanted(c, files.items[i].string))
			grep_add_file(c, files.items[i].string, 0);
	string_list_clear(&files, NULL);
	return rc;
}
