/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks of git-maintenance(1) run: strategies, and settings of single tasks. */
#include "compat/posix.h"
#include "maintain/tasks/tasks.h"
#include "util/alloc.h"

/* What a strategy does when it is asked to, and how often by schedule. */
struct strategy {
	const char *name;
	bool manual[TASK_NR];
	enum maintenance_schedule schedule[TASK_NR];
};

static const struct strategy strategies[] = {
	{ .name = "none" },
	{ .name = "gc", .manual = { [TASK_GC] = true }, .schedule = { [TASK_GC] = SCHEDULE_DAILY } },
	{ .name = "incremental",
	  .manual = { [TASK_GC] = true },
	  .schedule = { [TASK_PREFETCH] = SCHEDULE_HOURLY,
			[TASK_COMMIT_GRAPH] = SCHEDULE_HOURLY,
			[TASK_LOOSE_OBJECTS] = SCHEDULE_DAILY,
			[TASK_INCREMENTAL_REPACK] = SCHEDULE_DAILY,
			[TASK_PACK_REFS] = SCHEDULE_WEEKLY } },
	{ .name = "geometric",
	  .manual = { [TASK_GEOMETRIC_REPACK] = true, [TASK_COMMIT_GRAPH] = true,
		      [TASK_PACK_REFS] = true, [TASK_REFLOG_EXPIRE] = true,
		      [TASK_WORKTREE_PRUNE] = true, [TASK_RERERE_GC] = true },
	  .schedule = { [TASK_COMMIT_GRAPH] = SCHEDULE_HOURLY,
			[TASK_GEOMETRIC_REPACK] = SCHEDULE_DAILY,
			[TASK_PACK_REFS] = SCHEDULE_DAILY,
			[TASK_REFLOG_EXPIRE] = SCHEDULE_WEEKLY,
			[TASK_WORKTREE_PRUNE] = SCHEDULE_WEEKLY,
			[TASK_RERERE_GC] = SCHEDULE_WEEKLY } },
};

static int find_strategy(struct repository *r, bool scheduled, const struct strategy **out,
			 struct err *err)
{
	const char *name = scheduled ? "none" : "geometric";
	int rc = config_get_string(r->config, "maintenance.strategy", &name, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(strategies); i++) {
		if (!strcasecmp(strategies[i].name, name)) {
			*out = &strategies[i];
			return 0;
		}
	}
	return err_set(err, ERR_INVALID, "unknown maintenance strategy: '%s'", name);
}

static int read_enabled(struct repository *r, enum maintenance_task t, bool *out, struct err *err)
{
	char *key = xstrfmt("maintenance.%s.enabled", maintenance_task_name(t));
	int rc = config_get_bool(r->config, key, out, err);

	free(key);
	return rc < 0 ? rc : 0;
}

/* A word that is none of the three means never, as in Git. */
static int read_schedule(struct repository *r, enum maintenance_task t, enum maintenance_schedule *out,
			 struct err *err)
{
	char *key = xstrfmt("maintenance.%s.schedule", maintenance_task_name(t));
	const char *value;
	int rc = config_get_string(r->config, key, &value, err);

	if (rc > 0 && !maintenance_schedule_parse(value, out))
		*out = SCHEDULE_NONE;
	free(key);
	return rc < 0 ? rc : 0;
}

int maintenance_plan_read(struct maintenance_plan *out, struct repository *r,
			  enum maintenance_schedule schedule, struct err *err)
{
	struct maintenance_plan plan = { .nr = 0 };
	const struct strategy *s = NULL;
	int rc = find_strategy(r, schedule != SCHEDULE_NONE, &s, err);

	if (rc < 0)
		return rc;
	for (unsigned t = 0; t < TASK_NR && !rc; t++) {
		enum maintenance_schedule often = s->schedule[t];
		bool enabled = schedule ? often != SCHEDULE_NONE : s->manual[t];

		rc = read_enabled(r, t, &enabled, err);
		if (!rc && schedule)
			rc = read_schedule(r, t, &often, err);
		if (enabled && (!schedule || often >= schedule))
			plan.v[plan.nr++] = t;
	}
	if (!rc)
		*out = plan;
	return rc;
}
