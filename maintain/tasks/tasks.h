/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks of git-maintenance(1): which of them run, whether one is due, and doing it.
 *
 *   maintenance_plan_read(&plan, r, SCHEDULE_NONE, err)   or of named tasks
 *   for each task of the plan:
 *           maintenance_task_is_due(r, task, &due, err)       with --auto
 *           maintenance_task_run(r, task, &options, err)
 *
 * Durability: each task is one operation, with one flush where one is enough for a command; `gc` as git-gc(1).
 *             A task that fails leaves what earlier ones have done.
 */
#ifndef MAINTAIN_TASKS_TASKS_H
#define MAINTAIN_TASKS_TASKS_H

#include "compat/posix.h"
#include "repo/repo.h"

/* In the order in which they run, if the user does not name them. */
enum maintenance_task {
	TASK_PREFETCH,
	TASK_LOOSE_OBJECTS,
	TASK_INCREMENTAL_REPACK,
	TASK_GEOMETRIC_REPACK,
	TASK_GC,
	TASK_COMMIT_GRAPH,
	TASK_PACK_REFS,
	TASK_REFLOG_EXPIRE,
	TASK_WORKTREE_PRUNE,
	TASK_RERERE_GC,
	TASK_NR
};
/* In the order of frequency: an hourly run also does daily tasks that are due. */
enum maintenance_schedule { SCHEDULE_NONE, SCHEDULE_WEEKLY, SCHEDULE_DAILY, SCHEDULE_HOURLY };

const char *maintenance_task_name(enum maintenance_task t);
bool maintenance_task_find(const char *name, enum maintenance_task *out);
/* Does it lock refs for long, so that who has started us should wait for it? */
bool maintenance_task_is_foreground(enum maintenance_task t);
bool maintenance_schedule_parse(const char *name, enum maintenance_schedule *out);

struct maintenance_plan {
	enum maintenance_task v[TASK_NR];
	size_t nr;
};
/*
 * Reads maintenance.strategy, maintenance.<task>.enabled and .schedule. The plan has the tasks of
 * git maintenance run or, if schedule is not NONE, the tasks that have to run at least that often.
 * ERR_INVALID.
 */
MUST_USE int maintenance_plan_read(struct maintenance_plan *out, struct repository *r,
				   enum maintenance_schedule schedule, struct err *err);

/* By maintenance.<task>.auto: so much to do that it is worth while? */
MUST_USE int maintenance_task_is_due(struct repository *r, enum maintenance_task t, bool *out,
				     struct err *err);

struct maintenance_options {
	bool if_due; /* the hook pre-auto-gc can forbid gc */
	/* Called now and then; may be NULL. */
	void (*progress)(void *data, const char *title, uint64_t done, uint64_t total);
	/* What could not be done without being a failure of the task; may be NULL. */
	void (*warn)(void *data, const char *msg);
	/* git fetch --prefetch of that remote, by another process; false: it has failed, and has said why. */
	bool (*prefetch)(void *data, const char *remote);
	void *data;
};
MUST_USE int maintenance_task_run(struct repository *r, enum maintenance_task t,
				  const struct maintenance_options *o, struct err *err);

/*
 * For a command that has just written objects or refs: is git maintenance run --auto worth being
 * started? Only cheap checks are made: loose objects by a sample, the list of packs, loose refs. Other
 * tasks are looked at once one of these is due; or always, if none of these is to be done here.
 */
MUST_USE int auto_maintenance_is_due(struct repository *r, bool *out, struct err *err);

#endif
