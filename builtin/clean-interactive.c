/* SPDX-License-Identifier: GPL-2.0-only */
/* git-clean(1), -i: the user chooses which of the items go. */
#include "compat/posix.h"
#include "builtin/clean.h"
#include "cli/column.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/quote.h"
#include "util/strvec.h"

#define INPUT_MAX 4096 /* bytes of an answer */

struct session {
	struct repository *repo;
	const char *prefix;
	struct string_list *items;
	unsigned columns;
};

/* ---- prompts ---- */

/* An answer without its line break. False: the input has ended. */
static bool ask_line(const char *prompt, char *answer)
{
	fputs(prompt, stdout);
	fflush(stdout);
	if (!fgets(answer, INPUT_MAX, stdin)) {
		*answer = '\0';
		return false;
	}
	answer[strcspn(answer, "\r\n")] = '\0';
	return true;
}

/* The same without white space around it. */
static bool ask(const char *prompt, char *answer)
{
	bool more = ask_line(prompt, answer);
	size_t len = strlen(answer), start;

	while (len && isspace((unsigned char)answer[len - 1]))
		len--;
	answer[len] = '\0';
	start = strspn(answer, " \t");
	memmove(answer, answer + start, strlen(answer + start) + 1);
	return more;
}

static char *shown_name(const struct session *s, const char *path)
{
	struct strbuf rel = STRBUF_INIT, out = STRBUF_INIT;

	strbuf_add_from_prefix(&rel, path, s->prefix);
	quote_c_style(&out, rel.buf, rel.len, s->repo->settings.quote_path);
	strbuf_release(&rel);
	return strbuf_detach(&out, NULL);
}

static void print_columns(const struct strvec *names, unsigned columns)
{
	const struct column_layout l = { .indent = "  ", .padding = 2 };
	struct strbuf out = STRBUF_INIT;

	column_print(&out, names, columns, &l);
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
}

static void print_items(const struct session *s)
{
	struct strvec names = STRVEC_INIT;

	for (size_t i = 0; i < s->items->nr; i++) {
		char *name = shown_name(s, s->items->items[i].string);

		strvec_push(&names, name);
		free(name);
	}
	print_columns(&names, s->columns);
	strvec_clear(&names);
}

static void print_menu(const struct strvec *names, const bool *chosen)
{
	struct strvec lines = STRVEC_INIT;

	for (size_t i = 0; i < names->nr; i++)
		strvec_pushf(&lines, "%s%2zu: %s", chosen && chosen[i] ? "*" : " ", i + 1, names->v[i]);
	print_columns(&lines, COLUMN_ENABLED | COLUMN_ROW);
	strvec_clear(&lines);
}

/* ---- one word of a choice ---- */

/* The only name that begins like this: its index; nr: none, or several. */
static size_t find_prefix(const struct strvec *names, const char *word, size_t len)
{
	size_t found = names->nr;

	for (size_t i = 0; i < names->nr; i++) {
		if (strncasecmp(names->v[i], word, len))
			continue;
		if (found < names->nr)
			return names->nr;
		found = i;
	}
	return found;
}

/* "N", "N-", "N-M", "*" or the start of a name: from 1 to nr. */
static bool parse_choice(const struct strvec *names, const char *word, size_t *from, size_t *to)
{
	char *end;

	if (!strcmp(word, "*")) {
		*from = 1;
		*to = names->nr;
		return true;
	}
	if (isdigit((unsigned char)*word)) {
		*from = *to = strtoul(word, &end, 10);
		if (*end == '-' && !end[1]) {
			*to = names->nr;
			end++;
		} else if (*end == '-' && isdigit((unsigned char)end[1])) {
			*to = strtoul(end + 1, &end, 10);
		}
		if (!*end)
			return *from && *from <= *to && *to <= names->nr;
	}
	*from = *to = find_prefix(names, word, strlen(word)) + 1;
	return *from <= names->nr;
}

static void choose_words(const struct strvec *names, char *answer, bool *chosen)
{
	char *save = NULL;

	for (char *w = strtok_r(answer, " ,\t", &save); w; w = strtok_r(NULL, " ,\t", &save)) {
		bool on = *w != '-';
		size_t from, to;

		if (!parse_choice(names, w + !on, &from, &to)) {
			printf("Huh (%s)?\n", w + !on);
			continue;
		}
		for (size_t i = from; i <= to; i++)
			chosen[i - 1] = on;
	}
}

/* ---- the commands ---- */

static void keep_chosen(struct session *s, const bool *chosen)
{
	struct string_list kept = { 0 };

	for (size_t i = 0; i < s->items->nr; i++)
		if (chosen[i])
			string_list_insert(&kept, s->items->items[i].string);
	string_list_clear(s->items, NULL);
	*s->items = kept;
}

static void filter_by_pattern(struct session *s)
{
	char answer[INPUT_MAX];

	print_items(s);
	while (s->items->nr) {
		struct ignore *rules = ignore_new_empty(s->repo, NULL);
		bool *chosen = xcalloc(s->items->nr, sizeof(*chosen)), any = false, more;
		char *save = NULL, *text;

		more = ask("Input ignore patterns>> ", answer);
		if (!more)
			putchar('\n');
		text = xstrdup(answer);
		for (char *w = strtok_r(answer, " \t", &save); w; w = strtok_r(NULL, " \t", &save))
			ignore_add_pattern(rules, w);
		for (size_t i = 0; *text && i < s->items->nr; i++) {
			const char *path = s->items->items[i].string;
			bool dir = ends_with(path, "/");

			chosen[i] = !ignore_is_ignored(rules, path, strlen(path) - dir, dir);
			any |= !chosen[i];
		}
		if (any)
			keep_chosen(s, chosen);
		if (any && s->items->nr)
			print_items(s);
		else if (*text && !any)
			printf("WARNING: Cannot find items matched by: %s\n", text);
		more = more && *text;
		free(text);
		free(chosen);
		ignore_free(rules);
		if (!more)
			return;
	}
}

static void select_by_numbers(struct session *s)
{
	bool *chosen = xcalloc(s->items->nr + 1, sizeof(*chosen));
	struct strvec names = STRVEC_INIT;
	char answer[INPUT_MAX];

	for (size_t i = 0; i < s->items->nr; i++) {
		char *name = shown_name(s, s->items->items[i].string);

		strvec_push(&names, name);
		free(name);
	}
	for (;;) {
		print_menu(&names, chosen);
		if (!ask("Select items to delete>> ", answer)) {
			memset(chosen, 0, s->items->nr * sizeof(*chosen));
			break;
		}
		if (!*answer)
			break;
		if (!strcmp(answer, "?"))
			fputs("Prompt help:\n"
			      "1          - select a single item\n"
			      "3-5        - select a range of items\n"
			      "2-3,6-9    - select multiple ranges\n"
			      "foo        - select item based on unique prefix\n"
			      "-...       - unselect specified items\n"
			      "*          - choose all items\n"
			      "           - (empty) finish selecting\n", stdout);
		else
			choose_words(&names, answer, chosen);
	}
	keep_chosen(s, chosen);
	strvec_clear(&names);
	free(chosen);
}

/* After the end of the input, and for anything but "y", "ye" and "yes": no. */
static void ask_each(struct session *s)
{
	bool *chosen = xcalloc(s->items->nr + 1, sizeof(*chosen)), more = true;
	char answer[INPUT_MAX];

	for (size_t i = 0; more && i < s->items->nr; i++) {
		char *name = shown_name(s, s->items->items[i].string);
		char *prompt = xstrfmt("Remove %s [y/N]? ", name);

		more = ask_line(prompt, answer);
		if (!more)
			putchar('\n');
		chosen[i] = *answer && !strncasecmp(answer, "yes", strlen(answer));
		free(prompt);
		free(name);
	}
	keep_chosen(s, chosen);
	free(chosen);
}

static void print_help(void)
{
	fputs("clean               - start cleaning\n"
	      "filter by pattern   - exclude items from deletion\n"
	      "select by numbers   - select items to be deleted by numbers\n"
	      "ask each            - confirm each deletion (like \"rm -i\")\n"
	      "quit                - stop cleaning\n"
	      "help                - this screen\n"
	      "?                   - help for prompt selection\n", stdout);
}

enum clean_command { CLEAN_START = 1, CLEAN_FILTER, CLEAN_SELECT, CLEAN_ASK, CLEAN_QUIT, CLEAN_HELP };

/* 0: nothing that is understood. */
static int ask_command(void)
{
	struct strvec names = STRVEC_INIT;
	char answer[INPUT_MAX];
	size_t from = 0, to;

	strvec_pushl(&names, "clean", "filter by pattern", "select by numbers", "ask each", "quit", "help", NULL);
	puts("*** Commands ***");
	print_menu(&names, NULL);
	if (!ask("What now> ", answer))
		from = CLEAN_QUIT;
	else if (!strcmp(answer, "?"))
		fputs("Prompt help:\n"
		      "1          - select a numbered item\n"
		      "foo        - select item based on unique prefix\n"
		      "           - (empty) select nothing\n", stdout);
	else if (*answer && (strchr("*-", *answer) || !parse_choice(&names, answer, &from, &to) || from != to)) {
		printf("Huh (%s)?\n", answer);
		from = 0;
	}
	strvec_clear(&names);
	return (int)from;
}

void clean_interactive(struct repository *r, const char *prefix, struct string_list *items)
{
	struct session s = { r, prefix, items, column_config(r, "clean") };
	bool show = true;

	s.columns |= COLUMN_ENABLED;
	s.columns &= ~COLUMN_AUTO;
	while (items->nr) {
		if (show) {
			puts(items->nr == 1 ? "Would remove the following item:" : "Would remove the following items:");
			print_items(&s);
		}
		show = true;
		switch (ask_command()) {
		case CLEAN_START: return;
		case CLEAN_FILTER: filter_by_pattern(&s); break;
		case CLEAN_SELECT: select_by_numbers(&s); break;
		case CLEAN_ASK: ask_each(&s); return;
		case CLEAN_HELP: print_help(); break;
		case CLEAN_QUIT:
			string_list_clear(items, NULL);
			puts("Bye.");
			return;
		default: show = false;
		}
	}
	puts("No more files to clean, exiting.");
}
