/* SPDX-License-Identifier: GPL-2.0-only */
/* "add" of git-worktree(1): what the new worktree will have checked out; porcelain/linked-add.h makes it. */
#include "compat/posix.h"
#include "builtin/branch/branch.h"
#include "builtin/linked/linked.h"
#include "history/names/revparse.h"
#include "porcelain/head.h"
#include "porcelain/linked-add.h"
#include "repo/hook.h"
#include "repo/remotes.h"
#include "util/alloc.h"
#include "util/path.h"

struct adding {
	struct repository *r;
	int force, detach, checkout, orphan, lock, quiet, guess, relative;
	const char *new_branch, *reset_branch, *reason;
	enum branch_track track;
	bool track_given;
	const char *given; /* the path, as the user has it */
	char *path, *start, *dwim; /* dwim: the branch that is named after the path */
	struct worktree *list;
	struct strbuf ref;
	struct linked_add_options o;
};

/* ---- what the command line asks for ---- */

static int parse_track(const struct option *opt, const char *arg UNUSED, int unset)
{
	struct adding *a = opt->value;

	a->track = unset ? BRANCH_TRACK_NEVER : BRANCH_TRACK_EXPLICIT;
	a->track_given = true;
	return 0;
}

static void check_options(const struct adding *a, bool has_start)
{
	if ((a->detach > 0) + (a->new_branch != NULL) + (a->reset_branch != NULL) > 1)
		die("options '%s', '%s', and '%s' cannot be used together", "-b", "-B", "--detach");
	if (a->detach > 0 && a->orphan)
		die("options '%s' and '%s' cannot be used together", "--orphan", "--detach");
	if (a->orphan && a->track_given)
		die("options '%s' and '%s' cannot be used together", "--orphan", "--track");
	if (a->orphan && !a->checkout)
		die("options '%s' and '%s' cannot be used together", "--orphan", "--no-checkout");
	if (a->orphan && has_start)
		die("option '%s' and commit-ish cannot be used together", "--orphan");
	if (a->reason && !a->lock)
		die("the option '%s' requires '%s'", "--reason", "--lock");
}

/* ---- what to check out ---- */

static bool names_commit(struct adding *a, const char *name)
{
	return !revparse_commit(a->r, name, &a->o.commit, NULL);
}

static bool is_local_branch(struct adding *a, const char *name, struct object_id *oid)
{
	bool valid = false;
	struct err err = ERR_INIT;

	strbuf_reset(&a->ref);
	if (branch_full_name(a->r, name, &a->ref, &valid, &err) < 0)
		err_release(&err);
	return valid && !ref_resolve(a->r->refs, a->ref.buf, oid, NULL, NULL, NULL);
}

static char *unique_remote_branch(struct adding *a, const char *name)
{
	struct err err = ERR_INIT;
	char *ref = NULL;
	size_t nr;

	if (branch_guess_remote(a->r, name, &ref, &nr, &err) < 0)
		die_err(&err);
	return ref;
}

static int any_ref(void *data, const struct ref *ref UNUSED)
{
	*(bool *)data = true;
	return 1;
}

static bool has_refs_below(struct adding *a, const char *prefix)
{
	struct err err = ERR_INIT;
	bool found = false;

	if (refs_foreach(a->r->refs, prefix, REFS_NO_PEEL, any_ref, &found, &err) < 0)
		die_err(&err);
	return found;
}

static bool has_remotes(struct repository *r)
{
	struct remotes *all = NULL;
	struct err err = ERR_INIT;

	if (repo_remotes(r, &all, &err) < 0)
		die_err(&err);
	return remotes_nr(all) > 0;
}

/* There is nothing to begin from: an unborn branch is meant, unless a fetch could bring something. */
static bool means_orphan(struct adding *a)
{
	/* A branch that is named is not guessed. */
	const bool guess = a->guess > 0 && a->new_branch == a->dwim && !a->reset_branch;

	if (has_refs_below(a, "refs/heads/") || (guess && has_refs_below(a, "refs/remotes/")))
		return false;
	if (guess && !a->force && has_remotes(a->r))
		die("No local or remote refs exist despite at least one remote\n"
		    "present, stopping; use 'add -f' to override or fetch a remote first");
	fprintf(stderr, "No possible source branch, inferring '--orphan'\n");
	return true;
}

/* Without a commit and a branch: the branch that has the name of the directory, there or new. */
static void name_after_path(struct adding *a)
{
	struct object_id oid;
	const char *name = path_basename(a->path);
	char *guess;

	a->dwim = xstrdup(name);
	if (is_local_branch(a, name, &oid)) {
		a->start = xstrdup(name);
		return;
	}
	a->new_branch = a->dwim;
	guess = a->guess > 0 ? unique_remote_branch(a, name) : NULL;
	if (guess)
		a->start = guess;
}

static NORETURN void die_of_reference(struct adding *a, const char *name, bool given)
{
	const char *branch = a->reset_branch ? a->reset_branch : a->new_branch != a->dwim ? a->new_branch : NULL;
	const char *option = branch ? "-b " : "", *space = branch ? " " : "";

	if (!strcmp(name, "HEAD") && !a->quiet && has_refs_below(a, "refs/heads/"))
		warning("HEAD points to an invalid (or orphaned) reference.\n");
	if (!given && !a->quiet)
		advise_if_enabled(a->r, "worktreeAddOrphan",
				  "If you meant to create a worktree containing a new unborn branch\n"
				  "(branch with no commits) for this repository, you can do so\n"
				  "using the --orphan flag:\n\n    git worktree add --orphan %s%s%s%s\n",
				  option, branch ? branch : "", space, a->given);
	die("invalid reference: %s", name);
}

/* The commit that was named, or HEAD; a branch of a remote becomes one of ours. */
static void find_start(struct adding *a, const char *given)
{
	char *guess;

	if (given)
		a->start = xstrdup(strcmp(given, "-") ? given : "@{-1}");
	else if (!a->new_branch && !a->reset_branch && a->detach <= 0 && !a->orphan)
		name_after_path(a);
	if (!a->start)
		a->start = xstrdup("HEAD");
	if (a->orphan || names_commit(a, a->start))
		return;
	if (given && !a->new_branch && !a->reset_branch && a->detach <= 0) {
		guess = unique_remote_branch(a, given);
		if (guess && names_commit(a, guess)) {
			a->dwim = a->start;
			a->new_branch = a->dwim;
			a->start = guess;
			return;
		}
		free(guess);
	}
	if (!given && a->detach <= 0 && means_orphan(a))
		a->orphan = 1;
	else
		die_of_reference(a, a->start, given != NULL);
}

/* ---- the branch ---- */

/* A branch that another worktree uses is not moved, nor checked out twice. */
static void refuse_used(const struct adding *a)
{
	const struct worktree *w = worktrees_find_branch(a->list, a->ref.buf);
	const char *branch = a->ref.buf;

	skip_prefix(branch, "refs/heads/", &branch);
	if (w && !a->force)
		die("'%s' is already used by worktree at '%s'", branch, w->path);
}

static void announce(const struct adding *a, const char *what, const char *name, const char *more)
{
	if (!a->quiet)
		fprintf(stderr, "Preparing worktree (%s%s%s)\n", what, name, more);
}

static void announce_reset(struct adding *a, const char *branch)
{
	struct object_id old;
	struct strbuf more = STRBUF_INIT;

	if (!is_local_branch(a, branch, &old)) {
		announce(a, "new branch '", branch, "'");
		return;
	}
	strbuf_addstr(&more, "'; was at ");
	odb_abbrev(a->r->odb, &old, a->r->settings.abbrev, &more);
	announce(a, "resetting branch '", branch, more.buf);
	strbuf_release(&more);
}

/* -b, -B, --orphan, or a branch of a remote. Returns 0, or the exit code after a message. */
static int use_new_branch(struct adding *a)
{
	const char *name = a->new_branch ? a->new_branch : a->reset_branch;
	struct strbuf advice = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct object_id oid;
	bool exists = false;
	int rc;

	if (a->reset_branch && is_local_branch(a, name, &oid))
		refuse_used(a);
	if (a->reset_branch)
		announce_reset(a, name);
	else
		announce(a, "new branch '", name, "'");
	strbuf_reset(&a->ref);
	rc = branch_check_new_name(a->r, name, a->reset_branch && !a->orphan, &a->ref, &exists, &advice, &err);
	if (exists && a->orphan) {
		worktree_claim_path(a->r, a->list, a->path, a->given, a->force, "add");
		refuse_used(a);
	}
	if (rc < 0) {
		(void)report_advised(&err, &advice);
		return a->orphan ? 128 : 255;
	}
	strbuf_release(&advice);
	if (!exists || !a->orphan)
		worktree_claim_path(a->r, a->list, a->path, a->given, a->force, "add");
	a->o.branch = a->ref.buf;
	a->o.new_branch = !a->orphan;
	return 0;
}

/* The worktree is to have no branch, or one that is there. */
static void claim_without_branch(struct adding *a)
{
	if (a->track_given)
		die("--[no-]track can only be used if a new branch is created");
	worktree_claim_path(a->r, a->list, a->path, a->given, a->force, "add");
}

static int use_commit(struct adding *a)
{
	struct strbuf more = STRBUF_INIT;
	struct object_id oid;

	if (a->detach <= 0 && is_local_branch(a, a->start, &oid)) {
		announce(a, "checking out '", a->start, "'");
		claim_without_branch(a);
		refuse_used(a);
		a->o.branch = a->ref.buf;
		a->o.commit = oid;
		return 0;
	}
	strbuf_addstr(&more, "detached HEAD ");
	odb_abbrev(a->r->odb, &a->o.commit, a->r->settings.abbrev, &more);
	announce(a, more.buf, "", "");
	strbuf_release(&more);
	claim_without_branch(a);
	return 0;
}

/* ---- the end ---- */

static int tell_and_run_hook(struct adding *a, struct repository *wt)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *old = xstrdup(oid_hex(&wt->algo->null_oid)), *new = xstrdup(oid_hex(&a->o.commit));
	const char *args[] = { old, new, "1", NULL };
	int rc = 0;

	if (!a->o.no_checkout && !a->orphan) {
		if (!a->quiet && !head_describe_commit(wt, &a->o.commit, &text, &err))
			printf("HEAD is now at %s\n", text.buf);
		fflush(stdout);
		rc = repo_run_hook(wt, "post-checkout", NULL, args, NULL, &err);
		if (rc < 0 && err.msg)
			(void)report_error(&err);
	}
	err_release(&err);
	strbuf_release(&text);
	free(new);
	free(old);
	return rc < 0;
}

static int add(struct adding *a)
{
	struct repository *wt = NULL;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int rc;

	if (a->orphan)
		a->o.commit = a->r->algo->null_oid;
	if (a->lock)
		a->o.lock_reason = a->reason ? a->reason : "added with --lock";
	a->o.path = a->path;
	a->o.start = a->start;
	a->o.track = a->track_given ? a->track : a->r->settings.branch_track;
	a->o.no_checkout = !a->checkout;
	a->o.relative = worktree_wants_relative(a->r, a->relative);
	a->o.start_meter = a->quiet ? NULL : progress_start;
	if (linked_add(a->r, &a->o, &wt, &text, &err) < 0)
		return report_advised(&err, &text);
	if (!a->quiet)
		fputs(text.buf, stdout);
	rc = tell_and_run_hook(a, wt);
	strbuf_release(&text);
	repo_free(wt);
	return rc ? rc : finish_stdout();
}

static int run_add(struct adding *a, const char *given)
{
	int rc;

	a->list = worktrees_read_or_die(a->r);
	find_start(a, given);
	if (a->orphan && !a->new_branch && !a->reset_branch) {
		free(a->dwim);
		a->dwim = xstrdup(path_basename(a->path));
		a->new_branch = a->dwim;
	}
	rc = a->new_branch || a->reset_branch ? use_new_branch(a) : use_commit(a);
	if (!rc)
		rc = add(a);
	worktrees_free(a->list);
	strbuf_release(&a->ref);
	free(a->dwim);
	free(a->start);
	free(a->path);
	return rc;
}

static void parse_guess(struct adding *a)
{
	struct err err = ERR_INIT;
	bool guess = false;

	if (a->guess < 0) {
		if (config_get_bool(a->r->config, "worktree.guessremote", &guess, &err) < 0)
			die_err(&err);
		a->guess = guess;
	}
}

int worktree_cmd_add(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { WORKTREE_USAGE_ADD, NULL };
	struct adding a = { .r = ctx->repo, .checkout = 1, .guess = -1, .relative = -1, .ref = STRBUF_INIT };
	struct option options[] = {
		OPT__FORCE(&a.force, "checkout <branch> even if already checked out in other worktree"),
		OPT_STRING('b', NULL, &a.new_branch, "branch", "create a new branch"),
		OPT_STRING('B', NULL, &a.reset_branch, "branch", "create or reset a branch"),
		OPT_BOOL(0, "orphan", &a.orphan, "create unborn branch"),
		OPT_BOOL('d', "detach", &a.detach, "detach HEAD at named commit"),
		OPT_BOOL(0, "checkout", &a.checkout, "populate the new working tree"),
		OPT_BOOL(0, "lock", &a.lock, "keep the new working tree locked"),
		OPT_STRING(0, "reason", &a.reason, "string", "reason for locking"),
		OPT_BOOL('q', "quiet", &a.quiet, "suppress progress reporting"),
		OPT_CALLBACK_F(0, "track", &a, NULL, "set up tracking mode (see git-branch(1))", PARSE_OPT_NOARG, parse_track),
		OPT_BOOL(0, "guess-remote", &a.guess, "try to match the new branch name with a remote-tracking branch"),
		OPT_WORKTREE_RELATIVE(&a.relative),
		OPT_END()
	};

	argc = parse_options(argc, argv, options, usage, 0);
	check_options(&a, argc > 1);
	if (argc < 1 || argc > 2)
		usage_with_options(usage, options);
	parse_guess(&a);
	a.given = argv[0];
	a.path = worktree_argument_path(ctx, argv[0]);
	return run_add(&a, argc > 1 ? argv[1] : NULL);
}
