/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order of staging, in one place:
 *
 *   1. objects come first, since index and refs name them (D4);
 *   2. the index is written into its lock and staged;
 *   3. the refs are prepared late: their locks, which others wait for, are held only while
 *      everything is settled, and their hook is asked when nothing else can fail;
 *   4. files of operations in progress have been staged like other files; that participant knows which
 *      objects they name, and which of them are refs of step 3;
 *   5. files (configuration and the like) have been staged in the batch by the
 *      functions that write them. They are given up first: with them the batch gives up all that is staged.
 *
 * The batch then settles all of it (D1), publishes it by class (fsync/order.h: D3, D4, D5), and
 * seals it (D2).
 */
#include "compat/posix.h"
#include "operation/operation-internal.h"

const struct operation_participant *const operation_participants[] = {
	&operation_objects,
	&operation_index,
	&operation_refs,
	&operation_state_files,
	&operation_files,
	NULL
};
