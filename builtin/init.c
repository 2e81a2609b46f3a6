/* SPDX-License-Identifier: GPL-2.0-only */
/* git-init(1) */
#include "compat/posix.h"
#include "repo/init.h"
#include "repo/ref-storage.h"
#include "builtin/builtin.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/path.h"

static const char *const usage[] = {
	"git init [-q | --quiet] [--bare] [--template=<template-directory>]\n"
	"  [--separate-git-dir <git-dir>] [--object-format=<format>]\n"
	"  [--ref-format=<format>]\n"
	"  [-b <branch-name> | --initial-branch=<branch-name>]\n"
	"  [--shared[=<permissions>]] [<directory>]",
	NULL
};

static void hint_default_branch(const char *name)
{
	advise_if_enabled(NULL, "defaultBranchName",
	       "Using '%s' as the name for the initial branch. This default branch name\n"
	       "will change to \"main\" in Git 3.0. To configure the initial branch name\n"
	       "to use in all of your new repositories, which will suppress this warning,\n"
	       "call:\n"
	       "\n"
	       "\tgit config --global init.defaultBranch <name>\n"
	       "\n"
	       "Names commonly chosen instead of 'master' are 'main', 'trunk' and\n"
	       "'development'. The just-created branch can be renamed via this command:\n"
	       "\n"
	       "\tgit branch -m <name>\n", name);
}

/* Paths of the options; they live until the command is done. */
static struct strvec kept;

static const char *keep(char *path)
{
	const char *copy = path ? strvec_push(&kept, path) : NULL;

	free(path);
	return copy;
}

static const char *absolute(const char *path)
{
	char *abs = path_absolute(path), *real = abs ? path_real(abs, 1) : NULL;

	if (!*path) /* GIT_DIR= is not the current directory */
		die("The empty string is not a valid path");
	if (!abs)
		die("unable to get current working directory: %s", strerror(errno));
	if (!real)
		path_normalize(abs, abs);
	else
		free(abs);
	return keep(real ? real : abs);
}

/* The deepest directory above `path` that is there. */
static char *existing_parent(const char *path)
{
	struct strbuf dir = STRBUF_INIT, up = STRBUF_INIT;

	strbuf_addstr(&dir, path);
	do {
		strbuf_reset(&up);
		path_dirname(&up, dir.buf);
		strbuf_swap(&dir, &up);
	} while (!is_directory(dir.buf) && dir.len > 1);
	strbuf_release(&up);
	return strbuf_detach(&dir, NULL);
}

/* The directory argument is made and entered. */
static void enter_dir(struct repo_init_options *o, const char *dir)
{
	struct err err = ERR_INIT;
	char *from = NULL;

	if (file_exists(dir) && !is_directory(dir))
		die("cannot mkdir %s: %s", dir, strerror(EEXIST));
	if (!*dir)
		die("cannot mkdir %s: %s", dir, strerror(ENOENT));
	if (!is_directory(dir)) {
		char *abs = path_absolute(dir);

		from = abs ? existing_parent(abs) : NULL;
		free(abs);
	}
	if (from && make_dirs(dir, SHARED_PERM_UMASK, &err) < 0)
		die("cannot mkdir %s: %s", dir, strerror(err.sys_errno));
	if (chdir(dir) < 0)
		die("cannot chdir to %s: %s", dir, strerror(errno));
	if (from) {
		o->made_from = keep(path_real(from, 0));
		o->made_dir = keep(xgetcwd());
		free(from);
	}
}

/* Without --bare and GIT_WORK_TREE: is a repository at this GIT_DIR bare? */
static bool looks_bare(const char *git_dir)
{
	return strcmp(path_basename(git_dir), ".git") ||
	       !strcmp(absolute("."), absolute(git_dir));
}

/* Where things go, from options, environment and cwd. */
static void choose_places(struct repo_init_options *o, bool bare, bool has_dir)
{
	const char *git_dir = getenv("GIT_DIR"), *work_tree = getenv("GIT_WORK_TREE");
	const char *objdir = getenv("GIT_OBJECT_DIRECTORY"), *no = getenv("GIT_IMPLICIT_WORK_TREE");

	if (no && !config_parse_maybe_bool(no)) { /* git --bare init [dir] */
		bare = true;
		if (has_dir)
			git_dir = NULL;
	}
	if ((!git_dir || bare) && work_tree)
		die("%s (or --work-tree=<directory>) not allowed without "
		    "specifying %s (or --git-dir=<directory>)", "GIT_WORK_TREE", "GIT_DIR");
	if (git_dir && !work_tree && !bare)
		bare = looks_bare(git_dir);
	if (o->separate_git_dir) {
		if (bare)
			die("--separate-git-dir incompatible with bare repository");
		o->separate_git_dir = absolute(o->separate_git_dir);
	}
	o->gitdir = absolute(git_dir ? git_dir : bare ? "." : ".git");
	if (work_tree) {
		o->worktree = absolute(work_tree);
		o->explicit_worktree = true;
		if (access(o->worktree, X_OK))
			die("Cannot access work tree '%s': %s", o->worktree, strerror(errno));
	} else if (!bare) {
		struct strbuf top = STRBUF_INIT;

		if (git_dir)
			path_dirname(&top, o->gitdir);
		o->worktree = git_dir ? keep(strbuf_detach(&top, NULL)) : absolute(".");
		if (access(o->worktree, X_OK))
			die("Cannot access work tree '%s': %s", o->worktree, strerror(errno));
	}
	o->objdir = objdir ? absolute(objdir) : NULL;
}

static int shared_option(const struct option *opt, const char *arg, int unset)
{
	*(const char **)opt->value = unset ? "umask" : arg ? arg : "group";
	return 0;
}

int cmd_init(int argc, const char **argv, struct command_ctx *ctx)
{
	struct repo_init_options o = { .warn = warning_callback };
	struct repo_init_result result = { .gitdir = NULL };
	struct err err = ERR_INIT;
	const char *template = NULL;
	const struct ref_backend *refs;
	int quiet = 0, bare = 0;
	struct option opts[] = {
		OPT_STRING(0, "template", &template, "template-directory",
			   "directory from which templates will be used"),
		OPT_SET_INT(0, "bare", &bare, "create a bare repository", 1),
		OPT_CALLBACK_F(0, "shared", &o.shared, "permissions",
			       "specify that the git repository is to be shared amongst several users",
			       PARSE_OPT_OPTARG, shared_option),
		OPT__QUIET(&quiet),
		OPT_STRING(0, "separate-git-dir", &o.separate_git_dir, "gitdir",
			   "separate git dir from working tree"),
		OPT_STRING('b', "initial-branch", &o.initial_branch, "name",
			   "override the name of the initial branch"),
		OPT_STRING(0, "object-format", &o.hash_name, "hash",
			   "specify the hash algorithm to use"),
		OPT_STRING(0, "ref-format", &o.ref_format, "format",
			   "specify the reference format to use"),
		OPT_END()
	};

	(void)ctx;
	strvec_init(&kept);
	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc > 1)
		usage_with_options(usage, opts);
	if (bare && o.separate_git_dir)
		die("options '%s' and '%s' cannot be used together", "--separate-git-dir",
		    "--bare");
	/* Before a directory is made. */
	if (o.ref_format && ref_storage_by_name(&refs, o.ref_format, &err) < 0)
		return report_fatal(&err);
	if (o.separate_git_dir && !*o.separate_git_dir)
		die("The empty string is not a valid path");
	if (o.separate_git_dir)
		o.separate_git_dir = absolute(o.separate_git_dir);
	if (template)
		o.template_dir = *template ? absolute(template) : template;
	if (argc)
		enter_dir(&o, argv[0]);
	choose_places(&o, bare, argc > 0);

	if (repo_init(&o, &result, &err) < 0)
		return report_fatal(&err);
	if (result.branch_is_fallback && !quiet)
		hint_default_branch(result.branch);
	if (!quiet)
		printf("%s%s Git repository in %s/\n", result.reinit ? "Reinitialized existing"
								      : "Initialized empty",
		       result.shared ? " shared" : "", result.gitdir);
	repo_init_result_release(&result);
	strvec_clear(&kept);
	return 0;
}
