/* SPDX-License-Identifier: GPL-2.0-only */
/* git-pack-refs(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "operation/operation.h"

static const char *const usage[] = {
	"git pack-refs [--all] [--no-prune] [--auto] [--include <pattern>] [--exclude <pattern>]",
	NULL
};

static int pack_refs(struct repository *r, int argc, const char **argv)
{
	struct strvec include = STRVEC_INIT, exclude = STRVEC_INIT;
	int all = 0, prune = 1, if_many = 0, rc;
	struct err err = ERR_INIT;
	struct option options[] = {
		OPT_BOOL(0, "all", &all, "pack everything"),
		OPT_BOOL(0, "prune", &prune, "prune loose refs (default)"),
		OPT_BOOL(0, "auto", &if_many, "pack only if there are many loose refs"),
		OPT_STRVEC(0, "include", &include, "pattern", "references to include"),
		OPT_STRVEC(0, "exclude", &exclude, "pattern", "references to exclude"),
		OPT_END()
	};
	struct refs_pack_options o = { .complain = error_callback };
	struct repo_operation *op;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc)
		usage_with_options(usage, options);
	o.all = all;
	o.no_prune = !prune;
	o.if_many = if_many;
	o.include = include.nr ? (const char *const *)include.v : NULL;
	o.exclude = exclude.nr ? (const char *const *)exclude.v : NULL;
	op = repo_operation_begin(r);
	rc = refs_pack(r->refs, &o, repo_operation_batch(op), &err);
	rc = repo_operation_end(op, rc, &err);
	strvec_clear(&include);
	strvec_clear(&exclude);
	return rc < 0 ? report_fatal(&err) : 0;
}

int cmd_pack_refs(int argc, const char **argv, struct command_ctx *ctx)
{
	return pack_refs(ctx->repo, argc, argv);
}
