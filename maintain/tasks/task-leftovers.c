/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks of git-maintenance(1) that remove unused files: worktree-prune, rerere-gc. */
#include "compat/posix.h"
#include <dirent.h>
#include "maintain/rerere-gc.h"
#include "maintain/tasks/tasks-internal.h"
#include "maintain/worktree-prune.h"
#include "util/alloc.h"
#include "util/path.h"

/* ---- worktree-prune ---- */

/* gc.worktreePruneExpire */
static int read_expiry(struct repository *r, timestamp_t *out, struct err *err)
{
	const struct config_entry *e = config_get(r->config, "gc.worktreepruneexpire");

	if (e)
		return config_entry_past(e, out, err);
	return date_parse_expiry("3.months.ago", out) < 0 ? ERR_INVALID : 0;
}

int task_worktree_prune_is_due(struct repository *r, int limit, bool *out, struct err *err)
{
	struct string_list ids = STRING_LIST_INIT;
	timestamp_t before;
	int rc = read_expiry(r, &before, err);

	if (!rc)
		rc = worktrees_find_prunable(&ids, r, before, err);
	if (!rc)
		*out = ids.nr >= (size_t)limit;
	string_list_clear(&ids, NULL);
	return rc;
}

int task_worktree_prune(struct repository *r, struct repo_operation *op,
			const struct maintenance_options *o UNUSED, struct err *err)
{
	timestamp_t before;
	int rc = read_expiry(r, &before, err);

	return rc < 0 ? rc : worktree_prune_run(op, r, before, err);
}

/* ---- rerere-gc ---- */

int task_rerere_gc_is_due(struct repository *r, int limit UNUSED, bool *out, struct err *err UNUSED)
{
	char *path = path_join(r->commondir, "rr-cache");
	DIR *dir = opendir(path);
	struct dirent *de;
	bool any = false;

	while (dir && !any && (de = readdir(dir)))
		any = strcmp(de->d_name, ".") && strcmp(de->d_name, "..");
	if (dir)
		closedir(dir);
	free(path);
	*out = any;
	return 0;
}

int task_rerere_gc(struct repository *r, struct repo_operation *op,
		   const struct maintenance_options *o UNUSED, struct err *err)
{
	return rerere_gc_run(op, r, err);
}
