/* SPDX-License-Identifier: GPL-2.0-only */
/* See auto-maintenance.h. */
#include "compat/posix.h"
#include "cli/cli.h"
#include "cli/git-options.h"
#include "maintain/auto.h"
#include "maintain/counts.h"
#include "maintain/tasks/tasks.h"
#include "porcelain/auto-maintenance.h"
#include "util/run-command.h"

/* Tests of other things want their repositories as they made them: GIT_TEST_AUTO_MAINTENANCE=0. */
static bool is_forbidden(void)
{
	const char *v = getenv("GIT_TEST_AUTO_MAINTENANCE");

	return v && !strcmp(v, "0");
}

static int is_wanted(struct repository *r, bool *out, struct err *err)
{
	int rc = is_forbidden() ? 0 : auto_maintenance_is_on(r, out, err);

	return rc || !*out ? rc : auto_maintenance_is_due(r, out, err);
}

int auto_maintenance_command(struct repository *r, bool quiet, struct strvec *args, struct err *err)
{
	bool detach, wanted = false;
	int rc = is_wanted(r, &wanted, err);

	if (!rc && wanted)
		rc = gc_auto_detaches(r, &detach, err);
	if (rc < 0 || !wanted)
		return rc;
	push_own_command(args, "maintenance");
	strvec_pushl(args, "run", "--auto", quiet ? "--quiet" : "--no-quiet",
		     detach ? "--detach" : "--no-detach", NULL);
	return 1;
}

static int start(struct repository *r, bool quiet, struct err *err)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	int rc = auto_maintenance_command(r, quiet, &cp.args, err);

	if (rc <= 0)
		return rc;
	cp.no_stdin = true;
	rc = run_command(&cp, err);
	return rc < 0 ? rc : 0; /* if it failed it has said so */
}

void auto_maintenance(struct repository *r, bool quiet)
{
	struct err err = ERR_INIT;
	int rc = start(r, quiet, &err);

	if (rc < 0)
		warning("automatic maintenance: %s", err_message(&err));
	err_release(&err);
}
