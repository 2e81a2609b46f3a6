/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "util/alloc.h"
#include "util/strbuf.h"
#include "util/strvec.h"

const char *strvec_empty[1] = { NULL };

void strvec_init(struct strvec *sv)
{
	sv->v = strvec_empty;
	sv->nr = sv->alloc = 0;
}

/* Room for one more string and the NULL. */
static void strvec_make_room(struct strvec *sv)
{
	if (sv->v == strvec_empty)
		sv->v = NULL;
	ALLOC_GROW(sv->v, st_add(sv->nr, 2), sv->alloc);
}

static const char *push_owned(struct strvec *sv, char *s)
{
	strvec_make_room(sv);
	sv->v[sv->nr++] = s;
	sv->v[sv->nr] = NULL;
	return s;
}

const char *strvec_push(struct strvec *sv, const char *s)
{
	return push_owned(sv, xstrdup(s));
}

const char *strvec_pushf(struct strvec *sv, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvstrfmt(fmt, ap);
	va_end(ap);
	return push_owned(sv, s);
}

void strvec_pushv(struct strvec *sv, const char *const *v)
{
	for (; *v; v++)
		strvec_push(sv, *v);
}

void strvec_pushl(struct strvec *sv, ...)
{
	va_list ap;
	const char *s;

	va_start(ap, sv);
	while ((s = va_arg(ap, const char *)))
		strvec_push(sv, s);
	va_end(ap);
}


void strvec_remove(struct strvec *sv, size_t pos)
{
	free((char *)sv->v[pos]);
	memmove(sv->v + pos, sv->v + pos + 1, (sv->nr - pos) * sizeof(*sv->v));
	sv->nr--;
}

void strvec_insert(struct strvec *sv, size_t pos, const char *s)
{
	char *copy = xstrdup(s);

	strvec_make_room(sv);
	if (!sv->nr)
		sv->v[0] = NULL;
	memmove(sv->v + pos + 1, sv->v + pos, (sv->nr - pos + 1) * sizeof(*sv->v));
	sv->v[pos] = copy;
	sv->nr++;
}

/* Append one word at *p to `word` and advance. < 0: as strvec_split_cmdline. */
static int parse_cmdline_word(const char **p, struct strbuf *word)
{
	char quote = 0;
	const char *s;

	for (s = *p; *s && (quote || !is_git_blank(*s)); s++) {
		if (quote ? *s == quote : *s == '\'' || *s == '"') {
			quote = quote ? 0 : *s;
			continue;
		}
		if (*s == '\\' && quote != '\'' && !*++s)
			return -2;
		strbuf_addch(word, *s);
	}
	*p = s;
	return quote ? -1 : 0;
}

int strvec_split_cmdline(struct strvec *sv, const char *line)
{
	size_t before = sv->nr;
	struct strbuf word = STRBUF_INIT;
	int ret = 0;

	for (;;) {
		while (is_git_blank(*line))
			line++;
		if (!*line)
			break;
		strbuf_reset(&word);
		ret = parse_cmdline_word(&line, &word);
		if (ret)
			break;
		strvec_push(sv, word.buf);
	}
	while (ret && sv->nr > before)
		strvec_remove(sv, sv->nr - 1);
	strbuf_release(&word);
	return ret;
}

void strvec_clear(struct strvec *sv)
{
	if (sv->v != strvec_empty) {
		for (size_t i = 0; i < sv->nr; i++)
			free((char *)sv->v[i]);
		free(sv->v);
	}
	strvec_init(sv);
}


static int by_strcmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool strvec_contains(const struct strvec *sv, const char *s)
{
	for (size_t i = 0; i < sv->nr; i++)
		if (!strcmp(sv->v[i], s))
			return true;
	return false;
}

void strvec_sort_unique(struct strvec *sv)
{
	size_t kept = 0;

	if (sv->nr < 2)
		return;
	qsort(sv->v, sv->nr, sizeof(*sv->v), by_strcmp);
	for (size_t i = 0; i < sv->nr; i++) {
		if (kept && !strcmp(sv->v[kept - 1], sv->v[i]))
			free((char *)sv->v[i]);
		else
			sv->v[kept++] = sv->v[i];
	}
	sv->nr = kept;
	sv->v[kept] = NULL;
}

void strvec_sort_prefixes(struct strvec *sv)
{
	size_t kept = 0;

	strvec_sort_unique(sv);
	if (!sv->nr)
		return;
	for (size_t i = 0; i < sv->nr; i++) {
		if (kept && !strncmp(sv->v[i], sv->v[kept - 1], strlen(sv->v[kept - 1])))
			free((char *)sv->v[i]);
		else
			sv->v[kept++] = sv->v[i];
	}
	sv->nr = kept;
	sv->v[kept] = NULL;
}
