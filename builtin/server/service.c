/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/server/service.h"
#include "cli/git-options.h"
#include "util/alloc.h"

bool service_is_there(const struct command_ctx *ctx, const char *name)
{
	bool there = false;
	char *path;

	for (size_t i = 0; !there && i < ctx->nr_commands; i++)
		there = !strcmp(ctx->commands[i].name, name);
	if (!there) {
		path = xstrfmt("%s/git-%s", git_exec_path(), name);
		there = !access(path, X_OK);
		free(path);
	}
	return there;
}
