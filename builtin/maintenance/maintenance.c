/* SPDX-License-Identifier: GPL-2.0-only */
/* git-maintenance(1) */
#include "compat/posix.h"
#include "builtin/maintenance/maintenance.h"

static const char *const usage[] = { "git maintenance <subcommand> [<options>]", NULL };

int cmd_maintenance(int argc, const char **argv, struct command_ctx *ctx)
{
	static const struct subcommand subcommands[] = {
		{ "run", maintenance_run }, { "start", maintenance_start },
		{ "stop", maintenance_stop }, { "register", maintenance_register },
		{ "unregister", maintenance_unregister }, { "is-needed", maintenance_is_needed },
	};
	const struct option none[] = { OPT_END() };
	command_fn run;

	argc = parse_options(argc, argv, none, usage, PARSE_OPT_STOP_AT_NON_OPTION | PARSE_OPT_KEEP_ARGV0);
	run = find_subcommand(subcommands, ARRAY_SIZE(subcommands), argc, argv);
	if (run)
		return run(argc - 1, argv + 1, ctx);
	die_no_subcommand(argv[1], usage, none);
}
