/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maintenance after a push, so that loose refs and objects do not pile up. Its output goes to the
 * client, whose connection is not kept open for long.
 */
#include "compat/posix.h"
#include "receive/receive.h"

static void run_step(struct receive_server *s, const struct strvec *args)
{
	struct child_process cp = CHILD_PROCESS_INIT;
	struct err why = ERR_INIT;

	strvec_pushv(&cp.args, args->v);
	if (receive_run(s, &cp, NULL, 0, &why) < 0)
		receive_sideband_messagef(s, "warning: %s\n", err_message(&why));
	err_release(&why);
}

void receive_upkeep(struct receive_server *s)
{
	int rc = 0;

	for (unsigned step = 0; rc != RECEIVE_UPKEEP_END; step++) {
		struct strvec args = STRVEC_INIT;
		struct err why = ERR_INIT;

		rc = s->o.upkeep(s->repo, &s->config, step, &args, &why);
		if (rc < 0)
			receive_sideband_messagef(s, "warning: %s\n", err_message(&why));
		else if (rc == 1)
			run_step(s, &args);
		strvec_clear(&args);
		err_release(&why);
	}
}
