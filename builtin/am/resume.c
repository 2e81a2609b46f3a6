/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): --continue, --skip, --abort, --quit, --show-current-patch. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "cli/edit-text.h"
#include "cli/git-options.h"
#include "fs/file.h"
#include "porcelain/autostash.h"
#include "refs/root-refs.h"
#include "repo/state.h"
#include "util/alloc.h"
#include "util/run-command.h"
#include "worktree/rerere.h"

/* ---- --continue, --allow-empty ---- */

static int require_resume_files(const struct am_cmd *c, struct err *err)
{
	static const enum repo_state_file files[] = { STATE_REBASE_APPLY_FINAL_COMMIT, STATE_REBASE_APPLY_AUTHOR_SCRIPT };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!repo_state_exists(c->r, files[i])) {
			char *path = repo_state_path(c->r, files[i]);
			int rc = err_set(err, ERR_INVALID, "cannot resume: %s does not exist.", path);

			free(path);
			return rc;
		}
	return 0;
}

static int leave_unresolved(struct am_cmd *c, const char *text, struct err *err)
{
	int rc = am_seal(c, err);

	fputs(text, stdout);
	fflush(stdout);
	c->code = am_advise(c);
	return rc ? rc : AM_STOPPED;
}

/* Is the index fit to become the commit? */
static int check_resolved(struct am_cmd *c, struct err *err)
{
	if (index_has_unmerged(&c->series.ix))
		return leave_unresolved(c, "You still have unmerged paths in your index.\n"
					   "You should 'git add' each file with resolved conflicts to mark them as such.\n"
					   "You might run `git rm` on a file to accept \"deleted by them\" for it.\n", err);
	if (!oid_eq(&c->tree, &c->head_tree))
		return 0;
	if (c->o.mode == AM_ALLOW_EMPTY && am_patch_is_empty(c)) {
		puts("No changes - recorded it as an empty commit.");
		fflush(stdout);
		return 0;
	}
	return leave_unresolved(c, "No changes - did you forget to use 'git add'?\n"
				   "If there is nothing left to stage, chances are that something else\n"
				   "already introduced the same changes; you might want to skip this patch.\n", err);
}

static int record_resolutions(struct am_cmd *c, struct err *err)
{
	struct rerere rr = { .op = c->op, .ix = &c->update.ix, .autoupdate = 0, .lenient = true };
	struct strvec told = STRVEC_INIT;
	int rc = rerere_update(&rr, &told, err);

	for (size_t i = 0; i < told.nr; i++)
		fprintf(stderr, "%s\n", told.v[i]);
	strvec_clear(&told);
	return rc;
}

static int commit_resolved(struct am_cmd *c, bool *no, struct err *err)
{
	int rc = am_begin(c, err);

	if (!rc)
		rc = check_resolved(c, err);
	if (!rc && c->o.interactive) {
		rc = am_seal(c, err);
		if (!rc)
			rc = am_ask(c, no, err);
		if (!rc)
			rc = am_begin(c, err);
	}
	if (rc || *no)
		return rc;
	rc = record_resolutions(c, err);
	return rc ? rc : am_commit(c, err);
}

static int go_on_with_series(struct am_cmd *c, struct err *err)
{
	const size_t next = c->next + 1;
	int rc = am_load(c, err);

	c->next = next;
	am_mail_reset(&c->mail);
	return rc ? rc : am_run_on(c, err);
}

static int continue_am(struct am_cmd *c, struct err *err)
{
	bool no = false;
	int rc = require_resume_files(c, err);

	if (!rc)
		rc = result_update_refuse_unfinished(c->r, err);
	if (rc)
		return rc;
	am_say(c, "Applying: %.*s", am_subject_len(c), c->mail.message.buf);
	rc = commit_resolved(c, &no, err);
	if (rc)
		return rc == AM_STOPPED ? c->code : rc;
	return go_on_with_series(c, err);
}

/* ---- --skip ---- */

/* Index and files become those of `to`, without the changes that are staged. On 0 the operation is c->op, unsealed. */
static int clean_index(struct am_cmd *c, const struct object_id *to, struct err *err)
{
	return reset_of_am(c->ctx, to, &c->op, err);
}

static int skip_patch(struct am_cmd *c, struct err *err)
{
	int rc = result_update_refuse_unfinished(c->r, err);
	struct object_id head;

	if (!rc)
		rc = clean_index(c, NULL, err);
	if (!rc && c->rebasing && !ref_resolve(c->r->refs, "HEAD", &head, NULL, NULL, NULL))
		am_note_rewritten(c, &head);
	return rc ? rc : go_on_with_series(c, err);
}

/* ---- --abort, --quit ---- */

/* Local changes that a rebase has put aside go to the list of stashes. */
static int remove_am(struct am_cmd *c, struct err *err)
{
	enum autostash_outcome outcome = AUTOSTASH_NONE;
	int rc;

	if (!c->op)
		c->op = repo_operation_begin(c->r);
	rc = autostash_store(c->op, STATE_REBASE_APPLY_AUTOSTASH, &outcome, err);
	if (!rc)
		rc = am_remove_state(c, err);
	rc = repo_operation_end(c->op, rc, err);
	c->op = NULL;
	if (!rc && outcome)
		fputs(autostash_text(outcome), stderr);
	return rc;
}

/* Null: there was no HEAD. */
static int read_abort_safety(const struct am_cmd *c, struct object_id *out, struct err *err)
{
	char *line = repo_state_line(c->r, STATE_REBASE_APPLY_ABORT_SAFETY), *path;
	int rc = 0;

	*out = c->r->algo->null_oid;
	if (line && *line && oid_parse_hex(out, line, c->r->algo, NULL) < 0) {
		path = repo_state_path(c->r, STATE_REBASE_APPLY_ABORT_SAFETY);
		rc = err_set(err, ERR_CORRUPT, "could not parse %s", path);
		free(path);
	}
	free(line);
	return rc;
}

/* HEAD is where the last command left it, or was killed. */
static int check_abort(struct am_cmd *c, bool unfinished, bool *safe, struct err *err)
{
	struct object_id head, wanted;
	int rc;

	*safe = !repo_state_exists(c->r, STATE_REBASE_APPLY_DIRTY_INDEX);
	if (!*safe || unfinished)
		return 0;
	rc = read_abort_safety(c, &wanted, err);
	if (rc)
		return rc;
	if (ref_resolve(c->r->refs, "HEAD", &head, NULL, NULL, NULL))
		head = c->r->algo->null_oid;
	*safe = oid_eq(&head, &wanted);
	if (!*safe)
		warning("You seem to have moved HEAD since the last 'am' failure.\nNot rewinding to ORIG_HEAD");
	return 0;
}

static int abort_am(struct am_cmd *c, struct err *err)
{
	const bool unfinished = result_update_is_unfinished(c->r);
	struct object_id to;
	bool safe;
	int rc = unfinished ? result_update_undo(c->r, err) : 0;

	if (rc)
		return rc;
	if (!repo_state_exists(c->r, STATE_REBASE_APPLY_NEXT))
		return remove_am(c, err); /* what a kill has left */
	rc = check_abort(c, unfinished, &safe, err);
	if (!rc && safe) {
		if (ref_resolve(c->r->refs, REFNAME_ORIG_HEAD, &to, NULL, NULL, NULL))
			to = c->r->algo->null_oid;
		rc = clean_index(c, &to, err);
	}
	return rc ? rc : remove_am(c, err);
}

static int quit_am(struct am_cmd *c, struct err *err)
{
	int rc;

	c->op = repo_operation_begin(c->r);
	rc = rerere_clear(c->op, err);
	if (rc) {
		rc = repo_operation_end(c->op, rc, err);
		c->op = NULL;
		return rc;
	}
	return remove_am(c, err);
}

/* ---- --show-current-patch ---- */

static int show_commit(struct am_cmd *c, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;

	push_own_command(&cp.args, "show");
	strvec_pushl(&cp.args, oid_hex(&c->mail.commit), "--", NULL);
	return run_command(&cp, err);
}

static int show_patch(struct am_cmd *c, struct err *err)
{
	char *name = strstr(c->o.shows, "=diff") ? xstrdup("patch") : xstrfmt("%04zu", c->next), *path = am_path(c, name);
	struct strbuf text = STRBUF_INIT;
	int rc = read_file(&text, path, EDIT_TEXT_MAX, err);

	if (rc == ERR_NOT_FOUND) {
		err_release(err);
		rc = err_set(err, rc, "failed to read '%s': %s", path, strerror(ENOENT));
	}
	if (!rc) {
		setup_pager(c->r, NULL);
		fwrite(text.buf, 1, text.len, stdout);
	}
	strbuf_release(&text);
	free(path);
	free(name);
	return rc;
}

/* ---- all ---- */

int am_resume(struct am_cmd *c, struct err *err)
{
	switch (c->o.mode) {
	case AM_CONTINUE:
	case AM_ALLOW_EMPTY:
		return continue_am(c, err);
	case AM_SKIP:
		return skip_patch(c, err);
	case AM_ABORT:
		return abort_am(c, err);
	case AM_QUIT:
		return quit_am(c, err);
	case AM_SHOW:
		return oid_is_null(&c->mail.commit) ? show_patch(c, err) : show_commit(c, err);
	default:
		return am_run(c, true, err);
	}
}
