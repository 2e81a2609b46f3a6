/* SPDX-License-Identifier: GPL-2.0-only */
/* git format-patch: one mail, its headers, its file. */
#include "compat/posix.h"
#include <time.h>
#include "builtin/format-patch/format-patch.h"
#include "compat/syscalls.h"
#include "fs/file.h"
#include "object/commit.h"
#include "object/ident.h"
#include "object/message.h"
#include "repo/ident.h"
#include "util/alloc.h"
#include "util/path.h"

#define SIGNATURE_MAX ((size_t)1 << 20)
#define BOUNDARY_LEADER "------------" /* before the boundary that the user names */

/* ---- headers ---- */

/* "To: a,\n    b\n" */
static void add_people_header(struct strbuf *out, const char *name, const struct strvec *people)
{
	for (size_t i = 0; i < people->nr; i++)
		strbuf_addf(out, "%s%s%s\n", i ? "    " : name, people->v[i], i + 1 < people->nr ? "," : "");
}

/* The trailer stands at the end of the message, unless its block has it already. */
static void sign_off(void *data, struct strbuf *mail)
{
	struct format_patch *f = data;
	size_t at = message_trailers_start(mail->buf, mail->len, '\0', NULL), len = f->sign_off_line.len;

	for (const char *line = mail->buf + at; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, f->sign_off_line.buf, len) && (line[len] == '\n' || !line[len]))
			return;
	strbuf_complete_line(mail);
	if (at == mail->len && !ends_with(mail->buf, "\n\n"))
		strbuf_addch(mail, '\n');
	strbuf_addf(mail, "%s\n", f->sign_off_line.buf);
}

static bool is_ascii(const char *s)
{
	while (*s && (unsigned char)*s < 0x80)
		s++;
	return !*s;
}

static int prepare_sign_off(struct format_patch *f, struct err *err)
{
	struct strbuf ident = STRBUF_INIT;
	int rc;

	if (!f->sign_off)
		return 0;
	rc = repo_ident(f->repo, &ident, IDENT_COMMITTER | IDENT_STRICT, err);
	if (!rc && ident_add_signoff(&f->sign_off_line, ident.buf)) {
		f->style.sign_off = sign_off;
		f->style.sign_off_data = f;
		f->style.is_8bit = !is_ascii(f->sign_off_line.buf);
	}
	strbuf_release(&ident);
	return rc;
}

/* An option is relative to where the command was started, the configuration to the top. */
static int set_signature(struct format_patch *f, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path;
	int rc = 0;

	if (f->signature_given || (f->signature && !f->signature_file))
		return 0;
	path = f->signature_file ? user_path(f, f->signature_file) : f->signature_config ? xstrdup(f->signature_config) : NULL;
	if (path && *path) {
		rc = read_named_file(&text, path, SIGNATURE_MAX, NULL);
		if (rc < 0)
			rc = err_set_errno(err, "unable to read signature file '%s'", path);
	} else {
		strbuf_addstr(&text, VERSION_TEXT);
	}
	free(f->signature);
	f->signature = strbuf_detach(&text, NULL);
	free(path);
	return rc;
}

int mail_prepare(struct format_patch *f, struct err *err)
{
	int rc;

	for (size_t i = 0; i < f->headers.nr; i++)
		strbuf_addf(&f->header_text, "%s\n", f->headers.v[i]);
	add_people_header(&f->header_text, "To: ", &f->to);
	add_people_header(&f->header_text, "Cc: ", &f->cc);
	f->style.headers = f->header_text.buf;
	f->style.keep_subject = f->keep_subject;
	f->style.force_in_body_from = f->force_in_body_from;
	f->style.from = f->from;
	rc = set_signature(f, err);
	return rc < 0 ? rc : prepare_sign_off(f, err);
}

void mail_set_subject_prefix(struct format_patch *f)
{
	const char *prefix = f->marked_prefix;
	int digits = snprintf(NULL, 0, "%d", f->total);

	strbuf_reset(&f->prefix_text);
	if (f->total > 0)
		strbuf_addf(&f->prefix_text, "%s%s%0*d/%d", prefix, *prefix ? " " : "", digits, f->nr, f->total);
	else if (!f->keep_subject)
		strbuf_addstr(&f->prefix_text, prefix);
	f->log.pretty.email_prefix = f->prefix_text.buf;
}

/* ---- threads ---- */

void mail_add_message_id(struct format_patch *f, const char *name)
{
	struct strbuf ident = STRBUF_INIT;
	struct ident_split who;
	struct err err = ERR_INIT;

	if (repo_ident(f->repo, &ident, IDENT_COMMITTER | IDENT_STRICT, &err) < 0)
		die_err(&err);
	if (ident_split_line(&who, ident.buf, ident.len) < 0)
		die("invalid ident line: %s", ident.buf);
	free(f->message_id);
	f->message_id = xstrfmt("%s.%" PRIu64 ".git.%.*s", name, (uint64_t)time(NULL), (int)who.mail_len, who.mail);
	strbuf_release(&ident);
}

void mail_add_ids(struct format_patch *f)
{
	strbuf_reset(&f->mail_text);
	if (f->message_id)
		strbuf_addf(&f->mail_text, "Message-ID: <%s>\n", f->message_id);
	if (f->references.nr)
		strbuf_addf(&f->mail_text, "In-Reply-To: <%s>\n", f->references.v[f->references.nr - 1]);
	for (size_t i = 0; i < f->references.nr; i++)
		strbuf_addf(&f->mail_text, "%s<%s>\n", i ? "\t" : "References: ", f->references.v[i]);
	f->log.mail_headers = f->mail_text.buf;
}

/*
 * Deep: each mail is a reply to the one before. Shallow: all are replies to the first one, or to the mail that
 * --in-reply-to names; the cover letter, if there is one, comes between.
 */
static void continue_thread(struct format_patch *f, const struct commit *c)
{
	bool keep_head = f->thread == THREAD_SHALLOW && f->references.nr && (!f->has_cover || f->nr > 1);

	if (f->thread == THREAD_NONE)
		return;
	if (f->message_id && !keep_head)
		strvec_push(&f->references, f->message_id);
	mail_add_message_id(f, oid_hex(&c->oid));
}

/* ---- files ---- */

/* "0001-subject" without its suffix, cut to the length that is allowed. */
static void add_file_name(struct format_patch *f, const char *title, struct strbuf *out)
{
	size_t start = out->len, max = (size_t)f->name_max - strlen(f->suffix) - 1;

	if (f->reroll) {
		char *version = xstrfmt("v%s", f->reroll);

		pretty_sanitize_subject(out, version, strlen(version));
		strbuf_addch(out, '-');
		free(version);
	}
	strbuf_addf(out, "%04d-%s", f->nr, title);
	if (out->len - start > max)
		strbuf_setlen(out, start + max);
	strbuf_addstr(out, f->suffix);
}

static int add_commit_file_name(struct format_patch *f, struct commit *c, struct strbuf *out, struct err *err)
{
	struct strbuf title = STRBUF_INIT;
	struct pretty p;
	int rc;

	pretty_init(&p, f->repo);
	p.kind = PRETTY_USER;
	p.user_format = xstrdup("%f");
	rc = pretty_commit(&p, f->log.walk->pool, c, &title, err);
	if (!rc)
		add_file_name(f, title.buf, out);
	pretty_release(&p);
	strbuf_release(&title);
	return rc;
}

static int set_name(struct format_patch *f, struct commit *c, const char *title, struct err *err)
{
	strbuf_reset(&f->name);
	if (f->numbered_files)
		strbuf_addf(&f->name, "%d", f->nr);
	else if (c)
		return add_commit_file_name(f, c, &f->name, err);
	else
		add_file_name(f, title, &f->name);
	return 0;
}

/* The file takes the place of standard output until mail_close. */
static int open_file(struct format_patch *f, struct err *err)
{
	char *path = xconcat(f->outdir, f->name.buf);
	int fd, rc = 0;

	if (!f->quiet)
		printf("%s\n", path + f->outdir_offset);
	if (fflush(stdout))
		rc = err_set_errno(err, "cannot write to standard output");
	fd = rc ? -1 : sys->open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
	if (!rc && fd < 0)
		rc = err_set_errno(err, "cannot open patch file %s", path);
	if (!rc && dup2(fd, STDOUT_FILENO) < 0)
		rc = err_set_errno(err, "cannot redirect standard output");
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

int mail_open(struct format_patch *f, struct commit *c, const char *title, struct err *err)
{
	int rc = set_name(f, c, title, err);

	return rc < 0 || !f->outdir ? rc : open_file(f, err);
}

int mail_close(struct format_patch *f, struct err *err)
{
	int rc = 0;

	if (!f->outdir)
		return 0;
	if (fflush(stdout) || ferror(stdout))
		rc = err_set_errno(err, "could not write '%s%s'", f->outdir, f->name.buf);
	if (dup2(f->saved_stdout, STDOUT_FILENO) < 0 && !rc)
		rc = err_set_errno(err, "cannot redirect standard output");
	return rc;
}

/* ---- one commit ---- */

/* The headers of the mail, those of its second part, and where it ends. */
static void set_parts(struct format_patch *f)
{
	const char *how = f->attached ? "attachment" : "inline";

	if (!f->boundary)
		return;
	strbuf_reset(&f->multipart);
	strbuf_addf(&f->multipart, "MIME-Version: 1.0\n"
		    "Content-Type: multipart/mixed; boundary=\"" BOUNDARY_LEADER "%s\"\n"
		    "\nThis is a multi-part message in MIME format.\n"
		    "--" BOUNDARY_LEADER "%s\n"
		    "Content-Type: text/plain; charset=UTF-8; format=fixed\n"
		    "Content-Transfer-Encoding: 8bit\n\n", f->boundary, f->boundary);
	strbuf_reset(&f->separator);
	strbuf_addf(&f->separator, "\n--" BOUNDARY_LEADER "%s\n"
		    "Content-Type: text/x-patch; name=\"%s\"\n"
		    "Content-Transfer-Encoding: 8bit\n"
		    "Content-Disposition: %s; filename=\"%s\"\n\n", f->boundary, f->name.buf, how, f->name.buf);
	f->style.multipart = f->multipart.buf;
	f->log.diff.patch_separator = f->separator.buf;
}

static void add_signature(const struct format_patch *f, struct strbuf *out)
{
	if (!f->signature || !*f->signature)
		return;
	strbuf_addf(out, "-- \n%s", f->signature);
	strbuf_complete_line(out);
	strbuf_addch(out, '\n');
}

void mail_add_end(struct format_patch *f, struct strbuf *out)
{
	base_add(f, out);
	if (f->style.multipart)
		strbuf_addf(out, "\n--" BOUNDARY_LEADER "%s--\n\n\n", f->boundary);
	else
		add_signature(f, out);
}

static int show_mail(struct format_patch *f, struct commit *c, struct err *err)
{
	struct strbuf end = STRBUF_INIT;
	int rc;

	mail_set_subject_prefix(f);
	mail_add_ids(f);
	set_parts(f);
	f->log.pretty.email = &f->style;
	if (f->outdir)
		f->log.shown_one = false;
	rc = log_show_commit(&f->log, c, err);
	if (rc > 0) {
		strbuf_addbuf(&end, &f->commentary);
		mail_add_end(f, &end);
		rc = print_and_clear(NULL, &end, err);
	}
	strbuf_release(&end);
	return rc;
}

int mail_commit(struct format_patch *f, struct commit *c, struct err *err)
{
	struct err closing = ERR_INIT;
	int rc, closed;

	continue_thread(f, c);
	rc = mail_open(f, c, NULL, err);
	if (rc < 0)
		return rc;
	rc = show_mail(f, c, err);
	closed = mail_close(f, rc < 0 ? &closing : err);
	err_release(&closing);
	commit_release_buffer(c);
	return rc < 0 ? rc : closed;
}
