/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The check of missing objects (P2): nothing that came from elsewhere may be named before every object that it leads to is
 * here. All ways in use this one check: intake/reader.h for the links of a pack, receive-pack and fetch for the objects
 * that refs will name.
 */
#ifndef INTAKE_MISSING_H
#define INTAKE_MISSING_H

#include "compat/posix.h"
#include "history/revision/connected.h"
#include "pack/receive/receive.h"

/*
 * Every object that one of this pack refers to must be in the pack or in the database, with the right type. Errors:
 * ERR_CORRUPT names the first that is not. Cost: a look-up for each object outside of the pack.
 */
MUST_USE int intake_check_links(struct pack_receive *rx, struct err *err);

/*
 * Is every object there that these lead to? Refs count as complete. 1; 0: *missing is not there; < 0: damaged. Cost: that
 * of objects_are_connected.
 */
MUST_USE int intake_check_tips(struct repository *r, const struct oid_array *tips, const struct connected_options *o,
			       struct object_id *missing, struct err *err);

#endif
