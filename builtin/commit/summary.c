/* SPDX-License-Identifier: GPL-2.0-only */
/* Output of a commit: the status before it, and the summary after it. */
#include "compat/posix.h"
#include "builtin/commit/commit-run.h"
#include "porcelain/commit-summary.h"
#include "porcelain/status-diff.h"
#include "porcelain/status-format.h"
#include "diff/diff.h"
#include "object/ident.h"
#include "util/alloc.h"
#include "history/names/revparse.h"
#include "worktree/diff-attr.h"

/* ---- before ---- */

static int collect(struct commit_run *run, struct status *s, struct object_id *parent_tree,
		   struct err *err)
{
	const struct config_entry *u = config_get(run->repo->config, "status.showuntrackedfiles");
	struct status_options o = { .renames = status_rename_mode(run->repo) };
	const char *untracked = run->o.untracked;
	int rc;

	if (!untracked && u)
		untracked = u->value;
	if ((rc = status_untracked_mode(&o.untracked, untracked, err)) < 0 ||
	    (rc = status_submodule_mode(&o.submodules, run->repo, NULL, err)) < 0)
		return rc;
	if (run->o.amend) {
		*parent_tree = run->repo->algo->empty_tree;
		if (run->head_parents.nr &&
		    (rc = revparse_tree(run->repo, "HEAD^", parent_tree, err)) < 0)
			return rc;
		o.base_tree = parent_tree;
	}
	rc = status_collect(s, run->repo, commit_index_tree_source(run), run->ci.conv, &o, err);
	if (run->o.amend && !run->head_parents.nr)
		s->initial = true; /* as before the commit that is replaced */
	return rc;
}

static int format_init(struct commit_run *run, struct status_format *f, const struct status *s,
		       bool color, struct err *err)
{
	enum untracked_mode untracked = UNTRACKED_NORMAL;
	int rc = status_format_init(f, run->repo, s, color, err);

	if (rc >= 0 && run->o.untracked)
		rc = status_untracked_mode(&untracked, run->o.untracked, err);
	f->prefix = run->prefix;
	f->amend = run->o.amend;
	f->for_commit = true;
	f->nul = run->o.null_term;
	f->branch = run->o.branch;
	f->stable = run->o.status_format == STATUS_PORCELAIN;
	f->ahead_behind = run->o.ahead_behind;
	f->show_untracked = untracked != UNTRACKED_NO;
	return rc;
}

int commit_status_text(struct commit_run *run, struct strbuf *out, struct strbuf *patches,
		       struct err *err)
{
	struct status s;
	struct status_format f;
	struct object_id parent_tree;
	bool sections;
	int rc;

	status_init(&s);
	rc = collect(run, &s, &parent_tree, err);
	if (rc >= 0)
		rc = format_init(run, &f, &s, false, err);
	if (rc >= 0) {
		f.in_template = true;
		f.hints = false;
		f.nul = false;
		status_format_long(&f, out);
		sections = ends_with(out->buf, "\n\n");
		strbuf_rtrim(out);
		strbuf_addstr(out, sections ? "\n\n" : "\n");
		if (run->o.verbose)
			rc = status_add_diffs(run->repo, run->ci.conv, &s, run->o.verbose, false,
					      run->comment_char, patches, err);
	}
	status_release(&s);
	return rc;
}

int commit_dry_run_text(struct commit_run *run, struct strbuf *out, struct err *err)
{
	bool machine = run->o.status_format == STATUS_PORCELAIN;
	bool color = !machine && status_wants_color(run->repo);
	struct strbuf patches = STRBUF_INIT;
	struct status s;
	struct status_format f;
	struct object_id parent_tree;
	int rc;

	status_init(&s);
	rc = collect(run, &s, &parent_tree, err);
	if (rc >= 0)
		rc = format_init(run, &f, &s, color, err);
	if (rc >= 0 && run->o.verbose)
		rc = status_add_diffs(run->repo, run->ci.conv, &s, run->o.verbose,
				      want_color(run->repo, "diff", 1), '\0', &patches, err);
	if (rc >= 0) {
		f.patches = &patches;
		if (machine)
			f.prefix = NULL;
		if (run->o.status_format == STATUS_SHORT || machine)
			status_format_short(&f, out);
		else
			status_format_long(&f, out);
	}
	strbuf_release(&patches);
	status_release(&s);
	return rc;
}

/* ---- after ---- */

int commit_summary_text(struct commit_run *run, const struct object_id *commit,
			struct strbuf *out, struct err *err)
{
	const struct commit_summary s = {
		.branch = run->head_ref,
			.hides_root = run->o.amend,
		.commit = commit,
		.parents = run->parents.oid,
		.nr_parents = run->parents.nr,
		.author = run->author.buf,
		.committer = run->committer.buf,
		.author_date = run->author_date_given,
		.message = run->message.buf,
		.message_len = run->message.len,
	};

	return commit_summary(run->repo, &s, out, err);
}
