/* SPDX-License-Identifier: GPL-2.0-only */
/* git-add(1) */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "cli/choose/choose.h"
#include "cli/context-option.h"
#include "cli/path-args.h"
#include "fs/file.h"
#include "operation/operation.h"
#include "util/alloc.h"
#include "util/trace2.h"
#include "worktree/worktree.h"

/* As with stock git, whose -1 becomes this. */
#define CHMOD_FAILED 255

static const char *const usage[] = { "git add [<options>] [--] <pathspec>...", NULL };

struct add_options {
	int dry_run, verbose, force, update, all, ignore_removal, intent_to_add, refresh;
	int ignore_errors, ignore_missing, renormalize, warn_embedded, sparse;
	int interactive, patch, edit, auto_advance;
	struct context_option context;
	int chmod; /* 0, '+', '-' */
	const char *chmod_text;
	struct pathspec_args pathspec;
};

/* Everything that one run of the command works with. */
struct add_run {
	struct repository *repo;
	struct add_options o;
	struct index_state ix;
	struct repo_operation *op;
	struct pathspec ps;
	char *seen; /* per pathspec item */
	struct converter *conv;
	struct ignore *ignore;
	struct worktree_adder *adder;
	struct string_list untracked; /* paths to add */
	struct string_list nested; /* of these, repositories: shown as "sub/" */
	struct string_list ignored;   /* named, but ignored */
	int exit_code;
	const char *failed_to; /* the first failure: "updating", "adding"; NULL: none */
};

/* ---- options ---- */

static int parse_all(const struct option *opt, const char *arg UNUSED, int unset)
{
	struct add_options *o = opt->value;

	o->all = !unset;
	o->ignore_removal = unset;
	return 0;
}

static int parse_ignore_removal(const struct option *opt, const char *arg UNUSED, int unset)
{
	struct add_options *o = opt->value;

	o->ignore_removal = !unset;
	o->all = unset;
	return 0;
}

/* --patch is --interactive that begins in another place. */
static void check_add_choice(const struct add_options *o)
{
	bool chooses = o->interactive || o->patch;

	check_context_numbers(&o->context);
	if (chooses && o->dry_run)
		die("options '%s' and '%s' cannot be used together", "--dry-run", "--interactive/--patch");
	if (chooses && o->pathspec.file)
		die("options '%s' and '%s' cannot be used together", "--pathspec-from-file", "--interactive/--patch");
	check_context_choice(&o->context, chooses, "--interactive/--patch");
	if (!chooses && !o->auto_advance)
		die("the option '%s' requires '%s'", "--no-auto-advance", "--interactive/--patch");
}

static void add_check_options(struct add_options *o)
{
	check_add_choice(o);
	if (o->interactive || o->patch)
		return;
	if (o->chmod_text) {
		if ((o->chmod_text[0] != '-' && o->chmod_text[0] != '+') ||
		    strcmp(o->chmod_text + 1, "x"))
			die("--chmod param '%s' must be either -x or +x", o->chmod_text);
		o->chmod = o->chmod_text[0];
	}
	if (o->all && o->update)
		die("options '%s' and '%s' cannot be used together", "-A", "-u");
	if (o->ignore_missing && !o->dry_run)
		die("the option '%s' requires '%s'", "--ignore-missing", "--dry-run");
	if (o->renormalize)
		o->update = 1;
}

static void add_parse_command_line(int argc, const char **argv, struct add_options *o)
{
	struct option opts[] = {
		OPT__DRY_RUN(&o->dry_run, "dry run"),
		OPT__VERBOSE(&o->verbose),
		OPT_GROUP(""),
		OPT_BOOL('i', "interactive", &o->interactive, "interactive picking"),
		OPT_BOOL('p', "patch", &o->patch, "select hunks interactively"),
		OPT_BOOL(0, "auto-advance", &o->auto_advance,
			 "auto advance to the next file when selecting hunks interactively"),
		OPT_CONTEXT(&o->context),
		OPT_BOOL('e', "edit", &o->edit, "edit current diff and apply"),
		OPT__FORCE(&o->force, "allow adding otherwise ignored files"),
		OPT_BOOL('u', "update", &o->update, "update tracked files"),
		OPT_BOOL(0, "renormalize", &o->renormalize,
			 "renormalize EOL of tracked files (implies -u)"),
		OPT_BOOL('N', "intent-to-add", &o->intent_to_add,
			 "record only the fact that the path will be added later"),
		OPT_CALLBACK_F('A', "all", o, NULL,
			       "add changes from all tracked and untracked files",
			       PARSE_OPT_NOARG, parse_all),
		OPT_CALLBACK_F(0, "ignore-removal", o, NULL,
			       "ignore paths removed in the working tree (same as --no-all)",
			       PARSE_OPT_NOARG, parse_ignore_removal),
		OPT_BOOL(0, "refresh", &o->refresh, "don't add, only refresh the index"),
		OPT_BOOL(0, "ignore-errors", &o->ignore_errors,
			 "just skip files which cannot be added because of errors"),
		OPT_BOOL(0, "ignore-missing", &o->ignore_missing,
			 "check if - even missing - files are ignored in dry run"),
		OPT_BOOL(0, "sparse", &o->sparse,
			 "allow updating entries outside of the sparse-checkout cone"),
		{ OPTION_BOOL, 0, "warn-embedded-repo", OPT_VALUE(int, &o->warn_embedded), NULL,
		  "warn when adding an embedded repository", PARSE_OPT_HIDDEN, NULL, 1 },
		OPT_STRING(0, "chmod", &o->chmod_text, "(+|-)x",
			   "override the executable bit of the listed files"),
		OPT_PATHSPEC_FILE(&o->pathspec),
		OPT_END(),
	};

	o->warn_embedded = o->auto_advance = 1;
	o->context = (struct context_option)CONTEXT_OPTION_INIT;
	parse_options(argc, argv, opts, usage, 0);
	add_check_options(o);
}

/* ---- messages ---- */

static void report_added(void *data, const char *path)
{
	struct add_run *run = data;

	if (run->o.verbose || run->o.dry_run)
		printf("add '%s%s'\n", path,
		       string_list_lookup(&run->nested, path) ? "/" : "");
}

static void report_removed(void *data, const char *path)
{
	struct add_run *run = data;

	if (run->o.verbose || run->o.dry_run)
		printf("remove '%s'\n", path);
}

static bool is_tracked(const struct add_run *run, const char *path)
{
	ssize_t at = index_pos(&run->ix, path, strlen(path), 0);
	size_t pos = (size_t)(at < 0 ? -1 - at : at);

	return pos < run->ix.nr && !strcmp(run->ix.entries[pos]->name, path);
}

static int report_failure(void *data, const char *path, struct err *err)
{
	struct add_run *run = data;

	if (!run->exit_code)
		run->failed_to = is_tracked(run, path) ? "updating" : "adding";
	report_preface(err);
	error("%s", err_message(err));
	error("unable to index file '%s'", path);
	run->exit_code = 1;
	return run->o.ignore_errors ? 0 : -1;
}

static void warn_embedded(struct add_run *run, const char *path)
{
	static bool told;

	if (!run->o.warn_embedded || index_find(&run->ix, path, strlen(path)))
		return;
	warning("adding embedded git repository: %s", path);
	if (told)
		return;
	told = true;
	advise_if_enabled(run->repo, "addEmbeddedRepo",
	       "You've added another git repository inside your current repository.\n"
	       "Clones of the outer repository will not contain the contents of\n"
	       "the embedded repository and will not know how to obtain it.\n"
	       "If you meant to add a submodule, use:\n"
	       "\n"
	       "\tgit submodule add <url> %s\n"
	       "\n"
	       "If you added this path by mistake, you can remove it from the\n"
	       "index with:\n"
	       "\n"
	       "\tgit rm --cached %s\n"
	       "\n"
	       "See \"git help submodule\" for more information.",
	       path, path);
}

static void report_ignored(struct add_run *run)
{
	if (!run->ignored.nr)
		return;
	fprintf(stderr, "The following paths are ignored by one of your .gitignore files:\n");
	string_list_sort(&run->ignored);
	string_list_remove_duplicates(&run->ignored, NULL);
	for (size_t i = 0; i < run->ignored.nr; i++)
		fprintf(stderr, "%s\n", run->ignored.items[i].string);
	advise_if_enabled(run->repo, "addIgnoredFile", "Use -f if you really want to add them.");
	run->exit_code = 1;
}

/* ---- pathspecs ---- */

/* No path may lead through a symlink or into another repository. */
static void check_places(struct add_run *run)
{
	for (size_t i = 0; i < run->ps.nr; i++) {
		const struct pathspec_item *it = &run->ps.items[i];
		const struct index_entry *sub;

		if (worktree_leading_symlink(it->match, it->nowildcard_len))
			die("pathspec '%s' is beyond a symbolic link", it->original);
		sub = index_gitlink_above(&run->ix, it->match, it->nowildcard_len);
		if (sub)
			die("Pathspec '%s' is in submodule '%s'", it->original, sub->name);
	}
}

static bool names_existing_file(const struct pathspec_item *it)
{
	return !it->glob && !it->icase && file_exists(it->match);
}

/*
 * Name what the patterns hit: the path, or the first directory above it; of a pattern, its part before the first
 * wildcard. As in Git, also where tracked files match.
 */
static void note_if_ignored(struct add_run *run, const struct pathspec_item *it)
{
	size_t len = it->nowildcard_len < it->len && !file_exists(it->match) ? it->nowildcard_len : it->len;

	if (run->ps.nr == 1 && is_tracked(run, it->match))
		return; /* the only one: Git does not look at its directory */
	for (size_t n = 1; n <= len; n++) {
		const struct ignore_pattern *p;
		bool last = n == len;
		char *part;

		if (!last && it->match[n] != '/')
			continue;
		part = xmemdupz(it->match, n);
		if (!strcmp(part, ".git") || is_tracked(run, part)) { /* never added, or no matter what the patterns say */
			free(part);
			return;
		}
		p = ignore_match_last(run->ignore, part, n, !last || is_directory_nofollow(part));
		if (p && !p->negated && (len == it->len || file_exists(part))) {
			string_list_append(&run->ignored, part);
			last = true;
		}
		free(part);
		if (last)
			return;
	}
}

static void check_unmatched(struct add_run *run)
{
	bool unknown = false;

	for (size_t i = 0; i < run->ps.nr; i++) {
		const struct pathspec_item *it = &run->ps.items[i];

		if (it->exclude || !*it->match)
			continue;
		if (!run->seen[i] && !names_existing_file(it) && !run->o.ignore_missing)
			die("pathspec '%s' did not match any files", it->original);
		if (!run->o.force && (!run->o.update || run->o.ignore_missing))
			note_if_ignored(run, it);
	}
	for (size_t i = 0; run->o.update && !run->o.renormalize && i < run->ps.nr; i++) {
		const struct pathspec_item *it = &run->ps.items[i];

		if (run->seen[i] || it->exclude || !*it->match)
			continue;
		error("pathspec '%s' did not match any file(s) known to git", it->original);
		unknown = true;
	}
	if (unknown)
		exit(128);
}

/* ---- what to add ---- */

static int collect_untracked(void *data, const char *path, size_t len, bool is_dir,
			     enum dirwalk_kind kind)
{
	struct add_run *run = data;
	char *name;

	if (kind == DIRWALK_UNREADABLE)
		warning("could not open directory '%.*s': %s", (int)len, path, strerror(errno));
	if (kind != DIRWALK_UNTRACKED)
		return 0;
	if (is_dir && len && path[len - 1] == '/')
		len--; /* a repository inside */
	name = xmemdupz(path, len);
	pathspec_match(&run->ps, name, len, is_dir, run->seen);
	string_list_append(&run->untracked, name);
	if (is_dir)
		string_list_insert(&run->nested, name);
	free(name);
	return 0;
}

static int find_untracked(struct add_run *run, struct err *err)
{
	struct ignore *none = NULL;
	int rc;

	if (run->o.update)
		return 0;
	if (run->o.force)
		none = ignore_new_empty(run->repo, NULL);
	rc = worktree_walk_untracked(run->repo, &run->ix, none ? none : run->ignore, &run->ps,
				     UNTRACKED_ALL, DIRWALK_REPORT_UNREADABLE, collect_untracked, run,
				     err);
	ignore_free(none);
	return rc;
}

/* ---- doing it ---- */

/* A repository inside: what can be recorded is the commit that it has checked out. */
static int check_nested(struct add_run *run, const char *path)
{
	struct object_id head;

	if (gitlink_resolve_head(path, run->repo->algo, &head, NULL) >= 0) {
		warn_embedded(run, path);
		return 0;
	}
	error("'%s/' does not have a commit checked out", path);
	error("unable to index file '%s/'", path);
	run->exit_code = 1;
	return -1;
}

static int add_untracked(struct add_run *run, struct err *err)
{
	for (size_t i = 0; i < run->untracked.nr; i++) {
		const char *path = run->untracked.items[i].string;
		struct stat st;
		int rc;

		if (lstat(path, &st) < 0) {
			err_set_errno(err, "cannot stat '%s'", path);
			if (report_failure(run, path, err) < 0)
				return ERR_IO;
			err_release(err);
			continue;
		}
		if (S_ISDIR(st.st_mode) && check_nested(run, path) < 0) {
			if (!run->o.ignore_errors)
				return ERR_INVALID;
			continue;
		}
		rc = worktree_adder_add(run->adder, path, &st, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* In the index alone, be the file changed or not. */
static int chmod_entry(struct add_run *run, const struct index_entry *old, struct err *err)
{
	struct index_entry *e;
	unsigned mode = run->o.chmod == '+' ? MODE_EXEC : MODE_FILE;

	if (!MODE_IS_FILE(old->mode)) {
		error("cannot chmod %cx '%s'", run->o.chmod, old->name);
		run->exit_code = CHMOD_FAILED;
		return 0;
	}
	if (run->o.dry_run || old->mode == mode)
		return 0;
	e = index_entry_new(&run->ix, mode, &old->oid, old->name, old->name_len, old->stage);
	e->stat = old->stat;
	e->flags = old->flags & ~CE_UPTODATE;
	return index_add(&run->ix, e, INDEX_ADD_REPLACE, run->repo->settings.protect, err);
}

static int chmod_entries(struct add_run *run, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < run->ix.nr; i++) {
		const struct index_entry *e = run->ix.entries[i];

		if ((e->flags & CE_SKIP_WORKTREE && !run->o.sparse) ||
		    !pathspec_match(&run->ps, e->name, e->name_len, MODE_IS_GITLINK(e->mode), NULL))
			continue;
		rc = chmod_entry(run, e, err);
	}
	return rc;
}

static int add_everything(struct add_run *run, struct err *err)
{
	struct worktree_add_options ao = {
		.intent_to_add = run->o.intent_to_add,
		.dry_run = run->o.dry_run,
		.renormalize = run->o.renormalize,
		.on_added = report_added,
		.on_removed = report_removed,
		.on_error = report_failure,
		.data = run,
	};
	struct worktree_changes changes = { NULL, 0, 0 };
	unsigned flags = 0;
	int rc;

	if (run->o.renormalize)
		flags |= CHANGES_EVERY_FILE;
	if (run->o.sparse)
		flags |= CHANGES_SPARSE;

	if ((rc = find_untracked(run, err)) < 0 ||
	    (rc = worktree_find_changes(run->repo, &run->ix, &run->ps, run->conv, flags,
					run->seen, &changes, err)) < 0)
		goto out;
	check_unmatched(run);
	report_ignored(run);
	if (!run->o.dry_run && (rc = repo_operation_open_objects(run->op, err)) < 0)
		goto out;
	run->adder = worktree_adder_new(run->repo, &run->ix, run->conv, &ao);
	if ((rc = worktree_adder_apply(run->adder, &changes,
				       run->o.ignore_removal && !run->o.update, err)) >= 0)
		rc = add_untracked(run, err);
	if (rc >= 0)
		rc = worktree_adder_finish(run->adder, err);
	if (rc >= 0 && run->o.chmod && run->ps.nr)
		rc = chmod_entries(run, err);
out:
	worktree_changes_release(&changes);
	return rc;
}

static void report_needs_update(void *data UNUSED, const struct index_entry *e UNUSED,
				enum worktree_change why UNUSED)
{
}

static int refresh_only(struct add_run *run, struct err *err)
{
	for (size_t i = 0; i < run->ix.nr; i++)
		pathspec_match(&run->ps, run->ix.entries[i]->name, run->ix.entries[i]->name_len,
			       false, run->seen);
	for (size_t i = 0; i < run->ps.nr; i++)
		if (!run->seen[i] && *run->ps.items[i].match)
			die("pathspec '%s' did not match any files", run->ps.items[i].original);
	return worktree_refresh_index(run->repo, &run->ix, &run->ps, run->conv,
				      report_needs_update, NULL, err);
}

static int nothing_specified(struct repository *r)
{
	fprintf(stderr, "Nothing specified, nothing added.\n");
	advise_if_enabled(r, "addEmptyPathspec", "Maybe you wanted to say 'git add .'?");
	return 0;
}

static int add_prepare(struct add_run *run, struct err *err)
{
	bool on = false;
	int rc;

	rc = config_get_bool(run->repo->config, "add.ignoreerrors", &on, err);
	if (!rc)
		rc = config_get_bool(run->repo->config, "add.ignore-errors", &on, err);
	if (rc < 0)
		return rc;
	run->o.ignore_errors |= on;
	if ((rc = repo_operation_lock_index(run->op, err)) < 0 ||
	    (rc = index_read_repo(&run->ix, run->repo, err)) < 0 ||
	    (rc = converter_new(&run->conv, run->repo, &run->ix, ATTR_CHECKIN, err)) < 0)
		return rc;
	run->ps.match_attr = attrs_match_spec;
	run->ps.match_attr_data = converter_attrs(run->conv);
	return ignore_new(&run->ignore, run->repo, &run->ix, err);
}

static void add_run_release(struct add_run *run)
{
	ignore_free(run->ignore);
	converter_free(run->conv);
	index_release(&run->ix);
	pathspec_release(&run->ps);
	string_list_clear(&run->untracked, NULL);
	string_list_clear(&run->nested, NULL);
	string_list_clear(&run->ignored, NULL);
	free(run->seen);
}

/* They are arguments of a comparison, as in Git. */
static void check_edited_paths(const struct add_run *run, const char **argv)
{
	for (; *argv; argv++)
		if (!path_arg_is_pattern(*argv) && !path_arg_exists(run->repo->prefix, *argv))
			die("ambiguous argument '%s': unknown revision or path not in the working tree.\n"
			    "Use '--' to separate paths from revisions, like this:\n"
			    "'git <command> [<revision>...] -- [<file>...]'", *argv);
}

static int add_by_hand(struct add_run *run, const char **argv)
{
	struct choose_request q = { .repo = run->repo, .target = CHOOSE_STAGE, .ps = &run->ps, .context = run->o.context,
				    .auto_advance = run->o.auto_advance };
	int code, rc;

	if (run->o.edit && !run->o.patch && !run->o.interactive)
		check_edited_paths(run, argv);
	(void)pathspec_args_parse(&run->o.pathspec, &run->ps, run->repo, argv, PATHSPEC_PREFER_FULL);
	if (run->o.patch)
		code = choose_hunks(&q);
	else
		code = run->o.interactive ? choose_from_menu(&q) : choose_by_editor(&q);
	add_run_release(run);
	rc = finish_stdout();
	return code ? code : rc;
}

int cmd_add(int argc, const char **argv, struct command_ctx *ctx)
{
	struct add_run run = { .repo = ctx->repo };
	struct err err = ERR_INIT;
	size_t nr_paths;
	int rc;

	add_parse_command_line(argc, argv, &run.o);
	index_init(&run.ix, ctx->repo->algo);
	if (run.o.interactive || run.o.patch || run.o.edit)
		return add_by_hand(&run, argv);
	nr_paths = pathspec_args_parse(&run.o.pathspec, &run.ps, run.repo, argv,
				       run.o.update || run.o.all ? PATHSPEC_PREFER_FULL : 0);
	run.seen = xcalloc(run.ps.nr + 1, 1);
	if (!nr_paths && !run.o.update && !run.o.all && !run.o.refresh) {
		rc = nothing_specified(ctx->repo);
		add_run_release(&run);
		return rc;
	}
	run.op = repo_operation_begin(ctx->repo);
	rc = add_prepare(&run, &err);
	if (!rc) {
		check_places(&run);
		trace2_region_enter("add", "files");
		rc = run.o.refresh ? refresh_only(&run, &err) : add_everything(&run, &err);
		trace2_region_leave("add", "files");
		if (rc >= 0 && !run.o.dry_run && run.ix.changed)
			repo_operation_set_index(run.op, &run.ix);
	}
	worktree_adder_free(run.adder);
	rc = repo_operation_end(run.op, rc, &err);
	if (rc < 0 && run.exit_code && !run.o.ignore_errors) {
		err_release(&err);
		err_set(&err, rc, "%s files failed", run.failed_to ? run.failed_to : "adding");
	}
	if (rc < 0)
		run.exit_code = report_fatal(&err);
	add_run_release(&run);
	rc = finish_stdout();
	return run.exit_code ? run.exit_code : rc;
}
