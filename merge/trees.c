/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "merge/renames.h"
#include "merge/subtree.h"
#include "util/alloc.h"

/* ---- the stages ---- */

static int stage_order(const void *a, const void *b)
{
	const struct index_entry *x = *(struct index_entry *const *)a, *y = *(struct index_entry *const *)b;
	int cmp = strcmp(x->name, y->name);

	return cmp ? cmp : (int)x->stage - (int)y->stage;
}

static void list_stages(const struct merge_run *run, struct index_state *ix)
{
	index_init(ix, run->algo);
	for (size_t i = 0; i < run->nr; i++) {
		const struct merge_path *p = run->all[i];

		for (unsigned s = 0; p->state == PATH_CONFLICTED && s < MERGE_STAGES; s++) {
			const struct merge_version *v = &p->version[s];

			if (!v->mode)
				continue;
			ALLOC_GROW(ix->entries, ix->nr + 1, ix->alloc);
			ix->entries[ix->nr++] = index_entry_new(ix, v->mode, &v->oid, p->path, strlen(p->path), s + 1);
		}
	}
	if (ix->nr)
		qsort(ix->entries, ix->nr, sizeof(*ix->entries), stage_order);
}

/* ---- the merge ---- */

static void free_messages(struct merge_message *messages, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		strvec_clear(&messages[i].paths);
		free(messages[i].text);
	}
	free(messages);
}

static void release_run(struct merge_run *run)
{
	for (size_t i = 0; i < run->nr; i++) {
		free(run->all[i]->path);
		free(run->all[i]);
	}
	free(run->all);
	strmap_clear(&run->paths, NULL);
	free_messages(run->messages, run->nr_messages);
}

/* The messages change hands. */
static void set_outcome(struct merge_run *run, const struct object_id *tree, struct merge_result *result)
{
	merge_sort_messages(run);
	*result = (struct merge_result){ .tree = *tree, .clean = !run->conflicts, .messages = run->messages,
					 .nr_messages = run->nr_messages, .needed_rename_limit = run->needed_rename_limit };
	run->messages = NULL;
	run->nr_messages = 0;
	list_stages(run, &result->stages);
}

static int handle_renames(struct merge_run *run)
{
	struct merge_renames renames = MERGE_RENAMES_INIT;
	int rc = merge_find_renames(run, &renames);

	if (!rc)
		rc = merge_follow_directories(run, &renames);
	if (!rc)
		rc = merge_follow_renames(run, &renames);
	merge_renames_release(&renames);
	return rc;
}

static int merge_shaped(const struct merge_trees *m, struct merge_result *result, struct err *err)
{
	struct merge_run run = { .m = m, .algo = odb_algo(m->odb), .paths = STRMAP_INIT, .err = err };
	struct object_id tree;
	int rc = merge_collect(&run);

	if (!rc)
		rc = handle_renames(&run);
	if (!rc)
		rc = merge_finish(&run, &tree);
	if (!rc)
		set_outcome(&run, &tree, result);
	release_run(&run);
	return rc;
}

int merge_trees(const struct merge_trees *m, struct merge_result *result, struct err *err)
{
	struct merge_trees shaped = *m;
	struct object_id base, theirs;
	int rc;

	if (!m->subtree)
		return merge_shaped(m, result, err);
	shaped.tree[MERGE_BASE] = &base;
	shaped.tree[MERGE_THEIRS] = &theirs;
	rc = merge_shift_tree(m->odb, m->tree[MERGE_OURS], m->tree[MERGE_THEIRS], m->subtree, &theirs, err);
	if (!rc)
		rc = merge_shift_tree(m->odb, m->tree[MERGE_OURS], m->tree[MERGE_BASE], m->subtree, &base, err);
	return rc ? rc : merge_shaped(&shaped, result, err);
}

void merge_result_release(struct merge_result *result)
{
	index_release(&result->stages);
	free_messages(result->messages, result->nr_messages);
	result->messages = NULL;
	result->nr_messages = 0;
}
