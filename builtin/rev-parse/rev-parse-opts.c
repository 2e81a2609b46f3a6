/* SPDX-License-Identifier: GPL-2.0-only */
/* git rev-parse --parseopt and --sq-quote: for shell scripts. */
#include "compat/posix.h"
#include "builtin/rev-parse/rev-parse.h"
#include "util/alloc.h"
#include "util/quote.h"

static const char *const parseopt_usage[] = {
	"git rev-parse --parseopt [<options>] -- [<args>...]",
	NULL
};

/* ---- the specification, on standard input ---- */

struct spec {
	struct strvec usage;
	struct option *options;
	size_t nr, alloc;
	struct strbuf parsed; /* "set -- --foo …" */
	int stuck_long;
};

static char *next_line(struct strbuf *line)
{
	if (strbuf_getline(line, stdin) < 0)
		return NULL;
	return line->buf;
}

static void read_usage(struct spec *s)
{
	struct strbuf line = STRBUF_INIT;

	for (;;) {
		if (!next_line(&line))
			die("premature end of input");
		if (!strcmp(line.buf, "--"))
			break;
		strvec_push(&s->usage, line.buf);
	}
	strbuf_release(&line);
	if (!s->usage.nr)
		die("no usage string given before the `--' separator");
}

static void add_quoted(struct strbuf *out, const char *s)
{
	sq_quote(out, s);
}

/* Each option is written out again as it is met. */
static int on_option(const struct option *o, const char *arg, int unset)
{
	struct spec *s = o->value;

	if (unset)
		strbuf_addf(&s->parsed, " --no-%s", o->long_name);
	else if (o->short_name && (!o->long_name || !s->stuck_long))
		strbuf_addf(&s->parsed, " -%c", o->short_name);
	else
		strbuf_addf(&s->parsed, " --%s", o->long_name);
	if (arg) {
		if (!s->stuck_long)
			strbuf_addch(&s->parsed, ' ');
		else if (o->long_name)
			strbuf_addch(&s->parsed, '=');
		add_quoted(&s->parsed, arg);
	}
	return 0;
}

/* "x,long" */
static void parse_names(struct option *o, const char *text, size_t len)
{
	const char *comma = memchr(text, ',', len);

	if (len == 1) {
		o->short_name = *text;
	} else if (comma == text + 1) {
		o->short_name = *text;
		o->long_name = xstrndup(text + 2, len - 2);
	} else {
		o->long_name = xstrndup(text, len);
	}
}

/* Behind the names: flags, and the name of the value. */
static void parse_flags(struct option *o, const char *text, size_t len)
{
	for (; len && strchr("=?*!", *text); text++, len--) {
		switch (*text) {
		case '=':
			o->flags &= ~PARSE_OPT_NOARG;
			break;
		case '?':
			o->flags &= ~PARSE_OPT_NOARG;
			o->flags |= PARSE_OPT_OPTARG;
			break;
		case '*':
			o->flags |= PARSE_OPT_HIDDEN;
			break;
		default:
			o->flags |= PARSE_OPT_NONEG;
		}
	}
	if (len)
		o->argh = xstrndup(text, len);
}

static void parse_option_line(struct spec *s, const char *line)
{
	const char *end = strpbrk(line, " \t\n"), *help;
	struct option *o;
	size_t names;

	ALLOC_GROW(s->options, s->nr + 1, s->alloc);
	o = &s->options[s->nr++];
	memset(o, 0, sizeof(*o));
	if (!end || line == end) {
		o->type = OPTION_GROUP;
		o->help = xstrdup(line + strspn(line, " \t"));
		return;
	}
	o->type = OPTION_CALLBACK;
	o->flags = PARSE_OPT_NOARG;
	o->value = s;
	o->callback = on_option;
	help = end + strspn(end, " \t");
	o->help = xstrdup(help);
	names = strcspn(line, "*=?! \t");
	if (names > (size_t)(end - line))
		names = end - line;
	if (!names) { /* flags only: a name after all */
		parse_names(o, line, end - line);
		return;
	}
	parse_names(o, line, names);
	parse_flags(o, line + names, end - line - names);
}

static void read_options(struct spec *s)
{
	struct strbuf line = STRBUF_INIT;

	while (next_line(&line))
		if (*line.buf)
			parse_option_line(s, line.buf);
	strbuf_release(&line);
	ALLOC_GROW(s->options, s->nr + 1, s->alloc);
	memset(&s->options[s->nr], 0, sizeof(*s->options));
	s->options[s->nr].type = OPTION_END;
}

static void free_options(struct spec *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++) {
		free((char *)s->options[i].long_name);
		free((char *)s->options[i].argh);
		free((char *)s->options[i].help);
	}
	free(s->options);
}

int rev_parse_parseopt(int argc, const char **argv)
{
	struct spec s = { .usage = STRVEC_INIT, .parsed = STRBUF_INIT };
	int keep_dashdash = 0, stop = 0, i;
	struct option own[] = {
		OPT_BOOL(0, "keep-dashdash", &keep_dashdash, "keep the `--` passed as an arg"),
		OPT_BOOL(0, "stop-at-non-option", &stop,
			 "stop parsing after the first non-option argument"),
		OPT_BOOL(0, "stuck-long", &s.stuck_long, "output in stuck long form"),
		OPT_END()
	};

	argc = parse_options(argc, argv, own, parseopt_usage,
			     PARSE_OPT_KEEP_DASHDASH | PARSE_OPT_KEEP_ARGV0);
	if (argc < 2 || strcmp(argv[1], "--"))
		usage_with_options(parseopt_usage, own);
	read_usage(&s);
	read_options(&s);
	strbuf_addstr(&s.parsed, "set --");
	argc = parse_options(argc - 1, argv + 1, s.options, s.usage.v,
			     (keep_dashdash ? PARSE_OPT_KEEP_DASHDASH : 0) |
			     (stop ? PARSE_OPT_STOP_AT_NON_OPTION : 0) | PARSE_OPT_SHELL_EVAL);
	strbuf_addstr(&s.parsed, " --");
	for (i = 0; i < argc; i++) {
		strbuf_addch(&s.parsed, ' ');
		add_quoted(&s.parsed, argv[i + 1]);
	}
	puts(s.parsed.buf);
	strbuf_release(&s.parsed);
	strvec_clear(&s.usage);
	free_options(&s);
	return 0;
}

int rev_parse_sq_quote(int argc, const char **argv)
{
	struct strbuf out = STRBUF_INIT;

	if (argc)
		sq_quote_argv(&out, argv);
	puts(out.buf);
	strbuf_release(&out);
	return 0;
}
