/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "pack/name-hash.h"

uint32_t pack_name_hash(const char *path)
{
	uint32_t h = 0;

	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (c == ' ' || (c >= '\t' && c <= '\r'))
			continue;
		h = (h >> 2) + ((uint32_t)c << 24);
	}
	return h;
}
