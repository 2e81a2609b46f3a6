/* SPDX-License-Identifier: GPL-2.0-only */
/* git-merge(1): the strategies, and the change of index and files. */
#include "compat/posix.h"
#include "builtin/merge/merge-cmd.h"
#include "merge/options.h"
#include "util/alloc.h"
#include "worktree/content-merge.h"

/* ---- index and files ---- */

static progress_start_fn meter_of(const struct merge_cmd *m)
{
	if (m->o.progress > 0)
		return progress_start_delayed;
	return m->o.progress < 0 && m->o.verbosity >= 0 ? progress_start : NULL;
}

int merge_plan_update(struct merge_cmd *m, const struct object_id *from, const struct object_id *to,
		      const struct index_state *stages, struct err *err)
{
	struct result_update *u = &m->update;

	u->from = from;
	u->to = to;
	u->stages = stages;
	u->start_meter = meter_of(m);
	u->keep_ignored = !m->o.overwrite_ignore;
	return result_update_plan(u, err);
}

/* ---- ort ---- */

struct ort_run {
	struct merge_trees m;
	struct content_merge attributes;
	char theirs[HASH_MAX_HEX + 1]; /* the label of a head without a name of its own */
};

static int prepare_ort(struct merge_cmd *m, struct ort_run *run, struct err *err)
{
	const bool octopus = m->strategy && !strcmp(m->strategy, "octopus"), resolve = m->strategy && !strcmp(m->strategy, "resolve");
	int rc = merge_options_config(&run->m, m->r->config, err);

	for (size_t i = 0; !rc && !octopus && !resolve && i < m->o.strategy_options.nr; i++)
		if (!merge_options_strategy(&run->m, m->o.strategy_options.v[i]))
			rc = err_set(err, ERR_INVALID, "unknown strategy option: -X%s", m->o.strategy_options.v[i]);
	/* Some strategies are options of ort. */
	if (!rc && (octopus || resolve))
		merge_options_strategy(&run->m, "no-renames");
	if (!rc && m->strategy && !strcmp(m->strategy, "subtree") && !run->m.subtree)
		run->m.subtree = "";
	run->m.odb = m->r->odb;
	run->m.abbrev = m->r->settings.abbrev;
	run->attributes.r = m->r;
	run->attributes.ix = &m->update.ix;
	content_merge_use(&run->attributes, &run->m.rules);
	return rc ? rc : attrs_new(&run->attributes.attrs, m->r, &m->update.ix, ATTR_CHECKIN, err);
}

int merge_one_head(struct merge_cmd *m, struct err *err)
{
	struct ort_run run = { 0 };
	int rc = prepare_ort(m, &run, err);

	run.m.label[MERGE_OURS] = "HEAD";
	run.m.label[MERGE_THEIRS] = m->heads.items[0].name;
	if (strchr(m->heads.items[0].name, '\t')) { /* fetched */
		oid_to_hex_r(run.theirs, &m->heads.items[0].commit->oid);
		run.m.label[MERGE_THEIRS] = run.theirs;
	}
	if (!rc)
		rc = repo_operation_open_objects(m->op, err);
	if (!rc)
		rc = merge_commits(&run.m, m->pool, m->head_commit, m->heads.items[0].commit, &m->bases, &m->result, err);
	m->has_result = !rc;
	content_merge_release(&run.attributes);
	attrs_free(run.attributes.attrs);
	return rc;
}

/* ---- resolve ---- */

static int merge_by_resolve(struct merge_cmd *m, struct err *err)
{
	bool simple = false;
	int rc = merge_is_simple_here(m, &simple, err);

	if (!rc)
		puts("Trying simple merge.");
	if (!rc && !simple)
		puts("Simple merge failed, trying Automatic merge.");
	fflush(stdout);
	if (!rc)
		rc = merge_one_head(m, err);
	if (!rc) {
		merge_print_by_file(&m->result);
		m->has_told = true;
	}
	return rc;
}

/* ---- octopus ---- */

/* All bases, for a simple merge; the first one, or the empty tree, for a merge of files. */
static int find_octopus_bases(struct merge_cmd *m, struct commit *c, const struct commit_list *parts, struct oid_array *out,
			      struct err *err)
{
	struct commit_list bases = COMMIT_LIST_INIT;
	int rc = merge_bases(m->pool, c, parts->items, parts->nr, &bases, err);

	for (size_t i = 0; !rc && i < bases.nr; i++)
		oid_array_append(out, &bases.items[i]->tree);
	if (!rc && !out->nr)
		oid_array_append(out, &m->r->algo->empty_tree);
	commit_list_clear(&bases);
	return rc;
}

/* The tree so far and one head more; *result only on success. */
static int add_octopus_head(struct merge_cmd *m, struct ort_run *run, struct commit *c, const struct commit_list *parts,
			    const struct object_id *tree, struct merge_result *result, struct err *err)
{
	struct oid_array bases = OID_ARRAY_INIT;
	struct object_id base = { 0 };
	bool simple = false;
	int rc = find_octopus_bases(m, c, parts, &bases, err);

	if (!rc) {
		base = bases.oid[0];
		rc = merge_is_simple(m, &bases, tree, &c->tree, &simple, err);
	}
	if (!rc && !simple)
		puts("Simple merge did not work, trying automatic merge.");
	fflush(stdout);
	run->m.tree[MERGE_BASE] = &base;
	run->m.tree[MERGE_OURS] = tree;
	run->m.tree[MERGE_THEIRS] = &c->tree;
	run->m.label[MERGE_BASE] = "base";
	run->m.label[MERGE_OURS] = "HEAD";
	oid_to_hex_r(run->theirs, &c->oid);
	run->m.label[MERGE_THEIRS] = run->theirs;
	if (!rc)
		rc = merge_trees(&run->m, result, err);
	if (!rc)
		merge_print_by_file(result);
	oid_array_clear(&bases);
	return rc;
}

static int try_octopus_head(struct merge_cmd *m, struct ort_run *run, size_t i, struct commit_list *parts,
			    struct object_id *tree, struct err *err)
{
	const struct merge_head *h = &m->heads.items[i];
	struct merge_result result;
	int rc = parts->nr == 1 && parts->items[0] == m->head_commit ? is_ancestor(m->pool, m->head_commit, h->commit, err) : 0;

	if (rc < 0)
		return rc;
	if (rc) {
		printf("Fast-forwarding to: %s\n", merge_head_label(h));
		*tree = h->commit->tree;
		parts->items[0] = h->commit;
		return 0;
	}
	printf("Trying simple merge with %s\n", merge_head_label(h));
	fflush(stdout);
	rc = add_octopus_head(m, run, h->commit, parts, tree, &result, err);
	if (rc)
		return rc;
	commit_list_add(parts, h->commit);
	*tree = result.tree;
	if (!result.clean && i + 1 == m->heads.nr) { /* a person can resolve it: no head comes after it */
		m->result = result;
		m->has_result = m->has_told = true;
		return 0;
	}
	rc = result.clean ? 0 : 1;
	if (rc)
		puts("Automated merge did not work.\nShould not be doing an octopus.");
	fflush(stdout);
	merge_result_release(&result);
	return rc;
}

int merge_octopus(struct merge_cmd *m, struct err *err)
{
	struct commit_list parts = COMMIT_LIST_INIT;
	struct ort_run run = { 0 };
	struct object_id tree = m->head_tree;
	int rc = prepare_ort(m, &run, err);

	commit_list_add(&parts, m->head_commit);
	if (!rc)
		rc = repo_operation_open_objects(m->op, err);
	for (size_t i = 0; !rc && i < m->heads.nr; i++)
		rc = try_octopus_head(m, &run, i, &parts, &tree, err);
	if (!rc && !m->has_result) {
		m->result = (struct merge_result){ .tree = tree, .clean = true };
		index_init(&m->result.stages, m->r->algo);
		m->has_result = true;
	}
	commit_list_clear(&parts);
	content_merge_release(&run.attributes);
	attrs_free(run.attributes.attrs);
	return rc;
}

/* ---- any of ours ---- */

static int add_staged(void *data, const char *path, unsigned old_mode UNUSED, const struct object_id *old_oid UNUSED,
		      const struct index_entry *e UNUSED, struct err *err UNUSED)
{
	strbuf_addf(data, "\n  %s", path);
	return 0;
}

/* Nothing may be staged: it would become a part of the merge. */
int merge_check_index(struct merge_cmd *m, struct err *err)
{
	struct strbuf paths = STRBUF_INIT;
	int rc = index_diff_tree(&m->update.ix, odb_source(m->r->odb), &m->head_tree, add_staged, &paths, err);

	if (!rc && paths.len)
		rc = err_set(err, ERR_CONFLICT, "Your local changes to the following files would be overwritten by merge:%s",
			     paths.buf);
	strbuf_release(&paths);
	return rc;
}

static int keep_ours(struct merge_cmd *m)
{
	m->result = (struct merge_result){ .tree = m->head_tree, .clean = true };
	index_init(&m->result.stages, m->r->algo);
	m->has_result = true;
	return 0;
}

/* Strategies for two commits. */
static int refuse_octopus(const struct merge_cmd *m)
{
	if (strcmp(m->strategy, "resolve"))
		error("Not handling anything other than two heads merge.");
	return 1;
}

int merge_run_strategy(struct merge_cmd *m, struct err *err)
{
	if (!strcmp(m->strategy, "ours"))
		return keep_ours(m);
	if (!strcmp(m->strategy, "octopus"))
		return m->heads.nr > 1 ? merge_octopus(m, err) : 1;
	if (m->heads.nr > 1)
		return refuse_octopus(m);
	return strcmp(m->strategy, "resolve") ? merge_one_head(m, err) : merge_by_resolve(m, err);
}

int merge_report_failed(const struct merge_cmd *m, struct err *err)
{
	if (err->msg && strcmp(m->strategy, "ours"))
		report_error(err);
	if (m->o.strategies.nr > 1)
		fputs("No merge strategy handled the merge.\n", stderr);
	else
		fprintf(stderr, "Merge with strategy %s failed.\n", m->strategy);
	return 2;
}
