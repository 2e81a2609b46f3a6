/* SPDX-License-Identifier: GPL-2.0-only */
/* git-maintenance(1) */
#include "compat/posix.h"
#include "builtin/maintenance/maintenance.h"

static const char *const usage[] = { "git maintenance <subcommand> [<options>]", NULL };

int cmd_maintenance(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct {
		const char *name;
		command_fn run;
	} subcommands[] = {
		{ "run", maintenance_run }, { "start", maintenance_start },
		{ "stop", maintenance_stop }, { "register", maintenance_register },
		{ "unregister", maintenance_unregister }, { "is-needed", maintenance_is_needed },
	};
	const struct option none[] = { OPT_END() };

	argc = parse_options(argc, argv, none, usage, PARSE_OPT_STOP_AT_NON_OPTION | PARSE_OPT_KEEP_ARGV0);
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(argv[1], subcommands[i].name))
			return subcommands[i].run(argc - 1, argv + 1, ctx);
	if (argc > 1)
		error("unknown subcommand: `%s'", argv[1]);
	else
		error("need a subcommand");
	usage_with_options(usage, none);
}
