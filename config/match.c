/* SPDX-License-Identifier: GPL-2.0-only */
/* value-pattern of git-config(1). */
#include "compat/posix.h"
#include <regex.h>
#include "config/config.h"
#include "util/alloc.h"

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
	/* "key" without "=" matches no expression, not even one for nothing */
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
