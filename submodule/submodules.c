/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "attr/attr.h"
#include "fs/file.h"
#include "history/names/revparse.h"
#include "index/index.h"
#include "index/pathspec.h"
#include "object/dotfile.h"
#include "object/tree.h"
#include "submodule/submodules.h"
#include "util/alloc.h"
#include "util/map.h"
#include "util/path.h"

#define GITMODULES ".gitmodules"

struct submodules {
	struct repository *r;
	struct config_set *modules;
	struct strmap names; /* by path; owned by `modules` */
};

/* ---- .gitmodules ---- */

char *submodule_of_key(const char *key, const char *variable)
{
	const char *name, *dot = strrchr(key, '.');

	if (!skip_prefix(key, "submodule.", &name) || !dot || dot < name || strcmp(dot + 1, variable) != 0)
		return NULL;
	return xstrndup(name, (size_t)(dot - name));
}

static int read_worktree_modules(struct submodules *s, struct err *err)
{
	char *path;
	int rc;

	if (!s->r->worktree)
		return ERR_NOT_FOUND;
	path = path_join(s->r->worktree, GITMODULES);
	rc = config_set_read_file(s->modules, path, CONFIG_SCOPE_UNKNOWN, NULL, err);
	free(path);
	return rc;
}

bool gitmodules_is_unmerged(const struct index_state *ix)
{
	for (unsigned stage = 1; stage <= 3; stage++)
		if (index_pos(ix, GITMODULES, strlen(GITMODULES), stage) >= 0)
			return true;
	return false;
}

/* In a tree, or a commit. */
static int find_in_tree(struct repository *r, const struct object_id *commit, struct object_id *oid, struct err *err)
{
	struct object_id tree;
	unsigned mode = 0;
	int rc = object_peel(odb_source(r->odb), commit, OBJ_TREE, &tree, NULL, err);

	if (!rc)
		rc = tree_lookup_path(odb_source(r->odb), &tree, GITMODULES, &mode, oid, err);
	return !rc && !MODE_IS_FILE(mode) ? ERR_NOT_FOUND : rc;
}

/* `name`: of the blob. Its faults are reported, and what comes before them counts. */
static int read_blob_modules(struct submodules *s, const struct object_id *oid, const char *name, struct err *err)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	struct err why = ERR_INIT;
	int rc = odb_read_type(s->r->odb, oid, OBJ_BLOB, &buf, err);

	if (!rc && config_set_read_buf(s->modules, buf.data, buf.size, name, CONFIG_ORIGIN_BLOB, CONFIG_SCOPE_UNKNOWN, NULL, &why) < 0 && s->r->report_error)
		s->r->report_error(s->r->warn_data, err_message(&why));
	err_release(&why);
	object_buf_release(&buf);
	return rc;
}

static int read_tree_modules(struct submodules *s, const struct object_id *tree, struct err *err)
{
	char *name = xstrfmt("%s:" GITMODULES, oid_hex(tree));
	struct object_id oid;
	int rc = find_in_tree(s->r, tree, &oid, err);

	if (!rc)
		rc = read_blob_modules(s, &oid, name, err);
	free(name);
	return rc;
}

static int read_index_modules(struct submodules *s, struct index_state *ix, struct err *err)
{
	const struct index_entry *e = index_find(ix, GITMODULES, strlen(GITMODULES));

	return e && MODE_IS_FILE(e->mode) ? read_blob_modules(s, &e->oid, oid_hex(&e->oid), err) : ERR_NOT_FOUND;
}

/* While it is being merged there is none. */
static int read_default_modules(struct submodules *s, struct err *err)
{
	struct index_state ix;
	struct object_id head;
	int rc;

	index_init(&ix, s->r->algo);
	rc = index_read_repo(&ix, s->r, err);
	if (!rc && !gitmodules_is_unmerged(&ix)) {
		rc = read_worktree_modules(s, err);
		if (rc == ERR_NOT_FOUND) {
			err_release(err);
			rc = read_index_modules(s, &ix, err);
		}
		if (rc == ERR_NOT_FOUND && !revparse_oid(s->r, "HEAD", &head, NULL))
			rc = read_tree_modules(s, &head, err);
	}
	index_release(&ix);
	return rc;
}

static void note_path(struct submodules *s, const char *name, const struct config_entry *e)
{
	if (!submodule_name_is_safe(name))
		repo_warn(s->r, "ignoring suspicious submodule name: %s", name);
	else if (e->value && *e->value == '-')
		repo_warn(s->r, "ignoring 'submodule.%s.path' which may be interpreted as a command-line option: %s", name, e->value);
	else if (e->value)
		free(strmap_put(&s->names, e->value, xstrdup(name)));
}

/* submodule.NAME.path */
static void note_paths(struct submodules *s)
{
	for (size_t i = 0; i < config_nr(s->modules); i++) {
		const struct config_entry *e = config_at(s->modules, i);
		char *name = submodule_of_key(e->key, "path");

		if (name)
			note_path(s, name, e);
		free(name);
	}
}

int submodules_read(struct submodules **out, struct repository *r, const struct object_id *tree, struct err *err)
{
	struct submodules *s = xcalloc(1, sizeof(*s));
	int rc;

	s->r = r;
	s->modules = config_set_new();
	strmap_init(&s->names);
	rc = tree ? read_tree_modules(s, tree, err) : read_default_modules(s, err);
	if (rc == ERR_NOT_FOUND) {
		err_release(err);
		rc = 0;
	}
	note_paths(s);
	if (rc < 0)
		submodules_free(s);
	else
		*out = s;
	return rc;
}

void submodules_free(struct submodules *s)
{
	if (!s)
		return;
	strmap_clear(&s->names, free);
	config_set_free(s->modules);
	free(s);
}

const char *submodules_name(const struct submodules *s, const char *path)
{
	return strmap_get(&s->names, path);
}

/* ---- active submodules ---- */

/* submodule.active: 1, and *active is set; 0: it is not set, or has no value and that is reported. */
static int matches_active(const struct submodules *s, const char *path, bool *active, struct err *err)
{
	struct strvec patterns = STRVEC_INIT;
	struct attrs *attrs = NULL;
	struct pathspec ps;
	size_t nr;
	const struct config_entry *const *v = config_get_all(s->r->config, "submodule.active", &nr);
	int rc;

	for (size_t i = 0; i < nr; i++) {
		if (!v[i]->value && s->r->report_error)
			s->r->report_error(s->r->warn_data, "missing value for 'submodule.active'");
		if (!v[i]->value)
			nr = 0;
		else
			strvec_push(&patterns, v[i]->value);
	}
	rc = nr ? pathspec_parse(&ps, NULL, s->r->worktree, patterns.v, 0, err) : 0;
	if (nr && !rc) {
		rc = attrs_new_for_pathspec(&attrs, &ps, s->r, NULL, err);
		*active = !rc && pathspec_match(&ps, path, strlen(path), true, NULL);
		attrs_free(attrs);
		pathspec_release(&ps);
	}
	strvec_clear(&patterns);
	return rc ? rc : nr > 0;
}

int submodules_is_active(const struct submodules *s, const char *path, bool *active, struct err *err)
{
	const char *name = submodules_name(s, path);
	char *key;
	int rc;

	*active = false;
	if (!name)
		return 0;
	key = xstrfmt("submodule.%s.active", name);
	rc = config_get_bool(s->r->config, key, active, err);
	free(key);
	if (!rc)
		rc = matches_active(s, path, active, err);
	if (!rc) {
		key = xstrfmt("submodule.%s.url", name);
		*active = config_get(s->r->config, key) != NULL;
		free(key);
	}
	return rc < 0 ? rc : 0;
}

/* ---- repositories ---- */

static int find_checked_out(char **out, const struct submodules *s, const char *path, struct err *err)
{
	char *dir = path_join(s->r->worktree, path);
	int rc = gitlink_find_gitdir(out, dir, err);

	free(dir);
	return rc;
}

static int find_kept(char **out, const struct submodules *s, const char *path, struct err *err)
{
	const char *name = submodules_name(s, path);
	char *gitdir = name ? repo_path(s->r, "modules/%s", name) : NULL;
	int rc = 0;

	if (gitdir && is_directory_nofollow(gitdir) && is_git_directory(gitdir)) {
		rc = repo_check_owner(gitdir, err);
		if (!rc) {
			*out = gitdir;
			return 0;
		}
	}
	free(gitdir);
	return rc;
}

int submodules_find_gitdir(char **out, const struct submodules *s, const char *path, struct err *err)
{
	struct err why = ERR_INIT;
	char *found = NULL;
	int rc = 0;

	*out = NULL;
	if (!path_is_safe(path, MODE_GITLINK, s->r->settings.protect)) /* it may come from a tree */
		return 0;
	if (s->r->worktree)
		rc = find_checked_out(&found, s, path, &why);
	if (!found && rc != ERR_ABORTED) { /* a .git that is no repository is as good as none */
		err_release(&why);
		rc = find_kept(&found, s, path, &why);
	}
	if (rc == ERR_ABORTED)
		repo_warn(s->r, "not looking into submodule '%s': %s", path, err_message(&why));
	err_release(&why);
	*out = found ? path_absolute(found) : NULL;
	rc = found && !*out ? err_set_errno(err, "cannot find '%s'", found) : 0;
	free(found);
	return rc;
}

int submodules_open(struct repository **out, const struct submodules *s, const char *path, struct err *err)
{
	char *gitdir, *worktree;
	int rc = submodules_find_gitdir(&gitdir, s, path, err);

	*out = NULL;
	if (rc || !gitdir)
		return rc;
	worktree = s->r->worktree ? path_join(s->r->worktree, path) : NULL;
	rc = repo_open_at(out, gitdir, worktree, err);
	if (!rc) {
		struct repository *sub = *out;

		sub->warn = s->r->warn;
		sub->report_error = s->r->report_error;
		sub->warn_data = s->r->warn_data;
		sub->from_cwd = xstrfmt("%s%s/", s->r->from_cwd ? s->r->from_cwd : "", path);
	}
	free(worktree);
	free(gitdir);
	return rc;
}

int submodule_find_gitdir(char **out, struct repository *r, const char *path, struct err *err)
{
	struct submodules *s;
	int rc;

	*out = NULL;
	rc = submodules_read(&s, r, NULL, err);
	if (!rc) {
		rc = submodules_find_gitdir(out, s, path, err);
		submodules_free(s);
	}
	return rc;
}
