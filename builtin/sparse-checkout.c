/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-sparse-checkout(1), where the work tree is not sparse: there is nothing to list or to disable. What makes or
 * changes a sparse work tree is left to GIT_FALLBACK (COMMAND_REST).
 */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "config/config.h"
#include "index/index.h"

static const char *const usage[] = {
	"git sparse-checkout (init | list | set | add | reapply | disable | check-rules | clean) [<options>]", NULL
};

/* The setting, or an entry without a file: one could be left from a sparse time. */
static bool is_sparse(struct repository *r)
{
	struct index_state ix;
	struct err err = ERR_INIT;
	bool sparse = false;

	index_init(&ix, r->algo);
	if (config_get_bool(r->config, "core.sparsecheckout", &sparse, &err) < 0 || index_read_repo(&ix, r, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < ix.nr && !sparse; i++)
		sparse = (ix.entries[i]->flags & CE_SKIP_WORKTREE) != 0;
	index_release(&ix);
	return sparse;
}

static int run_subcommand(const char *name)
{
	if (!strcmp(name, "disable"))
		return 0;
	if (!strcmp(name, "list"))
		die("this worktree is not sparse");
	if (!strcmp(name, "reapply"))
		die("must be in a sparse-checkout to reapply sparsity patterns");
	if (!strcmp(name, "add"))
		die("no sparse-checkout to add to");
	return COMMAND_REST;
}

int cmd_sparse_checkout(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const names[] = { "init", "list", "set", "add", "reapply", "disable", "check-rules", "clean" };
	struct option opts[] = { OPT_END() };
	size_t i = 0;

	argc = parse_options(argc, argv, opts, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	while (argc && i < ARRAY_SIZE(names) && strcmp(argv[0], names[i]) != 0)
		i++;
	if (!argc || i == ARRAY_SIZE(names))
		die_no_subcommand(argv[0], usage, opts);
	if (!ctx->repo->worktree || ctx->repo->bare)
		die("this operation must be run in a work tree");
	return is_sparse(ctx->repo) ? COMMAND_REST : run_subcommand(names[i]);
}
