/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <sys/ioctl.h>
#include "cli/column.h"
#include "util/alloc.h"
#include "util/color.h"
#include "util/utf8.h"

/* ---- configuration and options ---- */

static const struct word {
	const char *name;
	unsigned clear, set;
	bool enables; /* says when, not how */
} words[] = {
	{ "always", COLUMN_AUTO, COLUMN_ENABLED, true },
	{ "never", COLUMN_AUTO | COLUMN_ENABLED, 0, true },
	{ "auto", COLUMN_ENABLED, COLUMN_AUTO, true },
	{ "column", COLUMN_ROW | COLUMN_PLAIN, 0, false },
	{ "row", COLUMN_PLAIN, COLUMN_ROW, false },
	{ "plain", COLUMN_ROW, COLUMN_PLAIN, false },
	{ "dense", 0, COLUMN_DENSE, false },
	{ "nodense", COLUMN_DENSE, 0, false },
};

static const struct word *find_word(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].name) == len && !memcmp(words[i].name, s, len))
			return &words[i];
	return NULL;
}

/* -1: a word is unknown; the error has been printed. */
static int parse_words(unsigned *columns, const char *text)
{
	bool enables = false, lays_out = false;
	unsigned value = *columns;

	while (*text) {
		size_t len = strcspn(text, " ,");
		const struct word *w = find_word(text, len);

		if (len && !w)
			return error("unsupported option '%.*s'", (int)len, text);
		if (w) {
			value = (value & ~w->clear) | w->set;
			enables |= w->enables;
			lays_out |= (w->clear & COLUMN_PLAIN) || (w->set & COLUMN_PLAIN);
		}
		text += len + (text[len] != '\0');
	}
	if (lays_out && !enables)
		value = (value & ~COLUMN_AUTO) | COLUMN_ENABLED;
	*columns = value;
	return 0;
}

unsigned column_config(struct repository *r, const char *command)
{
	char *own = xstrfmt("column.%s", command);
	unsigned columns = 0;
	const struct config_set *config = command_config(r);
	struct err err = ERR_INIT;

	/* in the order in which they were read: the last one wins, whichever it is */
	for (size_t i = 0; i < config_nr(config); i++) {
		const struct config_entry *e = config_at(config, i);

		if (strcmp(e->key, "column.ui") && strcmp(e->key, own))
			continue;
		if (!e->value) {
			if (config_entry_bad(e, &err, "missing value") < 0)
				die_err(&err);
		} else if (parse_words(&columns, e->value) < 0) {
			die("invalid %s mode %s", e->key, e->value);
		}
	}
	free(own);
	return columns;
}

int column_parse_option(const struct option *opt, const char *arg, int unset)
{
	unsigned *columns = opt->value;

	*columns = (*columns & ~(COLUMN_ENABLED | COLUMN_AUTO)) | COLUMN_EXPLICIT;
	if (unset)
		return 0;
	*columns |= COLUMN_ENABLED;
	return arg ? parse_words(columns, arg) : 0;
}

void column_resolve(unsigned *columns)
{
	if (!(*columns & COLUMN_AUTO))
		return;
	*columns &= ~COLUMN_AUTO;
	if (isatty(STDOUT_FILENO) || pager_in_use())
		*columns |= COLUMN_ENABLED;
}

/* ---- layout ---- */

int terminal_columns(void)
{
	const char *env = getenv("COLUMNS");
	struct winsize ws;

	if (env && atoi(env) > 0)
		return atoi(env);
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_col)
		return ws.ws_col;
	return 80;
}

struct table {
	const struct strvec *items;
	int *widths; /* of the items */
	size_t rows, cols;
	int *col_widths, widest;
	bool by_rows;
	int padding, width;
};

static size_t item_at(const struct table *t, size_t row, size_t col)
{
	return t->by_rows ? row * t->cols + col : col * t->rows + row;
}

static void measure_columns(struct table *t)
{
	for (size_t c = 0; c < t->cols; c++) {
		t->col_widths[c] = 0;
		for (size_t r = 0; r < t->rows; r++) {
			size_t i = item_at(t, r, c);

			if (i < t->items->nr && t->widths[i] > t->col_widths[c])
				t->col_widths[c] = t->widths[i];
		}
	}
}

static int total_width(const struct table *t)
{
	int sum = 0;

	for (size_t c = 0; c < t->cols; c++)
		sum += t->col_widths[c] + t->padding;
	return sum;
}

/* As few rows as the width allows. */
static void shrink(struct table *t)
{
	size_t nr = t->items->nr;

	measure_columns(t);
	while (t->rows > 1) {
		size_t rows = t->rows, cols = t->cols;

		t->rows--;
		t->cols = (nr + t->rows - 1) / t->rows;
		measure_columns(t);
		if (total_width(t) > t->width) {
			t->rows = rows;
			t->cols = cols;
			measure_columns(t);
			return;
		}
	}
}

static void lay_out(struct table *t, bool dense)
{
	size_t nr = t->items->nr;
	int cell;

	t->widths = xcalloc(nr, sizeof(*t->widths));
	t->col_widths = xcalloc(nr, sizeof(*t->col_widths));
	for (size_t i = 0; i < nr; i++) {
		t->widths[i] = utf8_width(t->items->v[i], strlen(t->items->v[i]), true);
		t->widest = t->widths[i] > t->widest ? t->widths[i] : t->widest;
	}
	cell = t->widest + t->padding;
	t->cols = t->width > cell ? (size_t)(t->width / cell) : 1;
	t->cols = t->cols < nr ? t->cols : nr;
	t->rows = (nr + t->cols - 1) / t->cols;
	for (size_t c = 0; c < t->cols; c++)
		t->col_widths[c] = t->widest;
	if (dense)
		shrink(t);
}

static bool ends_line(const struct table *t, size_t i, size_t col)
{
	return t->by_rows ? col == t->cols - 1 || i == t->items->nr - 1 :
			    i + t->rows >= t->items->nr;
}

static void print_table(struct strbuf *out, const struct table *t, const char *indent,
			const char *newline)
{
	for (size_t row = 0; row < t->rows; row++) {
		for (size_t col = 0; col < t->cols; col++) {
			size_t i = item_at(t, row, col);

			if (i >= t->items->nr)
				break;
			strbuf_addstr(out, col ? "" : indent);
			strbuf_addstr(out, t->items->v[i]);
			if (ends_line(t, i, col))
				strbuf_addstr(out, newline);
			else
				strbuf_addchars(out, ' ', (size_t)(t->col_widths[col] + t->padding -
								   t->widths[i]));
		}
	}
}

void column_print(struct strbuf *out, const struct strvec *items, unsigned columns,
		  const struct column_layout *l)
{
	const char *indent = l && l->indent ? l->indent : "";
	const char *newline = l && l->newline ? l->newline : "\n";
	struct table t = { .items = items, .by_rows = columns & COLUMN_ROW };

	if (!items->nr)
		return;
	if (!column_active(columns) || (columns & COLUMN_PLAIN)) {
		for (size_t i = 0; i < items->nr; i++)
			strbuf_addf(out, "%s%s%s", indent, items->v[i], newline);
		return;
	}
	t.padding = l && l->padding ? (l->padding < 0 ? 0 : l->padding) : 1;
	t.width = (l && l->width ? l->width : terminal_columns() - 1) - (int)strlen(indent);
	lay_out(&t, columns & COLUMN_DENSE);
	print_table(out, &t, indent, newline);
	free(t.widths);
	free(t.col_widths);
}
