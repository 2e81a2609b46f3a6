/* SPDX-License-Identifier: GPL-2.0-only */
/* git-cherry-pick(1) and git-revert(1): the files by which a later command goes on. */
#include "compat/posix.h"
#include "builtin/pick/pick-cmd.h"
#include "repo/state.h"

bool pick_in_progress(const struct pick_cmd *c)
{
	return repo_state_exists(c->r, STATE_CHERRY_PICK_HEAD) || repo_state_exists(c->r, STATE_REVERT_HEAD);
}

static int write_name(struct pick_cmd *c, enum repo_state_file f, const struct object_id *oid, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	strbuf_addf(&text, "%s\n", oid_hex(oid));
	rc = repo_operation_write_state(c->op, f, text.buf, text.len, err);
	strbuf_release(&text);
	return rc;
}

int pick_write_head(struct pick_cmd *c, const struct object_id *commit, struct err *err)
{
	return write_name(c, c->revert ? STATE_REVERT_HEAD : STATE_CHERRY_PICK_HEAD, commit, err);
}

int pick_write_stop(struct pick_cmd *c, const struct object_id *commit, bool names_head, const struct strbuf *message,
		    const struct object_id *tree, struct err *err)
{
	int rc = repo_operation_write_state(c->op, STATE_MERGE_MSG, message->buf, message->len, err);

	if (!rc && names_head)
		rc = pick_write_head(c, commit, err);
	return rc ? rc : write_name(c, STATE_AUTO_MERGE, tree, err);
}

int pick_write_sequence(struct pick_cmd *c, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = 0;

	if (!repo_state_exists(c->r, STATE_SEQUENCER_HEAD)) {
		pick_format_options(c, &text);
		rc = write_name(c, STATE_SEQUENCER_HEAD, &c->start, err);
		if (!rc && text.len)
			rc = repo_operation_write_state(c->op, STATE_SEQUENCER_OPTS, text.buf, text.len, err);
		strbuf_reset(&text);
	}
	todo_format_rest(&c->todo, &text);
	if (!rc)
		rc = write_name(c, STATE_SEQUENCER_ABORT_SAFETY, &c->next_head, err);
	if (!rc)
		rc = repo_operation_write_state(c->op, STATE_SEQUENCER_TODO, text.buf, text.len, err);
	strbuf_release(&text);
	return rc;
}

int pick_write_abort_safety(struct pick_cmd *c, struct err *err)
{
	return write_name(c, STATE_SEQUENCER_ABORT_SAFETY, &c->next_head, err);
}
