/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <regex.h>
#include "compat/regexec.h"
#include "diff/diff-internal.h"
#include "diff/hunk-internal.h"
#include "diff/line-spec.h"
#include "util/alloc.h"

/* ---- parsing ---- */

/* One of the two ends of a range, or the name of a function. */
struct place {
	enum { PLACE_NONE, PLACE_LINE, PLACE_ABOVE, PLACE_BELOW, PLACE_PATTERN, PLACE_NAME } kind;
	long number;	     /* a line, from 1; or how many lines there are from the start on */
	bool from_top;	     /* '^': the pattern is searched for from the first line on */
	const char *pattern; /* not terminated */
	size_t len;
};

struct line_spec {
	struct place start, end;
	const char *file;
};

/* Up to the delimiter; '\' takes its meaning away. False: there is none. */
static bool parse_pattern(const char **s, char delimiter, struct place *out)
{
	const char *at = out->pattern = *s;

	for (; *at && *at != delimiter; at++)
		if (*at == '\\' && at[1])
			at++;
	out->len = (size_t)(at - out->pattern);
	*s = at + 1;
	return *at != '\0';
}

static bool parse_number(const char **s, struct place *out)
{
	char *end;

	out->number = strtol(*s, &end, 10);
	if (end == *s)
		return false;
	*s = end;
	return true;
}

static bool parse_start(const char **s, struct place *out)
{
	const char *at = *s;

	out->from_top = *at == '^';
	at += out->from_top;
	if (*at == '/' || *at == ':') {
		out->kind = *at == '/' ? PLACE_PATTERN : PLACE_NAME;
		*s = at + 1;
		return parse_pattern(s, *at, out) && (out->len || *at == '/');
	}
	if (!out->from_top && parse_number(s, out))
		out->kind = PLACE_LINE;
	return true;
}

static bool parse_end(const char **s, struct place *out)
{
	if (**s == '/') {
		out->kind = PLACE_PATTERN;
		++*s;
		return parse_pattern(s, '/', out);
	}
	if (**s == '+' || **s == '-') {
		out->kind = **s == '+' ? PLACE_BELOW : PLACE_ABOVE;
		++*s;
		return isdigit((unsigned char)**s) && parse_number(s, out);
	}
	if (parse_number(s, out))
		out->kind = PLACE_LINE;
	return true;
}

static bool parse_spec(const char *s, struct line_spec *out)
{
	*out = (struct line_spec){ .file = NULL };
	if (!parse_start(&s, &out->start))
		return false;
	if (out->start.kind == PLACE_NAME) {
		out->file = s;
		return *s != '\0';
	}
	if (*s == ',') {
		s++;
		if (!parse_end(&s, &out->end))
			return false;
	}
	out->file = s + 1;
	return *s == ':' && s[1];
}

const char *line_spec_file(const char *arg)
{
	struct line_spec spec;

	return parse_spec(arg, &spec) ? spec.file : NULL;
}

/* ---- what it means in a text ---- */

struct searched_text {
	const char *text;
	size_t len;
	size_t *lines; /* where they begin; [nr] is the end */
	size_t nr;
	const char *name; /* of the file, as it was given */
};

static void split(struct searched_text *t)
{
	size_t alloc = 0, at = 0;

	for (;;) {
		const char *newline;

		ALLOC_GROW(t->lines, t->nr + 1, alloc);
		t->lines[t->nr] = at;
		if (at == t->len)
			return;
		newline = memchr(t->text + at, '\n', t->len - at);
		at = newline ? (size_t)(newline + 1 - t->text) : t->len;
		t->nr++;
	}
}

/* The line, not above `line`, in which the byte is. */
static size_t line_of_byte(const struct searched_text *t, size_t byte, size_t line)
{
	while (line + 1 < t->nr && t->lines[line + 1] <= byte)
		line++;
	return line;
}

/* 0, or regexec's failure. *line: where to begin, and the line of the match. */
static int search(const struct searched_text *t, const regex_t *regex, size_t *line)
{
	size_t from = t->lines[*line];
	regmatch_t m;
	int ret = regexec_range(regex, t->text + from, t->len - from, 1, &m, 0);

	if (!ret)
		*line = line_of_byte(t, from + (size_t)m.rm_so, *line);
	return ret;
}

static int line_spec_compile(regex_t *regex, const struct place *p)
{
	char *pattern = xmemdupz(p->pattern, p->len);
	int ret = regcomp(regex, pattern, REG_NEWLINE);

	free(pattern);
	return ret;
}

static int find_pattern(const struct searched_text *t, const struct place *p, size_t from, size_t *out,
			struct err *err)
{
	size_t line = from < t->nr ? from : t->nr;
	regex_t regex;
	char why[256];
	int ret = line_spec_compile(&regex, p);

	if (!ret) {
		ret = search(t, &regex, &line);
		regerror(ret, &regex, why, sizeof(why));
		regfree(&regex);
	} else {
		regerror(ret, &regex, why, sizeof(why));
	}
	if (ret)
		return err_set(err, ret == REG_NOMATCH ? ERR_NOT_FOUND : ERR_INVALID,
			       "-L parameter '%.*s' starting at line %zu: %s", (int)p->len, p->pattern,
			       from + 1, why);
	*out = line;
	return 0;
}

static int line_spec_check_line(long number, struct err *err)
{
	return number > 0 ? 0 : err_set(err, ERR_INVALID, "-L invalid line number: %ld", number);
}

/* The last line; it may be above `start`, or behind the end of the text. */
static int find_end(const struct searched_text *t, const struct place *p, size_t start, size_t *out,
		    struct err *err)
{
	size_t number = (size_t)p->number;
	int ret = 0;

	switch (p->kind) {
	case PLACE_LINE:
		*out = number - 1;
		return line_spec_check_line(p->number, err);
	case PLACE_PATTERN:
		return find_pattern(t, p, start + 1, out, err);
	case PLACE_ABOVE:
		*out = start >= number ? start - number + 1 : 0;
		break;
	case PLACE_BELOW:
		*out = number < t->nr ? start + number - 1 : t->nr;
		break;
	default:
		*out = t->nr > start ? t->nr - 1 : start;
		return 0;
	}
	if (!number)
		ret = err_set(err, ERR_INVALID, "-L invalid empty range");
	return ret;
}

static int find_start(const struct searched_text *t, const struct place *p, size_t anchor, size_t *out,
		      struct err *err)
{
	if (p->kind == PLACE_PATTERN)
		return find_pattern(t, p, p->from_top ? 0 : anchor, out, err);
	*out = p->kind == PLACE_LINE ? (size_t)p->number - 1 : 0;
	return p->kind == PLACE_LINE ? line_spec_check_line(p->number, err) : 0;
}

static int find_lines(struct line_range *out, const struct searched_text *t, const struct line_spec *spec,
		      size_t anchor, struct err *err)
{
	size_t start, end, last;
	int ret = find_start(t, &spec->start, anchor, &start, err);

	if (!ret)
		ret = find_end(t, &spec->end, start, &end, err);
	if (ret < 0)
		return ret;
	last = start > end ? start : end;
	start = start > end ? end : start;
	if (start >= t->nr && (t->nr || spec->start.kind != PLACE_NONE))
		return err_set(err, ERR_NOT_FOUND, "file %s has only %zu lines", t->name, t->nr);
	*out = (struct line_range){ start, last < t->nr ? last + 1 : t->nr };
	return 0;
}

/* ---- functions ---- */

static bool line_spec_names_function(const struct searched_text *t, size_t line,
				     const struct funcname *f)
{
	const struct text_line l = { t->text + t->lines[line], t->lines[line + 1] - t->lines[line] };

	return funcname_of_line(f, &l, NULL);
}

/* The first function whose line matches, with all lines up to the next function. */
static int find_function(struct line_range *out, const struct searched_text *t, const struct place *p,
			 size_t anchor, const struct funcname *f, struct err *err)
{
	size_t from = p->from_top ? 0 : anchor, line = from, end;
	regex_t regex;
	char why[256];
	int ret = line_spec_compile(&regex, p);

	if (ret) {
		regerror(ret, &regex, why, sizeof(why));
		return err_set(err, ERR_INVALID, "-L parameter '%.*s': %s", (int)p->len, p->pattern, why);
	}
	while (line < t->nr && !(ret = search(t, &regex, &line)) && !line_spec_names_function(t,
											      line, f))
		line++;
	regfree(&regex);
	if (ret || line >= t->nr)
		return err_set(err, ERR_NOT_FOUND, "-L parameter '%.*s' starting at line %zu: no match",
			       (int)p->len, p->pattern, from + 1);
	for (end = line + 1; end < t->nr && !line_spec_names_function(t, end, f);)
		end++;
	*out = (struct line_range){ line, end };
	return 0;
}

static int find_named(struct line_range *out, const struct searched_text *t, const struct place *p,
		      size_t anchor, const char *path, const struct diff_options *o, struct err *err)
{
	struct diff_driver driver;
	struct funcname *f;
	int ret;

	diff_driver_of(o, path, &driver);
	ret = funcname_new(&f, &driver, err);
	if (!ret)
		ret = find_function(out, t, p, anchor, f, err);
	funcname_free(f);
	return ret;
}

int line_spec_find(struct line_range *out, const char *arg, struct diff_file *file, size_t anchor,
		   const struct diff_options *o, struct err *err)
{
	struct searched_text t = { .text = "" };
	struct line_spec spec;
	int ret;

	if (!parse_spec(arg, &spec))
		return err_set(err, ERR_INVALID, "-L argument not 'start,end:file' or ':funcname:file': %s",
			       arg);
	ret = diff_file_load(file, o, err);
	if (ret < 0)
		return ret;
	t.name = spec.file;
	t.len = file->content.size;
	if (t.len)
		t.text = file->content.data;
	split(&t);
	if (spec.start.kind == PLACE_NAME)
		ret = find_named(out, &t, &spec.start, anchor, file->path, o, err);
	else
		ret = find_lines(out, &t, &spec, anchor, err);
	free(t.lines);
	diff_file_unload(file);
	return ret;
}
