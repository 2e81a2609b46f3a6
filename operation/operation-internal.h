/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of an operation: its state, and the table of its participants.
 *
 * A participant is one kind of thing that a command changes. To add one: write its file
 * (participant-NAME.c), give it its members of struct repo_operation, and put it into the table of
 * participants.c. Its place in the table is its place in the order of staging.
 */
#ifndef OPERATION_OPERATION_INTERNAL_H
#define OPERATION_OPERATION_INTERNAL_H

#include "compat/posix.h"
#include "fs/lockfile.h"
#include "operation/operation.h"

/*
 * The steps of a participant; NULL: nothing to do. The operation calls them:
 *
 *   begin       the operation begins, in a repository
 *   is_pending  has the command begun a change that is neither committed nor given up?
 *   prepare     append to `named` the objects that the change names. Nothing is written
 *   stage       stage the change in the batch, and take the locks for which others wait. After a
 *               failure, `abort` follows
 *   publish     give names before all others do: repo_operation_show_objects. A participant
 *               without it is published with the whole operation: by the batch, in the order of fsync/order.h
 *   finish      the batch has published all (rc 0), or has failed (rc < 0; `abort` follows)
 *   abort       give up all that has no name yet: remove staged files and locks. Called also if
 *               nothing is pending
 *   release     free the members; nothing is pending
 *
 * `begin`, `prepare`, `stage`, `publish` and `finish` are called in the order of the table, `abort` and
 * `release` in reverse: what names an object is given up before the object.
 */
struct operation_participant {
	bool without_repository; /* it also takes part in an operation outside of one */
	void (*begin)(struct repo_operation *op);
	bool (*is_pending)(const struct repo_operation *op);
	void (*prepare)(struct repo_operation *op, struct oid_array *named);
	int (*stage)(struct repo_operation *op, struct err *err);
	int (*publish)(struct repo_operation *op, struct err *err);
	void (*finish)(struct repo_operation *op, int rc);
	void (*abort)(struct repo_operation *op);
	void (*release)(struct repo_operation *op);
};

extern const struct operation_participant operation_objects, operation_index, operation_refs,
	operation_files, operation_state_files;
/* All of them, NULL-terminated; the reason of their order is in participants.c. */
extern const struct operation_participant *const operation_participants[];

enum stored_state { STORED_STATE_STAYS, STORED_STATE_IS_SET, STORED_STATE_GOES };

struct repo_operation {
	struct repository *repo; /* NULL: outside of one */
	struct fsync_batch *batch;
	enum operation_state state;
	/* participant-index.c */
	struct lockfile index_lock;
	struct index_state *index; /* for the next commit; not owned */
	bool index_staged;	   /* run the hook when the index has its name */
	unsigned index_effects;	   /* INDEX_CHANGED_... */
	/* participant-refs.c */
	struct ref_transaction *refs;
	bool refs_open; /* neither committed nor given up */
	bool tells_abort; /* the hook learns of an abort before prepare, too */
	/* participant-state.c */
	struct oid_array named_by_state;
	enum stored_state stored_states[REPO_STATE_NR]; /* of files that are refs in tables */
	struct object_id stored_values[REPO_STATE_NR];
};

/* participant-state.c: adds such refs to the transaction, which is begun for them if there is none. */
MUST_USE int operation_queue_stored_states(struct repo_operation *op, struct err *err);

#define OPERATION_IN(state) (1u << OPERATION_##state)
/* Changes may be added (I2). */
#define OPERATION_ACCEPTS (OPERATION_IN(OPEN) | OPERATION_IN(UNSEALED))
/* BUG() unless the state is one of `allowed`. */
void operation_expect(const struct repo_operation *op, unsigned allowed, const char *function);
#define OPERATION_EXPECT(op, allowed) operation_expect(op, allowed, __func__)

#endif
