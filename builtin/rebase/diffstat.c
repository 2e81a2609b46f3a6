/* SPDX-License-Identifier: GPL-2.0-only */
/* git-rebase(1): --stat, --verbose. */
#include "compat/posix.h"
#include "builtin/rebase/rebase-cmd.h"
#include "diff/diff.h"
#include "worktree/diff-attr.h"

int rebase_print_diffstat(struct rebase_cmd *c, const struct object_id *from, const struct object_id *to, bool summary,
			  struct err *err)
{
	struct diff_queue q = DIFF_QUEUE_INIT;
	struct strbuf out = STRBUF_INIT;
	struct diff_attrs *attrs = NULL;
	struct diff_options o;
	struct object_id a = c->r->algo->empty_tree, b;
	int rc = object_peel(odb_source(c->r->odb), to, OBJ_TREE, &b, NULL, err);

	if (!rc && !oid_is_null(from))
		rc = object_peel(odb_source(c->r->odb), from, OBJ_TREE, &a, NULL, err);
	diff_options_init(&o, c->r->odb);
	if (!rc)
		rc = diff_options_config(&o, c->r->config, err);
	if (!rc)
		rc = diff_attrs_new(&attrs, c->r, NULL, err);
	if (!rc)
		diff_attrs_use(attrs, &o);
	o.formats = DIFF_FORMAT_STAT | (summary ? DIFF_FORMAT_SUMMARY : 0);
	o.detect = DIFF_DETECT_RENAMES;
	o.color = want_color(c->r, "diff", 1);
	if (!rc)
		rc = diff_trees(&q, &o, &a, &b, err);
	if (!rc)
		rc = diff_process(&q, &o, err);
	if (!rc && q.nr)
		rc = diff_format(&q, &o, &out, err);
	fwrite(out.buf, 1, out.len, stdout);
	fflush(stdout);
	diff_queue_clear(&q);
	diff_options_release(&o);
	diff_attrs_free(attrs);
	strbuf_release(&out);
	return rc;
}
