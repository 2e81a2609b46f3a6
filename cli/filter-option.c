/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/cli.h"
#include "cli/filter-option.h"

int filter_option(const struct option *opt, const char *arg, int unset)
{
	struct err err = ERR_INIT;

	if (unset)
		filter_spec_release(opt->value);
	else if (filter_spec_parse(opt->value, arg, &err) < 0)
		die_err(&err);
	return 0;
}
