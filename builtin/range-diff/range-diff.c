/* SPDX-License-Identifier: GPL-2.0-only */
/* git-range-diff(1) */
#include "compat/posix.h"
#include "builtin/range-diff/range-diff.h"
#include "history/revision/revision.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git range-diff [<options>] <old-base>..<old-tip> <new-base>..<new-tip>",
	"git range-diff [<options>] <old-tip>...<new-tip>",
	"git range-diff [<options>] <base> <old-tip> <new-tip>",
	NULL
};

struct range_diff_command {
	struct range_diff_options o;
	struct repository *repo;
	bool force_color;
	struct strvec notes, merges; /* options for log */
	char *range1, *range2;
	size_t used; /* arguments that name the ranges */
};

static int notes_option(const struct option *opt, const char *arg, int unset)
{
	struct strvec *notes = opt->value;

	if (unset)
		strvec_push(notes, "--no-notes");
	else if (arg)
		strvec_pushf(notes, "--notes=%s", arg);
	else
		strvec_push(notes, "--notes");
	return 0;
}

static int diff_merges_option(const struct option *opt, const char *arg, int unset)
{
	if (unset)
		strvec_push(opt->value, "--no-diff-merges");
	else
		strvec_pushf(opt->value, "--diff-merges=%s", arg);
	return 0;
}

/* Git hands on the negation, too, which log does not know. */
static int remerge_option(const struct option *opt, const char *arg UNUSED, int unset)
{
	strvec_push(opt->value, unset ? "--no-remerge-diff" : "--remerge-diff");
	return 0;
}

/* The option asks for colours, too. */
static int dual_color_option(const struct option *opt, const char *arg UNUSED, int unset)
{
	struct range_diff_command *c = opt->value;

	c->o.dual_color = c->force_color = !unset;
	return 0;
}

static int max_memory_option(const struct option *opt, const char *arg, int unset)
{
	uint64_t *value = opt->value;

	if (unset)
		*value = RANGE_DIFF_MAX_MEMORY;
	else if (!parse_magnitude(arg, value))
		return error("invalid max-memory value: %s", arg);
	return 0;
}

/* ---- ranges ---- */

static bool is_excluded(const struct rev_walk *w, const struct object_id *oid)
{
	for (size_t i = 0; i < w->nr_starts; i++)
		if (w->starts[i].flags & REV_UNINTERESTING && oid_eq(&w->starts[i].oid, oid))
			return true;
	return false;
}

bool range_diff_is_range(struct repository *r, const char *arg)
{
	const char *argv[] = { "range-diff", arg, "--", NULL };
	struct rev_walk *w;
	struct err err = ERR_INIT;
	bool included = false, excluded = false;
	int rc;

	if (!strcmp(arg, "..")) /* a directory */
		return false;
	rc = rev_walk_new(&w, r, &err);
	if (!rc)
		rc = rev_walk_arguments(w, 3, argv, NULL, &err);
	if (rc < 0)
		die_err(&err);
	for (size_t i = 0; i < w->nr_starts; i++) {
		excluded |= (w->starts[i].flags & REV_UNINTERESTING) != 0;
		included |= !is_excluded(w, &w->starts[i].oid);
	}
	rev_walk_free(w);
	return included && excluded;
}

static bool is_commit(struct repository *r, const char *arg)
{
	struct object_id oid;

	return revparse_oid(r, arg, &oid, NULL) >= 0;
}

NORETURN static void refuse(const struct option *opts, const char *what, const char *arg)
{
	usage_msg_opt(xstrfmt("%s: '%s'", what, arg), usage, opts);
}

static void set_base(struct range_diff_command *c, const char **argv)
{
	c->range1 = xstrfmt("%s..%s", argv[0], argv[1]);
	c->range2 = xstrfmt("%s..%s", argv[0], argv[2]);
	c->used = 3;
}

static void set_ranges(struct range_diff_command *c, const char **argv)
{
	c->range1 = xstrdup(argv[0]);
	c->range2 = xstrdup(argv[1]);
	c->used = 2;
}

/* "ONE...TWO" */
static bool set_symmetric(struct range_diff_command *c, const char *arg)
{
	const char *dots = strstr(arg, "..."), *b;
	char *a;

	if (!dots)
		return false;
	a = dots > arg ? xstrndup(arg, dots - arg) : xstrdup("HEAD");
	b = dots[3] ? dots + 3 : "HEAD";
	c->range1 = xstrfmt("%s..%s", b, a);
	c->range2 = xstrfmt("%s..%s", a, b);
	c->used = 1;
	free(a);
	return true;
}

/* In front of "--" the number of arguments says which form it is. */
static void set_separated(struct range_diff_command *c, size_t nr, const char **argv, const struct option *opts)
{
	if (nr == 3) {
		for (int i = 0; i < 3; i++)
			if (!is_commit(c->repo, argv[i]))
				refuse(opts, "not a revision", argv[i]);
		set_base(c, argv);
	} else if (nr == 2) {
		for (int i = 0; i < 2; i++)
			if (!range_diff_is_range(c->repo, argv[i]))
				refuse(opts, "not a commit range", argv[i]);
		set_ranges(c, argv);
	} else if (nr == 1) {
		if (!set_symmetric(c, argv[0]))
			refuse(opts, "not a symmetric range", argv[0]);
	} else {
		usage_msg_opt("need two commit ranges", usage, opts);
	}
}

static void set_guessed(struct range_diff_command *c, size_t nr, const char **argv, const struct option *opts)
{
	if (nr > 1 && range_diff_is_range(c->repo, argv[0]) && range_diff_is_range(c->repo, argv[1]))
		set_ranges(c, argv);
	else if (nr > 2 && is_commit(c->repo, argv[0]) && is_commit(c->repo, argv[1]) && is_commit(c->repo, argv[2]))
		set_base(c, argv);
	else if (!nr || !set_symmetric(c, argv[0]))
		usage_msg_opt("need two commit ranges", usage, opts);
}

/* ---- options ---- */

/* What parse_options() left: options of diff are taken out. Returns the number of arguments. */
static int take_diff_options(struct range_diff_command *c, int argc, const char **argv, const struct option *opts)
{
	struct err err = ERR_INIT;
	int to = 0;

	for (int i = 0; i < argc;) {
		int used = 0;

		if (!strcmp(argv[i], "--")) {
			while (i < argc)
				argv[to++] = argv[i++];
			break;
		}
		if (!strcmp(argv[i], "--quiet")) {
			c->o.diff.formats = DIFF_FORMAT_NONE;
			used = 1;
		} else if (argv[i][0] == '-' && argv[i][1]) {
			used = diff_options_parse(&c->o.diff, argv + i, &err);
		}
		if (used < 0) {
			error("%s", err_message(&err));
			exit(129);
		}
		if (!used && argv[i][0] == '-' && argv[i][1]) {
			error(argv[i][1] == '-' ? "unknown option `%s'" : "unknown switch `%.1s'",
			      argv[i] + 1 + (argv[i][1] == '-'));
			usage_with_options(usage, opts);
		}
		if (used)
			i += used;
		else
			argv[to++] = argv[i++];
	}
	argv[to] = NULL;
	return to;
}

static void set_log_args(struct range_diff_command *c, const char **rest)
{
	struct strvec *args = &c->o.log_args;

	strvec_pushv(args, (const char **)c->notes.v);
	strvec_pushv(args, (const char **)c->merges.v);
	if (!c->merges.nr)
		strvec_push(args, "--no-merges");
	strvec_pushv(args, rest);
}

static void parse_command_line(struct range_diff_command *c, int argc, const char **argv)
{
	const struct option opts[] = {
		OPT_INTEGER(0, "creation-factor", &c->o.creation_factor, "percentage by which creation is weighted"),
		OPT_CALLBACK_F(0, "dual-color", c, NULL, "use dual colors", PARSE_OPT_NOARG, dual_color_option),
		OPT_CALLBACK_F(0, "notes", &c->notes, "notes", "passed to 'git log'", PARSE_OPT_OPTARG, notes_option),
		OPT_CALLBACK_F(0, "diff-merges", &c->merges, "style", "passed to 'git log'", 0, diff_merges_option),
		OPT_CALLBACK_F(0, "max-memory", &c->o.max_memory, "size", "maximum memory for cost matrix (default 4G)", 0,
			       max_memory_option),
		OPT_CALLBACK_F(0, "remerge-diff", &c->merges, NULL, "passed to 'git log'", PARSE_OPT_NOARG, remerge_option),
		OPT_BOOL(0, "left-only", &c->o.left_only, "only emit output related to the first range"),
		OPT_BOOL(0, "right-only", &c->o.right_only, "only emit output related to the second range"),
		OPT_END(),
	};
	int dashes = 0;

	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_KEEP_UNKNOWN | PARSE_OPT_KEEP_DASHDASH);
	argc = take_diff_options(c, argc, argv, opts);
	c->o.diff.color |= c->force_color;
	c->o.diff.reverse = false; /* as Git: -R changes nothing */
	while (dashes < argc && strcmp(argv[dashes], "--"))
		dashes++;
	if (dashes < argc)
		set_separated(c, (size_t)dashes, argv, opts);
	else
		set_guessed(c, (size_t)argc, argv, opts);
	set_log_args(c, argv + c->used);
}

static int run_range_diff(struct range_diff_command *c, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	const char *failed = NULL;
	int rc = diff_options_check(&c->o.diff, err);

	if (!rc && c->o.diff.output)
		rc = redirect_stdout(c->repo, c->o.diff.output, err);
	if (!rc && !c->o.diff.output)
		setup_pager(c->repo, "range-diff");
	if (!rc)
		rc = range_diff_run(&c->o, c->range1, c->range2, &out, &failed, err);
	if (!rc)
		rc = print_and_clear(NULL, &out, err);
	strbuf_release(&out);
	if (rc < 0 && failed) {
		report_fatal(err);
		error("could not parse log for '%s'", failed);
		exit(255);
	}
	return rc;
}

int cmd_range_diff(int argc, const char **argv, struct command_ctx *ctx)
{
	struct range_diff_command c = { .repo = ctx->repo, .notes = STRVEC_INIT, .merges = STRVEC_INIT };
	struct err err = ERR_INIT;
	int rc;

	if (!ctx->repo)
		parse_command_line(&c, argc, argv); /* -h, which ends here */
	rc = range_diff_init(&c.o, ctx->repo, &err);
	if (rc < 0)
		return report_fatal(&err);
	c.o.diff.color = want_color(ctx->repo, "color.diff", STDOUT_FILENO);
	parse_command_line(&c, argc, argv);
	if (c.o.left_only && c.o.right_only) {
		error("options '%s' and '%s' cannot be used together", "--left-only", "--right-only");
		exit(255);
	}
	rc = run_range_diff(&c, &err);
	free(c.range1);
	free(c.range2);
	strvec_clear(&c.notes);
	strvec_clear(&c.merges);
	range_diff_release(&c.o);
	return rc < 0 ? report_fatal(&err) : finish_stdout();
}
