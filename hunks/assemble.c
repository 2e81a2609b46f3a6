/* SPDX-License-Identifier: GPL-2.0-only */
/* The chosen hunks become a patch. */
#include "compat/posix.h"
#include "hunks/hunks.h"

/* Hunks that overlap, joined. */
struct joined {
	struct hunk_header header;
	struct strbuf body;
	bool any;
};

static bool is_taken(const struct hunk_part *h, unsigned flags)
{
	return flags & HUNKS_ALL || h->choice == HUNK_CHOSEN;
}

static void add_lines(struct strbuf *out, const struct hunk_part *h, size_t from)
{
	for (size_t i = from; i < h->to; i++)
		strbuf_add(out, hunk_text_line(h->plain, i), hunk_text_len(h->plain, i));
	strbuf_complete_line(out);
}

static void flush_joined(struct joined *j, struct strbuf *out)
{
	if (!j->any)
		return;
	hunk_header_add(out, &j->header);
	strbuf_addch(out, '\n');
	strbuf_addbuf(out, &j->body);
	strbuf_reset(&j->body);
	j->any = false;
}

/* Lines of h that are the last ones of j: context, all of it in both. h->from: none. */
static size_t skip_shared(const struct joined *j, const struct hunk_part *h, unsigned long shared)
{
	size_t line = h->from, len = 0;

	if (!shared || shared > h->to - h->from)
		return h->from;
	for (; line < h->from + shared; line++) {
		char sign = *hunk_text_line(h->plain, line);

		if (sign != ' ' && sign != '\n' && sign != '\r')
			return h->from;
		len += hunk_text_len(h->plain, line);
	}
	if (len > j->body.len || memcmp(j->body.buf + j->body.len - len, hunk_text_line(h->plain, h->from), len) != 0)
		return h->from;
	return line;
}

static void add_to_joined(struct joined *j, const struct hunk_part *h, long shift, unsigned flags, struct strbuf *out)
{
	struct hunk_header header = h->header;
	unsigned long end = j->header.old_pos + j->header.old_nr, shared, first;

	if (flags & HUNKS_REVERSE)
		header.old_pos += (unsigned long)shift;
	else
		header.new_pos -= (unsigned long)shift;
	shared = j->any && header.old_nr && header.old_pos < end ? end - header.old_pos : 0;
	first = skip_shared(j, h, shared);
	if (first == h->from) {
		flush_joined(j, out);
		j->header = header;
	} else {
		j->header.old_nr += header.old_nr - shared;
		j->header.new_nr += header.new_nr - shared;
	}
	add_lines(&j->body, h, first);
	j->any = true;
}

/* What stands for an empty file that goes. A hunk that the user has left without lines is one still, which does not apply. */
static bool has_no_text(const struct hunk_part *h, const struct hunk_list *l)
{
	return h->from == h->to && h->plain == &l->plain;
}

static void add_hunks(const struct hunk_file *f, const struct hunk_list *l, unsigned flags, struct strbuf *out)
{
	struct joined j = { .body = STRBUF_INIT };
	long shift = 0; /* lines that hunks which are left out would add, less the lines that edits add */

	for (size_t i = 0; i < f->nr; i++) {
		const struct hunk_part *h = &f->hunks[i];

		if (h->is_mode || has_no_text(h, l))
			continue;
		if (is_taken(h, flags))
			add_to_joined(&j, h, shift, flags, out);
		else
			shift += (long)(h->header.new_nr - h->header.old_nr);
		shift -= h->grown;
	}
	flush_joined(&j, out);
	strbuf_release(&j.body);
}

/* Without hunks of lines, a header ends before what names their file. */
static bool is_about_lines(const char *line)
{
	return starts_with(line, "index ") || starts_with(line, "--- ") || starts_with(line, "+++ ");
}

static void add_file_header(const struct hunk_file *f, const struct hunk_list *l, bool mode, bool lines, struct strbuf *out)
{
	bool has_mode = f->nr && f->hunks[0].is_mode;

	for (size_t i = f->from; i < f->to; i++) {
		const char *line = hunk_text_line(&l->plain, i);

		if (has_mode && !mode && i >= f->mode_line && i < f->mode_line + 2)
			continue;
		if (has_mode && !lines && is_about_lines(line))
			continue;
		strbuf_add(out, line, hunk_text_len(&l->plain, i));
	}
}

bool hunk_file_add_patch(const struct hunk_file *f, const struct hunk_list *l, unsigned flags, struct strbuf *out)
{
	bool mode = false, lines = !f->nr && (flags & HUNKS_ALL || f->choice == HUNK_CHOSEN);

	for (size_t i = 0; i < f->nr; i++) {
		mode |= f->hunks[i].is_mode && is_taken(&f->hunks[i], flags);
		lines |= !f->hunks[i].is_mode && is_taken(&f->hunks[i], flags);
	}
	if (!mode && !lines)
		return false;
	add_file_header(f, l, mode, lines, out);
	add_hunks(f, l, flags, out);
	return true;
}
