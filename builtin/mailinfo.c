/* SPDX-License-Identifier: GPL-2.0-only */
/* git-mailinfo(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "mail/mail.h"
#include "util/alloc.h"

static const char *const usage[] = { "git mailinfo [<options>] <msg> <patch> < mail >info", NULL };

enum charset_choice { CHARSET_RECODE, CHARSET_NONE };

struct mailinfo {
	struct mail_options o;
	int keep_subject, keep_brackets, add_message_id, scissors, choice;
	const char *encoding;
};

static int choose_quoted_cr(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct mailinfo *m = opt->value;

	return quoted_cr_parse(arg, &m->o.quoted_cr) ? 0 : error("bad action '%s' for '--quoted-cr'", arg);
}

static void warn_of_mail(const char *message)
{
	warning("%s", message);
}

static void report_bad_mail(const char *message)
{
	error("%s", message);
}

static void read_mailinfo_settings(struct mailinfo *m, const struct config_set *c)
{
	const char *action = NULL;
	struct err err = ERR_INIT;
	bool scissors = false;

	m->o.quoted_cr = QUOTED_CR_WARN;
	if (config_get_bool(c, "mailinfo.scissors", &scissors, &err) < 0 ||
	    config_get_string(c, "mailinfo.quotedcr", &action, &err) < 0)
		die_err(&err);
	if (action && !quoted_cr_parse(action, &m->o.quoted_cr))
		die("bad value '%s' for '%s'", action, "mailinfo.quotedcr");
	m->scissors = scissors;
}

static void fill_mail_options(struct mailinfo *m, const struct config_set *c)
{
	const char *encoding = NULL;
	struct err err = ERR_INIT;

	if (config_get_string(c, "i18n.commitencoding", &encoding, &err) < 0)
		die_err(&err);
	m->o.keep_subject = m->keep_subject;
	m->o.keep_brackets = m->keep_brackets;
	m->o.add_message_id = m->add_message_id;
	m->o.scissors = m->scissors;
	m->o.charset = m->choice == CHARSET_NONE ? NULL : m->encoding ? m->encoding : encoding ? encoding : "UTF-8";
	m->o.warn = warn_of_mail;
	m->o.report_error = report_bad_mail;
}

static char *output_path(const struct command_ctx *ctx, const char *name)
{
	return ctx->prefix && *name != '/' ? xstrfmt("%s%s", ctx->prefix, name) : xstrdup(name);
}

static int write_output(const struct command_ctx *ctx, const char *name, const struct strbuf *text, struct err *err)
{
	char *path = output_path(ctx, name);
	int rc = edit_text_write(path, text, err);

	free(path);
	return rc;
}

static void print_info(const struct mail_info *m)
{
	struct strbuf out = STRBUF_INIT;

	mail_format_info(m, &out);
	fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
}

static bool is_blank_text(const struct strbuf *text)
{
	size_t i = 0;

	while (i < text->len && isspace((unsigned char)text->buf[i]))
		i++;
	return i == text->len;
}

static int run_mailinfo(struct mailinfo *m, const struct command_ctx *ctx, const char **names)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct mail_info info;
	int rc = read_fd(&text, 0, EDIT_TEXT_MAX, "standard input", &err);
	bool faulty;

	mail_info_init(&info);
	if (!rc && is_blank_text(&text))
		rc = err_set(&err, ERR_INVALID, "empty patch: '%s'", names[1]);
	if (!rc) {
		mail_read(text.buf, text.len, &m->o, &info);
		print_info(&info);
		rc = write_output(ctx, names[0], &info.message, &err);
	}
	else
		(void)!write_output(ctx, names[0], &info.message, NULL); /* both are there, as in Git */
	if (rc != ERR_IO && write_output(ctx, names[1], &info.patch, rc ? NULL : &err) < 0)
		rc = ERR_IO;
	faulty = info.faulty;
	mail_info_release(&info);
	strbuf_release(&text);
	return rc < 0 ? report_error(&err) : faulty;
}

int cmd_mailinfo(int argc, const char **argv, struct command_ctx *ctx)
{
	struct mailinfo m = { .choice = CHARSET_RECODE };
	struct option opts[] = {
		{ OPTION_BOOL, 'k', NULL, OPT_VALUE(int, &m.keep_subject), NULL, "keep subject", PARSE_OPT_NONEG, NULL, 1 },
		{ OPTION_BOOL, 'b', NULL, OPT_VALUE(int, &m.keep_brackets), NULL, "keep non patch brackets in subject", PARSE_OPT_NONEG, NULL, 1 },
		OPT_BOOL('m', "message-id", &m.add_message_id, "copy Message-ID to the end of commit message"),
		{ OPTION_SET_INT, 'u', NULL, &m.choice, NULL, "re-code metadata to i18n.commitEncoding", PARSE_OPT_NONEG, NULL,
		  CHARSET_RECODE },
		{ OPTION_SET_INT, 'n', NULL, &m.choice, NULL, "disable charset re-coding of metadata", PARSE_OPT_NONEG, NULL,
		  CHARSET_NONE },
		{ OPTION_STRING, 0, "encoding", OPT_VALUE(const char *, &m.encoding), "encoding", "re-code metadata to this encoding", PARSE_OPT_NONEG, NULL, 0 },
		OPT_BOOL(0, "scissors", &m.scissors, "use scissors"),
		OPT_CALLBACK_F(0, "quoted-cr", &m, "action", "action when quoted CR is found", PARSE_OPT_NONEG, choose_quoted_cr),
		OPT_END(),
	};

	read_mailinfo_settings(&m, command_config(ctx->repo));
	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc != 2)
		usage_with_options(usage, opts);
	fill_mail_options(&m, command_config(ctx->repo));
	argc = run_mailinfo(&m, ctx, argv);
	return argc ? argc : finish_stdout();
}
