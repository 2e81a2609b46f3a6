/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "merge/commits.h"
#include "util/alloc.h"

/* Merges of bases have bases: criss-cross histories repeat this. A deeper history is hostile. */
#define MERGE_DEPTH_MAX 100

/* A base, or the merge of several of them: its history is that of these commits. */
struct virtual_commit {
	struct object_id tree;
	struct commit_list parts;
};

struct base_merger {
	const struct merge_trees *options;
	struct commit_pool *pool;
	struct err *err;
};

static int find_base_tree(struct base_merger *b, const struct commit_list *bases, unsigned depth, struct object_id *tree);

/* Behind the markers of conflicts that show the base. */
static void add_base_label(struct strbuf *out, const struct merge_trees *m, const struct commit_list *bases)
{
	if (bases->nr == 1)
		odb_abbrev(m->odb, &bases->items[0]->oid, m->abbrev, out);
	else
		strbuf_addstr(out, bases->nr ? "merged common ancestors" : "empty tree");
}

/* Makes `v` the merge of itself and another base. */
static int add_base(struct base_merger *b, struct virtual_commit *v, struct commit *other, unsigned depth)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	struct merge_trees m = *b->options;
	struct object_id base_tree, other_tree = other->tree;
	struct merge_result result;
	struct strbuf label = STRBUF_INIT;
	int rc = merge_bases(b->pool, other, v->parts.items, v->parts.nr, &bases, b->err);

	if (!rc)
		rc = find_base_tree(b, &bases, depth, &base_tree);
	m.tree[MERGE_BASE] = &base_tree;
	m.tree[MERGE_OURS] = &v->tree;
	m.tree[MERGE_THEIRS] = &other_tree;
	add_base_label(&label, &m, &bases);
	m.label[MERGE_BASE] = label.buf;
	m.label[MERGE_OURS] = "Temporary merge branch 1";
	m.label[MERGE_THEIRS] = "Temporary merge branch 2";
	m.rules.depth = depth;
	if (!rc)
		rc = merge_trees(&m, &result, b->err);
	strbuf_release(&label);
	commit_list_clear(&bases);
	if (rc < 0)
		return rc;
	v->tree = result.tree;
	commit_list_add(&v->parts, other);
	merge_result_release(&result);
	return 0;
}

/* The oldest one first. */
static int find_base_tree(struct base_merger *b, const struct commit_list *bases, unsigned depth, struct object_id *tree)
{
	struct virtual_commit v = { .parts = COMMIT_LIST_INIT };
	int rc = 0;

	if (!bases->nr) {
		*tree = odb_algo(b->options->odb)->empty_tree;
		return 0;
	}
	if (depth > MERGE_DEPTH_MAX)
		return err_set(b->err, ERR_TOO_BIG, "too many merge bases have merge bases of their own");
	v.tree = bases->items[bases->nr - 1]->tree;
	commit_list_add(&v.parts, bases->items[bases->nr - 1]);
	for (size_t i = bases->nr - 1; !rc && i-- > 0;)
		rc = add_base(b, &v, bases->items[i], depth + 1);
	*tree = v.tree;
	commit_list_clear(&v.parts);
	return rc;
}

int merge_commits(struct merge_trees *m, struct commit_pool *pool, struct commit *ours, struct commit *theirs,
		  const struct commit_list *bases, struct merge_result *result, struct err *err)
{
	struct base_merger b = { .options = m, .pool = pool, .err = err };
	struct strbuf label = STRBUF_INIT;
	struct object_id tree[MERGE_STAGES];
	int rc;

	tree[MERGE_OURS] = ours->tree;
	tree[MERGE_THEIRS] = theirs->tree;
	add_base_label(&label, m, bases);
	rc = find_base_tree(&b, bases, m->rules.depth, &tree[MERGE_BASE]);
	for (int s = 0; s < MERGE_STAGES; s++)
		m->tree[s] = &tree[s];
	m->label[MERGE_BASE] = label.buf;
	if (!rc)
		rc = merge_trees(m, result, err);
	for (int s = 0; s < MERGE_STAGES; s++)
		m->tree[s] = NULL;
	m->label[MERGE_BASE] = NULL;
	strbuf_release(&label);
	return rc;
}
