/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <regex.h>
#include "compat/regexec.h"
#include "diff/diff-internal.h"
#include "diff/hunk-internal.h"
#include "util/alloc.h"
#include "util/utf8.h"

#define LONGEST_NAME 80

struct funcname {
	size_t nr;
	struct funcname_pattern {
		regex_t regex;
		bool negated; /* a line that matches has no name */
	} patterns[];
};

/* One line of them, n bytes long. */
static int add_pattern(struct funcname *f, const char *text, size_t n, int flags, struct err *err)
{
	char *line = xmemdupz(text, n);
	bool negated = *line == '!';
	int failed = regcomp(&f->patterns[f->nr].regex, line + negated, flags);

	free(line);
	if (failed)
		return err_set(err, ERR_INVALID, "Invalid regexp to look for hunk header: %.*s",
			       (int)n - negated, text + negated);
	f->patterns[f->nr++].negated = negated;
	if (negated && !text[n])
		return err_set(err, ERR_INVALID, "Last expression must not be negated: %s", text);
	return 0;
}

int funcname_new(struct funcname **out, const struct diff_driver *driver, struct err *err)
{
	const char *patterns = driver ? driver->funcname : NULL;
	int flags = REG_NEWLINE, rc;
	struct funcname *f;
	size_t lines = 1;

	*out = NULL;
	if (!patterns)
		return 0;
	flags |= driver->funcname_basic ? 0 : REG_EXTENDED;
	flags |= driver->funcname_icase ? REG_ICASE : 0;
	for (const char *c = patterns; *c; c++)
		lines += *c == '\n';
	f = xcalloc(1, sizeof(*f) + lines * sizeof(*f->patterns));
	for (;;) {
		size_t n = strcspn(patterns, "\n");

		rc = add_pattern(f, patterns, n, flags, err);
		if (rc < 0) {
			funcname_free(f);
			return rc;
		}
		if (!patterns[n])
			break;
		patterns += n + 1;
	}
	*out = f;
	return 0;
}

void funcname_free(struct funcname *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr; i++)
		regfree(&f->patterns[i].regex);
	free(f);
}

/* A name begins in the first column. */
static bool default_name(const struct text_line *l, const char **name, size_t *len)
{
	unsigned char c = l->len ? (unsigned char)l->text[0] : 0;

	*name = l->text;
	*len = l->len;
	return (c < 0x80 && isalpha(c)) || c == '_' || c == '$';
}

static bool pattern_name(const struct funcname *f, const struct text_line *l,
			 const char **name, size_t *len)
{
	size_t n = l->len;

	if (n && l->text[n - 1] == '\n')
		n--;
	for (size_t i = 0; i < f->nr; i++) {
		regmatch_t m[2];
		int group;

		if (regexec_range(&f->patterns[i].regex, l->text, n, 2, m, 0))
			continue;
		if (f->patterns[i].negated)
			return false;
		group = m[1].rm_so >= 0 ? 1 : 0;
		*name = l->text + m[group].rm_so;
		*len = (size_t)(m[group].rm_eo - m[group].rm_so);
		return true;
	}
	return false;
}

/* The name ends before an incomplete character or anything that is not UTF-8. */
static size_t valid_utf8_len(const char *name, size_t len)
{
	const char *at = name;

	while (len && utf8_next(&at, &len) >= 0)
		;
	return (size_t)(at - name);
}

bool funcname_of_line(const struct funcname *f, const struct text_line *l, struct strbuf *out)
{
	const char *name = l->text;
	size_t len = 0;

	if (!(f ? pattern_name(f, l, &name, &len) : default_name(l, &name, &len)))
		return false;
	if (len > LONGEST_NAME)
		len = LONGEST_NAME;
	while (len && diff_is_space(name[len - 1]))
		len--;
	if (!out)
		return true;
	strbuf_reset(out);
	strbuf_add(out, name, valid_utf8_len(name, len));
	return true;
}
