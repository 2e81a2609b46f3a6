/* SPDX-License-Identifier: GPL-2.0-only */
/* git-diff-files(1) */
#include "compat/posix.h"
#include "builtin/diff/diff.h"

static const char *const usage[] = {
	"git diff-files [-q] [-0 | -1 | -2 | -3 | -c | --cc] [<common-diff-options>] [<path>...]", NULL
};

static int diff_files_compare(struct diff_command *d, struct err *err)
{
	struct option none[] = { OPT_END() };
	int rc;

	if (d->walk->nr_starts || diff_command_has_bounds(d) || d->walk->max_count > 3 || d->cached || d->merge_base)
		usage_with_options(usage, none);
	if (!d->o.formats)
		d->o.formats = DIFF_FORMAT_RAW;
	if (d->stage >= 0)
		d->files.stage = (unsigned)d->stage;
	d->o.keep_same = true;
	diff_command_combine(d);
	rc = diff_command_refuse_depth(d, "worktree", err);
	if (!rc)
		rc = diff_command_open_index(d, err);
	return rc ? rc : worktree_diff_files(&d->files, &d->queue, err);
}

static int diff_files_run(struct diff_command *d, int argc, const char **argv, struct err *err)
{
	return diff_command_run(d, argc, argv, diff_files_compare, err);
}

int cmd_diff_files(int argc, const char **argv, struct command_ctx *ctx)
{
	return diff_command_main(argc, argv, ctx, false, usage, diff_files_run);
}
