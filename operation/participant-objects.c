/* SPDX-License-Identifier: GPL-2.0-only */
/* New objects, and those of other processes on which the operation depends. */
#include "compat/posix.h"
#include "operation/operation-internal.h"

static void begin_objects(struct repo_operation *op)
{
	odb_begin_adoption(op->repo->odb, op->batch);
}

int repo_operation_open_objects(struct repo_operation *op, struct err *err)
{
	struct odb *odb = op->repo->odb;

	OPERATION_EXPECT(op, OPERATION_ACCEPTS);
	return odb_batch(odb) ? 0 : odb_begin_batch(odb, op->batch, err);
}

/* Young objects that others have written become part of the operation, if it needs them. */
static int stage_objects(struct repo_operation *op, struct err *err)
{
	struct odb *odb = op->repo->odb;
	int rc = odb_adopt(odb, err);

	return !rc && odb_batch(odb) ? odb_stage_batch(odb, err) : rc;
}

static int publish_objects(struct repo_operation *op, struct err *err)
{
	int rc = stage_objects(op, err);

	return rc ? rc : fsync_batch_publish_objects(op->batch, err);
}

static void abort_objects(struct repo_operation *op)
{
	odb_abort_batch(op->repo->odb);
}

static void release_objects(struct repo_operation *op)
{
	odb_end_batch(op->repo->odb);
	odb_end_adoption(op->repo->odb);
}

/* is_pending: odb_end_batch finds objects that were never staged by itself. */
const struct operation_participant operation_objects = {
	.begin = begin_objects,
	.stage = stage_objects,
	.publish = publish_objects,
	.abort = abort_objects,
	.release = release_objects,
};

/* ---- one object ---- */

int repo_operation_write_object(struct repository *r, enum object_type type, const void *data,
				size_t size, struct object_id *oid, struct err *err)
{
	struct repo_operation *op = repo_operation_begin(r);
	int rc = repo_operation_open_objects(op, err);

	if (!rc)
		rc = odb_write(r->odb, type, data, size, oid, err);
	return repo_operation_end(op, rc, err);
}
