/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparison of version numbers, like strverscmp(3): "v1.9" sorts before "v1.10". */
#ifndef UTIL_VERSIONCMP_H
#define UTIL_VERSIONCMP_H

#include "compat/posix.h"

/*
 * < 0, 0 or > 0. `suffixes` are the nr values of versionsort.suffix (git-config(1)): where
 * two names differ at a suffix ("-rc1"), a name with a suffix sorts before one without, and
 * two suffixes sort in the order of the list.
 */
int version_cmp(const char *a, const char *b, const char *const *suffixes, size_t nr);

#endif
