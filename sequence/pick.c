/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "sequence/pick.h"

/* ---- the parent ---- */

int pick_choose_parent(struct pick *p, int mainline, struct err *err)
{
	struct commit *c = p->commit;

	p->parent = NULL; /* of a root, whatever the mainline */
	if (c->nr_parents > 1 && !mainline)
		return err_set(err, ERR_INVALID, "commit %s is a merge but no -m option was given.", oid_hex(&c->oid));
	if (c->nr_parents && (uint32_t)mainline > c->nr_parents)
		return err_set(err, ERR_INVALID, "commit %s does not have parent %d", oid_hex(&c->oid), mainline);
	if (c->nr_parents)
		p->parent = c->parents[mainline ? mainline - 1 : 0];
	return p->parent ? commit_parse_node(p->pool, p->parent, err) : 0;
}

/* ---- the merge ---- */

static int run_with_labels(const struct pick *p, const char *commit, const char *parent, struct merge_result *out,
			   struct err *err)
{
	const struct object_id *empty = &p->r->algo->empty_tree, *before = p->parent ? &p->parent->tree : empty;
	struct merge_trees m = *p->settings;

	m.tree[MERGE_BASE] = p->revert ? &p->commit->tree : before;
	m.tree[MERGE_OURS] = p->onto;
	m.tree[MERGE_THEIRS] = p->revert ? before : &p->commit->tree;
	m.label[MERGE_BASE] = p->revert ? commit : parent;
	m.label[MERGE_OURS] = p->ours_label ? p->ours_label : "HEAD";
	m.label[MERGE_THEIRS] = p->revert ? parent : commit;
	return merge_trees(&m, out, err);
}

static void keep_onto(const struct pick *p, struct merge_result *out)
{
	*out = (struct merge_result){ .tree = *p->onto, .clean = true };
	index_init(&out->stages, p->r->algo);
}

int pick_run(const struct pick *p, struct pick_result *result, struct err *err)
{
	struct pick self = *p;
	struct strbuf commit = STRBUF_INIT, parent = STRBUF_INIT;
	int rc = pick_describe(&self, &commit, err);

	strbuf_addf(&parent, "parent of %s", commit.buf);
	if (!rc && p->keeps_onto)
		keep_onto(p, &result->merge);
	else if (!rc)
		rc = run_with_labels(p, commit.buf, p->parent ? parent.buf : "(empty tree)", &result->merge, err);
	if (!rc) {
		result->was_empty = oid_eq(&p->commit->tree, p->parent ? &p->parent->tree : &p->r->algo->empty_tree);
		result->becomes_empty = result->merge.clean && oid_eq(&result->merge.tree, p->onto);
	}
	strbuf_release(&commit);
	strbuf_release(&parent);
	return rc;
}

void pick_result_release(struct pick_result *result)
{
	merge_result_release(&result->merge);
}
