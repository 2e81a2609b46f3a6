/* SPDX-License-Identifier: GPL-2.0-only */
/* Commits as text: medium, short, full, fuller, raw, email, mboxrd, oneline; the encoding of all formats. */
#include "compat/posix.h"
#include "pretty/pretty-internal.h"
#include "object/ident.h"
#include "util/alloc.h"
#include "util/utf8.h"

#define TAB_COLUMNS 8

/* ---- encoding ---- */

char *pretty_reencode(const char *to, const struct commit_view *v, const char *raw, size_t len, size_t *out_len)
{
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

/* The ident that sends a mail in the author's place: *sender, and true. */
static bool other_sender(const struct pretty *p, const struct person *who, struct ident_split *sender)
{
	const struct email_style *style = p->email;

	if (!style || !style->from || ident_split_line(sender, style->from, strlen(style->from)) < 0)
		return false;
	return style->force_in_body_from || sender->name_len != who->name_len || sender->mail_len != who->mail_len ||
	       memcmp(sender->name, who->name, who->name_len) || memcmp(sender->mail, who->mail, who->mail_len);
}

/* The date is as mails have it, whatever --date says. */
static void add_sender(const struct pretty *p, const struct person *who, struct strbuf *out)
{
	static const struct date_mode rfc = { DATE_RFC2822, false, NULL };
	struct ident_split sender;

	strbuf_addstr(out, "From: ");
	if (other_sender(p, who, &sender))
		email_add_address(p, sender.name, sender.name_len, sender.mail, sender.mail_len, out);
	else
		email_add_address(p, who->name, who->name_len, who->mail, who->mail_len, out);
	strbuf_addstr(out, "\nDate: ");
	date_format(out, who->date, who->tz, &rfc);
	strbuf_addch(out, '\n');
}

void pretty_person(const struct pretty *p, const char *label, const char *date_label,
		   const char *line, size_t len, struct strbuf *out)
{
	struct person who;

	if (!split_person(p, line, len, &who))
		return;
	if (pretty_is_email(p)) {
		add_sender(p, &who, out);
		return;
	}
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

/* s[0..size): the message, or its body. */
static void add_message(const struct pretty *p, const char *s, size_t size, int tabs, struct strbuf *out)
{
	const char *end = s + size, *eol;
	bool title_only = p->kind == PRETTY_SHORT, started = false;
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
		if (!pretty_is_email(p))
			strbuf_addchars(out, ' ', 4);
		else if (p->kind == PRETTY_MBOXRD)
			email_add_quote(out, s, len);
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

/* Subject:, and in the body the author whom another one sends the mail for. */
static void add_mail_subject(struct pretty_commit *pc, struct strbuf *out)
{
	const struct pretty *p = pc->p;
	const struct email_style *style = p->email;
	struct strbuf subject = STRBUF_INIT, author = STRBUF_INIT;
	struct ident_split sender;
	struct person who;

	if (split_person(p, pc->v.author, pc->v.author_len, &who) && other_sender(p, &who, &sender))
		strbuf_addf(&author, "\nFrom: %.*s <%.*s>\n", (int)who.name_len, who.name, (int)who.mail_len, who.mail);
	commit_subject(&subject, pc->v.message, pc->v.message_len, style && style->keep_subject ? "\n" : " ");
	email_add_subject(p, subject.buf, subject.len, (style && style->is_8bit) || email_is_8bit(author.buf, author.len) ||
			  email_is_8bit(pc->v.message, pc->v.message_len), out);
	strbuf_addbuf(out, &author);
	strbuf_release(&author);
	strbuf_release(&subject);
}

/* Everything above the message, or, in mails, above its body. */
static void add_headers(struct pretty_commit *pc, struct strbuf *out)
{
	if (pc->p->kind == PRETTY_RAW) {
		add_raw_headers(pc, out);
		return;
	}
	if (!pretty_is_email(pc->p))
		add_merge_line(pc, out);
	add_people(pc, out);
	if (pretty_is_email(pc->p))
		add_mail_subject(pc, out);
}

/* Their encoding is UTF-8. What cannot be converted stays. */
static void convert_notes(const struct pretty *p, struct strbuf *notes)
{
	char *converted = NULL;
	size_t len;

	if (p->encoding && *p->encoding && !is_encoding_utf8(p->encoding))
		converted = reencode_string(notes->buf, notes->len, p->encoding, "UTF-8", &len);
	if (!converted)
		return;
	strbuf_reset(notes);
	strbuf_add(notes, converted, len);
	free(converted);
}

static void add_notes_below(struct pretty_commit *pc, struct strbuf *out)
{
	struct strbuf notes = STRBUF_INIT;

	if (!pc->p->notes)
		return;
	notes_format(pc->p->notes, &pc->c->oid, &notes, false);
	convert_notes(pc->p, &notes);
	if (notes.len && pretty_is_email(pc->p)) {
		strbuf_addstr(out, "---\n"); /* what follows is no part of the message */
		pc->p->email_has_dashes = true;
	}
	strbuf_addbuf(out, &notes);
	strbuf_release(&notes);
}

static void built_in_format(struct pretty_commit *pc, struct strbuf *out)
{
	struct pretty *p = pc->p;
	const char *text = pc->v.message;
	size_t len = pc->v.message_len, headers_len;
	int tabs = p->expand_tabs;

	if (tabs < 0)
		tabs = p->kind == PRETTY_MEDIUM || p->kind == PRETTY_FULL ||
		       p->kind == PRETTY_FULLER ? TAB_COLUMNS : 0;
	if (p->kind == PRETTY_ONELINE) {
		commit_subject(out, pc->v.message, pc->v.message_len, " ");
		add_notes_below(pc, out);
		return;
	}
	if (pretty_is_email(p))
		text = commit_body(text, len, &len);
	p->email_has_dashes = false;
	add_headers(pc, out);
	strbuf_addch(out, '\n');
	headers_len = out->len;
	add_message(p, text, len, tabs, out);
	/* Empty lines at the end are removed, even the one above an empty message. */
	strbuf_rtrim(out);
	strbuf_addch(out, '\n');
	if (pretty_is_email(p) && out->len <= headers_len)
		strbuf_addch(out, '\n'); /* it ends the headers */
	if (p->email && p->email->sign_off)
		p->email->sign_off(p->email->sign_off_data, out);
	add_notes_below(pc, out);
}

void pretty_letter(const struct pretty *p, const char *sender, const char *subject, const char *body, bool is_8bit,
		   struct strbuf *out)
{
	struct person who;

	if (split_person(p, sender, strlen(sender), &who))
		add_sender(p, &who, out);
	email_add_subject(p, subject, strlen(subject),
			  is_8bit || email_is_8bit(subject, strlen(subject)) || email_is_8bit(body, strlen(body)), out);
	strbuf_addch(out, '\n');
	add_message(p, body, strlen(body), 0, out);
	strbuf_addch(out, '\n');
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
	text = pretty_reencode(p->encoding && p->kind != PRETTY_USER ? p->encoding : "UTF-8", &raw, pc.text, pc.text_len,
			       &pc.text_len);
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
