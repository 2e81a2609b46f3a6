/* SPDX-License-Identifier: GPL-2.0-only */
/* A hunk as text, plain or for the eye. */
#include "compat/posix.h"
#include "cli/choose/choose-internal.h"

static void add_line(struct strbuf *out, const struct hunk_text *t, size_t i)
{
	strbuf_add(out, hunk_text_line(t, i), hunk_text_len(t, i));
}

/* Text of the coloured line behind the second "@@"; NULL: the line has become something else. */
static const char *colored_heading(const struct chooser *c, const struct hunk_part *h, size_t *len)
{
	const char *line = hunk_text_line(&c->list.colored, h->header_line), *at;
	size_t all = hunk_text_len(&c->list.colored, h->header_line);

	at = memmem(line, all, "@@ -", 4);
	if (at)
		at = memmem(at + 4, all - (size_t)(at - line) - 4, " @@", 3);
	if (at)
		*len = all - (size_t)(at - line) - 3;
	return at ? at + 3 : NULL;
}

static void add_colored_header(const struct chooser *c, const struct hunk_part *h, struct strbuf *out)
{
	size_t len;
	const char *heading = colored_heading(c, h, &len);

	if (!heading) { /* of a split hunk, the first part has what the filter made of it */
		if (h->is_first_part)
			add_line(out, &c->list.colored, h->header_line);
		return;
	}
	strbuf_addstr(out, c->diff_colors[DIFF_COLOR_FRAG]);
	hunk_header_add(out, &h->header);
	if (h->is_first_part)
		strbuf_add(out, heading, len);
	else
		strbuf_addf(out, "%s\n", c->diff_colors[DIFF_COLOR_RESET]);
}

static void add_plain_header(const struct hunk_part *h, struct strbuf *out)
{
	hunk_header_add(out, &h->header);
	if (h->is_first_part)
		strbuf_add(out, h->header.heading, h->header.heading_len);
	strbuf_addch(out, '\n');
}

/* A line that the user has written has the colour of its sign. */
static void add_own_line(const struct chooser *c, const struct hunk_part *h, size_t i, struct strbuf *out)
{
	const char *line = hunk_text_line(h->plain, i);
	size_t len = hunk_text_len(h->plain, i);
	enum diff_color color = *line == '-' ? DIFF_COLOR_OLD : *line == '+' ? DIFF_COLOR_NEW : DIFF_COLOR_CONTEXT;

	if (len && line[len - 1] == '\n')
		len--;
	strbuf_addstr(out, c->diff_colors[color]);
	strbuf_add(out, line, len);
	strbuf_addf(out, "%s\n", c->diff_colors[DIFF_COLOR_RESET]);
}

size_t choose_end_of_header(const struct hunk_file *f)
{
	return f->deleted ? f->from + 1 : f->to;
}

void choose_add_hunk_text(const struct chooser *c, const struct hunk_part *h, bool colored, struct strbuf *out)
{
	const struct hunk_text *shown = colored ? &c->list.colored : h->plain;
	bool own = h->plain != &c->list.plain;

	if (!h->is_mode && h->to > h->from) {
		if (colored)
			add_colored_header(c, h, out);
		else
			add_plain_header(h, out);
	}
	for (size_t i = h->from; i < h->to; i++) {
		if (own && colored)
			add_own_line(c, h, i, out);
		else
			add_line(out, shown, i);
	}
}

void choose_add_shown(const struct file_prompt *p, bool colored, struct strbuf *out)
{
	const struct hunk_file *f = p->f;
	const struct hunk_part *h = &f->hunks[p->at];
	const struct hunk_text *shown = colored ? &p->c->list.colored : &p->c->list.plain;
	bool whole = f->deleted && h->to > h->from; /* the file's lines, as the filter made them: the hunk is not edited */

	for (size_t i = choose_end_of_header(f); i < (whole ? h->to : f->to); i++)
		add_line(out, shown, i);
	if (!whole)
		choose_add_hunk_text(p->c, h, colored, out);
}
