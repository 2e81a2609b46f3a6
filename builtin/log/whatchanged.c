/* SPDX-License-Identifier: GPL-2.0-only */
/* git-whatchanged(1): git log with other defaults. */
#include "compat/posix.h"
#include "builtin/log/log.h"

static const char *const usage[] = { "git whatchanged --i-still-use-this <option>...", NULL };

/* Takes the option out. Was it there? */
static bool take_consent(int *argc, const char **argv)
{
	bool given = false, only_paths = false;
	int to = 1;

	for (int i = 1; i < *argc; i++) {
		only_paths |= !strcmp(argv[i], "--");
		if (!only_paths && !strcmp(argv[i], "--i-still-use-this"))
			given = true;
		else
			argv[to++] = argv[i];
	}
	*argc = to;
	argv[to] = NULL;
	return given;
}

NORETURN static void refuse_to_run(void)
{
	fputs("'git whatchanged' is nominated for removal.\n\n", stderr);
	advise("You can replace 'git whatchanged <opts>' with:\n\tgit log <opts> --raw --no-merges\nOr make an alias:\n"
	       "\tgit config set --global alias.whatchanged 'log --raw --no-merges'");
	fputc('\n', stderr);
	die("refusing to run without --i-still-use-this");
}

static int whatchanged_run(struct log_options *o, int argc, const char **argv, struct err *err)
{
	int rc;

	o->takes_lines = true;
	o->only_changes = true;
	o->diff_asked = true;
	o->walk->full_history = true;
	rc = log_options_parse(o, argc, argv, err);
	if (!rc && !o->diff.formats && !o->diff.combine) /* -c shows patches */
		o->diff.formats = DIFF_FORMAT_RAW;
	if (!rc)
		rc = log_options_resolve(o, err);
	return rc ? rc : log_walk_and_show(o, err);
}

int cmd_whatchanged(int argc, const char **argv, struct command_ctx *ctx)
{
	bool help = argc == 2 && !strcmp(argv[1], "-h");

	if (!take_consent(&argc, argv) && !help)
		refuse_to_run();
	return log_command(argc, argv, ctx, usage, whatchanged_run);
}
