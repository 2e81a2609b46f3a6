/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "t/unit/refs-aux.h"
#include "t/unit/scratch.h"

int run_transaction(struct ref_transaction *t, int kind, int rc, struct err *err)
{
	struct fsync_batch_options o = { .policy = FSYNC_POLICY_DEFAULT };
	struct fsync_batch *b = fsync_batch_new(&o);

	if (kind >= 0)
		pretend_fs((enum fs_kind)kind);
	else
		unsetenv("GIT_TEST_FS_KIND");
	ref_transaction_set_ident(t, IDENT);
	if (!rc)
		rc = ref_transaction_prepare(t, b, err);
	if (!rc)
		rc = ref_transaction_commit(t, err);
	fsync_batch_free(b);
	return rc;
}
