/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rm(1) */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "builtin/builtin.h"
#include "cli/path-args.h"
#include "fs/file.h"
#include "history/names/revparse.h"
#include "index/cache-tree.h"
#include "operation/operation.h"
#include "submodule/submodules.h"
#include "util/alloc.h"
#include "util/path.h"
#include "worktree/worktree.h"

static const char *const usage[] = {
	"git rm [-f | --force] [-n] [-r] [--cached] [--ignore-unmatch]\n"
	"              [--quiet] [--pathspec-from-file=<file> [--pathspec-file-nul]]\n"
	"              [--] [<pathspec>...]",
	NULL
};

struct rm_options {
	int dry_run, quiet, cached, force, recursive, ignore_unmatch, sparse;
	struct pathspec_args pathspec;
};

struct rm_run {
	struct repository *repo;
	struct rm_options o;
	struct index_state ix;
	struct repo_operation *op;
	struct pathspec ps;
	struct converter *conv;
	struct string_list paths; /* util: not NULL for gitlinks */
	bool head_valid;	  /* there is a commit */
	bool index_is_head;	  /* nothing at all is staged */
	struct object_id head_tree;
};

static void rm_parse_command_line(int argc, const char **argv, const struct command_ctx *ctx,
				  struct rm_run *run)
{
	struct rm_options *o = &run->o;
	struct option opts[] = {
		OPT__DRY_RUN(&o->dry_run, "dry run"),
		OPT_BOOL('q', "quiet", &o->quiet, "do not list removed files"),
		OPT_BOOL(0, "cached", &o->cached, "only remove from the index"),
		OPT__FORCE(&o->force, "override the up-to-date check"),
		OPT_BOOL('r', NULL, &o->recursive, "allow recursive removal"),
		OPT_BOOL(0, "ignore-unmatch", &o->ignore_unmatch,
			 "exit with a zero status even if nothing matched"),
		OPT_BOOL(0, "sparse", &o->sparse,
			 "allow updating entries outside of the sparse-checkout cone"),
		OPT_PATHSPEC_FILE(&o->pathspec),
		OPT_END(),
	};

	parse_options(argc, argv, opts, usage, 0);
	if (!pathspec_args_parse(&o->pathspec, &run->ps, ctx->repo, argv, PATHSPEC_PREFER_CWD))
		die("No pathspec was given. Which files should I remove?");
}

/* ---- which paths ---- */

/* As it is, not as a directory or by a glob. */
static bool is_named(const struct rm_run *run, const char *path)
{
	for (size_t i = 0; i < run->ps.nr; i++)
		if (!run->ps.items[i].exclude && !strcmp(run->ps.items[i].match, path))
			return true;
	return false;
}

static void collect_paths(struct rm_run *run, char *seen)
{
	struct string_list_item *last = NULL;

	for (size_t i = 0; i < run->ix.nr; i++) {
		const struct index_entry *e = run->ix.entries[i];

		if ((e->flags & CE_SKIP_WORKTREE) && !run->o.sparse)
			continue;
		if (!pathspec_match(&run->ps, e->name, e->name_len, MODE_IS_GITLINK(e->mode),
				    seen))
			continue;
		/* name each stage of an unmerged path, unless the path was given, as in Git */
		if (last && !strcmp(last->string, e->name) && is_named(run, e->name))
			continue;
		last = string_list_append(&run->paths, e->name);
		last->util = MODE_IS_GITLINK(e->mode) ? run : NULL;
	}
}

/* Does the item name a directory, rather than a file or a glob? */
static bool item_is_dir(const struct rm_run *run, const struct pathspec_item *it)
{
	size_t len = it->len;

	while (len && it->match[len - 1] == '/')
		len--;
	return !len || (it->nowildcard_len == it->len &&
			index_pos(&run->ix, it->match, len, 0) < 0 &&
			index_has_dir(&run->ix, it->match, len));
}

static void check_pathspecs(const struct rm_run *run, const char *seen)
{
	for (size_t i = 0; i < run->ps.nr; i++) {
		const struct pathspec_item *it = &run->ps.items[i];

		if (it->exclude)
			continue;
		if (!seen[i] && !run->o.ignore_unmatch)
			die("pathspec '%s' did not match any files", it->original);
		if (seen[i] && !run->o.recursive && item_is_dir(run, it))
			die("not removing '%s' recursively without -r",
			    *it->original ? it->original : ".");
	}
}

/* Git would move the repository of such a submodule, remove its files, and edit .gitmodules. */
static int refuse_submodule(const struct submodules *modules, const char *path, struct err *err)
{
	char *dot_git = path_join(path, ".git");
	bool is_there = file_exists(dot_git);

	free(dot_git);
	if (!is_there && !submodules_name(modules, path))
		return 0;
	return err_set(err, ERR_UNSUPPORTED, "removing submodule '%s' is not available yet; with --cached, its files and .gitmodules stay",
		       path);
}

static int refuse_submodules(struct rm_run *run, struct err *err)
{
	struct submodules *modules = NULL;
	int rc = 0;

	for (size_t i = 0; !rc && !run->o.cached && i < run->paths.nr; i++) {
		if (!run->paths.items[i].util)
			continue;
		if (!modules)
			rc = submodules_read(&modules, run->repo, NULL, err);
		if (!rc)
			rc = refuse_submodule(modules, run->paths.items[i].string, err);
	}
	submodules_free(modules);
	return rc;
}

/* ---- is it safe? ---- */

enum danger { DANGER_NONE, DANGER_BOTH, DANGER_STAGED, DANGER_LOCAL, DANGER_NR };

static bool differs_from_head(const struct rm_run *run, const struct index_entry *e)
{
	struct object_id oid;
	unsigned mode;

	if (!run->head_valid)
		return true;
	if (run->index_is_head)
		return false;
	if (tree_lookup_path(odb_source(run->repo->odb), &run->head_tree, e->name, &mode, &oid,
			     NULL) < 0)
		return true;
	return mode != e->mode || !oid_eq(&oid, &e->oid);
}

static int classify(struct rm_run *run, const char *path, enum danger *out, struct err *err)
{
	struct index_entry *e = index_find(&run->ix, path, strlen(path));
	enum worktree_change change;
	struct stat st;
	bool local, staged;
	unsigned mode;
	int rc;

	*out = DANGER_NONE;
	if (!e || lstat(path, &st) < 0 || (S_ISDIR(st.st_mode) && !MODE_IS_GITLINK(e->mode)))
		return 0; /* nothing there to lose */
	rc = worktree_entry_changed(run->repo, &run->ix, e, run->conv, &change, NULL, &mode, err);
	if (rc < 0)
		return rc;
	local = change != WT_UNCHANGED;
	staged = differs_from_head(run, e);
	if (local && staged && !(run->o.cached && (e->flags & CE_INTENT_TO_ADD)))
		*out = DANGER_BOTH;
	else if (!run->o.cached && staged)
		*out = DANGER_STAGED;
	else if (!run->o.cached && local)
		*out = DANGER_LOCAL;
	return 0;
}

static int report_paths(const struct string_list *l, const char *one, const char *many,
			const char *hint /* or NULL */)
{
	if (!l->nr)
		return 0;
	fprintf(stderr, "error: %s\n", l->nr == 1 ? one : many);
	for (size_t i = 0; i < l->nr; i++)
		fprintf(stderr, "    %s\n", l->items[i].string);
	if (hint)
		fprintf(stderr, "%s\n", hint);
	return 1;
}

static int check_safety(struct rm_run *run, struct err *err)
{
	bool hints = advice_enabled(run->repo, "rmHints");
	const char *force_hint = hints ? "(use -f to force removal)" : NULL;
	const char *keep_hint = hints ? "(use --cached to keep the file, or -f to force removal)" : NULL;
	struct string_list found[DANGER_NR] = { 0 };
	int rc = 0, unsafe;

	for (size_t i = 0; !rc && i < run->paths.nr; i++) {
		enum danger d;

		rc = classify(run, run->paths.items[i].string, &d, err);
		if (!rc && d != DANGER_NONE)
			string_list_append(&found[d], run->paths.items[i].string);
	}
	unsafe = report_paths(&found[DANGER_BOTH],
			      "the following file has staged content different from both the\nfile and the HEAD:",
			      "the following files have staged content different from both the\nfile and the HEAD:",
			      force_hint);
	unsafe |= report_paths(&found[DANGER_STAGED],
			       "the following file has changes staged in the index:",
			       "the following files have changes staged in the index:", keep_hint);
	unsafe |= report_paths(&found[DANGER_LOCAL], "the following file has local modifications:",
			       "the following files have local modifications:", keep_hint);
	for (int d = 0; d < DANGER_NR; d++)
		string_list_clear(&found[d], NULL);
	return rc < 0 ? rc : unsafe;
}

/* ---- removal ---- */

static bool is_dir(const char *path)
{
	return !worktree_leading_symlink(path, strlen(path)) && is_directory_nofollow(path);
}

/* A directory that is not the submodule of the entry belongs to the user: it stays. */
static int remove_from_worktree(const struct repository *r, const struct string_list_item *it,
				struct err *err)
{
	const char *path = it->string;
	int rc = worktree_remove_entry(r, path, err); /* leaves directories */

	if (rc < 0) {
		err_prefix(err, "git rm: '%s'", path);
		return rc;
	}
	if (!is_dir(path))
		return 0;
	errno = EISDIR;
	if (it->util && (!RETRY_EINTR(sys->rmdir(path)) || errno == ENOTEMPTY || errno == EEXIST))
		return 0;
	return err_set_errno(err, "git rm: '%s'", path);
}

static int remove_all(struct rm_run *run, struct err *err)
{
	bool removed_any = false;

	for (size_t i = 0; i < run->paths.nr; i++) {
		const char *path = run->paths.items[i].string;

		if (!run->o.quiet)
			printf("rm '%s'\n", path);
		if (!run->o.dry_run)
			index_remove(&run->ix, path, strlen(path));
	}
	if (run->o.dry_run || run->o.cached)
		return 0;
	/* The index follows; a failure before anything is gone leaves all as it was. */
	for (size_t i = 0; i < run->paths.nr; i++) {
		struct err own = ERR_INIT;
		int rc = remove_from_worktree(run->repo, &run->paths.items[i], &own);

		if (rc < 0 && !removed_any) {
			err_move(err, &own);
			return rc;
		}
		err_release(&own);
		removed_any |= rc >= 0;
	}
	return 0;
}

static void find_head(struct rm_run *run)
{
	struct object_id root;
	size_t n;

	run->head_valid = revparse_tree(run->repo, "HEAD", &run->head_tree, NULL) >= 0;
	run->index_is_head = run->head_valid && cache_tree_lookup(&run->ix, "", 0, &root, &n) &&
			     oid_eq(&root, &run->head_tree);
}

static int run_rm(struct rm_run *run, struct err *err)
{
	char *seen;
	int rc;

	if ((rc = repo_operation_lock_index(run->op, err)) < 0 ||
	    (rc = index_read_repo(&run->ix, run->repo, err)) < 0 ||
	    (rc = converter_new(&run->conv, run->repo, &run->ix, ATTR_CHECKIN, err)) < 0)
		return rc;
	run->ps.match_attr = attrs_match_spec;
	run->ps.match_attr_data = converter_attrs(run->conv);
	seen = xcalloc(run->ps.nr + 1, 1);
	collect_paths(run, seen);
	check_pathspecs(run, seen);
	free(seen);
	if ((rc = refuse_submodules(run, err)) < 0)
		return rc;
	find_head(run);
	if (!run->o.force && (rc = check_safety(run, err)) != 0)
		return rc;
	if ((rc = remove_all(run, err)) < 0)
		return rc;
	if (!run->o.dry_run && run->ix.changed)
		repo_operation_set_index(run->op, &run->ix);
	return 0;
}

int cmd_rm(int argc, const char **argv, struct command_ctx *ctx)
{
	struct rm_run run = { .repo = ctx->repo };
	struct err err = ERR_INIT;
	int rc;

	rm_parse_command_line(argc, argv, ctx, &run);
	index_init(&run.ix, ctx->repo->algo);
	run.op = repo_operation_begin(ctx->repo);
	rc = repo_operation_end(run.op, run_rm(&run, &err), &err);
	if (rc < 0)
		rc = report_fatal(&err);
	converter_free(run.conv);
	index_release(&run.ix);
	pathspec_release(&run.ps);
	string_list_clear(&run.paths, NULL);
	if (rc)
		return rc;
	return finish_stdout();
}
