/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-clean(1). The walk finds untracked files; a directory without tracked files is one entry. The
 * rules for ignored files decide which items are removed: a directory as a whole, or entries in it.
 * Then the items are removed.
 */
#include "compat/posix.h"
#include <dirent.h>
#include "compat/syscalls.h"
#include "builtin/clean.h"
#include "fs/file.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/string-list.h"
#include "util/strvec.h"
#include "worktree/worktree.h"

static const char *const usage[] = {
	"git clean [-d] [-f] [-i] [-n] [-q] [-e <pattern>] [-x | -X] [--] [<pathspec>...]",
	NULL
};

struct clean {
	struct repository *repo;
	const char *prefix;
	int quiet, dry_run, force, interactive, directories, with_ignored, only_ignored;
	struct strvec exclude;
	struct pathspec ps;
	struct index_state ix;
	struct ignore *rules;
	struct string_list items; /* directories with '/' */
	bool failed;
};

/* ---- directories ---- */

static void warn_errno(struct clean *c, const char *what, const char *path)
{
	int code = errno;
	struct strbuf quoted = STRBUF_INIT;

	quote_c_style(&quoted, path, strlen(path), c->repo->settings.quote_path);
	warning("%s %s: %s", what, quoted.buf, strerror(code));
	strbuf_release(&quoted);
	c->failed = true;
}

/*
 * Lists the entries of the directory "dir/", sorted: whole paths, directories with '/'. False: it
 * cannot be read.
 */
static bool list_directory(struct clean *c, const char *dir, struct string_list *out)
{
	DIR *d = opendir(dir);
	struct dirent *de;

	if (!d) {
		warn_errno(c, "could not open directory", dir);
		return false;
	}
	while ((de = readdir(d))) {
		char *path;

		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		path = path_join(dir, de->d_name);
		if (is_directory_nofollow(path)) {
			char *slash = path_join(path, "");

			string_list_insert(out, slash);
			free(slash);
		} else {
			string_list_insert(out, path);
		}
		free(path);
	}
	closedir(d);
	return true;
}

static bool is_dir_name(const char *path)
{
	return ends_with(path, "/");
}

/* A repository in the work tree, which only -ff removes. */
static bool is_protected(const struct clean *c, const char *dir)
{
	return c->force < 2 && repo_has_nested(c->repo, dir);
}

/* ---- items ---- */

static bool is_ignored(struct clean *c, const char *path)
{
	size_t len = strlen(path);
	bool dir = is_dir_name(path);

	return ignore_is_ignored(c->rules, path, len - dir, dir);
}

static void add_item(struct clean *c, const char *path)
{
	if (!is_dir_name(path) || c->directories)
		string_list_insert(&c->items, path);
}

static bool may_go_whole(struct clean *c, const char *dir);

/* May this file go, or this directory with all that is in it? */
static bool may_go(struct clean *c, const char *path)
{
	if (pathspec_excludes(&c->ps, path, strlen(path)))
		return false;
	if (is_ignored(c, path))
		return c->only_ignored;
	if (is_dir_name(path) && !repo_has_nested(c->repo, path))
		return may_go_whole(c, path);
	return !c->only_ignored;
}

/* -X: an empty directory is not ignored. */
static bool may_go_whole(struct clean *c, const char *dir)
{
	struct string_list names = { 0 };
	bool yes = list_directory(c, dir, &names) && (names.nr || !c->only_ignored);

	for (size_t i = 0; yes && i < names.nr; i++)
		yes = may_go(c, names.items[i].string);
	string_list_clear(&names, NULL);
	return yes;
}

static void plan_path(struct clean *c, const char *path)
{
	struct string_list names = { 0 };

	if (is_dir_name(path) && is_protected(c, path))
		return;
	if (may_go(c, path)) {
		add_item(c, path);
		return;
	}
	if (!is_dir_name(path) || repo_has_nested(c->repo, path) ||
	    (is_ignored(c, path) && !c->only_ignored) || pathspec_excludes(&c->ps, path, strlen(path)))
		return;
	if (list_directory(c, path, &names))
		for (size_t i = 0; i < names.nr; i++)
			plan_path(c, names.items[i].string);
	string_list_clear(&names, NULL);
}

static int plan_untracked(void *data, const char *path, size_t len UNUSED, bool is_dir,
			  enum dirwalk_kind kind)
{
	struct clean *c = data;

	if (kind == DIRWALK_UNREADABLE)
		warn_errno(c, "could not open directory", path);
	else if (!is_dir || c->directories || c->only_ignored)
		plan_path(c, path);
	return 0;
}

/* ---- removal ---- */

/* slash: that of a directory is shown. */
static void clean_add_line(const struct clean *c, struct strbuf *out, const char *verb,
			   const char *path,
			   bool slash)
{
	struct strbuf rel = STRBUF_INIT;

	if (c->quiet)
		return;
	strbuf_add_from_prefix(&rel, path, c->prefix);
	if (!slash && is_dir_name(rel.buf))
		strbuf_setlen(&rel, rel.len - 1);
	strbuf_addf(out, "%s ", verb);
	quote_c_style(out, rel.buf, rel.len, c->repo->settings.quote_path);
	strbuf_addch(out, '\n');
	strbuf_release(&rel);
}

static void add_removed(const struct clean *c, struct strbuf *out, const char *path, bool slash)
{
	clean_add_line(c, out, c->dry_run ? "Would remove" : "Removing", path, slash);
}

static bool remove_one_file(struct clean *c, const char *path)
{
	if (c->dry_run || !RETRY_EINTR(sys->unlink(path)) || errno == ENOENT)
		return true;
	warn_errno(c, "failed to remove", path);
	return false;
}

static bool holds_protected(struct clean *c, const char *dir)
{
	struct string_list names = { 0 };
	bool yes = !list_directory(c, dir, &names);

	for (size_t i = 0; !yes && i < names.nr; i++)
		yes = is_dir_name(names.items[i].string) &&
		      (is_protected(c, names.items[i].string) || holds_protected(c, names.items[i].string));
	string_list_clear(&names, NULL);
	return yes;
}

/* The directory in which the command was started, as seen from "dir/": below it, itself, or elsewhere. */
static bool holds_cwd(const struct clean *c, const char *dir, bool *is_cwd)
{
	size_t len = strlen(dir) - 1;
	const char *cwd = c->repo->original_cwd;

	if (!cwd || strncmp(cwd, dir, len) || (cwd[len] && cwd[len] != '/'))
		return false;
	*is_cwd = !cwd[len] || !cwd[len + 1];
	return true;
}

static bool remove_whole(struct clean *c, const char *dir)
{
	struct err err = ERR_INIT;
	bool gone = c->dry_run || remove_tree(dir, false, &err) >= 0;

	if (!gone) {
		warning("failed to remove %s: %s", dir, err_message(&err));
		c->failed = true;
	}
	err_release(&err);
	return gone;
}

static bool clean_remove_path(struct clean *c, const char *path, struct strbuf *lines);

static bool remove_content(struct clean *c, const char *dir, struct strbuf *lines)
{
	struct string_list names = { 0 };
	bool all = list_directory(c, dir, &names);

	for (size_t i = 0; i < names.nr; i++) {
		const char *path = names.items[i].string;
		bool gone = clean_remove_path(c, path, lines);

		if (gone)
			add_removed(c, lines, path, false);
		all &= gone;
	}
	string_list_clear(&names, NULL);
	return all;
}

static bool remove_directory(struct clean *c, const char *dir, struct strbuf *lines)
{
	bool is_cwd = false, with_cwd = holds_cwd(c, dir, &is_cwd);

	if (is_protected(c, dir)) {
		struct strbuf line = STRBUF_INIT;

		clean_add_line(c, &line,
			       c->dry_run ? "Would skip repository" : "Skipping repository", dir, false);
		fputs(line.buf, stdout);
		strbuf_release(&line);
		return false;
	}
	if (!with_cwd && (c->force > 1 || !holds_protected(c, dir)))
		return remove_whole(c, dir);
	if (!remove_content(c, dir, lines))
		return false;
	if (is_cwd) {
		puts(c->dry_run ? "Would refuse to remove current working directory" :
				  "Refusing to remove current working directory");
		return false;
	}
	if (c->dry_run || !RETRY_EINTR(sys->rmdir(dir)) || errno == ENOENT)
		return true;
	warn_errno(c, "failed to remove", dir);
	return false;
}

/* Lines about what has been removed are added if the path itself stays. */
static bool clean_remove_path(struct clean *c, const char *path, struct strbuf *lines)
{
	struct strbuf below = STRBUF_INIT;
	bool gone = is_dir_name(path) ? remove_directory(c, path, &below) : remove_one_file(c, path);

	if (!gone)
		strbuf_addbuf(lines, &below);
	strbuf_release(&below);
	return gone;
}

static void remove_items(struct clean *c)
{
	struct strbuf lines = STRBUF_INIT;

	for (size_t i = 0; i < c->items.nr; i++) {
		const char *path = c->items.items[i].string;

		strbuf_reset(&lines);
		if (clean_remove_path(c, path, &lines))
			add_removed(c, &lines, path, true);
		fwrite(lines.buf, 1, lines.len, stdout);
	}
	strbuf_release(&lines);
}

/* ---- options ---- */

static void clean_parse_arguments(struct clean *c, int argc, const char **argv,
				  struct command_ctx *ctx)
{
	struct option opts[] = {
		OPT__QUIET(&c->quiet),
		OPT__DRY_RUN(&c->dry_run, "dry run"),
		OPT__FORCE(&c->force, "force"),
		OPT_BOOL('i', "interactive", &c->interactive, "interactive cleaning"),
		OPT_BOOL('d', NULL, &c->directories, "remove whole directories"),
		OPT_STRVEC('e', "exclude", &c->exclude, "pattern", "add <pattern> to ignore rules"),
		OPT_BOOL('x', NULL, &c->with_ignored, "remove ignored files, too"),
		OPT_BOOL('X', NULL, &c->only_ignored, "remove only ignored files"),
		OPT_END(),
	};
	bool require_force = true;
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (config_get_bool(ctx->repo->config, "clean.requireforce", &require_force, &err) < 0)
		die_err(&err);
	if (require_force && !c->force && !c->dry_run && !c->interactive)
		die("clean.requireForce is true and -f not given: refusing to clean");
	if (c->with_ignored && c->only_ignored)
		die("options '%s' and '%s' cannot be used together", "-x", "-X");
	if (argc)
		c->directories = 1;
	if (pathspec_parse(&c->ps, ctx->prefix, ctx->repo->worktree, argv, PATHSPEC_PREFER_CWD, &err) < 0)
		die_err(&err);
}

/* -x: only the patterns of -e. */
static int make_rules(struct clean *c, struct err *err)
{
	int rc = 0;

	c->rules = ignore_new_empty(c->repo, c->with_ignored ? NULL : ".gitignore");
	if (!c->with_ignored)
		rc = ignore_add_standard(c->rules, &c->ix, err);
	for (size_t i = 0; i < c->exclude.nr; i++)
		ignore_add_pattern(c->rules, c->exclude.v[i]);
	return rc;
}

static int run_clean(struct clean *c, struct err *err)
{
	struct ignore *none = ignore_new_empty(c->repo, NULL);
	struct converter *conv = NULL;
	int rc;

	if (!(rc = index_read_repo(&c->ix, c->repo, err)) && !(rc = make_rules(c, err)) &&
	    !(rc = converter_new(&conv, c->repo, &c->ix, ATTR_CHECKIN, err))) {
		c->ps.match_attr = attrs_match_spec;
		c->ps.match_attr_data = converter_attrs(conv);
		rc = worktree_walk_untracked(c->repo, &c->ix, none, &c->ps, UNTRACKED_NORMAL,
					     DIRWALK_EMPTY_DIRS | DIRWALK_REPORT_UNREADABLE,
					     plan_untracked, c, err);
	}
	if (!rc && c->interactive && c->items.nr)
		clean_interactive(c->repo, c->prefix, &c->items);
	if (!rc)
		remove_items(c);
	converter_free(conv);
	ignore_free(none);
	return rc;
}

int cmd_clean(int argc, const char **argv, struct command_ctx *ctx)
{
	struct clean c = { .repo = ctx->repo, .prefix = ctx->prefix, .exclude = STRVEC_INIT };
	struct err err = ERR_INIT;
	int rc;

	clean_parse_arguments(&c, argc, argv, ctx);
	index_init(&c.ix, ctx->repo->algo);
	rc = run_clean(&c, &err);
	if (rc < 0)
		rc = report_fatal(&err);
	ignore_free(c.rules);
	index_release(&c.ix);
	pathspec_release(&c.ps);
	string_list_clear(&c.items, NULL);
	strvec_clear(&c.exclude);
	if (finish_stdout() && !rc)
		rc = 128;
	return rc ? rc : c.failed;
}
