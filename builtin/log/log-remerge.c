/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git log --remerge-diff: a merge of two commits is made again, and its outcome compared with the merge commit. The objects
 * of such a merge are given up when the commit has been shown.
 */
#include "compat/posix.h"
#include "builtin/log/log.h"
#include "merge/commits.h"
#include "merge/options.h"
#include "operation/operation.h"
#include "porcelain/head.h"
#include "util/alloc.h"
#include "worktree/content-merge.h"

struct log_remerge {
	struct log_options *o;
	struct repo_operation *op;
	struct commit_pool *pool; /* not the one of the walk, whose flags are in use */
	struct merge_trees m;
	struct content_merge attributes;
	struct index_state no_index;
	struct strbuf label[2];
	struct merge_result result;
	bool has_result;
};

static bool is_conflict(const struct merge_message *m)
{
	return m->type != MERGE_AUTO_MERGING && m->type != MERGE_DIR_RENAME_APPLIED && m->type != MERGE_DIR_RENAME_SKIPPED;
}

/* For diff_options.extra_header: "remerge CONFLICT …" for each conflict of the file. */
static void add_conflict_lines(void *data, const char *path, struct strvec *lines)
{
	const struct merge_result *result = data;

	for (size_t i = 0; i < result->nr_messages; i++)
		if (is_conflict(&result->messages[i]) && !strcmp(result->messages[i].paths.v[0], path))
			strvec_pushf(lines, "remerge %s", result->messages[i].text);
}

/* ---- the merge ---- */

/* "1234567 (subject)" */
static int add_label(struct log_remerge *g, struct commit *c, struct strbuf *label, struct err *err)
{
	size_t id_len;
	int rc = head_describe_commit(g->o->repo, &c->oid, label, err);

	if (rc)
		return rc;
	id_len = strcspn(label->buf, " ");
	strbuf_insertstr(label, id_len + 1, "(");
	strbuf_addch(label, ')');
	return 0;
}

static int prepare_remerge(struct log_remerge *g, struct err *err)
{
	struct repository *r = g->o->repo;
	int rc = merge_options_config(&g->m, r->config, err);

	g->m.odb = r->odb;
	g->m.abbrev = r->settings.abbrev;
	content_merge_use(&g->attributes, &g->m.rules);
	g->attributes.r = r;
	g->attributes.ix = &g->no_index;
	index_init(&g->no_index, r->algo);
	if (!rc)
		rc = attrs_new(&g->attributes.attrs, r, &g->no_index, ATTR_CHECKIN, err);
	return rc ? rc : commit_pool_new(&g->pool, r, err);
}

static int merge_again(struct log_remerge *g, const struct commit *c, struct err *err)
{
	struct commit *side[2];
	struct commit_list bases = COMMIT_LIST_INIT;
	int rc = 0;

	for (int i = 0; !rc && i < 2; i++) {
		side[i] = commit_lookup(g->pool, &c->parents[i]->oid);
		rc = commit_parse_node(g->pool, side[i], err);
		if (!rc)
			rc = add_label(g, side[i], &g->label[i], err);
	}
	if (!rc)
		rc = merge_bases(g->pool, side[0], &side[1], 1, &bases, err);
	g->m.label[MERGE_OURS] = g->label[0].buf;
	g->m.label[MERGE_THEIRS] = g->label[1].buf;
	if (!rc)
		rc = merge_commits(&g->m, g->pool, side[0], side[1], &bases, &g->result, err);
	g->has_result = !rc;
	commit_list_clear(&bases);
	return rc;
}

static void release_remerge(struct log_remerge *g)
{
	if (g->has_result)
		merge_result_release(&g->result);
	content_merge_release(&g->attributes);
	attrs_free(g->attributes.attrs);
	index_release(&g->no_index);
	commit_pool_free(g->pool);
	strbuf_release(&g->label[0]);
	strbuf_release(&g->label[1]);
}

/* ---- the difference ---- */

/* A conflict in a file that does not differ: its lines stand alone. */
static void add_conflicts_alone(struct diff_queue *q, const struct diff_options *o, const struct merge_result *result)
{
	struct strbuf path = STRBUF_INIT;

	for (size_t i = 0; i < result->nr_messages; i++) {
		strbuf_reset(&path);
		strbuf_addstr(&path, result->messages[i].paths.v[0]);
		if (is_conflict(&result->messages[i]) && diff_selects(o, &path, false))
			diff_queue_add_header_only(q, path.buf);
	}
	strbuf_release(&path);
}

static int compare_remerge(struct log_remerge *g, const struct commit *c, struct diff_queue *q, struct err *err)
{
	struct log_options *o = g->o;
	int rc;

	o->diff.extra_header = add_conflict_lines;
	o->diff.extra_header_data = &g->result;
	if (o->follow_path)
		rc = diff_follow(q, &o->diff, &g->result.tree, &c->tree, &o->follow_path, err);
	else
		rc = diff_trees(q, &o->diff, &g->result.tree, &c->tree, err);
	if (!rc && !o->follow_path)
		rc = diff_process(q, &o->diff, err);
	if (!rc && o->diff.formats & DIFF_FORMAT_PATCH && !o->follow_path && !o->diff.pickaxe)
		add_conflicts_alone(q, &o->diff, &g->result);
	return rc;
}

int log_remerge_begin(struct log_remerge **out, struct log_options *o, const struct commit *c, struct diff_queue *q,
		      struct err *err)
{
	struct log_remerge *g = xcalloc(1, sizeof(*g));
	int rc;

	*out = g;
	g->o = o;
	strbuf_init(&g->label[0], 0);
	strbuf_init(&g->label[1], 0);
	g->op = repo_operation_begin(o->repo);
	rc = prepare_remerge(g, err);
	if (!rc)
		rc = repo_operation_open_objects(g->op, err);
	if (!rc)
		rc = merge_again(g, c, err);
	return rc ? rc : compare_remerge(g, c, q, err);
}

void log_remerge_end(struct log_remerge *g)
{
	g->o->diff.extra_header = NULL;
	release_remerge(g);
	repo_operation_abort(g->op);
	repo_operation_free(g->op);
	free(g);
}
