/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All refs of a push in one transaction of the operation. Without --atomic single refs may fail in it: the others
 * go through for the same seal (P3), and after a power cut all that were accepted have changed, or none (P6).
 */
#include "compat/posix.h"
#include "receive/receive.h"
#include "refs/refs.h"
#include "util/alloc.h"
#include "util/path.h"

#define NOT_QUEUED SIZE_MAX

static bool is_for_transaction(const struct push_command *c)
{
	return !c->error && !c->proc_receive && !c->did_not_exist && !c->skip_update;
}

/* ---- names that make room for others ---- */

static int by_tree(const void *a, const void *b)
{
	struct push_command *const *x = a, *const *y = b;

	return refname_tree_cmp((*x)->full_name, (*y)->full_name);
}

/*
 * The commands whose names lead to the current one, the uppermost first. If a deletion among them makes room, those above it do, too:
 * the name that needs the room is below or above all of them.
 */
struct room_path {
	struct push_command **at;
	size_t nr, creations;
};

static void room_path_leave(struct room_path *p, const char *name, size_t *compared)
{
	while (p->nr && ++*compared && !path_is_below(name, p->at[p->nr - 1]->full_name))
		p->creations -= !push_command_is_delete(p->at[--p->nr]);
}

/* Does its name conflict with the name of another command? */
static bool room_path_enter(struct room_path *p, struct push_command *c)
{
	bool creates = !push_command_is_delete(c), any = false;

	/* Another creation has marked those above it already. */
	for (size_t i = p->nr; creates && i; i--) {
		struct push_command *above = p->at[i - 1];

		if (!push_command_is_delete(above) || above->makes_room)
			break;
		any = above->makes_room = true;
	}
	if (!creates && p->creations)
		any = c->makes_room = true;
	p->at[p->nr++] = c;
	p->creations += creates;
	return any;
}

bool receive_find_room_makers(struct push_command **commands, size_t nr, size_t *compared)
{
	struct room_path path = { .nr = 0 };
	bool any = false;

	*compared = 0;
	qsort(commands, nr, sizeof(*commands), by_tree);
	ALLOC_ARRAY(path.at, nr + 1);
	for (size_t i = 0; i < nr; i++) {
		room_path_leave(&path, commands[i]->full_name, compared);
		any |= room_path_enter(&path, commands[i]);
	}
	free(path.at);
	return any;
}

static bool mark_room_makers(struct receive_server *s)
{
	struct push_command **sorted;
	bool any = false;
	size_t nr = 0, compared;

	ALLOC_ARRAY(sorted, s->rq.nr + 1);
	for (size_t i = 0; i < s->rq.nr; i++)
		if (is_for_transaction(&s->rq.commands[i]))
			sorted[nr++] = &s->rq.commands[i];
	if (nr > 1)
		any = receive_find_room_makers(sorted, nr, &compared);
	free(sorted);
	return any;
}

/* ---- the transaction ---- */

/* The transaction refuses a ref whose name or object is invalid. */
static int queue(struct receive_server *s, struct ref_transaction *t, bool room_makers)
{
	int failures = 0;

	for (size_t i = 0; i < s->rq.nr; i++) {
		struct push_command *c = &s->rq.commands[i];
		/* A damaged ref that is deleted has no value to compare. */
		bool unchecked = push_command_is_delete(c) && oid_is_null(&c->old_oid);
		struct err why = ERR_INIT;

		c->queued = NOT_QUEUED;
		if (!is_for_transaction(c) || c->makes_room != room_makers)
			continue;
		if (ref_transaction_update(t, c->full_name, &c->new_oid, unchecked ? NULL : &c->old_oid, 0, "push", &why) < 0) {
			receive_sideband_messagef(s, "error: %s\n", err_message(&why));
			push_command_refuse(c, push_command_is_delete(c) ? "failed to delete" : "failed to update ref");
			failures++;
		} else {
			c->queued = ref_transaction_nr(t) - 1;
			if (!push_command_is_delete(c))
				ref_transaction_know_value(t, c->type, &c->peeled);
		}
		err_release(&why);
	}
	return failures;
}

static void take_results(struct receive_server *s, const struct ref_transaction *t)
{
	for (size_t i = 0; i < s->rq.nr; i++) {
		struct push_command *c = &s->rq.commands[i];
		struct ref_rejection j;

		if (c->queued == NOT_QUEUED || !ref_transaction_rejection(t, c->queued, &j))
			continue;
		if (j.msg)
			receive_sideband_messagef(s, "error: %s\n", j.msg);
		push_command_refuse(c, "%s", ref_failure_text(j.failure, "failed to update ref"));
	}
}

/* Refuses the commands that are queued in the transaction. */
static void refuse_queued(struct receive_server *s, const char *why)
{
	for (size_t i = 0; i < s->rq.nr; i++)
		if (is_for_transaction(&s->rq.commands[i]))
			push_command_refuse(&s->rq.commands[i], "%s", why);
}

static bool has_work(const struct push_request *rq)
{
	for (size_t i = 0; i < rq->nr; i++)
		if (is_for_transaction(&rq->commands[i]))
			return true;
	return false;
}

static void report_transaction_failure(struct receive_server *s, int rc, const struct err *why)
{
	receive_sideband_messagef(s, "error: %s\n", err_message(why));
	if (rc == ERR_UNCERTAIN) {
		push_request_mark_uncertain(&s->rq);
		refuse_queued(s, "durability unknown");
	} else if (s->rq.atomic && rc != ERR_IO && rc != ERR_ABORTED) {
		refuse_queued(s, "atomic transaction failed");
	} else if (rc == ERR_ABORTED) {
		refuse_queued(s, "reference-transaction hook declined");
	} else {
		refuse_queued(s, why->sys_errno ? strerror(why->sys_errno) : "failed to update ref");
	}
}

/*
 * Without --atomic, refs whose names conflict with new refs are deleted first, in a separate
 * transaction. Both are sealed together; a power cut in between can leave only the deletions.
 */
static int delete_conflicting_refs(struct receive_server *s, struct repo_operation *op, struct err *err)
{
	struct ref_transaction *t;
	struct err why = ERR_INIT;
	int rc = repo_operation_begin_refs(op, REF_TRANSACTION_ALLOW_FAILURE, &t, err);

	if (rc < 0)
		return rc;
	(void)queue(s, t, true);
	rc = repo_operation_publish(op, &why);
	if (rc < 0)
		report_transaction_failure(s, rc, &why);
	else
		take_results(s, t);
	err_release(&why);
	return rc;
}

void receive_give_up(struct receive_server *s, struct repo_operation *op)
{
	struct err why = ERR_INIT;

	repo_operation_abort(op);
	if (push_request_has_answered(&s->rq) && repo_operation_commit(op, &why) < 0) {
		receive_sideband_messagef(s, "error: %s\n", err_message(&why));
		push_request_mark_uncertain(&s->rq);
	}
	err_release(&why);
}

static enum push_outcome commit_refs(struct receive_server *s, struct repo_operation *op, struct ref_transaction *t)
{
	struct err why = ERR_INIT;
	int rc = repo_operation_commit(op, &why);

	if (rc < 0)
		report_transaction_failure(s, rc, &why);
	else if (!s->rq.atomic)
		take_results(s, t);
	err_release(&why);
	return rc < 0 && rc != ERR_UNCERTAIN ? PUSH_GIVEN_UP : PUSH_COMMITTED;
}

int receive_update_refs(struct receive_server *s, struct repo_operation *op, enum push_outcome *out, struct err *err)
{
	struct ref_transaction *t;
	int rc, failures;

	*out = PUSH_GIVEN_UP;
	if (s->rq.atomic && push_request_has_errors(&s->rq))
		push_request_refuse_all(&s->rq, "atomic push failure");
	if (!has_work(&s->rq) || (!s->rq.atomic && mark_room_makers(s) && delete_conflicting_refs(s, op, err) < 0))
		return 0;
	rc = repo_operation_begin_refs(op, s->rq.atomic ? 0 : REF_TRANSACTION_ALLOW_FAILURE, &t, err);
	if (rc < 0) {
		refuse_queued(s, "failed to update ref");
		return rc;
	}
	failures = queue(s, t, false);
	if (s->rq.atomic && failures)
		push_request_refuse_all(&s->rq, "atomic push failure");
	else
		*out = commit_refs(s, op, t);
	return 0;
}
