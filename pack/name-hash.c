/* SPDX-License-Identifier: GPL-2.0-only */
#include "compat/posix.h"
#include "pack/name-hash.h"

static uint32_t add_byte(uint32_t h, unsigned char c)
{
	if (c == ' ' || (c >= '\t' && c <= '\r'))
		return h;
	return (h >> 2) + ((uint32_t)c << 24);
}

uint32_t pack_name_hash(const char *path)
{
	uint32_t h = 0;

	for (; path && *path; path++)
		h = add_byte(h, (unsigned char)*path);
	return h;
}

uint32_t pack_name_hash_2(const char *path)
{
	uint32_t above = 0, h = 0;

	for (; path && *path; path++) {
		if (*path == '/') {
			above = (above >> 6) ^ h;
			h = 0;
		} else {
			h = add_byte(h, (unsigned char)*path);
		}
	}
	return h ^ (above >> 6);
}
