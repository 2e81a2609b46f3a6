/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsing of options by a table, with Git's conventions (gitcli(7)): -x, -xVALUE, -x VALUE,
 * bundled short options, --long, --long=VALUE, --no-long, unique abbreviations, "--", -h for
 * usage on stdout (exit code 129). An unknown option is an error (129).
 *
 *   struct option opts[] = {
 *           OPT_BOOL('n', "dry-run", &dry_run, "show what would be done"),
 *           OPT_STRING(0, "format", &fmt, "fmt", "output format"),
 *           OPT_END()
 *   };
 *   argc = parse_options(argc, argv, opts, usage, 0);
 *
 * This is the only part of util/ that prints and exits; only commands may call it.
 */
#ifndef UTIL_PARSE_OPTIONS_H
#define UTIL_PARSE_OPTIONS_H

#include "compat/posix.h"

#include "util/strvec.h"

enum option_type {
	OPTION_END, OPTION_GROUP,
	OPTION_BOOL,	  /* int: 1, --no-x 0 */
	OPTION_COUNTUP,	  /* int: +1 each; --no-x 0 */
	OPTION_SET_INT,	  /* int: defval; --no-x 0 */
	OPTION_BIT,	  /* unsigned: |= defval; --no-x &= ~defval */
	OPTION_INTEGER,	  /* int, with k/m/g */
	OPTION_MAGNITUDE, /* unsigned long with k/m/g */
	OPTION_STRING,	  /* const char *, points into argv; --no-x NULL */
	OPTION_STRVEC,	  /* struct strvec, appended; --no-x clears */

	OPTION_CALLBACK,
	OPTION_CMDMODE,	  /* int = defval; two different modes are an error */
};
#define PARSE_OPT_OPTARG 1u  /* optional value: --x or --x=V; default: defval (callback: NULL) */
#define PARSE_OPT_NOARG 2u   /* callback without a value */
#define PARSE_OPT_NONEG 4u   /* no --no-x */
#define PARSE_OPT_HIDDEN 8u  /* not in -h */

#define PARSE_OPT_LASTARG_DEFAULT 32u /* --x=V or --x V; as the last argument: defval */

struct option;
/* arg: NULL without a value and for --no-x (unset). Fails by -1, after printing a message. */
typedef int (*parse_opt_cb)(const struct option *opt, const char *arg, int unset);

struct option {
	enum option_type type;
	int short_name;		/* 0 if none */
	const char *long_name;	/* NULL if none */
	void *value;
	const char *argh;	/* name of the value in the usage */
	const char *help;
	unsigned flags;
	parse_opt_cb callback;
	intptr_t defval;
};

/* A value of another type does not compile: more or fewer bytes would be written. */
#define OPT_VALUE(type, v) (1 ? (v) : (type *)NULL)
#define OPT_END() { .type = OPTION_END }
#define OPT_GROUP(h) { .type = OPTION_GROUP, .help = (h) }
#define OPT_BOOL(s, l, v, h) { OPTION_BOOL, (s), (l), OPT_VALUE(int, v), NULL, (h), 0, NULL, 1 }
#define OPT_COUNTUP(s, l, v, h) { OPTION_COUNTUP, (s), (l), OPT_VALUE(int, v), NULL, (h), 0, NULL, 0 }
#define OPT_SET_INT(s, l, v, h, i) { OPTION_SET_INT, (s), (l), OPT_VALUE(int, v), NULL, (h), 0, NULL, (i) }
#define OPT_BIT(s, l, v, h, b) { OPTION_BIT, (s), (l), OPT_VALUE(unsigned, v), NULL, (h), 0, NULL, (b) }
#define OPT_INTEGER(s, l, v, h) { OPTION_INTEGER, (s), (l), OPT_VALUE(int, v), "n", (h), 0, NULL, 0 }
#define OPT_MAGNITUDE(s, l, v, h) { OPTION_MAGNITUDE, (s), (l), OPT_VALUE(unsigned long, v), "n", (h), PARSE_OPT_NONEG, NULL, 0 }
#define OPT_STRING(s, l, v, a, h) { OPTION_STRING, (s), (l), OPT_VALUE(const char *, v), (a), (h), 0, NULL, 0 }
#define OPT_STRVEC(s, l, v, a, h) { OPTION_STRVEC, (s), (l), OPT_VALUE(struct strvec, v), (a), (h), 0, NULL, 0 }

#define OPT_CMDMODE(s, l, v, h, i) { OPTION_CMDMODE, (s), (l), OPT_VALUE(int, v), NULL, (h), PARSE_OPT_NONEG, NULL, (i) }
#define OPT_CALLBACK(s, l, v, a, h, cb) { OPTION_CALLBACK, (s), (l), (v), (a), (h), 0, (cb), 0 }
#define OPT_CALLBACK_F(s, l, v, a, h, f, cb) { OPTION_CALLBACK, (s), (l), (v), (a), (h), (f), (cb), 0 }
#define OPT__VERBOSE(v) OPT_COUNTUP('v', "verbose", (v), "be more verbose")
#define OPT__QUIET(v) OPT_COUNTUP('q', "quiet", (v), "be more quiet")
/* int: below 0 quiet, above 0 verbose. Each turns the other off. */
#define OPT__VERBOSITY(v) \
	OPT_CALLBACK_F('v', "verbose", OPT_VALUE(int, v), NULL, "be more verbose", PARSE_OPT_NOARG, parse_opt_verbosity), \
	OPT_CALLBACK_F('q', "quiet", OPT_VALUE(int, v), NULL, "be more quiet", PARSE_OPT_NOARG, parse_opt_verbosity)
int parse_opt_verbosity(const struct option *opt, const char *arg, int unset);
#define OPT__FORCE(v, h) OPT_COUNTUP('f', "force", (v), (h))
#define OPT__DRY_RUN(v, h) OPT_BOOL('n', "dry-run", (v), (h))

#define PARSE_OPT_KEEP_DASHDASH 1u
#define PARSE_OPT_STOP_AT_NON_OPTION 2u
#define PARSE_OPT_KEEP_ARGV0 4u
#define PARSE_OPT_KEEP_UNKNOWN 8u
#define PARSE_OPT_NO_INTERNAL_HELP 16u
#define PARSE_OPT_NO_ABBREV 64u /* no beginnings of long names: an option that stays may be one */
#define PARSE_OPT_SHELL_EVAL 32u /* usage on stdout is text for a shell's eval */

/*
 * Parses argv[1..], moves the remaining arguments to argv[0..] and returns their number.
 * `usage`: NULL-terminated lines such as "git add [<options>] [--] <pathspec>...". After a
 * '\n' inside a line, 7 columns of indent are added; lines after an empty string are text.
 */
int parse_options(int argc, const char **argv, const struct option *opts,
		  const char *const usage[], unsigned flags);
/* On standard error, for a wrong command line; on standard output, as the answer to -h. Both end with 129. */
NORETURN void usage_with_options(const char *const usage[], const struct option *opts);
NORETURN void usage_on_stdout(const char *const usage[], const struct option *opts);
NORETURN void usage_msg_opt(const char *msg, const char *const usage[],
			    const struct option *opts);
enum number_result { NUMBER_OK, NUMBER_MALFORMED, NUMBER_OUT_OF_RANGE };
/* "-12k", "0x1f" or "017", from `low` to `high`. On failure `out` is untouched. */
enum number_result parse_integer(const char *s, int64_t low, int64_t high, int64_t *out);
/* "12k" to 12288; false if malformed or out of range. */
bool parse_magnitude(const char *s, uint64_t *out);
bool parse_int_strict(const char *s, int *out);

#endif
