/* SPDX-License-Identifier: GPL-2.0-only */
/* git-grep(1): options and configuration. */
#include "compat/posix.h"
#include "builtin/grep/grep-cmd.h"
#include "config/config.h"
#include "fs/file.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git grep [<options>] [-e] <pattern> [<rev>...] [[--] <path>...]",
	NULL
};

/* ---- patterns ---- */

static int add_pattern(const struct option *opt, const char *arg, int unset UNUSED)
{
	grep_words_add(opt->value, GREP_PATTERN, arg, strlen(arg), "-e option", 0);
	return 0;
}

static int add_operator(const struct option *opt, const char *arg UNUSED, int unset UNUSED)
{
	grep_words_add(opt->value, (enum grep_word_kind)opt->defval, NULL, 0, NULL, 0);
	return 0;
}

/* -f: each line that is not empty is a pattern. */
static int add_file(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct strbuf text = STRBUF_INIT;
	unsigned line = 0;
	size_t from = 0;
	int rc = !strcmp(arg, "-") ? read_fd(&text, 0, 0, "standard input", NULL) : read_file(&text, arg, 0, NULL);

	if (rc)
		die("cannot open '%s': %s", arg, strerror(errno));
	while (from < text.len) {
		const char *end = memchr(text.buf + from, '\n', text.len - from);
		size_t len = end ? (size_t)(end - text.buf) - from : text.len - from;
		size_t shown = len && text.buf[from + len - 1] == '\r' ? len - 1 : len;

		line++;
		if (shown)
			grep_words_add(opt->value, GREP_PATTERN, text.buf + from, shown, arg, line);
		from += len + 1;
	}
	strbuf_release(&text);
	return 0;
}

/* ---- numbers and modes ---- */

static int set_context(const struct option *opt, const char *arg, int unset)
{
	struct grep_format *f = opt->value;
	int lines = 0;

	if (!unset && !parse_int_strict(arg, &lines))
		return error("switch `C' expects a numerical value"), -1;
	f->before = f->after = lines < 0 ? 0 : lines;
	return 0;
}

static int set_color(const struct option *opt, const char *arg, int unset)
{
	enum color_when when = unset ? COLOR_NEVER : arg ? color_when_parse(arg) : COLOR_ALWAYS;

	if (when == COLOR_UNSET)
		return error("option `color' expects \"always\", \"auto\", or \"never\""), -1;
	*(int *)opt->value = when;
	return 0;
}

static int set_pager(const struct option *opt, const char *arg, int unset)
{
	struct grep_options *o = opt->value;

	o->open_in_pager = !unset;
	o->pager = arg;
	return 0;
}

static int set_recursive(const struct option *opt, const char *arg UNUSED, int unset)
{
	*(int *)opt->value = unset ? 0 : -1;
	return 0;
}

static int set_type(const struct option *opt, const char *arg UNUSED, int unset)
{
	struct grep_rules *r = opt->value;

	r->type = unset ? GREP_BASIC : (enum grep_type)opt->defval;
	return 0;
}

/* ---- configuration ---- */

static void get_bool(struct grep_cmd *c, const char *key, int *on)
{
	struct err err = ERR_INIT;
	bool value = *on;

	if (config_get_bool(command_config(c->r), key, &value, &err) < 0)
		die_err(&err);
	*on = value;
}

static void read_type(struct grep_cmd *c)
{
	static const char *const names[] = { "basic", "extended", "fixed", "perl" };
	const struct config_entry *e = config_get(command_config(c->r), "grep.patterntype");
	const char *name = e && e->value ? e->value : "default";
	int extended = false;
	size_t i = 0;

	get_bool(c, "grep.extendedregexp", &extended);
	while (i < ARRAY_SIZE(names) && strcmp(name, names[i]))
		i++;
	if (i < ARRAY_SIZE(names))
		c->o.rules.type = (enum grep_type)i;
	else if (strcmp(name, "default"))
		die("bad grep.patterntype argument: %s", name);
	else
		c->o.rules.type = extended ? GREP_EXTENDED : GREP_BASIC;
}

static void read_colors(struct grep_cmd *c)
{
	static const struct {
		enum grep_color part;
		const char *key, *standard;
	} colors[] = {
		{ GREP_COLOR_CONTEXT, "context", "" }, { GREP_COLOR_FILENAME, "filename", "magenta" },
		{ GREP_COLOR_FUNCTION, "function", "" }, { GREP_COLOR_LINE, "linenumber", "green" },
		{ GREP_COLOR_COLUMN, "column", "green" }, { GREP_COLOR_MATCH_CONTEXT, "match", "bold red" },
		{ GREP_COLOR_MATCH_SELECTED, "match", "bold red" }, { GREP_COLOR_SELECTED, "selected", "" },
		{ GREP_COLOR_SEPARATOR, "separator", "cyan" }, { GREP_COLOR_MATCH_CONTEXT, "matchcontext", NULL },
		{ GREP_COLOR_MATCH_SELECTED, "matchselected", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(colors); i++) {
		char *key = xstrfmt("color.grep.%s", colors[i].key);
		const struct config_entry *e = config_get(command_config(c->r), key);
		const char *value = e ? e->value : colors[i].standard;

		if (value && color_parse(value, c->o.format.colors[colors[i].part]) < 0)
			die("invalid color value: %s", value);
		free(key);
	}
}

static void read_config(struct grep_cmd *c)
{
	struct err err = ERR_INIT;
	int threads = 0;

	c->o.format.show_name = true;
	c->o.format.max_count = c->o.max_depth = c->o.exclude_standard = -1;
	get_bool(c, "grep.linenumber", &c->o.format.line_number);
	get_bool(c, "grep.column", &c->o.format.column);
	get_bool(c, "grep.fullname", &c->o.full_name);
	get_bool(c, "submodule.recurse", &c->o.recurse_submodules);
	if (config_get_int(command_config(c->r), "grep.threads", &threads, &err) < 0)
		die_err(&err);
	if (threads < 0)
		die("invalid number of threads specified (%d) for %s", threads, "grep.threads");
	c->o.threads = threads;
	read_type(c);
	read_colors(c);
}

/* ---- the command line ---- */

/* Is the next argument the value of this option? */
static bool takes_next(const char *arg)
{
	static const char *const names[] = { "--max-depth", "--context", "--before-context", "--after-context", "--threads", "--max-count" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(arg, names[i]))
			return true;
	if (arg[0] != '-' || arg[1] == '-' || !arg[1])
		return false;
	for (arg++; arg[1]; arg++)
		if (strchr("efCABmO", *arg)) /* the rest is its value */
			return false;
	return strchr("efCABm", *arg) != NULL;
}

/* Parentheses and -NUM in front of the first other argument are options. */
static void spell_out(struct grep_cmd *c, int argc, const char **argv)
{
	bool is_value = false, done = false;

	c->args = xcalloc((size_t)argc + 1, sizeof(*c->args));
	for (int i = 0; i < argc; i++) {
		const char *arg = argv[i];
		bool parenthesis = !strcmp(arg, "(") || !strcmp(arg, ")");

		done = done || (i && !is_value && !parenthesis && (arg[0] != '-' || !strcmp(arg, "--")));
		if (i && !done && !is_value && parenthesis)
			arg = *arg == '(' ? "--open-group" : "--close-group";
		else if (i && !done && !is_value && arg[0] == '-' && isdigit((unsigned char)arg[1]))
			arg = strvec_pushf(&c->spelled, "-C%s", arg + 1);
		is_value = i && !done && !is_value && takes_next(arg);
		c->args[i] = arg;
	}
}

static void check_combinations(struct grep_cmd *c)
{
	struct grep_options *o = &c->o;

	if (o->recurse_submodules && o->untracked)
		die("--untracked not supported with --recurse-submodules");
	if (o->no_index && o->untracked)
		die("options '%s' and '%s' cannot be used together", "--no-index", "--untracked");
	if ((o->no_index || o->untracked) && o->cached)
		die("options '%s' and '%s' cannot be used together", o->no_index ? "--no-index" : "--untracked", "--cached");
	if (!o->no_index && !o->untracked && o->exclude_standard >= 0)
		die("--[no-]exclude-standard cannot be used for tracked contents");
	if (o->threads < 0)
		die("invalid number of threads specified (%d)", o->threads);
}

static int take_pattern(struct grep_cmd *c, int argc, const char **argv)
{
	int used = 0;

	if (!c->o.words.nr && argc > 0 && !strcmp(argv[0], "--"))
		used++;
	if (!c->o.words.nr && argc > used) {
		grep_words_add(&c->o.words, GREP_PATTERN, argv[used], strlen(argv[used]), "command line", 0);
		used++;
	}
	if (!c->o.words.nr)
		die("no pattern given");
	return used;
}

#define OPERATOR(l, k, f) \
	{ OPTION_CALLBACK, 0, (l), &o->words, NULL, "combine patterns specified with -e", PARSE_OPT_NOARG | PARSE_OPT_NONEG | (f), add_operator, (k) }
#define TYPE(s, l, t, h) \
	{ OPTION_CALLBACK, (s), (l), &o->rules, NULL, (h), PARSE_OPT_NOARG, set_type, (t) }

int grep_parse_options(struct grep_cmd *c, int argc, const char **argv)
{
	struct grep_options *o = &c->o;
	struct grep_format *f = &o->format;
	int color = COLOR_UNSET, ignore_case = 0, words = 0, binary = GREP_BINARY_NOTE, ext = 0, show_name = 1, used;
	struct option opts[] = {
		OPT_BOOL(0, "cached", &o->cached, "search in index instead of in the work tree"),
		{ OPTION_SET_INT, 0, "no-index", &o->no_index, NULL, "find in contents not managed by git", PARSE_OPT_NONEG, NULL, 1 },
		{ OPTION_SET_INT, 0, "index", &o->no_index, NULL, "opposite of --no-index", PARSE_OPT_NONEG, NULL, 0 },
		OPT_BOOL(0, "untracked", &o->untracked, "search in both tracked and untracked files"),
		OPT_BOOL(0, "exclude-standard", &o->exclude_standard, "ignore files specified via '.gitignore'"),
		OPT_BOOL(0, "recurse-submodules", &o->recurse_submodules, "recursively search in each submodule"),
		OPT_GROUP(""),
		OPT_BOOL('v', "invert-match", &f->invert, "show non-matching lines"),
		OPT_BOOL('i', "ignore-case", &ignore_case, "case insensitive matching"),
		OPT_BOOL('w', "word-regexp", &words, "match patterns only at word boundaries"),
		{ OPTION_SET_INT, 'a', "text", &binary, NULL, "process binary files as text", 0, NULL, GREP_BINARY_TEXT },
		{ OPTION_SET_INT, 'I', NULL, &binary, NULL, "don't match patterns in binary files", PARSE_OPT_NONEG, NULL,
		  GREP_BINARY_SKIP },
		OPT_BOOL(0, "textconv", &o->textconv, "process binary files with textconv filters"),
		OPT_CALLBACK_F('r', "recursive", &o->max_depth, NULL, "search in subdirectories (default)", PARSE_OPT_NOARG, set_recursive),
		{ OPTION_INTEGER, 0, "max-depth", OPT_VALUE(int, &o->max_depth), "n", "descend at most <n> levels", PARSE_OPT_NONEG, NULL, 0 },
		OPT_GROUP(""),
		TYPE('E', "extended-regexp", GREP_EXTENDED, "use extended POSIX regular expressions"),
		TYPE('G', "basic-regexp", GREP_BASIC, "use basic POSIX regular expressions (default)"),
		TYPE('F', "fixed-strings", GREP_FIXED, "interpret patterns as fixed strings"),
		TYPE('P', "perl-regexp", GREP_PERL, "use Perl-compatible regular expressions"),
		OPT_GROUP(""),
		OPT_BOOL('n', "line-number", &f->line_number, "show line numbers"),
		OPT_BOOL(0, "column", &f->column, "show column number of first match"),
		{ OPTION_SET_INT, 'h', NULL, &show_name, NULL, "don't show filenames", PARSE_OPT_NONEG, NULL, 0 },
		{ OPTION_SET_INT, 'H', NULL, &show_name, NULL, "show filenames", PARSE_OPT_NONEG, NULL, 1 },
		OPT_BOOL(0, "full-name", &o->full_name, "show filenames relative to top directory"),
		OPT_BOOL('l', "files-with-matches", &f->names, "show only filenames instead of matching lines"),
		OPT_BOOL(0, "name-only", &f->names, "synonym for --files-with-matches"),
		OPT_BOOL('L', "files-without-match", &f->names_without, "show only the names of files without match"),
		OPT_BOOL('z', "null", &f->nul, "print NUL after filenames"),
		OPT_BOOL('o', "only-matching", &f->only_matching, "show only matching parts of a line"),
		OPT_BOOL('c', "count", &f->count, "show the number of matches instead of matching lines"),
		OPT_CALLBACK_F(0, "color", &color, "when", "highlight matches", PARSE_OPT_OPTARG, set_color),
		OPT_BOOL(0, "break", &f->blank_line, "print empty line between matches from different files"),
		OPT_BOOL(0, "heading", &f->heading, "show filename only once above matches from same file"),
		OPT_GROUP(""),
		OPT_CALLBACK('C', "context", f, "n", "show <n> context lines before and after matches", set_context),
		{ OPTION_INTEGER, 'B', "before-context", OPT_VALUE(int, &f->before), "n", "show <n> context lines before matches", PARSE_OPT_NONEG, NULL, 0 },
		{ OPTION_INTEGER, 'A', "after-context", OPT_VALUE(int, &f->after), "n", "show <n> context lines after matches", PARSE_OPT_NONEG, NULL, 0 },
		OPT_INTEGER(0, "threads", &o->threads, "use <n> worker threads"),
		OPT_BOOL('p', "show-function", &f->function_name, "show a line with the function name before matches"),
		OPT_BOOL('W', "function-context", &f->function_body, "show the surrounding function"),
		OPT_GROUP(""),
		OPT_CALLBACK_F('f', NULL, &o->words, "file", "read patterns from file", PARSE_OPT_NONEG, add_file),
		OPT_CALLBACK_F('e', NULL, &o->words, "pattern", "match <pattern>", PARSE_OPT_NONEG, add_pattern),
		OPERATOR("and", GREP_AND, 0),
		OPERATOR("or", GREP_OR, 0),
		OPERATOR("not", GREP_NOT, 0),
		OPERATOR("open-group", GREP_OPEN, PARSE_OPT_HIDDEN),
		OPERATOR("close-group", GREP_CLOSE, PARSE_OPT_HIDDEN),
		OPT_BOOL('q', "quiet", &f->quiet, "indicate hit with exit status without output"),
		OPT_BOOL(0, "all-match", &f->all_match, "show only matches from files that match all patterns"),
		OPT_GROUP(""),
		OPT_CALLBACK_F('O', "open-files-in-pager", o, "pager", "show matching files in the pager", PARSE_OPT_OPTARG, set_pager),
		OPT_BOOL(0, "ext-grep", &ext, "allow calling of grep(1) (ignored by this build)"),
		OPT_INTEGER('m', "max-count", &f->max_count, "maximum number of results per file"),
		OPT_END()
	};

	if (argc == 2 && !strcmp(argv[1], "-h"))
		usage_on_stdout(usage, opts);
	read_config(c);
	spell_out(c, argc, argv);
	argc = parse_options(argc, c->args, opts, usage, PARSE_OPT_KEEP_DASHDASH | PARSE_OPT_STOP_AT_NON_OPTION | PARSE_OPT_NO_INTERNAL_HELP);
	o->rules.ignore_case = ignore_case;
	o->rules.whole_words = words;
	f->show_name = show_name;
	f->only_matching &= !f->invert; /* such lines have no matches */
	f->binary = (enum grep_binary)binary;
	f->color = color == COLOR_UNSET ? want_color(c->r, "grep", STDOUT_FILENO) : color_wanted((enum color_when)color, STDOUT_FILENO, false);
	check_combinations(c);
	used = take_pattern(c, argc, c->args);
	c->rest = c->args + used;
	return argc - used;
}
