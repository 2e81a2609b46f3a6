/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses values: booleans, numbers, paths, dates; typed reads; patterns for values. */
#include "compat/posix.h"
#include <float.h>
#include <regex.h>
#include "build-info.h"
#include "config/config-internal.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- booleans and numbers ---- */

static bool is_one_of(const char *s, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(s, *words))
			return true;
	return false;
}

int config_parse_bool_word(const char *value)
{
	static const char *const yes[] = { "true", "yes", "on", NULL };
	static const char *const no[] = { "false", "no", "off", "", NULL };

	if (!value || is_one_of(value, yes))
		return 1;
	return is_one_of(value, no) ? 0 : -1;
}

int config_parse_maybe_bool(const char *value)
{
	int word = config_parse_bool_word(value);
	int64_t n;

	if (word >= 0)
		return word;
	if (config_parse_int64(value, &n, NULL) < 0 || n < INT_MIN || n > INT_MAX)
		return -1;
	return n != 0;
}

/* The factor of the suffix "k", "m", "g" or ""; 0 if it is something else. */
static int64_t unit_factor(const char *unit)
{
	if (!*unit)
		return 1;
	if (!strcasecmp(unit, "k"))
		return 1024;
	if (!strcasecmp(unit, "m"))
		return 1024 * 1024;
	if (!strcasecmp(unit, "g"))
		return 1024 * 1024 * 1024;
	return 0;
}

int config_parse_int64(const char *value, int64_t *out, struct err *err)
{
	char *end;
	intmax_t n;
	int64_t factor, product;

	if (!value || !*value)
		return err_set(err, ERR_INVALID, "invalid unit");
	errno = 0;
	n = strtoimax(value, &end, 0);
	if (errno == ERANGE)
		return err_set(err, ERR_TOO_BIG, "out of range");
	factor = unit_factor(end);
	if (end == value || !factor)
		return err_set(err, ERR_INVALID, "invalid unit");
	if (__builtin_mul_overflow((int64_t)n, factor, &product))
		return err_set(err, ERR_TOO_BIG, "out of range");
	*out = product;
	return 0;
}

/* ---- the value of one entry ---- */

/* " in file x at line 3"; nothing for the command line. */
static void add_place(struct strbuf *out, const struct config_entry *e)
{
	if (e->origin == CONFIG_ORIGIN_CMDLINE)
		return;
	strbuf_addstr(out, " in ");
	config_describe_origin(out, e->origin, e->file);
	strbuf_addf(out, " at line %d", e->line);
}

int config_entry_bad(const struct config_entry *e, struct err *err, const char *why)
{
	struct strbuf place = STRBUF_INIT;
	int rc;

	if (e->origin == CONFIG_ORIGIN_CMDLINE)
		return err_set(err, ERR_INVALID,
			       "unable to parse '%s' from command-line config: %s", e->key, why);
	if (e->origin == CONFIG_ORIGIN_FILE)
		return err_set(err, ERR_INVALID,
			       "bad config variable '%s' in file '%s' at line %d: %s", e->key,
			       e->file, e->line, why);
	add_place(&place, e);
	rc = err_set(err, ERR_INVALID, "bad config variable '%s'%s: %s", e->key, place.buf, why);
	strbuf_release(&place);
	return rc;
}

static int bad_number(const struct config_entry *e, struct err *err, const char *why)
{
	struct strbuf place = STRBUF_INIT;
	int rc;

	if (e->origin != CONFIG_ORIGIN_CMDLINE) {
		strbuf_addstr(&place, " in ");
		config_describe_origin(&place, e->origin, e->file);
	}
	rc = err_set(err, ERR_INVALID, "bad numeric config value '%s' for '%s'%s: %s",
		     e->value ? e->value : "", e->key, place.buf, why);
	strbuf_release(&place);
	return rc;
}

int config_entry_int64(const struct config_entry *e, int64_t min, int64_t max, int64_t *out,
		       struct err *err)
{
	struct err why = ERR_INIT;
	int64_t n;
	int rc = config_parse_int64(e->value, &n, &why);

	if (!rc && (n < min || n > max))
		rc = err_set(&why, ERR_TOO_BIG, "out of range");
	if (rc < 0)
		rc = bad_number(e, err, err_message(&why));
	else
		*out = n;
	err_release(&why);
	return rc;
}

int config_entry_bool(const struct config_entry *e, bool *out, struct err *err)
{
	int v = config_parse_maybe_bool(e->value);
	struct strbuf place = STRBUF_INIT;
	int rc = 0;

	if (v >= 0) {
		*out = v;
	} else {
		add_place(&place, e);
		rc = err_set(err, ERR_INVALID, "bad boolean config value '%s' for '%s'%s",
			     e->value, e->key, place.buf);
	}
	strbuf_release(&place);
	return rc;
}

int config_entry_path(const struct config_entry *e, char **out, struct err *err)
{
	static const char prefix[] = "%(prefix)/";
	const char *value = e->value;
	bool optional = value && skip_prefix(value, ":(optional)", &value);
	char *path;

	if (!value)
		return config_entry_bad(e, err, "missing value");
	if (starts_with(value, prefix))
		path = path_join(SLUICE_PREFIX, value + strlen(prefix));
	else
		path = path_expand_user(value);
	if (!path)
		return err_set(err, ERR_INVALID, "failed to expand user dir in: '%s'", value);
	if (optional && access(path, F_OK) < 0) {
		free(path);
		return CONFIG_PATH_OPTIONAL;
	}
	*out = path;
	return 0;
}

int config_entry_double(const struct config_entry *e, double *out, struct err *err)
{
	const char *v = e->value ? e->value : "";
	char *end;
	double n = strtod(v, &end);

	if (end == v || *end || strspn(v, "0123456789.eE+-") != strlen(v) || n > DBL_MAX || n < -DBL_MAX)
		return bad_number(e, err, "invalid unit");
	*out = n;
	return 0;
}

int config_entry_expiry(const struct config_entry *e, timestamp_t *out, struct err *err)
{
	char *why;
	int rc;

	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	if (!date_parse_expiry(e->value, out))
		return 0;
	why = xstrfmt("'%s' is not a valid timestamp", e->value);
	rc = config_entry_bad(e, err, why);
	free(why);
	return rc;
}

int config_entry_past(const struct config_entry *e, timestamp_t *out, struct err *err)
{
	timestamp_t when = 0;
	char *why;
	int rc = config_entry_expiry(e, &when, err);

	if (rc < 0)
		return rc;
	if (!strcmp(e->value, "now") || (strcmp(e->value, "false") && when < date_now(NULL))) {
		*out = when;
		return 0;
	}
	why = xstrfmt("'%s' is not a time in the past", e->value);
	rc = config_entry_bad(e, err, why);
	free(why);
	return rc;
}

/* ---- typed reads ---- */

/* 1, with the entry in *e; 0 if there is none. */
static int find_last(const struct config_set *c, const char *key, const struct config_entry **e)
{
	*e = config_get(c, key);
	return *e != NULL;
}

int config_get_bool(const struct config_set *c, const char *key, bool *out, struct err *err)
{
	const struct config_entry *e;
	int rc;

	if (!find_last(c, key, &e))
		return 0;
	rc = config_entry_bool(e, out, err);
	return rc < 0 ? rc : 1;
}

int config_get_int(const struct config_set *c, const char *key, int *out, struct err *err)
{
	const struct config_entry *e;
	int64_t n = 0;
	int rc;

	if (!find_last(c, key, &e))
		return 0;
	rc = config_entry_int64(e, INT_MIN, INT_MAX, &n, err);
	if (rc < 0)
		return rc;
	*out = (int)n;
	return 1;
}

int config_get_ulong(const struct config_set *c, const char *key, unsigned long *out,
		     struct err *err)
{
	const int64_t max = sizeof(*out) < sizeof(max) ? (int64_t)ULONG_MAX : INT64_MAX;
	const struct config_entry *e;
	int64_t n = 0;
	int rc;

	if (!find_last(c, key, &e))
		return 0;
	rc = config_entry_int64(e, INT64_MIN, max, &n, err);
	if (!rc && n < 0) /* as in Git, the sign makes it no number */
		rc = bad_number(e, err, "invalid unit");
	if (rc < 0)
		return rc;
	*out = (unsigned long)n;
	return 1;
}

int config_get_string(const struct config_set *c, const char *key, const char **out,
		      struct err *err)
{
	const struct config_entry *e;

	if (!find_last(c, key, &e))
		return 0;
	if (!e->value)
		return config_entry_bad(e, err, "missing value");
	*out = e->value;
	return 1;
}

int config_get_path(const struct config_set *c, const char *key, char **out, struct err *err)
{
	const struct config_entry *e;
	int rc;

	if (!find_last(c, key, &e))
		return 0;
	rc = config_entry_path(e, out, err);
	return rc < 0 ? rc : rc != CONFIG_PATH_OPTIONAL;
}


int config_get_bool_or_int(const struct config_set *c, const char *key, bool *is_bool, int *out,
			   struct err *err)
{
	const struct config_entry *e;
	int word;

	if (!find_last(c, key, &e))
		return 0;
	word = config_parse_bool_word(e->value);
	*is_bool = word >= 0;
	if (word < 0)
		return config_get_int(c, key, out, err);
	*out = word;
	return 1;
}

/* ---- value-pattern of git-config(1) ---- */

struct config_matcher {
	char *fixed; /* NULL: the expression */
	regex_t regex;
	bool inverted;
};

int config_matcher_new(struct config_matcher **out, const char *pattern, bool fixed,
		       struct err *err)
{
	struct config_matcher *m;

	*out = NULL;
	if (!pattern)
		return 0;
	m = xcalloc(1, sizeof(*m));
	if (fixed) {
		m->fixed = xstrdup(pattern);
	} else {
		m->inverted = *pattern == '!';
		if (regcomp(&m->regex, pattern + m->inverted, REG_EXTENDED)) {
			free(m);
			return err_set(err, ERR_PATTERN, "invalid pattern: %s", pattern);
		}
	}
	*out = m;
	return 0;
}

bool config_matcher_matches(const struct config_matcher *m, const char *value)
{
	if (!m)
		return true;
	if (m->fixed)
		return value && !strcmp(m->fixed, value);
	/* "key" without "=" matches no expression, not even "^$" */
	return (value && !regexec(&m->regex, value, 0, NULL, 0)) != m->inverted;
}

void config_matcher_free(struct config_matcher *m)
{
	if (!m)
		return;
	if (!m->fixed)
		regfree(&m->regex);
	free(m->fixed);
	free(m);
}
