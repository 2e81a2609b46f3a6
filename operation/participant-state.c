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
	if (!repo_state_is_stored_ref(op->repo, f))
		return repo_state_stage(op->repo, op->batch, f, text, len, err);
	if (oid_parse_hex(&op->stored_values[f], text, op->repo->algo, NULL) < 0)
		BUG("'%s' is to hold no object name", repo_state_name(f));
	op->stored_states[f] = STORED_STATE_IS_SET;
	return 0;
}

int repo_operation_write_state_in(struct repo_operation *op, enum repo_state_file dir, const char *name, const char *text,
				  size_t len, struct err *err)
{
	OPERATION_EXPECT(op, OPERATION_ACCEPTS);
	return repo_state_stage_in(op->repo, op->batch, dir, name, text, len, err);
}

int repo_operation_remove_state(struct repo_operation *op, enum repo_state_file f, struct err *err)
{
	OPERATION_EXPECT(op, OPERATION_ACCEPTS);
	if (!repo_state_is_stored_ref(op->repo, f))
		return repo_state_stage_removal(op->repo, op->batch, f, err);
	op->stored_states[f] = repo_state_exists(op->repo, f) ? STORED_STATE_GOES : STORED_STATE_STAYS;
	return 0;
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

/* ---- refs in tables ---- */

static int queue_stored_state(struct repo_operation *op, enum repo_state_file f, struct err *err)
{
	const struct object_id *value = op->stored_states[f] == STORED_STATE_GOES ? &op->repo->algo->null_oid : &op->stored_values[f];

	if (op->stored_states[f] == STORED_STATE_STAYS)
		return 0;
	op->stored_states[f] = STORED_STATE_STAYS;
	if (!op->refs_open) {
		ref_transaction_free(op->refs);
		op->refs = ref_transaction_begin(op->repo->refs, 0);
		op->refs_open = true;
	}
	return ref_transaction_update(op->refs, repo_state_name(f), value, NULL, REF_NO_DEREF | REF_SKIP_REFLOG, NULL, err);
}

int operation_queue_stored_states(struct repo_operation *op, struct err *err)
{
	int rc = 0;

	for (size_t f = 0; f < REPO_STATE_NR && !rc; f++)
		rc = queue_stored_state(op, (enum repo_state_file)f, err);
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
	memset(op->stored_states, 0, sizeof(op->stored_states));
}

const struct operation_participant operation_state_files = {
	.prepare = prepare_state,
	.finish = finish_state,
	.abort = forget_state,
	.release = forget_state,
};
