/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "diff/diff.h"
#include "object/commit.h"
#include "object/ident.h"
#include "porcelain/commit-summary.h"
#include "util/date.h"
#include "worktree/diff-attr.h"

static void add_headline(struct repository *r, const struct commit_summary *s, struct strbuf *out)
{
	const char *branch = s->branch;

	strbuf_addch(out, '[');
	if (!branch || !strcmp(branch, "HEAD")) {
		strbuf_addstr(out, "detached HEAD");
	} else {
		skip_prefix(branch, "refs/heads/", &branch);
		strbuf_addstr(out, branch);
	}
	if (!s->nr_parents && !s->hides_root)
		strbuf_addstr(out, " (root-commit)");
	strbuf_addch(out, ' ');
	odb_abbrev(r->odb, s->commit, r->settings.abbrev, out);
	strbuf_addstr(out, "] ");
	commit_subject(out, s->message, s->message_len, " ");
	strbuf_addch(out, '\n');
}

static void add_people(const struct commit_summary *s, struct strbuf *out)
{
	struct ident_split a, c;
	struct date_mode mode = DATE_MODE_INIT;
	struct strbuf date = STRBUF_INIT;

	if (ident_split_line(&a, s->author, strlen(s->author)) < 0 ||
	    ident_split_line(&c, s->committer, strlen(s->committer)) < 0)
		return;
	if (!ident_split_eq(&a, &c))
		strbuf_addf(out, " Author: %.*s <%.*s>\n", (int)a.name_len, a.name,
			    (int)a.mail_len, a.mail);
	if (s->author_date && a.has_date) {
		date_format(&date, a.date, a.tz, &mode);
		strbuf_addf(out, " Date: %s\n", date.buf);
	}
	strbuf_release(&date);
}

static int summary_add_changes(struct repository *r, const struct commit_summary *s, struct strbuf *out, struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct object_id old_tree, new_tree;
	struct diff_attrs *attrs = NULL;
	struct diff_options o;
	int rc;

	diff_options_init(&o, r->odb);
	rc = diff_options_config(&o, r->config, err);
	if (rc >= 0)
		rc = diff_attrs_new(&attrs, r, NULL, err);
	if (rc >= 0)
		diff_attrs_use(attrs, &o);
	o.formats = DIFF_FORMAT_SHORTSTAT | DIFF_FORMAT_SUMMARY;
	o.detect = DIFF_DETECT_RENAMES;
	if (rc >= 0)
		rc = object_peel(odb_source(r->odb), s->commit, OBJ_TREE, &new_tree, NULL, err);
	if (rc >= 0 && s->nr_parents)
		rc = object_peel(odb_source(r->odb), &s->parents[0], OBJ_TREE, &old_tree, NULL, err);
	if (rc >= 0)
		rc = diff_trees(&q, &o, s->nr_parents ? &old_tree : NULL, &new_tree, err);
	if (rc >= 0)
		rc = diff_process(&q, &o, err);
	if (rc >= 0 && q.nr)
		rc = diff_format(&q, &o, out, err);
	diff_queue_clear(&q);
	diff_options_release(&o);
	diff_attrs_free(attrs);
	return rc;
}

int commit_summary(struct repository *r, const struct commit_summary *s, struct strbuf *out, struct err *err)
{
	add_headline(r, s, out);
	add_people(s, out);
	return s->nr_parents > 1 ? 0 : summary_add_changes(r, s, out, err);
}
