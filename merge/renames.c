/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "merge/renames.h"
#include "util/alloc.h"

/* The side has no such file any more. */
static bool is_source(const struct merge_path *p, enum merge_stage side)
{
	return merge_has(p, MERGE_BASE) && !merge_has(p, side);
}

static bool is_relevant(const struct merge_path *p, enum merge_stage side)
{
	return !merge_version_eq(&p->version[MERGE_BASE], &p->version[merge_other_side(side)]);
}

/* A directory that the side has removed, and to which the other side has added a file. */
static bool is_directory_source(const struct merge_run *run, const struct merge_path *p, enum merge_stage side)
{
	enum merge_stage other = merge_other_side(side);
	const char *slash = strrchr(p->path, '/');
	const struct merge_path *dir;
	char *name;

	if (!slash || !merge_has(p, other) || merge_has(p, MERGE_BASE))
		return false;
	name = xmemdupz(p->path, (size_t)(slash - p->path));
	dir = merge_path_find(run, name);
	free(name);
	return dir && dir->dir[MERGE_BASE].mode && !dir->dir[side].mode;
}

bool merge_may_have_renamed(const struct merge_run *run, enum merge_stage side)
{
	for (size_t i = 0; i < run->nr; i++) {
		const struct merge_path *p = run->all[i];

		if ((is_source(p, side) && is_relevant(p, side)) || is_directory_source(run, p, side))
			return true;
	}
	return false;
}
