/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first include of every source file: feature-test macros, common system headers, and
 * attributes of functions. Platform differences are handled in compat/ and nowhere else.
 */
#ifndef COMPAT_POSIX_H
#define COMPAT_POSIX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#ifndef _TIME_BITS
#define _TIME_BITS 64 /* on 32 bits, too: after 2038 */
#endif

#include <sys/types.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif
#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

#define MUST_USE __attribute__((warn_unused_result))
#define NORETURN __attribute__((noreturn))
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define UNUSED __attribute__((unused))

/*
 * Blanks are space, tab, LF and CR, as everywhere in Git: VT and FF are part of a name or a line.
 * This holds in every locale.
 */
static inline int is_blank_char(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
#undef isspace
#define isspace(c) is_blank_char(c)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* What this system lacks. On others the replacements can be had by -DNO_..., for tests. */
#if defined(__APPLE__)
#define NO_MEMRCHR
#endif
#if defined(__APPLE__) || defined(__OpenBSD__)
#define NO_STRCHRNUL
#endif
#ifndef __linux__
#define NO_QSORT_R /* or an order of arguments that depends on the version */
#endif

#include "compat/text.h"
#ifdef NO_MEMRCHR
#undef memrchr
#define memrchr compat_memrchr
#endif
#ifdef NO_STRCHRNUL
#undef strchrnul
#define strchrnul compat_strchrnul
#endif

#ifdef TEST_IOV_MAX /* as if the system had so few */
#undef IOV_MAX
#define IOV_MAX TEST_IOV_MAX
#endif
#ifndef IOV_MAX
#define IOV_MAX 1024
#endif

/* Largest single read or write: some systems fail beyond SSIZE_MAX or 2 GiB. */
#ifndef MAX_IO_SIZE
#define MAX_IO_SIZE ((size_t)8 * 1024 * 1024)
#endif

#ifdef __APPLE__
#define ST_MTIME_NSEC(st) ((unsigned)(st).st_mtimespec.tv_nsec)
#define ST_ATIME_NSEC(st) ((unsigned)(st).st_atimespec.tv_nsec)
#define ST_CTIME_NSEC(st) ((unsigned)(st).st_ctimespec.tv_nsec)
#else
#define ST_MTIME_NSEC(st) ((unsigned)(st).st_mtim.tv_nsec)
#define ST_ATIME_NSEC(st) ((unsigned)(st).st_atim.tv_nsec)
#define ST_CTIME_NSEC(st) ((unsigned)(st).st_ctim.tv_nsec)
#endif

#endif
