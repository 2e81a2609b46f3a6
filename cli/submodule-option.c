/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "cli/submodule-option.h"
#include "config/config.h"
#include "fs/file.h"
#include "index/index.h"
#include "odb/odb.h"
#include "util/path.h"

int opt_recurse_submodules(const struct option *opt, const char *arg, int unset)
{
	int *value = opt->value, truth = unset ? 0 : arg ? config_parse_maybe_bool(arg) : 1;

	if (truth < 0)
		die("bad recurse-submodules argument: %s", arg);
	*value = truth;
	return 0;
}

static bool index_has_submodules(struct repository *r)
{
	struct index_state ix;
	struct err err = ERR_INIT;
	bool found = false;

	index_init(&ix, r->algo);
	if (index_read_repo(&ix, r, &err) < 0)
		die_err(&err);
	for (size_t i = 0; i < ix.nr && !found; i++)
		found = MODE_IS_GITLINK(ix.entries[i]->mode) || !strcmp(ix.entries[i]->name, ".gitmodules");
	index_release(&ix);
	return found;
}

static bool tree_has_submodules(struct repository *r, const struct object_id *tree)
{
	struct err err = ERR_INIT;
	struct object_id oid;
	unsigned mode;
	int rc = tree_lookup_path(odb_source(r->odb), tree, ".gitmodules", &mode, &oid, &err);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		die_err(&err);
	err_release(&err);
	return !rc;
}

static bool worktree_has_submodules(const struct repository *r)
{
	char *path = r->worktree ? path_join(r->worktree, ".gitmodules") : NULL;
	bool found = path && file_exists(path);

	free(path);
	return found;
}

bool has_submodules(struct repository *r, const struct object_id *tree)
{
	return worktree_has_submodules(r) || index_has_submodules(r) || (tree && tree_has_submodules(r, tree));
}

void refuse_submodules(struct repository *r, const struct object_id *tree, const char *what)
{
	if (has_submodules(r, tree))
		die("%s is not available yet", what);
}
