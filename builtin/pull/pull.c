/* SPDX-License-Identifier: GPL-2.0-only */
/* git-pull(1): the story. */
#include "compat/posix.h"
#include "builtin/pull/pull-cmd.h"
#include "cli/clean-worktree.h"
#include "cli/git-options.h"
#include "fs/file.h"
#include "history/history.h"
#include "history/merge-heads.h"
#include "history/names/revparse.h"
#include "index/index.h"
#include "porcelain/head.h"
#include "refs/root-refs.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/run-command.h"
#include "worktree/merge-result.h"

#define FETCH_HEAD_MAX ((size_t)64 << 20)

/* ---- before the fetch ---- */

static int check_in_progress(struct pull_cmd *p, struct err *err)
{
	int rc = refuse_unmerged(p->r, "Pulling", err);

	if (!rc)
		rc = result_update_refuse_unfinished(p->r, err);
	if (!rc && repo_state_exists(p->r, STATE_MERGE_HEAD)) {
		error("You have not concluded your merge (MERGE_HEAD exists).");
		if (advice_enabled(p->r, "resolveConflict"))
			advise("Please, commit your changes before merging.");
		return err_set(err, ERR_CONFLICT, "Exiting because of unfinished merge.");
	}
	return rc;
}

static int read_head(struct pull_cmd *p, struct err *err)
{
	free(p->branch);
	p->branch = NULL;
	return head_read(p->r, &p->head, &p->branch, &p->unborn, err);
}

/* "pull --no-rebase origin main", for the reflogs of this process and its children. */
static void set_action(int argc, const char **argv)
{
	struct strbuf text = STRBUF_INIT;

	if (getenv("GIT_REFLOG_ACTION"))
		return;
	for (int i = 0; i < argc; i++)
		strbuf_addf(&text, "%s%s", i ? " " : "", i ? argv[i] : "pull");
	if (setenv("GIT_REFLOG_ACTION", text.buf, 1))
		die("could not set GIT_REFLOG_ACTION");
	strbuf_release(&text);
}

/* ---- the fetch ---- */

static void push_verbosity(const struct pull_cmd *p, struct strvec *args)
{
	for (int i = abs(p->verbosity); i > 0; i--)
		strvec_push(args, p->verbosity > 0 ? "-v" : "-q");
}

static int fetch(struct pull_cmd *p, int argc, const char **argv, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	int rc;

	push_own_command(&cp.args, "fetch");
	strvec_push(&cp.args, "--update-head-ok");
	push_verbosity(p, &cp.args);
	strvec_pushv(&cp.args, p->both.v);
	strvec_pushv(&cp.args, p->fetch_args.v);
	if (p->dry_run)
		strvec_push(&cp.args, "--dry-run");
	if (p->append)
		strvec_push(&cp.args, "--append");
	for (int i = 0; i < argc; i++)
		strvec_push(&cp.args, argv[i]);
	fflush(stdout);
	rc = run_command(&cp, err);
	return rc < 0 ? rc : rc ? 1 : 0;
}

/* ---- what to merge ---- */

static int read_fetch_head(struct pull_cmd *p, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path = repo_path(p->r, REFNAME_FETCH_HEAD), *save = NULL;
	int rc = read_file(&text, path, FETCH_HEAD_MAX, err);

	for (char *line = rc ? NULL : strtok_r(text.buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct object_id oid;
		const char *rest;

		if (!oid_parse_hex(&oid, line, p->r->algo, &rest) && rest[0] == '\t' && rest[1] == '\t')
			oid_array_append(&p->heads, &oid);
	}
	free(path);
	strbuf_release(&text);
	return rc;
}

struct relation {
	bool can_ff;	 /* HEAD is an ancestor of the one head */
	bool up_to_date; /* each head is an ancestor of HEAD */
};

static int add_relation(struct pull_cmd *p, struct commit_pool *pool, const struct object_id *oid, struct relation *rel,
			struct err *err)
{
	struct commit *head = commit_lookup(pool, &p->head), *other;
	struct object_id at;
	int rc = object_peel(odb_source(p->r->odb), oid, OBJ_COMMIT, &at, NULL, err);

	if (rc)
		return rc;
	other = commit_lookup(pool, &at);
	rc = is_ancestor(pool, head, other, err);
	if (rc >= 0) {
		rel->can_ff &= rc > 0;
		rc = is_ancestor(pool, other, head, err);
	}
	if (rc >= 0)
		rel->up_to_date &= rc > 0;
	return rc < 0 ? rc : 0;
}

static int find_relation(struct pull_cmd *p, struct relation *rel, struct err *err)
{
	struct commit_pool *pool = NULL;
	int rc = commit_pool_new(&pool, p->r, err);

	*rel = (struct relation){ p->heads.nr == 1, true };
	for (size_t i = 0; !rc && i < p->heads.nr; i++)
		rc = add_relation(p, pool, &p->heads.oid[i], rel, err);
	commit_pool_free(pool);
	return rc;
}

/* ---- how the branches come together ---- */

static void advise_divergent(void)
{
	advise("You have divergent branches and need to specify how to reconcile them.\n"
	       "You can do so by running one of the following commands sometime before\n"
	       "your next pull:\n\n"
	       "  git config pull.rebase false  # merge\n"
	       "  git config pull.rebase true   # rebase\n"
	       "  git config pull.ff only       # fast-forward only\n\n"
	       "You can replace \"git config\" with \"git config --global\" to set a default\n"
	       "preference for all repositories. You can also pass --rebase, --no-rebase,\n"
	       "or --ff-only on the command line to override the configured default per\n"
	       "invocation.");
}

static int check_divergence(struct pull_cmd *p, const struct relation *rel, struct err *err)
{
	bool divergent = !rel->can_ff && !rel->up_to_date;

	if (p->ff && !strcmp(p->ff, "--ff-only") && divergent) {
		advise_if_enabled(p->r, "diverging", "Diverging branches can't be fast-forwarded, you need to either:\n\n"
				  "\tgit merge --no-ff\n\nor:\n\n\tgit rebase\n");
		return err_set(err, ERR_INVALID, "Not possible to fast-forward, aborting.");
	}
	if (p->rebase == REBASE_UNSET && !p->ff && divergent) {
		advise_divergent();
		return err_set(err, ERR_INVALID, "Need to specify how to reconcile divergent branches.");
	}
	return 0;
}

static bool rebases(const struct pull_cmd *p)
{
	return p->rebase > REBASE_FALSE;
}

static int merge(struct pull_cmd *p)
{
	struct strvec args = STRVEC_INIT;
	const char **argv;
	int rc;

	strvec_push(&args, "merge");
	push_verbosity(p, &args);
	strvec_pushv(&args, p->both.v);
	strvec_pushv(&args, p->merge_args.v);
	if (p->autostash >= 0)
		strvec_push(&args, p->autostash ? "--autostash" : "--no-autostash");
	if (rebases(p))
		strvec_push(&args, "--ff-only");
	else if (p->ff)
		strvec_push(&args, p->ff);
	strvec_push(&args, REFNAME_FETCH_HEAD);
	argv = xcalloc(args.nr + 1, sizeof(*argv));
	memcpy(argv, args.v, args.nr * sizeof(*argv));
	rc = cmd_merge((int)args.nr, argv, p->ctx);
	free(argv);
	strvec_clear(&args);
	return rc;
}

/* ---- rebasing ---- */

/* Which options for a merge hold for a rebase as well. */
static bool is_for_rebase(const char *option)
{
	static const char *const all[] = { "-n", "--stat", "--no-stat", "--strategy", "--gpg-sign", "--no-gpg-sign", "--signoff",
					   "--no-signoff" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (starts_with(option, all[i]))
			return true;
	return false;
}

/*
 * Where the branch left the one that was fetched, if that has been rewritten since: what its remote-tracking branch was then.
 */
static void find_fork_point(struct pull_cmd *p, struct object_id *out)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	struct commit_pool *pool = NULL;
	struct commit *head, *other, *found = NULL;
	const char *branch = p->branch;
	char *upstream = NULL;

	*out = p->r->algo->null_oid;
	if (!branch || !skip_prefix(branch, "refs/heads/", &branch) || branch_upstream(p->r, branch, &upstream, NULL) < 0 ||
	    !upstream || commit_pool_new(&pool, p->r, NULL))
		goto out;
	head = commit_lookup(pool, &p->head);
	other = commit_lookup(pool, &p->heads.oid[0]);
	if (commit_parse_node(pool, head, NULL) || fork_point_of(pool, p->r, upstream, head, &found, NULL) || !found)
		goto out;
	/* The usual case: nothing has been rewritten. */
	if (!merge_bases(pool, head, &other, 1, &bases, NULL) && !(bases.nr == 1 && bases.items[0] == found))
		*out = found->oid;
out:
	commit_list_clear(&bases);
	commit_pool_free(pool);
	free(upstream);
}

static int rebase(struct pull_cmd *p)
{
	struct strvec args = STRVEC_INIT;
	struct object_id fork;
	char onto[HASH_MAX_HEX + 1], from[HASH_MAX_HEX + 1];
	const char **argv;
	int rc;

	find_fork_point(p, &fork);
	oid_to_hex_r(onto, &p->heads.oid[0]);
	oid_to_hex_r(from, oid_is_null(&fork) ? &p->heads.oid[0] : &fork);
	strvec_push(&args, "rebase");
	push_verbosity(p, &args);
	if (p->rebase == REBASE_MERGES)
		strvec_push(&args, "--rebase-merges");
	if (p->rebase == REBASE_INTERACTIVE)
		strvec_push(&args, "--interactive");
	for (size_t i = 0; i < p->merge_args.nr; i++)
		if (is_for_rebase(p->merge_args.v[i]))
			strvec_push(&args, p->merge_args.v[i]);
	if (p->autostash >= 0)
		strvec_push(&args, p->autostash ? "--autostash" : "--no-autostash");
	strvec_pushl(&args, "--onto", onto, from, NULL);
	argv = xcalloc(args.nr + 1, sizeof(*argv));
	memcpy(argv, args.v, args.nr * sizeof(*argv));
	rc = cmd_rebase((int)args.nr, argv, p->ctx);
	free(argv);
	strvec_clear(&args);
	return rc;
}

/* > 0: an exit code. */
static int bring_together(struct pull_cmd *p, struct err *err)
{
	struct relation rel;
	int rc;

	if (p->unborn && p->heads.nr > 1)
		return err_set(err, ERR_INVALID, "Cannot merge multiple branches into empty head.");
	if (p->unborn)
		return merge(p);
	if (rebases(p) && p->heads.nr > 1)
		return err_set(err, ERR_INVALID, "Cannot rebase onto multiple branches.");
	rc = find_relation(p, &rel, err);
	if (!rc)
		rc = check_divergence(p, &rel, err);
	if (rc)
		return rc;
	return rebases(p) && !rel.can_ff ? rebase(p) : merge(p);
}

/* ---- the command ---- */

/* Before anything is fetched. */
static int check_clean(struct pull_cmd *p, struct err *err)
{
	bool autostash = p->autostash > 0;
	int rc;

	if (!rebases(p))
		return 0;
	rc = read_head(p, err);
	if (!rc && p->unborn)
		return file_exists(p->r->index_path) ?
			err_set(err, ERR_CONFLICT, "Updating an unborn branch with changes added to the index.") : 0;
	if (!rc && p->autostash < 0)
		rc = config_get_bool(p->r->config, "rebase.autostash", &autostash, err);
	if (rc < 0 || autostash)
		return rc < 0 ? rc : 0;
	rc = require_clean_worktree(p->r, &p->head, "pull with rebase", err);
	return rc > 0 ? 128 : rc;
}

static int pull(struct pull_cmd *p, int argc, const char **argv, struct err *err)
{
	int rc = check_in_progress(p, err);

	if (!rc)
		rc = check_clean(p, err);
	if (!rc)
		rc = fetch(p, argc, argv, err);
	if (rc || p->dry_run)
		return rc;
	rc = read_head(p, err);
	if (!rc)
		rc = read_fetch_head(p, err);
	if (!rc && !p->heads.nr)
		return pull_explain_no_candidates(p, argc, argv);
	return rc ? rc : bring_together(p, err);
}

int cmd_pull(int argc, const char **argv, struct command_ctx *ctx)
{
	struct pull_cmd p = { .r = ctx->repo, .ctx = ctx, .both = STRVEC_INIT, .merge_args = STRVEC_INIT,
			      .fetch_args = STRVEC_INIT, .rebase = REBASE_UNSET, .autostash = -1 };
	struct err err = ERR_INIT;
	int rc;

	if (ctx->repo)
		set_action(argc, argv);
	argc = pull_parse_options(&p, argc, argv);
	rc = read_head(&p, &err);
	if (!rc) {
		pull_read_config(&p);
		rc = pull(&p, argc, argv, &err);
	}
	if (rc < 0)
		rc = report_fatal(&err);
	err_release(&err);
	oid_array_clear(&p.heads);
	strvec_clear(&p.both);
	strvec_clear(&p.merge_args);
	strvec_clear(&p.fetch_args);
	free(p.branch);
	return rc ? rc : finish_stdout();
}
