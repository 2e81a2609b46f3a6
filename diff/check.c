/* SPDX-License-Identifier: GPL-2.0-only */
/* --check: whitespace errors and conflict markers that added lines bring. */
#include "compat/posix.h"
#include "diff/diff-internal.h"
#include "diff/hunk-internal.h"
#include "diff/text-internal.h"
#include "diff/whitespace.h"
#include "object/tree.h"

struct checker {
	const struct diff_options *o;
	struct strbuf *out;
	const char *name;
	unsigned rule;
	size_t marker; /* length of conflict markers */
	bool failed;
};

/* "<<<<<<< ", "=======" and the like: as many of one character, then space. */
static bool is_conflict_marker(const struct text_line *l, size_t marker)
{
	if (l->len <= marker || !strchr("=<>|", l->text[0]) || !l->text[0])
		return false;
	for (size_t i = 1; i < marker; i++)
		if (l->text[i] != l->text[0])
			return false;
	return diff_is_space(l->text[marker]);
}

static void begin(struct checker *c, size_t line)
{
	c->failed = true;
	if (c->o->line_prefix)
		strbuf_addstr(c->out, c->o->line_prefix);
	strbuf_addf(c->out, "%s:%zu: ", c->name, line);
}

static void check_line(struct checker *c, size_t line, const struct text_line *l)
{
	size_t len = l->len;
	unsigned errors;

	if (is_conflict_marker(l, c->marker)) {
		begin(c, line);
		strbuf_addstr(c->out, "leftover conflict marker\n");
	}
	len -= len && l->text[len - 1] == '\n';
	errors = whitespace_errors(c->rule, l->text, len);
	if (!errors)
		return;
	begin(c, line);
	whitespace_describe(c->out, errors);
	strbuf_addstr(c->out, ".\n");
	if (c->o->line_prefix)
		strbuf_addstr(c->out, c->o->line_prefix);
	strbuf_addf(c->out, "%s+%s", diff_color_of(c->o, DIFF_COLOR_NEW),
		    diff_color_of(c->o, DIFF_COLOR_RESET));
	if (c->o->color)
		whitespace_add_text(c->out, c->o, c->rule, DIFF_COLOR_NEW, l->text, len);
	else
		strbuf_add(c->out, l->text, len);
	strbuf_addch(c->out, '\n');
}

static void check_text(struct checker *c, const struct text_diff *d)
{
	struct blank_at_eof eof = hunks_blank_at_eof(d);

	for (size_t i = 0; i < d->nr; i++)
		for (size_t n = 0; n < d->changes[i].new_nr; n++) {
			size_t at = d->changes[i].new_first + n;

			check_line(c, at + 1, &d->side[1].lines[at]);
		}
	if (!eof.new_line || !(c->rule & WS_BLANK_AT_EOF))
		return;
	begin(c, eof.new_line + 1);
	whitespace_describe(c->out, WS_BLANK_AT_EOF);
	strbuf_addstr(c->out, ".\n");
}

int diff_add_check(struct diff_pair *p, const struct diff_options *o, struct strbuf *out,
		   bool *failed, struct err *err)
{
	struct checker c = { .o = o, .out = out, .name = diff_shown_path(o, p->new->path) };
	struct diff_driver driver;
	struct text_diff d;
	int ret;

	if (p->unmerged || !diff_file_exists(p->new) || MODE_IS_TREE(p->new->mode) ||
	    MODE_IS_TREE(p->old->mode))
		return 0;
	ret = diff_file_binary(p->new, o, err);
	if (!ret)
		ret = diff_file_load(p->old, o, err);
	if (!ret)
		ret = diff_file_load(p->new, o, err);
	if (ret < 0 || p->new->is_binary)
		return ret;
	diff_driver_of(o, p->new->path, &driver);
	c.rule = diff_whitespace_of(o, &driver);
	c.marker = driver.marker_size;
	text_diff(&d, p->old->content.data, p->old->content.size, p->new->content.data,
		  p->new->content.size, o);
	check_text(&c, &d);
	text_diff_release(&d);
	*failed |= c.failed;
	return 0;
}
