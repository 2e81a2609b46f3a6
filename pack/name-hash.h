/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A number for a path that is close for paths that end alike: versions of one file are then
 * neighbours when deltas are searched. Bitmaps store it (gitformat-bitmap(5), "name-hash cache").
 */
#ifndef PACK_NAME_HASH_H
#define PACK_NAME_HASH_H

#include "compat/posix.h"

/* Version 1, as Git has it: the last sixteen characters that are not white space. NULL: 0. */
static inline uint32_t pack_name_hash(const char *path)
{
	uint32_t h = 0;

	for (; path && *path; path++)
		if (*path != ' ' && (*path < '\t' || *path > '\r'))
			h = (h >> 2) + ((uint32_t)(unsigned char)*path << 24);
	return h;
}

#endif
