/* SPDX-License-Identifier: GPL-2.0-only */
/* git-stripspace(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/edit-text.h"
#include "fs/file.h"
#include "object/message.h"

static const char *const usage[] = {
	"git stripspace [-s | --strip-comments]",
	"git stripspace [-c | --comment-lines]",
	NULL
};

enum stripspace_mode { STRIPSPACE_PLAIN, STRIPSPACE_COMMENTS, STRIPSPACE_ADD_COMMENTS };

static void convert_text(struct repository *r, struct strbuf *text, int mode)
{
	struct strbuf out = STRBUF_INIT;

	switch (mode) {
	case STRIPSPACE_PLAIN:
		message_cleanup(text, CLEANUP_WHITESPACE, 0);
		break;
	case STRIPSPACE_COMMENTS:
		message_cleanup(text, CLEANUP_STRIP, edit_comment_char(r));
		break;
	case STRIPSPACE_ADD_COMMENTS:
		message_add_commented(&out, text->buf, text->len, edit_comment_char(r));
		strbuf_swap(text, &out);
		break;
	}
	strbuf_release(&out);
}

int cmd_stripspace(int argc, const char **argv, struct command_ctx *ctx)
{
	int mode = STRIPSPACE_PLAIN;
	struct option opts[] = {
		OPT_CMDMODE('s', "strip-comments", &mode,
			    "skip and remove all lines starting with comment character",
			    STRIPSPACE_COMMENTS),
		OPT_CMDMODE('c', "comment-lines", &mode,
			    "prepend comment character and space to each line",
			    STRIPSPACE_ADD_COMMENTS),
		OPT_END(),
	};
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (parse_options(argc, argv, opts, usage, 0))
		usage_with_options(usage, opts);
	if (read_fd(&text, 0, 0, "standard input", &err) < 0)
		die("could not read the input: %s", err_message(&err));
	convert_text(ctx->repo, &text, mode);
	fwrite(text.buf, 1, text.len, stdout);
	strbuf_release(&text);
	return finish_stdout();
}
