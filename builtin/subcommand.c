/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands whose first argument names what to do. */
#include "compat/posix.h"
#include "builtin/builtin.h"

command_fn find_subcommand(const struct subcommand *subs, size_t nr, int argc, const char **argv)
{
	for (size_t i = 0; argc > 1 && i < nr; i++)
		if (!strcmp(argv[1], subs[i].name))
			return subs[i].run;
	return NULL;
}

void die_no_subcommand(const char *name, const char *const *usage, const struct option *options)
{
	if (name)
		error("unknown subcommand: `%s'", name);
	else
		error("need a subcommand");
	usage_with_options(usage, options);
}
