/* SPDX-License-Identifier: GPL-2.0-only */
/* git-column(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/column.h"
#include "fs/file.h"

static const char *const usage[] = { "git column [<options>]", NULL };

/* --raw-mode: the number that Git's commands give to each other. */
#define RAW_LAYOUT 0x0fu
#define RAW_ENABLED 0x10u
#define RAW_AUTO 0x20u
#define RAW_DENSE 0x80u

static int parse_raw_mode(const struct option *opt, const char *arg, int unset UNUSED)
{
	unsigned *columns = opt->value;
	uint64_t raw;

	if (!parse_magnitude(arg, &raw))
		return error("option `raw-mode' expects a non-negative integer value "
			     "with an optional k/m/g suffix");
	switch (raw & RAW_LAYOUT) {
	case 0: *columns = 0; break;
	case 1: *columns = COLUMN_ROW; break;
	case 15: *columns = COLUMN_PLAIN; break;
	default: return error("invalid layout mode %u", (unsigned)(raw & RAW_LAYOUT));
	}
	*columns |= raw & RAW_ENABLED ? COLUMN_ENABLED : 0;
	*columns |= raw & RAW_AUTO ? COLUMN_AUTO : 0;
	*columns |= raw & RAW_DENSE ? COLUMN_DENSE : 0;
	if (*columns & COLUMN_AUTO)
		*columns &= ~COLUMN_ENABLED;
	return 0;
}

#define WIDTH_MAX (1 << 28) /* sums of columns stay below INT_MAX */
#define PADDING_MAX (1 << 16)

static void check_layout(struct column_layout *l)
{
	if (l->padding < 0)
		die("%s must be non-negative", "--padding");
	if (!l->padding)
		l->padding = -1; /* none, not the default */
	if (l->padding > PADDING_MAX)
		die("--padding is larger than %d", PADDING_MAX);
	/* As in Git, a negative width does not limit anything. */
	if (l->width < 0 || l->width > WIDTH_MAX)
		l->width = WIDTH_MAX;
}

/* Lines end with LF or CR LF. */
static void read_lines(struct strvec *lines)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *line, *end;

	if (read_fd(&text, 0, 0, "standard input", &err) < 0)
		die_err(&err);
	for (line = text.buf; line < text.buf + text.len; line = end + 1) {
		end = memchr(line, '\n', text.buf + text.len - line);
		if (!end)
			end = text.buf + text.len;
		else if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		*end = '\0';
		strvec_push(lines, line);
	}
	strbuf_release(&text);
}

int cmd_column(int argc, const char **argv, struct command_ctx *ctx)
{
	const char *first = "", *command = NULL;
	struct column_layout layout = { .padding = 1 };
	struct strvec lines = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	unsigned columns;
	struct option opts[] = {
		OPT_STRING(0, "command", &command, "name", "lookup config vars"),
		OPT_CALLBACK_F(0, "mode", &columns, "style", "layout to use", PARSE_OPT_OPTARG,
			       column_parse_option),
		OPT_CALLBACK_F(0, "raw-mode", &columns, "n", "layout to use", PARSE_OPT_NONEG,
			       parse_raw_mode),
		OPT_INTEGER(0, "width", &layout.width, "maximum width"),
		OPT_STRING(0, "indent", &layout.indent, "string", "padding space on left border"),
		OPT_STRING(0, "nl", &layout.newline, "string", "padding space on right border"),
		OPT_INTEGER(0, "padding", &layout.padding, "padding space between columns"),
		OPT_END(),
	};

	/* The options change what the configuration says for the command. */
	if (argc > 1)
		skip_prefix(argv[1], "--command=", &first);
	columns = column_config(ctx->repo, first);
	if (parse_options(argc, argv, opts, usage, 0))
		usage_with_options(usage, opts);
	if (command && strcmp(command, first))
		die("--command must be the first argument");
	check_layout(&layout);
	column_resolve(&columns);
	read_lines(&lines);
	column_print(&out, &lines, columns, column_active(columns) ? &layout : NULL);
	fwrite(out.buf, 1, out.len, stdout);
	strvec_clear(&lines);
	strbuf_release(&out);
	return finish_stdout();
}
