/* SPDX-License-Identifier: GPL-2.0-only */
/* The ref transaction of an operation, and its hook. */
#include "compat/posix.h"
#include "operation/operation-internal.h"
#include "repo/hook.h"
#include "repo/ident.h"

/* ---- the hook ---- */

#define REF_HOOK "reference-transaction"

static bool has_ref_hook(void *data)
{
	const struct repo_operation *op = data;

	return repo_has_hook(op->repo, REF_HOOK);
}

/* It may look at the objects that the refs will name, and at the refs as they are. */
static int run_ref_hook(void *data, const char *state, const char *lines, struct err *err)
{
	const char *args[] = { state, NULL };
	struct repo_operation *op = data;
	int rc = repo_operation_show_objects(op, err);

	return rc ? rc : repo_run_hook(op->repo, REF_HOOK, NULL, args, lines, err);
}

/* ---- the transaction ---- */

struct ref_transaction *repo_operation_new_refs(struct repo_operation *op, unsigned flags)
{
	OPERATION_EXPECT(op, OPERATION_ACCEPTS);
	if (op->refs_open)
		BUG("an operation has one ref transaction at a time");
	ref_transaction_free(op->refs);
	op->refs = ref_transaction_begin(op->repo->refs, flags);
	op->refs_open = true;
	return op->refs;
}

struct ref_transaction *repo_operation_refs(const struct repo_operation *op)
{
	return op->refs_open ? op->refs : NULL;
}

int repo_operation_begin_refs(struct repo_operation *op, unsigned flags,
			      struct ref_transaction **out, struct err *err)
{
	struct strbuf ident = STRBUF_INIT;
	int rc = repo_ident(op->repo, &ident, IDENT_COMMITTER, err);

	if (!rc) {
		*out = repo_operation_new_refs(op, flags);
		ref_transaction_set_ident(*out, ident.buf);
	}
	strbuf_release(&ident);
	return rc;
}

/* ---- the steps ---- */

static void begin_refs(struct repo_operation *op)
{
	struct ref_hook hook = { .is_there = has_ref_hook, .run = run_ref_hook, .data = op };

	ref_store_set_hook(op->repo->refs, &hook);
}

static bool refs_are_pending(const struct repo_operation *op)
{
	return op->refs_open;
}

static void prepare_refs(struct repo_operation *op, struct oid_array *named)
{
	if (op->refs_open)
		ref_transaction_new_values(op->refs, named);
}

static int stage_refs(struct repo_operation *op, struct err *err)
{
	int rc = operation_queue_stored_states(op, err);

	return rc ? rc : op->refs_open ? ref_transaction_prepare(op->refs, op->batch, err) : 0;
}

/* Tells the hook, if there was anything to tell. The result of each ref can still be asked for. */
static void finish_refs(struct repo_operation *op, int rc)
{
	if (op->refs_open)
		ref_transaction_finish(op->refs, rc);
	op->refs_open = false;
}

static void abort_refs(struct repo_operation *op)
{
	finish_refs(op, ERR_ABORTED);
	if (op->tells_abort && op->refs)
		ref_transaction_abort(op->refs);
	op->tells_abort = false;
}

void repo_operation_abort_and_tell(struct repo_operation *op)
{
	op->tells_abort = true;
	repo_operation_abort(op);
}

static void release_refs(struct repo_operation *op)
{
	static const struct ref_hook none;

	ref_transaction_free(op->refs);
	ref_store_set_hook(op->repo->refs, &none);
}

const struct operation_participant operation_refs = {
	.begin = begin_refs,
	.is_pending = refs_are_pending,
	.prepare = prepare_refs,
	.stage = stage_refs,
	.finish = finish_refs,
	.abort = abort_refs,
	.release = release_refs,
};
