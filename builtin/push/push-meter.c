/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "builtin/push/push-meter.h"

static const char *title(enum push_meter phase)
{
	switch (phase) {
	case PUSH_METER_FINDING:
		return "Enumerating objects";
	case PUSH_METER_COUNTING:
		return "Counting objects";
	case PUSH_METER_DELTAS:
		return "Compressing objects";
	case PUSH_METER_WRITING:
		return "Writing objects";
	default:
		return NULL;
	}
}

void push_meters_show(void *data, enum push_meter phase, uint64_t done, uint64_t total, uint64_t bytes)
{
	struct push_meters *m = data;

	if (phase != m->phase) {
		progress_stop(&m->now);
		if (title(phase))
			m->now = progress_start_forced(title(phase), total);
		if (phase == PUSH_METER_WRITING)
			progress_keep_rate(m->now);
	}
	m->phase = phase;
	progress_update_bytes(m->now, done, bytes);
}

void push_meters_tell(void *data, const char *line)
{
	push_meters_stop(data);
	fputs(line, stderr);
}

void push_meters_stop(struct push_meters *m)
{
	progress_stop(&m->now);
	m->phase = PUSH_METER_NONE;
}
