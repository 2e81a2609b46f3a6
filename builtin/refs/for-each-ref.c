/* SPDX-License-Identifier: GPL-2.0-only */
/* git-for-each-ref(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/ref-options.h"
#include "util/color.h"

static const char *const usage[] = {
	"git for-each-ref [<options>] [<pattern>]",
	"git for-each-ref [--points-at <object>]",
	"git for-each-ref [--merged [<commit>]] [--no-merged [<commit>]]",
	"git for-each-ref [--start-after <marker>]",
	"git for-each-ref [--contains [<commit>]] [--no-contains [<commit>]]",
	NULL
};

#define DEFAULT_FORMAT "%(objectname) %(objecttype)\t%(refname)"

struct for_each_ref {
	struct ref_options refs;
	const char *format;
	int count, ignore_case, omit_empty, root_refs, from_stdin;
	unsigned quote; /* one bit for each style */
	enum color_when color;
	struct strbuf out;
};

/* ---- options ---- */

static int for_each_ref_on_color(const struct option *opt, const char *arg, int unset)
{
	struct for_each_ref *c = opt->value;
	enum color_when when = unset ? COLOR_NEVER : arg ? color_when_parse(arg) : COLOR_ALWAYS;

	if (when == COLOR_UNSET)
		return error("option `color' expects \"always\", \"auto\", or \"never\"");
	c->color = when;
	return 0;
}

static enum reflist_quote quote_style(unsigned bits)
{
	for (unsigned style = REFLIST_QUOTE_SHELL; style <= REFLIST_QUOTE_TCL; style++)
		if (bits == 1u << style)
			return (enum reflist_quote)style;
	return REFLIST_QUOTE_NONE;
}

static void read_patterns(struct strvec *patterns)
{
	struct strbuf line = STRBUF_INIT;

	while (strbuf_getline(&line, stdin) >= 0)
		strvec_push(patterns, line.buf);
	strbuf_release(&line);
}

/* ---- output ---- */

#define FLUSH_BYTES (64 * 1024)

static int for_each_ref_show(void *data, struct strbuf *text)
{
	struct for_each_ref *c = data;

	if (c->omit_empty && !text->len)
		return 0;
	strbuf_addbuf(&c->out, text);
	strbuf_addch(&c->out, '\n');
	if (c->out.len >= FLUSH_BYTES) {
		fwrite(c->out.buf, 1, c->out.len, stdout);
		strbuf_reset(&c->out);
	}
	return 0;
}

static int for_each_ref_list(struct for_each_ref *c, struct reflist *l, struct err *err)
{
	int rc = reflist_each(l, &c->refs.filter, (size_t)c->count, for_each_ref_show, c, err);

	/* Refs formatted before a failure are shown. */
	fwrite(c->out.buf, 1, c->out.len, stdout);
	strbuf_release(&c->out);
	return rc;
}

static int for_each_ref_prepare(struct for_each_ref *c, struct reflist *l,
				const struct option *opts,
				struct err *err)
{
	int rc;

	l->quote = quote_style(c->quote);
	l->ignore_case = c->refs.filter.ignore_case = c->ignore_case;
	l->color = color_wanted(c->color, STDOUT_FILENO, pager_in_use());
	rc = reflist_set_format(l, c->format, err);
	if (rc == ERR_CORRUPT) {
		error("%s", err_message(err));
		usage_with_options(usage, opts);
	}
	return rc ? rc : ref_options_sort(&c->refs, l, NULL, err);
}

int cmd_for_each_ref(int argc, const char **argv, struct command_ctx *ctx)
{
	struct for_each_ref c = { .refs = REF_OPTIONS_INIT, .format = DEFAULT_FORMAT,
				  .color = COLOR_AUTO, .out = STRBUF_INIT };
	struct option options[] = {
		OPT_BIT('s', "shell", &c.quote, "quote placeholders suitably for shells",
			1u << REFLIST_QUOTE_SHELL),
		OPT_BIT('p', "perl", &c.quote, "quote placeholders suitably for perl",
			1u << REFLIST_QUOTE_PERL),
		OPT_BIT(0, "python", &c.quote, "quote placeholders suitably for python",
			1u << REFLIST_QUOTE_PYTHON),
		OPT_BIT(0, "tcl", &c.quote, "quote placeholders suitably for Tcl",
			1u << REFLIST_QUOTE_TCL),
		OPT_BOOL(0, "omit-empty", &c.omit_empty,
			 "do not output a newline after empty formatted refs"),
		OPT_GROUP(""),
		OPT_INTEGER(0, "count", &c.count, "show only <n> matched refs"),
		OPT_STRING(0, "format", &c.format, "format", "format to use for the output"),
		OPT_CALLBACK_F(0, "color", &c, "when", "respect format colors",
			       PARSE_OPT_OPTARG, for_each_ref_on_color),
		OPT_STRVEC(0, "exclude", &c.refs.filter.exclude, "pattern",
			   "exclude refs which match pattern"),
		REF_OPT_SORT(&c.refs),
		REF_OPT_POINTS_AT(&c.refs, "print only refs which points at the given object"),
		REF_OPT_MERGED(&c.refs, "print only refs that are merged"),
		REF_OPT_NO_MERGED(&c.refs, "print only refs that are not merged"),
		REF_OPT_CONTAINS(&c.refs),
		REF_OPT_NO_CONTAINS(&c.refs),
		OPT_BOOL(0, "ignore-case", &c.ignore_case,
			 "sorting and filtering are case insensitive"),
		OPT_BOOL(0, "stdin", &c.from_stdin, "read reference patterns from stdin"),
		OPT_STRING(0, "start-after", &c.refs.filter.start_after, "marker", "start iteration after the provided marker"),
		OPT_BOOL(0, "include-root-refs", &c.root_refs,
			 "also include HEAD ref and pseudorefs"),
		OPT_END()
	};
	struct err err = ERR_INIT;
	struct reflist *l;
	int rc;

	c.refs.repo = ctx->repo;
	argc = parse_options(argc, argv, options, usage, 0);
	if (c.count < 0) {
		error("invalid --count argument: `%d'", c.count);
		usage_with_options(usage, options);
	}
	if (c.quote && !quote_style(c.quote)) {
		error("more than one quoting style?");
		usage_with_options(usage, options);
	}
	if (c.refs.filter.start_after && c.refs.sort.nr)
		die("cannot use --start-after with custom sort options");
	if (c.refs.filter.start_after && (argc || c.from_stdin))
		die("cannot use --start-after with patterns");
	if (c.from_stdin && argc)
		die("unknown arguments supplied with --stdin");
	if (c.from_stdin)
		read_patterns(&c.refs.filter.patterns);
	strvec_pushv(&c.refs.filter.patterns, argv);
	if (c.root_refs)
		c.refs.filter.kinds |= REFLIST_ROOT;

	l = reflist_new(ctx->repo);
	rc = for_each_ref_prepare(&c, l, options, &err);
	if (!rc)
		rc = for_each_ref_list(&c, l, &err);
	reflist_free(l);
	ref_options_release(&c.refs);
	return rc < 0 ? report_fatal(&err) : finish_stdout();
}
