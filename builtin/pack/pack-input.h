/* SPDX-License-Identifier: GPL-2.0-only */
/* Output that index-pack, unpack-objects, verify-pack and others share: findings, statistics. */
#ifndef BUILTIN_PACK_PACK_INPUT_H
#define BUILTIN_PACK_PACK_INPUT_H

#include "compat/posix.h"
#include "intake/pack-checks.h"
#include "intake/pack-progress.h"
#include "pack/receive/receive.h"

/* For pack_checks_init: as error() and warning() do. */
void print_pack_finding(bool is_error, const char *msg);

/* ---- git verify-pack -v ---- */
/* The histogram of chains; with `objects`, each object before it. */
void print_pack_statistics(struct pack_receive *rx, bool objects);

#endif
