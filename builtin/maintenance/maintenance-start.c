/* SPDX-License-Identifier: GPL-2.0-only */
/* git-maintenance(1), start and stop: a scheduler of the system runs it regularly. */
#include "compat/posix.h"
#include "builtin/maintenance/maintenance.h"

/* ---- which one ---- */

struct scheduler {
	const char *name, *program;
	bool (*is_available)(void);
	int (*set)(struct repository *r, bool enable, struct err *err);
};

static const struct scheduler schedulers[] = {
	{ "systemd-timer", "systemctl", systemd_is_available, systemd_set },
	{ "crontab", "crontab", cron_is_available, cron_set },
};

static const struct scheduler *choose(const char *name)
{
	bool any = !name || !strcmp(name, "auto");

	for (size_t i = 0; i < ARRAY_SIZE(schedulers); i++) {
		const struct scheduler *s = &schedulers[i];

		if (!any && strcmp(s->name, name) && strcmp(s->program, name))
			continue;
		if (s->is_available())
			return s;
		if (!any)
			die("%s scheduler is not available", s->program);
	}
	if (any)
		die("neither systemd timers nor crontab are available");
	if (!strcmp(name, "launchctl") || !strcmp(name, "schtasks"))
		die("%s scheduler is not available", name);
	error("unrecognized --scheduler argument '%s'", name);
	exit(129);
}

/* One of them alone, or none: never two that start the same tasks. */
static int set_all(struct repository *r, const struct scheduler *wanted)
{
	struct err err = ERR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(schedulers); i++) {
		const struct scheduler *s = &schedulers[i];

		if (s != wanted && s->is_available() && s->set(r, false, &err) < 0)
			return report_fatal(&err);
	}
	if (wanted && wanted->set(r, true, &err) < 0)
		return report_fatal(&err);
	return 0;
}

int maintenance_start(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { "git maintenance start [--scheduler=<scheduler>]", NULL };
	const char *name = NULL;
	struct option options[] = {
		OPT_STRING(0, "scheduler", &name, "scheduler", "scheduler to trigger git maintenance run"),
		OPT_END()
	};
	const struct scheduler *s;

	argc = parse_options(argc, argv, options, usage, 0);
	if (argc)
		usage_with_options(usage, options);
	s = choose(name);
	maintenance_enlist(ctx->repo, NULL);
	return set_all(ctx->repo, s);
}

int maintenance_stop(int argc, const char **argv, struct command_ctx *ctx)
{
	static const char *const usage[] = { "git maintenance stop", NULL };
	struct option none[] = { OPT_END() };

	argc = parse_options(argc, argv, none, usage, 0);
	if (argc)
		usage_with_options(usage, none);
	return set_all(ctx->repo, NULL);
}
