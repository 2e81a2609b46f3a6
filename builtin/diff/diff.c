/* SPDX-License-Identifier: GPL-2.0-only */
/* git-diff(1) */
#include "compat/posix.h"
#include "builtin/diff/diff.h"
#include "history/names/revparse.h"
#include "util/alloc.h"

static const char *const usage[] = {
	"git diff [<options>] [<commit>] [--] [<path>...]",
	"git diff [<options>] --cached [--merge-base] [<commit>] [--] [<path>...]",
	"git diff [<options>] [--merge-base] <commit> [<commit>...] <commit> [--] [<path>...]",
	"git diff [<options>] <commit>...<commit> [--] [<path>...]",
	"git diff [<options>] <blob> <blob>",
	"git diff [<options>] --no-index [--] <path> <path> [<pathspec>...]",
	NULL
};

/* What the arguments name: trees and commits, or blobs. */
struct sides {
	const struct rev_start *tree[2]; /* the first ones */
	const struct rev_start *blob[2];
	size_t nr_trees, nr_blobs;
};

NORETURN static void bad_usage(void)
{
	struct option none[] = { OPT_END() };

	usage_with_options(usage, none);
}

/* ---- revisions ---- */

static int sort_start(struct diff_command *d, struct sides *s, const struct rev_start *start,
		      struct err *err)
{
	struct object_info info;
	int rc = odb_type(d->repo->odb, &start->oid, &info.type, &info.size, err);
	bool blob = !rc && info.type == OBJ_BLOB;
	size_t *nr = blob ? &s->nr_blobs : &s->nr_trees;

	if (rc < 0)
		return rc;
	if (blob && *nr == 2)
		return err_set(err, ERR_INVALID, "more than two blobs given: '%s'", start->name);
	if (*nr < 2)
		(blob ? s->blob : s->tree)[*nr] = start;
	++*nr;
	return 0;
}

static bool is_symmetric(const struct rev_walk *w)
{
	for (size_t i = 0; i < w->nr_starts; i++)
		if (w->starts[i].flags & REV_LEFT)
			return true;
	return false;
}

/* a...b: from a common ancestor, the first one, to b. */
static int sort_symmetric(struct diff_command *d, struct sides *s, struct err *err)
{
	const struct rev_start *base = NULL, *from = NULL, *to = NULL;
	size_t others = 0, bases = 0;

	for (size_t i = 0; i < d->walk->nr_starts; i++) {
		const struct rev_start *x = &d->walk->starts[i];

		if (x->flags & REV_UNINTERESTING) {
			if (!bases++)
				base = x;
		} else if (x->flags & REV_LEFT) {
			from = x;
		} else {
			to = x;
			others++;
		}
	}
	if (others != 1)
		bad_usage();
	if (!base)
		return err_set(err, ERR_NOT_FOUND, "%s...%s: no merge base", from->name, to->name);
	if (bases > 1)
		warning("%s...%s: multiple merge bases, using %s", from->name, to->name,
			oid_hex(&base->oid));
	s->tree[0] = base;
	s->tree[1] = to;
	s->nr_trees = 2;
	return 0;
}

/* Two ranges, or one beside something else, have no single meaning. */
static void refuse_ranges(const struct rev_walk *w)
{
	for (size_t i = 0; i < w->nr_starts && w->nr_starts != 2; i++)
		if (w->starts[i].of_range)
			bad_usage();
}

static int sort_starts(struct diff_command *d, struct sides *s, struct err *err)
{
	const struct rev_walk *w = d->walk;
	int rc = 0;

	refuse_ranges(w);
	if (is_symmetric(w))
		return sort_symmetric(d, s, err);
	for (size_t i = 0; !rc && i < w->nr_starts; i++)
		rc = sort_start(d, s, &w->starts[i], err);
	/* "b ^a" is "a b" */
	if (s->nr_trees == 2 && s->tree[1]->flags & REV_UNINTERESTING) {
		const struct rev_start *first = s->tree[0];

		s->tree[0] = s->tree[1];
		s->tree[1] = first;
	}
	return rc;
}

/* ---- the forms ---- */

static int auto_refresh(struct diff_command *d, struct err *err)
{
	bool on = true;
	int rc = config_get_bool(d->repo->config, "diff.autorefreshindex", &on, err);

	if (rc < 0)
		return rc;
	d->o.keep_same = !on;
	if (!on)
		return 0;
	rc = worktree_refresh_index(d->repo, &d->ix, d->o.pathspec, d->conv, NULL, NULL, err);
	if (rc >= 0)
		index_update_if_able(&d->ix, d->repo);
	d->files.refreshed = rc >= 0;
	return rc;
}

static int against_files(struct diff_command *d, const struct object_id *tree, struct err *err)
{
	int rc;

	if (!d->repo->worktree)
		return err_set(err, ERR_INVALID, "this operation must be run in a work tree");
	if (d->stage >= 0)
		d->files.stage = (unsigned)d->stage;
	diff_options_mnemonic(&d->o, tree ? "c/" : "i/", "w/");
	if (!tree)
		diff_command_combine(d);
	rc = diff_command_refuse_depth(d, tree ? "index" : "worktree", err);
	if (!rc)
		rc = diff_command_open_index(d, err);
	if (!rc)
		rc = auto_refresh(d, err);
	if (rc < 0)
		return rc;
	return tree ? worktree_diff_index(&d->files, &d->queue, tree, false, err) :
		      worktree_diff_files(&d->files, &d->queue, err);
}

/* 1: there is no commit yet. */
static int find_head(struct diff_command *d, struct object_id *oid, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = revparse_oid(d->repo, "HEAD", oid, &why);

	if (rc == ERR_NOT_FOUND || rc == ERR_AMBIGUOUS)
		rc = 1;
	else if (rc < 0)
		err_move(err, &why);
	err_release(&why);
	return rc;
}

/* --cached: HEAD, or nothing before the first commit. */
static int against_index(struct diff_command *d, const struct sides *s, struct err *err)
{
	struct object_id oid, tree;
	int unborn = 0, rc = diff_command_refuse_depth(d, "index", err);

	if (rc)
		return rc;
	diff_options_mnemonic(&d->o, "c/", "i/");
	if (s->nr_trees)
		oid = s->tree[0]->oid;
	else if ((unborn = find_head(d, &oid, err)) < 0)
		return unborn;
	if (!unborn)
		rc = diff_command_tree(d, &oid, NULL, &tree, err);
	if (!rc)
		rc = diff_command_open_index(d, err);
	return rc ? rc : worktree_diff_index(&d->files, &d->queue, unborn ? NULL : &tree, true, err);
}

static int two_trees(struct diff_command *d, const struct sides *s, struct err *err)
{
	const struct object_id *a = &s->tree[0]->oid, *b = &s->tree[1]->oid;
	struct object_id old, new;
	int rc = diff_command_tree(d, a, b, &old, err);

	if (!rc)
		rc = revparse_tree(d->repo, oid_hex(b), &new, err);
	return rc ? rc : diff_trees(&d->queue, &d->o, &old, &new, err);
}

/* The first one, which comes of the others, beside them. */
static int many_trees(struct diff_command *d, struct err *err)
{
	const struct rev_walk *w = d->walk;
	struct object_id *trees = xcalloc(w->nr_starts, sizeof(*trees));
	int rc = 0;

	if (!d->o.combine)
		d->o.combine = DIFF_COMBINE_DENSE;
	for (size_t i = 0; !rc && i < w->nr_starts; i++)
		rc = revparse_tree(d->repo, oid_hex(&w->starts[i].oid), &trees[i], err);
	if (!rc)
		rc = diff_trees_combined(&d->combined, &d->queue, &d->o, &trees[0], trees + 1,
					 w->nr_starts - 1, err);
	d->many = !rc;
	free(trees);
	return rc;
}

/* ---- blobs ---- */

static int blob_mode(struct diff_command *d, const struct rev_start *b, unsigned *mode,
		     struct err *err)
{
	struct revparse_result res;
	int rc = 0;

	*mode = 0100644;
	if (!b->path)
		return 0;
	rc = revparse(d->repo, b->name, OBJ_ANY, &res, err);
	if (rc < 0)
		return rc;
	if (res.mode)
		*mode = res.mode;
	revparse_result_release(&res);
	return 0;
}

static const char *blob_name(const struct rev_start *b)
{
	return b->path && *b->path ? b->path : b->name;
}

static int two_blobs(struct diff_command *d, const struct sides *s, struct err *err)
{
	const struct rev_start *a = s->blob[0], *b = s->blob[1];
	unsigned mode[2];
	int rc = blob_mode(d, a, &mode[0], err);

	if (!rc)
		rc = blob_mode(d, b, &mode[1], err);
	if (!rc)
		diff_queue_add(&d->queue, blob_name(a), mode[0], &a->oid, blob_name(b), mode[1],
			       &b->oid);
	return rc;
}

/* The one path of the command line, which must be a file. */
static int blob_against_file(struct diff_command *d, const struct sides *s, struct err *err)
{
	const struct rev_start *b = s->blob[0];
	const char *path;
	unsigned old_mode, mode;
	struct stat st;
	int rc;

	if (d->walk->pathspec.nr != 1)
		bad_usage();
	path = d->walk->pathspec.items[0].match;
	if (lstat(path, &st) < 0)
		return err_set_errno(err, "failed to stat '%s'", path);
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return err_set(err, ERR_INVALID, "'%s': not a regular file or symlink", path);
	rc = blob_mode(d, b, &old_mode, err);
	if (!rc)
		rc = diff_command_open_index(d, err);
	if (rc < 0)
		return rc;
	mode = worktree_mode(&d->repo->settings, st.st_mode, NULL);
	diff_queue_add(&d->queue, b->path ? b->path : path, b->path ? old_mode : mode, &b->oid,
		       path, mode, NULL);
	return 0;
}

/* ---- all of it ---- */

static int compare_blobs(struct diff_command *d, const struct sides *s, struct err *err)
{
	if (s->nr_trees || d->cached || (s->nr_blobs == 2 && d->walk->has_pathspec))
		bad_usage();
	if (s->nr_blobs == 1)
		diff_options_mnemonic(&d->o, "o/", "w/");
	return s->nr_blobs == 2 ? two_blobs(d, s, err) : blob_against_file(d, s, err);
}

static int compare_sides(struct diff_command *d, const struct sides *s, struct err *err)
{
	struct object_id tree;
	int rc;

	if (s->nr_trees > 2 && (s->nr_blobs || d->cached || d->merge_base))
		bad_usage();
	if (s->nr_trees > 2)
		return many_trees(d, err);
	if (s->nr_blobs)
		return compare_blobs(d, s, err);
	if (d->cached && s->nr_trees < 2)
		return against_index(d, s, err);
	if (d->cached || (d->merge_base && !s->nr_trees))
		bad_usage();
	if (s->nr_trees == 2)
		return two_trees(d, s, err);
	if (!s->nr_trees)
		return against_files(d, NULL, err);
	rc = diff_command_tree(d, &s->tree[0]->oid, NULL, &tree, err);
	return rc ? rc : against_files(d, &tree, err);
}

static int diff_compare(struct diff_command *d, struct err *err)
{
	struct sides s = { .nr_trees = 0 };
	int rc = sort_starts(d, &s, err);

	if (rc < 0)
		return rc;
	if (d->silent)
		bad_usage();
	if (!d->o.formats)
		d->o.formats = DIFF_FORMAT_PATCH;
	if (!d->o.exit_code)
		setup_pager(d->repo, "diff");
	return compare_sides(d, &s, err);
}

/* Before "--". */
static bool has_no_index(int argc, const char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--no-index"))
			return true;
	return false;
}

/* The first argument that is probably no option: options have not been parsed yet. */
static int first_path(int argc, const char **argv)
{
	int i = 1;

	while (i < argc && *argv[i] == '-' && argv[i][1] && strcmp(argv[i], "--"))
		i++;
	return i < argc && !strcmp(argv[i], "--") ? i + 1 : i;
}

static bool is_outside(const struct repository *r, const char *arg)
{
	const char *const args[] = { arg, NULL };
	struct pathspec ps = { .nr = 0 };
	struct err err = ERR_INIT;
	bool outside;

	if (!r->worktree)
		return false;
	outside = pathspec_parse(&ps, r->prefix, r->worktree, args, PATHSPEC_LITERAL, &err) < 0;
	pathspec_release(&ps);
	err_release(&err);
	return outside;
}

/* Two paths, one of which is not in the work tree. */
static bool implies_no_index(const struct repository *r, int argc, const char **argv)
{
	int i = first_path(argc, argv);

	return argc == i + 2 && (is_outside(r, argv[i]) || is_outside(r, argv[i + 1]));
}

static int run(struct diff_command *d, int argc, const char **argv, struct err *err)
{
	bool asked = has_no_index(argc, argv);

	if (asked || !d->repo || implies_no_index(d->repo, argc, argv))
		return diff_no_index(d, argc, argv, !asked && !d->repo, err);
	return diff_command_run(d, argc, argv, diff_compare, err);
}

int cmd_diff(int argc, const char **argv, struct command_ctx *ctx)
{
	return diff_command_main(argc, argv, ctx, true, usage, run);
}
