/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that cannot go on while the index has conflicts. */
#include "compat/posix.h"
#include "builtin/builtin.h"
#include "index/index.h"

int fail_unmerged(struct repository *r, const char *doing, struct err *err)
{
	error("%s is not possible because you have unmerged files.", doing);
	if (advice_enabled(r, "resolveConflict"))
		advise("Fix them up in the work tree, and then use 'git add/rm <file>'\n"
		       "as appropriate to mark resolution and make a commit.");
	return err_set(err, ERR_CONFLICT, "Exiting because of an unresolved conflict.");
}

int refuse_unmerged(struct repository *r, const char *doing, struct err *err)
{
	struct index_state ix;
	bool unmerged;
	int rc;

	index_init(&ix, r->algo);
	rc = index_read_repo(&ix, r, err);
	unmerged = !rc && index_has_unmerged(&ix);
	index_release(&ix);
	return unmerged ? fail_unmerged(r, doing, err) : rc;
}
