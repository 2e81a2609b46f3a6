/* SPDX-License-Identifier: GPL-2.0-only */
/* git-shortlog(1) */
#include "compat/posix.h"
#include "builtin/log/log.h"
#include "history/names/revparse.h"
#include "pretty/shortlog.h"

static const char *const usage[] = {
	"git shortlog [<options>] [<revision-range>] [[--] <path>...]",
	"git log --pretty=short | git shortlog [<options>]",
	NULL
};

/* ---- options ---- */

/* A number up to a comma or the end at *s; an empty one stays as it was. */
static bool parse_number(const char **s, int *out)
{
	size_t len = strcspn(*s, ",");
	char *end;
	unsigned long n = strtoul(*s, &end, 10);

	if (end != *s + len || n > INT_MAX || **s == '-')
		return false;
	if (len)
		*out = (int)n;
	*s += len;
	if (**s)
		++*s;
	return true;
}

static int on_wrap(const struct option *opt, const char *arg, int unset)
{
	struct shortlog_options *o = opt->value;
	int *const numbers[] = { &o->width, &o->indent1, &o->indent2 };
	bool ok = true;

	o->wrap = !unset;
	o->width = 76;
	o->indent1 = 6;
	o->indent2 = 9;
	for (size_t i = 0; arg && ok && *arg && i < ARRAY_SIZE(numbers); i++)
		ok = parse_number(&arg, numbers[i]);
	if (!ok || (arg && *arg) || (o->width && (o->width <= o->indent1 || o->width <= o->indent2)))
		return error("-w[<width>[,<indent1>[,<indent2>]]]");
	return 0;
}

static int on_group(const struct option *opt, const char *arg, int unset)
{
	struct shortlog_options *o = opt->value;
	const char *rest;

	if (unset) {
		o->people = 0;
		strvec_clear(&o->trailers);
		strvec_clear(&o->formats);
	} else if (!strcasecmp(arg, "author")) {
		o->people |= SHORTLOG_AUTHOR;
	} else if (!strcasecmp(arg, "committer")) {
		o->people |= SHORTLOG_COMMITTER;
	} else if (skip_prefix(arg, "trailer:", &rest)) {
		strvec_push(&o->trailers, rest);
	} else if (skip_prefix(arg, "format:", &rest)) {
		strvec_push(&o->formats, rest);
	} else if (strchr(arg, '%')) {
		strvec_push(&o->formats, arg);
	} else {
		return error("unknown group type: %s", arg);
	}
	return 0;
}

/* ---- where commits come from ---- */

static void read_text(struct shortlog *s)
{
	struct strbuf line = STRBUF_INIT;

	if (isatty(STDIN_FILENO))
		fprintf(stderr, "(reading log message from standard input)\n");
	while (strbuf_getline_lf(&line, stdin) >= 0)
		shortlog_add_line(s, line.buf);
	shortlog_add_line(s, NULL);
	strbuf_release(&line);
}

static int walk(struct shortlog *s, struct rev_walk *w, struct err *err)
{
	struct commit *c;
	int rc = rev_walk_begin(w, err);

	while (!rc && (rc = rev_walk_next(w, &c, err)) > 0) {
		rc = shortlog_add_commit(s, w->pool, c, err);
		commit_release_buffer(c);
	}
	return rc;
}

/* Adds HEAD if stdin is a terminal; else a log is read from stdin. */
static void add_default(struct repository *r, struct rev_walk *w)
{
	struct object_id head;

	w->default_rev = NULL;
	if (!w->nr_starts && isatty(STDIN_FILENO) && !revparse_oid(r, "HEAD", &head, NULL))
		rev_walk_add_commit(w, &head, "HEAD", 0);
}

static int run_text(struct repository *r, const struct shortlog_options *o, struct err *err)
{
	static const char *const multiple =
		"using multiple --group options with stdin is not supported";
	const char *what = o->formats.nr ? "using --group=format with stdin is not supported" :
					   "using --group=trailer with stdin is not supported";
	struct strbuf out = STRBUF_INIT;
	struct shortlog *s;
	int rc;
	bool both = o->people == (SHORTLOG_AUTHOR | SHORTLOG_COMMITTER);

	if (both + !!o->people + !!o->trailers.nr + !!o->formats.nr > 1)
		what = multiple;
	if (both || o->trailers.nr || o->formats.nr)
		return err_set(err, ERR_INVALID, "%s", what);
	rc = shortlog_new(&s, r, o, err);
	if (rc < 0)
		return rc;
	read_text(s);
	shortlog_format(s, &out);
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	shortlog_free(s);
	return 0;
}

static int run_walk(struct repository *r, struct shortlog_options *o, struct log_options *log,
		    struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	struct shortlog *s = NULL;
	int rc;

	if (!log->format_given)
		log->pretty.kind = PRETTY_MEDIUM; /* format.pretty is for log */
	log->pretty.walk = log->walk;
	o->style = &log->pretty;
	rc = shortlog_new(&s, r, o, err);
	if (!rc)
		rc = walk(s, log->walk, err);
	if (!rc) {
		shortlog_format(s, &out);
		fwrite(out.buf, 1, out.len, stdout);
	}
	strbuf_release(&out);
	shortlog_free(s);
	return rc;
}

/* ---- the command ---- */

static NORETURN void unknown_option(const char *option, const struct option *opts)
{
	error("unknown option `%s'", option);
	usage_with_options(usage, opts);
}

/* Walks take revisions from stdin; shortlog has a log there. */
static void refuse_stdin(const char *const *argv, const struct option *opts)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, "--stdin"))
			unknown_option(*argv, opts);
}

static int shortlog_run(struct repository *r, struct shortlog_options *o, int argc,
			const char **argv,
			const struct option *opts, struct err *err)
{
	struct log_options log;
	const char *option;
	int rc = log_options_init(&log, r, err);

	log.format_given = false;
	log.walk_only = true;
	if (!rc)
		rc = log_options_parse(&log, argc, argv, err);
	if (rc == ERR_INVALID && skip_prefix(err_message(err), "unrecognized argument: ", &option))
		unknown_option(option, opts);
	if (!rc) {
		add_default(r, log.walk);
		rc = log.walk->nr_starts ? run_walk(r, o, &log, err) : run_text(r, o, err);
	}
	log_options_release(&log);
	return rc;
}

int cmd_shortlog(int argc, const char **argv, struct command_ctx *ctx)
{
	struct shortlog_options o = SHORTLOG_OPTIONS_INIT;
	int numbered = 0, summary = 0, email = 0;
	struct option opts[] = {
		OPT_BIT('c', "committer", &o.people, "group by committer, not by author",
			SHORTLOG_COMMITTER),
		OPT_BOOL('n', "numbered", &numbered, "sort by the number of commits"),
		OPT_BOOL('s', "summary", &summary, "only count the commits"),
		OPT_BOOL('e', "email", &email, "show mail addresses"),
		OPT_CALLBACK_F('w', NULL, &o, "<w>[,<i1>[,<i2>]]", "wrap lines",
			       PARSE_OPT_OPTARG, on_wrap),
		OPT_CALLBACK(0, "group", &o, "field", "group by this", on_group),
		OPT_END()
	};
	struct err err = ERR_INIT;
	int rc;

	argc = parse_options(argc, argv, opts, usage,
			     PARSE_OPT_KEEP_UNKNOWN | PARSE_OPT_KEEP_DASHDASH | PARSE_OPT_KEEP_ARGV0);
	o.numbered = numbered;
	o.summary = summary;
	o.email = email;
	if (!o.people && !o.trailers.nr && !o.formats.nr)
		o.people = SHORTLOG_AUTHOR;
	refuse_stdin(argv, opts);
	if (!ctx->repo && argc > 1) {
		error("too many arguments given outside repository");
		usage_with_options(usage, opts);
	}
	rc = ctx->repo ? shortlog_run(ctx->repo, &o, argc, argv, opts, &err) : run_text(NULL, &o,
											&err);
	shortlog_options_release(&o);
	return rc < 0 ? report_fatal(&err) : finish_stdout();
}
