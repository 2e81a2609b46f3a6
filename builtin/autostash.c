/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of --autostash, in all commands that end a merge. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "operation/operation.h"
#include "porcelain/autostash.h"
#include "repo/state.h"

int command_end_autostash(struct repository *r, bool store)
{
	return repo_state_exists(r, STATE_MERGE_AUTOSTASH) ? command_end_autostash_in(repo_operation_begin(r), store) : 0;
}

int command_end_autostash_in(struct repo_operation *op, bool store)
{
	enum autostash_outcome outcome = AUTOSTASH_NONE;
	struct err err = ERR_INIT;
	int rc;

	fflush(stdout);
	rc = store ? autostash_store(op, STATE_MERGE_AUTOSTASH, &outcome, &err) :
		     autostash_apply(op, STATE_MERGE_AUTOSTASH, &outcome, &err);
	rc = repo_operation_end(op, rc, &err);
	if (rc)
		return report_fatal(&err);
	if (outcome)
		fputs(autostash_text(outcome), stderr);
	return 0;
}
