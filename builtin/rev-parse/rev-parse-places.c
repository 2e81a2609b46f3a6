/* SPDX-License-Identifier: GPL-2.0-only */
/* git rev-parse: where the repository and its parts are. */
#include "compat/posix.h"
#include "builtin/rev-parse/rev-parse.h"
#include "index/index.h"
#include "util/alloc.h"
#include "util/path.h"
#include "history/history.h"

/* ---- showing a path as it was asked for ---- */

/* Where the user stands; the cwd may have moved to the top of the work tree. */
static char *user_cwd(const struct repository *r)
{
	char *cwd = xgetcwd(), *full;

	if (!cwd)
		die("cannot tell the current directory: %s", strerror(errno));
	if (!r->prefix)
		return cwd;
	full = path_join(cwd, r->prefix);
	free(cwd);
	full[strlen(full) - 1] = '\0'; /* a prefix ends in '/' */
	return full;
}

static void print_relative(const char *path, const char *from)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_relative_path(&out, path, from);
	/* An empty path, or one that leads upwards, is shown as a directory. */
	if (!out.len)
		strbuf_addstr(&out, "./");
	else if (!strcmp(out.buf, ".") || !strcmp(out.buf, "..") || ends_with(out.buf, "/.."))
		strbuf_addch(&out, '/');
	puts(out.buf);
	strbuf_release(&out);
}

static char *real_path(const char *path)
{
	char *real = path_real(path, INT_MAX);

	if (!real)
		die("cannot resolve '%s': %s", path, strerror(errno));
	return real;
}

/*
 * path is relative to the cwd or absolute. In the default format an absolute one is
 * shown as it is, and so is a relative one where the user stands there too.
 */
static void print_path(const struct repository *r, const char *path, enum path_format format)
{
	char *real, *cwd, *here;

	if (format == PATH_FORMAT_DEFAULT && (is_absolute_path(path) || !r->prefix)) {
		puts(path);
		return;
	}
	if (format == PATH_FORMAT_ABSOLUTE) {
		real = real_path(path);
		puts(real);
		free(real);
		return;
	}
	cwd = user_cwd(r);
	here = format == PATH_FORMAT_RELATIVE ? real_path(cwd) : xstrdup(cwd);
	real = format == PATH_FORMAT_RELATIVE ? real_path(path) : path_absolute(path);
	print_relative(real, here);
	free(cwd);
	free(here);
	free(real);
}

/* ---- the questions ---- */

static void git_dir(struct repository *r, enum path_format format)
{
	/* ".git" would be wrong below the top, and is not shown as "../.git". */
	if (format == PATH_FORMAT_DEFAULT && r->prefix && !is_absolute_path(r->gitdir))
		puts(r->gitdir_abs);
	else
		print_path(r, r->gitdir, format);
}

static void git_common_dir(struct repository *r, enum path_format format)
{
	print_path(r, r->commondir, format);
}

static void absolute_git_dir(struct repository *r, enum path_format format UNUSED)
{
	puts(r->gitdir_abs);
}

static void show_toplevel(struct repository *r, enum path_format format)
{
	if (!r->worktree)
		die("this operation must be run in a work tree");
	if (format == PATH_FORMAT_DEFAULT)
		puts(r->worktree);
	else
		print_path(r, r->worktree, format);
}

static void local_env_vars(struct repository *r UNUSED, enum path_format format UNUSED)
{
	for (size_t i = 0; repo_local_env[i]; i++)
		puts(repo_local_env[i]);
}

static void show_prefix(struct repository *r, enum path_format format UNUSED)
{
	puts(r->prefix ? r->prefix : "");
}

/* "../../", or an absolute path where the cwd is outside of the work tree. */
static void show_cdup(struct repository *r, enum path_format format UNUSED)
{
	const char *s;

	if (!r->worktree || r->cwd_outside) {
		if (r->worktree)
			puts(r->worktree);
		return;
	}
	for (s = r->prefix ? r->prefix : ""; *s; s++)
		if (*s == '/')
			fputs("../", stdout);
	putchar('\n');
}

static void print_bool(bool b)
{
	puts(b ? "true" : "false");
}

static void is_inside_git_dir(struct repository *r, enum path_format format UNUSED)
{
	char *cwd = user_cwd(r), *real = real_path(cwd);

	print_bool(path_inside(real, r->gitdir_abs) != NULL);
	free(real);
	free(cwd);
}

static void is_inside_work_tree(struct repository *r, enum path_format format UNUSED)
{
	print_bool(r->worktree && !r->cwd_outside);
}

static void is_bare(struct repository *r, enum path_format format UNUSED)
{
	print_bool(r->bare);
}

static void is_shallow(struct repository *r, enum path_format format UNUSED)
{
	print_bool(repo_is_shallow(r));
}

static bool has_gitlink(struct repository *outer, const char *path)
{
	struct index_state ix;
	struct index_entry *e;
	bool found = false;

	index_init(&ix, outer->algo);
	if (!index_read_repo(&ix, outer, NULL)) {
		e = index_find(&ix, path, strlen(path));
		found = e && MODE_IS_GITLINK(e->mode);
	}
	index_release(&ix);
	return found;
}

/* The work tree above ours, if its index says that we are a part of it. */
static void show_superproject(struct repository *r, enum path_format format)
{
	char *dir, *slash;
	bool done = false;

	if (!r->worktree)
		return;
	dir = real_path(r->worktree);
	while (!done && (slash = strrchr(dir, '/')) && slash != dir) {
		struct repository *outer;
		char *dot_git, *file;

		*slash = '\0';
		dot_git = path_join(dir, ".git");
		file = read_gitfile(dot_git, NULL);
		if (file || is_git_directory(dot_git)) {
			done = true;
			if (!repo_open_at(&outer, file ? file : dot_git, dir, NULL)) {
				if (has_gitlink(outer, path_inside(r->worktree, dir)))
					print_path(r, dir, format);
				repo_free(outer);
			}
		}
		free(file);
		free(dot_git);
	}
	free(dir);
}

static void git_path(struct repository *r, const char *name, enum path_format format)
{
	char *path = repo_path(r, "%s", name);
	const char *rest = path;

	/* "./x" where the cwd is the gitdir */
	if (format == PATH_FORMAT_DEFAULT)
		skip_prefix(path, "./", &rest);
	print_path(r, rest, format);
	free(path);
}

/* Nothing, if the index is not split. */
static void shared_index_path(struct repository *r, enum path_format format)
{
	struct index_state ix;
	struct object_id oid;
	struct err err = ERR_INIT;
	char *name;

	index_init(&ix, r->algo);
	if (index_read_repo(&ix, r, &err) < 0)
		die_err(&err);
	if (index_is_split(&ix, &oid)) {
		name = xconcat("sharedindex.", oid_hex(&oid));
		git_path(r, name, format);
		free(name);
	}
	index_release(&ix);
}

static const struct place_option {
	const char *name;
	void (*run)(struct repository *r, enum path_format format);
} place_options[] = {
	{ "--git-dir", git_dir },
	{ "--local-env-vars", local_env_vars },
	{ "--git-common-dir", git_common_dir },
	{ "--absolute-git-dir", absolute_git_dir },
	{ "--show-toplevel", show_toplevel },
	{ "--show-superproject-working-tree", show_superproject },
	{ "--show-prefix", show_prefix },
	{ "--show-cdup", show_cdup },
	{ "--is-inside-git-dir", is_inside_git_dir },
	{ "--is-inside-work-tree", is_inside_work_tree },
	{ "--is-bare-repository", is_bare },
	{ "--is-shallow-repository", is_shallow },
	{ "--shared-index-path", shared_index_path },
};

static void resolve_git_dir(const struct repository *r, const char *given)
{
	const char *prefix = r && r->prefix && !is_absolute_path(given) ? r->prefix : "";
	char *path = xstrfmt("%s%s", prefix, given), *file;

	if (is_git_directory(path)) {
		puts(given);
	} else {
		file = read_gitfile(path, NULL);
		if (!file)
			die("not a gitdir '%s'", given);
		puts(file);
		free(file);
	}
	free(path);
}

static void object_format(struct repository *r, const char *kind)
{
	if (strcmp(kind, "storage") && strcmp(kind, "input") && strcmp(kind, "output"))
		die("unknown mode for --show-object-format: %s", kind);
	puts(r->algo->name);
}

static void set_path_format(enum path_format *format, const char *value)
{
	if (!strcmp(value, "absolute"))
		*format = PATH_FORMAT_ABSOLUTE;
	else if (!strcmp(value, "relative"))
		*format = PATH_FORMAT_RELATIVE;
	else
		die("unknown argument to --path-format: %s", value);
}

int rev_parse_place_option(struct repository *r, const char *arg, const char *next,
			   enum path_format *format)
{
	const char *value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(place_options); i++)
		if (!strcmp(arg, place_options[i].name)) {
			place_options[i].run(r, *format);
			return 1;
		}
	if (!strcmp(arg, "--git-path")) {
		if (!next)
			die("--git-path requires an argument");
		git_path(r, next, *format);
		return 2;
	}
	if (!strcmp(arg, "--path-format"))
		die("--path-format requires an argument");
	if (skip_prefix(arg, "--path-format=", &value)) {
		set_path_format(format, value);
		return 1;
	}
	if (!strcmp(arg, "--resolve-git-dir")) {
		if (!next)
			die("--resolve-git-dir requires an argument");
		resolve_git_dir(r, next);
		return 2;
	}
	if (!strcmp(arg, "--show-ref-format")) {
		puts(r->settings.ref_storage);
		return 1;
	}
	if (!strcmp(arg, "--show-object-format")) {
		object_format(r, "storage");
		return 1;
	}
	if (skip_prefix(arg, "--show-object-format=", &value)) {
		object_format(r, value);
		return 1;
	}
	return 0;
}
