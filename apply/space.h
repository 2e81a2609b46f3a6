/* SPDX-License-Identifier: GPL-2.0-only */
/* White space in patches, as isspace(3) of the C locale has it. */
#ifndef APPLY_SPACE_H
#define APPLY_SPACE_H

#include "compat/posix.h"

static inline bool patch_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool patch_is_blank(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!patch_is_space(s[i]))
			return false;
	return true;
}

#endif
