/* SPDX-License-Identifier: GPL-2.0-only */
/* git-am(1): the patches of a rebase are those of commits; what these become. */
#include "compat/posix.h"
#include "builtin/am/am-cmd.h"
#include "diff/diff.h"
#include "history/history.h"
#include "object/ident.h"
#include "refs/root-refs.h"
#include "sequence/pick.h"
#include "util/date.h"
#include "worktree/diff-attr.h"

/* ---- the commit as a mail ---- */

/* "From OID Mon Sep 17 00:00:00 2001" */
static int commit_of_mail(struct am_cmd *c, const struct strbuf *mail, const char *path, struct err *err)
{
	const char *p, *rest;

	if (skip_prefix(mail->buf, "From ", &p) && !oid_parse_hex(&c->mail.commit, p, c->r->algo, &rest) &&
	    isspace((unsigned char)*rest))
		return 0;
	return err_set(err, ERR_CORRUPT, "could not parse %s", path);
}

static int take_author(struct am_mail *m, const struct strbuf *author, struct err *err)
{
	const struct date_mode mode = DATE_MODE_INIT;
	struct ident_split id;

	if (ident_split_line(&id, author->buf, author->len))
		return err_set(err, ERR_CORRUPT, "invalid ident line: %s", author->buf);
	strbuf_add(&m->author, id.name, id.name_len);
	strbuf_add(&m->email, id.mail, id.mail_len);
	date_format(&m->date, id.date, id.tz, &mode);
	return 0;
}

/* Against the parent, or the empty tree; the settings of git-diff(1) do not count, nor do renames. */
static int make_patch(struct am_cmd *c, struct commit_pool *pool, const struct commit *commit, struct err *err)
{
	struct object_id from = c->r->algo->empty_tree;
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct diff_attrs *attrs = NULL;
	struct diff_options o;
	int rc = commit->nr_parents ? commit_parse_node(pool, commit->parents[0], err) : 0;

	if (!rc && commit->nr_parents)
		from = commit->parents[0]->tree;
	diff_options_init(&o, c->r->odb);
	if (!rc)
		rc = diff_attrs_new(&attrs, c->r, NULL, err);
	if (!rc)
		diff_attrs_use(attrs, &o);
	o.formats = DIFF_FORMAT_PATCH;
	o.binary = o.full_index = true;
	if (!rc)
		rc = diff_trees(&q, &o, &from, &commit->tree, err);
	if (!rc)
		rc = diff_process(&q, &o, err);
	if (!rc && q.nr)
		rc = diff_format(&q, &o, &c->mail.patch, err);
	diff_queue_clear(&q);
	diff_options_release(&o);
	diff_attrs_free(attrs);
	return rc;
}

static int read_commit(struct am_cmd *c, struct commit_pool *pool, struct err *err)
{
	const struct pick_message_options o = { .comment_char = c->comment_char };
	struct am_mail *m = &c->mail;
	struct pick p = { .r = c->r, .pool = pool, .commit = commit_lookup(pool, &m->commit) };
	struct strbuf author = STRBUF_INIT;
	int rc = commit_parse_node(pool, p.commit, err);

	if (!rc)
		rc = pick_author(&p, &author, err);
	if (!rc)
		rc = take_author(m, &author, err);
	if (!rc)
		rc = pick_message(&p, &o, &m->message, err);
	if (!rc)
		rc = make_patch(c, pool, p.commit, err);
	m->has_message = m->has_text = true;
	strbuf_release(&author);
	return rc;
}

int am_read_commit(struct am_cmd *c, const struct strbuf *mail, const char *path, struct err *err)
{
	struct commit_pool *pool = NULL;
	int rc = commit_of_mail(c, mail, path, err);

	if (!rc)
		rc = commit_pool_new(&pool, c->r, err);
	if (!rc)
		rc = read_commit(c, pool, err);
	commit_pool_free(pool);
	return rc;
}

/* ---- what the commits become ---- */

void am_note_rewritten(struct am_cmd *c, const struct object_id *to)
{
	if (!c->rebasing || oid_is_null(&c->mail.commit))
		return;
	strbuf_addf(&c->rewritten, "%s %s\n", oid_hex(&c->mail.commit), oid_hex(to));
}

/* REBASE_HEAD is the commit of the current mail. */
static int queue_rebase_head_of_am(struct am_cmd *c, struct ref_transaction *t, struct err *err)
{
	const struct object_id *to = oid_is_null(&c->mail.commit) ? &c->r->algo->null_oid : &c->mail.commit;
	struct object_id old;

	if (oid_is_null(to) && ref_resolve(c->r->refs, REFNAME_REBASE_HEAD, &old, NULL, NULL, NULL))
		return 0;
	return ref_transaction_update(t, REFNAME_REBASE_HEAD, to, NULL, REF_NO_DEREF, "rebase", err);
}

int am_queue_rebase_refs(struct am_cmd *c, struct err *err)
{
	struct ref_transaction *t = repo_operation_refs(c->op);
	int rc = t ? 0 : repo_operation_begin_refs(c->op, 0, &t, err);

	if (!rc && c->detaches) {
		rc = ref_transaction_update(t, "HEAD", &c->head, &c->base_head, REF_NO_DEREF, c->steps[c->nr_steps - 1].reflog, err);
		for (size_t i = 0; !rc && i + 1 < c->nr_steps; i++)
			ref_transaction_add_log_step(t, &c->steps[i].to, c->steps[i].reflog);
	}
	return rc ? rc : queue_rebase_head_of_am(c, t, err);
}
