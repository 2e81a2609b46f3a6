/* SPDX-License-Identifier: GPL-2.0-only */
/* The single tasks: whether they are due, and what they do. */
#ifndef MAINTAIN_TASKS_TASKS_INTERNAL_H
#define MAINTAIN_TASKS_TASKS_INTERNAL_H

#include "compat/posix.h"
#include "maintain/tasks/tasks.h"
#include "operation/operation.h"

/* ---- task-prefetch.c ---- */
MUST_USE int task_prefetch(struct repository *r, struct repo_operation *op, const struct maintenance_options *o,
			   struct err *err);

/* ---- task-objects.c ---- */
MUST_USE int task_loose_objects_is_due(struct repository *r, int limit, bool *out, struct err *err);
MUST_USE int task_loose_objects(struct repository *r, struct repo_operation *op,
				const struct maintenance_options *o, struct err *err);
MUST_USE int task_incremental_repack_is_due(struct repository *r, int limit, bool *out, struct err *err);
MUST_USE int task_incremental_repack(struct repository *r, struct repo_operation *op,
				     const struct maintenance_options *o, struct err *err);

/* ---- task-repack.c ---- */
MUST_USE int task_geometric_repack_is_due(struct repository *r, int limit, bool *out, struct err *err);
MUST_USE int task_geometric_repack(struct repository *r, struct repo_operation *op,
				   const struct maintenance_options *o, struct err *err);
MUST_USE int task_gc(struct repository *r, struct repo_operation *op,
		     const struct maintenance_options *o, struct err *err);

/* ---- task-graph.c ---- */
MUST_USE int task_commit_graph_is_due(struct repository *r, int limit, bool *out, struct err *err);
MUST_USE int task_commit_graph(struct repository *r, struct repo_operation *op,
			       const struct maintenance_options *o, struct err *err);

/* ---- task-refs.c ---- */
MUST_USE int task_pack_refs_is_due(struct repository *r, int limit, bool *out, struct err *err);
MUST_USE int task_pack_refs(struct repository *r, struct repo_operation *op,
			    const struct maintenance_options *o, struct err *err);
MUST_USE int task_reflog_expire_is_due(struct repository *r, int limit, bool *out, struct err *err);
MUST_USE int task_reflog_expire(struct repository *r, struct repo_operation *op,
				const struct maintenance_options *o, struct err *err);

/* ---- task-leftovers.c ---- */
MUST_USE int task_worktree_prune_is_due(struct repository *r, int limit, bool *out, struct err *err);
MUST_USE int task_worktree_prune(struct repository *r, struct repo_operation *op,
				 const struct maintenance_options *o, struct err *err);
MUST_USE int task_rerere_gc_is_due(struct repository *r, int limit, bool *out, struct err *err);
MUST_USE int task_rerere_gc(struct repository *r, struct repo_operation *op,
			    const struct maintenance_options *o, struct err *err);

#endif
