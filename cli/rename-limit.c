/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/rename-limit.h"
#include "cli/cli.h"

void warn_of_merge_limit(size_t needed)
{
	if (!needed)
		return;
	warning("exhaustive rename detection was skipped due to too many files.");
	warning("you may want to set your merge.renamelimit variable to at least %zu and retry the command.", needed);
}

void warn_rename_limit(const struct diff_rename_limit *l)
{
	if (!l->needed)
		return;
	warning(l->copies ? "only found copies from modified paths due to too many files."
			  : "exhaustive rename detection was skipped due to too many files.");
	warning("you may want to set your diff.renameLimit variable to at least %zu and retry the command.", l->needed);
}
