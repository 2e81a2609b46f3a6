/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A number for a path that is close for paths that end alike: versions of one file are then
 * neighbours when deltas are searched. Bitmaps store it (gitformat-bitmap(5), "name-hash cache").
 */
#ifndef PACK_NAME_HASH_H
#define PACK_NAME_HASH_H

#include "compat/posix.h"

static inline uint32_t pack_name_hash_step(uint32_t h, unsigned char c)
{
	if (c == ' ' || (c >= '\t' && c <= '\r'))
		return h;
	return (h >> 2) + ((uint32_t)c << 24);
}

/* Version 1, as Git has it: the last sixteen characters that are not white space. NULL: 0. */
static inline uint32_t pack_name_hash(const char *path)
{
	uint32_t h = 0;

	for (; path && *path; path++)
		h = pack_name_hash_step(h, (unsigned char)*path);
	return h;
}

/*
 * Version 2: that of the last component, with the directories above it in the lower bits. Files of
 * one name in different directories are near each other, but not equal. Nobody stores it.
 */
static inline uint32_t pack_name_hash_2(const char *path)
{
	uint32_t above = 0, h = 0;

	for (; path && *path; path++) {
		if (*path == '/') {
			above = (above >> 6) ^ h;
			h = 0;
		} else {
			h = pack_name_hash_step(h, (unsigned char)*path);
		}
	}
	return h ^ (above >> 6);
}

#endif
