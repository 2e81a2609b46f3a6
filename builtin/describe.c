/* SPDX-License-Identifier: GPL-2.0-only */
/* git-describe(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "history/describe/describe.h"
#include "history/names/revparse.h"
#include "util/alloc.h"
#include "worktree/status.h"

static const char *const usage[] = {
	"git describe [--all] [--tags] [--contains] [--abbrev=<n>] [<commit-ish>...]",
	"git describe [--all] [--tags] [--contains] [--abbrev=<n>] --dirty[=<mark>]",
	"git describe <blob>",
	NULL
};

struct describe {
	struct repository *repo;
	struct describe_options options;
	struct strvec match, exclude;
	int contains, debug, all, tags, long_format, first_parent, always;
	const char *dirty, *broken;
	const char *suffix;
};

/* ---- the work tree ---- */

/* 1: HEAD, index and files differ; 0: they do not. */
static int compare_worktree(struct repository *r, struct err *err)
{
	struct status_options o = { .untracked = UNTRACKED_NO, .submodules = SUBMODULES_TRACKED };
	struct converter *conv = NULL;
	struct index_state ix;
	struct status s;
	int rc;

	status_init(&s);
	index_init(&ix, r->algo);
	rc = repo_enter_worktree(r, err);
	if (!rc)
		rc = index_read_repo(&ix, r, err);
	if (!rc)
		rc = converter_new(&conv, r, &ix, ATTR_CHECKIN, err);
	if (!rc)
		rc = status_collect(&s, r, &ix, conv, &o, err);
	if (rc >= 0) {
		index_update_if_able(&ix, r);
		rc = s.nr > 0;
	}
	converter_free(conv);
	index_release(&ix);
	status_release(&s);
	return rc;
}

static int find_suffix(struct describe *c, struct err *err)
{
	struct err local = ERR_INIT;
	int rc = compare_worktree(c->repo, &local);

	if (rc > 0) {
		c->suffix = c->dirty ? c->dirty : "-dirty"; /* --broken looks, too */
	} else if (rc < 0 && c->broken) {
		fprintf(stderr, "%s\n", err_message(&local));
		c->suffix = c->broken;
	} else if (rc < 0) {
		err_move(err, &local);
	}
	err_release(&local);
	return rc < 0 && !c->broken ? rc : 0;
}

/* ---- --contains: git name-rev ---- */

static int run_name_rev(struct describe *c, int argc, const char **argv, struct command_ctx *ctx)
{
	struct strvec args = STRVEC_INIT;
	const char **copy;
	size_t i;
	int rc;

	strvec_pushl(&args, "name-rev", "--peel-tag", "--name-only", "--no-undefined", NULL);
	if (c->always)
		strvec_push(&args, "--always");
	if (!c->all)
		strvec_push(&args, "--tags");
	for (i = 0; i < c->match.nr; i++) {
		strvec_pushf(&args, "--refs=refs/tags/%s", c->match.v[i]);
		if (c->all) {
			strvec_pushf(&args, "--refs=refs/heads/%s", c->match.v[i]);
			strvec_pushf(&args, "--refs=refs/remotes/%s", c->match.v[i]);
		}
	}
	for (i = 0; i < c->exclude.nr; i++) {
		strvec_pushf(&args, "--exclude=refs/tags/%s", c->exclude.v[i]);
		if (c->all) {
			strvec_pushf(&args, "--exclude=refs/heads/%s", c->exclude.v[i]);
			strvec_pushf(&args, "--exclude=refs/remotes/%s", c->exclude.v[i]);
		}
	}
	if (argc)
		strvec_pushv(&args, argv);
	else
		strvec_push(&args, "HEAD");
	copy = xmemdup(args.v, (args.nr + 1) * sizeof(*copy)); /* it reorders them */
	rc = cmd_name_rev((int)args.nr, copy, ctx);
	free(copy);
	strvec_clear(&args);
	return rc;
}

/* ---- objects ---- */

static int describe_object(struct describe *c, struct describer *d, struct commit_pool *pool,
			   const char *arg, struct strbuf *out, struct err *err)
{
	struct object_id oid, commit;
	enum object_type type;
	uint64_t size;
	struct commit *node;
	int rc;

	if (c->debug)
		fprintf(stderr, "describe %s\n", arg);
	if (revparse_oid(c->repo, arg, &oid, NULL) < 0)
		return err_set(err, ERR_NOT_FOUND, "Not a valid object name %s", arg);
	if (!object_peel(odb_source(c->repo->odb), &oid, OBJ_COMMIT, &commit, NULL, NULL)) {
		node = commit_lookup(pool, &commit);
		rc = commit_parse_node(pool, node, err);
		return rc < 0 ? rc : describe_commit(d, node, out, err);
	}
	if (!odb_type(c->repo->odb, &oid, &type, &size, NULL) && type == OBJ_BLOB)
		return describe_blob(d, &oid, out, err);
	return err_set(err, ERR_INVALID, "%s is neither a commit nor blob", arg);
}

static int describe_all(struct describe *c, struct describer *d, struct commit_pool *pool,
			int argc, const char **argv, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int rc = 0;

	if (!describer_nr_names(d) && !c->always)
		return err_set(err, ERR_NOT_FOUND, "No names found, cannot describe anything.");
	for (int i = 0; !rc && i < argc; i++) {
		strbuf_reset(&out);
		rc = describe_object(c, d, pool, argv[i], &out, err);
		if (!rc)
			printf("%s%s\n", out.buf, c->suffix ? c->suffix : "");
	}
	strbuf_release(&out);
	return rc;
}

static int describe_run(struct describe *c, int argc, const char **argv, struct err *err)
{
	static const char *head[] = { "HEAD", NULL };
	struct commit_pool *pool = NULL;
	struct describer *d = NULL;
	int rc = commit_pool_new(&pool, c->repo, err);

	if (!rc)
		rc = describer_new(&d, pool, c->repo, &c->options, err);
	if (!rc && !argc && (c->dirty || c->broken) &&
	    (describer_nr_names(d) || c->always))
		rc = find_suffix(c, err);
	if (!rc)
		rc = describe_all(c, d, pool, argc ? argc : 1, argc ? argv : head, err);
	describer_free(d);
	commit_pool_free(pool);
	return rc;
}

/* ---- the command ---- */

static void print_trace(void *data UNUSED, const char *line)
{
	fprintf(stderr, "%s\n", line);
}

static int on_abbrev(const struct option *opt, const char *arg, int unset)
{
	struct describe *c = opt->value;
	int hex_len = c->repo ? (int)c->repo->algo->hex_len : 40, n = c->options.abbrev;

	if (unset) {
		n = 0;
	} else if (!arg) {
		n = c->repo->settings.abbrev;
	} else {
		if (!parse_int_strict(arg, &n))
			return error("option `abbrev' expects a numerical value");
		if (n && n < 4)
			n = 4;
		if (n > hex_len)
			n = hex_len;
	}
	c->options.abbrev = n;
	return 0;
}

static void fill_options(struct describe *c)
{
	struct describe_options *o = &c->options;

	o->all = c->all;
	o->tags = c->tags;
	o->long_format = c->long_format;
	o->first_parent = c->first_parent;
	o->always = c->always;
	o->match = &c->match;
	o->exclude = &c->exclude;
	o->trace = c->debug ? print_trace : NULL;
	if (o->long_format && !o->abbrev)
		die("options '%s' and '%s' cannot be used together", "--long", "--abbrev=0");
}

#define OPT_MARK(name, var, dflt, h) \
	{ OPTION_STRING, 0, (name), OPT_VALUE(const char *, (var)), "mark", (h), PARSE_OPT_OPTARG, NULL, (intptr_t)(dflt) }

int cmd_describe(int argc, const char **argv, struct command_ctx *ctx)
{
	struct describe c = { .repo = ctx->repo, .match = STRVEC_INIT, .exclude = STRVEC_INIT };
	struct option opts[] = {
		OPT_BOOL(0, "contains", &c.contains, "find the tag that comes after the commit"),
		OPT_BOOL(0, "debug", &c.debug, "tell on stderr how the search goes"),
		OPT_BOOL(0, "all", &c.all, "use any ref"),
		OPT_BOOL(0, "tags", &c.tags, "use any tag, even lightweight ones"),
		OPT_BOOL(0, "long", &c.long_format, "always use the long format"),
		OPT_BOOL(0, "first-parent", &c.first_parent, "only follow first parents"),
		OPT_CALLBACK_F(0, "abbrev", &c, "n", "use <n> digits to display object names",
			       PARSE_OPT_OPTARG, on_abbrev),
		OPT_SET_INT(0, "exact-match", &c.options.candidates, "only output exact matches", 0),
		OPT_INTEGER(0, "candidates", &c.options.candidates,
			    "consider the <n> most recent tags (default: 10)"),
		OPT_STRVEC(0, "match", &c.match, "pattern", "only consider tags that match"),
		OPT_STRVEC(0, "exclude", &c.exclude, "pattern", "do not consider tags that match"),
		OPT_BOOL(0, "always", &c.always, "abbreviated object names as a fallback"),
		OPT_MARK("dirty", &c.dirty, "-dirty",
			 "append <mark> if the work tree has changes (default: \"-dirty\")"),
		OPT_MARK("broken", &c.broken, "-broken",
			 "append <mark> if that cannot be found out (default: \"-broken\")"),
		OPT_END()
	};
	struct err err = ERR_INIT;
	int rc;

	c.options.abbrev = ctx->repo ? ctx->repo->settings.abbrev : -1;
	c.options.candidates = DESCRIBE_CANDIDATES;
	argc = parse_options(argc, argv, opts, usage, 0);
	fill_options(&c);
	if (c.contains) {
		rc = run_name_rev(&c, argc, argv, ctx);
	} else {
		if (argc && (c.dirty || c.broken))
			die("option '%s' and commit-ishes cannot be used together",
			    c.broken ? "--broken" : "--dirty");
		rc = describe_run(&c, argc, argv, &err);
		if (rc < 0)
			rc = report_fatal(&err);
	}
	strvec_clear(&c.match);
	strvec_clear(&c.exclude);
	return rc ? rc : finish_stdout();
}
