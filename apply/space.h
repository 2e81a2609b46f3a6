/* SPDX-License-Identifier: GPL-2.0-only */
/* White space in patches. Form feeds and vertical tabs are none, as in Git (compat/posix.h). */
#ifndef APPLY_SPACE_H
#define APPLY_SPACE_H

#include "compat/posix.h"

static inline bool patch_is_space(char c)
{
	return isspace((unsigned char)c);
}

static inline bool patch_is_blank(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!patch_is_space(s[i]))
			return false;
	return true;
}

#endif
