/* SPDX-License-Identifier: GPL-2.0-only */
/* git-pull(1): why there is nothing to merge. */
#include "compat/posix.h"
#include "builtin/pull/pull-cmd.h"
#include "history/names/revparse.h"
#include "repo/remotes.h"
#include "util/alloc.h"

static const char *verb_of(const struct pull_cmd *p)
{
	return p->rebase > REBASE_FALSE ? "rebase against" : "merge with";
}

static void ask_for_branch(const struct pull_cmd *p)
{
	fprintf(stderr, "Please specify which branch you want to %s.\nSee git-pull(1) for details.\n\n"
		"    git pull <remote> <branch>\n\n", verb_of(p));
}

/* The only remote there is, or "<remote>". */
static char *remote_to_follow(const struct pull_cmd *p)
{
	struct remotes *rs = NULL;
	char *name;

	if (!repo_remotes(p->r, &rs, NULL) && remotes_nr(rs) == 1)
		name = xstrdup(remotes_at(rs, 0)->name);
	else
		name = xstrdup("<remote>");
	return name;
}

static void explain_tracking(const struct pull_cmd *p, const char *branch)
{
	char *remote = remote_to_follow(p);

	fputs("There is no tracking information for the current branch.\n", stderr);
	ask_for_branch(p);
	fprintf(stderr, "If you wish to set tracking information for this branch you can do so with:\n\n"
		"    git branch --set-upstream-to=%s/<branch> %s\n\n", remote, branch);
	free(remote);
}

static void explain_refspecs(const struct pull_cmd *p)
{
	fprintf(stderr, "There %s among the refs that you just fetched.\n"
		"Generally this means that you provided a wildcard refspec which had no\nmatches on the remote end.\n",
		p->rebase > REBASE_FALSE ? "is no candidate for rebasing against" : "are no candidates for merging");
}

int pull_explain_no_candidates(const struct pull_cmd *p, int argc, const char **argv)
{
	const char *branch = p->branch, *remote, *repo = argc ? argv[0] : NULL;
	char *ref;

	if (argc > 1) {
		explain_refspecs(p);
		return 1;
	}
	if (!branch || !skip_prefix(branch, "refs/heads/", &branch)) {
		fputs("You are not currently on a branch.\n", stderr);
		ask_for_branch(p);
		return 1;
	}
	remote = branch_remote_name(p->r, branch, false);
	ref = branch_remote_ref(p->r, branch, false);
	if (repo && (!remote || strcmp(repo, remote)))
		fprintf(stderr, "You asked to pull from the remote '%s', but did not specify\n"
			"a branch. Because this is not the default configured remote\n"
			"for your current branch, you must specify a branch on the command line.\n", repo);
	else if (!ref)
		explain_tracking(p, branch);
	else
		fprintf(stderr, "Your configuration specifies to merge with the ref '%s'\n"
			"from the remote, but no such ref was fetched.\n", ref);
	free(ref);
	return 1;
}
