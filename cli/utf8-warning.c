/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/utf8-warning.h"

void warn_commit_not_utf8(void)
{
	fputs("Warning: commit message did not conform to UTF-8.\n"
	      "You may want to amend it after fixing the message, or set the config\n"
	      "variable i18n.commitEncoding to the encoding your project uses.\n",
	      stderr);
}
