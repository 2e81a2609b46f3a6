/* SPDX-License-Identifier: GPL-2.0-only */
/* checkout, switch, restore: options, and what goes with what. */
#include "compat/posix.h"
#include "builtin/branch/branch.h"
#include "builtin/checkout/checkout.h"
#include "cli/submodule-option.h"
#include "history/names/revparse.h"
#include "merge/texts.h"
#include "util/alloc.h"
#include "worktree/status.h"

static const char *const checkout_usage[] = {
	"git checkout [<options>] <branch>",
	"git checkout [<options>] [<branch>] -- <file>...",
	NULL
};
static const char *const switch_usage[] = { "git switch [<options>] [<branch>]", NULL };
static const char *const restore_usage[] = {
	"git restore [<options>] [--source=<branch>] <file>...", NULL
};

/* ---- options ---- */

static int on_track(const struct option *opt, const char *arg, int unset)
{
	enum branch_track *track = opt->value;

	if (unset)
		*track = BRANCH_TRACK_NEVER;
	else if (!arg || !strcmp(arg, "direct"))
		*track = BRANCH_TRACK_EXPLICIT;
	else if (!strcmp(arg, "inherit"))
		*track = BRANCH_TRACK_INHERIT;
	else
		return error("option `%s' expects \"%s\" or \"%s\"", "--track", "direct", "inherit");
	return 0;
}

#define COMMON_OPTIONS(co)                                                               \
	OPT__QUIET(&(co)->quiet),                                                        \
	OPT_RECURSE_SUBMODULES(&(co)->recurse, "control recursive updating of submodules"), \
	OPT_BOOL(0, "progress", &(co)->progress, "force progress reporting"),            \
	OPT_BOOL('m', "merge", &(co)->merge, "perform a 3-way merge with the new branch"), \
	OPT_STRING(0, "conflict", &(co)->conflict, "style",                              \
		   "conflict style (merge, diff3, or zdiff3)")
#define MOVE_OPTIONS(co)                                                                 \
	OPT_BOOL('d', "detach", &(co)->detach, "detach HEAD at named commit"),           \
	OPT_CALLBACK_F('t', "track", &(co)->track, "(direct|inherit)",                   \
		       "set branch tracking configuration", PARSE_OPT_OPTARG, on_track), \
	OPT__FORCE(&(co)->force, "force checkout (throw away local modifications)"),     \
	OPT_STRING(0, "orphan", &(co)->orphan, "new-branch", "new unborn branch"),       \
	OPT_BOOL(0, "overwrite-ignore", &(co)->overwrite_ignore,                         \
		 "update ignored files (default)"),                                      \
	OPT_BOOL(0, "ignore-other-worktrees", &(co)->ignore_other,                       \
		 "do not check if another worktree is using this branch")
#define PATH_OPTIONS(co)                                                                 \
	OPT_SET_INT('2', "ours", &(co)->ours, "checkout our version for unmerged files", 1), \
	OPT_SET_INT('3', "theirs", &(co)->ours, "checkout their version for unmerged files", 2), \
	OPT_BOOL('p', "patch", &(co)->patch, "select hunks interactively"),              \
	OPT_CONTEXT(&(co)->context),                                                     \
	OPT_BOOL(0, "ignore-skip-worktree-bits", &(co)->ignore_skip,                     \
		 "do not limit pathspecs to sparse entries only"),                       \
	OPT_PATHSPEC_FILE(&(co)->pathspec_args)

static void parse_checkout(struct checkout *co, int argc, const char **argv)
{
	struct option opts[] = {
		OPT_STRING('b', NULL, &co->new_branch, "branch", "create and checkout a new branch"),
		OPT_STRING('B', NULL, &co->reset_branch, "branch",
			   "create/reset and checkout a branch"),
		OPT_BOOL('l', NULL, &co->reflog, "create reflog for new branch"),
		OPT_BOOL(0, "guess", &co->guess, "second guess 'git checkout <no-such-branch>' (default)"),
		OPT_BOOL(0, "overlay", &co->overlay, "use overlay mode (default)"),
		OPT_BOOL(0, "auto-advance", &co->auto_advance,
			 "auto advance to the next file when selecting hunks interactively"),
		COMMON_OPTIONS(co), MOVE_OPTIONS(co), PATH_OPTIONS(co), OPT_END()
	};

	argv[parse_options(argc, argv, opts, checkout_usage, PARSE_OPT_KEEP_DASHDASH)] = NULL;
}

static void parse_switch(struct checkout *co, int argc, const char **argv)
{
	struct option opts[] = {
		OPT_STRING('c', "create", &co->new_branch, "branch",
			   "create and switch to a new branch"),
		OPT_STRING('C', "force-create", &co->reset_branch, "branch",
			   "create/reset and switch to a branch"),
		OPT_BOOL(0, "guess", &co->guess, "second guess 'git switch <no-such-branch>'"),
		OPT_BOOL(0, "discard-changes", &co->discard, "throw away local modifications"),
		COMMON_OPTIONS(co), MOVE_OPTIONS(co), OPT_END()
	};

	argv[parse_options(argc, argv, opts, switch_usage, PARSE_OPT_KEEP_DASHDASH)] = NULL;
}

static void parse_restore(struct checkout *co, int argc, const char **argv)
{
	struct option opts[] = {
		OPT_STRING('s', "source", &co->source, "tree-ish", "which tree-ish to checkout from"),
		OPT_BOOL('S', "staged", &co->staged, "restore the index"),
		OPT_BOOL('W', "worktree", &co->worktree, "restore the working tree (default)"),
		OPT_BOOL(0, "ignore-unmerged", &co->ignore_unmerged, "ignore unmerged entries"),
		OPT_BOOL(0, "overlay", &co->overlay, "use overlay mode"),
		COMMON_OPTIONS(co), PATH_OPTIONS(co), OPT_END()
	};

	argv[parse_options(argc, argv, opts, restore_usage, 0)] = NULL;
}

static void check_options(struct checkout *co)
{
	bool sw = co->command == SWITCH;
	enum merge3_style style;

	check_context_numbers(&co->context);
	check_context_choice(&co->context, co->patch, "--patch");
	if (!co->auto_advance && !co->patch)
		die("the option '%s' requires '%s'", "--no-auto-advance", "--patch");
	if (co->patch && co->overlay > 0)
		die("options '%s' and '%s' cannot be used together", "-p", "--overlay");
	if (co->conflict && !merge3_parse_style(&style, co->conflict))
		die("unknown conflict style '%s'", co->conflict);
	if (co->conflict)
		co->merge = 1;
	if (!!co->new_branch + !!co->reset_branch + !!co->orphan > 1)
		die("options '-%c', '-%c', and '%s' cannot be used together", sw ? 'c' : 'b',
		    sw ? 'C' : 'B', "--orphan");
	if (co->force && co->merge)
		die("'%s' cannot be used with '%s'", "-f", "-m");
	if (co->discard && co->merge)
		die("'%s' cannot be used with '%s'", "--discard-changes", "--merge");
	if (co->discard)
		co->force = 1;
}

/* --track without a name: that of the remote-tracking branch, without its remote. */
static void name_after_tracked(struct checkout *co, const char *arg)
{
	const char *slash;

	if (co->track == BRANCH_TRACK_UNSET || co->new_branch || co->reset_branch || co->orphan)
		return;
	if (!arg || !strcmp(arg, "--"))
		die("--track needs a branch name");
	skip_prefix(arg, "refs/", &arg);
	skip_prefix(arg, "remotes/", &arg);
	slash = strchr(arg, '/');
	if (!slash || !slash[1])
		die("missing branch name; try -%c", co->command == SWITCH ? 'c' : 'b');
	co->new_branch = slash + 1;
}

/* ---- the state before ---- */

/* A HEAD, or a branch of HEAD, that is broken is no commit and no branch: one can leave it, as in Git. */
static void find_head(struct checkout *co)
{
	struct err err = ERR_INIT;
	char *name = NULL;
	int rc = ref_resolve(co->r->refs, "HEAD", &co->old_commit, &name, NULL, &err);

	co->broken = rc == ERR_CORRUPT;
	co->unborn = co->broken || (rc == ERR_NOT_FOUND && name);
	if (rc < 0 && !co->unborn)
		die_err(&err);
	err_release(&err);
	if (co->unborn)
		co->old_commit = co->r->algo->null_oid;
	if (name && strcmp(name, "HEAD"))
		co->old_branch = name;
	else
		free(name);
}

static void begin(struct checkout *co, struct command_ctx *ctx, enum checkout_command command)
{
	*co = (struct checkout){
		.r = ctx->repo, .prefix = ctx->prefix, .command = command, .progress = -1, .guess = -1,
		.overwrite_ignore = 1, .overlay = -1, .staged = -1, .worktree = -1,
		.auto_advance = 1, .context = CONTEXT_OPTION_INIT, .track = BRANCH_TRACK_UNSET,
	};
	if (co->r) /* else it is -h */
		index_init(&co->ix, co->r->algo);
}

static int end(struct checkout *co, int rc)
{
	converter_free(co->conv);
	index_release(&co->ix);
	free(co->guessed);
	free(co->name);
	free(co->branch);
	free(co->old_branch);
	return rc;
}

/* ---- to a branch ---- */

static void check_move_options(const struct checkout *co)
{
	bool creates = co->new_branch || co->reset_branch || co->orphan;

	if (co->overlay >= 0)
		die("'%s' cannot be used with switching branches", "--[no]-overlay");
	if (co->ours)
		die("'%s' cannot be used with switching branches", "--ours/--theirs");
	if (co->detach && creates)
		die("'%s' cannot be used with '%s'", "--detach", "-b/-B/--orphan");
	if (co->orphan && co->track != BRANCH_TRACK_UNSET)
		die("'%s' cannot be used with '%s'", "--orphan", "-t");
	if (co->orphan && co->command == SWITCH && co->arg)
		die("'%s' cannot take <start-point>", "--orphan");
	if (co->detach && co->track != BRANCH_TRACK_UNSET)
		die("'%s' cannot be used with '%s'", "--detach", "-t");
	if (co->arg && !co->has_commit)
		die("Cannot switch branch to a non-commit '%s'", co->arg);
}

static const char *operation_word(unsigned operations, const char **quit)
{
	static const struct {
		unsigned bit;
		const char *word, *quit;
	} words[] = {
		{ OP_MERGE, "merging", "git merge --quit" },
		{ OP_AM, "in the middle of an am session", "git am --quit" },
		{ OP_REBASE | OP_REBASE_INTERACTIVE, "rebasing", "git rebase --quit" },
		{ OP_CHERRY_PICK, "cherry-picking", "git cherry-pick --quit" },
		{ OP_REVERT, "reverting", "git revert --quit" },
		{ OP_BISECT, "bisecting", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (operations & words[i].bit) {
			*quit = words[i].quit;
			return words[i].word;
		}
	return NULL;
}

static unsigned operations(const struct checkout *co)
{
	struct err err = ERR_INIT;
	struct status s;
	unsigned found;

	status_init(&s);
	if (status_collect_state(&s, co->r, &err) < 0)
		die_err(&err);
	found = s.operations;
	status_release(&s);
	return found;
}

/* switch leaves no operation behind; checkout goes on. */
static void check_operations(const struct checkout *co)
{
	const char *quit = NULL, *word;

	if (co->command != SWITCH || co->ignore_other)
		return;
	word = operation_word(operations(co), &quit);
	if (word && quit)
		die("cannot switch branch while %s\nConsider \"%s\" or \"git worktree add\".", word,
		    quit);
	if (word)
		warning("you are switching branch while %s", word);
}

static NORETURN void die_of_kind(struct checkout *co)
{
	struct strbuf advice = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct object_id oid;
	char *ref = NULL;
	const char *what = "commit ", *name = co->arg;

	if (revparse_ref(co->r, co->arg, strlen(co->arg), &ref, &oid, NULL) == 1) {
		name = ref;
		what = skip_prefix(ref, "refs/tags/", &name) ? "tag " :
		       skip_prefix(ref, "refs/remotes/", &name) ? "remote branch " : "";
	}
	if (advice_enabled(co->r, "suggestDetachingHead"))
		strbuf_addstr(&advice, "If you want to detach HEAD at the commit, try again with the --detach option.");
	(void)err_set(&err, ERR_INVALID, "a branch is expected, got %s'%s'", what, name);
	free(ref);
	die_advised(&err, &advice);
}

static void check_detaching(struct checkout *co)
{
	if (co->command != SWITCH || co->detach || co->branch || co->new_branch || co->reset_branch ||
	    co->orphan)
		return;
	if (!co->arg)
		die("missing branch or commit argument");
	die_of_kind(co);
}

/* Is the branch to which HEAD will point in use elsewhere? */
static void check_other_worktrees(const struct checkout *co, const char *ref)
{
	struct worktree *list;
	const char *other = NULL;

	if (co->ignore_other || (co->old_branch && !strcmp(ref, co->old_branch)))
		return;
	list = worktrees_or_die(co->r);
	for (struct worktree *w = list, *next; w && !other; w = next) {
		next = w->next;
		w->next = NULL; /* each alone: the current one may have it, too */
		if (!w->is_current && !w->is_bare && worktrees_find_branch(w, ref))
			other = w->path;
		w->next = next;
	}
	if (other)
		die("'%s' is already used by worktree at '%s'", ref + strlen("refs/heads/"), other);
	worktrees_free(list);
}

/* -b, -B, --orphan: HEAD will name that branch. */
static void check_created(struct checkout *co)
{
	const char *name = co->new_branch ? co->new_branch : co->reset_branch ? co->reset_branch :
			   co->orphan;
	struct strbuf ref = STRBUF_INIT, advice = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool exists = false;

	if (!name)
		return;
	if (branch_check_name(co->r, name, &ref, &exists, &advice, &err) < 0)
		die_advised(&err, &advice);
	if (exists && !co->reset_branch)
		die("a branch named '%s' already exists", ref.buf + strlen("refs/heads/"));
	free(co->branch);
	co->branch = strbuf_detach(&ref, NULL);
}

/* Where nothing is named: HEAD. */
static void default_to_head(struct checkout *co)
{
	struct err err = ERR_INIT;

	if (co->orphan && co->command == SWITCH) {
		co->tree = co->r->algo->empty_tree;
		co->has_tree = true;
		return;
	}
	if (co->arg || co->unborn)
		return;
	co->commit = co->old_commit;
	co->has_commit = co->has_tree = true;
	if (object_peel(odb_source(co->r->odb), &co->commit, OBJ_TREE, &co->tree, NULL, &err) < 0)
		die_err(&err);
}

static void check_recursing(const struct checkout *co)
{
	if (co->recurse)
		refuse_submodules(co->r, co->has_tree ? &co->tree : NULL, "--recurse-submodules");
}

static int move(struct checkout *co)
{
	check_created(co);
	check_move_options(co);
	check_operations(co);
	check_detaching(co);
	if (co->branch)
		check_other_worktrees(co, co->branch);
	default_to_head(co);
	check_recursing(co);
	if (co->unborn && !co->has_tree && (co->broken || (!co->new_branch && !co->reset_branch && !co->orphan)))
		die("You are on a branch yet to be born");
	return checkout_move(co);
}

/* ---- paths ---- */

static void check_path_options(const struct checkout *co, const char **paths)
{
	if (co->track != BRANCH_TRACK_UNSET)
		die("'%s' cannot be used with updating paths", "--track");
	if (co->reflog)
		die("'%s' cannot be used with updating paths", "-l");
	if (co->detach)
		die("git checkout: --detach does not take a path argument '%s'",
		    paths[0] ? paths[0] : "");
	if (co->ignore_unmerged && co->merge)
		die("options '%s' and '%s' cannot be used together", "--ignore-unmerged", "-m");
	if (co->has_tree && (co->ours || co->merge))
		die("'%s', '%s', or '%s' cannot be used when checking out of a tree", "--merge", "--ours",
		    "--theirs");
	if (!co->has_tree && (co->ours != 0) + (co->force != 0) + (co->merge != 0) > 1)
		die("git %s: --ours/--theirs, --force and --merge are incompatible when\n"
		    "checking out of the index.", co->command == RESTORE ? "restore" : "checkout");
}

static void check_new_branch_with_paths(const struct checkout *co, const char **paths)
{
	const char *name = co->new_branch ? co->new_branch : co->reset_branch ? co->reset_branch :
			   co->orphan;

	if (!name)
		return;
	if (paths[0] && !paths[1] && !co->has_tree)
		die("'%s' is not a commit and a branch '%s' cannot be created from it", paths[0], name);
	die("Cannot update paths and switch to branch '%s' at the same time.", name);
}

static bool has_paths(const struct checkout *co, const char **paths)
{
	return paths[0] || co->pathspec_args.file || co->patch;
}

/* Options that do not go with --patch, which has no use for conflicts and files that name paths. */
static void check_patch_options(const struct checkout *co)
{
	if (!co->patch)
		return;
	if (co->merge)
		die("options '%s' and '%s' cannot be used together", "--merge", "--patch");
	if (co->pathspec_args.file)
		die("options '%s' and '%s' cannot be used together", "--pathspec-from-file", "--patch");
	if (co->detach || co->force || co->ignore_unmerged)
		die("'%s' cannot be used with updating paths", co->detach ? "--detach" : co->force ? "--force" : "--ignore-unmerged");
}

int cmd_checkout(int argc, const char **argv, struct command_ctx *ctx)
{
	struct checkout co;
	const char **paths;
	int rc;

	begin(&co, ctx, CHECKOUT);
	co.only_new_branch = argc == 3 && !strcmp(argv[1], "-b");
	parse_checkout(&co, argc, argv);
	check_options(&co);
	find_head(&co);
	name_after_tracked(&co, argv[0]);
	paths = checkout_find_start(&co, argv);
	co.count = !co.quiet && (paths == argv || strcmp(paths[-1], "--"));
	if (has_paths(&co, paths)) {
		check_new_branch_with_paths(&co, paths);
		check_patch_options(&co);
		check_path_options(&co, paths);
		co.overlay = co.overlay != 0;
		check_recursing(&co);
		rc = co.patch ? checkout_hunks(&co, paths) : checkout_paths(&co, paths);
	} else {
		rc = move(&co);
	}
	return end(&co, rc);
}

int command_checkout_in(struct command_ctx *ctx, struct repo_operation *op, const char *name, bool quiet)
{
	const char *argv[] = { "checkout", "--ignore-other-worktrees", name, "--", NULL };
	struct checkout co;

	begin(&co, ctx, CHECKOUT);
	parse_checkout(&co, 4, argv);
	co.quiet = quiet;
	co.op = op;
	check_options(&co);
	find_head(&co);
	(void)checkout_find_start(&co, argv);
	return end(&co, move(&co));
}

int cmd_switch(int argc, const char **argv, struct command_ctx *ctx)
{
	struct checkout co;
	const char **rest;

	begin(&co, ctx, SWITCH);
	parse_switch(&co, argc, argv);
	check_options(&co);
	find_head(&co);
	name_after_tracked(&co, argv[0]);
	rest = checkout_find_start(&co, argv);
	if (rest[0] && !co.arg)
		die("invalid reference: %s", rest[0]);
	if (rest[0])
		die("only one reference expected");
	return end(&co, move(&co));
}

static void find_source(struct checkout *co)
{
	struct object_id source;

	if (co->staged < 0 && co->worktree < 0)
		co->worktree = 1;
	co->staged = co->staged > 0;
	co->worktree = co->worktree > 0;
	if (!co->staged && !co->worktree)
		die("neither '%s' nor '%s' is specified", "--staged", "--worktree");
	if (!co->source && co->staged)
		co->source = "HEAD";
	if (!co->source)
		return;
	if ((co->unborn && !strcmp(co->source, "HEAD")) || revparse_oid(co->r, co->source, &source, NULL) < 0)
		die("could not resolve '%s'", co->source);
	if (revparse_tree(co->r, co->source, &co->tree, NULL) < 0)
		die("unable to read tree (%s)", oid_hex(&source));
	co->has_commit = !revparse_commit(co->r, co->source, &co->commit, NULL);
	co->has_tree = true;
	co->arg = co->source;
}

int cmd_restore(int argc, const char **argv, struct command_ctx *ctx)
{
	struct checkout co;

	begin(&co, ctx, RESTORE);
	parse_restore(&co, argc, argv);
	check_options(&co);
	find_head(&co);
	if (!argv[0] && !co.pathspec_args.file && !co.patch)
		die("you must specify path(s) to restore");
	find_source(&co);
	check_patch_options(&co);
	check_path_options(&co, argv);
	check_recursing(&co);
	co.overlay = co.overlay > 0;
	return end(&co, co.patch ? checkout_hunks(&co, argv) : checkout_paths(&co, argv));
}
