/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of operations in progress (repo/state.h): staged at once, as other files; here are the objects that they name. */
#include "compat/posix.h"
#include "operation/operation-internal.h"

static int note_named(void *data, const struct object_id *oid)
{
	oid_array_append(data, oid);
	return 0;
}

int repo_operation_write_state(struct repo_operation *op, enum repo_state_file f, const char *text, size_t len,
			       struct err *err)
{
	OPERATION_EXPECT(op, OPERATION_ACCEPTS);
	if (repo_state_flags(f) & STATE_NAMES_OBJECTS)
		(void)repo_state_foreach_oid(op->repo->algo, text, note_named, &op->named_by_state);
	return repo_state_stage(op->repo, op->batch, f, text, len, err);
}

int repo_operation_remove_state(struct repo_operation *op, enum repo_state_file f, struct err *err)
{
	OPERATION_EXPECT(op, OPERATION_ACCEPTS);
	return repo_state_stage_removal(op->repo, op->batch, f, err);
}

/* sequencer/todo lists one command alone, which has stopped: with it the sequence ends. */
static bool is_last_of_sequence(const struct repository *r)
{
	struct strbuf todo = STRBUF_INIT;
	bool yes = false;

	if (!repo_state_exists(r, STATE_CHERRY_PICK_HEAD) && !repo_state_exists(r, STATE_REVERT_HEAD))
		return false;
	if (!repo_state_read(r, STATE_SEQUENCER_TODO, &todo, NULL)) {
		const char *lf = strchr(todo.buf, '\n');

		yes = todo.len && (!lf || !lf[1]);
	}
	strbuf_release(&todo);
	return yes;
}

int repo_operation_end_state(struct repo_operation *op, unsigned by, struct err *err)
{
	int rc = 0;

	if (is_last_of_sequence(op->repo))
		rc = repo_operation_remove_state(op, STATE_SEQUENCER, err);

	for (size_t f = 0; f < REPO_STATE_NR && !rc; f++)
		if (repo_state_flags((enum repo_state_file)f) & by)
			rc = repo_operation_remove_state(op, (enum repo_state_file)f, err);
	return rc;
}

/* ---- the steps ---- */

static void prepare_state(struct repo_operation *op, struct oid_array *named)
{
	for (size_t i = 0; i < op->named_by_state.nr; i++)
		oid_array_append(named, &op->named_by_state.oid[i]);
}

static void finish_state(struct repo_operation *op, int rc UNUSED)
{
	oid_array_clear(&op->named_by_state);
}

static void forget_state(struct repo_operation *op)
{
	oid_array_clear(&op->named_by_state);
}

const struct operation_participant operation_state_files = {
	.prepare = prepare_state,
	.finish = finish_state,
	.abort = forget_state,
	.release = forget_state,
};
