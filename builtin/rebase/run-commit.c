/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): new commits, in memory: their messages, authors and dates. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-run.h"
#include "cli/utf8-warning.h"
#include "merge/options.h"
#include "object/ident.h"
#include "porcelain/trailers.h"
#include "repo/ident.h"
#include "util/alloc.h"
#include "util/date.h"

/* ---- settings ---- */

int rebase_run_prepare_merge(struct rebase_run *run, struct err *err)
{
	const struct rebase_state *s = &run->c->state;
	int rc;

	attrs_free(run->attributes.attrs);
	content_merge_release(&run->attributes);
	run->attributes = (struct content_merge){ .r = run->r, .ix = &run->ix };
	run->merge = (struct merge_trees){ .odb = run->r->odb, .abbrev = run->r->settings.abbrev };
	rc = merge_options_config(&run->merge, run->r->config, err);
	if (!rc)
		rc = merge_options_strategy_of_pick(&run->merge, s->strategy, err);
	run->keeps_ours = rc > 0;
	rc = rc < 0 ? rc : 0;
	merge_options_of_pick(&run->merge, &s->strategy_options);
	content_merge_use(&run->attributes, &run->merge.rules);
	index_release(&run->ix);
	index_init(&run->ix, run->r->algo);
	/* Attributes are those of the commit onto which is picked: index and files may still be those of the branch. */
	if (!rc)
		rc = unpack_trees_list(run->r, &run->now.tree, &run->ix, err);
	if (!rc)
		rc = attrs_new(&run->attributes.attrs, run->r, &run->ix, ATTR_CHECKOUT, err);
	run->attributes.tree = run->published.tree;
	return rc;
}

struct pick rebase_run_pick_of(struct rebase_run *run, struct commit *c)
{
	return (struct pick){ .r = run->r, .pool = run->c->pool, .commit = c, .revert = run->reverts,
			      .keeps_onto = run->keeps_ours, .onto = &run->now.tree, .settings = &run->merge };
}

/* ---- the commit ---- */

const char *rebase_date_of(const char *ident)
{
	const char *gt = strrchr(ident, '>');

	return gt && gt[1] == ' ' ? gt + 2 : "";
}

static void set_date(struct strbuf *ident, const char *date)
{
	strbuf_setlen(ident, (size_t)(rebase_date_of(ident->buf) - ident->buf));
	strbuf_addstr(ident, date);
}

void rebase_add_date_now(struct strbuf *out)
{
	int zone;
	timestamp_t now = date_now(&zone);

	strbuf_addf(out, "%" PRIu64 " %+05d", now, zone);
}

int rebase_run_author(struct rebase_run *run, struct commit *c, struct strbuf *out, struct err *err)
{
	struct pick p = rebase_run_pick_of(run, c);
	int rc = pick_author(&p, out, err);

	if (!rc && run->c->state.reset_author_date) {
		strbuf_setlen(out, (size_t)(rebase_date_of(out->buf) - out->buf));
		rebase_add_date_now(out);
	}
	return rc;
}

int rebase_run_message(struct rebase_run *run, struct commit *c, struct strbuf *out, struct err *err)
{
	struct pick p = rebase_run_pick_of(run, c);
	struct pick_message_options o = { .comment_char = run->c->comment_char };
	struct strbuf signoff = STRBUF_INIT;
	int rc;

	if (run->c->state.signoff && ident_add_signoff(&signoff, run->committer.buf))
		o.signoff = signoff.buf;
	rc = pick_message(&p, &o, out, err);
	if (!rc)
		rc = trailers_add(run->r, out, &run->c->state.trailers, run->c->comment_char, err);
	strbuf_release(&signoff);
	return rc;
}

int rebase_run_commit_without_hooks(struct rebase_run *run, const struct rebase_new *n, struct err *err)
{
	struct new_commit c = { .sign_key = run->c->state.sign_key, .warn_not_utf8 = warn_commit_not_utf8 };
	struct strbuf committer = STRBUF_INIT;
	struct object_id oid;
	int rc = repo_ident(run->r, &committer, IDENT_COMMITTER | IDENT_STRICT, err);

	if (!rc && run->c->state.committer_date_is_author_date)
		set_date(&committer, rebase_date_of(n->author));
	c.draft = (struct commit_draft){
		.tree = *n->tree, .parents = n->parents, .nr_parents = n->nr_parents, .author = n->author,
		.committer = committer.buf, .message = n->message->buf, .message_len = n->message->len,
		.encoding = commit_encoding(run->r),
	};
	if (!rc)
		rc = commit_create(run->op, &c, &oid, err);
	run->sign_failed = rc == ERR_GENERIC && c.sign_key;
	if (!rc) {
		run->now.head = oid;
		run->now.tree = *n->tree;
	}
	strbuf_release(&committer);
	return rc;
}
