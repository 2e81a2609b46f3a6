/* SPDX-License-Identifier: GPL-2.0-only */
/* git format-patch: the cover letter. */
#include "compat/posix.h"
#include "builtin/format-patch/format-patch.h"
#include "builtin/range-diff/range-diff.h"
#include "fs/file.h"
#include "object/commit.h"
#include "pretty/shortlog.h"
#include "repo/ident.h"
#include "util/alloc.h"

#define AUTO_SUBJECT_MAX 100
#define DESCRIPTION_MAX ((size_t)64 << 20)

/* ---- subject and body ---- */

/* --description-file, or the branch's. */
static int add_description(struct format_patch *f, struct strbuf *out, struct err *err)
{
	const char *branch = series_branch(f), *text = NULL;
	char *key, *path;
	int rc = 0;

	if (f->description_file && *f->description_file) {
		path = user_path(f, f->description_file);
		if (read_named_file(out, path, DESCRIPTION_MAX, NULL) < 0)
			rc = err_set_errno(err, "unable to read branch description file '%s'", path);
		free(path);
		return rc;
	}
	if (!branch || !*branch)
		return 0;
	key = xstrfmt("branch.%s.description", branch);
	rc = config_get_string(f->repo->config, key, &text, err);
	if (rc > 0)
		strbuf_addstr(out, text);
	free(key);
	return rc < 0 ? rc : 0;
}

static int choose_text(struct format_patch *f, struct strbuf *subject, struct strbuf *body, struct err *err)
{
	struct strbuf text = STRBUF_INIT, title = STRBUF_INIT;
	const char *rest = "";
	size_t rest_len = 0;
	int rc = f->cover_from == COVER_FROM_NONE ? 0 : add_description(f, &text, err);

	strbuf_addstr(subject, "*** SUBJECT HERE ***");
	strbuf_addstr(body, "*** BLURB HERE ***");
	if (rc < 0 || !text.len)
		goto out;
	strbuf_reset(body);
	/* If the first line is empty, so is the subject. */
	if (!isspace((unsigned char)text.buf[strspn(text.buf, " \t")]))
		commit_subject(&title, text.buf, text.len, " ");
	if (f->cover_from == COVER_FROM_MESSAGE || (f->cover_from == COVER_FROM_AUTO && title.len > AUTO_SUBJECT_MAX)) {
		strbuf_addbuf(body, &text);
		goto out;
	}
	if (title.len)
		rest = commit_body(text.buf, text.len, &rest_len);
	strbuf_add(body, title.len ? rest : text.buf, title.len ? rest_len : text.len);
	strbuf_swap(subject, &title);
out:
	strbuf_release(&title);
	strbuf_release(&text);
	return rc;
}

/* ---- the list of commits ---- */

static int add_shortlog(struct format_patch *f, struct strbuf *out, struct err *err)
{
	struct shortlog_options o = SHORTLOG_OPTIONS_INIT;
	struct shortlog *s;
	int rc;

	o.people = SHORTLOG_AUTHOR;
	o.wrap = true;
	o.width = 72;
	o.indent1 = 2;
	o.indent2 = 4;
	o.style = &f->log.pretty;
	rc = shortlog_new(&s, f->repo, &o, err);
	for (size_t i = 0; !rc && i < f->commits.nr; i++)
		rc = shortlog_add_commit(s, f->log.walk->pool, f->commits.items[i], err);
	if (!rc)
		shortlog_format(s, out);
	shortlog_free(s);
	return rc;
}

/* The format with its numbers: %(count) and %(total). */
static char *numbered_format(const char *format, size_t count, size_t total)
{
	struct strbuf out = STRBUF_INIT;

	int digits = snprintf(NULL, 0, "%zu", total);

	while (*format) {
		if (skip_prefix(format, "%(count)", &format))
			strbuf_addf(&out, "%0*zu", digits, count);
		else if (skip_prefix(format, "%(total)", &format))
			strbuf_addf(&out, "%zu", total);
		else
			strbuf_addch(&out, *format++);
	}
	return strbuf_detach(&out, NULL);
}

/* Append a line in the encoding of the commit itself. */
static int add_formatted_commit(struct format_patch *f, struct commit *c, struct pretty *p, struct strbuf *out, struct err *err)
{
	struct commit_view v;
	const char *text;
	size_t len;
	char *encoding = NULL;
	int rc = commit_buffer(f->log.walk->pool, c, &text, &len, err);

	if (!rc)
		rc = commit_parse(&v, text, len, f->repo->algo, err);
	if (rc < 0)
		return rc;
	if (v.encoding)
		encoding = xstrndup(v.encoding, v.encoding_len);
	commit_view_release(&v);
	p->encoding = encoding;
	rc = pretty_commit(p, f->log.walk->pool, c, out, err);
	strbuf_addch(out, '\n');
	p->encoding = NULL;
	free(encoding);
	return rc;
}

static int add_formatted_list(struct format_patch *f, const char *format, struct strbuf *out, struct err *err)
{
	size_t total = f->commits.nr;
	int rc = 0;

	for (size_t i = 0; !rc && i < total; i++) {
		struct pretty p;

		pretty_init(&p, f->repo);
		p.kind = PRETTY_USER;
		p.abbrev = 0;
		p.user_format = numbered_format(format, i + 1, total);
		rc = add_formatted_commit(f, f->commits.items[total - 1 - i], &p, out, err);
		pretty_release(&p);
	}
	strbuf_addch(out, '\n');
	return rc;
}

static int add_commit_list(struct format_patch *f, struct strbuf *out, struct err *err)
{
	const char *format = f->list_format;

	if (!format || !strcmp(format, "shortlog"))
		return add_shortlog(f, out, err);
	if (!strcmp(format, "modern"))
		return add_formatted_list(f, "%w(72)[%(count)/%(total)] %s", out, err);
	if (skip_prefix(format, "log:", &format) || strchr(format, '%'))
		return add_formatted_list(f, format, out, err);
	return err_set(err, ERR_INVALID, "'%s' is not a valid format string", format);
}

/* ---- differences ---- */

static int add_difference(struct format_patch *f, const struct object_id *from, const struct object_id *to, unsigned formats,
			  const char *indent, struct strbuf *out, struct err *err)
{
	struct diff_options o = f->log.diff;
	struct diff_queue q = DIFF_QUEUE_INIT;
	int rc;

	o.formats = formats;
	o.line_prefix = indent;
	o.drain = NULL;
	o.patch_separator = NULL;
	rc = diff_trees(&q, &o, from, to, err);
	if (!rc)
		rc = diff_process(&q, &o, err);
	if (!rc)
		rc = diff_format(&q, &o, out, err);
	diff_queue_clear(&q);
	return rc;
}

static int tree_of(struct format_patch *f, const struct object_id *commit, struct object_id *tree, struct err *err)
{
	struct commit *c = commit_lookup(f->log.walk->pool, commit);
	int rc = commit_parse_node(f->log.walk->pool, c, err);

	if (!rc)
		*tree = c->tree;
	return rc;
}

static int add_diffstat(struct format_patch *f, struct strbuf *out, struct err *err)
{
	struct object_id from;
	int rc;

	if (!f->origin)
		return 0;
	rc = tree_of(f, &f->origin->oid, &from, err);
	if (!rc)
		rc = add_difference(f, &from, &f->commits.items[0]->tree, DIFF_FORMAT_STAT | DIFF_FORMAT_SUMMARY, NULL, out, err);
	strbuf_addch(out, '\n');
	return rc;
}

/* "v2" compares with "v1"; of other names the one before is not known. */
static void add_version_title(const struct format_patch *f, const char *what, struct strbuf *out)
{
	int n;

	if (f->reroll && parse_int_strict(f->reroll, &n))
		strbuf_addf(out, "%s against v%d:\n", what, n - 1);
	else
		strbuf_addf(out, "%s:\n", what);
}

int cover_add_interdiff(struct format_patch *f, const char *indent, struct strbuf *out, struct err *err)
{
	struct object_id from;
	int rc = tree_of(f, &f->interdiff_oid, &from, err);

	add_version_title(f, "Interdiff", out);
	if (!rc)
		rc = add_difference(f, &from, &f->commits.items[0]->tree, DIFF_FORMAT_PATCH, indent, out, err);
	return rc;
}

/* Notes are compared if patches have them. */
static void add_notes_options(const struct format_patch *f, struct strvec *args)
{
	const struct log_options *log = &f->log;

	strvec_push(args, "--no-merges");
	if (log->show_notes <= 0)
		strvec_push(args, "--no-notes");
	else if (log->notes_default > 0 || !log->notes_refs.nr)
		strvec_push(args, "--notes");
	for (size_t i = 0; log->show_notes > 0 && i < log->notes_refs.nr; i++)
		strvec_pushf(args, "--notes=%s", log->notes_refs.v[i]);
}

int cover_add_range_diff(struct format_patch *f, struct strbuf *out, struct err *err)
{
	struct range_diff_options o;
	const char *failed = NULL;
	int rc = range_diff_init(&o, f->repo, err);

	o.creation_factor = f->creation_factor < 0 ? RANGE_DIFF_SAME_SERIES : f->creation_factor;
	add_notes_options(f, &o.log_args);
	add_version_title(f, "Range-diff", out);
	if (!rc)
		rc = range_diff_run(&o, f->range1, f->range2, out, &failed, err);
	range_diff_release(&o);
	return rc;
}

/* ---- the letter ---- */

/* Is the text of any commit not ASCII? */
static int needs_8bit(struct format_patch *f, bool *out, struct err *err)
{
	struct commit_pool *pool = f->log.walk->pool;
	const char *text;
	size_t len;
	int rc = 0;

	for (size_t i = 0; !rc && !*out && i < f->commits.nr; i++) {
		rc = commit_buffer(pool, f->commits.items[i], &text, &len, err);
		for (size_t n = 0; !rc && !*out && n < len; n++)
			*out = (unsigned char)text[n] >= 0x80 || text[n] == 0x1b;
	}
	return rc;
}

static int add_letter(struct format_patch *f, struct strbuf *out, struct err *err)
{
	struct email_style plain = { .headers = f->header_text.buf };
	struct strbuf subject = STRBUF_INIT, body = STRBUF_INIT, ident = STRBUF_INIT;
	const char *encoding = f->log.pretty.encoding;
	enum pretty_kind kind = f->log.pretty.kind;
	bool is_8bit = false;
	int rc = repo_ident(f->repo, &ident, IDENT_COMMITTER, err);

	if (!rc)
		rc = choose_text(f, &subject, &body, err);
	if (!rc)
		rc = needs_8bit(f, &is_8bit, err);
	strbuf_addstr(out, "From ");
	if (f->zero_commit)
		strbuf_addchars(out, '0', f->repo->algo->hex_len);
	else
		strbuf_add_oid(out, &f->commits.items[0]->oid);
	strbuf_addf(out, " Mon Sep 17 00:00:00 2001\n%s", f->mail_text.buf);
	f->log.pretty.email = &plain;
	f->log.pretty.encoding = "UTF-8";
	f->log.pretty.kind = PRETTY_EMAIL; /* no quotes here */
	if (!rc)
		pretty_letter(&f->log.pretty, f->from ? f->from : ident.buf, subject.buf, body.buf, is_8bit, out);
	f->log.pretty.encoding = encoding;
	f->log.pretty.kind = kind;
	f->log.pretty.email = NULL;
	strbuf_release(&subject);
	strbuf_release(&body);
	strbuf_release(&ident);
	return rc;
}

static int add_all(struct format_patch *f, struct strbuf *out, struct err *err)
{
	int rc = add_letter(f, out, err);

	if (!rc)
		rc = add_commit_list(f, out, err);
	if (!rc)
		rc = add_diffstat(f, out, err);
	if (!rc && f->interdiff)
		rc = cover_add_interdiff(f, "", out, err);
	if (!rc && f->range1)
		rc = cover_add_range_diff(f, out, err);
	if (!rc)
		mail_add_end(f, out);
	return rc;
}

int cover_write(struct format_patch *f, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int rc, closed;

	f->nr = 0;
	if (f->thread != THREAD_NONE)
		mail_add_message_id(f, "cover");
	mail_set_subject_prefix(f);
	mail_add_ids(f);
	rc = add_all(f, &out, err);
	if (!rc)
		rc = mail_open(f, NULL, "cover-letter", err);
	if (!rc) {
		rc = print_and_clear(NULL, &out, err);
		closed = mail_close(f, err);
		rc = rc < 0 ? rc : closed;
	}
	strbuf_release(&out);
	return rc;
}
