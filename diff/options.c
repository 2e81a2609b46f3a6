/* SPDX-License-Identifier: GPL-2.0-only */
/* Defaults, configuration, and the options of git-diff(1). */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/options-internal.h"
#include "diff/whitespace.h"
#include "util/alloc.h"
#include "util/color.h"
#include "util/parse-options.h"

/* ---- defaults ---- */

static const struct {
	const char *slot; /* of color.diff.* */
	const char *value;
} default_colors[DIFF_COLOR_NR] = {
	[DIFF_COLOR_RESET] = { NULL, "\033[m" },
	[DIFF_COLOR_CONTEXT] = { "context", "" },
	[DIFF_COLOR_META] = { "meta", "\033[1m" },
	[DIFF_COLOR_FRAG] = { "frag", "\033[36m" },
	[DIFF_COLOR_FUNC] = { "func", "" },
	[DIFF_COLOR_OLD] = { "old", "\033[31m" },
	[DIFF_COLOR_NEW] = { "new", "\033[32m" },
	[DIFF_COLOR_WHITESPACE] = { "whitespace", "\033[41m" },
	[DIFF_COLOR_OLD_MOVED] = { "oldmoved", "\033[1;35m" },
	[DIFF_COLOR_OLD_MOVED_ALT] = { "oldmovedalternative", "\033[1;34m" },
	[DIFF_COLOR_OLD_MOVED_DIM] = { "oldmoveddimmed", "\033[2m" },
	[DIFF_COLOR_OLD_MOVED_ALT_DIM] = { "oldmovedalternativedimmed", "\033[2;3m" },
	[DIFF_COLOR_NEW_MOVED] = { "newmoved", "\033[1;36m" },
	[DIFF_COLOR_NEW_MOVED_ALT] = { "newmovedalternative", "\033[1;33m" },
	[DIFF_COLOR_NEW_MOVED_DIM] = { "newmoveddimmed", "\033[2m" },
	[DIFF_COLOR_NEW_MOVED_ALT_DIM] = { "newmovedalternativedimmed", "\033[2;3m" },
	[DIFF_COLOR_CONTEXT_DIM] = { "contextdimmed", "\033[2m" },
	[DIFF_COLOR_OLD_DIM] = { "olddimmed", "\033[2;31m" },
	[DIFF_COLOR_NEW_DIM] = { "newdimmed", "\033[2;32m" },
	[DIFF_COLOR_CONTEXT_BOLD] = { "contextbold", "\033[1m" },
	[DIFF_COLOR_OLD_BOLD] = { "oldbold", "\033[1;31m" },
	[DIFF_COLOR_NEW_BOLD] = { "newbold", "\033[1;32m" },
};

void diff_options_init(struct diff_options *o, struct odb *odb)
{
	memset(o, 0, sizeof(*o));
	o->odb = odb;
	o->algo = odb ? odb_algo(odb) : hash_sha1;
	o->anchors = o->order = o->find_objects = (struct strvec)STRVEC_INIT;
	o->recursive = true;
	o->max_depth = -1;
	o->context = 3;
	o->indent_heuristic = true;
	o->abbrev = o->index_abbrev = -1;
	o->ellipsis = oid_ellipsis();
	o->rename_limit = -1;
	o->src_prefix = "a/";
	o->dst_prefix = "b/";
	o->big_file_threshold = (uint64_t)512 << 20;
	o->quote_path = true;
	o->whitespace = WS_DEFAULT;
	o->ws_highlight = WS_SHOW_NEW;
	o->dirstat.permille = 30;
	o->rename_empty = true;
	o->ita_invisible = -1;
	memcpy(o->indicator, "+- ", sizeof(o->indicator));
	for (int i = 0; i < DIFF_COLOR_NR; i++)
		memcpy(o->colors[i], default_colors[i].value, strlen(default_colors[i].value) + 1);
}

void diff_options_release(struct diff_options *o)
{
	FREE_AND_NULL(o->pickaxe);
	FREE_AND_NULL(o->relative);
	strvec_clear(&o->anchors);
	strvec_clear(&o->order);
	FREE_AND_NULL(o->order_file);
	FREE_AND_NULL(o->complaint);
	FREE_AND_NULL(o->find_oids);
	strvec_clear(&o->find_objects);
	diff_regexes_free(o->ignore_lines);
	o->ignore_lines = NULL;
}

/* Only paths that begin so, and without it; NULL: all of them. */
static void set_relative(struct diff_options *o, const char *prefix)
{
	FREE_AND_NULL(o->relative);
	if (prefix && *prefix)
		o->relative = xstrdup(prefix);
}

/* ---- configuration ---- */

/* diff.renames: a boolean, or "copies". */
static int config_renames(struct diff_options *o, const struct config_set *c, struct err *err)
{
	const struct config_entry *e = config_get(c, "diff.renames");
	bool renames;
	int ret;

	if (!e)
		return 0;
	if (e->value && (!strcasecmp(e->value, "copies") || !strcasecmp(e->value, "copy"))) {
		o->detect = DIFF_DETECT_COPIES;
		return 0;
	}
	ret = config_entry_bool(e, &renames, err);
	if (!ret)
		o->detect = renames ? DIFF_DETECT_RENAMES : DIFF_DETECT_NONE;
	return ret;
}

static int config_unsigned(const struct config_set *c, const char *key, unsigned *out,
			   struct err *err)
{
	int n, ret = config_get_int(c, key, &n, err);

	if (ret > 0 && n < 0)
		return config_entry_bad(config_get(c, key), err, "is negative");
	if (ret > 0)
		*out = (unsigned)n;
	return ret < 0 ? ret : 0;
}

/* color.diff.<slot> or one of its old names. */
static const struct config_entry *config_color(const struct config_set *c, const char *slot)
{
	char key[64], old[64];
	const char *const keys[] = { key, old, "color.diff.plain", "diff.color.plain" };

	snprintf(key, sizeof(key), "color.diff.%s", slot);
	snprintf(old, sizeof(old), "diff.color.%s", slot);
	return config_get_last(c, keys, strcmp(slot, "context") ? 2 : 4);
}

static int config_colors(struct diff_options *o, const struct config_set *c, struct err *err)
{
	for (int i = 0; i < DIFF_COLOR_NR; i++) {
		const struct config_entry *e = NULL;

		if (default_colors[i].slot)
			e = config_color(c, default_colors[i].slot);
		if (!e)
			continue;
		if (!e->value || color_parse(e->value, o->colors[i]) < 0)
			return config_entry_bad(e, err, "invalid color value");
	}
	return 0;
}

int diff_options_config_plumbing(struct diff_options *o, const struct config_set *c,
				 struct err *err)
{
	const char *whitespace;
	unsigned long threshold;
	int ret = diff_output_config_plumbing(o, c, err);

	if (!ret)
		ret = config_colors(o, c, err);
	if (ret < 0 ||
	    (ret = config_get_int(c, "diff.renamelimit", &o->rename_limit, err)) < 0 ||
	    (ret = config_get_bool(c, "diff.indentheuristic", &o->indent_heuristic, err)) < 0 ||
	    (ret = config_get_bool(c, "diff.suppressblankempty", &o->suppress_blank_empty, err)) < 0 ||
	    (ret = config_get_bool(c, "core.quotepath", &o->quote_path, err)) < 0 ||
	    (ret = config_get_ulong(c, "core.bigfilethreshold", &threshold, err)) < 0)
		return ret;
	if (ret > 0)
		o->big_file_threshold = threshold;
	ret = config_get_string(c, "core.whitespace", &whitespace, err);
	if (ret > 0)
		ret = whitespace_parse(&o->whitespace, whitespace, err);
	return ret < 0 ? ret : 0;
}

int diff_options_config(struct diff_options *o, const struct config_set *c, struct err *err)
{
	bool relative = false;
	int ret = diff_options_config_plumbing(o, c, err);

	if (!ret)
		ret = config_renames(o, c, err);
	if (!ret)
		ret = diff_text_config(o, c, err);
	if (!ret)
		ret = diff_output_config(o, c, err);
	if (!ret)
		ret = config_unsigned(c, "diff.context", &o->context, err);
	if (!ret)
		ret = config_unsigned(c, "diff.interhunkcontext", &o->interhunk_context, err);
	if (ret < 0 ||
	    (ret = config_get_int(c, "diff.statgraphwidth", &o->stat_graph_width, err)) < 0 ||
	    (ret = config_get_int(c, "diff.statnamewidth", &o->stat_name_width, err)) < 0 ||
	    (ret = config_get_bool(c, "diff.relative", &relative, err)) < 0)
		return ret;
	if (relative)
		set_relative(o, o->prefix);
	return 0;
}

/* ---- options ---- */

enum special {
	OPT_UNIFIED, OPT_STAT, OPT_ABBREV, OPT_NO_ABBREV, OPT_RENAMES, OPT_COPIES, OPT_BREAK,
	OPT_NO_RENAMES, OPT_FILTER, OPT_PICKAXE, OPT_PICKAXE_GREP, OPT_COLOR, OPT_NO_COLOR,
	OPT_RELATIVE, OPT_NO_RELATIVE, OPT_BINARY,
	OPT_COMPACT, OPT_CONTEXT, OPT_NULL_TERM, OPT_HARDER, OPT_MAX_DEPTH,
};

static const struct option_row rows[] = {
	{ 'p', "patch", SET_FORMAT, 0, DIFF_FORMAT_PATCH, 0 },
	{ 'u', NULL, SET_FORMAT, 0, DIFF_FORMAT_PATCH, 0 },
	{ 's', "no-patch", SET_FORMAT, 0, DIFF_FORMAT_NONE, 0 },
	{ 'U', "unified", SPECIAL, 0, OPT_UNIFIED, OPTIONAL },
	{ 0, "raw", SET_FORMAT, 0, DIFF_FORMAT_RAW, 0 },
	{ 0, "stat", SPECIAL, 0, OPT_STAT, OPTIONAL },
	{ 0, "numstat", SET_FORMAT, 0, DIFF_FORMAT_NUMSTAT, 0 },
	{ 0, "shortstat", SET_FORMAT, 0, DIFF_FORMAT_SHORTSTAT, 0 },
	{ 0, "summary", SET_FORMAT, 0, DIFF_FORMAT_SUMMARY, 0 },
	{ 0, "name-only", SET_FORMAT, 0, DIFF_FORMAT_NAME_ONLY, 0 },
	{ 0, "name-status", SET_FORMAT, 0, DIFF_FORMAT_NAME_STATUS, 0 },
	{ 0, "patch-with-raw", SET_FORMAT, 0, DIFF_FORMAT_PATCH | DIFF_FORMAT_RAW, 0 },
	{ 0, "patch-with-stat", SET_FORMAT, 0, DIFF_FORMAT_PATCH | DIFF_FORMAT_STAT, 0 },
	{ 0, "compact-summary", SPECIAL, 0, OPT_COMPACT, 0 },
	{ 0, "stat-width", SET_NUMBER, FIELD(stat_width), DIFF_FORMAT_STAT, NEEDED },
	{ 0, "stat-name-width", SET_NUMBER, FIELD(stat_name_width), DIFF_FORMAT_STAT, NEEDED },
	{ 0, "stat-graph-width", SET_NUMBER, FIELD(stat_graph_width), DIFF_FORMAT_STAT, NEEDED },
	{ 0, "stat-count", SET_NUMBER, FIELD(stat_count), DIFF_FORMAT_STAT, NEEDED },
	{ 'z', NULL, SPECIAL, 0, OPT_NULL_TERM, 0 },
	{ 0, "full-index", SET_TRUE, FIELD(full_index), 0, 0 },
	{ 0, "no-full-index", SET_FALSE, FIELD(full_index), 0, 0 },
	{ 0, "abbrev", SPECIAL, 0, OPT_ABBREV, OPTIONAL },
	{ 0, "no-abbrev", SPECIAL, 0, OPT_NO_ABBREV, 0 },
	{ 0, "binary", SPECIAL, 0, OPT_BINARY, 0 },
	{ 'a', "text", SET_TRUE, FIELD(text), 0, 0 },
	{ 0, "no-text", SET_FALSE, FIELD(text), 0, 0 },
	{ 'D', "irreversible-delete", SET_TRUE, FIELD(irreversible_delete), 0, 0 },
	{ 'R', NULL, SET_TRUE, FIELD(reverse), 0, 0 },
	{ 't', NULL, SET_TRUE, FIELD(show_trees), 0, 0 },
	{ 'r', NULL, SET_TRUE, FIELD(recursive), 0, 0 },
	{ 0, "max-depth", SPECIAL, 0, OPT_MAX_DEPTH, NEEDED },
	{ 'M', "find-renames", SPECIAL, 0, OPT_RENAMES, OPTIONAL },
	{ 'C', "find-copies", SPECIAL, 0, OPT_COPIES, OPTIONAL },
	{ 'B', "break-rewrites", SPECIAL, 0, OPT_BREAK, OPTIONAL },
	{ 0, "find-copies-harder", SPECIAL, 0, OPT_HARDER, 0 },
	{ 0, "no-renames", SPECIAL, 0, OPT_NO_RENAMES, 0 },
	{ 'l', NULL, SET_NUMBER, FIELD(rename_limit), 0, NEEDED },
	{ 0, "diff-filter", SPECIAL, 0, OPT_FILTER, NEEDED },
	{ 'S', NULL, SPECIAL, 0, OPT_PICKAXE, NEEDED },
	{ 'G', NULL, SPECIAL, 0, OPT_PICKAXE_GREP, NEEDED },
	{ 0, "pickaxe-all", SET_TRUE, FIELD(pickaxe_all), 0, 0 },
	{ 0, "pickaxe-regex", SET_TRUE, FIELD(pickaxe_regex), 0, 0 },
	{ 'w', "ignore-all-space", SET_IGNORE, 0, DIFF_IGNORE_ALL_SPACE, 0 },
	{ 'b', "ignore-space-change", SET_IGNORE, 0, DIFF_IGNORE_SPACE_CHANGE, 0 },
	{ 0, "ignore-space-at-eol", SET_IGNORE, 0, DIFF_IGNORE_SPACE_AT_EOL, 0 },
	{ 0, "ignore-cr-at-eol", SET_IGNORE, 0, DIFF_IGNORE_CR_AT_EOL, 0 },
	{ 0, "ignore-blank-lines", SET_IGNORE, 0, DIFF_IGNORE_BLANK_LINES, 0 },
	{ 0, "inter-hunk-context", SPECIAL, 0, OPT_CONTEXT, NEEDED },
	{ 0, "indent-heuristic", SET_TRUE, FIELD(indent_heuristic), 0, 0 },
	{ 0, "no-indent-heuristic", SET_FALSE, FIELD(indent_heuristic), 0, 0 },
	{ 0, "line-prefix", SET_STRING, FIELD(line_prefix), 0, NEEDED },
	{ 0, "relative", SPECIAL, 0, OPT_RELATIVE, OPTIONAL },
	{ 0, "no-relative", SPECIAL, 0, OPT_NO_RELATIVE, 0 },
	{ 0, "color", SPECIAL, 0, OPT_COLOR, OPTIONAL },
	{ 0, "no-color", SPECIAL, 0, OPT_NO_COLOR, 0 },
	{ 0, NULL, SET_TRUE, 0, 0, 0 },
};

/* The option as the user knows it: "option `stat'" or "switch `U'". */
int diff_bad_value(const struct option_row *r, struct err *err, const char *why)
{
	if (r->name)
		return err_set(err, ERR_INVALID, "option `%s' %s", r->name, why);
	return err_set(err, ERR_INVALID, "switch `%c' %s", r->letter, why);
}

/* The message about a value that parse_integer() has refused. */
static int bad_number(const struct option_row *r, const char *value, enum number_result why,
		      const char *expected, const char *range, struct err *err)
{
	struct err name = ERR_INIT;
	int rc;

	if (!*value)
		return diff_bad_value(r, err, "expects a numerical value");
	if (why == NUMBER_MALFORMED)
		return diff_bad_value(r, err, expected);
	diff_bad_value(r, &name, "not in range");
	rc = err_set(err, ERR_INVALID, "value %s for %s [%s]", value, err_message(&name), range);
	err_release(&name);
	return rc;
}

/* An int of any sign. */
static int parse_limit(const struct option_row *r, const char *value, int *out, struct err *err)
{
	int64_t v = 0;
	enum number_result why = parse_integer(value, INT_MIN, INT_MAX, &v);

	if (why != NUMBER_OK)
		return bad_number(r, value, why, "expects an integer value with an optional k/m/g suffix",
				  "-2147483648,2147483647", err);
	*out = (int)v;
	return 0;
}

/* The width or the number of lines of a diffstat: an empty one and those below 0 leave the default. */
static int parse_stat_number(const struct option_row *r, const char *value, int *out, struct err *err)
{
	int n = 0;

	if (*value && !parse_int_strict(value, &n))
		return err_set(err, ERR_INVALID, "%s expects a numerical value", r->name);
	*out = n < 0 ? 0 : n;
	return 0;
}

static int parse_context(const struct option_row *r, const char *value, unsigned *out, struct err *err)
{
	int64_t v = 0;
	enum number_result why = parse_integer(value, 0, UINT32_MAX, &v);

	if (strchr(value, '-'))
		why = NUMBER_MALFORMED;
	if (why != NUMBER_OK)
		return bad_number(r, value, why,
				  "expects a non-negative integer value with an optional k/m/g suffix",
				  "0,4294967295", err);
	*out = (unsigned)v;
	return 0;
}

unsigned diff_parse_score(const char *s, const char **end)
{
	uint64_t number = 0, scale = 1;
	bool point = false;

	for (;; s++) {
		if (*s == '.' && !point) {
			point = true;
			scale = 1;
		} else if (*s == '%') {
			scale = point ? scale * 100 : 100;
			s++;
			break;
		} else if (isdigit((unsigned char)*s)) {
			if (scale < 100000) {
				scale *= 10;
				number = number * 10 + (uint64_t)(*s - '0');
			}
		} else {
			break;
		}
	}
	*end = s;
	return number >= scale ? DIFF_MAX_SCORE : (unsigned)(DIFF_MAX_SCORE * number / scale);
}

/* Left untouched if there is no value. */
static int set_score(const struct option_row *r, const char *value, unsigned *score,
		     struct err *err)
{
	const char *end;
	unsigned n;

	if (!value)
		return 0;
	n = diff_parse_score(value, &end);
	if (*end)
		return err_set(err, ERR_INVALID, "invalid argument to %s", r->name);
	*score = n;
	return 0;
}

/* -B<break>/<merge> */
static int set_break(struct diff_options *o, const struct option_row *r, const char *value,
		     struct err *err)
{
	o->break_rewrites = true;
	if (!value)
		return 0;
	o->break_score = diff_parse_score(value, &value);
	if (*value == '/')
		o->merge_score = diff_parse_score(value + 1, &value);
	return *value ? err_set(err, ERR_INVALID, "%s expects <n>/<m> form", r->name) : 0;
}

/* --stat=<width>,<name-width>,<count> */
static int set_stat(struct diff_options *o, const struct option_row *r, const char *value,
		    struct err *err)
{
	int *const fields[] = { &o->stat_width, &o->stat_name_width, &o->stat_count };

	diff_add_format(o, DIFF_FORMAT_STAT);
	for (size_t i = 0; value && i < ARRAY_SIZE(fields); i++) {
		char *end;
		long n = strtol(value, &end, 10);

		if (n < 0 || n > 1000000 || (*end && *end != ','))
			return err_set(err, ERR_INVALID, "invalid --%s value: %s", r->name, value);
		*fields[i] = (int)n;
		value = *end ? end + 1 : NULL;
	}
	return 0;
}

static int set_filter(struct diff_options *o, const char *value, struct err *err)
{
	size_t n = strlen(o->filter);

	for (const char *c = value; *c; c++) {
		if (!strchr("ADMRCTUXB*admrctuxb", *c))
			return err_set(err, ERR_INVALID, "unknown change class '%c' in --diff-filter=%s",
				       *c, value);
		if (!memchr(o->filter, *c, n) && n + 1 < sizeof(o->filter))
			o->filter[n++] = *c;
	}
	o->filter[n] = '\0';
	return 0;
}

static int set_color(struct diff_options *o, const char *value, struct err *err)
{
	enum color_when when = value ? color_when_parse(value) : COLOR_ALWAYS;

	if (when == COLOR_UNSET)
		return err_set(err, ERR_INVALID,
			       "option `color' expects \"always\", \"auto\", or \"never\"");
	o->color = color_wanted(when, 1, false);
	o->color_always = when == COLOR_ALWAYS;
	return 0;
}

static int set_pickaxe(struct diff_options *o, const struct option_row *r, const char *value,
		       struct err *err)
{
	if (!*value)
		return err_set(err, ERR_INVALID, "-%c requires a non-empty argument", r->letter);
	o->pickaxe_conflict |= o->pickaxe && o->pickaxe_grep != (r->letter == 'G');
	free(o->pickaxe);
	o->pickaxe = xstrdup(value);
	o->pickaxe_grep = r->letter == 'G';
	return 0;
}

static int set_max_depth(struct diff_options *o, const char *value, struct err *err)
{
	if (!parse_int_strict(value, &o->max_depth))
		return err_set(err, ERR_INVALID, "invalid value for '--max-depth': '%s'", value);
	o->recursive = true;
	return 0;
}

int diff_abbrev_length(const char *value, size_t hex_len)
{
	unsigned long n = strtoul(value, NULL, 10);

	return n < 4 ? 4 : n > hex_len ? (int)hex_len : (int)n;
}

static int set_special(struct diff_options *o, const struct option_row *r, const char *value,
		       struct err *err)
{
	int n = 0;

	switch ((enum special)r->value) {
	case OPT_UNIFIED:
		diff_add_format(o, DIFF_FORMAT_PATCH);
		if (!value)
			return 0;
		if (*value && !parse_int_strict(value, &n))
			return err_set(err, ERR_INVALID, "--%s expects a numerical value", r->name);
		if (n < 0)
			return err_set(err, ERR_INVALID, "--%s expects a non-negative integer", r->name);
		o->context = (unsigned)n;
		return 0;
	case OPT_CONTEXT:
		return parse_context(r, value, &o->interhunk_context, err);
	case OPT_STAT:
		return set_stat(o, r, value, err);
	case OPT_COMPACT:
		o->compact_summary = true;
		diff_add_format(o, DIFF_FORMAT_STAT);
		return 0;
	case OPT_ABBREV:
		o->abbrev = value ? diff_abbrev_length(value, HASH_MAX_HEX) : -1;
		return 0;
	case OPT_NO_ABBREV:
		o->abbrev = 0;
		return 0;
	case OPT_HARDER:
		o->find_copies_harder = true;
		o->detect = DIFF_DETECT_COPIES;
		return 0;
	case OPT_COPIES: /* given twice: look in unchanged files as well */
		o->find_copies_harder |= o->detect == DIFF_DETECT_COPIES;
		o->detect = DIFF_DETECT_COPIES;
		return set_score(r, value, &o->rename_score, err);
	case OPT_RENAMES:
		o->detect = DIFF_DETECT_RENAMES;
		return set_score(r, value, &o->rename_score, err);
	case OPT_NO_RENAMES:
		o->detect = DIFF_DETECT_NONE;
		return 0;
	case OPT_BREAK:
		return set_break(o, r, value, err);
	case OPT_FILTER:
		return set_filter(o, value, err);
	case OPT_PICKAXE:
	case OPT_PICKAXE_GREP:
		return set_pickaxe(o, r, value, err);
	case OPT_BINARY:
		o->binary = true;
		diff_add_format(o, DIFF_FORMAT_PATCH);
		return 0;
	case OPT_NULL_TERM:
		o->null_term = true;
		return 0;
	case OPT_COLOR:
		return set_color(o, value, err);
	case OPT_NO_COLOR:
		o->color = false;
		return 0;
	case OPT_RELATIVE:
		set_relative(o, value ? value : o->prefix);
		return 0;
	case OPT_NO_RELATIVE:
		set_relative(o, NULL);
		return 0;
	case OPT_MAX_DEPTH:
		return set_max_depth(o, value, err);
	}
	return 0;
}

static int set_option(struct diff_options *o, const struct option_row *r, const char *value,
		      struct err *err)
{
	char *field = (char *)o + r->field;

	switch (r->kind) {
	case SET_FORMAT:
		if (r->value == DIFF_FORMAT_NONE)
			o->formats = DIFF_FORMAT_NONE;
		else
			diff_add_format(o, r->value);
		return 0;
	case SET_IGNORE:
		o->ignore |= r->value;
		return 0;
	case SET_TRUE:
	case SET_FALSE:
		*(bool *)field = r->kind == SET_TRUE;
		return 0;
	case SET_NUMBER:
		if (!r->value)
			return parse_limit(r, value, (int *)field, err);
		diff_add_format(o, r->value);
		return parse_stat_number(r, value, (int *)field, err);
	case SET_STRING:
		*(const char **)field = value;
		return 0;
	case CALL:
		return ((const struct option_call *)r)->set(o, r, value, err);
	case SPECIAL:
		return set_special(o, r, value, err);
	}
	return 0;
}

/* "--name", "--name=value", "-x", "-xvalue". *value: behind it, NULL if nothing is. */
static bool is_row(const struct option_row *r, const char *arg, const char **value)
{
	if (arg[1] == '-') {
		if (!r->name || !skip_prefix(arg + 2, r->name, value) ||
		    (**value && (**value != '=' || !r->value_mode)))
			return false;
		*value = **value ? *value + 1 : NULL;
		return true;
	}
	if (!r->letter || arg[1] != r->letter || (!r->value_mode && arg[2]))
		return false;
	*value = arg[2] ? arg + 2 : NULL;
	return true;
}

static const struct option_row *find_row(const char *arg, const char **value)
{
	const struct option_call *const groups[] = { diff_text_rows, diff_output_rows };

	for (const struct option_row *r = rows; r->name || r->letter; r++)
		if (is_row(r, arg, value))
			return r;
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		for (const struct option_call *c = groups[i]; c->row.name || c->row.letter; c++)
			if (is_row(&c->row, arg, value))
				return &c->row;
	return NULL;
}

int diff_options_parse(struct diff_options *o, const char *const *argv, struct err *err)
{
	const struct option_row *r;
	const char *value;
	int used = 1, ret;

	if (argv[0][0] != '-' || !argv[0][1])
		return 0;
	r = find_row(argv[0], &value);
	if (!r)
		return 0;
	if (r->value_mode == NEEDED && !value) {
		value = argv[1];
		if (!value)
			return diff_bad_value(r, err, "requires a value");
		used = 2;
	}
	ret = set_option(o, r, value, err);
	return ret < 0 ? ret : used;
}

int diff_options_check(struct diff_options *o, struct err *err)
{
	const unsigned alone = o->formats & (NAME_FORMATS | DIFF_FORMAT_NONE);

	if (alone & (alone - 1)) /* more than one of them */
		return err_set(err, ERR_INVALID,
			       "options '--name-only', '--name-status', '--check', and '-s' "
			       "cannot be used together");
	if (o->pickaxe_conflict || (o->pickaxe && o->find_objects.nr))
		return err_set(err, ERR_INVALID, "options '-G', '-S', and '--find-object' "
			       "cannot be used together");
	if (o->pickaxe_grep && o->pickaxe_regex)
		return err_set(err, ERR_INVALID, "options '-G' and '--pickaxe-regex' cannot be "
			       "used together, use '--pickaxe-regex' with '-S'");
	if (alone)
		o->formats = alone;
	return 0;
}
