/* SPDX-License-Identifier: GPL-2.0-only */
/* The meters of a pack that arrives: its phases (pack/receive/receive.h), each with its title (util/progress.h). */
#ifndef INTAKE_PACK_PROGRESS_H
#define INTAKE_PACK_PROGRESS_H

#include "compat/posix.h"
#include "pack/receive/receive.h"
#include "util/progress.h"

struct pack_progress {
	const char *reading, *resolving; /* titles; NULL: nothing is shown */
	const char *unpacking;		 /* NULL: as reading */
	bool forced;
	/* ---- internal ---- */
	enum pack_receive_phase phase;
	bool has_unpacked;
	struct progress *now;
};
/* For intake_policy.progress and fetch_wanted.meter; data: the struct pack_progress. bytes 0: unknown. */
void pack_progress_update(void *data, enum pack_receive_phase phase, uint64_t done, uint64_t total, uint64_t bytes);
void pack_progress_stop(struct pack_progress *p);

#endif
