/* SPDX-License-Identifier: GPL-2.0-only */
/* git-read-tree(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/submodule-option.h"
#include "index/cache-tree.h"
#include "util/alloc.h"
#include "history/names/revparse.h"
#include "operation/operation.h"
#include "worktree/unpack-trees.h"

static const char *const usage[] = {
	"git read-tree [(-m [--trivial] [--aggressive] | --reset | --prefix=<prefix>)\n"
	"              [-u | -i]] [--index-output=<file>] [--no-sparse-checkout]\n"
	"              (--empty | <tree-ish1> [<tree-ish2> [<tree-ish3>]])",
	NULL
};

struct reader {
	struct repository *r;
	int merge, reset, update, index_only, dry_run, verbose, quiet, empty, no_sparse;
	int trivial, aggressive, recurse;
	const char *prefix, *index_output;
	struct object_id trees[UNPACK_TREES_MAX];
	size_t nr;
	struct repo_operation *op;
	struct lockfile output_lock;
};

/* ---- command line ---- */

static void read_tree_check_combinations(const struct reader *rd)
{
	bool merging = rd->merge || rd->reset || rd->prefix;

	if (!rd->nr && !rd->empty && !merging)
		warning("read-tree: emptying the index with no arguments is deprecated; use --empty");
	if (rd->merge + rd->reset + (rd->prefix != NULL) > 1)
		die("Which one? -m, --reset, or --prefix?");
	if ((rd->update || rd->index_only) && !merging)
		die("%s is meaningless without -m, --reset, or --prefix",
		    rd->update ? "-u" : "-i");
	if (rd->update && rd->index_only)
		die("-u and -i at the same time makes no sense");
	if (rd->prefix && *rd->prefix == '/')
		die("Invalid prefix, prefix cannot start with '/'");
	if (rd->nr && rd->empty)
		die("passing trees as arguments contradicts --empty");
	if (!rd->nr && merging)
		die("you must specify at least one tree to merge");
}

static void find_trees(struct reader *rd, const char *const *argv)
{
	for (; *argv; argv++) {
		struct revparse_result found = { 0 };
		struct err err = ERR_INIT;

		if (rd->nr == UNPACK_TREES_MAX)
			die("I cannot read more than %d trees", UNPACK_TREES_MAX);
		if (revparse(rd->r, *argv, OBJ_ANY, &found, &err) < 0) {
			err_reword(&err, "Not a valid object name %s", *argv);
			die_err(&err);
		}
		if (object_peel(odb_source(rd->r->odb), &found.oid, OBJ_TREE, &rd->trees[rd->nr++],
				NULL, &err) < 0)
			die("failed to unpack tree object %s", *argv);
		revparse_result_release(&found);
	}
}

static void read_tree_parse_command_line(struct reader *rd, int argc, const char **argv)
{
	const char *per_dir = NULL;
	struct option opts[] = {
		{ OPTION_STRING, 0, "index-output", OPT_VALUE(const char *, &rd->index_output), "file",
		  "write resulting index to <file>", PARSE_OPT_NONEG, NULL, 0 },
		OPT_BOOL(0, "empty", &rd->empty, "only empty the index"),
		OPT__VERBOSE(&rd->verbose),
		OPT_GROUP("Merging"),
		OPT_BOOL('m', NULL, &rd->merge, "perform a merge in addition to a read"),
		OPT_BOOL(0, "trivial", &rd->trivial,
			 "3-way merge if no file level merging required"),
		OPT_BOOL(0, "aggressive", &rd->aggressive,
			 "3-way merge in presence of adds and removes"),
		OPT_BOOL(0, "reset", &rd->reset, "same as -m, but discard unmerged entries"),
		{ OPTION_STRING, 0, "prefix", OPT_VALUE(const char *, &rd->prefix), "<subdirectory>/",
		  "read the tree into the index under <subdirectory>/", PARSE_OPT_NONEG, NULL, 0 },
		OPT_BOOL('u', NULL, &rd->update, "update working tree with merge result"),
		{ OPTION_STRING, 0, "exclude-per-directory", OPT_VALUE(const char *, &per_dir), "gitignore",
		  "allow overwriting ignored files", PARSE_OPT_NONEG, NULL, 0 },
		OPT_BOOL('i', NULL, &rd->index_only, "don't check the working tree after merging"),
		OPT__DRY_RUN(&rd->dry_run, "don't update the index or the work tree"),
		OPT_BOOL(0, "no-sparse-checkout", &rd->no_sparse, "skip applying sparse checkout filter"),
		OPT_RECURSE_SUBMODULES(&rd->recurse, "control recursive updating of submodules"),
		OPT__QUIET(&rd->quiet),
		OPT_END()
	};

	argc = parse_options(argc, argv, opts, usage, 0);
	argv[argc] = NULL;
	find_trees(rd, argv);
	read_tree_check_combinations(rd);
	for (size_t i = 0; rd->recurse && i < rd->nr; i++)
		refuse_submodules(rd->r, &rd->trees[i], "read-tree --recurse-submodules");
	/* Ignored files may be overwritten anyway: the option is kept for old scripts. */
	if (per_dir && !rd->update)
		die("--exclude-per-directory is meaningless unless -u");
}

/* ---- the work ---- */

static enum unpack_trees_kind choose_kind(const struct reader *rd)
{
	if (rd->prefix)
		return UNPACK_TREES_BIND;
	if (!rd->merge && !rd->reset)
		return UNPACK_TREES_READ;
	return rd->nr == 1 ? UNPACK_TREES_ONE : rd->nr == 2 ? UNPACK_TREES_TWO : UNPACK_TREES_THREE;
}

/* The whole of one tree is in the index now: its ids are those of the directories. */
static int remember_trees(const struct reader *rd, struct index_state *ix, struct err *err)
{
	if (rd->nr != 1 || rd->prefix)
		return 0;
	return cache_tree_prime(ix, rd->r, &rd->trees[0], err);
}

static int set_index(struct reader *rd, struct index_state *ix, struct err *err)
{
	int ret = 0;

	repo_operation_set_index_effects(rd->op, INDEX_CHANGED_WORKTREE);
	if (!rd->index_output)
		repo_operation_set_index(rd->op, ix);
	else
		ret = lockfile_hold(&rd->output_lock, rd->index_output, 0, 0, err);
	if (!ret && rd->index_output)
		ret = index_write_locked(ix, rd->r, &rd->output_lock,
					 repo_operation_batch(rd->op), err);
	return ret;
}

/* Updates the files, with the attributes of the new index. */
static int read_tree_update_files(struct reader *rd, struct unpack_trees *m, struct index_state *ix,
				  struct err *err)
{
	struct converter *conv = NULL;
	int ret = converter_new(&conv, rd->r, ix, ATTR_CHECKOUT, err);

	if (!ret)
		ret = unpack_trees_update_files(m, rd->r, ix, conv, err);
	converter_free(conv);
	return ret;
}

static int read_and_merge(struct reader *rd, struct index_state *ix, struct converter *conv,
			  struct err *err)
{
	char *prefix = rd->prefix && *rd->prefix ?
		xstrfmt("%s%s", rd->prefix, ends_with(rd->prefix, "/") ? "" : "/") : NULL;
	struct unpack_trees m = {
		.kind = choose_kind(rd),
		.reset = rd->reset,
		.update = rd->update,
		.index_only = rd->index_only,
		.aggressive = rd->aggressive,
		.trivial_only = rd->trivial,
		.no_sparse = rd->no_sparse,
		.prefix = prefix,
	};
	int ret = unpack_trees_run(&m, rd->r, ix, conv, rd->trees, rd->nr, err);

	if (!ret && !rd->dry_run) {
		index_release(ix);
		*ix = m.result;
		index_init(&m.result, rd->r->algo);
		if (rd->update)
			ret = read_tree_update_files(rd, &m, ix, err);
		if (!ret)
			ret = remember_trees(rd, ix, err);
		if (!ret)
			ret = set_index(rd, ix, err);
	}
	unpack_trees_release(&m);
	free(prefix);
	return ret;
}

static void read_old_index(struct reader *rd, struct index_state *ix)
{
	struct err err = ERR_INIT;

	rd->op = repo_operation_begin(rd->r);
	if (repo_operation_lock_index(rd->op, &err) < 0)
		die_err(&err);
	/* whatever is in the old one, a new one is made: it may even be damaged */
	if (choose_kind(rd) == UNPACK_TREES_READ) {
		index_init(ix, rd->r->algo);
		return;
	}
	if (index_read_repo(ix, rd->r, &err) < 0)
		die_err(&err);
	if (!rd->reset && index_has_unmerged(ix))
		die("You need to resolve your current index first");
}

int cmd_read_tree(int argc, const char **argv, struct command_ctx *ctx)
{
	struct reader rd = { .r = ctx->repo, .output_lock = LOCKFILE_INIT };
	struct converter *conv = NULL;
	struct index_state ix;
	struct err err = ERR_INIT;
	int ret;

	read_tree_parse_command_line(&rd, argc, argv);
	if (rd.update && !rd.r->worktree)
		die("this operation must be run in a work tree");
	if (rd.r->worktree && repo_enter_worktree(rd.r, &err) < 0)
		die_err(&err);
	read_old_index(&rd, &ix);
	ret = converter_new(&conv, rd.r, &ix, ATTR_CHECKIN, &err);
	if (!ret)
		ret = read_and_merge(&rd, &ix, conv, &err);
	ret = repo_operation_end(rd.op, ret, &err);
	if (ret == ERR_CONFLICT) {
		if (rd.quiet)
			err_release(&err);
		else
			report_error(&err);
	} else if (ret) {
		die_err(&err);
	}
	converter_free(conv);
	index_release(&ix);
	lockfile_release(&rd.output_lock);
	return ret ? 128 : 0;
}
