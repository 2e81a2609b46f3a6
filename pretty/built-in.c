/* SPDX-License-Identifier: GPL-2.0-only */
/* Commits as text: medium, short, full, fuller, raw, oneline; the encoding of all formats. */
#include "compat/posix.h"
#include "pretty/pretty-internal.h"
#include "object/ident.h"
#include "util/alloc.h"
#include "util/utf8.h"

#define TAB_COLUMNS 8

/* ---- encoding ---- */

/* NULL: nothing to convert, or some character cannot be converted. Caller frees. */
static char *reencode(const struct pretty *p, const struct commit_view *v, const char *raw,
		      size_t len, size_t *out_len)
{
	const char *to = p->encoding && p->kind != PRETTY_USER ? p->encoding : "UTF-8";
	char *from = v->encoding ? xstrndup(v->encoding, v->encoding_len) : NULL;
	char *out = NULL;

	if (*to && !same_encoding(from ? from : "UTF-8", to))
		out = reencode_string(raw, len, to, from ? from : "UTF-8", out_len);
	else if (*to && from) /* only the name in the header may change */
		out = xmemdupz(raw, *out_len = len);
	free(from);
	return out;
}

/* ---- people ---- */

struct person {
	const char *name, *mail;
	size_t name_len, mail_len;
	timestamp_t date;
	int tz;
};

static bool split_person(const struct pretty *p, const char *line, size_t len, struct person *out)
{
	struct ident_split id;

	if (!line || ident_split_line(&id, line, len) < 0)
		return false;
	out->name = id.name;
	out->name_len = id.name_len;
	out->mail = id.mail;
	out->mail_len = id.mail_len;
	ident_shown_date(&id, &out->date, &out->tz);
	if (p->mailmap)
		mailmap_apply(p->mailmap, &out->name, &out->name_len, &out->mail, &out->mail_len);
	return true;
}

void pretty_person(const struct pretty *p, const char *label, const char *date_label,
		   const char *line, size_t len, struct strbuf *out)
{
	struct person who;

	if (!split_person(p, line, len, &who))
		return;
	strbuf_addstr(out, label);
	strbuf_add(out, who.name, who.name_len);
	strbuf_addstr(out, " <");
	strbuf_add(out, who.mail, who.mail_len);
	strbuf_addstr(out, ">\n");
	if (date_label) {
		strbuf_addstr(out, date_label);
		date_format(out, who.date, who.tz, &p->date);
		strbuf_addch(out, '\n');
	}
}

static void add_person(struct pretty_commit *pc, const char *label, const char *date_label,
		       const char *line, size_t len, struct strbuf *out)
{
	pretty_person(pc->p, label, date_label, line, len, out);
}

static void add_people(struct pretty_commit *pc, struct strbuf *out)
{
	const struct commit_view *v = &pc->v;

	switch (pc->p->kind) {
	case PRETTY_SHORT:
		add_person(pc, "Author: ", NULL, v->author, v->author_len, out);
		break;
	case PRETTY_FULL:
		add_person(pc, "Author: ", NULL, v->author, v->author_len, out);
		add_person(pc, "Commit: ", NULL, v->committer, v->committer_len, out);
		break;
	case PRETTY_FULLER:
		add_person(pc, "Author:     ", "AuthorDate: ", v->author, v->author_len, out);
		add_person(pc, "Commit:     ", "CommitDate: ", v->committer, v->committer_len, out);
		break;
	default:
		add_person(pc, "Author: ", "Date:   ", v->author, v->author_len, out);
	}
}

static void add_merge_line(struct pretty_commit *pc, struct strbuf *out)
{
	uint32_t i;

	if (pc->c->nr_parents < 2)
		return;
	strbuf_addstr(out, "Merge:");
	for (i = 0; i < pc->c->nr_parents; i++) {
		strbuf_addch(out, ' ');
		if (pc->p->abbrev)
			odb_abbrev(pc->p->repo->odb, &pc->c->parents[i]->oid, pc->p->abbrev, out);
		else
			strbuf_add_oid(out, &pc->c->parents[i]->oid);
	}
	strbuf_addch(out, '\n');
}

/* ---- messages ---- */

static size_t without_trailing_blanks(const char *s, size_t len)
{
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	return len;
}

/* Columns; -1 if the text is not UTF-8 or has control characters: they cannot be counted then. */
static int countable_width(const char *s, size_t len)
{
	const char *p = s;
	size_t rest = len;

	while (rest) {
		int32_t c = utf8_next(&p, &rest);

		if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			return -1;
	}
	return utf8_width(s, len, false);
}

/* Tabs become blanks, so that the indent does not shift columns. */
static void add_expanded(struct strbuf *out, const char *s, size_t len, int columns)
{
	const char *tab;
	size_t width = 0;

	while (columns > 0 && (tab = memchr(s, '\t', len))) {
		int w = countable_width(s, tab - s);

		if (w < 0)
			break;
		strbuf_add(out, s, tab - s);
		width += (size_t)w;
		do
			strbuf_addch(out, ' ');
		while (++width % columns);
		len -= tab + 1 - s;
		s = tab + 1;
	}
	strbuf_add(out, s, len);
}

static void add_message(struct pretty_commit *pc, bool title_only, int tabs, struct strbuf *out)
{
	const char *s = pc->v.message, *end = s + pc->v.message_len, *eol;
	bool started = false;
	size_t len;

	for (; s < end; s = eol + 1) {
		eol = memchr(s, '\n', end - s);
		if (!eol)
			eol = end;
		len = without_trailing_blanks(s, eol - s);
		if (!len && !started)
			continue;
		if (!len && title_only)
			break;
		started = true;
		strbuf_addchars(out, ' ', 4);
		add_expanded(out, s, len, tabs);
		strbuf_addch(out, '\n');
	}
}

/* After a conversion the header must not name the old encoding. */
static void add_raw_headers(struct pretty_commit *pc, struct strbuf *out)
{
	const char *end = strstr(pc->text, "\n\n"), *header = NULL, *eol = NULL;
	size_t len = end ? (size_t)(end + 1 - pc->text) : pc->text_len, before;

	if (pc->converted && pc->encoding)
		header = memmem(pc->text, len, "\nencoding ", 10);
	if (header)
		eol = memchr(header + 1, '\n', pc->text + len - header - 1);
	before = eol ? (size_t)(header + 1 - pc->text) : len;
	strbuf_add(out, pc->text, before);
	if (eol) {
		if (!is_encoding_utf8(pc->p->encoding))
			strbuf_addf(out, "encoding %s\n", pc->p->encoding);
		strbuf_add(out, eol + 1, pc->text + len - eol - 1);
	}
	strbuf_complete_line(out);
}

static void built_in_format(struct pretty_commit *pc, struct strbuf *out)
{
	struct pretty *p = pc->p;
	int tabs = p->expand_tabs;

	if (tabs < 0)
		tabs = p->kind == PRETTY_MEDIUM || p->kind == PRETTY_FULL ||
		       p->kind == PRETTY_FULLER ? TAB_COLUMNS : 0;
	if (p->kind == PRETTY_ONELINE) {
		commit_subject(out, pc->v.message, pc->v.message_len, " ");
		if (p->notes)
			notes_format(p->notes, &pc->c->oid, out, false);
		return;
	}
	if (p->kind == PRETTY_RAW) {
		add_raw_headers(pc, out);
	} else {
		add_merge_line(pc, out);
		add_people(pc, out);
	}
	strbuf_addch(out, '\n');
	add_message(pc, p->kind == PRETTY_SHORT, tabs, out);
	/* Empty lines at the end are removed, even the one above an empty message. */
	strbuf_rtrim(out);
	strbuf_addch(out, '\n');
	if (p->notes)
		notes_format(p->notes, &pc->c->oid, out, false);
}

/* Columns are counted in UTF-8, so it is expanded in that and converted at the end. */
static int user_format_in_encoding(struct pretty_commit *pc, struct strbuf *out, struct err *err)
{
	const char *to = pc->p->encoding;
	struct strbuf text = STRBUF_INIT;
	char *converted = NULL;
	size_t len;
	int rc = pretty_user_format(pc, &text, err);

	if (!rc && to && *to && !is_encoding_utf8(to))
		converted = reencode_string(text.buf, text.len, to, "UTF-8", &len);
	if (converted)
		strbuf_add(out, converted, len);
	else
		strbuf_addbuf(out, &text);
	free(converted);
	strbuf_release(&text);
	return rc;
}

static int format_content(struct pretty *p, struct commit_pool *pool, struct commit *c,
			  struct strbuf *out, struct err *err)
{
	struct pretty_commit pc = { .p = p, .pool = pool, .c = c };
	struct commit_view raw;
	char *text;
	int rc = commit_buffer(pool, c, &pc.text, &pc.text_len, err);

	if (!rc)
		rc = commit_parse(&raw, pc.text, pc.text_len, p->repo->algo, err);
	if (rc < 0)
		return rc;
	pc.encoding = raw.encoding;
	pc.encoding_len = raw.encoding_len;
	pc.text_len = strnlen(pc.text, pc.text_len);
	text = reencode(p, &raw, pc.text, pc.text_len, &pc.text_len);
	if (text && commit_parse(&pc.v, text, pc.text_len, p->repo->algo, NULL) < 0) {
		FREE_AND_NULL(text); /* UTF-16 and the like cannot be parsed */
		pc.text_len = strnlen(pc.text, c->buffer_len);
	}
	if (text) {
		pc.text = text;
		pc.converted = true;
		commit_view_release(&raw);
	} else {
		pc.v = raw;
	}
	if (p->kind == PRETTY_USER)
		rc = user_format_in_encoding(&pc, out, err);
	else
		built_in_format(&pc, out);
	commit_view_release(&pc.v);
	free(text);
	return rc;
}

/* Does the format show nothing but what each node of a walk has? */
static bool shows_node_alone(const struct pretty *p)
{
	const char *s = p->kind == PRETTY_USER ? p->user_format : NULL;

	while (s && (s = strchr(s, '%'))) {
		if (!s[1] || !strchr("HhTtPpmdDCnx%", s[1]))
			return false;
		s += 2;
	}
	return p->kind == PRETTY_USER;
}

/* From a commit-graph: the commit itself is not read. */
static int format_node(struct pretty *p, struct commit_pool *pool, struct commit *c,
		       struct strbuf *out, struct err *err)
{
	struct pretty_commit pc = { .p = p, .pool = pool, .c = c, .text = "" };

	pc.v.tree = c->tree;
	return user_format_in_encoding(&pc, out, err);
}

int pretty_commit(struct pretty *p, struct commit_pool *pool, struct commit *c,
		  struct strbuf *out, struct err *err)
{
	if (c->parsed && !c->buffer && c->graph_pos != GRAPH_POS_NONE && shows_node_alone(p))
		return format_node(p, pool, c, out, err);
	return format_content(p, pool, c, out, err);
}
