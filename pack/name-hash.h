/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hashes of paths that sort objects with likely deltas next to each other. pack-objects uses them,
 * and .bitmap files store version 1. git-pack-objects(1), --name-hash-version.
 */
#ifndef PACK_NAME_HASH_H
#define PACK_NAME_HASH_H

#include "compat/posix.h"

/* Version 1: mostly the last 16 bytes that are no white space count, the last one most. NULL: 0. */
uint32_t pack_name_hash(const char *path);
/*
 * Version 2: the hash of the last component, with the directories above it in the lower bits. Files
 * of one name in different directories are near each other but not equal. No file stores it.
 */
uint32_t pack_name_hash_2(const char *path);

#endif
