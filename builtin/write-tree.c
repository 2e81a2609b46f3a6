/* SPDX-License-Identifier: GPL-2.0-only */
/* git-write-tree(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "index/cache-tree.h"
#include "operation/operation.h"

static const char *const usage[] = {
	"git write-tree [--missing-ok] [--prefix=<prefix>/]",
	NULL
};

/*
 * The trees are the result. The index also remembers them, unless another process holds its lock: that
 * is only a convenience.
 */
static int write_trees(struct repository *r, struct index_state *ix, unsigned flags,
		       struct object_id *root, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(r);
	bool locked = repo_operation_lock_index(op, NULL) == 0;
	int rc = index_read_repo(ix, r, err);

	if (!rc)
		rc = repo_operation_open_objects(op, err);
	if (!rc)
		rc = cache_tree_update(ix, r, flags, root, err);
	if (!rc && locked && ix->changed)
		repo_operation_set_index(op, ix);
	return repo_operation_end(op, rc, err);
}

int cmd_write_tree(int argc, const char **argv, struct command_ctx *ctx)
{
	struct index_state ix;
	struct object_id tree;
	struct err err = ERR_INIT;
	const char *prefix = NULL;
	unsigned flags = 0;
	int ret;
	struct option opts[] = {
		OPT_BIT(0, "missing-ok", &flags, "allow missing objects", WRITE_TREE_MISSING_OK),
		OPT_STRING(0, "prefix", &prefix, "<prefix>/",
			   "write tree object for a subdirectory <prefix>"),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc)
		usage_with_options(usage, opts);
	index_init(&ix, ctx->repo->algo);
	ret = write_trees(ctx->repo, &ix, flags, &tree, &err);
	if (ret == ERR_CONFLICT)
		fprintf(stderr, "%s\n", err_message(&err));
	else if (ret == ERR_NOT_FOUND)
		error("%s", err_message(&err));
	else if (ret)
		die_err(&err);
	err_release(&err);
	if (ret)
		die("git-write-tree: error building trees");
	if (prefix && *prefix && !cache_tree_written(&ix, prefix, strlen(prefix), &tree))
		die("git-write-tree: prefix %s not found", prefix);
	index_release(&ix);
	puts(oid_hex(&tree));
	return 0;
}
