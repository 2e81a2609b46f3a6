/* SPDX-License-Identifier: GPL-2.0-only */
/* git-update-server-info(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "maintain/server-info.h"

static const char *const usage[] = { "git update-server-info [-f | --force]", NULL };

int cmd_update_server_info(int argc, const char **argv, struct command_ctx *ctx)
{
	int force = 0, rc, incomplete;
	struct option opts[] = {
		OPT__FORCE(&force, "write the files even if they do not change"),
		OPT_END()
	};
	struct repo_operation *op;
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc)
		usage_with_options(usage, opts);
	op = repo_operation_begin(ctx->repo);
	rc = server_info_update(op, ctx->repo, force, &err);
	incomplete = rc > 0;
	if (incomplete) {
		error("%s", err_message(&err));
		err_release(&err);
	}
	rc = repo_operation_end(op, rc < 0 ? rc : 0, &err);
	return rc < 0 ? report_fatal(&err) : incomplete;
}
