/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a patch becomes a list of files and hunks. */
#include "compat/posix.h"
#include "hunks/hunks.h"
#include "util/alloc.h"

/* ---- lines ---- */

void hunk_text_attach(struct hunk_text *t, struct strbuf *text)
{
	strbuf_init(&t->text, 0);
	strbuf_swap(&t->text, text);
	t->at = NULL;
	t->nr = t->alloc = 0;
	for (size_t pos = 0; pos < t->text.len;) {
		const char *nl = memchr(t->text.buf + pos, '\n', t->text.len - pos);

		ALLOC_GROW(t->at, t->nr + 2, t->alloc);
		t->at[t->nr++] = pos;
		pos = nl ? (size_t)(nl - t->text.buf) + 1 : t->text.len;
		t->at[t->nr] = pos;
	}
}

void hunk_text_release(struct hunk_text *t)
{
	strbuf_release(&t->text);
	FREE_AND_NULL(t->at);
	t->nr = t->alloc = 0;
}

static bool line_begins(const struct hunk_text *t, size_t i, const char *prefix)
{
	size_t len = strlen(prefix);

	return hunk_text_len(t, i) >= len && !memcmp(hunk_text_line(t, i), prefix, len);
}

/* ---- headers of hunks ---- */

static bool parse_number(const char **s, const char *end, unsigned long *out)
{
	const char *start = *s;
	unsigned long n = 0;

	while (*s < end && isdigit((unsigned char)**s) && n < ULONG_MAX / 20)
		n = n * 10 + (unsigned long)(*(*s)++ - '0');
	*out = n;
	return *s > start;
}

static bool parse_range(const char **s, const char *end, char sign, unsigned long *pos, unsigned long *nr)
{
	if (*s >= end || *(*s)++ != sign || !parse_number(s, end, pos))
		return false;
	*nr = 1;
	if (*s >= end || **s != ',')
		return true;
	(*s)++;
	return parse_number(s, end, nr);
}

static bool skip_bytes(const char **s, const char *end, const char *bytes)
{
	size_t len = strlen(bytes);

	if ((size_t)(end - *s) < len || memcmp(*s, bytes, len) != 0)
		return false;
	*s += len;
	return true;
}

bool hunk_header_parse(struct hunk_header *h, const char *line, size_t len)
{
	const char *s = line, *end = line + len;
	struct hunk_header got;

	if (!skip_bytes(&s, end, "@@ ") || !parse_range(&s, end, '-', &got.old_pos, &got.old_nr) ||
	    !skip_bytes(&s, end, " ") || !parse_range(&s, end, '+', &got.new_pos, &got.new_nr) || !skip_bytes(&s, end, " @@"))
		return false;
	if (end > s && end[-1] == '\n')
		end--;
	got.heading = s;
	got.heading_len = (size_t)(end - s);
	*h = got;
	return true;
}

static void add_range(struct strbuf *out, char sign, unsigned long pos, unsigned long nr)
{
	strbuf_addf(out, "%c%lu", sign, pos);
	if (nr != 1)
		strbuf_addf(out, ",%lu", nr);
}

void hunk_header_add(struct strbuf *out, const struct hunk_header *h)
{
	strbuf_addstr(out, "@@ ");
	add_range(out, '-', h->old_pos, h->old_nr);
	strbuf_addch(out, ' ');
	add_range(out, '+', h->new_pos, h->new_nr);
	strbuf_addstr(out, " @@");
}

/* ---- files ---- */

static struct hunk_part *add_hunk(struct hunk_file *f)
{
	ALLOC_GROW(f->hunks, f->nr + 1, f->alloc);
	f->hunks[f->nr] = (struct hunk_part){ .parts = 1 };
	return &f->hunks[f->nr++];
}

static int parse_hunk(struct hunk_list *l, struct hunk_file *f, size_t *line, struct err *err)
{
	const struct hunk_text *t = &l->plain;
	struct hunk_part *h = add_hunk(f);

	if (!hunk_header_parse(&h->header, hunk_text_line(t, *line), hunk_text_len(t, *line)))
		return err_set(err, ERR_CORRUPT, "could not parse hunk header '%.*s'", (int)hunk_text_len(t, *line) - 1,
			       hunk_text_line(t, *line));
	h->plain = t;
	h->header_line = (*line)++;
	h->is_first_part = true;
	h->from = *line;
	while (*line < t->nr && strchr(" +-\\\n", *hunk_text_line(t, *line)))
		(*line)++;
	h->to = *line;
	h->parts = hunk_count_parts(h);
	return 0;
}

/* Lines up to the first hunk, of which those about the mode are one. */
static void parse_file_header(struct hunk_list *l, struct hunk_file *f, size_t *line)
{
	const struct hunk_text *t = &l->plain;

	f->from = (*line)++;
	for (; *line < t->nr && !line_begins(t, *line, "@@ ") && !line_begins(t, *line, "diff "); (*line)++) {
		if (line_begins(t, *line, "new file"))
			f->added = true;
		else if (line_begins(t, *line, "deleted file"))
			f->deleted = true;
		else if (line_begins(t, *line, "Binary files ") || line_begins(t, *line, "GIT binary patch"))
			f->binary = true;
		else if (line_begins(t, *line, "old mode ") && *line + 1 < t->nr && line_begins(t, *line + 1, "new mode ")) {
			struct hunk_part *h = add_hunk(f);

			h->plain = t;
			h->is_mode = true;
			h->from = f->mode_line = *line;
			h->to = *line + 2;
		} else if (line_begins(t, *line, "* Unmerged path ")) {
			break;
		}
	}
	f->to = *line;
}

static int parse_hunk_file(struct hunk_list *l, size_t *line, struct err *err)
{
	const struct hunk_text *t = &l->plain;
	struct hunk_file *f;
	int rc = 0;

	ALLOC_GROW(l->files, l->nr + 1, l->alloc);
	f = &l->files[l->nr++];
	memset(f, 0, sizeof(*f));
	parse_file_header(l, f, line);
	while (!rc && *line < t->nr && line_begins(t, *line, "@@ "))
		rc = parse_hunk(l, f, line, err);
	if (!rc && f->deleted && !f->nr && !f->binary) { /* an empty file goes */
		struct hunk_part *h = add_hunk(f);

		h->plain = t;
		h->from = h->to = *line;
	}
	return rc;
}

int hunk_list_parse(struct hunk_list *l, struct strbuf *plain, struct strbuf *colored, bool is_colored, struct err *err)
{
	int rc = 0;

	hunk_text_attach(&l->plain, plain);
	hunk_text_attach(&l->colored, colored);
	if (is_colored && l->colored.nr != l->plain.nr)
		return err_set(err, ERR_INVALID, "mismatched output from interactive.diffFilter");
	for (size_t line = 0; !rc && line < l->plain.nr;) {
		if (line_begins(&l->plain, line, "diff "))
			rc = parse_hunk_file(l, &line, err);
		else
			l->nr_unmerged += line_begins(&l->plain, line++, "* Unmerged path ");
	}
	return rc;
}

void hunk_list_release(struct hunk_list *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->files[i].hunks);
	FREE_AND_NULL(l->files);
	for (size_t i = 0; i < l->nr_edits; i++) {
		hunk_text_release(l->edits[i]);
		free(l->edits[i]);
	}
	FREE_AND_NULL(l->edits);
	l->nr = l->alloc = l->nr_edits = l->alloc_edits = 0;
	hunk_text_release(&l->plain);
	hunk_text_release(&l->colored);
}
