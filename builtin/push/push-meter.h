/* SPDX-License-Identifier: GPL-2.0-only */
/* Progress of the pack that a push makes: what git push and git send-pack show. */
#ifndef BUILTIN_PUSH_PUSH_METER_H
#define BUILTIN_PUSH_PUSH_METER_H

#include "compat/posix.h"
#include "transport/push/push.h"
#include "util/progress.h"

struct push_meters {
	/* ---- internal ---- */
	enum push_meter phase;
	struct progress *now;
};
/* push_request_options.meter, .tell; data: the struct push_meters. */
void push_meters_show(void *data, enum push_meter phase, uint64_t done, uint64_t total, uint64_t bytes);
void push_meters_tell(void *data, const char *line);
void push_meters_stop(struct push_meters *m);

#endif
