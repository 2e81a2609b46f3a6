/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "porcelain/ref-change.h"
#include "repo/ident.h"

int ref_change_begin(struct repository *r, unsigned flags, struct ref_transaction **out,
		     struct err *err)
{
	struct strbuf ident = STRBUF_INIT;
	int rc = repo_ident(r, &ident, IDENT_COMMITTER, err);

	if (!rc) {
		*out = ref_transaction_begin(r->refs, flags);
		ref_transaction_set_ident(*out, ident.buf);
	}
	strbuf_release(&ident);
	return rc;
}

int ref_change_end(struct repository *r, struct ref_transaction *t, int rc, struct err *err)
{
	if (!rc)
		rc = ref_transaction_prepare(t, repo_batch(r), err);
	if (!rc) {
		rc = repo_commit_batch(r, err);
		ref_transaction_finish(t, rc);
	} else {
		fsync_batch_abort(repo_batch(r));
	}
	ref_transaction_free(t);
	return rc;
}
