/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/clean-worktree.h"
#include "cli/cli.h"
#include "odb/odb.h"
#include "worktree/worktree.h"

struct cleanliness {
	bool unstaged, staged;
};

static void note_unstaged(void *data, const struct index_entry *e, enum worktree_change why UNUSED)
{
	*(bool *)data |= !MODE_IS_GITLINK(e->mode);
}

int has_unstaged_changes(struct repository *r, struct index_state *ix, bool *out, struct err *err)
{
	struct converter *conv = NULL;
	int rc = converter_new(&conv, r, ix, ATTR_CHECKIN, err);

	*out = false;
	if (!rc)
		rc = worktree_refresh_index(r, ix, NULL, conv, note_unstaged, out, err);
	converter_free(conv);
	return rc;
}

static int note_staged(void *data, const char *path UNUSED, unsigned old_mode UNUSED, const struct object_id *old_oid UNUSED,
		       const struct index_entry *e UNUSED, struct err *err UNUSED)
{
	struct cleanliness *clean = data;

	clean->staged = true;
	return 0;
}

bool print_unmerged(const struct index_state *ix)
{
	const char *last = "";

	for (size_t i = 0; i < ix->nr; i++) {
		if (!ix->entries[i]->stage || !strcmp(last, ix->entries[i]->name))
			continue;
		last = ix->entries[i]->name;
		printf("%s: needs merge\n", last);
	}
	fflush(stdout);
	return *last;
}

static int read_cleanliness(struct repository *r, const struct object_id *head, struct cleanliness *clean, struct err *err)
{
	struct index_state ix;
	struct object_id tree;
	int rc;

	index_init(&ix, r->algo);
	rc = index_read_repo(&ix, r, err);
	if (!rc)
		rc = has_unstaged_changes(r, &ix, &clean->unstaged, err);
	(void)print_unmerged(&ix);
	if (!rc)
		rc = object_peel(odb_source(r->odb), head, OBJ_TREE, &tree, NULL, err);
	if (!rc)
		rc = index_diff_tree(&ix, odb_source(r->odb), &tree, note_staged, clean, err);
	index_release(&ix);
	return rc;
}

int tell_if_unclean(struct repository *r, const struct object_id *head, const char *action, struct err *err)
{
	struct cleanliness clean = { false, false };
	int rc = read_cleanliness(r, head, &clean, err);

	if (rc || (!clean.staged && !clean.unstaged))
		return rc;
	if (clean.unstaged)
		error("cannot %s: You have unstaged changes.", action);
	if (clean.staged && clean.unstaged)
		error("additionally, your index contains uncommitted changes.");
	else if (clean.staged)
		error("cannot %s: Your index contains uncommitted changes.", action);
	return 1;
}

int require_clean_worktree(struct repository *r, const struct object_id *head, const char *action, struct err *err)
{
	int rc = tell_if_unclean(r, head, action, err);

	if (rc > 0)
		error("Please commit or stash them.");
	return rc;
}
