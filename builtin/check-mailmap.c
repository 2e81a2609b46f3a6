/* SPDX-License-Identifier: GPL-2.0-only */
/* git-check-mailmap(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/stdin-lines.h"
#include "pretty/pretty.h"
#include "util/alloc.h"
#include "util/path.h"

static const char *const usage[] = { "git check-mailmap [<options>] <contact>...", NULL };

/* "Name <mail>" or "<mail>"; anything else is an address as a whole. */
static void split_contact(const char *contact, const char **name, size_t *name_len,
			  const char **mail, size_t *mail_len)
{
	const char *lt = strchr(contact, '<'), *gt = lt ? strchr(lt, '>') : NULL;

	*name = contact;
	*name_len = 0;
	*mail = contact;
	*mail_len = strlen(contact);
	if (!gt)
		return;
	*name_len = (size_t)(lt - contact);
	while (*name_len && isspace((unsigned char)contact[*name_len - 1]))
		(*name_len)--;
	*mail = lt + 1;
	*mail_len = (size_t)(gt - *mail);
}

static void check_contact(const struct mailmap *map, const char *contact)
{
	const char *name, *mail;
	size_t name_len, mail_len;

	split_contact(contact, &name, &name_len, &mail, &mail_len);
	mailmap_apply(map, &name, &name_len, &mail, &mail_len);
	printf("%.*s%s<%.*s>\n", (int)name_len, name, name_len ? " " : "", (int)mail_len, mail);
}

/* A program on the other end of a pipe gets each answer before its next question. */
static void check_stdin(const struct mailmap *map)
{
	struct stdin_lines in = STDIN_LINES_INIT;
	struct strbuf line = STRBUF_INIT;

	for (;;) {
		if (!stdin_lines_ready(&in))
			fflush(stdout);
		if (!stdin_lines_next(&in, &line))
			break;
		check_contact(map, line.buf);
	}
	strbuf_release(&line);
	stdin_lines_release(&in);
}

/* As in Git, a map that cannot be read is reported at most. */
static void add_maps(struct mailmap *map, const struct command_ctx *ctx, const char *blob,
		     const char *file)
{
	struct err err = ERR_INIT;
	char *path;

	if (blob && mailmap_add_blob(map, ctx->repo, blob, &err) < 0)
		report_error(&err);
	if (!file)
		return;
	path = *file == '/' || !ctx->prefix ? xstrdup(file) : path_join(ctx->prefix, file);
	if (mailmap_add_file(map, path, &err) < 0)
		report_error(&err);
	free(path);
}

int cmd_check_mailmap(int argc, const char **argv, struct command_ctx *ctx)
{
	const char *blob = NULL, *file = NULL;
	int from_stdin = 0;
	struct option opts[] = {
		OPT_BOOL(0, "stdin", &from_stdin, "also read contacts from stdin"),
		OPT_STRING(0, "mailmap-file", &file, "file",
			   "read additional mailmap entries from file"),
		OPT_STRING(0, "mailmap-blob", &blob, "blob",
			   "read additional mailmap entries from blob"),
		OPT_END(),
	};
	struct err err = ERR_INIT;
	struct mailmap *map;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (!argc && !from_stdin)
		die("no contacts specified");
	if (mailmap_read(&map, ctx->repo, &err) < 0)
		die_err(&err);
	add_maps(map, ctx, blob, file);
	for (int i = 0; i < argc; i++)
		check_contact(map, argv[i]);
	if (from_stdin)
		check_stdin(map);
	mailmap_free(map);
	return finish_stdout();
}
