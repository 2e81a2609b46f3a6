/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/err.h"
#include "util/parse-options.h"
#include "util/strbuf.h"

#define USAGE_EXIT 129

/* ---- numbers ---- */

bool parse_int_strict(const char *s, int *out)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(s, &end, 10);
	if (end == s || *end || errno || v < INT_MIN || v > INT_MAX)
		return false;
	*out = (int)v;
	return true;
}

/* The unit that a suffix names; 0 if the text is no suffix. */
static uint64_t number_unit(const char *end)
{
	if (*end && end[1])
		return 0;
	switch (*end) {
	case '\0':
		return 1;
	case 'k': case 'K':
		return UINT64_C(1) << 10;
	case 'm': case 'M':
		return UINT64_C(1) << 20;
	case 'g': case 'G':
		return UINT64_C(1) << 30;
	default:
		return 0;
	}
}

enum number_result parse_integer(const char *s, int64_t low, int64_t high, int64_t *out)
{
	uint64_t unit;
	char *end;
	intmax_t v;

	errno = 0;
	v = strtoimax(s, &end, 0);
	if (errno == ERANGE)
		return NUMBER_OUT_OF_RANGE;
	unit = number_unit(end);
	if (end == s || !unit)
		return NUMBER_MALFORMED;
	if (__builtin_mul_overflow(v, (int64_t)unit, &v) || v < low || v > high)
		return NUMBER_OUT_OF_RANGE;
	*out = v;
	return NUMBER_OK;
}

static enum number_result parse_unsigned(const char *s, uint64_t high, uint64_t *out)
{
	uint64_t v, unit;
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	if (!isdigit((unsigned char)*s) && *s != '+')
		return NUMBER_MALFORMED;
	errno = 0;
	v = strtoull(s, &end, 0);
	if (errno == ERANGE)
		return NUMBER_OUT_OF_RANGE;
	unit = number_unit(end);
	if (end == s || !unit)
		return NUMBER_MALFORMED;
	if (__builtin_mul_overflow(v, unit, &v) || v > high)
		return NUMBER_OUT_OF_RANGE;
	*out = v;
	return NUMBER_OK;
}

bool parse_magnitude(const char *s, uint64_t *out)
{
	return parse_unsigned(s, UINT64_MAX, out) == NUMBER_OK;
}

/* ---- usage ---- */

#define HELP_COLUMN 26

static void usage_lines(FILE *fp, const char *const usage[])
{
	const char *prefix = "usage: ";

	for (; *usage && **usage; usage++, prefix = "   or: ") {
		const char *line = *usage;

		fputs(prefix, fp);
		for (; *line; line++) {
			fputc(*line, fp);
			if (*line == '\n') /* align under the first line */
				fputs("       ", fp);
		}
		fputc('\n', fp);
	}
	for (; *usage; usage++) /* after an empty string: plain text */
		fprintf(fp, "%s%s\n", **usage ? "    " : "", *usage);
}

static bool requires_value(const struct option *o)
{
	switch (o->type) {
	case OPTION_INTEGER:
	case OPTION_MAGNITUDE:
	case OPTION_STRING:
	case OPTION_STRVEC:
		return true;
	case OPTION_CALLBACK:
		return !(o->flags & PARSE_OPT_NOARG);
	default:
		return false;
	}
}

static void add_value_name(struct strbuf *line, const struct option *o)
{
	const char *name = o->argh ? o->argh : "...";
	bool literal = strpbrk(name, "()<>[]|") != NULL || !o->argh;

	if (o->flags & PARSE_OPT_OPTARG) {
		strbuf_addstr(line, o->long_name ? "[=" : "[");
		strbuf_addf(line, literal ? "%s]" : "<%s>]", name);
	} else {
		strbuf_addf(line, literal ? " %s" : " <%s>", name);
	}
}

static void usage_option(FILE *fp, const struct option *o)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addstr(&line, "    ");
	if (o->short_name)
		strbuf_addf(&line, "-%c", o->short_name);
	if (o->short_name && o->long_name)
		strbuf_addstr(&line, ", ");
	if (o->long_name)
		strbuf_addf(&line, "--%s", o->long_name);
	if (requires_value(o))
		add_value_name(&line, o);
	if (line.len > HELP_COLUMN - 2) {
		fprintf(fp, "%s\n", line.buf);
		strbuf_reset(&line);
	}
	fprintf(fp, "%-*s%s\n", HELP_COLUMN, line.buf, o->help ? o->help : "");
	strbuf_release(&line);
}

static void show_usage(FILE *fp, const char *const usage[], const struct option *opts,
		       bool hidden_too)
{
	bool need_newline = true;

	usage_lines(fp, usage);
	for (; opts && opts->type != OPTION_END; opts++) {
		if (opts->type == OPTION_GROUP) {
			fputc('\n', fp);
			need_newline = false;
			if (opts->help && *opts->help)
				fprintf(fp, "%s\n", opts->help);
			continue;
		}
		if (opts->flags & PARSE_OPT_HIDDEN && !hidden_too)
			continue;
		if (need_newline) {
			fputc('\n', fp);
			need_newline = false;
		}
		usage_option(fp, opts);
	}
	fputc('\n', fp);
}

void usage_with_options(const char *const usage[], const struct option *opts)
{
	show_usage(stderr, usage, opts, false);
	exit(USAGE_EXIT);
}

void usage_on_stdout(const char *const usage[], const struct option *opts)
{
	show_usage(stdout, usage, opts, false);
	exit(USAGE_EXIT);
}

void usage_msg_opt(const char *msg, const char *const usage[], const struct option *opts)
{
	fprintf(stderr, "fatal: %s\n\n", msg);
	usage_with_options(usage, opts);
}

/* ---- one option ---- */

#define MODE_MAXLEN 64

struct parser {
	char mode[MODE_MAXLEN]; /* the option that has set the mode of the command */
	const char **argv; /* arguments that are not parsed yet */
	int argc;
	const char *rest; /* of a bundle of short options; else NULL */
	const struct option *opts;
	const char *const *usage;
	unsigned flags;
};

/* For messages, as the user typed it: "switch `x'", "option `foo'", "option `no-foo'". */
static const char *option_name(const struct option *o, bool is_short, bool unset)
{
	static char buf[128];

	if (is_short)
		snprintf(buf, sizeof(buf), "switch `%c'", o->short_name);
	else
		snprintf(buf, sizeof(buf), "option `%s%s'", unset ? "no-" : "",
			 o->long_name);
	return buf;
}

static NORETURN void option_error(const struct option *o, bool is_short, bool unset,
				  const char *what)
{
	fprintf(stderr, "error: %s %s\n", option_name(o, is_short, unset), what);
	exit(USAGE_EXIT);
}

/* As the user typed it: "-x" or "--foo". */
static void copy_typed(char *buf, size_t len, const struct option *o, bool is_short)
{
	if (is_short)
		snprintf(buf, len, "-%c", o->short_name);
	else
		snprintf(buf, len, "--%s", o->long_name);
}

static void set_cmdmode(struct parser *ps, const struct option *o, bool is_short)
{
	int *mode = o->value;
	char typed[MODE_MAXLEN];

	copy_typed(typed, sizeof(typed), o, is_short);
	if (*mode && *mode != (int)o->defval) {
		fprintf(stderr, "error: options '%s' and '%s' cannot be used together\n", typed, ps->mode);
		exit(USAGE_EXIT);
	}
	*mode = (int)o->defval;
	memcpy(ps->mode, typed, sizeof(typed));
}

static void set_string(const struct option *o, const char *arg, bool unset)
{
	const char **s = o->value;

	if (unset)
		*s = NULL;
	else
		*s = arg ? arg : (const char *)o->defval;
}

static void append_string(const struct option *o, const char *arg, bool unset)
{
	if (!arg && !unset)
		arg = (const char *)o->defval;
	if (unset)
		strvec_clear(o->value);
	else if (arg)
		strvec_push(o->value, arg);
}

/* `range`: the lowest and the highest value, as text. */
static NORETURN void number_error(const struct option *o, const char *arg, enum number_result why,
				  const char *range, bool is_short, bool unset)
{
	if (!*arg)
		option_error(o, is_short, unset, "expects a numerical value");
	if (why == NUMBER_MALFORMED && o->type == OPTION_MAGNITUDE)
		option_error(o, is_short, unset,
			     "expects a non-negative integer value with an optional k/m/g suffix");
	if (why == NUMBER_MALFORMED)
		option_error(o, is_short, unset, "expects an integer value with an optional k/m/g suffix");
	fprintf(stderr, "error: value %s for %s not in range [%s]\n", arg,
		option_name(o, is_short, unset), range);
	exit(USAGE_EXIT);
}

static void set_magnitude(const struct option *o, const char *arg, bool is_short, bool unset)
{
	enum number_result why = NUMBER_OK;
	uint64_t v = (uint64_t)o->defval;
	char range[32];

	if (arg)
		why = parse_unsigned(arg, ULONG_MAX, &v);
	snprintf(range, sizeof(range), "0,%lu", ULONG_MAX);
	if (why != NUMBER_OK)
		number_error(o, arg, why, range, is_short, unset);
	*(unsigned long *)o->value = (unsigned long)v;
}

static void set_integer(const struct option *o, const char *arg, bool is_short, bool unset)
{
	enum number_result why = NUMBER_OK;
	int64_t v = unset ? 0 : (int)o->defval;

	if (arg)
		why = parse_integer(arg, INT_MIN, INT_MAX, &v);
	if (why != NUMBER_OK)
		number_error(o, arg, why, "-2147483648,2147483647", is_short, unset);
	*(int *)o->value = (int)v;
}

/* arg: NULL if there is none (unset, an option without a value, optional and absent). */
static void set_value(struct parser *ps, const struct option *o, const char *arg,
		      bool is_short, bool unset)
{
	int *i = o->value;
	unsigned *bits = o->value;

	switch (o->type) {
	case OPTION_BOOL:
		*i = !unset;
		break;
	case OPTION_COUNTUP:
		if (*i < 0)
			*i = 0; /* -1: not given so far */
		*i = unset ? 0 : *i + 1;
		break;
	case OPTION_SET_INT:
		*i = unset ? 0 : (int)o->defval;
		break;
	case OPTION_BIT:
		if (unset)
			*bits &= ~(unsigned)o->defval;
		else
			*bits |= (unsigned)o->defval;
		break;
	case OPTION_CMDMODE:
		set_cmdmode(ps, o, is_short);
		break;
	case OPTION_STRING:
		set_string(o, arg, unset);
		break;
	case OPTION_STRVEC:
		append_string(o, arg, unset);
		break;
	case OPTION_INTEGER:
		set_integer(o, arg, is_short, unset);
		break;
	case OPTION_MAGNITUDE:
		set_magnitude(o, arg, is_short, unset);
		break;
	case OPTION_CALLBACK:
		if (o->callback(o, arg, unset) < 0)
			exit(USAGE_EXIT);
		break;
	case OPTION_END:
	case OPTION_GROUP:
		BUG("option without a type");
	}
}

/*
 * Find the option's value and store it. `attached`: the text after '=' or directly after the
 * letter, NULL if there is none.
 */
static void apply_option(struct parser *ps, const struct option *o, const char *attached,
			 bool is_short, bool unset)
{
	bool wants = requires_value(o) && !unset;

	if (attached && !wants)
		option_error(o, is_short, unset, "takes no value");
	if (wants && !attached && !(o->flags & PARSE_OPT_OPTARG)) {
		if (ps->argc) {
			attached = *ps->argv++;
			ps->argc--;
		} else if (o->flags & PARSE_OPT_LASTARG_DEFAULT) {
			attached = (const char *)o->defval;
		} else {
			option_error(o, is_short, unset, "requires a value");
		}
	}
	set_value(ps, o, attached, is_short, unset);
}

/* ---- long ---- */

struct found {
	const struct option *opt;
	bool unset;
};

/* 2: `name` of len bytes is `full`, 1: an abbreviation of it, 0: neither. */
static int match_name(const char *name, size_t len, const char *full)
{
	if (strncmp(name, full, len))
		return 0;
	return full[len] ? 1 : 2;
}

/* How well `name` matches this option (as above), and whether it is the negated form. */
static int match_long(const struct option *o, const char *name, size_t len, bool *unset)
{
	bool negatable = !(o->flags & PARSE_OPT_NONEG);
	const char *positive;
	int fit = match_name(name, len, o->long_name);

	*unset = false;
	if (fit || !negatable)
		return fit;
	*unset = true;
	if (skip_prefix(o->long_name, "no-", &positive)) {
		fit = match_name(name, len, positive); /* --verify for --no-verify */
		if (fit)
			return fit;
	}
	if (len > 3 && !strncmp(name, "no-", 3))
		return match_name(name + 3, len - 3, o->long_name);
	return len && len <= 3 && !strncmp(name, "no-", len);
}

static NORETURN void show_usage_on_stdout(const struct parser *ps, bool hidden_too)
{
	bool eval = ps->flags & PARSE_OPT_SHELL_EVAL;

	if (eval)
		puts("cat <<\\EOF");
	show_usage(stdout, ps->usage, ps->opts, hidden_too);
	if (eval)
		puts("EOF");
	exit(USAGE_EXIT);
}

static NORETURN void ambiguous_option(const struct parser *ps, const char *arg,
				      const struct found *a, const struct found *b)
{
	fprintf(stderr, "error: ambiguous option: %s (could be --%s%s or --%s%s)\n", arg,
		a->unset ? "no-" : "", a->opt->long_name, b->unset ? "no-" : "",
		b->opt->long_name);
	show_usage_on_stdout(ps, false);
}

/* arg: without the "--". False if there is no such option. */
static bool parse_long(struct parser *ps, const char *arg)
{
	size_t len = strcspn(arg, "=");
	const char *value = arg[len] ? arg + len + 1 : NULL;
	struct found best = { NULL, false }, other = { NULL, false };

	for (const struct option *o = ps->opts; o->type != OPTION_END; o++) {
		struct found here = { o, false };
		int fit = o->long_name ? match_long(o, arg, len, &here.unset) : 0;

		if (fit == 2) {
			best = here;
			other.opt = NULL;
			break;
		}
		if (!fit || ps->flags & PARSE_OPT_NO_ABBREV)
			continue;
		if (best.opt)
			other = best;
		best = here;
	}
	if (!best.opt)
		return false;
	if (other.opt)
		ambiguous_option(ps, arg, &other, &best);
	apply_option(ps, best.opt, value, false, best.unset);
	return true;
}

/* ---- short ---- */

/* One letter of the bundle at ps->rest. False if there is no such switch. */
static bool parse_short(struct parser *ps)
{
	const struct option *o = ps->opts;
	const char *attached = NULL;

	for (; o->type != OPTION_END; o++)
		if (o->short_name == (unsigned char)*ps->rest)
			break;
	if (o->type == OPTION_END)
		return false;
	ps->rest++;
	if (requires_value(o) && *ps->rest) {
		attached = ps->rest;
		ps->rest = "";
	}
	apply_option(ps, o, attached, true, false);
	return true;
}

/* "-amend": a long option that lacks a dash? */
static void check_single_dash(const struct parser *ps, const char *arg)
{
	const char *positive;

	if (strlen(arg) < 3)
		return;
	if (skip_prefix(arg, "no-", &positive)) {
		fprintf(stderr, "error: did you mean `--%s` (with two dashes)?\n", arg);
		exit(USAGE_EXIT);
	}
	for (const struct option *o = ps->opts; o->type != OPTION_END; o++) {
		if (!o->long_name || !starts_with(o->long_name, arg))
			continue;
		fprintf(stderr, "error: did you mean `--%s` (with two dashes)?\n", arg);
		exit(USAGE_EXIT);
	}
}

/* ---- the command line ---- */

static NORETURN void unknown_option(const struct parser *ps, const char *arg)
{
	if (arg[1] == '-')
		fprintf(stderr, "error: unknown option `%s'\n", arg + 2);
	else if ((unsigned char)*ps->rest < 0x80)
		fprintf(stderr, "error: unknown switch `%c'\n", *ps->rest);
	else
		fprintf(stderr, "error: unknown non-ascii option in string: `%s'\n", arg);
	usage_with_options(ps->usage, ps->opts);
}

/* "-abc". Returns what to keep of it: NULL if all letters are known. */
static const char *parse_bundle(struct parser *ps, const char *arg)
{
	ps->rest = arg + 1;
	/* Specifications for "rev-parse --parseopt" list -h so that the usage shows it. */
	if (arg[1] == 'h' && ps->flags & PARSE_OPT_SHELL_EVAL)
		show_usage_on_stdout(ps, false);
	parse_short(ps);
	if (*ps->rest && arg[2]) /* the first letter is unknown or takes no value */
		check_single_dash(ps, arg + 1);
	while (*ps->rest && parse_short(ps))
		;
	if (!*ps->rest)
		return NULL;
	if (*ps->rest == 'h' && !(ps->flags & PARSE_OPT_NO_INTERNAL_HELP))
		show_usage_on_stdout(ps, false);
	if (!(ps->flags & PARSE_OPT_KEEP_UNKNOWN))
		unknown_option(ps, arg);
	/* The letters before it were parsed already: report only the rest, as a new string. */
	return ps->rest == arg + 1 ? arg : xstrfmt("-%s", ps->rest);
}

/* "--foo". Returns what to keep of it: NULL if it was known. */
static const char *parse_double_dash(struct parser *ps, const char *arg)
{
	if (!(ps->flags & PARSE_OPT_NO_INTERNAL_HELP)) {
		if (!strcmp(arg, "--help-all"))
			show_usage_on_stdout(ps, true);
		if (!strcmp(arg, "--help"))
			show_usage_on_stdout(ps, false);
	}
	if (parse_long(ps, arg + 2))
		return NULL;
	if (!(ps->flags & PARSE_OPT_KEEP_UNKNOWN))
		unknown_option(ps, arg);
	return arg;
}

int parse_options(int argc, const char **argv, const struct option *opts,
		  const char *const usage[], unsigned flags)
{
	struct parser ps = { "", argv, argc, NULL, opts, usage, flags };
	int kept = flags & PARSE_OPT_KEEP_ARGV0 ? 1 : 0;

	if (ps.argc > 0) {
		ps.argv++;
		ps.argc--;
	}
	while (ps.argc > 0) {
		const char *arg = *ps.argv, *keep;

		if (*arg != '-' || !arg[1]) {
			if (flags & PARSE_OPT_STOP_AT_NON_OPTION)
				break;
			argv[kept++] = arg;
			ps.argv++;
			ps.argc--;
			continue;
		}
		if (!strcmp(arg, "--") || !strcmp(arg, "--end-of-options")) {
			bool stays = arg[2] ? flags & PARSE_OPT_KEEP_UNKNOWN :
					      flags & PARSE_OPT_KEEP_DASHDASH;

			if (!stays) {
				ps.argv++;
				ps.argc--;
			}
			break;
		}
		ps.argv++;
		ps.argc--;
		keep = arg[1] == '-' ? parse_double_dash(&ps, arg) : parse_bundle(&ps, arg);
		if (keep)
			argv[kept++] = keep;
	}
	memmove(argv + kept, ps.argv, (size_t)ps.argc * sizeof(*argv));
	kept += ps.argc;
	argv[kept] = NULL;
	return kept;
}

int parse_opt_verbosity(const struct option *opt, const char *arg UNUSED, int unset)
{
	int *v = opt->value, step = opt->short_name == 'v' ? 1 : -1;

	if (unset)
		*v = 0;
	else
		*v = *v * step < 0 ? step : *v + step;
	return 0;
}
