/* SPDX-License-Identifier: GPL-2.0-only */
/* git-check-attr(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/path-args.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "attr/attr.h"

static const char *const usage[] = {
	"git check-attr [--source <tree-ish>] [-a | --all | <attr>...] [--] <pathname>...",
	"git check-attr --stdin [-z] [--source <tree-ish>] [-a | --all | <attr>...]",
	NULL
};

struct check_attr {
	int all, cached, from_stdin, nul;
	const char **names;
	size_t nr_names;
	const char *source;
	struct attrs *attrs;
	const char *prefix, *worktree;
	bool quote_path;
	char *place; /* for messages: the work tree or the repository */
};

static const char *value_text(const struct attr_value *v)
{
	switch (v->state) {
	case ATTR_SET:
		return "set";
	case ATTR_UNSET:
		return "unset";
	case ATTR_VALUE:
		return v->value;
	case ATTR_UNSPECIFIED:
		break;
	}
	return "unspecified";
}

static void check_attr_show(const struct check_attr *c, const char *path, const char *name,
			    const struct attr_value *v)
{
	struct strbuf quoted = STRBUF_INIT;

	if (c->nul) {
		printf("%s%c%s%c%s%c", path, 0, name, 0, value_text(v), 0);
		return;
	}
	quote_c_style(&quoted, path, strlen(path), c->quote_path);
	printf("%s: %s: %s\n", quoted.buf, name, value_text(v));
	strbuf_release(&quoted);
}

static void check_all(const struct check_attr *c, const char *shown, const char *path)
{
	struct strvec names = STRVEC_INIT;
	struct attr_value *values = NULL;

	attrs_get_all(c->attrs, path, &names, &values);
	for (size_t i = 0; i < names.nr; i++)
		check_attr_show(c, shown, names.v[i], &values[i]);
	strvec_clear(&names);
	free(values);
}

static void check_attr_check_path(void *data, const char *shown)
{
	const struct check_attr *c = data;
	const char *argv[] = { *shown ? shown : ".", NULL };
	struct pathspec ps = { 0 };
	struct attr_value *values;

	if (pathspec_parse(&ps, c->prefix, c->worktree, argv, PATHSPEC_LITERAL, NULL) < 0)
		die("'%s' is outside repository at '%s'", shown, c->place);
	if (c->all) {
		check_all(c, shown, ps.items[0].match);
	} else {
		ALLOC_ARRAY(values, c->nr_names);
		attrs_get(c->attrs, ps.items[0].match, c->names, c->nr_names, values);
		for (size_t i = 0; i < c->nr_names; i++)
			check_attr_show(c, shown, c->names[i], &values[i]);
		free(values);
	}
	pathspec_release(&ps);
}

NORETURN static void usage_error(const char *msg, const struct option *opts)
{
	error("%s", msg);
	usage_with_options(usage, opts);
}

/* "attr... -- path...", "attr path...", or with --all only paths. */
static int check_attr_split_arguments(struct check_attr *c, int argc, const char **argv,
				      const struct option *opts)
{
	int dashes = -1, nr;

	for (int i = 0; i < argc && dashes < 0; i++)
		if (!strcmp(argv[i], "--"))
			dashes = i;
	if (c->all)
		nr = dashes > 0 ? -1 : 0;
	else if (dashes >= 0)
		nr = dashes;
	else if (c->from_stdin)
		nr = argc;
	else
		nr = argc ? 1 : 0;
	if (nr < 0)
		usage_error("Attributes and --all both specified", opts);
	if (!c->all && !nr)
		usage_error("No attribute specified", opts);
	c->names = argv;
	c->nr_names = (size_t)nr;
	return dashes >= 0 ? dashes + 1 : nr;
}

static bool names_are_valid(const struct check_attr *c)
{
	for (size_t i = 0; i < c->nr_names; i++) {
		if (attr_name_is_valid(c->names[i], strlen(c->names[i])))
			continue;
		error("%s: not a valid attribute name", c->names[i]);
		return false;
	}
	return true;
}

/* The object of --source; if it is not a tree after all, no path has an attribute in it. */
static void use_source(const struct check_attr *c, struct repository *r)
{
	struct object_id oid, tree;
	struct err err = ERR_INIT;

	if (revparse_oid(r, c->source, &oid, &err) < 0)
		die("%s: not a valid tree-ish source", c->source);
	attrs_use_tree(c->attrs, revparse_tree(r, c->source, &tree, NULL) < 0 ? &oid : &tree);
}

int cmd_check_attr(int argc, const char **argv, struct command_ctx *ctx)
{
	struct check_attr c = { .prefix = ctx->prefix };
	struct option opts[] = {
		OPT_BOOL('a', "all", &c.all, "report all attributes set on file"),
		OPT_BOOL(0, "cached", &c.cached, "use .gitattributes only from the index"),
		OPT_BOOL(0, "stdin", &c.from_stdin, "read file names from stdin"),
		OPT_BOOL('z', NULL, &c.nul, "terminate input and output records by a NUL character"),
		OPT_STRING(0, "source", &c.source, "tree-ish", "which tree-ish to check attributes at"),
		OPT_END(),
	};
	struct index_state ix;
	struct err err = ERR_INIT;
	int first;

	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_KEEP_DASHDASH);
	first = check_attr_split_arguments(&c, argc, argv, opts);
	if (c.from_stdin && first < argc)
		usage_error("Can't specify files with --stdin", opts);
	if (!c.from_stdin && first >= argc)
		usage_error("No file specified", opts);
	if (!names_are_valid(&c))
		return 255;
	if (ctx->repo->worktree && repo_enter_worktree(ctx->repo, &err) < 0)
		die_err(&err);
	c.worktree = ctx->repo->worktree;
	c.quote_path = ctx->repo->settings.quote_path;
	c.place = path_absolute(c.worktree ? c.worktree : ctx->repo->gitdir);
	if (c.source)
		unsetenv("GIT_ATTR_SOURCE"); /* not even looked at */
	index_init(&ix, ctx->repo->algo);
	if (index_read_repo(&ix, ctx->repo, &err) < 0 ||
	    attrs_new(&c.attrs, ctx->repo, &ix, c.cached ? ATTR_INDEX : ATTR_CHECKIN, &err) < 0)
		die_err(&err);
	if (c.source)
		use_source(&c, ctx->repo);
	if (c.from_stdin)
		each_stdin_path(c.nul, check_attr_check_path, &c);
	for (int i = first; i < argc; i++)
		check_attr_check_path(&c, argv[i]);
	attrs_free(c.attrs);
	free(c.place);
	index_release(&ix);
	return finish_stdout();
}
