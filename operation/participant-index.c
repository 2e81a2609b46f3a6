/* SPDX-License-Identifier: GPL-2.0-only */
/* The index: its lock, and what it becomes. */
#include "compat/posix.h"
#include "operation/operation-internal.h"

int repo_operation_lock_index(struct repo_operation *op, struct err *err)
{
	OPERATION_EXPECT(op, OPERATION_ACCEPTS);
	return index_lock(op->repo, &op->index_lock, err);
}

struct lockfile *repo_operation_index_lock(struct repo_operation *op)
{
	return &op->index_lock;
}

void repo_operation_set_index(struct repo_operation *op, struct index_state *ix)
{
	OPERATION_EXPECT(op, OPERATION_ACCEPTS);
	op->index = ix;
}

void repo_operation_set_index_effects(struct repo_operation *op, unsigned effects)
{
	op->index_effects = effects;
}

static bool index_is_pending(const struct repo_operation *op)
{
	return op->index;
}

static void prepare_index(struct repo_operation *op, struct oid_array *named)
{
	if (op->index)
		index_collect_new(op->index, named);
}

static int stage_index(struct repo_operation *op, struct err *err)
{
	struct index_state *ix = op->index;

	op->index = NULL;
	op->index_staged = ix;
	return ix ? index_write_locked(ix, op->repo, &op->index_lock, op->batch, err) : 0;
}

/* The lock is free by then: the hook may change the index. */
static void finish_index(struct repo_operation *op, int rc)
{
	if (op->index_staged && !rc)
		index_tell_change(op->repo, op->index_effects);
	op->index_staged = false;
}

static void abort_index(struct repo_operation *op)
{
	lockfile_release(&op->index_lock);
	op->index = NULL;
}

static void release_index(struct repo_operation *op)
{
	lockfile_release(&op->index_lock);
}

const struct operation_participant operation_index = {
	.is_pending = index_is_pending,
	.prepare = prepare_index,
	.stage = stage_index,
	.finish = finish_index,
	.abort = abort_index,
	.release = release_index,
};
