/* SPDX-License-Identifier: GPL-2.0-only */
/* git-prune-packed(1). */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "maintain/prune-packed.h"

static const char *const usage[] = { "git prune-packed [-n | --dry-run] [-q | --quiet]", NULL };

static void print_path(void *data UNUSED, const char *path)
{
	printf("rm -f %s\n", path);
}

int cmd_prune_packed(int argc, const char **argv, struct command_ctx *ctx)
{
	int dry_run = 0, quiet = 0;
	struct option opts[] = {
		OPT_BOOL('n', "dry-run", &dry_run, "dry run"),
		OPT_BOOL('q', "quiet", &quiet, "be quiet"),
		OPT_END()
	};
	struct repo_operation *op;
	struct err err = ERR_INIT;
	int rc;

	if (parse_options(argc, argv, opts, usage, 0)) {
		fprintf(stderr, "fatal: too many arguments\n\n");
		usage_with_options(usage, opts);
	}
	op = repo_operation_begin(ctx->repo);
	rc = prune_packed_run(op, ctx->repo, dry_run, dry_run ? print_path : NULL, NULL, &err);
	rc = repo_operation_end(op, rc, &err);
	if (!rc && finish_stdout())
		return 128;
	return rc < 0 ? report_fatal(&err) : 0;
}
