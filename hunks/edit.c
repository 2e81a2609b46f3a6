/* SPDX-License-Identifier: GPL-2.0-only */
/* The user has written the lines of a hunk anew. */
#include "compat/posix.h"
#include "hunks/hunks.h"
#include "util/alloc.h"

static void recount(struct hunk_part *h)
{
	h->header.old_nr = h->header.new_nr = 0;
	for (size_t i = h->from; i < h->to; i++)
		switch (*hunk_text_line(h->plain, i)) {
		case '-':
			h->header.old_nr++;
			break;
		case '+':
			h->header.new_nr++;
			break;
		case ' ':
		case '\r':
		case '\n':
			h->header.old_nr++;
			h->header.new_nr++;
			break;
		}
}

/* A first line that is a header gives positions. */
static int take_header(struct hunk_part *h, struct err *err)
{
	const char *line = hunk_text_line(h->plain, 0);
	size_t len = hunk_text_len(h->plain, 0);

	if (*line != '@')
		return 0;
	if (!hunk_header_parse(&h->header, line, len))
		return err_set(err, ERR_INVALID, "could not parse hunk header '%.*s'", (int)len - (line[len - 1] == '\n'), line);
	h->from = 1;
	return 0;
}

int hunk_replace(struct hunk_list *l, struct hunk_part *h, struct strbuf *text, bool *empty, struct err *err)
{
	struct hunk_part new = *h;
	struct hunk_text *lines;
	int rc;

	*empty = !text->len;
	if (*empty)
		return 0;
	lines = xcalloc(1, sizeof(*lines));
	hunk_text_attach(lines, text);
	ALLOC_GROW(l->edits, l->nr_edits + 1, l->alloc_edits);
	l->edits[l->nr_edits++] = lines;
	new.plain = lines;
	new.from = 0;
	new.to = lines->nr;
	rc = take_header(&new, err);
	if (rc)
		return rc;
	recount(&new);
	new.parts = hunk_count_parts(&new);
	new.grown += (long)(new.header.new_nr - new.header.old_nr) - (long)(h->header.new_nr - h->header.old_nr);
	*h = new;
	return 0;
}
