/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge(1): the commit, or the state of a merge that stops before it; and what comes after. */
#include "compat/posix.h"
#include "builtin/merge/merge-cmd.h"
#include "cli/edit-text.h"
#include "cli/rename-limit.h"
#include "cli/submodule-conflicts.h"
#include "cli/utf8-warning.h"
#include "commit/commit.h"
#include "diff/diff.h"
#include "fs/file.h"
#include "porcelain/auto-maintenance.h"
#include "porcelain/merge-message.h"
#include "refs/root-refs.h"
#include "repo/hook.h"
#include "repo/ident.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "worktree/diff-attr.h"
#include "worktree/rerere.h"

/* ---- refs ---- */

int merge_queue_orig_head(struct merge_cmd *m, struct err *err)
{
	struct ref_transaction *t = repo_operation_refs(m->op);
	int rc = t ? 0 : repo_operation_begin_refs(m->op, 0, &t, err);

	return rc ? rc : ref_transaction_update(t, REFNAME_ORIG_HEAD, &m->head, NULL, 0, "updating ORIG_HEAD", err);
}

static int committer_of(struct merge_cmd *m, struct strbuf *out, struct err *err)
{
	return repo_ident(m->r, out, IDENT_COMMITTER, err);
}

int merge_queue_head(struct merge_cmd *m, const struct object_id *to, const char *what, struct err *err)
{
	struct strbuf log = STRBUF_INIT, committer = STRBUF_INIT;
	struct head_move move = { .to = to, .from = m->unborn ? &m->r->algo->null_oid : &m->head };
	int rc = committer_of(m, &committer, err);

	strbuf_addf(&log, m->unborn ? "%s%s" : "%s: %s", m->unborn ? "" : m->action, what);
	move.committer = committer.buf;
	move.reflog = log.buf;
	if (!rc)
		rc = commit_advance_head(m->op, &move, NULL, err);
	strbuf_release(&log);
	strbuf_release(&committer);
	return rc;
}

/* ---- state files ---- */

static int write_merge_heads(struct merge_cmd *m, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *mode = m->o.ff == MERGE_FF_NEVER ? "no-ff" : "";
	int rc;

	for (size_t i = 0; i < m->heads.nr; i++)
		strbuf_addf(&text, "%s\n", oid_hex(&m->heads.items[i].named));
	rc = repo_operation_write_state(m->op, STATE_MERGE_HEAD, text.buf, text.len, err);
	if (!rc)
		rc = repo_operation_write_state(m->op, STATE_MERGE_MODE, mode, strlen(mode), err);
	strbuf_release(&text);
	return rc;
}

static int write_message(struct merge_cmd *m, const struct strbuf *text, struct err *err)
{
	return repo_operation_write_state(m->op, STATE_MERGE_MSG, text->buf, text->len, err);
}

static bool leaves_auto_merge(const struct merge_cmd *m)
{
	return !m->external && strcmp(m->strategy, "resolve") && strcmp(m->strategy, "octopus") && strcmp(m->strategy, "ours");
}

/* The tree with conflict markers: what `git diff AUTO_MERGE` compares with. */
static int write_auto_merge(struct merge_cmd *m, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_addf(&text, "%s\n", oid_hex(&m->result.tree));
	rc = repo_operation_write_state(m->op, STATE_AUTO_MERGE, text.buf, text.len, err);
	strbuf_release(&text);
	return rc;
}

static int write_squash_state(struct merge_cmd *m, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = merge_squash_message(m, &text, err);

	if (!rc)
		rc = repo_operation_write_state(m->op, STATE_SQUASH_MSG, text.buf, text.len, err);
	strbuf_release(&text);
	return rc;
}

int merge_write_state(struct merge_cmd *m, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	bool conflicts = m->has_result && !m->result.clean;
	int rc = m->o.squash > 0 ? write_squash_state(m, err) : write_merge_heads(m, err);

	if (m->o.squash <= 0)
		strbuf_addbuf(&text, &m->message);
	if (conflicts)
		merge_message_add_conflicts(&text, &m->result.stages, m->cleanup == CLEANUP_SCISSORS, m->comment_char);
	if (!rc && (m->o.squash <= 0 || conflicts))
		rc = write_message(m, &text, err);
	if (!rc && m->has_result && leaves_auto_merge(m))
		rc = write_auto_merge(m, err);
	strbuf_release(&text);
	return rc;
}

/* ---- the commit object ---- */

static int add_mergetag(struct merge_cmd *m, const struct merge_head *h, struct strbuf *headers, struct err *err)
{
	struct object_buf tag = OBJECT_BUF_INIT;
	int rc = 0;

	if (oid_eq(&h->named, &h->commit->oid))
		return 0;
	rc = odb_read(m->r->odb, &h->named, &tag, err);
	if (!rc && tag.type == OBJ_TAG)
		commit_add_mergetag(headers, tag.data, tag.size, m->r->algo);
	object_buf_release(&tag);
	return rc;
}

static int write_commit(struct merge_cmd *m, struct object_id *out, struct err *err)
{
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT, headers = STRBUF_INIT;
	struct oid_array parents = OID_ARRAY_INIT;
	struct new_commit c = { .sign_key = m->o.sign_key, .warn_not_utf8 = warn_commit_not_utf8 };
	int rc = repo_ident(m->r, &author, IDENT_AUTHOR | IDENT_STRICT, err);

	if (!rc)
		rc = repo_ident(m->r, &committer, IDENT_COMMITTER | IDENT_STRICT, err);
	if (!m->head_is_ancestor || m->o.ff == MERGE_FF_NEVER)
		oid_array_append(&parents, &m->head);
	for (size_t i = 0; !rc && i < m->heads.nr; i++) {
		oid_array_append(&parents, &m->heads.items[i].commit->oid);
		rc = add_mergetag(m, &m->heads.items[i], &headers, err);
	}
	c.draft = (struct commit_draft){
		.tree = m->result.tree, .parents = parents.oid, .nr_parents = parents.nr, .author = author.buf,
		.committer = committer.buf, .extra_headers = headers.buf, .message = m->message.buf,
		.message_len = m->message.len,
		.encoding = commit_encoding(m->r),
	};
	if (!rc)
		rc = commit_create(m->op, &c, out, err);
	oid_array_clear(&parents);
	strbuf_release(&author);
	strbuf_release(&committer);
	strbuf_release(&headers);
	return rc;
}

/* ---- hooks and editor ---- */

static bool has_hooks(struct merge_cmd *m)
{
	return repo_has_hook(m->r, "prepare-commit-msg") ||
	       (m->o.verify && (repo_has_hook(m->r, "pre-merge-commit") || repo_has_hook(m->r, "commit-msg")));
}

static int run_hook(struct merge_cmd *m, const char *name, const char *const *args, struct err *err)
{
	char *index = xstrfmt("GIT_INDEX_FILE=%s", m->r->index_path);
	const char *env[] = { index, merge_wants_editor(m) ? NULL : "GIT_EDITOR=:", NULL };
	int rc = repo_run_hook(m->r, name, env, args, NULL, err);

	free(index);
	return rc;
}

static void add_editor_text(struct merge_cmd *m)
{
	struct strbuf text = STRBUF_INIT;

	if (m->cleanup == CLEANUP_SCISSORS) {
		message_add_scissors(&m->message, m->comment_char);
		strbuf_addch(&text, '\n');
	}
	strbuf_addstr(&text, "Please enter a commit message to explain why this merge is necessary,\n"
			     "especially if it merges an updated upstream into a topic branch.\n\n");
	if (m->cleanup == CLEANUP_SCISSORS)
		strbuf_addstr(&text, "An empty message aborts the commit.\n");
	else
		strbuf_addf(&text, "Lines starting with '%c' will be ignored, and an empty message aborts\nthe commit.\n",
			    m->comment_char);
	message_add_commented(&m->message, text.buf, text.len, m->comment_char);
	strbuf_release(&text);
}

/* What the hook puts into the index stays there, and is not committed, as in Git. */
static int run_pre_merge_commit(struct merge_cmd *m, struct err *err)
{
	const char *args[] = { NULL };

	return m->o.verify ? run_hook(m, "pre-merge-commit", args, err) : 0;
}

static int run_message_hooks(struct merge_cmd *m, const char *path, struct err *err)
{
	const char *args[] = { path, "merge", NULL }, *msg_args[] = { path, NULL };
	int rc = run_hook(m, "prepare-commit-msg", args, err);

	if (!rc && merge_wants_editor(m) && launch_editor(m->r, path, NULL, err) < 0)
		rc = ERR_ABORTED;
	if (!rc && m->o.verify)
		rc = run_hook(m, "commit-msg", msg_args, err);
	strbuf_reset(&m->message);
	return rc ? rc : read_file(&m->message, path, EDIT_TEXT_MAX, err);
}

static enum cleanup_mode cleanup_of(const struct merge_cmd *m)
{
	if (m->cleanup == CLEANUP_DEFAULT)
		return merge_wants_editor(m) ? CLEANUP_STRIP : CLEANUP_WHITESPACE;
	return m->cleanup == CLEANUP_SCISSORS && !merge_wants_editor(m) ? CLEANUP_WHITESPACE : m->cleanup;
}

/* 1: no commit is made of it; the reason has been printed. The merge is in progress, and published. */
static int refuse_commit(struct err *err, const char *why)
{
	if (err->msg)
		report_error(err);
	if (why)
		error("%s", why);
	fputs("Not committing merge; use 'git commit' to complete the merge.\n", stderr);
	return 1;
}

/* Children see the merge in progress: `git commit` could conclude it. */
static int ask_children(struct merge_cmd *m, struct err *err)
{
	char *path = repo_state_path(m->r, STATE_MERGE_MSG);
	int rc;

	if (merge_wants_editor(m))
		add_editor_text(m);
	rc = merge_write_state(m, err);
	if (!rc)
		rc = repo_operation_publish(m->op, err);
	if (!rc)
		rc = run_pre_merge_commit(m, err);
	if (!rc)
		rc = run_message_hooks(m, path, err);
	free(path);
	return rc;
}

static bool has_children(struct merge_cmd *m)
{
	return merge_wants_editor(m) || has_hooks(m);
}

/* 1: see refuse_commit. */
static int finish_message(struct merge_cmd *m, struct err *err)
{
	bool children = has_children(m);
	int rc = children ? ask_children(m, err) : 0;

	if (rc == ERR_ABORTED)
		return refuse_commit(err, NULL);
	if (rc)
		return rc;
	message_cleanup(&m->message, cleanup_of(m), m->comment_char);
	if (m->message.len)
		return 0;
	if (!children) {
		rc = merge_write_state(m, err);
		if (rc)
			return rc;
	}
	return refuse_commit(err, "Empty commit message.");
}

/* ---- after ---- */

static int show_diffstat(struct merge_cmd *m, const struct object_id *to, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct strbuf out = STRBUF_INIT;
	struct diff_attrs *attrs = NULL;
	struct diff_options o;
	struct object_id tree;
	int rc = object_peel(odb_source(m->r->odb), to, OBJ_TREE, &tree, NULL, err);

	diff_options_init(&o, m->r->odb);
	if (!rc)
		rc = diff_options_config(&o, m->r->config, err);
	if (!rc)
		rc = diff_attrs_new(&attrs, m->r, NULL, err);
	if (!rc)
		diff_attrs_use(attrs, &o);
	o.formats = DIFF_FORMAT_STAT | (m->o.stat == MERGE_STAT_COMPACT ? 0 : DIFF_FORMAT_SUMMARY);
	o.compact_summary = m->o.stat == MERGE_STAT_COMPACT;
	o.detect = DIFF_DETECT_RENAMES;
	o.color = want_color(m->r, "diff", 1);
	if (!rc)
		rc = diff_trees(&q, &o, &m->head_tree, &tree, err);
	if (!rc)
		rc = diff_process(&q, &o, err);
	if (!rc && q.nr)
		rc = diff_format(&q, &o, &out, err);
	fwrite(out.buf, 1, out.len, stdout);
	diff_queue_clear(&q);
	diff_options_release(&o);
	diff_attrs_free(attrs);
	strbuf_release(&out);
	return rc;
}

static void run_post_merge(struct merge_cmd *m)
{
	const char *args[] = { m->o.squash > 0 ? "1" : "0", NULL };
	struct err err = ERR_INIT;

	fflush(stdout);
	(void)!repo_run_hook(m->r, "post-merge", NULL, args, NULL, &err); /* nothing depends on it any more */
	err_release(&err);
}

int merge_after(struct merge_cmd *m, const struct object_id *to, struct err *err)
{
	int rc = 0;

	if (to && m->o.stat != MERGE_STAT_NONE && !m->unborn)
		rc = show_diffstat(m, to, err);
	run_post_merge(m);
	if (m->o.squash <= 0)
		auto_maintenance(m->r, m->o.verbosity < 0);
	return rc;
}

static void tell_result(const struct merge_cmd *m)
{
	advise_on_submodule_conflicts(m->r, &m->result);
	for (size_t i = 0; !m->has_told && i < m->result.nr_messages; i++)
		printf("%s\n", m->result.messages[i].text);
	warn_of_merge_limit(m->result.needed_rename_limit);
}

static void tell_rerere(const struct merge_cmd *m)
{
	fflush(stdout);
	for (size_t i = 0; i < m->rerere_messages.nr; i++)
		fprintf(stderr, "%s\n", m->rerere_messages.v[i]);
}

static void tell_squash(const struct merge_cmd *m)
{
	if (m->o.squash > 0)
		printf("Squash commit -- not updating HEAD\n");
}

/* ---- the ends ---- */

static void tell_stashed(const struct merge_cmd *m)
{
	if (m->stashed)
		puts("When finished, apply stashed changes with `git stash pop`");
}

/* There are conflicts, or a commit is not wanted. */
static int stop_before_commit(struct merge_cmd *m, struct err *err)
{
	struct rerere rr = { .op = m->op, .ix = &m->update.ix, .autoupdate = m->o.rerere_autoupdate,
			     .lenient = true };
	int rc = m->result.clean ? 0 : rerere_update(&rr, &m->rerere_messages, err);

	if (!rc)
		rc = merge_write_state(m, err);
	rc = repo_operation_end(m->op, rc, err);
	m->op = NULL;
	if (rc)
		return rc;
	m->stops = true;
	tell_result(m);
	if (m->o.squash > 0) {
		tell_squash(m);
		run_post_merge(m);
	}
	tell_rerere(m);
	if (!m->result.clean) {
		printf("Automatic merge failed; fix conflicts and then commit the result.\n");
		tell_stashed(m);
		return 1;
	}
	tell_stashed(m);
	fflush(stdout);
	fputs("Automatic merge went well; stopped before committing as requested\n", stderr);
	return 0;
}

static int publish_commit(struct merge_cmd *m, const struct object_id *commit, const char *what, struct err *err)
{
	int rc = repo_operation_end_state(m->op, STATE_ENDS_BY_COMMIT, err);

	if (!rc)
		rc = merge_queue_orig_head(m, err);
	if (!rc)
		rc = merge_queue_head(m, commit, what, err);
	return merge_end_operation(m, rc, err);
}

static int add_signoff(struct merge_cmd *m, struct err *err)
{
	struct strbuf committer = STRBUF_INIT;
	int rc = committer_of(m, &committer, err);

	if (!rc)
		merge_add_signoff(m, committer.buf);
	strbuf_release(&committer);
	return rc;
}

/* The merge stays in progress, so that the user can commit it. `message` is the one before its clean-up. */
static int stop_unsigned(struct merge_cmd *m, struct strbuf *message, struct err *err)
{
	int rc = 0;

	tell_result(m);
	fflush(stdout);
	report_error(err);
	err_release(err);
	strbuf_swap(&m->message, message);
	if (!has_children(m))
		rc = merge_write_state(m, err);
	if (!rc)
		rc = merge_queue_orig_head(m, err);
	if (!rc)
		fputs("fatal: failed to write commit object\n", stderr);
	return rc ? rc : 128;
}

/* > 0: there is no commit, and the merge stays in progress. */
static int make_commit(struct merge_cmd *m, const char *what, struct object_id *out, struct err *err)
{
	struct strbuf message = STRBUF_INIT;
	int rc = 0;

	if (m->o.signoff)
		rc = add_signoff(m, err);
	strbuf_addbuf(&message, &m->message);
	if (!rc)
		rc = finish_message(m, err);
	if (!rc) {
		rc = write_commit(m, out, err);
		if (rc == ERR_GENERIC && m->o.sign_key)
			rc = stop_unsigned(m, &message, err);
		else if (!rc)
			rc = publish_commit(m, out, what, err);
	}
	strbuf_release(&message);
	return rc;
}

int merge_conclude(struct merge_cmd *m, struct err *err)
{
	char *what = m->in_index ? xstrdup("In-index merge") : xstrfmt("Merge made by the '%s' strategy.", m->strategy);
	struct object_id commit;
	bool stops = !m->result.clean || !m->o.commit;
	int rc = 0;

	if (stops) {
		rc = merge_queue_orig_head(m, err);
		if (!rc)
			rc = stop_before_commit(m, err);
		goto out;
	}
	rc = make_commit(m, what, &commit, err);
	if (rc > 0) {
		m->stops = true;
		int end = repo_operation_end(m->op, 0, err);

		m->op = NULL;
		rc = end ? end : rc;
	}
	if (!rc) {
		tell_result(m);
		if (m->o.verbosity >= 0)
			puts(what);
		rc = merge_after(m, &commit, err);
	}
out:
	free(what);
	return rc;
}
