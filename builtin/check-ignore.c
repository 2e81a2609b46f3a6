/* SPDX-License-Identifier: GPL-2.0-only */
/* git-check-ignore(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/path-args.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/quote.h"
#include "worktree/worktree.h"

static const char *const usage[] = { "git check-ignore [<options>] <pathname>...",
				     "git check-ignore [<options>] --stdin", NULL };

struct check_ignore {
	struct repository *repo;
	int quiet, verbose, from_stdin, nul, non_matching, no_index;
	const char *prefix;
	struct index_state ix;
	struct ignore *ignore;
	const char *shown; /* the path, as it was given */
	size_t matched;
};

static void print_quoted(const struct check_ignore *c, const char *s, int end)
{
	struct strbuf q = STRBUF_INIT;

	quote_c_style(&q, s, strlen(s), c->repo->settings.quote_path);
	printf("%s%c", q.buf, end);
	strbuf_release(&q);
}

static void check_ignore_show(const struct check_ignore *c, const char *shown,
			      const struct ignore_pattern *p)
{
	if (c->quiet)
		return;
	if (c->nul) {
		if (c->verbose && p)
			printf("%s%c%d%c%s%c", p->source, 0, p->line, 0, p->text, 0);
		else if (c->verbose)
			printf("%c%c%c", 0, 0, 0);
		printf("%s%c", shown, 0);
		return;
	}
	if (c->verbose && p) {
		print_quoted(c, p->source, ':');
		printf("%d:%s\t", p->line, p->text);
	} else if (c->verbose) {
		printf("::\t");
	}
	print_quoted(c, shown, '\n');
}

/* A path that ends in '/' is compared with the patterns as it is, as in Git. */
static const struct ignore_pattern *find_pattern(struct check_ignore *c, const char *path)
{
	size_t len = strlen(path), bare = len && path[len - 1] == '/' ? len - 1 : len;
	const struct index_entry *sub = index_gitlink_above(&c->ix, path, bare);

	if (sub)
		die("Pathspec '%s' is in submodule '%s'", c->shown, sub->name);
	/* Tracked paths are not ignored, whatever the patterns say. */
	if (index_find(&c->ix, path, bare) || index_has_dir(&c->ix, path, bare))
		return NULL;
	return ignore_match(c->ignore, path, len, bare < len || (len && is_directory_nofollow(path)));
}

/* "d/", "d/." and "d/e/.." are compared as "d/", also with the patterns in d; the top of the work tree is "". */
static bool names_inside(const char *shown)
{
	const char *slash = strrchr(shown, '/'), *last = slash ? slash + 1 : shown;

	return !*last || !strcmp(last, ".") || !strcmp(last, "..");
}

static bool lacks_slash(const char *path)
{
	size_t len = strlen(path);

	return len && path[len - 1] != '/';
}

static void check_ignore_check_path(void *data, const char *shown)
{
	struct check_ignore *c = data;
	const char *argv[] = { shown, NULL };
	struct pathspec ps = { 0 };
	struct err err = ERR_INIT;
	const struct ignore_pattern *p;
	char *path;

	if (pathspec_parse(&ps, c->prefix, c->repo->worktree, argv, PATHSPEC_LITERAL, &err) < 0)
		die_err(&err);
	path = xconcat(ps.items[0].match, lacks_slash(ps.items[0].match) && names_inside(shown) ? "/" : "");
	if (worktree_leading_symlink(path, strlen(path)))
		die("pathspec '%s' is beyond a symbolic link", shown);
	c->shown = shown;
	p = find_pattern(c, path);
	if (p && !c->verbose && p->negated)
		p = NULL;
	if (p || c->non_matching)
		check_ignore_show(c, shown, p);
	c->matched += p != NULL;
	free(path);
	pathspec_release(&ps);
}

static void check_ignore_check_options(const struct check_ignore *c, int argc)
{
	if (c->from_stdin && argc)
		die("cannot specify pathnames with --stdin");
	if (!c->from_stdin && c->nul)
		die("-z only makes sense with --stdin");
	if (!c->from_stdin && !argc)
		die("no path specified");
	if (c->quiet && argc > 1)
		die("--quiet is only valid with a single pathname");
	if (c->quiet && c->verbose)
		die("cannot have both --quiet and --verbose");
	if (c->non_matching && !c->verbose)
		die("--non-matching is only valid with --verbose");
}

int cmd_check_ignore(int argc, const char **argv, struct command_ctx *ctx)
{
	struct check_ignore c = { .repo = ctx->repo, .prefix = ctx->prefix };
	struct option opts[] = {
		OPT_BOOL('q', "quiet", &c.quiet, "suppress progress reporting"),
		OPT__VERBOSE(&c.verbose),
		OPT_GROUP(""),
		OPT_BOOL(0, "stdin", &c.from_stdin, "read file names from stdin"),
		OPT_BOOL('z', NULL, &c.nul, "terminate input and output records by a NUL character"),
		OPT_BOOL('n', "non-matching", &c.non_matching, "show non-matching input paths"),
		OPT_BOOL(0, "no-index", &c.no_index, "ignore index when checking"),
		OPT_END(),
	};
	struct err err = ERR_INIT;
	int rc;

	argc = parse_options(argc, argv, opts, usage, 0);
	check_ignore_check_options(&c, argc);
	index_init(&c.ix, ctx->repo->algo);
	if ((!c.no_index && index_read_repo(&c.ix, ctx->repo, &err) < 0) ||
	    ignore_new(&c.ignore, ctx->repo, &c.ix, &err) < 0)
		die_err(&err);
	if (c.from_stdin)
		each_stdin_path(c.nul, check_ignore_check_path, &c);
	for (int i = 0; i < argc; i++)
		check_ignore_check_path(&c, argv[i]);
	ignore_free(c.ignore);
	index_release(&c.ix);
	rc = finish_stdout();
	return rc ? rc : !c.matched;
}
