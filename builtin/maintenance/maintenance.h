/* SPDX-License-Identifier: GPL-2.0-only */
/* git-maintenance(1): what its parts share. */
#ifndef BUILTIN_MAINTENANCE_MAINTENANCE_H
#define BUILTIN_MAINTENANCE_MAINTENANCE_H

#include "compat/posix.h"
#include "builtin/builtin.h"
#include "util/strbuf.h"

/* ---- maintenance-run.c ---- */
int maintenance_run(int argc, const char **argv, struct command_ctx *ctx);
int maintenance_is_needed(int argc, const char **argv, struct command_ctx *ctx);

/* ---- maintenance-register.c ---- */
int maintenance_register(int argc, const char **argv, struct command_ctx *ctx);
int maintenance_unregister(int argc, const char **argv, struct command_ctx *ctx);
/* The repository in the user's list, for the schedule; ends the program on failure. */
void maintenance_enlist(struct repository *r, const char *config_file);

/* ---- maintenance-start.c ---- */
int maintenance_start(int argc, const char **argv, struct command_ctx *ctx);
int maintenance_stop(int argc, const char **argv, struct command_ctx *ctx);

/* ---- maintenance-scheduler.c ---- */
/* How often maintenance runs, the most frequent first. */
extern const char *const maintenance_frequencies[3];
/* The minute of the hour at which it runs. */
unsigned maintenance_minute(void);
/*
 * Run the program of a scheduler with these arguments; GIT_TEST_MAINT_SCHEDULER can name another one.
 * Its exit code, < 0 if it could not be run. out: takes its output, or NULL: there is none.
 */
int scheduler_run(const char *name, const char *const *args, struct strbuf *out);

/* ---- maintenance-cron.c, maintenance-systemd.c ---- */
/* Is it there and at work for this user? */
bool cron_is_available(void);
bool systemd_is_available(void);
/*
 * Add the schedule to the crontab, or remove it. Returns 0 or ERR_…; removing a missing schedule is
 * fine.
 */
MUST_USE int cron_set(struct repository *r, bool enable, struct err *err);
MUST_USE int systemd_set(struct repository *r, bool enable, struct err *err);

#endif
