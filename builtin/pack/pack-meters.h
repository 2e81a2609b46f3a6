/* SPDX-License-Identifier: GPL-2.0-only */
/* Progress of making a pack: what git-pack-objects(1) and git-bundle(1) show. */
#ifndef BUILTIN_PACK_PACK_METERS_H
#define BUILTIN_PACK_PACK_METERS_H

#include "compat/posix.h"
#include "packing/pack-collection.h"
#include "util/progress.h"

enum { PROGRESS_NONE, PROGRESS_SOME, PROGRESS_ALL };

struct pack_meters {
	int level;	/* PROGRESS_SOME: not the writing, if it is to standard output */
	bool to_stdout;
	/* ---- internal ---- */
	struct progress *meter;
	enum pack_phase phase;
};
/* For pack_objects_options.progress; data: the struct pack_meters. */
int pack_meters_show(void *data, enum pack_phase phase, uint32_t done, uint32_t total,
		     struct err *err);
void pack_meters_stop(struct pack_meters *m); /* idempotent */

/* "Total 3 (delta 0), …", when the pack has been written; to the trace, and to the user if he is shown progress. */
void pack_tell_totals(const struct pack_collection *c, bool show);

#endif
