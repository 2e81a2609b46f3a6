/* SPDX-License-Identifier: GPL-2.0-only */
/* git-bundle(1): what its files share. */
#ifndef BUILTIN_PACK_BUNDLE_H
#define BUILTIN_PACK_BUNDLE_H

#include "compat/posix.h"
#include "builtin/builtin.h"

#define CREATE_USAGE                                                                        \
	"git bundle create [-q | --quiet | --progress]\n"                                    \
	"                  [--version=<version>] <file> <git-rev-list-args>"

/* bundle-create.c */
int bundle_create(int argc, const char **argv, struct command_ctx *ctx);

#endif
