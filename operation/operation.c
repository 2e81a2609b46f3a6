// SPDX-License-Identifier: GPL-2.0-only
/* The states of an operation (operation.h), and its steps over the participants. */
#include "compat/posix.h"
#include "fs/file.h"
#include "fs/owner.h"
#include "operation/operation-internal.h"
#include "util/alloc.h"
#include "util/string-list.h"

/* ---- states ---- */

static const char *const state_names[OPERATION_STATE_NR] = {
	"OPEN", "STAGING", "PREPARED", "PUBLISHING", "UNSEALED", "ABORTING"
};

enum operation_state repo_operation_state(const struct repo_operation *op)
{
	return op->state;
}

void operation_expect(const struct repo_operation *op, unsigned allowed, const char *function)
{
	if (!(allowed & (1u << op->state)))
		BUG("%s() of an operation that is %s", function, state_names[op->state]);
}

/* I3: the drawing of operation.h, the states that may follow each. */
static const unsigned char next_states[OPERATION_STATE_NR] = {
	[OPERATION_OPEN] = OPERATION_IN(STAGING) | OPERATION_IN(UNSEALED) | OPERATION_IN(ABORTING),
	[OPERATION_STAGING] = OPERATION_IN(PREPARED) | OPERATION_IN(ABORTING),
	[OPERATION_PREPARED] = OPERATION_IN(PUBLISHING) | OPERATION_IN(ABORTING),
	[OPERATION_PUBLISHING] = OPERATION_IN(OPEN) | OPERATION_IN(UNSEALED) | OPERATION_IN(ABORTING),
	[OPERATION_UNSEALED] = OPERATION_IN(STAGING) | OPERATION_IN(ABORTING),
	[OPERATION_ABORTING] = OPERATION_IN(OPEN),
};

static void enter_state(struct repo_operation *op, enum operation_state next)
{
	if (!(next_states[op->state] & (1u << next)))
		BUG("an operation goes from %s to %s", state_names[op->state], state_names[next]);
	op->state = next;
}

/* ---- participants ---- */

/* Each participant that has this step, in order. */
#define FOR_EACH_WITH(op, p, step) \
	for (const struct operation_participant *const *p##_at = operation_participants, *p; \
	     (p = *p##_at); p##_at++) \
		if (p->step && ((op)->repo || p->without_repository))

static bool is_pending(const struct repo_operation *op)
{
	FOR_EACH_WITH(op, p, is_pending)
		if (p->is_pending(op))
			return true;
	return false;
}

static size_t nr_participants(void)
{
	size_t nr = 0;

	while (operation_participants[nr])
		nr++;
	return nr;
}

/* I4 */
static void check_nothing_is_pending(const struct repo_operation *op)
{
	if (is_pending(op))
		BUG("a change is pending in an operation that is %s", state_names[op->state]);
}

/* Staged files are removed, and locks released. */
static void give_up(struct repo_operation *op)
{
	enter_state(op, OPERATION_ABORTING);
	for (size_t i = nr_participants(); i--;) {
		const struct operation_participant *p = operation_participants[i];

		if (p->abort && (op->repo || p->without_repository))
			p->abort(op);
	}
	check_nothing_is_pending(op);
	enter_state(op, OPERATION_OPEN);
}

/* ---- begin and free ---- */

static int make_shared_dir(void *data, const char *path)
{
	const struct repository *r = data;

	return make_dir(path, r->settings.shared_perm, NULL);
}

static struct repo_operation *new_operation(struct repository *r, struct fsync_batch *batch)
{
	struct repo_operation *op = xcalloc(1, sizeof(*op));

	op->repo = r;
	op->batch = batch;
	op->index_lock = (struct lockfile)LOCKFILE_INIT;
	FOR_EACH_WITH(op, p, begin)
		p->begin(op);
	return op;
}

struct repo_operation *repo_operation_begin_with(struct repository *r, struct fsync_batch *batch)
{
	struct fsync_batch_options opts = {
		.policy = r->settings.fsync,
		.make_dir = make_shared_dir,
		.make_dir_data = r,
		.note_unsealed = owner_note_unsealed,
		.note_unsealed_data = r->commondir,
		.second_name = owner_second_name,
	};

	if (r->operation) /* I1 */
		BUG("a second operation is begun in '%s'", r->gitdir);
	if (batch)
		fsync_batch_set_options(batch, &opts);
	r->operation = new_operation(r, batch ? batch : fsync_batch_new(&opts));
	return r->operation;
}

struct repo_operation *repo_operation_begin(struct repository *r)
{
	return repo_operation_begin_with(r, NULL);
}

struct repo_operation *repo_operation_begin_outside(const struct fsync_policy *policy)
{
	struct fsync_batch_options opts = { .policy = *policy,
					    .second_name = owner_second_name };

	return new_operation(NULL, fsync_batch_new(&opts));
}

/* I5 */
static void free_operation(struct repo_operation *op, unsigned allowed)
{
	operation_expect(op, allowed, "repo_operation_free");
	if (is_pending(op))
		BUG("an operation ends that was neither committed nor aborted");
	for (size_t i = nr_participants(); i--;)
		if (operation_participants[i]->release && op->repo)
			operation_participants[i]->release(op);
	if (op->repo)
		op->repo->operation = NULL;
	fsync_batch_free(op->batch);
	free(op);
}

void repo_operation_free(struct repo_operation *op)
{
	if (op)
		free_operation(op, OPERATION_IN(OPEN));
}

struct repository *repo_operation_repository(const struct repo_operation *op)
{
	return op->repo;
}

struct fsync_batch *repo_operation_batch(struct repo_operation *op)
{
	return op->batch;
}

/* ---- children ---- */

int repo_operation_show_objects(struct repo_operation *op, struct err *err)
{
	int rc = 0;

	OPERATION_EXPECT(op, OPERATION_ACCEPTS | OPERATION_IN(STAGING) | OPERATION_IN(PUBLISHING) |
				     OPERATION_IN(ABORTING));
	FOR_EACH_WITH(op, p, publish)
		if (!rc)
			rc = p->publish(op, err);
	if (!rc)
		rc = fsync_batch_seal_for(op->batch, op->repo->commondir, err);
	if (!rc && op->state == OPERATION_OPEN)
		enter_state(op, OPERATION_UNSEALED);
	return rc;
}

/* ---- prepare, publish, seal ---- */

/* The objects that get a name by this operation. */
static void depend_on_objects(struct repo_operation *op)
{
	struct oid_array named = OID_ARRAY_INIT;

	FOR_EACH_WITH(op, p, prepare)
		p->prepare(op, &named);
	for (size_t i = 0; i < named.nr; i++)
		odb_depend_on(op->repo->odb, &named.oid[i]);
	oid_array_clear(&named);
}

int repo_operation_prepare(struct repo_operation *op, struct err *err)
{
	int rc = 0;

	OPERATION_EXPECT(op, OPERATION_ACCEPTS | OPERATION_IN(PREPARED));
	if (op->state == OPERATION_PREPARED)
		return 0;
	enter_state(op, OPERATION_STAGING);
	depend_on_objects(op);
	FOR_EACH_WITH(op, p, stage)
		if (rc >= 0)
			rc = p->stage(op, err);
	if (rc < 0)
		give_up(op);
	else
		enter_state(op, OPERATION_PREPARED);
	return rc < 0 ? rc : 0;
}

/* `next` is the state after a success. */
static int publish_prepared(struct repo_operation *op, int (*publish)(struct fsync_batch *b, struct err *err),
			    enum operation_state next, struct err *err)
{
	int rc = repo_operation_prepare(op, err);

	if (rc < 0)
		return rc;
	enter_state(op, OPERATION_PUBLISHING);
	rc = publish(op->batch, err);
	FOR_EACH_WITH(op, p, finish)
		p->finish(op, rc);
	if (rc < 0) {
		give_up(op);
	} else {
		check_nothing_is_pending(op);
		enter_state(op, next);
	}
	return rc;
}

/*
 * P1 for objects and names that were there already: an answer that rests on them is given when it has been sealed,
 * by the process that has published it, or here. Our own seal may have brought along what others had
 * published before.
 */
static int seal_what_was_there(struct repo_operation *op, struct err *err)
{
	const char *dir = op->repo->commondir, *objdir = odb_objdir(op->repo->odb);
	struct string_list dead = STRING_LIST_INIT;
	int rc = 0;

	if (fsync_batch_has_sealed_all(op->batch, dir, objdir)) {
		owner_forget_earlier(dir);
		return 0;
	}
	if (owner_find_unsealed(dir, &dead))
		rc = fsync_batch_flush_others(op->batch, dir, objdir, err);
	if (rc > 0)
		owner_forget(&dead);
	string_list_clear(&dead, NULL);
	return rc < 0 ? rc : 0;
}

int repo_operation_commit(struct repo_operation *op, struct err *err)
{
	int rc = publish_prepared(op, fsync_batch_commit, OPERATION_OPEN, err);

	return rc || !op->repo ? rc : seal_what_was_there(op, err);
}

int repo_operation_publish(struct repo_operation *op, struct err *err)
{
	return publish_prepared(op, fsync_batch_publish, OPERATION_UNSEALED, err);
}

int repo_operation_publish_before(struct repo_operation *op, const char *dir, struct err *err)
{
	int rc = repo_operation_publish(op, err);

	return rc ? rc : fsync_batch_seal_for(op->batch, dir, err);
}

void repo_operation_abort(struct repo_operation *op)
{
	OPERATION_EXPECT(op, OPERATION_ACCEPTS | OPERATION_IN(PREPARED));
	give_up(op);
}

/* ---- the end ---- */

int repo_operation_end(struct repo_operation *op, int rc, struct err *err)
{
	if (!op)
		return rc;
	if (rc)
		repo_operation_abort(op);
	else
		rc = repo_operation_commit(op, err);
	repo_operation_free(op);
	return rc;
}

int repo_operation_end_unsealed(struct repo_operation *op, int rc, struct err *err)
{
	if (rc)
		repo_operation_abort(op);
	else
		rc = repo_operation_publish(op, err);
	free_operation(op, OPERATION_ACCEPTS); /* the parent seals */
	return rc;
}
