/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the work tree, of a directory, entries of the index, blobs of trees; also of submodules. */
#include "compat/posix.h"
#include "attr/ignore.h"
#include "builtin/grep/grep-cmd.h"
#include "index/index.h"
#include "object/tree.h"
#include "odb/odb.h"
#include "submodule/submodules.h"
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

/* ---- the index, the files that it names, trees; submodules ---- */

/* In the repository of the command, or in a submodule. */
struct search {
	struct grep_cmd *c;
	struct grep_repo *repo;
	const char *prefix;		/* of names: "HEAD:"; "" */
	const struct object_id *tree;	/* or commit; NULL: the index */
	struct submodules *submodules;	/* NULL: not asked for yet */
	struct strbuf path;		/* of the present entry, from the top of the command's repository */
	const char *last;		/* entry of the index that was searched; it may have more stages */
};

static const char *full_path(struct search *s, const char *path)
{
	strbuf_reset(&s->path);
	strbuf_addstr(&s->path, s->repo->base);
	strbuf_addstr(&s->path, path);
	return s->path.buf;
}

static int search_repository(struct grep_cmd *c, struct grep_repo *repo, const char *prefix, const struct object_id *tree,
			     struct err *err);

static int search_submodule(struct search *s, const char *path, const struct object_id *commit, struct err *err)
{
	const char *full = full_path(s, path);
	struct grep_repo *inner = NULL;
	int rc = 0;

	if (!s->c->o.recurse_submodules || pathspec_match_dir(&s->c->ps, full, s->path.len) == PATHSPEC_NO_MATCH)
		return 0;
	if (s->c->o.format.quiet && s->c->hit)
		return 0;
	if (!s->submodules)
		rc = submodules_read(&s->submodules, s->repo->r, s->tree, err);
	if (!rc)
		rc = grep_repo_open(&inner, s->c, s->repo, s->submodules, path, err);
	if (rc || !inner)
		return rc;
	rc = search_repository(s->c, inner, s->prefix, s->tree ? commit : NULL, err);
	grep_repo_release(inner);
	return rc;
}

static int take_entry(void *data, const char *path, size_t len UNUSED, const struct tree_entry *e, struct err *err)
{
	struct search *s = data;

	if (MODE_IS_GITLINK(e->mode))
		return search_submodule(s, path, &e->oid, err);
	full_path(s, path);
	if (MODE_IS_TREE(e->mode))
		return pathspec_match_dir(&s->c->ps, s->path.buf, s->path.len) == PATHSPEC_NO_MATCH ? TREE_WALK_SKIP : TREE_WALK_DESCEND;
	if (MODE_IS_FILE(e->mode) && is_wanted(s->c, s->path.buf))
		grep_add_blob(s->c, s->repo, s->prefix, path, &e->oid);
	return TREE_WALK_SKIP;
}

static int search_tree(struct search *s, struct err *err)
{
	const struct object_source *src = odb_source(s->repo->r->odb);
	struct object_id tree;
	int rc = object_peel(src, s->tree, OBJ_TREE, &tree, NULL, err);

	if (rc) {
		err_reword(err, "unable to read tree (%s)", oid_hex(s->tree));
		return rc;
	}
	return tree_walk(src, &tree, "", take_entry, s, err);
}

static int search_index_entry(struct search *s, const struct index_entry *e, struct err *err)
{
	struct grep_cmd *c = s->c;
	bool from_odb = c->o.cached || (e->flags & CE_ASSUME_VALID);

	if ((s->last && !strcmp(s->last, e->name)) || (!c->o.cached && (e->flags & CE_SKIP_WORKTREE)))
		return 0;
	if (MODE_IS_GITLINK(e->mode)) {
		s->last = e->name;
		return search_submodule(s, e->name, &e->oid, err);
	}
	if (!MODE_IS_FILE(e->mode) || !is_wanted(c, full_path(s, e->name)) ||
	    (from_odb && (e->stage || (e->flags & CE_INTENT_TO_ADD))))
		return 0;
	if (from_odb)
		grep_add_blob(c, s->repo, "", e->name, &e->oid);
	else
		grep_add_file(c, s->repo, e->name, e->stat.size);
	s->last = e->name;
	return 0;
}

static int search_index(struct search *s, struct err *err)
{
	struct index_state ix;
	int rc = index_read_repo(&ix, s->repo->r, err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < ix.nr; i++)
		rc = search_index_entry(s, ix.entries[i], err);
	index_release(&ix);
	return rc;
}

static int search_repository(struct grep_cmd *c, struct grep_repo *repo, const char *prefix, const struct object_id *tree,
			     struct err *err)
{
	struct search s = { .c = c, .repo = repo, .prefix = prefix, .tree = tree };
	int rc;

	strbuf_init(&s.path, 0);
	rc = tree ? search_tree(&s, err) : search_index(&s, err);
	submodules_free(s.submodules);
	strbuf_release(&s.path);
	return rc;
}

int grep_object(struct grep_cmd *c, const char *name, const struct object_id *oid, struct err *err)
{
	struct object_id object;
	enum object_type type;
	char *prefix;
	int rc = object_peel(odb_source(c->r->odb), oid, OBJ_ANY, &object, &type, err);

	if (rc && !odb_has(c->r->odb, oid))
		err_reword(err, "unable to parse object: %s", name);
	else if (rc)
		err_reword(err, "unable to read tree (%s)", oid_hex(oid));
	if (rc)
		return rc;
	if (type == OBJ_BLOB) {
		grep_add_blob(c, c->repo, "", name, &object);
		return 0;
	}
	prefix = xstrfmt("%s:", name);
	rc = search_repository(c, c->repo, prefix, oid, err);
	free(prefix);
	return rc;
}

int grep_index(struct grep_cmd *c, struct err *err)
{
	return search_repository(c, c->repo, "", NULL, err);
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
			grep_add_file(c, c->repo, files.items[i].string, 0);
	string_list_clear(&files, NULL);
	return rc;
}
