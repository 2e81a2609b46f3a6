/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A backend that keeps refs and reflogs in memory, for as long as the store is open. It exists
 * to show that what stands above the table needs no files. One thread, one store.
 */
#ifndef T_UNIT_REFS_MEMORY_H
#define T_UNIT_REFS_MEMORY_H

#include "refs/refs-backend.h"

extern const struct ref_backend memory_ref_backend;

#endif
