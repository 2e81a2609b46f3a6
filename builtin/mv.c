/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-mv(1). All moves are planned and checked first. Then files are renamed, and the index
 * follows; if a rename or the index fails, the renames are undone. What -f overwrites is kept
 * beside its place until the index is written.
 */
#include "compat/posix.h"
#include "compat/syscalls.h"
#include "builtin/builtin.h"
#include "fs/file.h"
#include "index/pathspec.h"
#include "object/dotfile.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/path.h"
#include "util/string-list.h"
#include "worktree/sparse.h"
#include "worktree/worktree.h"

static const char *const usage[] = {
	"git mv [-v] [-f] [-n] [-k] <source> <destination>",
	"git mv [-v] [-f] [-n] [-k] <source>... <destination-directory>",
	NULL
};

/* A rename of a file or a directory, or of an entry below a directory that is renamed. */
struct move {
	char *src, *dst;
	char *kept;	   /* where the overwritten file of dst is */
	ptrdiff_t parent;  /* the move of the directory, or -1 */
	bool is_dir;	   /* no entry of its own */
	bool overwrites;
	bool renamed;	   /* on disk */
	bool clean;	   /* st is that of an unchanged file */
	struct stat st;
};

struct mv {
	struct repository *repo;
	int verbose, dry_run, force, skip_errors, sparse;
	struct index_state ix;
	struct repo_operation *op;
	struct converter *conv;
	struct sparse *patterns; /* NULL: all paths have files */
	struct pathspec args;	 /* sources, then the destination */
	struct move *moves;
	size_t nr, alloc;
	struct string_list targets;
};

/* ---- the plan ---- */

static void add_move(struct mv *mv, const char *src, const char *dst, ptrdiff_t parent, bool is_dir)
{
	ALLOC_GROW(mv->moves, mv->nr + 1, mv->alloc);
	mv->moves[mv->nr++] = (struct move){
		.src = xstrdup(src), .dst = xstrdup(dst), .parent = parent, .is_dir = is_dir,
	};
	string_list_insert(&mv->targets, dst);
}

/* core.ignoreCase: "a" to "A" is no other file. */
static bool differs_in_case_only(const struct mv *mv, const char *src, const struct stat *from,
			 const char *dst, const struct stat *to)
{
	return mv->repo->settings.ignorecase && is_same_file(from, to) &&
	       !strcasecmp(src, dst);
}

static void mv_check_target(const struct mv *mv, const char *dst)
{
	const struct index_entry *sub = index_gitlink_above(&mv->ix, dst, strlen(dst));

	if (!path_is_safe(dst, MODE_FILE, mv->repo->settings.protect))
		die("invalid path '%s'", dst);
	if (worktree_leading_symlink(dst, strlen(dst)))
		die("'%s' is beyond a symbolic link", dst);
	if (sub)
		die("'%s' is in submodule '%s'", dst, sub->name);
	if (mv->patterns && !sparse_has(mv->patterns, dst, strlen(dst)))
		die("moving to '%s', which is outside of the sparse checkout, is not available yet", dst);
}

/* A submodule can move if only its empty directory is there. */
static void check_entry(const struct mv *mv, const struct index_entry *e)
{
	char *gitfile;
	struct stat st;

	if (e->flags & CE_SKIP_WORKTREE)
		die("moving '%s', which is outside of the sparse checkout, is not available yet", e->name);
	if (!MODE_IS_GITLINK(e->mode))
		return;
	gitfile = path_join(e->name, ".git");
	if (!lstat(gitfile, &st) || !lstat(".gitmodules", &st) ||
	    index_find(&mv->ix, ".gitmodules", strlen(".gitmodules")))
		die("moving submodule '%s' is not available yet", e->name);
	free(gitfile);
}

/* Returns an error text, or NULL: the directory and its entries are planned. */
static const char *plan_directory(struct mv *mv, const char *src, const char *dst)
{
	size_t len = strlen(src), start = index_dir_start(&mv->ix, src, len);
	const ptrdiff_t self = (ptrdiff_t)mv->nr;

	if (!index_has_dir(&mv->ix, src, len))
		return "source directory is empty";
	mv_check_target(mv, dst);
	add_move(mv, src, dst, -1, true);
	for (size_t i = start; i < mv->ix.nr; i++) {
		const struct index_entry *e = mv->ix.entries[i];
		char *to;

		if (!path_inside(e->name, src))
			break;
		if (e->stage)
			return "conflicted";
		check_entry(mv, e);
		to = xstrfmt("%s%s", dst, e->name + len);
		add_move(mv, e->name, to, self, false);
		free(to);
	}
	return NULL;
}

static const char *plan_file(struct mv *mv, const char *src, const struct stat *from,
			     const char *dst)
{
	const struct index_entry *e = index_find(&mv->ix, src, strlen(src));
	bool overwrites = false;
	struct stat to;

	if (!e)
		return index_find_ours(&mv->ix, src, strlen(src)) ? "conflicted" :
								   "not under version control";
	if (!lstat(dst, &to) && !differs_in_case_only(mv, src, from, dst, &to)) {
		if (!mv->force)
			return "destination exists";
		if (!S_ISREG(to.st_mode) && !S_ISLNK(to.st_mode))
			return "Cannot overwrite";
		if (mv->verbose)
			warning("overwriting '%s'", dst);
		overwrites = true;
	}
	if (string_list_lookup(&mv->targets, dst))
		return "multiple sources for the same target";
	if (ends_with(dst, "/"))
		return "destination directory does not exist";
	mv_check_target(mv, dst);
	check_entry(mv, e);
	add_move(mv, src, dst, -1, false);
	mv->moves[mv->nr - 1].overwrites = overwrites;
	return NULL;
}

static const char *plan_source(struct mv *mv, const char *src, char *dst)
{
	size_t dst_len = strlen(dst);
	const struct index_entry *e;
	struct stat from, to;

	if (!*src)
		return "bad source";
	e = index_find(&mv->ix, src, strlen(src));
	if (lstat(src, &from) < 0) {
		if (e)
			check_entry(mv, e);
		return "bad source";
	}
	if (path_inside(dst, src))
		return "can not move directory into itself";
	if (!S_ISDIR(from.st_mode))
		return plan_file(mv, src, &from, dst);
	if (dst_len && dst[dst_len - 1] == '/')
		dst[dst_len - 1] = '\0';
	if (!lstat(dst, &to) && !differs_in_case_only(mv, src, &from, dst, &to))
		return "destination already exists";
	return e && MODE_IS_GITLINK(e->mode) ? plan_file(mv, src, &from, dst) :
					       plan_directory(mv, src, dst);
}

/* The last move that has been planned, and all that belongs to it, is not made. */
static void drop_moves(struct mv *mv, size_t nr)
{
	while (mv->nr > nr) {
		struct move *m = &mv->moves[--mv->nr];

		free(m->src);
		free(m->dst);
		free(m->kept);
	}
}

/* Without trailing slashes. Caller frees. */
static char *source_path(const struct pathspec_item *it)
{
	size_t len = strlen(it->match);

	while (len && it->match[len - 1] == '/')
		len--;
	return xmemdupz(it->match, len);
}

static void check_parents(const struct mv *mv)
{
	struct string_list dirs = { 0 };

	for (size_t i = 0; i < mv->nr; i++)
		if (mv->moves[i].is_dir)
			string_list_insert(&dirs, mv->moves[i].src);
	for (size_t i = 0; dirs.nr && i < mv->nr; i++) {
		const char *src = mv->moves[i].src;

		for (const char *s = src; mv->moves[i].parent < 0 && (s = strchr(s, '/')); s++) {
			char *parent = xmemdupz(src, (size_t)(s - src));

			if (string_list_lookup(&dirs, parent))
				die("cannot move both '%s' and its parent directory '%s'", src, parent);
			free(parent);
		}
	}
	string_list_clear(&dirs, NULL);
}

static void make_plan(struct mv *mv)
{
	const struct pathspec_item *last = &mv->args.items[mv->args.nr - 1];
	char *dir = source_path(last);
	bool into = !*dir || is_directory_nofollow(dir);

	if (!into && mv->args.nr > 2)
		die("destination '%s' is not a directory", dir);
	for (size_t i = 0; i + 1 < mv->args.nr; i++) {
		char *src = source_path(&mv->args.items[i]);
		char *dst = into ? xstrfmt("%s%s%s", dir, *dir ? "/" : "", path_basename(src)) :
				   xstrfmt("%s%s", dir, ends_with(last->original, "/") ? "/" : "");
		size_t before = mv->nr;
		const char *wrong;

		if (mv->dry_run)
			printf("Checking rename of '%s' to '%s'\n", src, dst);
		wrong = plan_source(mv, src, dst);
		if (wrong && !mv->skip_errors)
			die("%s, source=%s, destination=%s", wrong, src, dst);
		if (wrong)
			drop_moves(mv, before);
		free(src);
		free(dst);
	}
	for (size_t i = 0; mv->dry_run && i < mv->nr; i++)
		if (mv->moves[i].parent >= 0)
			printf("Checking rename of '%s' to '%s'\n", mv->moves[i].src, mv->moves[i].dst);
	free(dir);
	check_parents(mv);
}

/* ---- files ---- */

static int rename_path(const char *from, const char *to, struct err *err)
{
	if (RETRY_EINTR(sys->rename(from, to)) < 0)
		return err_set_errno(err, "renaming '%s' failed", from);
	return 0;
}

/* A name beside dst that is free. */
static char *free_name(const char *dst)
{
	struct stat st;

	for (unsigned n = 0;; n++) {
		char *name = xstrfmt("%s.replaced-%ld-%u", dst, (long)getpid(), n);

		if (lstat(name, &st) < 0)
			return name;
		free(name);
	}
}

/* Is the file as its entry says? Asked before the rename, which changes the ctime. */
static int note_stat(struct mv *mv, struct move *m, struct err *err)
{
	struct index_entry *e = index_find(&mv->ix, m->src, strlen(m->src));
	enum worktree_change change;
	unsigned mode;
	int rc;

	if (!e || MODE_IS_GITLINK(e->mode) || (e->flags & CE_INTENT_TO_ADD) || lstat(m->src, &m->st) < 0)
		return 0;
	rc = worktree_entry_changed(mv->repo, &mv->ix, e, mv->conv, &change, NULL, &mode, err);
	m->clean = !rc && change == WT_UNCHANGED;
	return rc;
}

static int rename_move(struct move *m, struct err *err)
{
	int rc;

	if (m->overwrites) {
		char *kept = free_name(m->dst);

		rc = rename_path(m->dst, kept, err);
		if (rc < 0) {
			free(kept);
			return rc;
		}
		m->kept = kept;
	}
	rc = rename_path(m->src, m->dst, err);
	m->renamed = !rc;
	return rc;
}

static void undo_move(struct move *m)
{
	struct err err = ERR_INIT;

	if ((m->renamed && rename_path(m->dst, m->src, &err) < 0) ||
	    (m->kept && rename_path(m->kept, m->dst, &err) < 0))
		report_error(&err);
	m->renamed = false;
	free(m->kept);
	m->kept = NULL;
}

static void undo_moves(struct mv *mv)
{
	for (size_t i = mv->nr; i > 0; i--)
		undo_move(&mv->moves[i - 1]);
}

static int rename_all(struct mv *mv, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < mv->nr; i++)
		if (!mv->moves[i].is_dir)
			rc = note_stat(mv, &mv->moves[i], err);
	for (size_t i = 0; !rc && i < mv->nr; i++) {
		struct move *m = &mv->moves[i];

		if (mv->verbose)
			printf("Renaming %s to %s\n", m->src, m->dst);
		if (m->parent >= 0)
			continue;
		rc = rename_move(m, err);
		if (rc < 0 && mv->skip_errors) {
			undo_move(m);
			err_release(err);
			rc = 0;
		}
	}
	return rc;
}

/* ---- the index ---- */

static bool is_made(const struct mv *mv, const struct move *m)
{
	return !m->is_dir && (m->parent < 0 ? m->renamed : mv->moves[m->parent].renamed);
}

/* The entry under its new name; stat data are refreshed if nothing but the ctime has changed. */
static struct index_entry *moved_entry(struct mv *mv, const struct move *m)
{
	const struct index_entry *e = index_find(&mv->ix, m->src, strlen(m->src));
	struct index_entry *to = index_entry_new(&mv->ix, e->mode, &e->oid, m->dst, strlen(m->dst), 0);
	struct stat st;

	to->stat = e->stat;
	to->flags = e->flags & (CE_INTENT_TO_ADD | CE_ASSUME_VALID);
	if (m->clean && !lstat(m->dst, &st) && st.st_ino == m->st.st_ino && st.st_size == m->st.st_size &&
	    st.st_mtime == m->st.st_mtime && st.st_mode == m->st.st_mode)
		stat_data_fill(&to->stat, &st);
	return to;
}

static int move_entries(struct mv *mv, struct err *err)
{
	struct index_entry **entries = xcalloc(mv->nr + 1, sizeof(*entries));
	int rc = 0;

	for (size_t i = 0; i < mv->nr; i++)
		if (is_made(mv, &mv->moves[i]))
			entries[i] = moved_entry(mv, &mv->moves[i]);
	for (size_t i = 0; i < mv->nr; i++)
		if (entries[i])
			index_remove(&mv->ix, mv->moves[i].src, strlen(mv->moves[i].src));
	for (size_t i = 0; !rc && i < mv->nr; i++)
		if (entries[i])
			rc = index_add(&mv->ix, entries[i], INDEX_ADD_REPLACE, mv->repo->settings.protect, err);
	free(entries);
	return rc;
}

static int run_mv(struct mv *mv, struct err *err)
{
	int rc;

	if ((rc = repo_operation_lock_index(mv->op, err)) < 0 ||
	    (rc = index_read_repo(&mv->ix, mv->repo, err)) < 0 ||
	    (rc = converter_new(&mv->conv, mv->repo, &mv->ix, ATTR_CHECKIN, err)) < 0 ||
	    (rc = sparse_new(&mv->patterns, mv->repo, err)) < 0)
		return rc;
	make_plan(mv);
	if (mv->dry_run) {
		for (size_t i = 0; i < mv->nr; i++)
			printf("Renaming %s to %s\n", mv->moves[i].src, mv->moves[i].dst);
		return 0;
	}
	if ((rc = rename_all(mv, err)) < 0 || (rc = move_entries(mv, err)) < 0)
		return rc;
	if (mv->ix.changed)
		repo_operation_set_index(mv->op, &mv->ix);
	return 0;
}

/* What -f has overwritten is not needed any more. */
static int remove_kept(const struct mv *mv)
{
	int rc = 0;

	for (size_t i = 0; i < mv->nr; i++) {
		struct err err = ERR_INIT;

		if (mv->moves[i].kept && remove_file(mv->moves[i].kept, &err) < 0)
			rc = report_error(&err);
	}
	return rc;
}

static void mv_parse_arguments(struct mv *mv, int argc, const char **argv, struct command_ctx *ctx)
{
	struct option opts[] = {
		OPT__VERBOSE(&mv->verbose),
		OPT__DRY_RUN(&mv->dry_run, "dry run"),
		OPT__FORCE(&mv->force, "force move/rename even if target exists"),
		OPT_BOOL('k', NULL, &mv->skip_errors, "skip move/rename errors"),
		OPT_BOOL(0, "sparse", &mv->sparse,
			 "allow updating entries outside of the sparse-checkout cone"),
		OPT_END(),
	};
	struct err err = ERR_INIT;

	argc = parse_options(argc, argv, opts, usage, 0);
	if (argc < 2)
		usage_with_options(usage, opts);
	if (pathspec_parse(&mv->args, ctx->prefix, ctx->repo->worktree, argv, PATHSPEC_LITERAL, &err) < 0)
		die_err(&err);
}

int cmd_mv(int argc, const char **argv, struct command_ctx *ctx)
{
	struct mv mv = { .repo = ctx->repo };
	struct err err = ERR_INIT;
	int rc;

	mv_parse_arguments(&mv, argc, argv, ctx);
	index_init(&mv.ix, ctx->repo->algo);
	mv.op = repo_operation_begin(ctx->repo);
	rc = repo_operation_end(mv.op, run_mv(&mv, &err), &err);
	if (rc < 0 && rc != ERR_UNCERTAIN)
		undo_moves(&mv);
	else if (remove_kept(&mv) && !rc)
		rc = 1;
	if (rc < 0)
		rc = report_fatal(&err);
	drop_moves(&mv, 0);
	free(mv.moves);
	string_list_clear(&mv.targets, NULL);
	sparse_free(mv.patterns);
	converter_free(mv.conv);
	index_release(&mv.ix);
	pathspec_release(&mv.args);
	return rc ? rc : finish_stdout();
}
