/* SPDX-License-Identifier: GPL-2.0-only */
/* Names with numbers in them: "v1.9" before "v1.10", as strverscmp(3). */
#ifndef UTIL_VERSIONCMP_H
#define UTIL_VERSIONCMP_H

#include "compat/posix.h"

int version_cmp(const char *a, const char *b);
/*
 * The same, with what versionsort.suffix of git-config(1) says: of two names that differ
 * at a suffix ("-rc1"), the one whose suffix is listed first comes first, one with a suffix
 * before one without. suffixes: nr of them.
 */
int version_cmp_suffixes(const char *a, const char *b, const char *const *suffixes, size_t nr);

#endif
