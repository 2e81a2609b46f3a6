/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hashes of paths that bring together what is likely to delta well, as pack-objects uses them and
 * .bitmap files keep them. git-pack-objects(1), --name-hash-version.
 */
#ifndef PACK_NAME_HASH_H
#define PACK_NAME_HASH_H

#include "compat/posix.h"

/* Version 1: mostly the last 16 bytes that are no white space count, the last one most. */
uint32_t pack_name_hash(const char *path);

#endif
