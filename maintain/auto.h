/* SPDX-License-Identifier: GPL-2.0-only */
/* Is it time for upkeep? gc.auto and gc.autoPackLimit of git-config(1). */
#ifndef MAINTAIN_AUTO_H
#define MAINTAIN_AUTO_H

#include "compat/posix.h"
#include "repo/repo.h"

struct gc_need {
	bool loose; /* more loose objects than gc.auto says, as far as one directory of them tells */
	bool packs; /* more packs without a .keep than gc.autoPackLimit says */
};
/*
 * Does git gc --auto have anything to do? Never if gc.auto is 0. out may be NULL. Values that cannot
 * be read count as not set. Cost: reading the directories objects/17 and objects/pack.
 */
bool gc_auto_needed(const struct repository *r, struct gc_need *out);

/*
 * maintenance.autoDetach, or else gc.autoDetach: is automatic upkeep done in the background?
 * ERR_INVALID.
 */
MUST_USE int gc_auto_detaches(const struct repository *r, bool *out, struct err *err);

#endif
