/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-rebase(1): commits with the hook that git commit runs before them. It finds index and files of the commit, and the one
 * before it as HEAD.
 */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "cli/pick-hooks.h"
#include "repo/hook.h"
#include "util/alloc.h"

/* If the rebase is killed in between, --continue commits the staged pick. */
static int show_commit(struct rebase_run *run, const struct rebase_new *n, struct err *err)
{
	struct rebase_stop stop = { .tree = *n->tree, .has_message = true, .has_merge_msg = true };
	int rc;

	strbuf_addbuf(&stop.message, n->message);
	strbuf_addbuf(&stop.merge_msg, n->message);
	author_script_format(&stop.author_script, n->author, strlen(n->author));
	if (n->amends)
		stop.amend = run->now.head;
	else if (n->nr_parents > 1)
		stop.merge_head = n->parents[1];
	else if (n->picked && !run->reverts)
		stop.pick_head = n->picked->oid;
	rc = rebase_publish(run, &stop, false, err);
	run->base_tree = stop.tree;
	rebase_stop_release(&stop);
	return rc ? rc : rebase_run_begin_op(run, err);
}

static int ask_hook(struct rebase_run *run, const struct rebase_new *n, struct err *err)
{
	int rc;

	if (!repo_has_hook(run->r, "prepare-commit-msg"))
		return 0;
	rc = show_commit(run, n, err);
	if (!rc)
		rc = pick_prepare_message(run->r, n->message, err);
	run->hook_refused = rc == ERR_ABORTED;
	return rc;
}

static void note_commit(struct rebase_run *run, const struct object_id *before, bool amends)
{
	run->has_new_commit = true;
	if (!amends)
		return;
	strbuf_addf(&run->amended, "%s ", oid_hex(before));
	strbuf_addf(&run->amended, "%s\n", oid_hex(&run->now.head));
}

int rebase_run_commit(struct rebase_run *run, const struct rebase_new *n, struct err *err)
{
	const struct object_id before = run->now.head;
	int rc = ask_hook(run, n, err);

	if (!rc && n->picked)
		pick_clean_message(n->message, run->c->cleanup, run->c->state.signoff, run->c->comment_char);
	if (!rc)
		rc = rebase_run_commit_without_hooks(run, n, err);
	if (!rc)
		note_commit(run, &before, n->amends);
	return rc;
}
