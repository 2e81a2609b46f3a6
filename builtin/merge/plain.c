/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * git-merge(1): the strategies resolve and octopus, and a merge in the index alone. They follow no renames, and compare path by
 * path: git-read-tree(1) takes the simple ones, git-merge-one-file(1) the others. The merge itself is that of merge/trees.h;
 * here is what they print, and which merges count as simple.
 */
#include "compat/posix.h"
#include "builtin/merge/merge-cmd.h"
#include "util/alloc.h"
#include "worktree/unpack-trees.h"

/* ---- which ones are simple ---- */

static int unpack_sides(struct merge_cmd *m, struct unpack_trees *u, struct index_state *ix, const struct oid_array *bases,
			const struct object_id *ours, const struct object_id *theirs, struct err *err)
{
	struct object_id trees[UNPACK_TREES_MAX];
	size_t nr = 0;

	for (; nr < bases->nr && nr + 2 < UNPACK_TREES_MAX; nr++)
		trees[nr] = bases->oid[nr];
	trees[nr++] = *ours;
	trees[nr++] = *theirs;
	u->kind = UNPACK_TREES_THREE;
	index_init(&u->result, m->r->algo);
	return unpack_trees_run(u, m->r, ix, m->update.conv, trees, nr, err);
}

int merge_is_simple(struct merge_cmd *m, const struct oid_array *bases, const struct object_id *ours,
		    const struct object_id *theirs, bool *simple, struct err *err)
{
	struct unpack_trees u = { .aggressive = true, .index_only = true };
	struct index_state ix;
	int rc;

	index_init(&ix, m->r->algo);
	rc = unpack_trees_list(m->r, ours, &ix, err);
	if (!rc)
		rc = unpack_sides(m, &u, &ix, bases, ours, theirs, err);
	if (!rc)
		*simple = !index_has_unmerged(&u.result);
	unpack_trees_release(&u);
	index_release(&ix);
	return rc;
}

int merge_is_simple_here(struct merge_cmd *m, bool *simple, struct err *err)
{
	struct unpack_trees u = { .aggressive = true, .update = true };
	struct oid_array bases = OID_ARRAY_INIT;
	int rc;

	for (size_t i = 0; i < m->bases.nr; i++)
		oid_array_append(&bases, &m->bases.items[i]->tree);
	rc = unpack_sides(m, &u, &m->update.ix, &bases, &m->head_tree, &m->heads.items[0].commit->tree, err);
	if (!rc)
		*simple = !index_has_unmerged(&u.result);
	unpack_trees_release(&u);
	oid_array_clear(&bases);
	return rc;
}

/* ---- messages of git-merge-one-file(1) ---- */

static const char *stage_of(const struct merge_result *r, const char *path, int stage)
{
	for (size_t i = 0; i < r->stages.nr; i++) {
		const struct index_entry *e = r->stages.entries[i];

		if (e->stage == stage && !strcmp(e->name, path))
			return oid_hex(&e->oid);
	}
	return "";
}

static void print_of_file(const struct merge_result *r, const struct merge_message *msg)
{
	const char *path = msg->paths.v[0];

	switch (msg->type) {
	case MERGE_AUTO_MERGING:
		printf(*stage_of(r, path, 2) && !*stage_of(r, path, 1) ? "Added %s in both, but differently.\n" : "Auto-merging %s\n",
		       path);
		break;
	case MERGE_CONFLICT_CONTENTS:
		fprintf(stderr, "ERROR: content conflict in %s\n", path);
		break;
	case MERGE_CONFLICT_BINARY:
		error("Cannot merge binary files: %s", path);
		break;
	case MERGE_CONFLICT_MODIFY_DELETE:
		fprintf(stderr, "ERROR: %s: Not handling case %s -> %s -> %s\n", path, stage_of(r, path, 1), stage_of(r, path, 2),
			stage_of(r, path, 3));
		break;
	default:
		puts(msg->text);
	}
	fflush(stdout);
}

void merge_print_by_file(struct merge_result *r)
{
	for (size_t i = 0; i < r->nr_messages; i++)
		print_of_file(r, &r->messages[i]);
	if (!r->clean)
		fputs("fatal: merge program failed\n", stderr);
}

/* ---- in the index alone ---- */

bool merge_may_be_trivial(const struct merge_cmd *m)
{
	if (m->heads.nr != 1 || m->bases.nr != 1 || !m->o.commit || !m->o.strategies.nr)
		return false;
	for (size_t i = 0; i < m->o.strategies.nr; i++)
		if (strcmp(m->o.strategies.v[i], "resolve") && strcmp(m->o.strategies.v[i], "octopus"))
			return false;
	return true;
}

int merge_check_trivial(struct merge_cmd *m, struct err *err)
{
	struct unpack_trees u = { .trivial_only = true, .update = true };
	struct oid_array bases = OID_ARRAY_INIT;
	int rc;

	oid_array_append(&bases, &m->bases.items[0]->tree);
	rc = unpack_sides(m, &u, &m->update.ix, &bases, &m->head_tree, &m->heads.items[0].commit->tree, err);
	unpack_trees_release(&u);
	oid_array_clear(&bases);
	puts("Trying really trivial in-index merge...");
	if (rc && rc != ERR_CONFLICT)
		return rc;
	puts(rc ? "Nope." : "Wonderful.");
	fflush(stdout);
	if (rc) {
		report_error(err);
		err_release(err);
	}
	m->in_index = !rc;
	return 0;
}
