/* SPDX-License-Identifier: GPL-2.0-only */
/* Big-endian numbers at unaligned addresses, as Git's file formats have them. */
#ifndef UTIL_BYTES_H
#define UTIL_BYTES_H

#include "compat/posix.h"

static inline uint16_t get_be16(const void *at)
{
	const unsigned char *p = at;

	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t get_be32(const void *at)
{
	const unsigned char *p = at;

	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t get_be64(const void *at)
{
	const unsigned char *p = at;

	return (uint64_t)get_be32(p) << 32 | get_be32(p + 4);
}

static inline void put_be16(void *at, uint16_t v)
{
	unsigned char *p = at;

	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

static inline void put_be32(void *at, uint32_t v)
{
	unsigned char *p = at;

	p[0] = (unsigned char)(v >> 24);
	p[1] = (unsigned char)(v >> 16);
	p[2] = (unsigned char)(v >> 8);
	p[3] = (unsigned char)v;
}

static inline void put_be64(void *at, uint64_t v)
{
	put_be32(at, (uint32_t)(v >> 32));
	put_be32((unsigned char *)at + 4, (uint32_t)v);
}

#endif
