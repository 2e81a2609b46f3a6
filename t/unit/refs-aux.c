/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "refs/files/files.h"
#include "refs/refs-backend.h"
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

struct ref_store *open_files_store(void)
{
	struct ref_store_options o = { .backend = &files_ref_backend, .gitdir = "repo",
				       .algo = hash_sha1, .bare = true };
	struct ref_store *rs;

	assert_int_equal(ref_store_open(&rs, &o, NULL), 0);
	return rs;
}

bool ref_is_at(struct ref_store *rs, const char *name, const struct object_id *want)
{
	struct object_id oid;
	int rc = ref_resolve(rs, name, &oid, NULL, NULL, NULL);

	return want ? !rc && oid_eq(&oid, want) : rc == ERR_NOT_FOUND;
}

int update_result(const struct ref_transaction *t, size_t i, const char **msg)
{
	if (i >= ref_transaction_nr(t))
		return ERR_INVALID;
	if (msg)
		*msg = t->updates[i]->error;
	return t->updates[i]->rc;
}
