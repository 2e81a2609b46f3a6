/* SPDX-License-Identifier: GPL-2.0-only */
/* Only main(), so that test programs can link git_main. */
#include "compat/posix.h"
#include "builtin/builtin.h"

int main(int argc, const char **argv)
{
	return git_main(argc, argv);
}
