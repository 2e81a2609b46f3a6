/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source that keeps objects in memory, for as long as the database is open. It exists to show that the
 * code above the table needs neither loose files nor packs. Objects are added by one thread, while no other reads.
 */
#ifndef T_UNIT_ODB_MEMORY_H
#define T_UNIT_ODB_MEMORY_H

#include "odb/source.h"

/* Give it to odb_open as `own`. */
struct odb_source *odb_source_memory_new(const struct hash_algo *algo);

#endif
