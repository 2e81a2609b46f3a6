/* SPDX-License-Identifier: GPL-2.0-only */
/* HEAD moves to a new commit. */
#include "compat/posix.h"
#include "commit/commit.h"

int commit_advance_head(struct repo_operation *op, const struct head_move *m,
			struct ref_transaction **refs, struct err *err)
{
	struct ref_transaction *t = repo_operation_refs(op);
	int rc;

	if (!t)
		t = repo_operation_new_refs(op, 0);
	if (refs)
		*refs = t;
	ref_transaction_set_ident(t, m->committer);
	rc = ref_transaction_update(t, "HEAD", m->to, m->from, 0, m->reflog, err);
	for (size_t i = 0; !rc && i < m->nr_steps; i++)
		ref_transaction_add_log_step(t, &m->steps[i].to, m->steps[i].reflog);
	return rc;
}

void commit_reflog_message(struct strbuf *out, const char *action, const char *message)
{
	strbuf_addf(out, "%s: ", action);
	strbuf_add(out, message, strcspn(message, "\n"));
}
