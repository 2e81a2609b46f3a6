/* SPDX-License-Identifier: GPL-2.0-only */
/* Making a repository. git-init(1), gitrepository-layout(5). */
#include "compat/posix.h"
#include "repo-init.h"
#include "repository.h"
#include "util/alloc.h"

#define FALLBACK_BRANCH "master"

static bool is_branch_name(const char *name)
{
	char *ref = xstrfmt("refs/heads/%s", name);
	bool ok = refname_is_valid(ref, 0);

	free(ref);
	return ok;
}

int init_default_branch(const struct config_set *c, char **out, bool *is_fallback,
			struct err *err)
{
	const char *name = getenv("GIT_TEST_DEFAULT_INITIAL_BRANCH_NAME");
	bool fallback = false;
	int rc = 0;

	if (!name || !*name) {
		name = NULL;
		rc = config_get_string(c, "init.defaultbranch", &name, err);
		if (rc < 0)
			return rc;
	}
	if (!name || !*name) {
		name = FALLBACK_BRANCH;
		fallback = true;
	}
	if (!is_branch_name(name))
		return err_set(err, ERR_INVALID,
			       "invalid branch name: init.defaultBranch = %s", name);
	*out = xstrdup(name);
	if (is_fallback)
		*is_fallback = fallback;
	return 0;
}
