/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): the series, as mails: mailboxes, maildirs, and patches of StGit and Mercurial. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "util/alloc.h"
#include "util/date.h"
#include "util/path.h"

static int refuse_series(struct am_cmd *c)
{
	c->code = report_fatal(&(struct err){ .msg = xstrdup("Failed to split patches.") });
	return AM_STOPPED;
}

static void add_mail_text(struct am_cmd *c, const struct strbuf *text)
{
	struct am_series *s = &c->mails;

	ALLOC_GROW(s->texts, s->nr + 1, s->alloc);
	strbuf_init(&s->texts[s->nr], text->len);
	strbuf_addbuf(&s->texts[s->nr++], text);
}

/* ---- mailboxes and maildirs ---- */

static int take_mail(void *data, const struct strbuf *mail, struct err *err UNUSED)
{
	add_mail_text(data, mail);
	return 0;
}

static int split_directory(struct am_cmd *c, const char *path, struct err *err)
{
	const struct mailbox_options o = { .keep_cr = c->o.keep_cr, .mboxrd = c->o.format == AM_FORMAT_MBOXRD };

	return maildir_split(path, EDIT_TEXT_MAX, &o, take_mail, c, err);
}

static int split_file(struct am_cmd *c, const char *path, struct err *err)
{
	const struct mailbox_options o = { .bare = true, .keep_cr = c->o.keep_cr, .mboxrd = c->o.format == AM_FORMAT_MBOXRD };
	struct strbuf text = STRBUF_INIT;
	size_t before = c->mails.nr;
	int rc = path ? read_named_file(&text, path, EDIT_TEXT_MAX, err) : read_fd(&text, 0, EDIT_TEXT_MAX, "standard input", err);

	if (!rc)
		rc = mailbox_split(text.buf, text.len, &o, take_mail, c, err);
	if (!rc && path && c->mails.nr == before)
		rc = err_set(err, ERR_NOT_FOUND, "empty mbox: '%s'", path);
	strbuf_release(&text);
	return rc;
}

static int split_place(struct am_cmd *c, const char *path, struct err *err)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return split_file(c, NULL, err);
	if (stat(path, &st) < 0)
		return err_set_errno(err, "cannot stat %s", path);
	return S_ISDIR(st.st_mode) ? split_directory(c, path, err) : split_file(c, path, err);
}

static int split_mailboxes(struct am_cmd *c, const char *const *paths, size_t nr)
{
	struct err err = ERR_INIT;
	int rc = nr ? 0 : split_file(c, NULL, &err);
	size_t i;

	for (i = 0; !rc && i < nr; i++)
		rc = split_place(c, paths[i], &err);
	if (!rc)
		return 0;
	report_error(&err);
	if (nr && i && !starts_with(paths[i - 1], "-") && file_exists(paths[i - 1]))
		error("cannot split patches from %s", paths[i - 1]);
	return refuse_series(c);
}

/* ---- StGit ---- */

/* *line: without its LF. False: the text is at its end. */
static bool next_text_line(const char **p, const char *end, struct strbuf *line)
{
	const char *eol = *p < end ? memchr(*p, '\n', (size_t)(end - *p)) : NULL;

	strbuf_reset(line);
	if (*p >= end)
		return false;
	strbuf_add(line, *p, (size_t)((eol ? eol : end) - *p));
	*p = eol ? eol + 1 : end;
	return true;
}

static bool is_blank_line(const struct strbuf *line)
{
	return strspn(line->buf, " \t\r\n\v\f") == line->len;
}

/* The first line is the subject; "Author:", "From" and "Date" are headers; the rest is the body. */
static int convert_stgit(const struct strbuf *text, struct strbuf *out, struct err *err UNUSED)
{
	const char *p = text->buf, *end = p + text->len, *rest;
	struct strbuf line = STRBUF_INIT;
	bool has_subject = false;

	while (next_text_line(&p, end, &line)) {
		if (is_blank_line(&line))
			continue;
		if (skip_prefix(line.buf, "Author:", &rest)) {
			strbuf_addf(out, "From:%s\n", rest);
		} else if (starts_with(line.buf, "From") || starts_with(line.buf, "Date")) {
			strbuf_addf(out, "%s\n", line.buf);
		} else if (!has_subject) {
			strbuf_addf(out, "Subject: %s\n", line.buf);
			has_subject = true;
		} else {
			strbuf_addf(out, "\n%s\n", line.buf);
			break;
		}
	}
	strbuf_add(out, p, (size_t)(end - p));
	strbuf_release(&line);
	return 0;
}

/* ---- Mercurial ---- */

#define HG_ZONE_MAX 359999 /* 99:59:59 */

/* "1112912000 -7200": seconds, and seconds west of Greenwich. */
static int add_hg_date(struct strbuf *out, const char *text, struct err *err)
{
	const struct date_mode mode = { .type = DATE_RFC2822 };
	char *end;
	unsigned long long when;
	long west, zone;

	errno = 0;
	when = strtoull(text, &end, 10);
	if (errno)
		return err_set(err, ERR_INVALID, "invalid timestamp");
	if (*end != ' ')
		return err_set(err, ERR_INVALID, "invalid Date line");
	text = end + 1;
	west = strtol(text, &end, 10);
	if (errno || labs(west) > HG_ZONE_MAX)
		return err_set(err, ERR_INVALID, "invalid timezone offset");
	if (*end)
		return err_set(err, ERR_INVALID, "invalid Date line");
	zone = labs(west) / 3600 * 100 + labs(west) % 3600 / 60;
	strbuf_addstr(out, "Date: ");
	date_format(out, when, (int)(west > 0 ? -zone : zone), &mode);
	strbuf_addch(out, '\n');
	return 0;
}

static int convert_hg(const struct strbuf *text, struct strbuf *out, struct err *err)
{
	const char *p = text->buf, *end = p + text->len, *rest;
	struct strbuf line = STRBUF_INIT;
	int rc = 0;

	while (!rc && next_text_line(&p, end, &line)) {
		if (skip_prefix(line.buf, "# User ", &rest)) {
			strbuf_addf(out, "From: %s\n", rest);
		} else if (skip_prefix(line.buf, "# Date ", &rest)) {
			rc = add_hg_date(out, rest, err);
		} else if (!starts_with(line.buf, "# ")) {
			strbuf_addf(out, "\n%s\n", line.buf);
			break;
		}
	}
	if (!rc)
		strbuf_add(out, p, (size_t)(end - p));
	strbuf_release(&line);
	return rc;
}

/* ---- files with one patch ---- */

typedef int (*convert_fn)(const struct strbuf *text, struct strbuf *out, struct err *err);

static int convert_file(struct am_cmd *c, const char *path, convert_fn convert, struct err *err)
{
	struct strbuf text = STRBUF_INIT, mail = STRBUF_INIT;
	int rc;

	if (!strcmp(path, "-"))
		rc = read_fd(&text, 0, EDIT_TEXT_MAX, "standard input", err);
	else if (!file_exists(path))
		rc = err_set(err, ERR_IO, "could not open '%s' for reading: %s", path, strerror(ENOENT));
	else
		rc = read_named_file(&text, path, EDIT_TEXT_MAX, err);
	if (!rc && convert(&text, &mail, err) < 0) {
		report_error(err);
		rc = err_set(err, ERR_INVALID, "could not parse patch '%s'", path);
	}
	if (!rc)
		add_mail_text(c, &mail);
	strbuf_release(&text);
	strbuf_release(&mail);
	return rc;
}

static int convert_files(struct am_cmd *c, const char *const *paths, size_t nr, convert_fn convert)
{
	static const char *const from_stdin[] = { "-" };
	struct err err = ERR_INIT;
	int rc = 0;

	if (!nr) {
		paths = from_stdin;
		nr = 1;
	}
	for (size_t i = 0; !rc && i < nr; i++)
		rc = convert_file(c, paths[i], convert, &err);
	if (!rc)
		return 0;
	report_error(&err);
	return refuse_series(c);
}

/* A file names the patches beside it. */
static int read_stgit_series(struct am_cmd *c, const char *const *paths, size_t nr)
{
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT, dir = STRBUF_INIT;
	struct strvec patches = STRVEC_INIT;
	struct err err = ERR_INIT;
	const char *p;
	int rc;

	if (nr != 1) {
		error("Only one StGIT patch series can be applied at once");
		return refuse_series(c);
	}
	if (!file_exists(paths[0]))
		rc = err_set(&err, ERR_IO, "could not open '%s' for reading: %s", paths[0], strerror(ENOENT));
	else
		rc = read_named_file(&text, paths[0], EDIT_TEXT_MAX, &err);
	path_dirname(&dir, paths[0]);
	p = text.buf;
	while (!rc && next_text_line(&p, text.buf + text.len, &line))
		if (*line.buf != '#') /* comment */
			strvec_pushf(&patches, "%s/%s", dir.buf, line.buf);
	if (rc) {
		report_error(&err);
		rc = refuse_series(c);
	} else {
		rc = convert_files(c, patches.v, patches.nr, convert_stgit);
	}
	strvec_clear(&patches);
	strbuf_release(&text);
	strbuf_release(&line);
	strbuf_release(&dir);
	return rc;
}

/* ---- which format ---- */

/* "Name:", with characters that a header's name may have. */
static bool is_header_line(const struct strbuf *line)
{
	size_t n = 0;

	while (n < line->len && line->buf[n] >= '!' && line->buf[n] <= '~' && line->buf[n] != ':')
		n++;
	return n && line->buf[n] == ':';
}

/* All lines before the first empty one are headers. */
static bool looks_like_mail(const char *p, const char *end)
{
	struct strbuf line = STRBUF_INIT;
	bool yes = true;

	while (yes && next_text_line(&p, end, &line) && line.len && strcmp(line.buf, "\r"))
		yes = *line.buf == ' ' || *line.buf == '\t' || is_header_line(&line);
	strbuf_release(&line);
	return yes;
}

static int detect_in_text(const struct strbuf *text)
{
	struct strbuf l1 = STRBUF_INIT, l2 = STRBUF_INIT, l3 = STRBUF_INIT;
	const char *p = text->buf, *end = p + text->len;
	int format = AM_FORMAT_UNKNOWN;

	while (next_text_line(&p, end, &l1) && (!l1.len || !strcmp(l1.buf, "\r")))
		;
	next_text_line(&p, end, &l2);
	next_text_line(&p, end, &l3);
	if (starts_with(l1.buf, "From ") || starts_with(l1.buf, "From: "))
		format = AM_FORMAT_MBOX;
	else if (starts_with(l1.buf, "# This series applies on GIT commit"))
		format = AM_FORMAT_STGIT_SERIES;
	else if (!strcmp(l1.buf, "# HG changeset patch"))
		format = AM_FORMAT_HG;
	else if (l1.len && (!l2.len || !strcmp(l2.buf, "\r")) &&
		 (starts_with(l3.buf, "From:") || starts_with(l3.buf, "Author:") || starts_with(l3.buf, "Date:")))
		format = AM_FORMAT_STGIT;
	else if (l1.len && looks_like_mail(text->buf, end))
		format = AM_FORMAT_MBOX;
	strbuf_release(&l1);
	strbuf_release(&l2);
	strbuf_release(&l3);
	return format;
}

static int detect_format(struct am_cmd *c, const char *const *paths, size_t nr, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	if (!nr || !strcmp(paths[0], "-") || is_directory(paths[0])) {
		c->o.format = AM_FORMAT_MBOX;
		return 0;
	}
	if (!file_exists(paths[0]))
		return err_set(err, ERR_INVALID, "could not open '%s' for reading: %s", paths[0], strerror(ENOENT));
	rc = read_named_file(&text, paths[0], EDIT_TEXT_MAX, err);
	if (!rc)
		c->o.format = detect_in_text(&text);
	if (!rc && !c->o.format) {
		fputs("Patch format detection failed.\n", stderr);
		c->code = 128;
		rc = AM_STOPPED;
	}
	strbuf_release(&text);
	return rc;
}

int am_read_series(struct am_cmd *c, const char *const *paths, size_t nr, struct err *err)
{
	int rc = c->o.format ? 0 : detect_format(c, paths, nr, err);

	if (rc)
		return rc;
	if (c->o.format == AM_FORMAT_STGIT_SERIES)
		rc = read_stgit_series(c, paths, nr);
	else if (c->o.format == AM_FORMAT_STGIT)
		rc = convert_files(c, paths, nr, convert_stgit);
	else if (c->o.format == AM_FORMAT_HG)
		rc = convert_files(c, paths, nr, convert_hg);
	else
		rc = split_mailboxes(c, paths, nr);
	c->last = c->mails.nr;
	c->next = 1;
	return rc;
}
