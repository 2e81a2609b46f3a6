/* SPDX-License-Identifier: GPL-2.0-only */
/* git-diff-index(1) */
#include "compat/posix.h"
#include "builtin/diff/diff.h"

static const char *const usage[] = {
	"git diff-index [-m] [--cached] [--merge-base] [<common-diff-options>] <tree-ish> [<path>...]",
	NULL
};

static int diff_index_compare(struct diff_command *d, struct err *err)
{
	struct option none[] = { OPT_END() };
	struct object_id tree;
	int rc;

	if (d->walk->nr_starts != 1 || diff_command_has_bounds(d) || d->walk->max_count >= 0 || d->stage >= 0 ||
	    d->silent || d->walk->reflogs)
		usage_with_options(usage, none);
	if (!d->o.formats)
		d->o.formats = DIFF_FORMAT_RAW;
	d->files.missing_is_same = d->match_missing;
	if (d->o.ita_invisible < 0)
		d->files.ita_is_entry = d->cached;
	d->o.keep_same = true;
	if (!d->cached && !d->repo->worktree)
		return err_set(err, ERR_INVALID, "this operation must be run in a work tree");
	rc = diff_command_refuse_depth(d, "index", err);
	if (!rc)
		rc = diff_command_tree(d, &d->walk->starts[0].oid, NULL, &tree, err);
	if (!rc)
		rc = diff_command_open_index(d, err);
	return rc ? rc : worktree_diff_index(&d->files, &d->queue, &tree, d->cached, err);
}

static int diff_index_run(struct diff_command *d, int argc, const char **argv, struct err *err)
{
	return diff_command_run(d, argc, argv, diff_index_compare, err);
}

int cmd_diff_index(int argc, const char **argv, struct command_ctx *ctx)
{
	return diff_command_main(argc, argv, ctx, false, usage, diff_index_run);
}
