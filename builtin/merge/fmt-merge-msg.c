/* SPDX-License-Identifier: GPL-2.0-only */
/* git-fmt-merge-msg(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "porcelain/merge-message.h"
#include "util/path.h"

#define DEFAULT_LOG 20

static const char *const usage[] = {
	"git fmt-merge-msg [-m <message>] [--into-name <branch>] [--log[=<n>] | --no-log] [--file <file>]",
	NULL
};

static int shortlog_setting(struct repository *r)
{
	static const char *const keys[] = { "merge.summary", "merge.log" };
	struct err err = ERR_INIT;
	int log = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		bool is_bool = false;
		int n = 0, rc = config_get_bool_or_int(r->config, keys[i], &is_bool, &n, &err);

		if (rc < 0)
			die_err(&err);
		if (rc > 0)
			log = is_bool && n ? DEFAULT_LOG : n;
	}
	return log;
}

static int read_lines(const struct command_ctx *ctx, const char *file, struct strbuf *out, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc;

	if (!file || !strcmp(file, "-"))
		return read_fd(out, 0, EDIT_TEXT_MAX, "standard input", err);
	if (ctx->prefix && !is_absolute_path(file))
		strbuf_addstr(&path, ctx->prefix);
	strbuf_addstr(&path, file);
	rc = read_named_file(out, path.buf, EDIT_TEXT_MAX, err);
	strbuf_release(&path);
	return rc;
}

int cmd_fmt_merge_msg(int argc, const char **argv, struct command_ctx *ctx)
{
	struct merge_message_options o = { .comment_char = '#', .reduce = true, .credits = true };
	struct strbuf lines = STRBUF_INIT, out = STRBUF_INIT;
	struct err err = ERR_INIT;
	const char *file = NULL;
	int log = -1, rc;
	struct option opts[] = {
		{ OPTION_INTEGER, 0, "log", OPT_VALUE(int, &log), "n", "populate log with at most <n> entries from shortlog", PARSE_OPT_OPTARG,
		  NULL, DEFAULT_LOG },
		{ OPTION_INTEGER, 0, "summary", OPT_VALUE(int, &log), "n", "alias for --log (deprecated)", PARSE_OPT_OPTARG | PARSE_OPT_HIDDEN,
		  NULL, DEFAULT_LOG },
		OPT_STRING('m', "message", &o.first, "text", "use <text> as start of message"),
		OPT_STRING(0, "into-name", &o.into_name, "name", "use <name> instead of the real target branch"),
		OPT_STRING('F', "file", &file, "file", "file to read from"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc)
		usage_with_options(usage, opts);
	o.log = log >= 0 ? log : shortlog_setting(ctx->repo);
	o.comment_char = edit_comment_char(ctx->repo);
	rc = read_lines(ctx, file, &lines, &err);
	if (!rc)
		rc = merge_message_format(ctx->repo, lines.buf, &o, &out, &err);
	if (!rc)
		fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&lines);
	strbuf_release(&out);
	return rc < 0 ? report_fatal(&err) : finish_stdout();
}
