/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge(1): the story. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "builtin/merge/merge-cmd.h"
#include "history/merge-heads.h"
#include "porcelain/head.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/string-list.h"

/* ---- where we are ---- */

static int read_head(struct merge_cmd *m, struct err *err)
{
	int rc = head_read(m->r, &m->head, &m->branch, &m->unborn, err);

	if (m->unborn)
		m->head_tree = m->r->algo->empty_tree;
	return rc;
}

static int read_head_commit(struct merge_cmd *m, struct err *err)
{
	int rc = commit_pool_new(&m->pool, m->r, err);

	if (rc || m->unborn)
		return rc;
	m->head_commit = commit_lookup(m->pool, &m->head);
	rc = commit_parse_node(m->pool, m->head_commit, err);
	if (!rc)
		m->head_tree = m->head_commit->tree;
	return rc;
}

static int check_in_progress(struct merge_cmd *m, struct err *err)
{
	const bool advised = advice_enabled(m->r, "resolveConflict");

	if (result_update_refuse_unfinished(m->r, err))
		return ERR_CONFLICT;
	if (repo_state_exists(m->r, STATE_MERGE_HEAD))
		return err_set(err, ERR_CONFLICT, advised ? "You have not concluded your merge (MERGE_HEAD exists).\n"
							    "Please, commit your changes before you merge." :
							    "You have not concluded your merge (MERGE_HEAD exists).");
	if (repo_state_exists(m->r, STATE_CHERRY_PICK_HEAD))
		return err_set(err, ERR_CONFLICT,
			       advised ? "You have not concluded your cherry-pick (CHERRY_PICK_HEAD exists).\n"
					 "Please, commit your changes before you merge." :
					 "You have not concluded your cherry-pick (CHERRY_PICK_HEAD exists).");
	return 0;
}

static bool is_quiet(const struct merge_cmd *m)
{
	return m->o.verbosity < 0;
}

/* ---- fast-forward ---- */

static void tell_range(struct merge_cmd *m, const struct object_id *to)
{
	struct strbuf text = STRBUF_INIT;

	odb_abbrev(m->r->odb, &m->head, m->r->settings.abbrev, &text);
	strbuf_addstr(&text, "..");
	odb_abbrev(m->r->odb, to, m->r->settings.abbrev, &text);
	if (!is_quiet(m))
		printf("Updating %s\n", text.buf);
	fflush(stdout);
	strbuf_release(&text);
}

/* Index and files; the refs are queued by the caller. */
static int move_files(struct merge_cmd *m, const struct commit *to, struct err *err)
{
	int rc = result_update_begin(&m->update, m->op, err);

	m->update.origin = &to->oid;
	if (!rc)
		rc = merge_plan_update(m, &m->head_tree, &to->tree, NULL, err);
	return rc ? rc : result_update_run(&m->update, err);
}

static int fast_forward(struct merge_cmd *m, struct err *err)
{
	const char *what = m->have_message ? "Fast-forward (no commit created; -m option ignored)" : "Fast-forward";
	struct commit *to = m->heads.items[0].commit;
	int rc;

	tell_range(m, &to->oid);
	rc = merge_stash_changes(m, err);
	if (!rc)
		rc = move_files(m, to, err);
	if (rc > 0)
		return rc;
	if (rc == ERR_CONFLICT) {
		report_error(err);
		return 1;
	}
	if (!rc)
		rc = merge_queue_orig_head(m, err);
	if (!rc)
		rc = m->o.squash > 0 ? merge_write_state(m, err) : merge_queue_head(m, &to->oid, what, err);
	rc = merge_end_operation(m, rc, err);
	if (rc)
		return rc;
	if (!is_quiet(m))
		puts(what);
	if (m->o.squash > 0)
		puts("Squash commit -- not updating HEAD");
	return merge_after(m, &to->oid, err);
}

/* ---- the first commit ---- */

static int take_over(struct merge_cmd *m, struct err *err)
{
	struct commit *to = m->heads.items[0].commit;
	int rc;

	if (m->heads.nr > 1)
		return err_set(err, ERR_INVALID, "Can merge only exactly one commit into empty head");
	rc = move_files(m, to, err);
	if (!rc)
		rc = merge_queue_head(m, &to->oid, "initial pull", err);
	rc = repo_operation_end(m->op, rc, err);
	m->op = NULL;
	return rc;
}

static int check_unborn(const struct merge_cmd *m, struct err *err)
{
	if (m->o.squash > 0)
		return err_set(err, ERR_INVALID, "Squash commit into empty head not supported yet");
	if (m->o.ff == MERGE_FF_NEVER)
		return err_set(err, ERR_INVALID, "Non-fast-forward commit does not make sense into an empty head");
	return 0;
}

/* ---- a merge ---- */

/* pull.twohead, pull.octopus: strategies where no option names one. */
static int read_default_strategies(struct merge_cmd *m, struct err *err)
{
	const char *names = NULL;
	struct string_list words = STRING_LIST_INIT;
	int rc = m->o.strategies.nr ? 0 :
		config_get_string(m->r->config, m->heads.nr > 1 ? "pull.octopus" : "pull.twohead", &names, err);

	if (names)
		string_list_split(&words, names, " ");
	for (size_t i = 0; i < words.nr; i++)
		if (*words.items[i].string)
			strvec_push(&m->o.strategies, words.items[i].string);
	string_list_clear(&words, NULL);
	return rc < 0 ? rc : merge_check_strategies(m);
}

/* Into m->result; 0: index and files can follow. */
static int merge_in_memory(struct merge_cmd *m, struct err *err)
{
	int rc;

	if (m->in_index) {
		m->strategy = "resolve";
		rc = merge_one_head(m, err);
	} else {
		rc = merge_run_strategy(m, err);
	}
	return rc ? rc : merge_plan_update(m, &m->head_tree, &m->result.tree, &m->result.stages, err);
}

static void name_strategy(struct merge_cmd *m)
{
	m->strategy = m->o.strategies.nr ? m->o.strategies.v[0] : m->heads.nr > 1 ? "octopus" : "ort";
}

static int true_merge(struct merge_cmd *m, struct err *err)
{
	bool trivial = merge_may_be_trivial(m);
	int rc = merge_stash_changes(m, err);

	if (rc)
		return rc;
	name_strategy(m);
	rc = result_update_begin(&m->update, m->op, err);
	if (!rc)
		rc = merge_check_index(m, err);
	if (rc == ERR_CONFLICT && trivial) {
		report_error(err);
		return 2;
	}
	if (!rc && trivial)
		rc = merge_check_trivial(m, err);
	if (!rc && !m->in_index && (m->o.strategies.nr > 1 || merge_has_external_strategy(m)))
		return merge_by_strategies(m, err);
	if (!rc)
		rc = merge_in_memory(m, err);
	/* ERR_ABORTED: a merge driver */
	if (rc == ERR_ABORTED || rc == ERR_CONFLICT || rc > 0)
		return merge_report_failed(m, err);
	if (!rc)
		rc = result_update_run(&m->update, err);
	return rc ? rc : merge_conclude(m, err);
}

/* ---- which kind of merge ---- */

/* For several heads: the best common ancestors of all of them and HEAD. */
static int find_bases(struct merge_cmd *m, struct err *err)
{
	struct commit_list all = COMMIT_LIST_INIT;
	int rc;

	commit_list_add(&all, m->head_commit);
	for (size_t i = 0; i < m->heads.nr; i++)
		commit_list_add(&all, m->heads.items[i].commit);
	rc = all.nr == 2 ? merge_bases(m->pool, m->head_commit, all.items + 1, 1, &m->bases, err) :
			   merge_bases_of_all(m->pool, &all, &m->bases, err);
	commit_list_clear(&all);
	if (!rc && !m->bases.nr && !m->o.allow_unrelated)
		rc = err_set(err, ERR_INVALID, "refusing to merge unrelated histories");
	return rc;
}

static int refuse_divergence(const struct merge_cmd *m, struct err *err)
{
	advise_if_enabled(m->r, "diverging", "Diverging branches can't be fast-forwarded, you need to either:\n\n"
			  "\tgit merge --no-ff\n\nor:\n\n\tgit rebase\n");
	return err_set(err, ERR_INVALID, "Not possible to fast-forward, aborting.");
}

/* A tag that is not in refs/tags/ would be lost with a fast-forward: it was fetched for this merge alone. */
static bool is_throwaway_tag(struct merge_cmd *m, const struct merge_head *h)
{
	struct object_buf buf = OBJECT_BUF_INIT;
	bool yes = false;

	if (oid_eq(&h->named, &h->commit->oid))
		return false;
	if (!odb_read(m->r->odb, &h->named, &buf, NULL) && buf.type == OBJ_TAG) {
		const char *name = buf.size ? strstr(buf.data, "\ntag ") : NULL;
		struct object_id oid;
		char *ref = name ? xstrfmt("refs/tags/%.*s", (int)strcspn(name + 5, "\n"), name + 5) : NULL;

		yes = !ref || ref_resolve(m->r->refs, ref, &oid, NULL, NULL, NULL) || !oid_eq(&oid, &h->named);
		free(ref);
	}
	object_buf_release(&buf);
	return yes;
}

static void choose_ff(struct merge_cmd *m)
{
	for (size_t i = 0; i < m->o.strategies.nr; i++)
		if (!strcmp(m->o.strategies.v[i], "ours") || !strcmp(m->o.strategies.v[i], "subtree"))
			m->o.ff = MERGE_FF_NEVER; /* their result is not the commit */
	for (size_t i = 0; i < m->heads.nr && m->o.ff == MERGE_FF_ALLOW; i++)
		if (is_throwaway_tag(m, &m->heads.items[i]))
			m->o.ff = MERGE_FF_NEVER;
}

static int tell_up_to_date(struct merge_cmd *m)
{
	if (!is_quiet(m))
		printf("Already up to date.%s\n", m->o.squash > 0 ? " (nothing to squash)" : "");
	return 0;
}

static int merge_into_head(struct merge_cmd *m, struct err *err)
{
	int rc = merge_reduce_heads(m, err);

	if (!rc && !m->heads.nr)
		return tell_up_to_date(m);
	if (!rc)
		rc = read_default_strategies(m, err);
	if (!rc)
		rc = merge_prepare_message(m, err);
	if (rc)
		return rc;
	choose_ff(m);
	if (m->o.ff != MERGE_FF_NEVER && m->heads.nr == 1 && m->head_is_ancestor)
		return fast_forward(m, err);
	if (m->o.ff == MERGE_FF_ONLY)
		return refuse_divergence(m, err);
	rc = find_bases(m, err);
	return rc ? rc : true_merge(m, err);
}

/* ---- the command ---- */

static void set_action(struct merge_cmd *m)
{
	const char *env = getenv("GIT_REFLOG_ACTION");
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, env ? env : "merge");
	for (size_t i = 0; !env && i < m->heads.nr; i++)
		strbuf_addf(&text, " %s", merge_head_label(&m->heads.items[i]));
	m->action = strbuf_detach(&text, NULL);
}

static int merge_named(struct merge_cmd *m, int argc, const char **argv, struct err *err)
{
	int rc = merge_check_strategies(m);

	if (!rc)
		rc = refuse_unmerged(m->r, "Merging", err);
	if (!rc)
		rc = check_in_progress(m, err);
	if (!rc)
		rc = read_head_commit(m, err);
	if (!rc && m->unborn)
		rc = check_unborn(m, err);
	if (!rc)
		rc = merge_find_heads(m, argc, argv, err);
	if (!rc)
		rc = merge_verify_signatures(m, err);
	if (rc)
		return rc;
	set_action(m);
	m->op = repo_operation_begin(m->r);
	return m->unborn ? take_over(m, err) : merge_into_head(m, err);
}

static void end_operation(struct merge_cmd *m)
{
	if (!m->op)
		return;
	repo_operation_abort(m->op);
	repo_operation_free(m->op);
	m->op = NULL;
}

static void release(struct merge_cmd *m)
{
	end_operation(m);
	result_update_release(&m->update);
	if (m->has_result)
		merge_result_release(&m->result);
	merge_heads_clear(&m->heads);
	commit_list_clear(&m->bases);
	commit_pool_free(m->pool);
	strbuf_release(&m->message);
	strvec_clear(&m->rerere_messages);
	strvec_clear(&m->o.messages);
	strvec_clear(&m->o.strategies);
	strvec_clear(&m->o.strategy_options);
	strvec_clear(&m->o.branch_words);
	free(m->action);
	free(m->branch);
}

int cmd_merge(int argc, const char **argv, struct command_ctx *ctx)
{
	struct merge_cmd m = { .r = ctx->repo, .prefix = ctx->prefix, .message = STRBUF_INIT };
	struct err err = ERR_INIT;
	int rc = 0;

	strvec_init(&m.rerere_messages);
	strvec_init(&m.o.messages);
	strvec_init(&m.o.strategies);
	strvec_init(&m.o.strategy_options);
	if (m.r)
		rc = read_head(&m, &err);
	argc = merge_parse_options(&m, argc, argv);
	if (!rc && m.o.mode != MERGE_MODE_MERGE) {
		rc = merge_resume(&m, ctx);
		release(&m);
		return rc;
	}
	if (!rc)
		rc = merge_named(&m, argc, argv, &err);
	if (rc < 0)
		rc = report_fatal(&err);
	err_release(&err);
	rc = merge_unstash_changes(&m, rc);
	release(&m);
	return rc ? rc : finish_stdout();
}
