/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): options, configuration, and the options that go on to git-apply(1). */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "cli/edit-text.h"
#include "util/alloc.h"

static const char *const am_usages[] = {
	"git am [<options>] [(<mbox> | <Maildir>)...]",
	"git am [<options>] (--continue | --skip | --abort)",
	NULL
};

/* ---- the command line ---- */

static int on_sign_key(const struct option *opt, const char *arg, int unset)
{
	const char **key = opt->value;

	*key = unset ? NULL : arg ? arg : "";
	return 0;
}

/* An option for git-apply(1), as it is kept in apply-opt. */
static int pass_to_apply(const struct option *opt, const char *arg, int unset)
{
	struct am_cmd *c = opt->value;

	if (opt->short_name)
		strvec_pushf(&c->s.apply_options, "-%c%s", opt->short_name, arg);
	else if (unset)
		strvec_pushf(&c->s.apply_options, "--no-%s", opt->long_name);
	else if (arg)
		strvec_pushf(&c->s.apply_options, "--%s=%s", opt->long_name, arg);
	else
		strvec_pushf(&c->s.apply_options, "--%s", opt->long_name);
	return 0;
}

static int on_format(const struct option *opt, const char *arg, int unset)
{
	static const char *const names[] = { [AM_FORMAT_MBOX] = "mbox", [AM_FORMAT_MBOXRD] = "mboxrd", [AM_FORMAT_STGIT] = "stgit",
					     [AM_FORMAT_STGIT_SERIES] = "stgit-series", [AM_FORMAT_HG] = "hg" };
	int *format = opt->value;

	*format = AM_FORMAT_UNKNOWN;
	for (size_t i = AM_FORMAT_MBOX; !unset && i < ARRAY_SIZE(names); i++)
		if (!strcmp(arg, names[i]))
			*format = (int)i;
	return unset || *format ? 0 : error("invalid value for '%s': '%s'", "--patch-format", arg);
}

static int on_empty_mail(const struct option *opt, const char *arg, int unset UNUSED)
{
	static const char *const names[] = { [AM_EMPTY_STOP] = "stop", [AM_EMPTY_DROP] = "drop", [AM_EMPTY_KEEP] = "keep" };
	int *empty = opt->value;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(arg, names[i])) {
			*empty = (int)i;
			return 0;
		}
	return error("invalid value for '%s': '%s'", "--empty", arg);
}

static int on_show(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct am_options *o = opt->value;
	const char *typed = !arg ? "--show-current-patch" : !strcmp(arg, "diff") ? "--show-current-patch=diff" :
								  "--show-current-patch=raw";

	if (arg && strcmp(arg, "diff") && strcmp(arg, "raw"))
		return error("invalid value for '%s': '%s'", "--show-current-patch", arg);
	if (o->shows && strcmp(o->shows, typed))
		return error("options '%s' and '%s' cannot be used together", typed, o->shows);
	o->shows = typed;
	return 0;
}

/* --show-current-patch is a mode with a value. */
static void set_show_mode(struct am_options *o)
{
	static const char *const modes[] = { [AM_RETRY] = "--retry", [AM_CONTINUE] = "--continue", [AM_SKIP] = "--skip",
					     [AM_ALLOW_EMPTY] = "--allow-empty", [AM_ABORT] = "--abort", [AM_QUIT] = "--quit" };

	if (!o->shows)
		return;
	if (o->mode != AM_START) {
		error("options '%s' and '%s' cannot be used together", modes[o->mode], o->shows);
		exit(129);
	}
	o->mode = AM_SHOW;
}

static int on_quoted_cr(const struct option *opt, const char *arg, int unset UNUSED)
{
	struct am_settings *s = opt->value;

	s->has_quoted_cr = true;
	return quoted_cr_parse(arg, &s->quoted_cr) ? 0 : error("bad action '%s' for '%s'", arg, "--quoted-cr");
}

static int on_scissors(const struct option *opt, const char *arg UNUSED, int unset)
{
	*(int *)opt->value = unset ? AM_SCISSORS_OFF : AM_SCISSORS_ON;
	return 0;
}

#define PASS(s, l, c, argh, flags) { OPTION_CALLBACK, (s), (l), (c), (argh), "as git apply has it", (flags), pass_to_apply, 0 }

int am_parse_options(struct am_cmd *c, int argc, const char **argv)
{
	struct am_options *o = &c->o;
	struct am_settings *s = &c->s;
	struct option opts[] = {
		OPT_BOOL('i', "interactive", &o->interactive, "ask about each patch"),
		OPT_BOOL('n', "no-verify", &o->no_verify, "leave out the hooks applypatch-msg and pre-applypatch"),
		{ OPTION_BOOL, 'b', "binary", OPT_VALUE(int, &o->no_op), NULL, "has no effect", PARSE_OPT_HIDDEN, NULL, 1 },
		OPT_BOOL('3', "3way", &s->threeway, "merge a patch that does not apply"),
		OPT_BOOL('q', "quiet", &s->quiet, "print error messages only"),
		OPT_BOOL('s', "signoff", &o->signs_off, "add a line Signed-off-by to the messages"),
		OPT_BOOL('u', "utf8", &s->utf8, "convert messages to the encoding of commits (the default)"),
		OPT_SET_INT('k', "keep", &s->keep, "keep subjects as they are", AM_KEEP_ALL),
		OPT_SET_INT(0, "keep-non-patch", &s->keep, "keep brackets of a subject that have no PATCH in them", AM_KEEP_NON_PATCH),
		OPT_BOOL('m', "message-id", &s->message_id, "add the Message-ID to the messages"),
		OPT_BOOL(0, "keep-cr", &o->keep_cr, "keep CR at the ends of lines of a mailbox"),
		OPT_CALLBACK_F('c', "scissors", &s->scissors, NULL, "drop the text above a line with scissors", PARSE_OPT_NOARG,
			       on_scissors),
		OPT_CALLBACK_F(0, "quoted-cr", s, "action", "what to do with quoted CRLF (warn, strip, nowarn)", PARSE_OPT_NONEG, on_quoted_cr),
		PASS(0, "whitespace", c, "action", 0),
		PASS(0, "ignore-space-change", c, NULL, PARSE_OPT_NOARG),
		PASS(0, "ignore-whitespace", c, NULL, PARSE_OPT_NOARG),
		PASS(0, "directory", c, "root", 0),
		PASS(0, "exclude", c, "path", 0),
		PASS(0, "include", c, "path", 0),
		PASS('C', NULL, c, "n", 0),
		PASS('p', NULL, c, "num", 0),
		OPT_CALLBACK(0, "patch-format", &o->format, "format", "mbox, mboxrd, stgit, stgit-series or hg", on_format),
		PASS(0, "reject", c, NULL, PARSE_OPT_NOARG),
		OPT_STRING(0, "resolvemsg", &o->resolvemsg, NULL, "text in place of the advice at a stop"),
		OPT_CMDMODE(0, "continue", &o->mode, "commit the index, and go on", AM_CONTINUE),
		OPT_CMDMODE('r', "resolved", &o->mode, "the same as --continue", AM_CONTINUE),
		OPT_CMDMODE(0, "skip", &o->mode, "leave this patch out, and go on", AM_SKIP),
		OPT_CMDMODE(0, "abort", &o->mode, "give up, and bring back the state before", AM_ABORT),
		OPT_CMDMODE(0, "quit", &o->mode, "give up, and change nothing", AM_QUIT),
		OPT_CALLBACK_F(0, "show-current-patch", o, "(diff|raw)", "print the mail, or its patch",
			       PARSE_OPT_OPTARG | PARSE_OPT_NONEG, on_show),
		OPT_CMDMODE(0, "retry", &o->mode, "apply this patch again", AM_RETRY),
		OPT_CMDMODE(0, "allow-empty", &o->mode, "make an empty commit of a mail without a patch, and go on", AM_ALLOW_EMPTY),
		OPT_BOOL(0, "committer-date-is-author-date", &o->committer_date_is_author_date, "use the author's date for the committer, too"),
		OPT_BOOL(0, "ignore-date", &o->ignore_date, "use the present time for the author"),
		OPT_BOOL(0, "rerere-autoupdate", &s->rerere_autoupdate,
			 "stage files that get a recorded resolution"),
		OPT_CALLBACK_F('S', "gpg-sign", &o->sign_key, "key-id", "sign the commits", PARSE_OPT_OPTARG, on_sign_key),
		OPT_CALLBACK_F(0, "empty", &o->empty, "(stop|drop|keep)", "what to do with mails without a patch", PARSE_OPT_NONEG,
			       on_empty_mail),
		OPT_END()
	};

	o->signs_off = -1;
	o->no_op = -1;
	argc = parse_options(argc, argv, opts, am_usages, 0);
	set_show_mode(o);
	if (o->signs_off >= 0)
		s->signoff = o->signs_off;
	if (o->no_op >= 0)
		fputs("The -b/--binary option has been a no-op for long time, and\n"
		      "it will be removed. Please do not use it anymore.\n", stderr);
	return argc;
}

/* ---- configuration ---- */

static void read_flag(const struct config_set *config, const char *key, int *out)
{
	struct err err = ERR_INIT;
	bool on = *out;

	if (config_get_bool(config, key, &on, &err) < 0)
		die_err(&err);
	*out = on;
}

void am_read_config(struct am_cmd *c)
{
	const struct config_set *config = command_config(c->r);
	int sign = 0;

	c->s.utf8 = 1;
	c->s.rerere_autoupdate = -1;
	read_flag(config, "am.threeway", &c->s.threeway);
	read_flag(config, "am.messageid", &c->s.message_id);
	read_flag(config, "am.keepcr", &c->o.keep_cr);
	read_flag(config, "commit.gpgsign", &sign);
	c->o.sign_key = sign ? "" : NULL;
	if (c->r)
		c->comment_char = edit_comment_char(c->r);
}

/* ---- options of git-apply(1) ---- */

static void add_path_limit(struct apply *a, char sign, const char *pattern)
{
	char *text = xstrfmt("%c%s", sign, pattern);

	strvec_push(&a->limits, text);
	free(text);
	a->has_include |= sign == '+';
}

static int bad_strip(const char *value)
{
	fprintf(stderr, "fatal: option -p expects a non-negative integer, got '%s'\n", value);
	return -128;
}

/* One with a value. */
static int take_apply_value(struct apply *a, const char *arg)
{
	const char *value;

	if (skip_prefix(arg, "--whitespace=", &value))
		return apply_set_whitespace(a, value) ? 0 : error("unrecognized whitespace option '%s'", value);
	if (skip_prefix(arg, "-C", &value))
		return apply_set_context(a, value) ? 0 : error("switch `C' expects %s", APPLY_CONTEXT_VALUES);
	if (skip_prefix(arg, "-p", &value))
		return apply_set_strip(a, value) ? 0 : bad_strip(value);
	if (skip_prefix(arg, "--exclude=", &value)) {
		add_path_limit(a, '-', value);
	} else if (skip_prefix(arg, "--include=", &value)) {
		add_path_limit(a, '+', value);
	} else if (skip_prefix(arg, "--directory=", &value)) {
		if (apply_set_root(a, value) < 0)
			return error("unable to normalize directory: '%s'", value);
	} else {
		return error("unknown option `%s'", *arg == '-' && arg[1] == '-' ? arg + 2 : arg);
	}
	return 0;
}

static int take_apply_option(struct apply *a, const char *arg)
{
	if (!strcmp(arg, "--ignore-space-change") || !strcmp(arg, "--ignore-whitespace"))
		a->ignore_space = true;
	else if (!strcmp(arg, "--no-ignore-space-change") || !strcmp(arg, "--no-ignore-whitespace"))
		a->ignore_space = false;
	else if (!strcmp(arg, "--reject"))
		a->reject = 1;
	else if (!strcmp(arg, "--no-reject"))
		a->reject = 0;
	else
		return take_apply_value(a, arg);
	return 0;
}

int am_apply_options(struct am_cmd *c, struct apply *a)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < c->s.apply_options.nr; i++)
		rc = take_apply_option(a, c->s.apply_options.v[i]);
	if (rc)
		c->code = rc == -128 ? 128 : 129;
	return rc;
}
