/* SPDX-License-Identifier: GPL-2.0-only */
/* git-interpret-trailers(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "fs/replace.h"
#include "porcelain/trailers.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git interpret-trailers [--in-place] [--trim-empty]\n"
	"                       [(--trailer (<key>|<key-alias>)[(=|:)<value>])...]\n"
	"                       [--parse] [<file>...]",
	NULL
};

/* --where and its like count for each --trailer behind them. */
struct arguments {
	struct trailer_arg *v;
	size_t nr, alloc;
	int chosen[TRAILER_SETTINGS];
};

struct interpretation {
	struct arguments args;
	int in_place, only_trailers, only_input, trim_empty, unfold, no_divider;
};

static int choose_setting(const struct option *opt, const char *arg, int unset)
{
	struct arguments *a = opt->value;

	a->chosen[opt->defval] = unset ? -1 : trailer_setting_parse((enum trailer_setting)opt->defval, arg);
	return unset || a->chosen[opt->defval] >= 0 ? 0 : -1;
}

static int add_trailer_option(const struct option *opt, const char *arg, int unset)
{
	struct arguments *a = opt->value;

	if (unset) {
		a->nr = 0;
		return 0;
	}
	ALLOC_GROW(a->v, a->nr + 1, a->alloc);
	a->v[a->nr].text = arg;
	memcpy(a->v[a->nr++].chosen, a->chosen, sizeof(a->chosen));
	return 0;
}

static int choose_parse(const struct option *opt, const char *arg UNUSED, int unset UNUSED)
{
	struct interpretation *in = opt->value;

	in->only_trailers = in->only_input = in->unfold = true;
	return 0;
}

static int read_message_file(const char *name, struct strbuf *text)
{
	struct err err = ERR_INIT;
	int rc = name ? read_named_file(text, name, EDIT_TEXT_MAX, &err) : read_fd(text, 0, EDIT_TEXT_MAX, "standard input", &err);

	if (!rc)
		return 0;
	if (name && err.sys_errno)
		die("could not read input file '%s': %s", name, strerror(err.sys_errno));
	error("could not read the input: %s", err_message(&err));
	err_release(&err);
	return rc;
}

static bool is_regular(const char *path, const char *name)
{
	struct stat st;

	if (!stat(path, &st) && S_ISREG(st.st_mode))
		return true;
	error("file %s is not a regular file", name);
	return false;
}

/* name NULL: from standard input. */
static int edit_one(const struct interpretation *in, struct command_ctx *ctx, const char *name)
{
	struct trailers_edit edit = { in->args.v, in->args.nr, in->only_trailers, in->only_input, in->trim_empty,
				      in->unfold, in->no_divider };
	char *path = name && ctx->prefix && *name != '/' ? xstrfmt("%s%s", ctx->prefix, name) : name ? xstrdup(name) : NULL;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int code = 0;

	if (read_message_file(path, &text) < 0 || (in->in_place && !is_regular(path, name))) {
		code = 128;
	} else {
		trailers_edit(command_config(ctx->repo), &text, &edit, edit_comment_char(ctx->repo));
		if (!in->in_place)
			fwrite(text.buf, 1, text.len, stdout);
		else if (replace_user_file(path, &text, ".git-interpret-trailers-", name, &err) < 0)
			code = report_fatal(&err);
	}
	strbuf_release(&text);
	free(path);
	return code;
}

static int edit_all(const struct interpretation *in, struct command_ctx *ctx, int nr, const char **names)
{
	int code = 0;

	if (!nr && in->in_place)
		die("no input file given for in-place editing");
	if (!nr)
		return edit_one(in, ctx, NULL);
	for (int i = 0; !code && i < nr; i++)
		code = edit_one(in, ctx, names[i]);
	return code;
}

#define SETTING_OPTION(name, argh, help, which) \
	{ OPTION_CALLBACK, 0, name, &in.args, argh, help, 0, choose_setting, which }

int cmd_interpret_trailers(int argc, const char **argv, struct command_ctx *ctx)
{
	struct interpretation in = { .args = { .chosen = { -1, -1, -1 } } };
	struct option opts[] = {
		OPT_BOOL(0, "in-place", &in.in_place, "edit files in place"),
		OPT_BOOL(0, "trim-empty", &in.trim_empty, "trim empty trailers"),
		SETTING_OPTION("where", "placement", "where to place the new trailer", TRAILER_WHERE),
		SETTING_OPTION("if-exists", "action", "action if trailer already exists", TRAILER_IF_EXISTS),
		SETTING_OPTION("if-missing", "action", "action if trailer is missing", TRAILER_IF_MISSING),
		OPT_BOOL(0, "only-trailers", &in.only_trailers, "output only the trailers"),
		OPT_BOOL(0, "only-input", &in.only_input, "do not apply trailer.<key-alias> configuration variables"),
		OPT_BOOL(0, "unfold", &in.unfold, "reformat multiline trailer values as single-line values"),
		OPT_CALLBACK_F(0, "parse", &in, NULL, "alias for --only-trailers --only-input --unfold",
			       PARSE_OPT_NOARG | PARSE_OPT_NONEG, choose_parse),
		OPT_BOOL(0, "no-divider", &in.no_divider, "do not treat \"---\" as the end of input"),
		OPT_CALLBACK(0, "trailer", &in.args, "trailer", "trailer(s) to add", add_trailer_option),
		OPT_END(),
	};
	int code;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (in.only_input && in.args.nr)
		usage_msg_opt("--trailer with --only-input does not make sense", usage, opts);
	code = edit_all(&in, ctx, argc, argv);
	free(in.args.v);
	return code ? code : finish_stdout();
}
