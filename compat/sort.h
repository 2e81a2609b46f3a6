/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef COMPAT_SORT_H
#define COMPAT_SORT_H

#include "compat/posix.h"

/*
 * As qsort_r(3) of the GNU C library: cmp(a, b, data). Not stable; needs no memory; O(n log n) in
 * each case. Used as qsort_r where NO_QSORT_R is defined: where there is none, or one with another order
 * of arguments.
 */
void compat_qsort_r(void *base, size_t nr, size_t size, int (*cmp)(const void *a, const void *b, void *data), void *data);

#ifdef NO_QSORT_R
#undef qsort_r
#define qsort_r compat_qsort_r
#endif

#endif
