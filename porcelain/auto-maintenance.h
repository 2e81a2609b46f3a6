/* SPDX-License-Identifier: GPL-2.0-only */
/* Maintenance that a command starts when it has done its work. git-maintenance(1). */
#ifndef PORCELAIN_AUTO_MAINTENANCE_H
#define PORCELAIN_AUTO_MAINTENANCE_H

#include "compat/posix.h"
#include "repo/repo.h"

/*
 * Start git maintenance run --auto, if it is wanted (maintenance.auto, gc.auto) and something is due. The
 * command's operation has been ended. Its errors are printed, and do not fail the command.
 * Cost: a few readdirs if nothing is due, see auto_maintenance_is_due; no flush. Tasks that lock refs are
 * waited for; the others run in the background (maintenance.autoDetach), with no descriptor of ours.
 */
void auto_maintenance(struct repository *r, bool quiet);
/* The command that it would start, for who runs it himself: 1: it is in args; 0: nothing is to be done, < 0. */
MUST_USE int auto_maintenance_command(struct repository *r, bool quiet, struct strvec *args, struct err *err);

#endif
