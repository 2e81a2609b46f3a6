/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "index/pattern-list.h"
#include "util/alloc.h"

/* Trailing spaces do not count unless one is quoted with a backslash. */
static size_t trimmed_length(const char *line, size_t len)
{
	size_t keep = 0;

	for (size_t i = 0; i < len; i++) {
		if (line[i] == '\\' && i + 1 < len) {
			i++;
			keep = i + 1;
		} else if (line[i] != ' ') {
			keep = i + 1;
		}
	}
	return keep;
}

void pattern_list_add(struct pattern_list *l, const char *line, size_t len, const char *base,
		      int line_nr)
{
	struct ignore_pattern *p;
	const char *text = line;
	size_t text_len = len;

	CALLOC_ARRAY(p, 1);
	p->text = xmemdupz(line, len);
	p->source = l->source;
	p->line = line_nr;
	if (text_len && *text == '!') {
		p->negated = true;
		text++;
		text_len--;
	}
	path_pattern_init(&p->pat, text, text_len, base, strlen(base));
	ALLOC_GROW(l->items, l->nr + 1, l->alloc);
	l->items[l->nr++] = p;
}

void pattern_list_parse(struct pattern_list *l, const char *buf, size_t len, const char *base)
{
	const char *end = buf + len;
	int line_nr = 0;

	if (len >= 3 && !memcmp(buf, "\xef\xbb\xbf", 3))
		buf += 3;
	while (buf < end) {
		const char *nl = memchr(buf, '\n', (size_t)(end - buf));
		const char *next = nl ? nl + 1 : end;
		size_t n = (size_t)((nl ? nl : end) - buf);

		bool some = n && *buf != '#';

		line_nr++;
		if (n && buf[n - 1] == '\r')
			n--;
		/* Git's lines end at NUL. One of blanks alone is an empty pattern; it matches "" as in "dir/". */
		if (some)
			pattern_list_add(l, buf, trimmed_length(buf, strnlen(buf, n)), base, line_nr);
		buf = next;
	}
}

void pattern_list_release(struct pattern_list *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		path_pattern_release(&l->items[i]->pat);
		free(l->items[i]->text);
		free(l->items[i]);
	}
	FREE_AND_NULL(l->items);
	FREE_AND_NULL(l->source);
	l->nr = l->alloc = 0;
}

const struct ignore_pattern *pattern_list_match(const struct pattern_list *l, const char *path,
						size_t len, bool is_dir, bool icase)
{
	const char *name = pattern_basename(path, len);

	for (size_t i = l->nr; i-- > 0;)
		if (path_pattern_match(&l->items[i]->pat, path, len, name, is_dir, icase))
			return l->items[i];
	return NULL;
}
