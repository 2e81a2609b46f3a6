/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include <setjmp.h>
#include <cmocka.h>
#include "operation/operation.h"
#include "repo/init.h"
#include "t/unit/repo-aux.h"
#include "t/unit/scratch.h"

void scratch_repo_setup(struct repository **out)
{
	struct repo_init_result result = { .gitdir = NULL };
	struct repo_init_options o = { .template_dir = "", .initial_branch = "main" };
	struct err err = ERR_INIT;

	scratch_setup(NULL);
	setenv("GIT_COMMITTER_NAME", "C", 1);
	setenv("GIT_COMMITTER_EMAIL", "c@example.com", 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("HOME", dir, 1);
	o.gitdir = at(dir, "r/.git");
	o.worktree = at(dir, "r");
	if (repo_init(&o, &result, &err) < 0 || repo_open_at(out, at(dir, "r/.git"), at(dir, "r"), &err) < 0)
		fail_msg("%s", err_message(&err));
	free(result.gitdir);
	free(result.branch);
}

int scratch_repo_teardown(struct repository **repo)
{
	if (*repo && (*repo)->operation) {
		repo_operation_abort((*repo)->operation);
		repo_operation_free((*repo)->operation);
	}
	repo_free(*repo);
	*repo = NULL;
	return scratch_teardown(NULL);
}
