/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): a mail becomes a message, an author and a patch. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "object/ident.h"
#include "object/message.h"
#include "porcelain/trailers.h"
#include "repo/state.h"
#include "util/alloc.h"

char *am_path(const struct am_cmd *c, const char *name)
{
	return repo_path(c->r, "%s/%s", repo_state_name(STATE_REBASE_APPLY), name);
}

void am_mail_init(struct am_mail *m)
{
	struct strbuf *all[] = { &m->author, &m->email, &m->date, &m->message, &m->body, &m->patch, &m->info };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		strbuf_init(all[i], 0);
	m->commit = (struct object_id){ 0 };
	m->has_message = m->has_text = false;
}

void am_mail_reset(struct am_mail *m)
{
	struct strbuf *all[] = { &m->author, &m->email, &m->date, &m->message, &m->body, &m->patch, &m->info };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		strbuf_reset(all[i]);
	m->has_message = m->has_text = false;
	m->commit = (struct object_id){ 0 };
}

void am_mail_release(struct am_mail *m)
{
	struct strbuf *all[] = { &m->author, &m->email, &m->date, &m->message, &m->body, &m->patch, &m->info };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		strbuf_release(all[i]);
}

int am_subject_len(const struct am_cmd *c)
{
	return (int)strcspn(c->mail.message.buf, "\n");
}

void am_say(const struct am_cmd *c, const char *fmt, ...)
{
	va_list ap;

	if (c->s.quiet)
		return;
	va_start(ap, fmt);
	vfprintf(stdout, fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

static bool is_blank_or_comment(const struct am_cmd *c, const char *line, size_t len)
{
	if (*line == c->comment_char)
		return true;
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	return !len;
}

/* Where blank lines and comments at the end begin. */
static size_t end_of_text(const struct am_cmd *c)
{
	const char *buf = c->mail.message.buf;
	size_t len = c->mail.message.len;

	while (len) {
		size_t start = len - 1;

		while (start && buf[start - 1] != '\n')
			start--;
		if (!is_blank_or_comment(c, buf + start, len - start))
			break;
		len = start;
	}
	return len;
}

/* As in Git, the line comes behind them, though trailers are looked for before them. */
static void append_at_end(struct am_cmd *c, size_t len, const char *line)
{
	struct strbuf *m = &c->mail.message, text = STRBUF_INIT;

	strbuf_add(&text, m->buf, len);
	trailers_add_line(c->r, &text, line, c->comment_char);
	if (text.len > len) {
		const bool joins = text.len == len + strlen(line) + 1; /* other trailers */

		strbuf_complete_line(m);
		if (!joins && !(m->len > 1 && m->buf[m->len - 2] == '\n'))
			strbuf_addch(m, '\n');
		strbuf_addf(m, "%s\n", line);
	}
	strbuf_release(&text);
}

void am_append_signoff(struct am_cmd *c)
{
	const size_t len = end_of_text(c);
	struct strbuf line = STRBUF_INIT;
	const bool has_line = ident_add_signoff(&line, c->committer.buf);

	if (has_line && len < c->mail.message.len)
		append_at_end(c, len, line.buf);
	else if (has_line)
		trailers_add_line(c->r, &c->mail.message, line.buf, c->comment_char);
	strbuf_release(&line);
}

/* ---- reading ---- */

static void warn_of_mail_text(const char *message)
{
	warning("%s", message);
}

static void report_bad_mail_text(const char *message)
{
	error("%s", message);
}

static int fill_mail_options(const struct am_cmd *c, struct mail_options *o, struct err *err)
{
	const struct config_set *config = c->r->config;
	const char *action = NULL, *encoding = NULL;
	bool scissors = false;

	if (config_get_bool(config, "mailinfo.scissors", &scissors, err) < 0 ||
	    config_get_string(config, "mailinfo.quotedcr", &action, err) < 0 ||
	    config_get_string(config, "i18n.commitencoding", &encoding, err) < 0)
		return ERR_INVALID;
	*o = (struct mail_options){
		.keep_subject = c->s.keep == AM_KEEP_ALL, .keep_brackets = c->s.keep == AM_KEEP_NON_PATCH,
		.add_message_id = c->s.message_id, .quoted_cr = QUOTED_CR_WARN,
		.scissors = c->s.scissors == AM_SCISSORS_UNSET ? scissors : c->s.scissors == AM_SCISSORS_ON,
		.charset = !c->s.utf8 ? NULL : encoding ? encoding : "UTF-8",
		.warn = warn_of_mail_text, .report_error = report_bad_mail_text,
	};
	if (c->s.has_quoted_cr)
		o->quoted_cr = c->s.quoted_cr;
	else if (action && !quoted_cr_parse(action, &o->quoted_cr))
		return err_set(err, ERR_INVALID, "bad value '%s' for '%s'", action, "mailinfo.quotedcr");
	return 0;
}

/* The mail's text, from memory or from its file. */
static int load_text(const struct am_cmd *c, const char *path, struct strbuf *out, struct err *err)
{
	if (c->begun)
		return read_file(out, path, EDIT_TEXT_MAX, err);
	strbuf_addbuf(out, &c->mails.texts[c->next - 1]);
	return 0;
}

static bool is_white(const struct strbuf *text)
{
	size_t i = 0;

	while (i < text->len && isspace((unsigned char)text->buf[i]))
		i++;
	return i == text->len;
}

static void compose_message(struct am_cmd *c, const struct mail_info *info)
{
	struct am_mail *m = &c->mail;

	strbuf_addbuf(&m->message, &info->subject);
	strbuf_addstr(&m->message, "\n\n");
	strbuf_addbuf(&m->message, &info->message);
	message_cleanup(&m->message, CLEANUP_WHITESPACE, c->comment_char);
	m->has_message = true;
	if (c->s.signoff)
		am_append_signoff(c);
}

static void take_info(struct am_cmd *c, struct mail_info *info)
{
	struct am_mail *m = &c->mail;

	if (info->has_author) {
		strbuf_addbuf(&m->author, &info->author);
		strbuf_addbuf(&m->email, &info->email);
	}
	if (info->has_date)
		strbuf_addbuf(&m->date, &info->date);
	compose_message(c, info);
}

/* Also of a mail that is not well-formed, and in empty files of one that is empty. */
static void take_parts(struct am_cmd *c, struct mail_info *info)
{
	struct am_mail *m = &c->mail;

	strbuf_swap(&m->body, &info->message);
	strbuf_swap(&m->patch, &info->patch);
	m->has_text = true;
}

/* The mail that old mail programs put before the others of a folder. */
static bool is_internal_data(const struct mail_info *info)
{
	return info->has_author && !strcmp(info->author.buf, "Mail System Internal Data");
}

static int read_mail_text(struct am_cmd *c, const struct strbuf *text, struct err *err)
{
	struct mail_options o;
	struct mail_info info;
	char *path;
	int rc = fill_mail_options(c, &o, err);

	if (rc)
		return rc;
	mail_info_init(&info);
	if (is_white(text)) {
		path = am_path(c, "patch");
		error("empty patch: '%s'", path);
		free(path);
		rc = err_set(err, ERR_INVALID, "could not parse patch");
	} else {
		mail_read(text->buf, text->len, &o, &info);
		mail_format_info(&info, &c->mail.info);
		if (info.flowed)
			warning("Patch sent with format=flowed; space at the end of lines might be lost.");
		rc = info.faulty ? err_set(err, ERR_INVALID, "could not parse patch") : is_internal_data(&info);
	}
	if (!rc)
		take_info(c, &info);
	take_parts(c, &info);
	mail_info_release(&info);
	return rc;
}

int am_read_mail(struct am_cmd *c, struct err *err)
{
	char *name = xstrfmt("%04zu", c->next), *path = am_path(c, name);
	struct strbuf text = STRBUF_INIT;
	int rc;

	am_mail_reset(&c->mail);
	rc = load_text(c, path, &text, err);
	if (!rc)
		rc = c->rebasing ? am_read_commit(c, &text, path, err) : read_mail_text(c, &text, err);
	if (!rc && c->rebasing && c->s.signoff)
		am_append_signoff(c);
	strbuf_release(&text);
	free(path);
	free(name);
	return rc;
}
