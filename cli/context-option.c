/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/cli.h"
#include "cli/context-option.h"

void check_context_numbers(const struct context_option *c)
{
	if (c->lines < -1)
		die("'%s' cannot be negative", "--unified");
	if (c->between < -1)
		die("'%s' cannot be negative", "--inter-hunk-context");
}

void check_context_choice(const struct context_option *c, bool chooses, const char *choice)
{
	if (!chooses && c->lines != -1)
		die("the option '%s' requires '%s'", "--unified", choice);
	if (!chooses && c->between != -1)
		die("the option '%s' requires '%s'", "--inter-hunk-context", choice);
}
