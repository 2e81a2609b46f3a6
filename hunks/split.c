/* SPDX-License-Identifier: GPL-2.0-only */
/* A hunk whose changes have context between them becomes several. */
#include "compat/posix.h"
#include "hunks/hunks.h"
#include "util/alloc.h"

static char sign_of(const struct hunk_part *h, size_t line)
{
	char c = *hunk_text_line(h->plain, line);

	return c == '\n' || c == '\r' ? ' ' : c;
}

/* The end of the run of context, or of changes, that begins at the line. "\ No newline" belongs to the line before it. */
static size_t end_of_run(const struct hunk_part *h, size_t line, bool context)
{
	while (line < h->to && (sign_of(h, line) == '\\' || (sign_of(h, line) == ' ') == context))
		line++;
	return line;
}

size_t hunk_count_parts(const struct hunk_part *h)
{
	size_t nr = 0;

	for (size_t line = end_of_run(h, h->from, true); line < h->to; nr++)
		line = end_of_run(h, end_of_run(h, line, false), true);
	return nr ? nr : 1;
}

static void count_lines(const struct hunk_part *h, size_t from, size_t to, unsigned long *old_nr, unsigned long *new_nr)
{
	for (size_t i = from; i < to; i++) {
		char sign = sign_of(h, i);

		*old_nr += sign == ' ' || sign == '-';
		*new_nr += sign == ' ' || sign == '+';
	}
}

/* A side without lines has the position of the line before it. */
static unsigned long first_line(unsigned long pos, unsigned long nr)
{
	return pos + !nr;
}

/* The part of h from line `from` to the end of the context behind its changes. */
static struct hunk_part cut_part(const struct hunk_part *h, size_t from, size_t changes)
{
	struct hunk_part part = { .plain = h->plain, .header_line = h->header_line, .parts = 1, .from = from };
	struct hunk_header *to = &part.header;
	unsigned long old_before = 0, new_before = 0;

	part.to = end_of_run(h, end_of_run(h, changes, false), true);
	count_lines(h, h->from, from, &old_before, &new_before);
	count_lines(h, part.from, part.to, &to->old_nr, &to->new_nr);
	to->old_pos = first_line(h->header.old_pos, h->header.old_nr) + old_before - !to->old_nr;
	to->new_pos = first_line(h->header.new_pos, h->header.new_nr) + new_before - !to->new_nr;
	to->heading = h->header.heading;
	to->heading_len = h->header.heading_len;
	part.is_first_part = h->is_first_part && from == h->from;
	return part;
}

void hunk_split(struct hunk_file *f, size_t i)
{
	struct hunk_part whole = f->hunks[i];
	size_t more = whole.parts - 1, from = whole.from, changes;

	if (!more)
		return;
	ALLOC_GROW(f->hunks, f->nr + more, f->alloc);
	memmove(f->hunks + i + 1 + more, f->hunks + i + 1, (f->nr - i - 1) * sizeof(*f->hunks));
	f->nr += more;
	for (size_t k = 0; k <= more; k++) {
		changes = end_of_run(&whole, from, true);
		f->hunks[i + k] = cut_part(&whole, from, changes);
		from = end_of_run(&whole, changes, false);
	}
}
