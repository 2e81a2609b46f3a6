/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): the commit of a patch. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "cli/utf8-warning.h"
#include "object/ident.h"
#include "repo/hook.h"
#include "repo/ident.h"
#include "util/alloc.h"
#include "util/date.h"

/* ---- author and committer ---- */

static int make_author(struct am_cmd *c, struct strbuf *out, struct err *err)
{
	const struct am_mail *m = &c->mail;
	timestamp_t when;
	int zone;

	when = date_now(&zone);
	if (ident_is_empty(m->author.buf))
		return err_set(err, ERR_NO_IDENT, "empty ident name (for <%s>) not allowed", m->email.buf);
	if (m->date.len && !c->o.ignore_date && date_parse(m->date.buf, &when, &zone) < 0)
		return err_set(err, ERR_INVALID, "invalid date format: %s", m->date.buf);
	return ident_format(out, m->author.buf, m->email.buf, when, zone, true, err);
}

static int make_committer(struct am_cmd *c, const char *author, struct strbuf *out, struct err *err)
{
	const char *date = strrchr(author, '>');
	int rc = repo_ident(c->r, out, IDENT_COMMITTER | IDENT_STRICT, err);

	if (!rc && c->o.committer_date_is_author_date && date) {
		const char *old = strrchr(out->buf, '>');

		strbuf_setlen(out, (size_t)(old + 1 - out->buf));
		strbuf_addstr(out, date + 1);
	}
	return rc;
}

/* ---- the commit ---- */

void am_add_step(struct am_cmd *c, const struct object_id *commit, char *log)
{
	ALLOC_GROW(c->steps, c->nr_steps + 1, c->alloc_steps);
	c->steps[c->nr_steps++] = (struct head_step){ *commit, log };
	c->head = *commit;
	c->head_tree = c->tree;
}

static void take_commit(struct am_cmd *c, const struct object_id *commit)
{
	const char *action = getenv("GIT_REFLOG_ACTION");
	struct strbuf log = STRBUF_INIT;

	commit_reflog_message(&log, action ? action : "am", c->mail.message.buf);
	am_add_step(c, commit, strbuf_detach(&log, NULL));
	am_note_rewritten(c, commit);
}

static int create_am_commit(struct am_cmd *c, struct err *err)
{
	struct new_commit n = { .sign_key = c->o.sign_key, .warn_not_utf8 = warn_commit_not_utf8 };
	struct strbuf author = STRBUF_INIT, committer = STRBUF_INIT;
	const bool unborn = oid_is_null(&c->head);
	struct object_id commit;
	int rc;

	if (unborn)
		fputs("applying to an empty history\n", stderr);
	rc = make_author(c, &author, err);
	if (!rc)
		rc = make_committer(c, author.buf, &committer, err);
	n.draft = (struct commit_draft){
		.tree = c->tree, .parents = &c->head, .nr_parents = !unborn, .author = author.buf,
		.committer = committer.buf, .message = c->mail.message.buf, .message_len = c->mail.message.len,
		.encoding = commit_encoding(c->r),
	};
	if (!rc)
		rc = commit_create(c->op, &n, &commit, err);
	if (!rc)
		take_commit(c, &commit);
	strbuf_release(&author);
	strbuf_release(&committer);
	return rc;
}

/* No commit could be made: its changes stay in the index. */
static int stop_without_commit(struct am_cmd *c, int code, struct err *err)
{
	const struct am_change change = { &c->tree, NULL };

	return am_publish_failure(c, &change, code, err);
}

/* ---- hooks ---- */

static int run_before_hook(struct am_cmd *c, struct err *err)
{
	const struct am_change change = { &c->tree, NULL };
	struct err why = ERR_INIT;
	int rc;

	if (c->o.no_verify || !repo_has_hook(c->r, "pre-applypatch"))
		return 0;
	rc = am_publish(c, &change, err);
	if (rc)
		return rc;
	if (repo_run_hook(c->r, "pre-applypatch", NULL, NULL, NULL, &why) < 0) {
		if (why.msg && *why.msg)
			report_error(&why);
		err_release(&why);
		c->code = 1;
		rc = am_seal(c, err);
		return rc ? rc : AM_STOPPED;
	}
	return am_begin(c, err); /* the hook may have changed the index */
}

static int run_after_hook(struct am_cmd *c, struct err *err)
{
	int rc;

	if (!repo_has_hook(c->r, "post-applypatch"))
		return 0;
	rc = am_publish(c, NULL, err);
	if (!rc)
		(void)!repo_run_hook(c->r, "post-applypatch", NULL, NULL, NULL, NULL);
	return rc ? rc : am_begin(c, err);
}

int am_commit(struct am_cmd *c, struct err *err)
{
	int rc = run_before_hook(c, err);

	if (rc)
		return rc;
	rc = create_am_commit(c, err);
	if (rc == ERR_INVALID || rc == ERR_NO_IDENT || rc == ERR_GENERIC)
		return stop_without_commit(c, rc, err);
	return rc ? rc : run_after_hook(c, err);
}
