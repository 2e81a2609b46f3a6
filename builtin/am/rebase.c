/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): the engine of `git rebase --apply`. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "builtin/am/am-rebase.h"
#include "repo/hook.h"
#include "repo/ident.h"
#include "util/alloc.h"

/* ---- opening it ---- */

static const char resolve_message[] = "Resolve all conflicts manually, mark them as resolved with\n"
				      "\"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\n"
				      "You can instead skip this commit: run \"git rebase --skip\".\n"
				      "To abort and get back to the state before \"git rebase\", run \"git rebase --abort\".";

static int open_rebase(struct am_rebase *a, struct err *err)
{
	struct am_cmd *c = xcalloc(1, sizeof(*c));

	a->am = c;
	am_cmd_init(c, a->ctx);
	c->op = a->op;
	a->op = NULL;
	am_read_config(c);
	index_init(&c->series.ix, c->r->algo);
	c->o.resolvemsg = resolve_message;
	c->o.sign_key = a->state->sign_key ? a->state->sign_key : c->o.sign_key;
	c->rebase = a->state;
	c->rebasing = true;
	return repo_ident(c->r, &c->committer, IDENT_COMMITTER | IDENT_STRICT, err);
}

/* A mail names its commit. */
static void add_commit_mail(struct am_cmd *c, const struct object_id *oid)
{
	struct am_series *s = &c->mails;

	ALLOC_GROW(s->texts, s->nr + 1, s->alloc);
	strbuf_init(&s->texts[s->nr], 0);
	strbuf_addf(&s->texts[s->nr++], "From %s Mon Sep 17 00:00:00 2001\n", oid_hex(oid));
}

static void use_rebase_options(struct am_cmd *c, const struct am_rebase_start *start)
{
	const struct rebase_state *s = c->rebase;

	c->o.sign_key = s->sign_key;
	c->o.committer_date_is_author_date = s->committer_date_is_author_date;
	c->o.ignore_date = s->reset_author_date;
	c->s = (struct am_settings){ .threeway = true, .quiet = s->quiet, .signoff = s->signoff, .utf8 = true,
				     .message_id = c->s.message_id, .rerere_autoupdate = s->rerere_autoupdate, .apply_options = STRVEC_INIT };
	strvec_pushv(&c->s.apply_options, start->apply_options->v);
	for (size_t i = 0; i < start->commits->nr; i++)
		add_commit_mail(c, &start->commits->oid[i]);
	c->next = 1;
	c->last = c->mails.nr;
}

/* ---- the start ---- */

/* In memory HEAD, index and files are those of the new base. */
static int move_to_base(struct am_cmd *c, const char *log, struct err *err)
{
	struct object_id tree;
	int rc = object_peel(odb_source(c->r->odb), &c->rebase->onto, OBJ_TREE, &tree, NULL, err);

	if (!rc)
		rc = am_check_tree(c, &tree, err);
	if (rc == ERR_CONFLICT) {
		report_error(err);
		err_release(err);
		return err_set(err, ERR_ABORTED, "Could not detach HEAD");
	}
	if (!rc)
		rc = am_follow_tree(c, &tree, err);
	if (rc)
		return rc;
	c->tree = tree;
	c->detaches = true;
	am_add_step(c, &c->rebase->onto, xstrdup(log));
	return 0;
}

static int run_post_checkout(struct am_cmd *c, const struct am_rebase_start *start, struct err *err)
{
	int rc;

	if (!repo_has_hook(c->r, "post-checkout"))
		return 0;
	rc = am_publish(c, NULL, err);
	if (!rc)
		start->post_checkout(start->data);
	return rc ? rc : am_begin(c, err);
}

/* As Git has it: a hook sees the action of the reflog. */
static int set_rebase_action(const struct am_rebase *a, struct err *err)
{
	return setenv("GIT_REFLOG_ACTION", a->action, 1) ? err_set_errno(err, "setenv") : 0;
}

/* ---- all ---- */

static int end_rebase(struct am_rebase *a, int rc)
{
	struct am_cmd *c = a->am;

	a->op = c->op;
	c->op = NULL;
	a->steps = c->steps;
	a->nr_steps = c->nr_steps;
	a->base_head = c->base_head;
	a->head = c->head;
	a->rewritten = &c->rewritten;
	a->begun = c->begun;
	return rc;
}

int am_rebase_start(struct am_rebase *a, const struct am_rebase_start *start, struct err *err)
{
	struct am_cmd *c;
	int rc = open_rebase(a, err);

	c = a->am;
	if (!rc) {
		use_rebase_options(c, start);
		rc = am_begin(c, err);
	}
	if (!rc)
		rc = move_to_base(c, start->start_log, err);
	if (!rc)
		rc = run_post_checkout(c, start, err);
	if (!rc)
		rc = set_rebase_action(a, err);
	if (!rc)
		rc = am_run_on(c, err);
	return end_rebase(a, rc);
}

int am_rebase_go_on(struct am_rebase *a, bool skip, struct err *err)
{
	struct am_cmd *c;
	int rc = open_rebase(a, err);

	c = a->am;
	if (!rc)
		rc = am_load(c, err);
	if (!rc)
		rc = set_rebase_action(a, err);
	c->o.mode = skip ? AM_SKIP : AM_CONTINUE;
	if (!rc)
		rc = c->next > c->last ? am_run(c, false, err) : am_resume(c, err);
	return end_rebase(a, rc);
}

void am_rebase_release(struct am_rebase *a)
{
	if (a->am)
		am_cmd_release(a->am);
	free(a->am);
	a->am = NULL;
}
