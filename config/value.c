/* SPDX-License-Identifier: GPL-2.0-only */
/* What values mean: booleans and numbers. */
#include "compat/posix.h"
#include "config/config.h"

static bool is_word(const char *s, const char *const *words)
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

	if (!value || is_word(value, yes))
		return 1;
	return is_word(value, no) ? 0 : -1;
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

/* The factor of "k", "m", "g" or nothing; 0 if it is none of them. */
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
