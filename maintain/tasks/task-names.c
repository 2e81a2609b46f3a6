/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of tasks and of frequencies. */
#include "compat/posix.h"
#include "maintain/tasks/tasks.h"

static const char *const names[TASK_NR] = {
	[TASK_PREFETCH] = "prefetch",
	[TASK_LOOSE_OBJECTS] = "loose-objects",
	[TASK_INCREMENTAL_REPACK] = "incremental-repack",
	[TASK_GEOMETRIC_REPACK] = "geometric-repack",
	[TASK_GC] = "gc",
	[TASK_COMMIT_GRAPH] = "commit-graph",
	[TASK_PACK_REFS] = "pack-refs",
	[TASK_REFLOG_EXPIRE] = "reflog-expire",
	[TASK_WORKTREE_PRUNE] = "worktree-prune",
	[TASK_RERERE_GC] = "rerere-gc",
};

const char *maintenance_task_name(enum maintenance_task t)
{
	return names[t];
}

bool maintenance_task_find(const char *name, enum maintenance_task *out)
{
	for (unsigned t = 0; t < TASK_NR; t++) {
		if (!strcasecmp(names[t], name)) {
			*out = t;
			return true;
		}
	}
	return false;
}

bool maintenance_schedule_parse(const char *name, enum maintenance_schedule *out)
{
	static const struct {
		const char *name;
		enum maintenance_schedule value;
	} all[] = { { "hourly", SCHEDULE_HOURLY }, { "daily", SCHEDULE_DAILY }, { "weekly", SCHEDULE_WEEKLY } };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!strcasecmp(all[i].name, name)) {
			*out = all[i].value;
			return true;
		}
	}
	return false;
}
