/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding the repository, from the environment or upward from the cwd. */
#include "compat/posix.h"
#include "repo/ref-storage.h"
#include "repo/setup-internal.h"
#include "config/config.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/string-list.h"

void repo_place_release(struct repo_place *p)
{
	FREE_AND_NULL(p->gitdir);
	FREE_AND_NULL(p->commondir);
	FREE_AND_NULL(p->worktree);
	FREE_AND_NULL(p->prefix);
	repo_format_release(&p->format);
}

/* The gitdir that discovery or GIT_DIR has found. */
struct candidate {
	char *gitdir;	/* GIT_DIR as given, or an absolute path */
	char *gitfile;	/* the ".git" file that led there, or NULL */
	char *top;	/* directory that holds .git; NULL: gitdir was met itself */
	bool given;	/* by GIT_DIR */
};

static void candidate_release(struct candidate *c)
{
	free(c->gitdir);
	free(c->gitfile);
	free(c->top);
}

/* ---- GIT_DIR ---- */

static int use_git_dir(struct candidate *c, const char *git_dir, struct err *err)
{
	struct err local = ERR_INIT;
	int rc = 0;

	c->given = true;
	c->gitdir = read_gitfile(git_dir, &local);
	if (!c->gitdir && local.code != ERR_NOT_FOUND) {
		rc = local.code;
		err_move(err, &local);
	} else if (!c->gitdir) {
		c->gitdir = xstrdup(git_dir);
		rc = gitdir_check(git_dir, getenv("GIT_OBJECT_DIRECTORY"), true, err);
		rc = rc > 0 ? 0 : rc ? rc :
			err_set(err, ERR_NOT_FOUND, "not a git repository: '%s'", git_dir);
	}
	err_release(&local);
	return rc;
}

/* ---- upward from the cwd ---- */

/* GIT_CEILING_DIRECTORIES: how long the longest of them above `cwd` is; -1: none. */
static ssize_t ceiling_len(const char *cwd)
{
	const char *list = getenv("GIT_CEILING_DIRECTORIES");
	struct string_list dirs = STRING_LIST_INIT;
	bool resolve = true;
	ssize_t max = -1;

	if (!list)
		return -1;
	string_list_split(&dirs, list, ":");
	for (size_t i = 0; i < dirs.nr; i++) {
		const char *given = dirs.items[i].string, *rest;
		char *dir;

		if (!*given)
			resolve = false; /* symlinks of those behind an empty one stay */
		if (!is_absolute_path(given))
			continue;
		dir = resolve ? path_real(given, 0) : xstrdup(given);
		if (dir && !resolve)
			path_normalize(dir, dir);
		rest = dir ? path_inside(cwd, dir) : NULL;
		if (rest && *rest) {
			ssize_t len = (ssize_t)strlen(dir);

			while (len > 1 && is_dir_sep(dir[len - 1]))
				len--;
			if (len > max)
				max = len;
		}
		free(dir);
	}
	string_list_clear(&dirs, NULL);
	return max;
}

/* 1: found in `dir`; 0: not there. */
static int look_in(struct candidate *c, const char *dir, struct err *err)
{
	const char *objdir = getenv("GIT_OBJECT_DIRECTORY");
	char *dot_git = path_join(dir, ".git");
	struct err local = ERR_INIT;
	int rc = 0;

	c->gitdir = read_gitfile(dot_git, &local);
	if (c->gitdir) {
		c->gitfile = dot_git;
		c->top = xstrdup(dir);
		return 1;
	}
	if (local.code != ERR_NOT_FOUND) {
		rc = local.code;
		err_move(err, &local);
	} else if ((rc = gitdir_check(dot_git, objdir, true, err)) > 0) {
		c->gitdir = dot_git;
		c->top = xstrdup(dir);
		dot_git = NULL;
	} else if (!rc && (rc = gitdir_check(dir, objdir, true, err)) > 0) {
		c->gitdir = xstrdup(dir);
	}
	err_release(&local);
	free(dot_git);
	return rc;
}

static int stopped_at_mount(const char *dir, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND,
		       "not a git repository (or any parent up to mount point %s)\n"
		       "Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).",
		       dir);
}

static bool may_cross_mounts(void)
{
	const char *v = getenv("GIT_DISCOVERY_ACROSS_FILESYSTEM");

	return v && config_parse_maybe_bool(v) == 1;
}

static int search_upward(struct candidate *c, const char *cwd, struct err *err)
{
	struct strbuf dir = STRBUF_INIT, parent = STRBUF_INIT;
	ssize_t ceiling = ceiling_len(cwd);
	bool cross = may_cross_mounts();
	struct stat st;
	dev_t dev = 0;
	int rc;

	strbuf_addstr(&dir, cwd);
	if (!stat(cwd, &st))
		dev = st.st_dev;
	while (!(rc = look_in(c, dir.buf, err))) {
		strbuf_reset(&parent);
		path_dirname(&parent, dir.buf);
		if (dir.len <= 1 || (ssize_t)parent.len <= ceiling) {
			rc = err_set(err, ERR_NOT_FOUND, "not a git repository (or any of "
				     "the parent directories): .git");
			break;
		}
		if (!cross && (stat(parent.buf, &st) < 0 || st.st_dev != dev)) {
			rc = stopped_at_mount(dir.buf, err);
			break;
		}
		strbuf_swap(&dir, &parent);
	}
	strbuf_release(&dir);
	strbuf_release(&parent);
	return rc < 0 ? rc : 0;
}

static int discover(struct candidate *c, const char *cwd, struct err *err)
{
	int rc = search_upward(c, cwd, err);

	if (!rc)
		rc = setup_check_ownership(c->gitfile, c->top, c->gitdir, err);
	if (!rc && !c->top)
		rc = setup_check_bare(c->gitdir, err);
	return rc;
}

/* ---- the work tree ---- */

/* Real path, whose last component may be missing; relative ones are below base. */
static int resolve_worktree(char **out, const char *path, const char *base, struct err *err)
{
	char *joined, *real;

	if (!*path)
		return err_set(err, ERR_INVALID, "The empty string is not a valid path");
	joined = is_absolute_path(path) ? xstrdup(path) : path_join(base, path);
	real = path_real(joined, 1);
	if (!real) {
		int rc = err_set_errno(err, "invalid path '%s'", joined);

		free(joined);
		return rc;
	}
	free(joined);
	*out = real;
	return 0;
}

static bool implicit_worktree_is_off(void)
{
	const char *v = getenv("GIT_IMPLICIT_WORK_TREE");

	return v && !config_parse_maybe_bool(v);
}

/* In order: GIT_WORK_TREE, core.worktree, none if bare, where .git is, the cwd. */
static int choose_worktree(char **out, const struct candidate *c, const struct repo_format *f,
			   const char *cwd, struct err *err)
{
	const char *given = getenv("GIT_WORK_TREE");

	*out = NULL;
	if (given)
		return resolve_worktree(out, given, cwd, err);
	if (f->bare == 1)
		return 0;
	if (f->worktree)
		return resolve_worktree(out, f->worktree, c->gitdir, err);
	if (c->given && implicit_worktree_is_off())
		return 0;
	if (c->top)
		*out = xstrdup(c->top);
	else if (c->given)
		*out = xstrdup(cwd);
	return 0;
}

/*
 * The gitdir as it is shown: GIT_DIR as given, ".git" or "." where that is right, else an
 * absolute path. here: the cwd from now on; NULL: it may still change.
 */
static char *gitdir_text(const struct candidate *c, const char *real, const char *here,
			 bool moved, bool worktree_given)
{
	const char *rest;

	if (moved && (c->given || worktree_given))
		return xstrdup(real);
	if (c->given)
		return xstrdup(c->gitdir);
	rest = here ? path_inside(c->gitdir, here) : NULL;
	if (rest && !*rest)
		return xstrdup(".");
	if (rest && !strcmp(rest, ".git") && !c->gitfile)
		return xstrdup(".git");
	return xstrdup(c->gitdir);
}

static int place_worktree(struct repo_place *p, const char *cwd, bool *moved, struct err *err)
{
	const char *rest = p->worktree ? path_inside(cwd, p->worktree) : NULL;

	*moved = false;
	if (!p->worktree)
		return 0;
	if (!rest) {
		p->cwd_outside = *moved = true;
		return 0;
	}
	if (!*rest)
		return 0;
	if (chdir(p->worktree) < 0)
		return err_set_errno(err, "cannot chdir to '%s'", p->worktree);
	p->prefix = xstrfmt("%s/", rest);
	*moved = true;
	return 0;
}

/* The common directory; one that is not the gitdir becomes absolute. */
static int find_commondir(char **out, const struct candidate *c, bool *linked, struct err *err)
{
	char *common, *real;
	int rc = setup_commondir(&common, c->gitdir, true, err);

	if (rc < 0)
		return rc;
	*linked = strcmp(common, c->gitdir) != 0;
	if (!*linked) {
		*out = common;
		return 0;
	}
	real = path_real(common, 0);
	if (!real)
		rc = err_set_errno(err, "cannot use '%s'", common);
	free(common);
	*out = real;
	return rc;
}

/* GIT_REFERENCE_BACKEND wins over extensions.refStorage. */
static int read_ref_storage_env(struct repo_format *f, struct err *err)
{
	const char *value = getenv("GIT_REFERENCE_BACKEND");
	struct err why = ERR_INIT;
	int rc = 0;

	if (!value)
		return 0;
	FREE_AND_NULL(f->refs_dir);
	if (ref_storage_find(&f->refs, &f->refs_dir, value, &why) < 0)
		rc = err_set(err, ERR_INVALID, "unknown ref storage format: '%s'", value);
	err_release(&why);
	return rc;
}

/* Format, work tree and names of the repository that was found. */
static int fill_place(struct repo_place *p, const struct candidate *c, const char *cwd,
		      struct err *err)
{
	char *common = NULL, *real = NULL;
	bool moved, linked = false;
	int rc = find_commondir(&common, c, &linked, err);

	if (!rc)
		rc = repo_format_read(&p->format, c->gitdir, common, err);
	if (!rc)
		rc = read_ref_storage_env(&p->format, err);
	if (!rc)
		rc = choose_worktree(&p->worktree, c, &p->format, cwd, err);
	if (!rc) {
		real = path_real(c->gitdir, 0); /* before the cwd changes */
		if (!real)
			rc = err_set_errno(err, "cannot use '%s'", c->gitdir);
	}
	if (!rc)
		rc = place_worktree(p, cwd, &moved, err);
	if (!rc) {
		const char *here = p->cwd_outside ? NULL : moved ? p->worktree : cwd;

		p->gitdir = gitdir_text(c, real, here, moved,
					getenv("GIT_WORK_TREE") || p->format.worktree);
		p->commondir = xstrdup(linked ? common : p->gitdir);
		p->bare = p->format.bare != 0 && !p->worktree;
	}
	free(real);
	free(common);
	return rc;
}

int setup_find_repository(struct repo_place *out, struct err *err)
{
	struct repo_place place = { .format = REPO_FORMAT_INIT };
	struct candidate c = { 0 };
	const char *git_dir = getenv("GIT_DIR");
	char *cwd = xgetcwd();
	int rc;

	if (!cwd)
		return err_set_errno(err, "Unable to read current working directory");
	rc = git_dir ? use_git_dir(&c, git_dir, err) : discover(&c, cwd, err);
	if (!rc)
		rc = fill_place(&place, &c, cwd, err);
	if (!rc)
		*out = place;
	else
		repo_place_release(&place);
	candidate_release(&c);
	free(cwd);
	return rc;
}
