/* SPDX-License-Identifier: GPL-2.0-only */
/* See tasks.h: the table of tasks. */
#include "compat/posix.h"
#include "maintain/auto.h"
#include "maintain/tasks/tasks-internal.h"
#include "util/alloc.h"

struct task {
	bool foreground;
	bool is_cheap; /* to find out whether it is due */
	bool of_objects; /* it takes care of new objects */
	int auto_limit; /* maintenance.<task>.auto; 0: never */
	int (*is_due)(struct repository *r, int limit, bool *out, struct err *err);
	int (*run)(struct repository *r, struct repo_operation *op, const struct maintenance_options *o,
		   struct err *err);
};

static int gc_is_due(struct repository *r, int limit UNUSED, bool *out, struct err *err UNUSED)
{
	*out = gc_auto_needed(r, NULL);
	return 0;
}

static const struct task tasks[TASK_NR] = {
	[TASK_PREFETCH] = { .run = task_prefetch },
	[TASK_LOOSE_OBJECTS] = { false, true, true, 100, task_loose_objects_is_due,
				 task_loose_objects },
	[TASK_INCREMENTAL_REPACK] = { false, true, true, 10,
				      task_incremental_repack_is_due, task_incremental_repack },
	[TASK_GEOMETRIC_REPACK] = { false, true, true, 100, task_geometric_repack_is_due,
				    task_geometric_repack },
	[TASK_GC] = { false, true, true, 1, gc_is_due, task_gc },
	[TASK_COMMIT_GRAPH] = { false, false, false, 100, task_commit_graph_is_due,
				task_commit_graph },
	[TASK_PACK_REFS] = { true, true, false, 1, task_pack_refs_is_due, task_pack_refs },
	[TASK_REFLOG_EXPIRE] = { true, false, false, 100, task_reflog_expire_is_due,
				 task_reflog_expire },
	[TASK_WORKTREE_PRUNE] = { false, false, false, 1, task_worktree_prune_is_due,
				  task_worktree_prune },
	[TASK_RERERE_GC] = { false, false, false, 1, task_rerere_gc_is_due, task_rerere_gc },
};

bool maintenance_task_is_foreground(enum maintenance_task t)
{
	return tasks[t].foreground;
}

/* ---- is it due? ---- */

int maintenance_task_is_due(struct repository *r, enum maintenance_task t, bool *out, struct err *err)
{
	char *key = xstrfmt("maintenance.%s.auto", maintenance_task_name(t));
	int limit = tasks[t].auto_limit;
	int rc = config_get_int(r->config, key, &limit, err);

	free(key);
	if (rc < 0)
		return rc;
	if (tasks[t].is_due && limit > 0)
		return tasks[t].is_due(r, limit, out, err);
	*out = limit < 0;
	return 0;
}

int auto_maintenance_is_due(struct repository *r, bool *out, struct err *err)
{
	bool due = false, cares_for_objects = false;
	struct maintenance_plan plan;
	int rc = maintenance_plan_read(&plan, r, SCHEDULE_NONE, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < plan.nr && !due && !rc; i++) {
		cares_for_objects |= tasks[plan.v[i]].of_objects;
		if (tasks[plan.v[i]].is_cheap)
			rc = maintenance_task_is_due(r, plan.v[i], &due, err);
	}
	if (rc < 0)
		return rc;
	*out = due || (plan.nr && !cares_for_objects);
	return 0;
}

/* ---- doing it ---- */

int maintenance_task_run(struct repository *r, enum maintenance_task t, const struct maintenance_options *o,
			 struct err *err)
{
	struct repo_operation *op = repo_operation_begin(r);
	int rc = tasks[t].run(r, op, o, err);
	return repo_operation_end(op, rc, err);
}
