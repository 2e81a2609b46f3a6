/* SPDX-License-Identifier: GPL-2.0-only */
/* A list from which the user chooses by number, by range, or by the beginning of a name. */
#include "compat/posix.h"
#include "cli/choose/menu.h"
#include "util/alloc.h"

#define COLUMNS 4
#define PREFIX_MAX 4 /* bytes of a name that are shown as its abbreviation */

/* ---- names ---- */

static size_t list_size(const struct menu_list *l)
{
	return l->words ? l->nr_words : l->files->nr;
}

static const char *list_name(const struct menu_list *l, size_t i)
{
	return l->words ? l->words[i] : l->files->items[i].path;
}

static size_t common_length(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* Bytes that no other name begins with; 0: too many, or they mean something else. */
static size_t unique_length(const struct menu_list *l, size_t i)
{
	const char *name = list_name(l, i);
	size_t len = 1;

	for (size_t k = 0; k < list_size(l); k++) {
		size_t common = k == i ? 0 : common_length(name, list_name(l, k));

		if (common >= len)
			len = common + 1;
	}
	if (len > PREFIX_MAX || len > strlen(name) || *name == '-' || isdigit((unsigned char)*name) ||
	    (len == 1 && strchr("*?", *name)))
		return 0;
	for (size_t k = 0; k < len; k++)
		if (isspace((unsigned char)name[k]) || name[k] == ',' || name[k] & 0x80)
			return 0;
	return len;
}

/* The one name that is, or begins with, the word; -1: none, or several. */
static ssize_t find_name(const struct menu_list *l, const char *word)
{
	ssize_t found = -1;

	for (size_t i = 0; i < list_size(l); i++) {
		if (!strcmp(list_name(l, i), word))
			return (ssize_t)i;
		if (starts_with(list_name(l, i), word))
			found = found == -1 ? (ssize_t)i : -2;
	}
	return found < 0 ? -1 : found;
}

/* ---- printing ---- */

static void print_name(const struct menu *m, const struct menu_list *l, size_t i)
{
	const char *name = list_name(l, i), *color = m->colors.slot[SLOT_PROMPT];
	size_t len = l->prompt ? unique_length(l, i) : 0;

	if (!len)
		fputs(name, stdout);
	else if (*color)
		printf("%s%.*s%s%s", color, (int)len, name, m->colors.reset, name + len);
	else
		printf("[%.*s]%s", (int)len, name, name + len);
}

static void print_lines(const struct changed_lines *lines, const char *none)
{
	char text[64];

	if (!lines->seen)
		snprintf(text, sizeof(text), "%s", none);
	else if (lines->binary)
		snprintf(text, sizeof(text), "binary");
	else
		snprintf(text, sizeof(text), "+%s/-%s", lines->added, lines->deleted);
	printf("%12s ", text);
}

static void print_words(const struct menu *m, const struct menu_list *l)
{
	choose_print_colored(&m->colors, SLOT_HEADER, "*** Commands ***\n");
	for (size_t i = 0; i < l->nr_words; i++) {
		printf(" %2zu: ", i + 1);
		print_name(m, l, i);
		putchar((i + 1) % COLUMNS && i + 1 < l->nr_words ? '\t' : '\n');
	}
}

void menu_print_list(const struct menu *m, const struct menu_list *l, const bool *marked)
{
	if (l->words) {
		print_words(m, l);
		return;
	}
	choose_print_colored(&m->colors, SLOT_HEADER, "     %12s %12s path\n", "staged", "unstaged");
	for (size_t i = 0; i < l->files->nr; i++) {
		const struct changed_file *f = &l->files->items[i];

		printf("%c%2zu: ", marked && marked[i] ? '*' : ' ', i + 1);
		if (!f->untracked) {
			print_lines(&f->index, "unchanged");
			print_lines(&f->files, "nothing");
		}
		print_name(m, l, i);
		putchar('\n');
	}
}

static void print_prompt_help(const struct menu *m, const struct menu_list *l)
{
	static const char *const one[] = {
		"Prompt help:", "1          - select a numbered item", "foo        - select item based on unique prefix",
		"           - (empty) select nothing", NULL
	};
	static const char *const many[] = {
		"Prompt help:", "1          - select a single item", "3-5        - select a range of items",
		"2-3,6-9    - select multiple ranges", "foo        - select item based on unique prefix",
		"-...       - unselect specified items", "*          - choose all items",
		"           - (empty) finish selecting", NULL
	};

	for (const char *const *line = l->words ? one : many; *line; line++)
		choose_print_colored(&m->colors, SLOT_HELP, "%s\n", *line);
}

/* ---- answers ---- */

/* "3", "3-5", "3-": items from .. to-1. False: it is no number. Bytes behind the first number: up to the end, as in Git. */
static bool parse_numbers(const char *word, size_t nr, size_t *from, size_t *to)
{
	char *end;
	unsigned long first = isdigit((unsigned char)*word) ? strtoul(word, &end, 10) : 0, last = nr;

	if (!first)
		return false;
	if (!*end)
		last = first;
	else if (*end == '-' && end[1]) {
		if (isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (*end)
			return false;
	}
	*from = first - 1;
	*to = last < nr || first > nr ? last : nr;
	return true;
}

/* What a word of the answer stands for. False: nothing. */
static bool find_range(const struct menu_list *l, const char *word, size_t *from, size_t *to)
{
	size_t nr = list_size(l);
	ssize_t found;

	if (!strcmp(word, "*")) {
		*from = 0;
		*to = nr;
	} else if (!parse_numbers(word, nr, from, to)) {
		found = find_name(l, word);
		if (found < 0)
			return false;
		*from = (size_t)found;
		*to = *from + 1;
	}
	return *from < nr && (!l->words || *from + 1 == *to);
}

/* The words of m->answer are carried out, up to one that is not understood; *one: the item, for a list of words. */
static void take_answer(struct menu *m, const struct menu_list *l, bool *marked, ssize_t *one)
{
	char *copy = xstrdup(m->answer.buf), *state = NULL;

	for (char *word = strtok_r(copy, " \t\n\r,", &state); word; word = strtok_r(NULL, " \t\n\r,", &state)) {
		bool mark = *word != '-';
		size_t from, to;

		word += !mark;
		if (!find_range(l, word, &from, &to)) {
			choose_print_error(&m->colors, "Huh (%s)?", word);
			break;
		}
		if (l->words)
			*one = (ssize_t)from;
		for (size_t i = from; marked && i < to; i++)
			marked[i] = mark;
		if (l->words)
			break;
	}
	free(copy);
}

static size_t count_marks(const bool *marked, size_t nr)
{
	size_t n = 0;

	for (size_t i = 0; i < nr; i++)
		n += marked[i];
	return n;
}

ssize_t menu_choose(struct menu *m, const struct menu_list *l, bool *marked)
{
	ssize_t one = MENU_NONE;

	for (;;) {
		menu_print_list(m, l, marked);
		choose_print_colored(&m->colors, SLOT_PROMPT, "%s", l->prompt);
		fputs(l->words ? "> " : ">> ", stdout);
		if (!choose_read_line(&m->answer)) {
			putchar('\n');
			return l->words || !count_marks(marked, list_size(l)) ? MENU_ENDED : (ssize_t)count_marks(marked, list_size(l));
		}
		if (!m->answer.len)
			break;
		if (!strcmp(m->answer.buf, "?")) {
			print_prompt_help(m, l);
			continue;
		}
		take_answer(m, l, marked, &one);
		if ((l->words && one >= 0) || l->immediate || !strcmp(m->answer.buf, "*"))
			break;
	}
	return l->words ? one : (ssize_t)count_marks(marked, list_size(l));
}
