/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of the commit that is picked or reverted, and the message that comes of it. */
#include "compat/posix.h"
#include "object/commit.h"
#include "object/ident.h"
#include "object/message.h"
#include "porcelain/trailers.h"
#include "sequence/pick.h"
#include "util/alloc.h"
#include "util/date.h"
#include "util/utf8.h"

/* ---- the commit ---- */

static int open_commit(struct pick *p, struct commit_view *v, struct err *err)
{
	const char *buf;
	size_t len;
	int rc = commit_buffer(p->pool, p->commit, &buf, &len, err);

	return rc ? rc : commit_parse(v, buf, len, p->r->algo, err);
}

static void close_commit(struct pick *p, struct commit_view *v)
{
	commit_view_release(v);
	commit_release_buffer(p->commit);
}

static const char *encoding_of_commits(struct repository *r)
{
	const struct config_entry *e = config_get(r->config, "i18n.commitencoding");

	return e && e->value ? e->value : "UTF-8";
}

/* In the encoding that new commits have. A text that cannot be converted stays as it is. */
static void add_recoded(struct pick *p, const struct commit_view *v, const char *text, size_t len, struct strbuf *out)
{
	char *from = v->encoding ? xmemdupz(v->encoding, v->encoding_len) : xstrdup("UTF-8"), *conv = NULL;
	const char *to = encoding_of_commits(p->r);
	size_t conv_len = 0;

	if (!same_encoding(from, to))
		conv = reencode_string(text, len, to, from, &conv_len);
	strbuf_add(out, conv ? conv : text, conv ? conv_len : len);
	free(conv);
	free(from);
}

static int read_message(struct pick *p, struct strbuf *out, struct err *err)
{
	struct commit_view v = { 0 };
	int rc = open_commit(p, &v, err);

	if (!rc)
		add_recoded(p, &v, v.message, v.message_len, out);
	close_commit(p, &v);
	return rc;
}

int pick_author(struct pick *p, struct strbuf *out, struct err *err)
{
	struct commit_view v = { 0 };
	int rc = open_commit(p, &v, err);

	if (!rc)
		add_recoded(p, &v, v.author, v.author_len, out);
	close_commit(p, &v);
	return rc;
}

int pick_subject(struct pick *p, struct strbuf *out, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *start;
	int rc = read_message(p, &text, err);

	if (!rc) {
		start = text.buf + strspn(text.buf, "\n");
		commit_subject(out, start, strlen(start), " ");
	}
	strbuf_release(&text);
	return rc;
}

int pick_describe(struct pick *p, struct strbuf *out, struct err *err)
{
	struct strbuf subject = STRBUF_INIT;
	int rc = pick_subject(p, &subject, err);

	odb_abbrev(p->r->odb, &p->commit->oid, p->r->settings.abbrev, out);
	strbuf_addf(out, " (%s)", subject.buf);
	strbuf_release(&subject);
	return rc;
}

/* ---- a pick ---- */

/* Behind the trailers that are there, or behind an empty line. */
static void add_origin(struct pick *p, struct strbuf *msg, char comment_char)
{
	char *line = xstrfmt("(cherry picked from commit %s)", oid_hex(&p->commit->oid));

	strbuf_complete_line(msg);
	if (message_trailers_start(msg->buf, msg->len, comment_char, NULL) == msg->len)
		strbuf_addch(msg, '\n');
	strbuf_addf(msg, "%s\n", line);
	free(line);
}

/* ---- a revert ---- */

/* A revert of "Revert "x"" is "Reapply "x"". */
static void add_revert_title(const char *subject, struct strbuf *out)
{
	const char *rest;

	if (skip_prefix(subject, "Revert \"", &rest) && !starts_with(rest, "Revert \""))
		strbuf_addf(out, "Reapply \"%s\n", rest);
	else
		strbuf_addf(out, "Revert \"%s\"\n", subject);
}

/* "1234567 (subject, 2001-02-03)": the format `reference` of git-log(1). */
static int add_reference(struct pick *p, struct commit *c, struct strbuf *out, struct err *err)
{
	struct date_mode mode = DATE_MODE_INIT;
	struct pick of = *p;
	struct strbuf author = STRBUF_INIT, subject = STRBUF_INIT;
	struct ident_split id;
	int rc;

	of.commit = c;
	rc = pick_subject(&of, &subject, err);
	if (!rc)
		rc = pick_author(&of, &author, err);
	odb_abbrev(p->r->odb, &c->oid, p->r->settings.abbrev, out);
	strbuf_addf(out, " (%s, ", subject.buf);
	mode.type = DATE_SHORT;
	if (!rc && !ident_split_line(&id, author.buf, author.len))
		date_format(out, id.date, id.tz, &mode);
	strbuf_addch(out, ')');
	strbuf_release(&author);
	strbuf_release(&subject);
	return rc;
}

static int add_name(struct pick *p, struct commit *c, bool reference, struct strbuf *out, struct err *err)
{
	if (reference)
		return add_reference(p, c, out, err);
	strbuf_add_oid(out, &c->oid);
	return 0;
}

static int add_revert_message(struct pick *p, const struct pick_message_options *o, struct strbuf *out, struct err *err)
{
	struct strbuf subject = STRBUF_INIT;
	int rc = pick_subject(p, &subject, err);

	if (o->reference)
		strbuf_addf(out, "%c *** SAY WHY WE ARE REVERTING ON THE TITLE LINE ***\n", o->comment_char);
	else
		add_revert_title(subject.buf, out);
	strbuf_addstr(out, "\nThis reverts commit ");
	if (!rc)
		rc = add_name(p, p->commit, o->reference, out, err);
	if (!rc && p->commit->nr_parents > 1) {
		strbuf_addstr(out, ", reversing\nchanges made to ");
		rc = add_name(p, p->parent, o->reference, out, err);
	}
	strbuf_addstr(out, ".\n");
	strbuf_release(&subject);
	return rc;
}

const char *pick_cleanup_setting(struct repository *r, enum cleanup_mode *mode)
{
	const struct config_entry *e = config_get(r->config, "commit.cleanup");

	if (!e || cleanup_mode_parse(e->value ? e->value : "", mode) < 0)
		*mode = CLEANUP_DEFAULT;
	return e ? e->value : NULL;
}

static enum cleanup_mode mode_of_pick(enum cleanup_mode mode, bool gets_line)
{
	return mode == CLEANUP_SCISSORS || (mode == CLEANUP_DEFAULT && gets_line) ? CLEANUP_WHITESPACE : mode;
}

const char *pick_cleanup_name(enum cleanup_mode mode, bool gets_line)
{
	switch (mode_of_pick(mode, gets_line)) {
	case CLEANUP_WHITESPACE:
		return "whitespace";
	case CLEANUP_STRIP:
		return "strip";
	default:
		return "verbatim";
	}
}

void pick_clean_message(struct strbuf *message, enum cleanup_mode mode, bool gets_line, char comment_char)
{
	mode = mode_of_pick(mode, gets_line);
	if (mode != CLEANUP_DEFAULT)
		message_cleanup(message, mode, comment_char);
}

int pick_message(struct pick *p, const struct pick_message_options *o, struct strbuf *out, struct err *err)
{
	int rc = p->revert ? add_revert_message(p, o, out, err) : read_message(p, out, err);

	if (!rc && o->record_origin && !p->revert)
		add_origin(p, out, o->comment_char);
	if (!rc && o->signoff) /* below comments, too: they are the commit's own */
		trailers_add_line(p->r, out, o->signoff, '\0');
	return rc;
}
